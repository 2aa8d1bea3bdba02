package spvs

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// minors computes determinants of parts of a square matrix by expansion along rows. Each part is computed once.
type minors struct {
	l     *lifter
	in    *spirv.Inst
	cols  [][]*ir.Value
	known map[[2]uint8]*ir.Value // by sets of rows and columns
}

// minors returns the minors of a matrix operand, or nil if the matrix is not square.
func (l *lifter) minors(in *spirv.Inst) *minors {
	inner := spirv.Inst{Op: in.Op, Args: in.Args[1:]}
	cols := l.matrixArg(&inner, 0)
	if len(cols) == 0 || len(cols) != len(cols[0]) {
		return nil
	}
	return &minors{l, in, cols, map[[2]uint8]*ir.Value{}}
}

// minor returns the determinant of the rows and columns in two sets of the same size.
func (m *minors) minor(rows, cols uint8) *ir.Value {
	r := bits.TrailingZeros8(rows)
	if rows&(rows-1) == 0 {
		return m.cols[bits.TrailingZeros8(cols)][r]
	}
	key := [2]uint8{rows, cols}
	if v := m.known[key]; v != nil {
		return v
	}
	var sum *ir.Value
	negative := false
	for rest := cols; rest != 0; rest &= rest - 1 {
		c := bits.TrailingZeros8(rest)
		a, b := splat(m.cols[c][r]), splat(m.minor(rows&^(1<<r), cols&^(1<<c)))
		if negative {
			a = negated(a)
		}
		negative = !negative
		if sum == nil {
			sum = m.l.op(m.in, ir.OpMulIEEE, 1, a, b)[0]
		} else {
			sum = m.l.op(m.in, ir.OpMadIEEE, 1, a, b, splat(sum))[0]
		}
	}
	m.known[key] = sum
	return sum
}

func determinant(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) []*ir.Value {
	m := l.minors(in)
	if m == nil {
		return nil
	}
	all := uint8(1)<<len(m.cols) - 1
	return []*ir.Value{m.minor(all, all)}
}

// inverse divides the cofactors by the determinant (Cramer's rule).
func inverse(l *lifter, in *spirv.Inst, s *shape, a []ir.Operand) (list []*ir.Value) {
	m := l.minors(in)
	if m == nil {
		return nil
	}
	all := uint8(1)<<len(m.cols) - 1
	det := splat(m.minor(all, all))
	for i := range m.cols {
		var column ir.Operand
		for j := range m.cols {
			column[j].V = m.minor(all&^(1<<i), all&^(1<<j))
			if (i+j)%2 != 0 {
				column[j].Mod = ir.Neg
			}
		}
		list = append(list, l.op(in, ir.OpDiv, len(m.cols), column, det, splat(l.f.Const(domainMode)))...)
	}
	return list
}
