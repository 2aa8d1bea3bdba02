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
		return nil, asm.Errorf(asm.Pos{File: name}, "unknown-format", "the file does not start with the magic word of SPIR-V")
	}
	if len(data)%4 != 0 || len(data) < 4*headerWords {
		return nil, asm.Errorf(asm.Pos{File: name, Offset: len(data) &^ 3}, "truncated",
			"a module has at least 5 words; this file has %d bytes", len(data))
	}
	words := readWords(data, m.BigEndian)
	m.Version, m.Generator, m.Bound, m.Schema = words[1], words[2], words[3], words[4]
	n, err := countInsts(name, words)
	if err != nil {
		return nil, err
	}
	m.Insts = make([]Inst, n)
	at := headerWords
	for i := range m.Insts {
		end := at + int(words[at]>>16)
		if err := decodeInst(name, &m.Insts[i], at, words[at:end:end]); err != nil {
			return nil, err
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

// decodeInst reads the instruction at word number at. Its arguments keep a part of words.
func decodeInst(name string, in *Inst, at int, words []uint32) error {
	in.Op, in.place = Op(words[0]), uint32(at)
	words = words[1:]
	if x := in.Op.Info(); x != nil {
		for _, field := range []struct {
			has bool
			id  *ID
		}{{x.HasType(), &in.Type}, {x.HasResult(), &in.Result}} {
			if !field.has {
				continue
			}
			if len(words) == 0 {
				return asm.Errorf(asm.Pos{File: name, Offset: 4 * at}, "instruction-size", "%s lacks its result or the type of it",
					x.Name)
			}
			*field.id, words = ID(words[0]), words[1:]
		}
	}
	in.Args = words
	return nil
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
	for i := range m.Insts {
		in := &m.Insts[i]
		data = put(data, uint32(in.words())<<16|uint32(in.Op))
		if x := in.Op.Info(); x != nil {
			if x.HasType() {
				data = put(data, uint32(in.Type))
			}
			if x.HasResult() {
				data = put(data, uint32(in.Result))
			}
		}
		for _, w := range in.Args {
			data = put(data, w)
		}
	}
	return data
}
