package draws

import (
	"maps"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// profile lists the inputs of a program from the host: registers and samplers that it reads and does not
// define.
type profile struct {
	floats   []floatConst // in register order
	ints     []int
	bools    []int
	samplers []sampler
}

// floatConst is a float constant register. row is the row of the identity matrix that suits it, or noRow
// outside of matrices.
type floatConst struct{ reg, row int }

const noRow = -1

// sampler is a sampler and its declared type of texture.
type sampler struct {
	index int
	typ   d3d9.TexType
}

// relativeSpan is the number of registers that a relative address is assumed to reach without a constant
// table.
const relativeSpan = 48

// profileOf derives the profile of p. The rows come from the constant table if there is one, else from the
// use of the registers.
func profileOf(p *d3d9.Program) *profile {
	table, err := p.ConstantTable()
	if err != nil {
		table = nil
	}
	s := scan{program: p, table: table, rows: map[int]int{}, ints: map[int]bool{}, bools: map[int]bool{},
		types: map[int]d3d9.TexType{}}
	for i := range p.Insts {
		s.instruction(&p.Insts[i])
	}
	s.relative()
	s.undefine()
	return &profile{
		floats:   s.floats(),
		ints:     slices.Sorted(maps.Keys(s.ints)),
		bools:    slices.Sorted(maps.Keys(s.bools)),
		samplers: s.samplers(),
	}
}

// scan collects a profile from the instructions of a program.
type scan struct {
	program     *d3d9.Program
	table       *d3d9.ConstantTable // or nil
	rows        map[int]int         // float registers that are read directly, and their rows if known
	bases       []int               // registers that relative reads add to
	ints, bools map[int]bool
	types       map[int]d3d9.TexType // as declared
	used        []int                // samplers
}

// instruction records the inputs of an instruction.
func (s *scan) instruction(in *d3d9.Inst) {
	if in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Sampler {
		s.types[int(in.Dst.Index)] = in.Decl.Tex
	}
	// ps_1_x has no samplers: the destination selects the texture stage, as in package interp. Instructions
	// that look up a vector need a cube.
	switch in.Op {
	case d3d9.OpTex, d3d9.OpTexld14, d3d9.OpTexBem, d3d9.OpTexBeml, d3d9.OpTexReg2ar, d3d9.OpTexReg2gb, d3d9.OpTexDp3tex,
		d3d9.OpTexM3x2tex:
		s.used = append(s.used, int(in.Dst.Index))
	case d3d9.OpTexReg2rgb, d3d9.OpTexM3x3tex, d3d9.OpTexM3x3spec, d3d9.OpTexM3x3vspec:
		s.used = append(s.used, int(in.Dst.Index))
		s.types[int(in.Dst.Index)] = d3d9.TexCube
	}
	for k, src := range in.Sources() {
		reg := int(src.Index)
		switch src.File {
		case d3d9.ConstInt:
			s.ints[reg] = true
		case d3d9.ConstBool:
			s.bools[reg] = true
		case d3d9.Sampler:
			s.used = append(s.used, reg)
		case d3d9.Const:
			for row := range in.SourceRegisters(k) {
				if src.Rel.File != d3d9.NoFile {
					s.bases = append(s.bases, reg+row)
				} else {
					s.recordRead(reg+row, rowOf(in, k, row))
				}
			}
		}
	}
}

// recordRead records a read; the first known row wins.
func (s *scan) recordRead(reg, row int) {
	if c := s.table.Lookup(d3d9.Reg{File: d3d9.Const, Index: uint16(reg)}); c != nil {
		row = tableRow(c, reg)
	}
	if old, seen := s.rows[reg]; !seen || old == noRow {
		s.rows[reg] = row
	}
}

// relative records the registers that relative addresses can reach: the parameter in which they start, or a
// range of constants. Skinning reads three or four rows at c[a0.x+n], c[a0.x+n+1] and so on; then the range
// counts as matrices with this number of rows.
func (s *scan) relative() {
	slices.Sort(s.bases)
	s.bases = slices.Compact(s.bases)
	for _, base := range s.bases {
		if c := s.table.Lookup(d3d9.Reg{File: d3d9.Const, Index: uint16(base)}); c != nil {
			for reg := c.Index; reg < c.Index+c.Count; reg++ {
				s.recordRead(reg, noRow)
			}
			continue
		}
		for reg := base; reg < min(base+relativeSpan, 256); reg++ {
			row := noRow
			if n := len(s.bases); n == 3 || n == 4 {
				row = (reg - s.bases[0]) % n
			}
			s.recordRead(reg, row)
		}
	}
}

// undefine drops the constants that the program defines.
func (s *scan) undefine() {
	for i := range s.program.Insts {
		reg := int(s.program.Insts[i].Dst.Index)
		switch s.program.Insts[i].Op {
		case d3d9.OpDef:
			delete(s.rows, reg)
		case d3d9.OpDefI:
			delete(s.ints, reg)
		case d3d9.OpDefB:
			delete(s.bools, reg)
		}
	}
}

func (s *scan) floats() []floatConst {
	var list []floatConst
	for _, reg := range slices.Sorted(maps.Keys(s.rows)) {
		list = append(list, floatConst{reg, s.rows[reg]})
	}
	return list
}

func (s *scan) samplers() []sampler {
	slices.Sort(s.used)
	var list []sampler
	for _, i := range slices.Compact(s.used) {
		list = append(list, sampler{i, s.types[i]})
	}
	return list
}

// tableRow returns the row of the identity that suits register reg, if parameter c is a matrix or an array
// of matrices: its number within the matrix. A matrix has a register for each row or, if column major, for
// each column.
func tableRow(c *d3d9.Constant, reg int) int {
	const matrixRowMajor, matrixColumnMajor = 2, 3 // D3DXPARAMETER_CLASS
	per := c.Rows
	if c.Class == matrixColumnMajor {
		per = c.Columns
	}
	if c.Class != matrixRowMajor && c.Class != matrixColumnMajor || per == 0 {
		return noRow
	}
	return (reg - c.Index) % per
}

// rowOf guesses the row of a matrix in source k of in, or in the register row places further on. For a dot
// product it is the computed component, for a sum of columns the scaling component.
func rowOf(in *d3d9.Inst, k, row int) int {
	if in.Op.IsMatrix() {
		return row
	}
	switch in.Op {
	case d3d9.OpDp3, d3d9.OpDp4:
		if in.Dst.Mask.Count() == 1 {
			return lowest(in.Dst.Mask)
		}
	case d3d9.OpMul, d3d9.OpMad:
		if k < 2 && in.Src[1-k].File != d3d9.Const && in.Src[1-k].Swz.IsReplicate() && in.Dst.Mask.Count() >= 3 &&
			in.Src[k].Swz == d3d9.Identity {
			return in.Src[1-k].Swz.ComponentAt(0)
		}
	}
	return noRow
}

func lowest(m d3d9.Mask) int {
	for c := range 4 {
		if m.Has(c) {
			return c
		}
	}
	return 0
}
