package combine

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes/internal/rules"
)

// selection returns the cmp that o reads, if its arms are literals and only in reads it, and the values of
// the arms as o reads them.
func (c *combiner) selection(o *ir.Operand, in *ir.Instr) (def *ir.Instr, yes, no [4]float32) {
	def = c.soleSource(o, in)
	if def == nil || def.Op != ir.OpCmp || !isLiteral(&def.Src[1]) || !isLiteral(&def.Src[2]) {
		return nil, yes, no
	}
	for i, l := range o {
		if l.V == nil {
			continue
		}
		j := l.V.Lane
		yes[i], _ = literal(ir.Lane{V: def.Src[1][j].V, Mod: def.Src[1][j].Mod.ComposeWith(l.Mod)})
		no[i], _ = literal(ir.Lane{V: def.Src[2][j].V, Mod: def.Src[2][j].Mod.ComposeWith(l.Mod)})
	}
	return def, yes, no
}

// choose evaluates an operation on a selection between literals at compile time: f(cmp(u, p, q)) is cmp(u,
// f(p), f(q)). The other operands must be literals. The identity holds for any f. Bits are kept, as each arm
// is evaluated in float32; choose declines hardware-specific values.
//
//	cmp r0.x, r1.x, c0.x, c0.y        ; 1, 0
//	mad r0.x, r0.x, c0.z, c0.w   ->   cmp r0.x, r1.x, c1.x, c1.y   ; c0.z+c0.w, c0.w
func (c *combiner) choose(in *ir.Instr) bool {
	if in.Mods&ir.Sat != 0 {
		return false
	}
	// One source may be the selection, the others have to be literals.
	at := -1
	for s := range in.Src {
		switch {
		case isLiteral(&in.Src[s]):
		case at < 0:
			at = s
		default:
			return false
		}
	}
	if at < 0 {
		return false
	}
	def, yes, no := c.selection(&in.Src[at], in)
	if def == nil {
		return false
	}
	a, okA := c.evaluate(in, at, yes)
	b, okB := c.evaluate(in, at, no)
	return okA && okB && c.become(in, withOp(in, ir.OpCmp, commonMods(in, def)&^ir.Sat,
		rules.Through(&in.Src[at], def, 0), a, b))
}

// evaluate computes in, whose sources are literals and x for source at. It fails on a NaN, whose bits differ
// between machines, and on values that ir.Words does not fold.
func (c *combiner) evaluate(in *ir.Instr, at int, x [4]float32) (o ir.Operand, ok bool) {
	alg := &ir.Words{Fold: true}
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		bits := ir.Eval(alg, in.Op, i, func(src, lane int) uint32 {
			if src == at {
				return math.Float32bits(x[lane])
			}
			f, _ := literal(in.Src[src][lane])
			return math.Float32bits(f)
		})
		f := math.Float32frombits(bits)
		if math.IsNaN(float64(f)) {
			return o, false
		}
		o[i] = c.constant(f)
	}
	return o, alg.Fold
}
