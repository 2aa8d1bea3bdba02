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
	// read are the files of the input.
	read []shaderlift.File

	// Work that the worker does in advance for the sequential consumer. text is the result as
	// encoded in the report; found are the files that already hold its programs, or nil if some
	// differ.
	text  []byte
	found []fs.FileInfo
}

// listJobs lists the inputs that args name. The error is for arguments that name none.
func (a *app) listJobs(args []string) (jobs []job, err error) {
	a.expand(args, func(j job) bool {
		a.paths.recordJob(&j)
		jobs = append(jobs, j)
		return true
	})
	if len(jobs) == 0 {
		err := usagef("%s: no programs found", strings.Join(args, " "))
		if a.passed != nil {
			err = fmt.Errorf("%w; skipped files of other formats: %w", err, a.passed)
		}
		return nil, err
	}
	return jobs, nil
}

// batch processes jobs with the given number of workers. A worker also calls ready with each
// outcome, unless it is nil. batch passes the outcomes to done sequentially, in the order of the
// jobs. The queue holds twice as many tasks as there are workers, which bounds the inputs in
// memory: behind a slow input, workers wait instead of accumulating results. An interrupt ends the
// batch before the first unfinished job.
func (a *app) batch(jobs []job, workers int, work func(shaderlift.Input) (*shaderlift.Result, error), ready,
	done func(*outcome)) error {
	type task struct {
		job
		out chan *outcome
	}
	queue := make(chan task, 2*workers) // in order; its size bounds the memory
	todo := make(chan task)
	// Each task has a buffered channel for its outcome, so that no worker waits for the consumer.
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
			if errors.Is(o.err, context.Canceled) { // interrupted, not failed
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

// drain empties a queue, so that its producers can end.
func drain[T any](queue <-chan T) {
	for range queue {
	}
}

// attempt reads and processes one job, and calls ready with the outcome, unless it is nil. A panic
// outside the library's own recovery becomes the error of this input.
func (a *app) attempt(j job, work func(shaderlift.Input) (*shaderlift.Result, error), ready func(*outcome)) *outcome {
	o := &outcome{job: j}
	in := shaderlift.Input{Name: j.input}
	o.err = contained(func() (err error) {
		if in, err = a.loadFiles(&j); err == nil {
			o.read = in.Files
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
