package shaderlift

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// Optimize makes the programs of an input cheaper: fewer pixel slots, or else fewer
// vertex slots, or else fewer temporaries; of a kernel fewer cycles on a GPU, or else
// fewer registers, operations or statements. The result is never nil. Its Files are
// those to use from now on, the input's own bytes where nothing got better. Of a
// pipeline that is spelled out only the whole has to pay; of a level, and of one that as a
// whole does not, every stage.
//
// The error says why there are none: diagnostics of a bad input or option; ErrFit
// if the input exceeds its shader model and still does afterwards; ErrRefused if
// what the passes made is refuted; or a *Fault. Faults that were contained, such
// as a pass that was taken back, are in the result without an error.
func Optimize(in Input, o Options) (res *Result, err error) {
	defer recovered(in, o, &res, &err)
	res = newResult(in)
	z := &optimizer{in: in, o: o, res: res}
	if err := z.prepare(); err != nil {
		return res.fail(err)
	}
	if err := z.run(); err != nil {
		return res.fail(err)
	}
	return res, nil
}

// maxCulprits bounds how many stages are left out because what they do cannot be
// verified, before all that needs the user's numerics is.
const maxCulprits = 3

// maxDiags bounds how many limits that an input exceeds are told.
const maxDiags = 8

// optimizer is the state of one Optimize.
type optimizer struct {
	in  Input
	o   Options
	res *Result

	pipeline passes.Pipeline
	class    passes.Class
	deadline time.Time
	// kept has stages kept that cost more: then the whole has to pay, if not Options.Keep
	// says otherwise.
	kept    bool
	subject subject
}

// subject is what an optimizer works on: the programs of a pair, or a kernel.
type subject interface {
	// read reads and lifts the input.
	read() error
	// unit is a fresh unit of what is understood, nil if nothing is.
	unit() *passes.Unit
	// exceeded are the limits of its model that the input breaks. What does gains by
	// fitting, whatever that costs.
	exceeded() asm.Diags
	// measure prices a unit as it would be written.
	measure(*passes.Unit) (passes.Cost, error)
	// candidate writes a unit, reads back what was written and verifies that. With final
	// set it returns nil of what is no better than the input, unless Options.Keep is set,
	// and may leave parts as they were.
	candidate(u *passes.Unit, class passes.Class, final bool) (*candidate, error)
	// report notes in the result what a candidate costs, the input itself if nil.
	report(*candidate)
}

// prepare reads and lifts the input.
func (z *optimizer) prepare() (err error) {
	if z.class, err = z.o.class(); err != nil {
		return err
	}
	if err := z.o.checkTarget(); err != nil {
		return err
	}
	isKernel := isKernel(z.in)
	if z.pipeline, err = z.o.pipeline(isKernel); err != nil {
		return err
	}
	if z.o.TimeLimit > 0 {
		z.deadline = time.Now().Add(z.o.TimeLimit)
	}
	if isKernel {
		z.subject = &kernel{z: z}
		z.res.Pipeline = z.pipeline.String()
	} else {
		z.subject = &pair{z: z}
	}
	return z.subject.read()
}

// run optimizes what prepare read.
func (z *optimizer) run() error {
	z.kept = z.o.Keep || z.o.spelled()
	said := len(z.res.Remarks)
	better, verified, err := z.attempt(z.class)
	if z.kept && !z.o.Keep && !better && err == nil {
		// Taken together, what the user spelled out does not pay; parts of it may.
		z.kept, z.res.Remarks = false, z.res.Remarks[:said]
		better, verified, err = z.attempt(z.class)
	}
	for range maxCulprits {
		if err != nil || verified {
			break
		}
		at := z.culprit()
		if at < 0 {
			break
		}
		z.pipeline = slices.Delete(slices.Clone(z.pipeline), at, at+1)
		better, verified, err = z.attempt(z.class)
	}
	if err == nil && !verified && z.class > passes.Terms {
		// What needs the user's numerics cannot be verified; what keeps all terms may be.
		better, _, err = z.attempt(passes.Terms)
	}
	large := z.subject.exceeded()
	few := large[:min(len(large), maxDiags)]
	switch {
	case err != nil:
		return err
	case better:
		for _, d := range few {
			z.res.remark("", d.Pos, d.Code, "the input exceeds its model, the result does not: "+d.Msg)
		}
		return nil
	case large != nil:
		return fmt.Errorf("%w: %w", ErrFit, few)
	}
	z.giveBack()
	return nil
}

// giveBack gives the input back, which is the same program for certain.
func (z *optimizer) giveBack() {
	z.res.Status = Unchanged
	z.res.Files = make([]File, len(z.in.Files))
	for i, f := range z.in.Files {
		z.res.Files[i] = File{f.Name, bytes.Clone(f.Data)}
	}
	z.subject.report(nil)
	z.res.Verdict, z.res.Rungs = verify.Proved.String(), []string{"R1"}
	z.res.Epsilon, z.res.MaxULP = 0, 0
}
