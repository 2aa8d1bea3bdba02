package shaderlift

import (
	"context"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/codemotion"
)

// Fate is what becomes of an instruction when its program is optimized.
type Fate string

// The fates: something of it stays where it is; all that is left of it is in the vertex
// program; or nothing is, since others do what it did, or nothing needs it.
const (
	Kept  Fate = "kept"
	Moved Fate = "moved"
	Gone  Fate = "gone"
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

// Explain is [Instructions] with the fate of every instruction of a pair or program, and the
// reason why it is computed as often as it is: what keeps it from the vertex program, after the
// conditions of package codemotion, or what it would cost there, found by moving it. What is
// explained is the input behind the passes of o.Pipeline, if that spells any; the fates are
// those that [Optimize] leads to. Unless o names targets, draws are priced on all GPUs.
//
// Parts of effects have reasons and no fates. Kernels have neither.
func Explain(ctx context.Context, in Input, o Options) (*Result, error) {
	j := job{Options: o, ctx: ctx}
	if o.Target == "" && !isKernel(in) {
		j.Target = PortableTarget // which has all of them
	}
	res, err := j.instructions(in)
	j.Target = o.Target
	switch {
	case err != nil:
	case res.Kind == KindKernel:
	case res.Kind == KindEffect:
		e, err := readEffect(in.Files[0])
		if err != nil {
			return res.fail(err)
		}
		for i := range e.parts {
			if err := j.explain(e.parts[i].in, res.Parts[i]); err != nil {
				return res.fail(err)
			}
		}
	default:
		if err := j.explain(in, res); err != nil {
			return res.fail(err)
		}
		if err := j.fates(in, res); err != nil {
			return res.fail(err)
		}
	}
	return res, err
}

// explain gives the instructions of res, the programs of in, their reasons.
func (o job) explain(in Input, res *Result) error {
	programs, err := read(in)
	if err != nil {
		return err
	}
	found := map[asm.Pos]codemotion.Reason{}
	tell := codemotion.Explainer(func(list []codemotion.Reason) {
		for _, r := range list {
			found[spot(r.At)] = r
		}
	})
	o.Passes, o.Observe = append(slices.Clone(o.Passes), tell), nil
	if o.spelled() {
		o.Pipeline += "," + tell.Name
	} else {
		o.Pipeline = tell.Name
	}
	if _, err := o.optimize(in); err != nil {
		return err
	}
	for i, q := range programs {
		list := res.Programs[i].Instructions
		for _, inst := range priceable(q) {
			is := &list[0]
			list = list[1:]
			r, known := found[spot(inst.Pos)]
			if !known {
				is.Why = plainReason(programs, q, is)
				continue
			}
			is.Why = &Reason{Code: r.Code, Message: r.Text}
			if r.Cause != r.At {
				is.Why.Line, is.Why.Offset = r.Cause.Line, r.Cause.Offset
			}
			if r.Unlocked {
				is.Why.Unlock = "--host-constants mirrored"
			}
		}
	}
	return nil
}

// plainReason is that of an instruction that code motion has nothing to say of.
func plainReason(programs []*d3d9.Program, q *d3d9.Program, inst *Instruction) *Reason {
	switch {
	case inst.Rate == "":
		return &Reason{Code: "control-flow", Message: "steers, and computes nothing"}
	case inst.Rate == PerDraw:
		return &Reason{Code: "per-draw", Message: "depends on constants alone: the application, or a preshader of an effect, could compute it for a draw"}
	case q.Model.Stage == d3d9.Vertex:
		return &Reason{Code: "per-vertex", Message: "depends on the vertex, and is computed once for each"}
	case len(programs) < 2:
		return &Reason{Code: "no-vertex-program", Message: "is not compared with a vertex program: none is given"}
	}
	return &Reason{Code: "fragment-output", Message: "hands over what the fragment is"}
}

// fates tells what becomes of the instructions of res, the programs of in, when it is optimized.
func (o job) fates(in Input, res *Result) error {
	programs, err := read(in)
	if err != nil {
		return err
	}
	var now []origin // nil if nothing changes
	o.origins = &now
	if _, err := o.optimize(in); err != nil {
		return err
	}
	for i, q := range programs {
		list := res.Programs[i].Instructions
		for _, inst := range priceable(q) {
			fate := Gone
			switch at, output := spot(inst.Pos), outputOf(inst); {
			case now == nil || now[i].places[at] || output != d3d9.Reg{} && now[i].outputs[output]:
				fate = Kept
			case q.Model.Stage == d3d9.Pixel && len(now) == 2 && now[1-i].places[at]:
				fate = Moved
			}
			list[0].Fate = fate
			list = list[1:]
		}
	}
	return nil
}

// spot is where an instruction was read: the line of a text, or the offset in bytecode.
func spot(at asm.Pos) asm.Pos { return asm.Pos{File: at.File, Line: at.Line, Offset: at.Offset} }

// origin is what a program that passes have made consists of.
type origin struct {
	places  map[asm.Pos]bool  // where its instructions come from, so far as they come from any
	outputs map[d3d9.Reg]bool // what it writes
}

// originsOf has the origin of each of programs.
func originsOf(programs []*d3d9.Program) []origin {
	list := make([]origin, len(programs))
	for i, q := range programs {
		list[i] = origin{map[asm.Pos]bool{}, map[d3d9.Reg]bool{}}
		for k := range q.Insts {
			inst := &q.Insts[k]
			list[i].places[spot(inst.Pos)] = true
			list[i].outputs[outputOf(inst)] = true
		}
	}
	return list
}

// outputOf is the output that an instruction writes, the zero register if it writes none.
func outputOf(inst *d3d9.Inst) (none d3d9.Reg) {
	switch inst.Dst.File {
	case d3d9.RastOut, d3d9.AttrOut, d3d9.TexOut, d3d9.Output, d3d9.ColorOut, d3d9.DepthOut:
		if inst.HasDst && inst.Op.Kind() != d3d9.Declaration {
			return inst.Dst.Reg
		}
	}
	return none
}
