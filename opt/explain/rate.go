package explain

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// Rate is the rate at which the result of an instruction may change.
type Rate string

// The rates: per draw, for results that depend on constants alone; per vertex; and per fragment. In a
// pixel program, per vertex means that interpolating the values at the vertices gives the same result.
const (
	perDraw     Rate = "draw"
	perVertex   Rate = "vertex"
	perFragment Rate = "fragment"
)

// Rates returns, for each program and each of its statements, the rate of the value. The programs are a
// pair or a single one. A rate is empty if it is unknown, as for statements without a result.
//
// A value of a pixel program is per vertex if it is affine in linearly interpolated inputs.
// Interpolating its values at the vertices then gives the same result, since perspective-correct
// interpolation is an affine combination (Ikeda, Ino and Hagihara, IPDPS 2006). Literals alone are
// constant, uniforms invariant.
func Rates(programs []*d3d9.Program) [][]Rate {
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
	// By register with component 0, as in Links.
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
		// In a vertex program all values that depend on inputs are per vertex.
		rate := map[ir.Linearity]Rate{ir.Constant: perDraw, ir.Invariant: perDraw, ir.Affine: perVertex,
			ir.Nonlinear: perFragment}
		if q == pair.Vertex {
			rate[ir.Affine], rate[ir.Nonlinear] = perVertex, perVertex
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
		// A statement such as m4x4 becomes several instructions at one position; the highest of their
		// rates counts. Instructions that define nothing (texkill) take the rate of their operands.
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
