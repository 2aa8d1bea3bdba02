package codemotion_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Lanes with different modifiers move with them, except for an absolute value: it is not affine.
func TestModifierOfOneLane(t *testing.T) {
	for mod, moves := range map[ir.LaneMod]bool{ir.Neg: true, ir.Abs: false, ir.Abs | ir.Neg: false} {
		p := pair{parse(t, vs30+"mov o1, v1"), parse(t, factor30+"mul r0, v0, c0.x; mul oC0, r0, r1")}
		u := p.unit(t)
		u.Pixel.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpMul && in.Src[0][1].V.Kind == ir.Result {
				in.Src[0][1].Mod = mod
			}
		})
		if _, err := passes.Run(u, passes.Pipeline{{Pass: codemotion.Pass}},
			passes.Config{Numerics: passes.Real, Measure: p.measure}); err != nil {
			t.Fatal(err)
		}
		q, err := p.emit(u)
		if err != nil {
			t.Fatal(err)
		}
		if moved := code(q.vs) != code(p.vs); moved != moves {
			t.Errorf("%v: moved is %v, want %v: %s", mod, moved, moves, code(q.ps))
		}
	}
}
