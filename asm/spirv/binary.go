package spirv

import (
	"encoding/binary"

	"github.com/shaderlift/shaderlift/asm"
)

// Decode reads a binary module. Encode returns the same bytes. Decode checks the division into instructions only, and
// Check the rest. An error is an *asm.Diag with an offset in bytes.
func Decode(name string, data []byte) (*Module, error) {
	m := &Module{Name: name, BigEndian: len(data) > 0 && data[0] == 7}
	if !IsModule(data) {
		return nil, asm.Errorf(asm.Pos{File: name}, "unknown-format",
			"the file does not start with the magic word of SPIR-V")
	}
	if len(data)%4 != 0 || len(data) < 4*headerWords {
		return nil, asm.Errorf(asm.Pos{File: name, Offset: len(data) &^ 3}, "truncated",
			"a module has at least 5 words; this file has %d bytes", len(data))
	}
	words := readWords(data, m.BigEndian)
	m.Version, m.Generator, m.Bound, m.Schema = words[1], words[2], words[3], words[4]
	if m.Version&0xff0000ff != 0 {
		return nil, asm.Errorf(asm.Pos{File: name, Offset: 4}, "unknown-version", "%#08x is not a version of SPIR-V",
			m.Version)
	}
	n, err := countInsts(name, words)
	if err != nil {
		return nil, err
	}
	m.Insts = make([]Inst, n)
	at := headerWords
	for i := range m.Insts {
		end := at + int(words[at]>>16)
		in := &m.Insts[i]
		if in.place = uint32(at); !in.setWords(words[at:end:end]) {
			return nil, asm.Errorf(m.Pos(in), "instruction-size",
				"instruction %d, %s, lacks its result or the type of it", i, in.Op)
		}
		at = end
	}
	return m, nil
}

// readWords returns the words of a module.
func readWords(data []byte, bigEndian bool) []uint32 {
	words := make([]uint32, len(data)/4)
	for i := range words {
		if bigEndian {
			words[i] = binary.BigEndian.Uint32(data[4*i:])
		} else {
			words[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
	}
	return words
}

// countInsts returns the number of instructions in the words of a module. It checks that their sizes divide the words.
func countInsts(name string, words []uint32) (int, error) {
	n := 0
	for at := headerWords; at < len(words); n++ {
		pos := asm.Pos{File: name, Offset: 4 * at}
		size := int(words[at] >> 16)
		switch {
		case size == 0:
			return 0, asm.Errorf(pos, "instruction-size", "instruction %d has the size 0", n)
		case size > len(words)-at:
			return 0, asm.Errorf(pos, "truncated", "instruction %d has %d words, but only %d are left", n, size,
				len(words)-at)
		case n == maxInsts:
			return 0, asm.Errorf(pos, "too-large", "a module has at most %d instructions", maxInsts)
		}
		at += size
	}
	return n, nil
}

// setWords sets the instruction from its words. Args keeps a part of them. It reports whether the words hold the result
// and its type.
func (in *Inst) setWords(words []uint32) bool {
	in.Op, in.Args = Op(words[0]), words[1:]
	x := in.Op.Info()
	if x == nil {
		return true
	}
	for _, field := range []struct {
		has bool
		id  *ID
	}{{x.HasType(), &in.Type}, {x.HasResult(), &in.Result}} {
		if !field.has {
			continue
		}
		if len(in.Args) == 0 {
			return false
		}
		*field.id, in.Args = ID(in.Args[0]), in.Args[1:]
	}
	return true
}

// Encode writes the module as a binary.
func (m *Module) Encode() []byte {
	size := headerWords
	for i := range m.Insts {
		size += m.Insts[i].words()
	}
	data := make([]byte, 0, 4*size)
	put := binary.LittleEndian.AppendUint32
	if m.BigEndian {
		put = binary.BigEndian.AppendUint32
	}
	for _, w := range []uint32{magic, m.Version, m.Generator, m.Bound, m.Schema} {
		data = put(data, w)
	}
	var words []uint32
	for i := range m.Insts {
		words = m.Insts[i].appendTo(words[:0])
		for _, w := range words {
			data = put(data, w)
		}
	}
	return data
}

// appendTo appends the words of an instruction to list.
func (in *Inst) appendTo(list []uint32) []uint32 {
	list = append(list, uint32(in.words())<<16|uint32(in.Op))
	if x := in.Op.Info(); x != nil {
		if x.HasType() {
			list = append(list, uint32(in.Type))
		}
		if x.HasResult() {
			list = append(list, uint32(in.Result))
		}
	}
	return append(list, in.Args...)
}
