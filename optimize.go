package shaderlift

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/vsps"
)

// Optimize makes the programs of an input cheaper: fewer pixel slots, or else fewer
// vertex slots, or else fewer temporaries. The result is never nil. Its Files are
// those to use from now on, the input's own bytes where nothing got better.
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

	programs []*d3d9.Program // as read
	lifted   []*ir.Func      // parallel; nil for a program that is not understood
	tooLarge asm.Diags       // limits that the input exceeds
	cost     passes.Cost     // of programs
}

// prepare reads and lifts the input.
func (z *optimizer) prepare() (err error) {
	if z.class, err = z.o.class(); err != nil {
		return err
	}
	if err := z.o.checkTarget(); err != nil {
		return err
	}
	if z.pipeline, err = z.o.pipeline(); err != nil {
		return err
	}
	if z.o.TimeLimit > 0 {
		z.deadline = time.Now().Add(z.o.TimeLimit)
	}
	if z.programs, err = read(z.in); err != nil {
		return err
	}
	z.res.before(z.programs)
	z.cost = costOf(z.programs)
	var wrong asm.Diags
	for _, p := range z.programs {
		w, large := validate(p)
		wrong, z.tooLarge = append(wrong, w...), append(z.tooLarge, large...)
	}
	if len(wrong) > 0 {
		return wrong
	}
	z.lifted = make([]*ir.Func, len(z.programs))
	for i, p := range z.programs {
		f, err := vsps.Lift(p)
		if err != nil { // valid, so the lack is ours
			for _, d := range diagsOf(err) {
				z.res.remark("", d.Pos, d.Code, fmt.Sprintf("the %s program is left as it is: %s", p.Model.Stage, d.Msg))
			}
			continue
		}
		z.lifted[i] = f
	}
	remarkLinks(z.res, z.programs)
	return nil
}

// run optimizes what prepare read.
func (z *optimizer) run() error {
	better, verified, err := z.attempt(z.class)
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
	switch {
	case err != nil:
		return err
	case better:
		for _, d := range z.tooLarge[:min(len(z.tooLarge), maxDiags)] {
			z.res.remark("", d.Pos, d.Code, "the input exceeds its model, the result does not: "+d.Msg)
		}
		return nil
	case z.tooLarge != nil:
		return fmt.Errorf("%w: %w", ErrFit, z.tooLarge[:min(len(z.tooLarge), maxDiags)])
	}
	z.keep()
	return nil
}

// unit is a fresh unit of the programs that are understood, nil if none is.
func (z *optimizer) unit() *passes.Unit {
	u := &passes.Unit{Name: z.res.Name}
	for i, f := range z.lifted {
		switch {
		case f == nil:
		case z.programs[i].Model.Stage == d3d9.Vertex:
			u.Vertex = f.Clone()
		default:
			u.Pixel = f.Clone()
		}
	}
	if u.Vertex == nil && u.Pixel == nil {
		return nil
	}
	return u
}

// keep gives the input back, which is the same program for certain.
func (z *optimizer) keep() {
	z.res.Status = Unchanged
	z.res.Files = make([]File, len(z.in.Files))
	for i, f := range z.in.Files {
		z.res.Files[i] = File{f.Name, bytes.Clone(f.Data)}
	}
	z.res.after(z.programs)
	z.res.Verdict, z.res.Rungs = verify.Proved.String(), []string{"R1"}
	z.res.Epsilon, z.res.MaxULP = 0, 0
}

// remarkLinks tells of pixel inputs that the vertex program leaves open.
func remarkLinks(res *Result, programs []*d3d9.Program) {
	if len(programs) != 2 {
		return
	}
	vs, ps := programs[0], programs[1]
	if vs.Model.Major >= 3 != (ps.Model.Major >= 3) {
		res.remark("", asm.Pos{}, "mixed-models", fmt.Sprintf("Direct3D 9 does not draw %s with %s", vs.Model, ps.Model))
	}
	link, err := vsps.Link(vs, ps)
	if err != nil {
		return
	}
	for _, v := range link.Varyings {
		if v.Out.File != ir.File(d3d9.NoFile) {
			continue
		}
		in := d3d9.Reg{File: d3d9.File(v.In.File), Index: v.In.Index}
		at := slices.IndexFunc(ps.Insts, func(i d3d9.Inst) bool { return i.Op == d3d9.OpDcl && i.Dst.Reg == in })
		if at >= 0 {
			res.remark("", ps.Insts[at].Pos, "unwritten-varying", fmt.Sprintf("the pixel program reads %s, which the vertex program does not write", in))
		}
	}
}
