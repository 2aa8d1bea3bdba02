// Package rate tells how often what instructions compute may change: for a draw, for a vertex or for
// a fragment; of kernels for a launch, for an invocation or for a trip of a loop. What changes less
// often than it is computed could be computed elsewhere.
package rate

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// Rate is how often what an instruction computes may change.
type Rate string

// The rates: for a draw, since it depends on constants alone; for a vertex, which of pixel
// programs is what interpolation gives of values of vertices just as well; and for a fragment.
const (
	PerDraw     Rate = "draw"
	PerVertex   Rate = "vertex"
	PerFragment Rate = "fragment"
)

// Of returns, for each program and each of its statements, how often the value may change.
// Programs are those of a pair or one; a rate is empty where it is not known, as of statements that
// compute nothing.
//
// A value of a pixel program is per vertex if it is affine in inputs that are interpolated
// linearly: interpolation of its values at the vertices gives the same, by perspective-correct
// interpolation being an affine combination (Ikeda, Ino and Hagihara, IPDPS 2006). Literals alone
// are constant, uniforms invariant.
func Of(programs []*d3d9.Program) [][]Rate {
	var pair vsps.Pair
	rates := make([][]Rate, len(programs))
	for i, q := range programs {
		rates[i] = make([]Rate, len(q.Insts))
		if q.Model.Stage == d3d9.Vertex {
			pair.Vertex = q
		} else {
			pair.Pixel = q
		}
	}
	// By register with component 0, as Links are.
	linear := map[ir.Reg]bool{}
	if pair.Vertex != nil && pair.Pixel != nil {
		if link, err := pair.Link(); err == nil {
			for _, l := range link.Links {
				linear[l.In] = l.Linear
			}
		}
	}
	for i, q := range programs {
		f, err := vsps.Lift(q)
		if err != nil {
			continue
		}
		// In a vertex program everything that depends on inputs is per vertex.
		rate := map[ir.Linearity]Rate{ir.Constant: PerDraw, ir.Invariant: PerDraw, ir.Affine: PerVertex, ir.Nonlinear: PerFragment}
		if q == pair.Vertex {
			rate[ir.Affine], rate[ir.Nonlinear] = PerVertex, PerVertex
		}
		class := ir.Linearities(f, func(v *ir.Value) ir.Linearity {
			reg := v.Home
			reg.Comp = 0
			switch {
			case v.Kind == ir.Literal:
				return ir.Constant
			case v.Kind == ir.Uniform:
				return ir.Invariant
			case v.Kind == ir.Input && linear[reg]:
				return ir.Affine
			}
			return ir.Nonlinear
		})
		// A statement such as m4x4 becomes several instructions at one position; the greatest of
		// their rates counts. Those that define nothing (texkill) take the rate of what they read.
		most, met := map[asm.Pos]ir.Linearity{}, map[asm.Pos]bool{}
		f.Walk(func(in *ir.Instr) {
			computes := false
			in.EachDef(func(v *ir.Value) {
				computes, most[in.Pos] = true, max(most[in.Pos], class[v.ID])
			})
			if !computes {
				in.EachUse(func(l *ir.Lane) { most[in.Pos] = max(most[in.Pos], class[l.V.ID]) })
			}
			met[in.Pos] = true
		})
		for k := range q.Insts {
			if at := q.Insts[k].Pos; met[at] {
				rates[i][k] = rate[most[at]]
			}
		}
	}
	return rates
}
