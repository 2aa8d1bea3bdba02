package d3d9

import (
	"encoding/binary"

	"github.com/shaderlift/shaderlift/asm"
)

// RegisterSet is the kind of register that a constant lives in, numbered as in
// the constant table.
type RegisterSet uint16

// The register sets, numbered as in the table.
const (
	SetBool RegisterSet = iota
	SetInt4
	SetFloat4
	SetSampler
)

// File returns the register file of the set.
func (s RegisterSet) File() File {
	switch s {
	case SetBool:
		return ConstBool
	case SetInt4:
		return ConstInt
	case SetFloat4:
		return Const
	case SetSampler:
		return Sampler
	}
	return NoFile
}

// Constant is an entry of a constant table: a parameter of the source program and the registers
// that the application writes (D3DXSHADER_CONSTANTINFO with its D3DXSHADER_TYPEINFO).
type Constant struct {
	Name         string
	Set          RegisterSet
	Index, Count int // first register and number of registers
	// Reserved is 4*Index+2 if the source chose the register, else 0.
	Reserved uint16

	// The type, numbered as D3DXPARAMETER_CLASS and D3DXPARAMETER_TYPE. Rows and Columns are the
	// size of a matrix, 1 for scalars and vectors. Elements is the length of an array, 1 for other
	// types. Count may be smaller than the type needs: it leaves out trailing registers that the
	// program does not read.
	Class, Type             uint16
	Rows, Columns, Elements int
	Members                 []Member // of a structure
	// Default holds the words of the initial value, nil if there is none: four words a register, or
	// one for a bool. It is a part of the table's words.
	Default []uint32
}

// Member is a member of a structure: its name, and its type as of a constant.
type Member struct {
	Name                    string
	Class, Type             uint16
	Rows, Columns, Elements int
	Members                 []Member
}

// Registers returns the number of four-word registers that a value of c's type takes: one for each
// row of a matrix or, if column major, each column. Count is at most this number.
func (c *Constant) Registers() int {
	m := Member{Class: c.Class, Rows: c.Rows, Columns: c.Columns, Elements: c.Elements, Members: c.Members}
	return m.registers()
}

func (m *Member) registers() int {
	n := 1
	switch m.Class {
	case classRows:
		n = m.Rows
	case classColumns:
		n = m.Columns
	case classStruct:
		n = 0
		for i := range m.Members {
			n += m.Members[i].registers()
		}
	}
	return n * max(m.Elements, 1)
}

// CoversRegister reports whether the constant covers register r.
func (c *Constant) CoversRegister(r Reg) bool {
	return c.Set.File() == r.File && int(r.Index) >= c.Index && int(r.Index) < c.Index+c.Count
}

// IsParameter reports whether c and d, entries of two tables, describe one parameter. Their
// registers and defaults may differ.
func (c *Constant) IsParameter(d *Constant) bool {
	return c.Name == d.Name && c.Set == d.Set && c.Class == d.Class && c.Type == d.Type &&
		c.Rows == d.Rows && c.Columns == d.Columns && c.Elements == d.Elements
}

// ConstantTable is the compiler's description of a program's constants (MSDN,
// D3DXSHADER_CONSTANTTABLE). Applications look up parameters by name, so the table has to stay
// correct if registers move.
type ConstantTable struct {
	Creator, Target string
	Version         uint32 // version token of the program
	Flags           uint32
	Constants       []Constant // sorted by name
}

// Lookup returns the constant that covers register r, or nil. A nil table has no constants.
func (t *ConstantTable) Lookup(r Reg) *Constant {
	if t == nil {
		return nil
	}
	for i := range t.Constants {
		if t.Constants[i].CoversRegister(r) {
			return &t.Constants[i]
		}
	}
	return nil
}

// Named returns the constant with the given name, or nil.
func (t *ConstantTable) Named(name string) *Constant {
	for i := range t.Constants {
		if t.Constants[i].Name == name {
			return &t.Constants[i]
		}
	}
	return nil
}

// fourCTAB is "CTAB", the first word of a comment block with a constant table.
const fourCTAB = 'C' | 'T'<<8 | 'A'<<16 | 'B'<<24

// PreshaderMark is "PRES", the first word of a comment block with a preshader.
const PreshaderMark = 'P' | 'R'<<8 | 'E'<<16 | 'S'<<24

// IsConstantTable reports whether in is a comment block with a constant table.
func (in *Inst) IsConstantTable() bool {
	return in.Op == OpComment && len(in.Comment) > 0 && in.Comment[0] == fourCTAB
}

// IsPreshader reports whether in is a comment block with a preshader: a program that
// the effect framework runs to compute constants of this one.
func (in *Inst) IsPreshader() bool {
	return in.Op == OpComment && len(in.Comment) > 0 && in.Comment[0] == PreshaderMark
}

// ConstantTable reads the first constant table among p's comment blocks. It returns nil if there is
// none, as in most hand-written programs. It returns an error if the table cannot be read.
func (p *Program) ConstantTable() (*ConstantTable, error) {
	for i := range p.Insts {
		if in := &p.Insts[i]; in.IsConstantTable() {
			t, ok := ReadConstantTable(in.Comment[1:])
			if !ok {
				return nil, asm.Errorf(in.Pos, "constant-table", "the constant table points outside itself")
			}
			return t, nil
		}
	}
	return nil, nil
}

// SetConstantTable replaces the constant table in all blocks of p that have one. It leaves a
// program without a table unchanged.
func (p *Program) SetConstantTable(t *ConstantTable) error {
	words, err := EncodeConstantTable(t)
	if err != nil {
		return err
	}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.IsConstantTable() {
			in.Comment, in.Text, in.Raw = append([]uint32{fourCTAB}, words...), "", nil
		}
	}
	return nil
}

// Sizes of the structures D3DXSHADER_CONSTANTTABLE, D3DXSHADER_CONSTANTINFO and
// D3DXSHADER_STRUCTMEMBERINFO, in bytes. Offsets within a table count from the first byte after the
// mark.
const (
	tableHeaderSize  = 28
	constantInfoSize = 20
	memberInfoSize   = 8
)

// The classes D3DXPC_MATRIX_ROWS, D3DXPC_MATRIX_COLUMNS, D3DXPC_OBJECT and D3DXPC_STRUCT.
const (
	classRows    = 2
	classColumns = 3
	classObject  = 4
	classStruct  = 5
)

// Limits of structures, whose types may share and even contain each other: offsets in a
// damaged table can make a tree of any size out of few bytes.
const (
	maxMembers = 1 << 12 // of a table
	maxDepth   = 16
)

// ReadConstantTable reads the words of a constant table, which follow its mark. It reports whether
// the words are a valid table: every offset points into them, and the bounds hold. Fields at fixed
// places, in words:
//
//	header    0 size  1 creator  2 version  3 constants  4 infos  5 flags  6 target
//	constant  0 name  1 set, first register  2 registers, reserved  3 type  4 default
//	type      0 class, type  1 rows, columns  2 elements, members  3 infos of members
//	member    0 name  1 type
//
// Names, types, infos and defaults are offsets in bytes; fields that share a word have 16 bits
// each.
func ReadConstantTable(words []uint32) (*ConstantTable, bool) {
	b := blob{words: words, members: maxMembers}
	if b.u32(0) != tableHeaderSize {
		return nil, false
	}
	t := &ConstantTable{
		Creator: b.str(b.u32(4)),
		Version: b.u32(8),
		Flags:   b.u32(20),
		Target:  b.str(b.u32(24)),
	}
	n, info := b.u32(12), b.u32(16)
	// A false count would allocate without bound.
	if uint64(n)*constantInfoSize > uint64(4*len(words)) {
		return nil, false
	}
	t.Constants = make([]Constant, n)
	for i := range t.Constants {
		b.constant(info+uint32(i)*constantInfoSize, &t.Constants[i])
	}
	return t, !b.bad
}

// constant reads the entry at an offset with its type and default.
func (b *blob) constant(at uint32, c *Constant) {
	typ, value := b.u32(at+12), b.u32(at+16)
	*c = Constant{
		Name:     b.str(b.u32(at)),
		Set:      RegisterSet(b.u16(at + 4)),
		Index:    int(b.u16(at + 6)),
		Count:    int(b.u16(at + 8)),
		Reserved: b.u16(at + 10),
		Class:    b.u16(typ),
		Type:     b.u16(typ + 2),
		Rows:     int(b.u16(typ + 4)),
		Columns:  int(b.u16(typ + 6)),
		Elements: int(b.u16(typ + 8)),
	}
	if c.Class == classStruct {
		c.Members = b.structure(typ, 0)
	}
	if value == 0 {
		return
	}
	width := 4 // registers have four words, except bools
	if c.Set == SetBool {
		width = 1
	}
	first, n := int(value/4), c.Count*width
	if value%4 != 0 || first+n > len(b.words) {
		b.bad = true
		return
	}
	c.Default = b.words[first : first+n]
}

// structure reads the members of the type at an offset, and recursively their members.
func (b *blob) structure(typ uint32, depth int) []Member {
	n, info := int(b.u16(typ+10)), b.u32(typ+12)
	if b.members -= n; b.members < 0 || depth == maxDepth {
		b.bad = true
		return nil
	}
	list := make([]Member, n)
	for i := range list {
		at := info + uint32(i)*memberInfoSize
		typ := b.u32(at + 4)
		list[i] = Member{
			Name:     b.str(b.u32(at)),
			Class:    b.u16(typ),
			Type:     b.u16(typ + 2),
			Rows:     int(b.u16(typ + 4)),
			Columns:  int(b.u16(typ + 6)),
			Elements: int(b.u16(typ + 8)),
		}
		if list[i].Class == classStruct && !b.bad {
			list[i].Members = b.structure(typ, depth+1)
		}
	}
	return list
}

// blob reads little-endian fields at byte offsets, aligned or not. A read out of bounds sets bad
// and yields zero, so callers check bad once, at the end. Offsets that wrap around are out of
// bounds or point into the words.
type blob struct {
	words   []uint32
	members int // number of members that structures may still have
	bad     bool
}

// byte returns the byte at an offset.
func (b *blob) byte(at uint32) byte {
	if uint64(at) >= 4*uint64(len(b.words)) {
		b.bad = true
		return 0
	}
	return byte(b.words[at/4] >> (at % 4 * 8))
}

// u16 returns the half word at an offset.
func (b *blob) u16(at uint32) uint16 {
	return binary.LittleEndian.Uint16([]byte{b.byte(at), b.byte(at + 1)})
}

// u32 returns the word at an offset.
func (b *blob) u32(at uint32) uint32 {
	return uint32(b.u16(at)) | uint32(b.u16(at+2))<<16
}

// maxName bounds the strings of a table, many of which may share their bytes.
const maxName = 1 << 12

// str reads the string at an offset; offset 0 means no string.
func (b *blob) str(at uint32) string {
	if at == 0 {
		return ""
	}
	var s []byte
	for {
		c := b.byte(at)
		if c == 0 {
			return string(s)
		}
		if len(s) == maxName {
			b.bad = true
			return ""
		}
		s = append(s, c)
		at++
	}
}
