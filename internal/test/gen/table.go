package gen

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// tabled adds the constant table of a compiler to p: an entry for each register that the host sets.
// Programs with relative reads of constants get no table: such a read must end with its parameter, and the
// generator has no parameters.
func tabled(src Source, p *d3d9.Program) *d3d9.Program {
	entries, ok := hostConstants(src, p)
	if !ok || len(entries) == 0 {
		return p
	}
	q := &d3d9.Program{Model: p.Model, Binary: p.Binary}
	q.Insts = append(q.Insts, d3d9.Inst{Op: d3d9.OpComment, Comment: tableWords(p.Model, entries)})
	for _, in := range p.Insts {
		in.Lead, in.Text, in.Raw = "", "", nil
		q.Insts = append(q.Insts, in)
	}
	data, err := d3d9.Write(q)
	if err == nil {
		q, err = d3d9.Read("random", data)
	}
	if err != nil {
		panic("gen: a program with a constant table cannot be written and read: " + err.Error())
	}
	return q
}

// entry is a row of a constant table: one register.
type entry struct {
	name        string
	set         d3d9.RegisterSet
	index       uint16
	class, kind uint16   // D3DXPARAMETER_CLASS and D3DXPARAMETER_TYPE
	initial     []uint32 // the default value, or nil
}

// The classes and types of D3DX that are used here.
const (
	classScalar, classVector, classObject     = 0, 1, 4
	typeBool, typeInt, typeFloat, typeSampler = 1, 2, 3, 10
)

// hostConstants lists the registers that p reads and does not define, in order. Both stages use the same
// names for the same register, as parameters of an effect often do.
func hostConstants(src Source, p *d3d9.Program) (list []entry, ok bool) {
	defined := map[d3d9.Reg]bool{}
	read := map[d3d9.Reg]bool{}
	for i := range p.Insts {
		in := &p.Insts[i]
		switch {
		case in.Op.IsDefinition():
			defined[in.Dst.Reg] = true
		case in.Op.IsMatrix():
			for row := range uint16(4) {
				read[d3d9.Reg{File: in.Src[1].File, Index: in.Src[1].Index + row}] = true
			}
		}
		for _, s := range in.Sources() {
			if s.Rel.File != d3d9.NoFile {
				return nil, false
			}
			read[s.Reg] = true
		}
	}
	for _, set := range []struct {
		set         d3d9.RegisterSet
		prefix      string
		class, kind uint16
		words       int
	}{
		{d3d9.SetBool, "on", classScalar, typeBool, 1},
		{d3d9.SetInt4, "count", classVector, typeInt, 4},
		{d3d9.SetFloat4, "value", classVector, typeFloat, 4},
		{d3d9.SetSampler, "map", classObject, typeSampler, 0},
	} {
		for index := range uint16(32) {
			r := d3d9.Reg{File: set.set.File(), Index: index}
			if !read[r] || defined[r] {
				continue
			}
			e := entry{name: fmt.Sprintf("%s%d", set.prefix, index), set: set.set, index: index, class: set.class,
				kind: set.kind}
			if set.kind == typeFloat && src.Chance(20) {
				for range set.words {
					e.initial = append(e.initial, math.Float32bits(float32(src.IntN(9))/4-1))
				}
			}
			list = append(list, e)
		}
	}
	return list, true
}

// tableWords builds the constant table behind its mark CTAB, as d3dx9shader.h defines it:
// D3DXSHADER_CONSTANTTABLE, a D3DXSHADER_CONSTANTINFO and a D3DXSHADER_TYPEINFO for each entry, initial
// values, and the strings. Offsets are in bytes from behind the mark.
func tableWords(m d3d9.Model, entries []entry) []uint32 {
	const header, info, typeInfo = 7, 5, 4 // words
	words := make([]uint32, header+(info+typeInfo)*len(entries))
	var text []byte
	for i, e := range entries {
		at := header + info*i
		typ := header + info*len(entries) + typeInfo*i
		// RegisterSet and RegisterIndex, RegisterCount, TypeInfo, DefaultValue.
		words[at+1] = uint32(e.set) | uint32(e.index)<<16
		words[at+2] = 1
		words[at+3] = uint32(4 * typ)
		if e.initial != nil {
			words[at+4] = uint32(4 * len(words))
			words = append(words, e.initial...)
		}
		columns := uint32(4)
		if e.class != classVector {
			columns = 1
		}
		// Class and Type, Rows and Columns, Elements; no structure.
		words[typ] = uint32(e.class) | uint32(e.kind)<<16
		words[typ+1] = 1 | columns<<16
		words[typ+2] = 1
	}
	start := 4 * len(words)
	str := func(s string) uint32 {
		at := start + len(text)
		text = append(append(text, s...), 0)
		return uint32(at)
	}
	for i, e := range entries {
		words[header+info*i] = str(e.name)
	}
	// Size, Creator, Version, Constants, ConstantInfo, (Flags,) Target.
	words[0], words[1], words[2] = 4*header, str("shaderlift"), m.Token()
	words[3], words[4], words[6] = uint32(len(entries)), 4*header, str(m.String())
	for len(text)%4 != 0 {
		text = append(text, 0)
	}
	for i := 0; i < len(text); i += 4 {
		words = append(words, uint32(text[i])|uint32(text[i+1])<<8|uint32(text[i+2])<<16|uint32(text[i+3])<<24)
	}
	const mark = 'C' | 'T'<<8 | 'A'<<16 | 'B'<<24
	return append([]uint32{mark}, words...)
}
