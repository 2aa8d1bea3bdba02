package shaderlift

import (
	"context"
	"errors"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// job is what is to be done with one input: the caller's options, what it may take, and
// what else is known of this input alone.
type job struct {
	Options
	// ctx ends it.
	ctx   context.Context
	spend spending
	// mirrors says of which pixel constants Mirrored holds, nil for all.
	mirrors func(register uint16) bool
	// motions are told what code motion with more constants makes of the input, and from is what is
	// known of the way of the pipeline.
	motions []*motion
	from    plan
	// mirrored are vertex constants that are set to pixel constants for both versions.
	mirrored []Upload
	// parameters tells that constants are set by the names of parameters, and preshaders run.
	parameters bool
	// compact has programs that are written lose what nobody reads in their tables.
	compact bool
	// known are Constants as the input at hand has them.
	known []verify.Constant
	// conceding tells that something has been given up already so that programs may fit.
	conceding bool
	// asked is set where a verdict is what is asked for, rather than versions that have one.
	asked bool
	// emitted, if set, is told the programs that replace those of the input, whose
	// instructions are of the places that they come from.
	emitted *[]*d3d9.Program
	// emittedKernel is the same of a kernel.
	emittedKernel *emittedKernel
	// rewrites, if set, is told those that made them.
	rewrites *[]passes.Step
}

// traces tells that rewrites are noted.
func (o *job) traces() bool { return o.rewrites != nil || o.Options.traces() }

// canceled makes what became of a job whose context has ended a failure: what ran out of
// time is not what would have become of it. It is for deferred calls. Options.TimeLimit is
// no end of the context.
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
