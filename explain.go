package shaderlift

import (
	"context"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/internal/lang"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/rate"
)

// Fate is what becomes of an instruction when its program is optimized.
type Fate string

// The fates: something of it stays where it is; all that is left of it is in the vertex
// program; what is left does what others did, too, and counts as one of these; or nothing is
// left, since nothing needs it, or all that it computes is known.
const (
	Kept   Fate = "kept"
	Moved  Fate = "moved"
	Merged Fate = "merged"
	Gone   Fate = "gone"
)

// Reason is why an instruction is computed as often as it is, and what would change that.
type Reason struct {
	Code asm.Code `json:"code"`
	// Message says what the instruction does, or is, or the one at Line or Offset.
	Message string `json:"message"`
	// Line, or Offset of bytecode, is that of the instruction that the reason lies in, if
	// that is another one.
	Line   int `json:"line,omitempty"`
	Offset int `json:"offset,omitempty"`
	// Unlock is an option that would do away with the reason.
	Unlock string `json:"unlock,omitempty"`
}

// plain are the codes of reasons that go without saying; listings leave them out.
var plain = map[asm.Code]bool{"per-vertex": true, "per-invocation": true, "literals": true}

// Plain reports whether the reason goes without saying, as that vertices need what is computed
// for vertices.
func (r *Reason) Plain() bool { return plain[r.Code] }

// Explain is [Optimize] with the programs instruction by instruction: those of the input in
// Result.Programs, with the fate of every instruction and the reason why it is computed as
// often as it is (what keeps it from the vertex program, after the conditions of package
// codemotion, or what it would cost there, found by moving it), and those of the result in
// Result.Rewritten. What is explained is the input behind the passes of o.Pipeline, if that
// spells any. Draws are priced on all GPUs unless o names some.
//
// Parts of effects have reasons, and neither fates nor a result. Kernels have a second program
// each, what a compiler might make of the first.
func Explain(ctx context.Context, in Input, o Options) (*Result, error) {
	var now []*d3d9.Program // nil if nothing changes
	var kernel emittedKernel
	o = o.on(in.Kind())
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
			res.remark(asm.Pos{}, "no-listing", fmt.Sprintf("its program is not listed: %v", err))
		}
	case res.Kind == KindEffect:
		err = j.explainEffect(in, res)
	default:
		var programs []*d3d9.Program
		if programs, err = read(in); err != nil {
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
		return res.fail(err)
	}
	o.told(res)
	return res, nil
}

// explainEffect explains the parts of an effect one by one. They have reasons only.
func (o job) explainEffect(in Input, res *Result) error {
	e, err := readEffect(in.Files[0])
	if err != nil {
		return err
	}
	for i := range e.parts {
		programs, err := read(e.parts[i].in)
		if err != nil {
			return err
		}
		if err := o.explain(e.parts[i].in, programs, res.Parts[i]); err != nil {
			return err
		}
	}
	return nil
}

// explain gives res the instructions of programs, those of in, with their reasons: those that code
// motion has, and where it has nothing to say, that of plainReason. An option that would lift one is
// named only if with it the instruction really could move: something else may keep it as well.
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
		// priceable selects the statements that instructions were made of above, in the same order.
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

// reasons are why instructions of programs, those of in, stay, by where they are. The pipeline runs
// once more for it, with a pass of codemotion at its end that changes nothing and collects them.
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
	// At a level, the input itself is explained: behind the passes little of what the user wrote
	// would be left.
	if o.spelled() {
		o.Pipeline += "," + tell.Name
	} else {
		o.Pipeline = tell.Name
	}
	_, err = o.optimize(in)
	return found, err
}

// plainReason is the reason of an instruction that code motion says nothing of.
func plainReason(programs []*d3d9.Program, q *d3d9.Program, inst *Instruction, partnered bool) *Reason {
	switch {
	case inst.Text == d3d9.OpNop.String():
		return &Reason{Code: "nop", Message: "does nothing"}
	case inst.Rate == "":
		return &Reason{Code: "control-flow", Message: "steers, and computes nothing"}
	case inst.Rate == rate.PerDraw:
		return &Reason{Code: "per-draw", Message: "depends on constants alone: the application, or a preshader of an effect, could compute it for a draw"}
	case q.Model.Stage == d3d9.Vertex:
		return &Reason{Code: "per-vertex", Message: "depends on the vertex, and is computed once for each"}
	case len(programs) < 2 && partnered:
		return &Reason{Code: "no-vertex-program", Message: "would have to go into the partner, which stays as it is"}
	case len(programs) < 2:
		return &Reason{Code: "no-vertex-program", Message: "is not compared with a vertex program: none is given"}
	}
	return &Reason{Code: "fragment-output", Message: "hands over what the fragment is"}
}

// fates sets the fate of each instruction in list, those of programs, by looking for its position
// among the instructions of now, the emitted programs, which the rewrites in made have led to:
// these keep the positions of the instructions that they come from, and of those that were merged
// into them. It returns the listing of now.
func fates(files []File, programs, now []*d3d9.Program, made []passes.Step, list []Program) []Program {
	if now == nil { // the input came back
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
			m.add(i, n, rewritten[i].Instructions[n].Text, inst.Pos, inst.Also)
			n++
		}
	}
	for i, q := range programs {
		m.program(list[i].Instructions, i, q, now[i])
	}
	return rewritten
}

// sourceKey reduces a position to what identifies an instruction: the line of a text, or the offset in
// bytecode. Columns differ between operands.
func sourceKey(at asm.Pos) asm.Pos { return asm.Pos{File: at.File, Line: at.Line, Offset: at.Offset} }

// outputOf is the output that an instruction writes, the zero register if it writes none.
func outputOf(inst *d3d9.Inst) (none d3d9.Reg) {
	if inst.HasDst && inst.Dst.File.IsOutput() && inst.Op.Kind() != d3d9.Declaration {
		return inst.Dst.Reg
	}
	return none
}
