package opt

import (
	"context"
	"errors"

	"github.com/shaderlift/shaderlift/verify"
)

// job is the work on one input: the caller's options, its budget and facts about this input alone.
type job struct {
	Options
	// ctx ends the job.
	ctx   context.Context
	spend spending
	// known are the Constants in the form of this input.
	known []verify.Constant
}

// canceled turns the result of a job into a failure if its context has ended, since the result is then
// incomplete. It is for deferred calls. Options.Limits.Time does not end the context.
func (o *job) canceled(res **Result, err *error) {
	var fault *Fault
	cause := context.Cause(o.ctx)
	if cause == nil || errors.As(*err, &fault) {
		return
	}
	if *res != nil {
		(*res).Fail(cause)
	}
	*err = cause
}

// contained runs work on the input of a task, f. It checks the options and makes the budget. A panic
// becomes the error f, and an error or the end of the context fails the result.
func (o job) contained(f *Fault, work func(job, *Result) error) (res *Result, err error) {
	defer o.canceled(&res, &err)
	defer recovered(f, &res, &err)
	res = newResult(f.Input)
	if err = o.Check(f.Input.Kind()); err == nil {
		defer o.begin()()
		err = work(o, res)
	}
	if err != nil {
		res.Fail(err)
	}
	return res, err
}
