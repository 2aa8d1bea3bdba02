package spirv

import (
	"bytes"

	"github.com/shaderlift/shaderlift/asm"
)

// ID is an id of a module. 0 is none.
type ID uint32

// Module is a module: the fields of its header (2.3), and its instructions.
type Module struct {
	Name      string // of the file
	Version   uint32 // 0x00010300 is version 1.3
	Generator uint32 // tool in the upper half, its version in the lower half
	Bound     uint32 // greater than all ids
	Schema    uint32
	BigEndian bool // byte order of the binary
	Insts     []Inst

	text bool // the module was read from text
}

// Inst is an instruction. Instructions with opcodes that the grammar does not have keep all words in Args.
type Inst struct {
	Op     Op
	column uint16   // in text, from 1
	place  uint32   // line in text from 1, or number of the word in a binary; 0 for a new instruction
	Type   ID       // result type, or 0
	Result ID       // or 0
	Args   []uint32 // words of the operands behind result type and result
}

// Pos returns the position of an instruction in the input. An instruction that was not read has the position of the
// whole input.
func (m *Module) Pos(in *Inst) asm.Pos {
	if m.text {
		return asm.Pos{File: m.Name, Line: int(in.place), Col: int(in.column)}
	}
	return asm.Pos{File: m.Name, Offset: 4 * int(in.place)}
}

// IsPair reports whether m has two entry points: one for vertices, and one for fragments.
func (m *Module) IsPair() bool {
	var stages [2]int
	for i := range m.Insts {
		if in := &m.Insts[i]; in.Op == OpEntryPoint && len(in.Args) > 0 {
			switch ExecutionModel(in.Args[0]) {
			case ExecutionModelVertex:
				stages[0]++
			case ExecutionModelFragment:
				stages[1]++
			default:
				return false
			}
		}
	}
	return stages == [2]int{1, 1}
}

// maxBound is the largest id bound, and maxWords the largest size of an instruction in words (2.17, 2.3).
const (
	maxBound = 4194303
	maxWords = 1<<16 - 1
)

// maxInsts bounds the instructions of a module, so that Decode and Check take at most 100 MB. The largest module in our
// corpus has 20,000 instructions.
const maxInsts = 1 << 20

// magic is the first word of a binary module, and headerWords the size of its header.
const (
	magic       = 0x07230203
	headerWords = 5
)

// IsModule reports whether data starts with the magic word of a binary module, in either byte order.
func IsModule(data []byte) bool {
	return bytes.HasPrefix(data, []byte{3, 2, 0x23, 7}) || bytes.HasPrefix(data, []byte{7, 0x23, 2, 3})
}

// Read reads a module, binary or text, and checks it.
func Read(name string, data []byte) (m *Module, err error) {
	if IsModule(data) {
		m, err = Decode(name, data)
	} else {
		m, err = Parse(name, data)
	}
	if err == nil {
		err = m.Check()
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// words returns the size of the instruction in words.
func (in *Inst) words() int {
	n := 1 + len(in.Args)
	if x := in.Op.Info(); x != nil {
		if x.HasType() {
			n++
		}
		if x.HasResult() {
			n++
		}
	}
	return n
}

// String returns the string literal at the start of words, and the number of words that it takes. Without a byte 0 in
// words, it returns all bytes, and a number larger than that of the words.
func String(words []uint32) (string, int) {
	b := make([]byte, 0, 16)
	for i, w := range words {
		for range 4 {
			if byte(w) == 0 {
				return string(b), i + 1
			}
			b = append(b, byte(w))
			w >>= 8
		}
	}
	return string(b), len(words) + 1
}

// AppendString appends the words of a string literal to list. The string ends at its first byte 0.
func AppendString(list []uint32, s string) []uint32 {
	var w uint32
	for i := 0; i < len(s) && s[i] != 0; i++ {
		w |= uint32(s[i]) << (8 * (i % 4))
		if i%4 == 3 {
			list, w = append(list, w), 0
		}
	}
	return append(list, w)
}
