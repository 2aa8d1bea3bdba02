package shaderlift

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/numerics"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/vsps"
)

// A preshader runs on the CPU, whenever a pass is applied: what it computes costs no pixel
// and no vertex anything. So what programs compute of constants alone goes there, and then
// preshaders are made shorter themselves.

// hostPerSlot is how many more instructions a draw may take on the host for a slot less.
const hostPerSlot = 8

// rehost gives the programs of res, a result for the part in, preshaders that do more, or
// the same by less. It is res as it was where that gains nothing, or cannot be verified; nil
// if res must be verified besides and cannot.
func (o job) rehost(in Input, res *Result, besides bool) *Result {
	class, ok := o.rehosts(res)
	if !ok {
		return res
	}
	next := *res
	next.Files, next.Stages, next.Remarks = nil, nil, append([]Remark(nil), res.Remarks...)
	moved, changed := besides, besides
	for i, f := range res.Files {
		stage := res.Stages[i]
		was, err := readProgram(in.Files[i])
		if err != nil {
			return res
		}
		p, err := readProgram(f)
		if err != nil {
			return res
		}
		q, n, err := shorterHost(p, was, class >= numerics.Real, false)
		if err != nil {
			next.remark("", asm.Pos{}, "preshader-stays", fmt.Sprintf("the preshader of the %s program stays as it is: %v", stage.Stage, err))
			q, n = p, hoisted{}
		}
		if q != p {
			if err := compact(q); err != nil {
				return res
			}
			data, err := d3d9.Encode(q)
			if err != nil {
				return res
			}
			f.Data, changed = data, true
			cost := d3d9.Measure(q)
			stage.After = &cost
		}
		if n != (hoisted{}) {
			next.remark("", asm.Pos{}, "into-preshader", fmt.Sprintf("the preshader computes %d components for the %s program and copies %d, which saves %d slots",
				n.computed, stage.Stage, n.copied, res.Stages[i].Now().Slots-stage.Now().Slots))
		}
		moved = moved || n != (hoisted{})
		if host := (Change{hostInsts(was), hostInsts(q)}); host != (Change{}) {
			stage.Host = &host
		}
		next.Files, next.Stages = append(next.Files, f), append(next.Stages, stage)
	}
	if !changed {
		res.Stages = next.Stages // with what they take of the host
		return res
	}
	after := Input{Name: in.Name, Files: next.Files}
	v, err := o.verifyPart(in, after)
	res.Faults = append(res.Faults, v.Faults...)
	if err != nil {
		if v.Verdict() == verify.Refuted || !errors.Is(err, ErrRefused) {
			res.Faults = append(res.Faults, &Fault{Task: TaskVerify, Input: in, After: &after, Options: o.Options, Err: err})
		}
		if besides {
			return nil
		}
		res.remark("", asm.Pos{}, "preshader-stays", "preshaders stay as they are: "+err.Error())
		return res
	}
	judgement := *v.Judgement
	if !moved && res.Judgement != nil {
		judgement.Bound = res.Bound // for these are the same numbers
	}
	next.Status, next.Judgement, next.Faults = Improved, &judgement, res.Faults
	return &next
}

// rehosts reports whether preshaders are to be changed at all, and for what class of numerics.
func (o job) rehosts(res *Result) (numerics.Class, bool) {
	class, err := o.class()
	return class, err == nil && !o.spelled() && o.number() > 0 && o.Fuel == nil && (res == nil || len(res.Stages) == len(res.Files))
}

// hostFirst is in with what its programs compute of constants alone in preshaders before
// anything else is done: what becomes part of another operation is not seen afterwards.
func (o job) hostFirst(in Input) (rehosted, bool) {
	first, some := rehosted{Input: Input{Name: in.Name}}, false
	if class, ok := o.rehosts(nil); !ok || class < numerics.Real {
		return first, false
	}
	for _, f := range in.Files {
		p, err := readProgram(f)
		if err != nil {
			return first, false
		}
		q, n, err := shorterHost(p, p, true, true)
		if err != nil || n.computed == 0 {
			q = p
		}
		if q != p {
			if f.Data, err = d3d9.Encode(q); err != nil {
				return first, false
			}
			some = true
		}
		first.Files, first.programs = append(first.Files, f), append(first.programs, q)
	}
	return first, some
}

// rehosted is an input whose programs have other preshaders.
type rehosted struct {
	Input
	programs []*d3d9.Program
}

// shorterHost is p, which was another program, with as much as pays in its preshader, and what
// that is, or p itself. If it is asked for operations, copies alone are not worth it.
func shorterHost(p, was *d3d9.Program, real, operations bool) (*d3d9.Program, hoisted, error) {
	q, moved, err := hoist(p, was, real, operations)
	if err != nil || operations && q == p {
		return p, moved, err
	}
	if q != p {
		if _, err := shorten(q); err != nil {
			return nil, moved, err
		}
		if hostInsts(q)-hostInsts(p) <= hostPerSlot*(d3d9.Measure(p).Slots-d3d9.Measure(q).Slots) {
			return q, moved, nil
		}
	}
	alone := *p
	gains, err := shorten(&alone)
	if err != nil || !gains {
		return p, hoisted{}, err
	}
	return &alone, hoisted{}, nil
}

// shorten makes the preshader of p shorter, and reports whether it could.
func shorten(p *d3d9.Program) (bool, error) {
	was, err := preshader.Of(p)
	if was == nil || err != nil || was.Check() != nil {
		return false, err
	}
	is, err := preshader.Optimize(was, componentsRead(p))
	if is == was || err != nil {
		return false, err
	}
	if err := preshader.Attach(p, is); err != nil {
		return false, err
	}
	return true, nil
}

// hostInsts is how many instructions the preshader of p has.
func hostInsts(p *d3d9.Program) int {
	q, err := preshader.Of(p)
	if err != nil || q == nil {
		return 0
	}
	return len(q.Insts)
}

// componentsRead tells which components of float constants p may read.
func componentsRead(p *d3d9.Program) func(at uint32) bool {
	all := func(uint32) bool { return true }
	f, err := vsps.Lift(p)
	if err != nil {
		return all
	}
	read, indexed := map[uint32]bool{}, false
	see := func(v *ir.Value) {
		if v.Kind == ir.Uniform && v.Home.File == ir.File(d3d9.Const) {
			read[4*uint32(v.Home.Index)+uint32(v.Home.Comp)] = true
		}
	}
	f.Walk(func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) { see(l.V) })
		indexed = indexed || in.Op == ir.OpLoad && in.Base.File == ir.File(d3d9.Const)
	})
	for _, o := range f.Outs {
		see(o.V)
	}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == d3d9.OpSinCos { // its constants are no operands of the IR's
			for _, s := range in.Sources()[1:] {
				for c := range uint32(4) {
					read[4*uint32(s.Index)+c] = true
				}
			}
		}
	}
	if indexed {
		return all
	}
	return func(at uint32) bool { return read[at] }
}
