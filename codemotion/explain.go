package codemotion

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Reason is why a statement of the pixel program is computed for every fragment, or what it
// would take to compute it for a vertex.
type Reason struct {
	At   asm.Pos // of the statement
	Code asm.Code
	Text string // what the statement of Cause does, or is
	// Cause is the place of the statement that the reason lies in, that of At if it is this one.
	Cause asm.Pos
	// Unlocked tells that constants which the application sets in both stages would do away
	// with the reason.
	Unlocked bool
}

// Explainer is a pass that changes nothing and tells why the statements of a pixel program
// cannot move, in the order of the program: which of the conditions C1 to C4 does not hold,
// and in which statement that begins. What could move is moved on trial, together with all
// that it takes for the pixel program not to compute it any more, and priced; change words
// what the price before becomes.
func Explainer(tell func([]Reason), change func(before, after passes.Cost) string) *passes.Pass {
	return &passes.Pass{Name: "explain", Doc: "tell why statements stay in the pixel program", Class: passes.Terms,
		Run: func(c *passes.Ctx, u *passes.Unit) error {
			if u.Vertex == nil || u.Pixel == nil || c.Measure == nil {
				return nil
			}
			e := explainer{change: change, mover: mover{ctx: c, unit: u, mirrored: c.HostMirrored},
				roots: map[*ir.Value]*Reason{}, found: map[asm.Pos]*Reason{}, tried: map[string]string{}}
			if err := e.prepare(u); err != nil {
				return err
			}
			e.all = mover{ctx: c, unit: u, mirrored: true}
			if err := e.all.prepare(u); err != nil {
				return err
			}
			e.savings = newSavings(u.Pixel)
			e.operands = e.candidates()
			e.needed = neededFor(e.operands)
			u.Pixel.Walk(e.statement)
			e.settle()
			var list []Reason
			for _, at := range e.order {
				list = append(list, *e.found[at])
			}
			tell(list)
			return nil
		}}
}

// explainer is a mover that moves on trial only. all is one with every constant
// mirrored, which tells what mirroring would unlock.
type explainer struct {
	mover
	all      mover // with every constant mirrored
	change   func(before, after passes.Cost) string
	operands []*candidate
	needed   map[*ir.Instr][]int // which operands need what an instruction computes
	// roots has, of values that cannot move, the reason of the first statement that
	// could not, which is the cause of those behind it.
	roots map[*ir.Value]*Reason
	found map[asm.Pos]*Reason
	order []asm.Pos
	tried map[string]string // by the operands that were moved
}

// statement finds the reason for in; of several instructions of one statement the first that
// cannot move has it.
func (e *explainer) statement(in *ir.Instr) {
	r := e.stays(in)
	if r == nil {
		r = e.trial(in)
	} else {
		in.EachDef(func(v *ir.Value) { e.roots[v] = r })
	}
	known := e.found[in.Pos]
	switch {
	case known == nil:
		e.order = append(e.order, in.Pos)
		e.found[in.Pos] = r
	case known.Code == movable || known.Code == "":
		e.found[in.Pos] = r
	}
}

// Movable tells that the statement could be computed for a vertex.
func (r Reason) Movable() bool { return r.Code == movable }

// movable is the code of what could be computed for a vertex.
const movable asm.Code = "movable"

// stays is why in cannot move, nil if it can: the first condition that fails, those
// about the instruction itself before those about operands.
func (e *explainer) stays(in *ir.Instr) *Reason {
	if e.moves(in) {
		return nil
	}
	unlocked := e.all.moves(in)
	reason := func(code asm.Code, format string, args ...any) *Reason {
		return &Reason{At: in.Pos, Code: code, Text: fmt.Sprintf(format, args...), Cause: in.Pos, Unlocked: unlocked}
	}
	switch d := e.vertex.Dialect; {
	case in.Op.Has(ir.IsFetch):
		return reason("texture-read", "reads a texture, and vertices have no samplers of the pixel program")
	case in.Op == ir.OpKill:
		return reason("ends-fragment", "ends single fragments")
	case in.Op.Has(ir.Convergent):
		return reason("derivative", "is the difference between neighbouring fragments")
	case in.Precise:
		return reason("depth", "is what the depth of the fragment comes from, which keeps its terms")
	case in.IsPredicated():
		return reason("control-flow", "is done under a predicate")
	case !in.Op.HasFormula():
		return reason("vertex-op", "is %s, which cannot be done for a vertex", in.Op)
	default:
		if r := e.source(in, unlocked); r != nil {
			return r
		}
		if !hoistable(d, in) {
			return reason("vertex-op", "is %s, which the model of the vertex program lacks", in.Op)
		}
		return reason("not-affine", "is not affine in what is interpolated, so that interpolation would not give it")
	}
}

// source is the reason that the first operand of in has that cannot move.
func (e *explainer) source(in *ir.Instr, unlocked bool) (r *Reason) {
	for s := range in.Src {
		in.Src[s].Each(func(_ int, l *ir.Lane) {
			if r != nil || e.movable[l.V.ID] {
				return
			}
			own := Reason{At: in.Pos, Cause: in.Pos, Unlocked: unlocked}
			name := ir.RegisterName(e.pixel.Dialect, l.V.Home)
			switch root := e.roots[l.V]; {
			case root != nil:
				own.Code, own.Text, own.Cause = root.Code, root.Text, root.Cause
			case l.V.Kind == ir.Uniform:
				own.Code, own.Text = "host-constant", "reads "+name+", which the application sets for the pixel program alone"
			case l.V.Kind == ir.Input:
				own.Code, own.Text = "not-interpolated", "reads "+name+", which is not the plain interpolation of what the vertex program writes: a colour, at the centroid, or nothing is written there"
			default:
				own.Code, own.Text = "control-flow", "reads what a branch or a loop leaves"
			}
			r = &own
		})
	}
	return r
}

// trial tells what happens if all is moved that it takes for in to leave the pixel
// program. Statements that take the same operands share the trial.
func (e *explainer) trial(in *ir.Instr) *Reason {
	r := &Reason{At: in.Pos, Code: movable, Cause: in.Pos}
	needed := e.needed[in]
	if len(needed) == 0 {
		r.Code, r.Text = "unread", "computes what nothing reads"
		in.EachDef(func(v *ir.Value) {
			if e.savings.uses[v.ID] > 0 {
				r.Code, r.Text = "mixed-operand", "is read in operands of which another component cannot move"
			}
		})
		return r
	}
	key := fmt.Sprint(needed)
	if _, known := e.tried[key]; !known {
		var cs []*candidate
		for _, i := range needed {
			cs = append(cs, e.operands[i])
		}
		e.tried[key] = e.try(cs)
	}
	r.Text = e.tried[key]
	return r
}

// neededFor lists by instruction of the pixel program which of cs need what it
// computes. It visits each instruction once a candidate.
func neededFor(cs []*candidate) map[*ir.Instr][]int {
	needed := map[*ir.Instr][]int{}
	for i, c := range cs {
		seen := map[*ir.Instr]bool{}
		var see func(v *ir.Value)
		see = func(v *ir.Value) {
			if v == nil || v.Def == nil || seen[v.Def] {
				return
			}
			seen[v.Def] = true
			needed[v.Def] = append(needed[v.Def], i)
			for s := range v.Def.Src {
				v.Def.Src[s].Each(func(_ int, l *ir.Lane) { see(l.V) })
			}
		}
		for _, l := range c.lanes {
			see(l.V)
		}
	}
	return needed
}

// try moves cs and says what comes of it.
func (e *explainer) try(cs []*candidate) string {
	components := map[*ir.Value]bool{}
	for _, c := range cs {
		for _, l := range c.distinct() {
			components[l.V] = true
		}
	}
	what := fmt.Sprintf("could be computed for a vertex, and %d components interpolated", len(components))
	if len(components) == 1 {
		what = "could be computed for a vertex, and a component interpolated"
	}
	fills, bins, ok := e.pack(cs)
	if !ok {
		return what + ", but no interpolators are left for that"
	}
	trial, ok := e.apply(cs, fills, bins)
	if !ok {
		return what + ", but the vertex program has no constants left for that"
	}
	grown := e.grown(trial)
	if err := Unread(e.ctx, []*passes.Unit{trial}); err != nil {
		return what
	}
	after, err := e.ctx.Measure(trial)
	if err != nil {
		return fmt.Sprintf("%s, but the result does not fit: %v", what, err)
	}
	before, err := e.ctx.Measure(e.unit)
	if err != nil {
		return what
	}
	what += ": " + e.change(before, after)
	if grown.found() {
		what += fmt.Sprintf(", but the error of what %s reads would grow %.3g times", grown.op, grown.growth)
	}
	return what
}
