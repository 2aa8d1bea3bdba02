package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/shaderlift/shaderlift"
)

// outcome is a finished job. The result is never nil.
type outcome struct {
	job
	res *shaderlift.Result
	err error

	// What the worker found out beforehand for whoever takes the outcomes one by one: the result as
	// the report has it, and the files that hold its programs already, nil if not all do.
	text  []byte
	found []fs.FileInfo
}

// jobs lists the inputs that args name. The error is for arguments that name none.
func (a *app) jobs(args []string) (jobs []job, err error) {
	a.expand(args, func(j job) bool {
		a.paths.job(&j)
		jobs = append(jobs, j)
		return true
	})
	if len(jobs) == 0 {
		err := usagef("%s: no programs there", strings.Join(args, " "))
		if a.passed != nil {
			err = fmt.Errorf("%w, but others: %w", err, a.passed)
		}
		return nil, err
	}
	return jobs, nil
}

// batch works on jobs with the given number of workers, each of which also does with an outcome what
// ready does, unless that is nil. It hands the outcomes to done one after the other, in the order of
// the jobs, whatever the order in which they finish. The queue holds
// twice as many tasks as there are workers, which bounds the inputs in memory: a slow input makes
// the workers wait rather than results pile up. An interrupt ends it before the first job that is
// not finished.
func (a *app) batch(jobs []job, workers int, work func(shaderlift.Input) (*shaderlift.Result, error), ready, done func(*outcome)) error {
	type task struct {
		job
		out chan *outcome
	}
	queue := make(chan task, 2*workers) // in order; its size bounds what is held
	todo := make(chan task)
	// Each task has a channel for its outcome with room for one, so that no worker waits for the
	// reader.
	go func() {
		defer close(queue)
		defer close(todo)
		for _, j := range jobs {
			if a.ctx.Err() != nil {
				return
			}
			t := task{j, make(chan *outcome, 1)}
			queue <- t
			todo <- t
		}
	}()
	for range min(workers, len(jobs)) {
		go func() {
			for t := range todo {
				t.out <- a.attempt(t.job, work, ready)
			}
		}()
	}
	for t := range queue {
		select {
		case o := <-t.out:
			if errors.Is(o.err, context.Canceled) { // cut off, not failed
				go drain(queue)
				return errInterrupted
			}
			done(o)
		case <-a.ctx.Done():
			go drain(queue)
			return errInterrupted
		}
	}
	if a.ctx.Err() != nil {
		return errInterrupted
	}
	return nil
}

// drain lets those who fill a queue end.
func drain[T any](queue <-chan T) {
	for range queue {
	}
}

// attempt reads and works on one job, and does with the outcome what ready does, unless that is nil. A
// panic outside the library's own recovery becomes the error of this input.
func (a *app) attempt(j job, work func(shaderlift.Input) (*shaderlift.Result, error), ready func(*outcome)) *outcome {
	o := &outcome{job: j}
	in := shaderlift.Input{Name: j.input}
	o.err = contained(func() (err error) {
		if in, err = a.load(&j); err == nil {
			o.res, err = work(in)
		}
		return err
	})
	if o.res == nil {
		o.res = shaderlift.Failure(in, o.err)
	}
	if ready == nil {
		return o
	}
	if err := contained(func() error { ready(o); return nil }); err != nil {
		o.text, o.found, o.err = nil, nil, errors.Join(o.err, err)
		o.res.Fail(err)
	}
	return o
}
