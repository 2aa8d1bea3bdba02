package opt

import (
	"context"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/internal/lang"
	"github.com/shaderlift/shaderlift/opt/rate"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/vsps"
)

// Fate is the outcome of an instruction when its program is optimized.
type Fate string

// Kept instructions remain, at least in part, in their program. The rest of a Moved one is in the
// vertex program. A Merged one shares its work with other instructions. A Gone one is unneeded or
// computes only known values.
const (
	Kept   Fate = "kept"
	Moved  Fate = "moved"
	Merged Fate = "merged"
	Gone   Fate = "gone"
)

// Reason explains the rate at which an instruction is computed, and the change that would lower it.
type Reason struct {
	Code asm.Code `json:"code"`
	// Message describes the instruction itself, or the one at Line or Offset.
	Message string `json:"message"`
	// Line, or Offset in bytecode, locates the instruction that causes the reason, if it is another
	// one.
	Line   int `json:"line,omitempty"`
	Offset int `json:"offset,omitempty"`
	// Unlock is an option that would remove the reason.
	Unlock string `json:"unlock,omitempty"`
}

// plain are the codes of obvious reasons, which listings omit.
var plain = map[asm.Code]bool{"per-vertex": true, "per-invocation": true, "literals": true}

// Plain reports whether the reason is obvious, such as per-vertex work in a vertex program.
func (r *Reason) Plain() bool { return plain[r.Code] }

// Explain optimizes like [Optimize] and explains the programs instruction by instruction.
// Result.Programs has the input programs, with the fate of every instruction and the reason for its
// rate. The reason names the condition of package codemotion that keeps the instruction out of the
// vertex program, or its cost there, found by moving it. Result.Rewritten has the resulting programs.
// An explicit o.Pipeline runs first, and its result is explained. Draws are priced on all GPUs unless o
// names some.
//
// Parts of effects have reasons, but neither fates nor a result. Each kernel has a second program, the
// possible output of a compiler for the first.
func Explain(ctx context.Context, in Input, o Options) (*Result, error) {
	var now []*d3d9.Program // nil if nothing changes
	var kernel emittedKernel
	o = o.withDefaultTarget(in.Kind())
	var made []passes.Step
	j := job{Options: o, ctx: ctx, emitted: &now, emittedKernel: &kernel, rewrites: &made}
	res, err := j.optimize(in)
	j.emitted, j.emittedKernel, j.rewrites = nil, nil, nil
	if err != nil {
		return res, err
	}
	switch {
	case lang.Kernels && res.Kind == KindKernel || !lang.D3D9:
		if err := j.explainKernel(in, kernel, made, res); err != nil {
			res.remark(asm.Pos{}, "no-listing", fmt.Sprintf("the compiled kernel cannot be listed: %v", err))
		}
	case res.Kind == KindEffect:
		err = j.explainEffect(in, res)
	default:
		var programs []*d3d9.Program
		if programs, err = readPrograms(in); err != nil {
			break
		}
		if o.countsSlots() {
			all := o.everywhere()
			if err = res.draws(all, unbounded(j.ctx).whole, programs); now != nil {
				res.drawsAfter(all, unbounded(j.ctx).whole, now)
			}
		}
		if err == nil {
			err = j.explain(in, programs, res)
		}
		res.Rewritten = fates(in.Files, programs, now, made, res.Programs)
	}
	if err != nil {
		return res.failWith(err)
	}
	o.addExplainRemarks(res)
	return res, nil
}

// explainEffect explains the parts of an effect one by one, with reasons only.
func (o job) explainEffect(in Input, res *Result) error {
	e, err := readEffect(in.Files[0])
	if err != nil {
		return err
	}
	for i := range e.parts {
		programs, err := readPrograms(e.parts[i].in)
		if err != nil {
			return err
		}
		if err := o.explain(e.parts[i].in, programs, res.Parts[i]); err != nil {
			return err
		}
	}
	return nil
}

// explain adds the instructions of the programs of in to res, with their reasons. They come from code
// motion, or else from plainReason. An option is named only if the instruction can move with it:
// another condition may also keep it in place.
func (o job) explain(in Input, programs []*d3d9.Program, res *Result) error {
	res.Programs = priced9(in.Files, programs)
	connect9(programs, res.Programs)
	found, err := o.reasons(in, programs)
	if err != nil {
		return err
	}
	mirrored := o
	mirrored.HostConstants = Mirrored
	var lifted map[asm.Pos]codemotion.Reason
	for _, r := range found {
		if r.Unlocked && lifted == nil {
			if lifted, err = mirrored.reasons(in, programs); err != nil {
				return err
			}
		}
	}
	for i, q := range programs {
		list := res.Programs[i].Instructions
		// priceable yields the statements in the order of the instructions above.
		for _, inst := range priceable(q) {
			answer := &list[0]
			list = list[1:]
			r, known := found[sourceKey(inst.Pos)]
			if !known {
				answer.Why = plainReason(programs, q, answer, res.Partner != "")
				continue
			}
			answer.Why = &Reason{Code: r.Code, Message: r.Text}
			if r.Cause != r.At {
				answer.Why.Line, answer.Why.Offset = r.Cause.Line, r.Cause.Offset
			}
			if r.Unlocked && lifted[sourceKey(r.At)].Movable() {
				answer.Why.Unlock = "--host-constants mirrored"
			}
		}
	}
	return nil
}

// reasons returns the reasons why instructions of the programs of in stay, by their positions. It runs
// the pipeline again with a pass of codemotion at its end that changes nothing and collects the
// reasons.
func (o job) reasons(in Input, programs []*d3d9.Program) (map[asm.Pos]codemotion.Reason, error) {
	change, err := o.changes(unbounded(o.ctx).whole, programs)
	if err != nil {
		return nil, err
	}
	found := map[asm.Pos]codemotion.Reason{}
	tell := codemotion.Explainer(func(list []codemotion.Reason) {
		for _, r := range list {
			found[sourceKey(r.At)] = r
		}
	}, change)
	o.Passes, o.Observe = append(slices.Clone(o.Passes), tell), nil
	o.Remarks, o.Gains, o.History = nil, false, false
	// At a level, the input itself is explained: after the passes little of the user's code would be
	// left.
	if o.spelled() {
		o.Pipeline += "," + tell.Name
	} else {
		o.Pipeline = tell.Name
	}
	_, err = o.optimize(in)
	return found, err
}

// plainReason returns the reason for an instruction that code motion does not explain.
func plainReason(programs []*d3d9.Program, q *d3d9.Program, inst *Instruction, partnered bool) *Reason {
	switch {
	case inst.Text == d3d9.OpNop.String():
		return &Reason{Code: "nop", Message: "does nothing"}
	case inst.Rate == "":
		return &Reason{Code: "control-flow", Message: "is control flow and computes nothing"}
	case inst.Rate == rate.PerDraw:
		return &Reason{Code: "per-draw", Message: "depends only on constants; the application, or a preshader of an effect, could compute it once per draw"}
	case q.Model.Stage == d3d9.Vertex:
		return &Reason{Code: "per-vertex", Message: "depends on the vertex and is computed once per vertex"}
	case !vsps.CanEmit(q.Model):
		return &Reason{Code: "not-optimized", Message: "belongs to a program of " + q.Model.String() +
			", which is not optimized"}
	case len(programs) < 2 && partnered:
		return &Reason{Code: "no-vertex-program", Message: "would have to move to the partner, which stays unchanged"}
	case len(programs) < 2:
		return &Reason{Code: "no-vertex-program", Message: "cannot move, because no vertex program is given"}
	}
	return &Reason{Code: "fragment-output", Message: "writes an output of the fragment"}
}

// fates sets the fate of each instruction in list, the instructions of programs. It looks for its
// position among the instructions of the emitted programs, now. These keep the positions of their
// source instructions and of merged ones; made has the rewrites. It returns the listing of now.
func fates(files []File, programs, now []*d3d9.Program, made []passes.Step, list []Program) []Program {
	if now == nil { // the input came back unchanged
		for i := range list {
			for n := range list[i].Instructions {
				list[i].Instructions[n].Fate = Kept
			}
		}
		return nil
	}
	rewritten := priced9(files, now)
	connect9(now, rewritten)
	m := newMerges(files, made)
	for i, q := range now {
		n := 0
		for _, inst := range priceable(q) {
			m.recordInstruction(i, n, rewritten[i].Instructions[n].Text, inst.Pos, inst.Also)
			n++
		}
	}
	for i, q := range programs {
		m.program(list[i].Instructions, i, q, now[i])
	}
	return rewritten
}

// sourceKey reduces a position to the parts that identify an instruction: the line of a text, or the
// offset in bytecode. Columns differ between operands.
func sourceKey(at asm.Pos) asm.Pos { return asm.Pos{File: at.File, Line: at.Line, Offset: at.Offset} }
