package draws

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// positionRows returns the registers of the last matrix of a vertex program: component k of its position is
// a dot product with c[rows[k]]. It searches from the end, through one mov from a temporary, and returns
// false if the position has another form:
//
//	m4x4 oPos, v0, c4        ; rows 4, 5, 6, 7
//
//	dp4 r0.x, v0, c4         ; the same, by components
//	...
//	mov oPos, r0
func positionRows(p *d3d9.Program) (rows [4]int, ok bool) {
	want := positionRegister(p)
	found := d3d9.Mask(0)
	for i := len(p.Insts) - 1; i >= 0 && found != d3d9.MaskAll; i-- {
		in := &p.Insts[i]
		if !in.HasDst || in.Op.Kind() == d3d9.Declaration || in.Dst.Reg != want {
			continue
		}
		if s := &in.Src[0]; in.Op == d3d9.OpMov && found == 0 && s.File == d3d9.Temp && s.Swz == d3d9.Identity {
			want = s.Reg
			continue
		}
		matrix := matrixSource(in)
		if matrix == nil {
			return rows, false
		}
		for k := range rows {
			if in.Dst.Mask.Has(k) && !found.Has(k) {
				rows[k] = int(matrix.Index)
				if in.Op == d3d9.OpM4x4 {
					rows[k] += k
				}
			}
		}
		found |= in.Dst.Mask
	}
	return rows, found == d3d9.MaskAll
}

// settable reports whether the host sets all of these registers. frame changes constants of the host, which
// has no effect on a register that the program defines.
func (p *profile) settable(regs [4]int) bool {
	for _, r := range regs {
		if !slices.ContainsFunc(p.floats, func(f floatConst) bool { return f.reg == r }) {
			return false
		}
	}
	return true
}

// positionRegister returns oPos, or the o# declared as the position.
func positionRegister(p *d3d9.Program) d3d9.Reg {
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Output && in.Decl.Usage == d3d9.UsagePosition && in.Decl.Index == 0 {
			return in.Dst.Reg
		}
	}
	return d3d9.Reg{File: d3d9.RastOut, Index: d3d9.PosIndex}
}

// matrixSource returns the constant operand of a product of four components, or nil for other instructions.
func matrixSource(in *d3d9.Inst) *d3d9.Src {
	if in.Op != d3d9.OpDp4 && in.Op != d3d9.OpM4x4 {
		return nil
	}
	for i := range in.Sources() {
		s := &in.Src[i]
		if in.Op == d3d9.OpM4x4 && i == 0 { // the vector
			continue
		}
		if s.File == d3d9.Const && s.Rel.File == d3d9.NoFile && s.Swz == d3d9.Identity && s.Mod == d3d9.ModNone {
			return s
		}
	}
	return nil
}

// frame moves most of a cloud into view by changing the rows of the matrix that computes positions.
// Replacing the row x by a*x + b*w maps x/w to a*x/w + b, and similarly for y and z. a and b map the middle
// seven eighths of the cloud onto the screen. frame returns false if that has no effect: too few vertices
// are tame, the rows are one register, or all vertices lie on a line.
func frame(cl *cloud, k *interp.Constants, rows [4]int) bool {
	for c, into := range [3][2]float64{{-0.9, 0.9}, {-0.9, 0.9}, {0.05, 0.95}} {
		var values []float64
		for v, ok := range cl.tame[:cl.n] {
			if ok {
				values = append(values, cl.at[v][c])
			}
		}
		if len(values) < cl.n/16 || rows[c] == rows[3] {
			return false
		}
		slices.Sort(values)
		// Quantiles instead of extremes, which single vertices decide.
		low, top := values[len(values)/16], values[len(values)-1-len(values)/16]
		a := (into[1] - into[0]) / (top - low)
		// The spread is (nearly) zero.
		if !(math.Abs(a) < 100) {
			if c < 2 {
				return false
			}
			a = 1 // depth may be constant
		}
		b := into[0] - a*low
		x, w := k.Float[rows[c]], k.Float[rows[3]]
		for i := range x {
			x[i] = float32(a*float64(x[i]) + b*float64(w[i]))
		}
		k.SetFloat(rows[c], x)
	}
	return true
}
