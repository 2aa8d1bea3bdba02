package codemotion

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Reason is the reason why a statement of the pixel program is computed for every fragment, or the effect of
// computing it per vertex.
type Reason struct {
	At   asm.Pos // of the statement
	Code asm.Code
	Text string // the operation of the statement at Cause, or its result
	// Cause is the position of the statement with the underlying reason; it equals At if that is this
	// statement.
	Cause asm.Pos
	// Unlocked reports that the reason disappears if the application sets constants in both stages.
	Unlocked bool
}

// Explainer returns a pass that changes nothing. It reports the reasons why statements of a pixel program
// cannot move, in program order. A reason names the condition of C1 to C4 that fails, and the statement where
// the failure begins. A movable statement is moved on trial, with all candidates needed to remove it from the
// pixel program, and priced. The callback change formats the price before and after.
func Explainer(tell func([]Reason), change func(before, after passes.Cost) string) *passes.Pass {
	return &passes.Pass{Name: "explain", Doc: "tell why statements stay in the pixel program", Class: passes.Terms,
		Run: func(c *passes.Ctx, u *passes.Unit) error {
			if u.Vertex == nil || u.Pixel == nil || c.Measure == nil {
				return nil
			}
			e := explainer{change: change, mover: mover{ctx: c, unit: u, mirrored: c.HostMirrored, parts: true},
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

// explainer is a mover that moves on trial only. all is a second mover with every constant mirrored; it shows
// which statements mirroring would unlock.
type explainer struct {
	mover
	all      mover // with every constant mirrored
	change   func(before, after passes.Cost) string
	operands []*candidate
	needed   map[*ir.Instr][]int // operands that need a result of the instruction
	// roots maps values that cannot move to the reason of the first statement that could not, which is the
	// cause for all statements that depend on it.
	roots map[*ir.Value]*Reason
	found map[asm.Pos]*Reason
	order []asm.Pos
	tried map[string]string // by the numbers of the moved operands
}

// statement finds the reason for in. Several instructions of one statement share the reason of the first one
// that cannot move.
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

// Movable reports whether the statement could be computed per vertex.
func (r Reason) Movable() bool { return r.Code == movable }

// movable is the code of statements that could be computed per vertex.
const movable asm.Code = "movable"

// stays returns the reason why in cannot move, or nil: the first condition that fails. Conditions on the
// instruction come before conditions on operands.
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
		return reason("texture-read", "reads a texture, and vertex programs cannot use the samplers of the pixel program")
	case in.Op == ir.OpKill:
		return reason("ends-fragment", "discards fragments")
	case in.Op.Has(ir.Convergent):
		return reason("derivative", "is a difference between neighbouring fragments")
	case in.Precise:
		return reason("depth", "determines the depth of the fragment, which must keep its terms")
	case in.Decides:
		return reason("control-flow", "decides whether neighbouring fragments run the same code, and must keep its bits")
	case in.IsPredicated():
		return reason("control-flow", "is predicated")
	case !in.Op.HasFormula():
		return reason("vertex-op", "is %s, which cannot be computed for a vertex", in.Op)
	default:
		if r := e.source(in, unlocked); r != nil {
			return r
		}
		if !hoistable(d, in) {
			return reason("vertex-op", "is %s, which the model of the vertex program lacks", in.Op)
		}
		return reason("not-affine", "is not affine in its interpolated inputs, so interpolation would change it")
	}
}

// source returns the reason of the first operand of in that cannot move.
func (e *explainer) source(in *ir.Instr, unlocked bool) (r *Reason) {
	for s := range in.Src {
		in.Src[s].EachLane(func(_ int, l *ir.Lane) {
			if r != nil || e.movable[l.V.ID] {
				return
			}
			own := Reason{At: in.Pos, Cause: in.Pos, Unlocked: unlocked}
			name := ir.RegisterName(e.pixel.Dialect, l.V.Home)
			switch root := e.roots[l.V]; {
			case root != nil:
				own.Code, own.Text, own.Cause = root.Code, root.Text, root.Cause
			case l.V.Kind == ir.Uniform:
				own.Code, own.Text = "host-constant", "reads "+name+", which the application sets only for the pixel program"
			case l.V.Kind == ir.Input:
				own.Code, own.Text = "not-interpolated", "reads "+name+
					", which is not a plain interpolation of an output of the vertex program: it is a colour, is taken at the centroid, or is not written"
			default:
				own.Code, own.Text = "control-flow", "reads the result of a branch or a loop"
			}
			r = &own
		})
	}
	return r
}

// trial returns the result of moving every candidate that must move for in to leave the pixel program.
// Statements with the same candidates share the trial.
func (e *explainer) trial(in *ir.Instr) *Reason {
	r := &Reason{At: in.Pos, Code: movable, Cause: in.Pos}
	needed := e.needed[in]
	if len(needed) == 0 {
		r.Code, r.Text = "unread", "computes a value that nothing reads"
		in.EachDef(func(v *ir.Value) {
			if e.savings.uses[v.ID] > 0 {
				r.Code, r.Text = "mixed-operand", "is part of an operand whose other components cannot move"
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
		e.tried[key] = e.tryMotions(cs)
	}
	r.Text = e.tried[key]
	return r
}

// neededFor maps each instruction of the pixel program to the candidates, by index, that depend on it. It
// visits each instruction once per candidate.
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
				v.Def.Src[s].EachLane(func(_ int, l *ir.Lane) { see(l.V) })
			}
		}
		for _, l := range c.lanes {
			see(l.V)
		}
	}
	return needed
}

// tryMotions moves cs on trial and returns a sentence about the result.
func (e *explainer) tryMotions(cs []*candidate) string {
	components := map[*ir.Value]bool{}
	for _, c := range cs {
		for _, l := range c.distinct() {
			components[l.V] = true
		}
	}
	what := fmt.Sprintf("could be computed per vertex, with %d components interpolated", len(components))
	if len(components) == 1 {
		what = "could be computed per vertex, with one component interpolated"
	}
	fills, bins, ok := e.packCandidates(cs)
	if !ok {
		return what + ", but no interpolators are free for it"
	}
	trial, ok := e.apply(cs, fills, bins)
	if !ok {
		return what + ", but the vertex program has no free constants for it"
	}
	grown := e.grown(trial)
	if err := removeUnread(e.ctx, trial); err != nil {
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
		what += fmt.Sprintf(", but the error of the operand of %s would grow %.3g times", grown.op, grown.growth)
	}
	return what
}
