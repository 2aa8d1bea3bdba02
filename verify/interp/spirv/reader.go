package spirv

import (
	"encoding/binary"

	"github.com/shaderlift/shaderlift/asm"
)

// inst is one instruction. args holds the operand words behind the result type and the result.
type inst struct {
	op     uint16
	typ    uint32 // result type, or 0
	result uint32 // result id, or 0
	args   []uint32
	at     int // index of the first word in the module
}

// decoration is one decoration of an id or of a struct member.
type decoration struct {
	kind uint32
	args []uint32
}

// member names a member of a struct type.
type member struct{ id, index uint32 }

// module is a binary module, indexed by id.
type module struct {
	insts       []inst
	def         []int32 // by id: index of the defining instruction plus 1
	decorations map[uint32][]decoration
	members     map[member][]decoration
}

// The limits of the reader. The bound of ids is a universal limit (SPIR-V specification, 2.17).
const (
	maxBound       = 4194303
	maxDecorations = 1 << 20 // after groups are resolved
	magic          = 0x07230203
)

// errorAt returns a diagnostic for the instruction at a word of the module.
func errorAt(word int, code asm.Code, format string, args ...any) error {
	return asm.Errorf(asm.Pos{Offset: 4 * word}, code, format, args...)
}

// toWords converts bytes to words. The magic number shows the order of bytes.
func toWords(data []byte) ([]uint32, error) {
	if len(data) < 20 || len(data)%4 != 0 {
		return nil, errorAt(0, "truncated", "a module has at least 5 whole words, and this one has %d bytes", len(data))
	}
	var order binary.ByteOrder = binary.LittleEndian
	if order.Uint32(data) != magic {
		order = binary.BigEndian
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = order.Uint32(data[4*i:])
	}
	if words[0] != magic {
		return nil, errorAt(0, "unknown-format", "the first word %#x is not the magic number of SPIR-V", words[0])
	}
	return words, nil
}

// readModule splits a module into instructions and indexes ids and decorations.
func readModule(data []byte) (*module, error) {
	words, err := toWords(data)
	if err != nil {
		return nil, err
	}
	bound := words[3]
	if bound > maxBound {
		return nil, errorAt(3, "unknown-format", "the bound of ids is %d; the limit is %d", bound, maxBound)
	}
	m := &module{def: make([]int32, bound), decorations: map[uint32][]decoration{}, members: map[member][]decoration{}}
	for at := 5; at < len(words); {
		count := int(words[at] >> 16)
		if count == 0 || at+count > len(words) {
			return nil, errorAt(at, "truncated", "an instruction of %d words does not fit", count)
		}
		if err := m.add(words[at:at+count], at); err != nil {
			return nil, err
		}
		at += count
	}
	return m, m.decorate()
}

// add appends an instruction and records its result.
func (m *module) add(words []uint32, at int) error {
	in := inst{op: uint16(words[0]), args: words[1:], at: at}
	typed, result := resultsOf(in.op)
	if typed && len(in.args) > 0 {
		in.typ, in.args = in.args[0], in.args[1:]
	}
	if result {
		if len(in.args) == 0 {
			return errorAt(at, "truncated", "opcode %d lacks its result", in.op)
		}
		in.result, in.args = in.args[0], in.args[1:]
		if in.result == 0 || int(in.result) >= len(m.def) || m.def[in.result] != 0 {
			return errorAt(at, "bad-operand", "the result id %d is out of range or defined twice", in.result)
		}
		m.def[in.result] = int32(len(m.insts) + 1)
	}
	m.insts = append(m.insts, in)
	return nil
}

// resultsOf reports whether an instruction has a result type and a result. Instructions that the interpreter does
// not know count as ones without.
func resultsOf(op uint16) (typed, result bool) {
	switch op {
	case opString, opExtInstImport, opDecorationGroup, opLabel:
		return false, true
	case 0, 2, 3, 4, 5, 6, 8, 10, 14, 15, 16, 17, 39, opFunctionEnd, opStore, opCopyMemory, 64, opDecorate,
		opMemberDecorate, opGroupDecorate, opGroupMemberDecorate, opImageWrite, 218, 219, 220, 221, opControlBarrier,
		opMemoryBarrier, opAtomicStore, opLoopMerge, opSelectionMerge, opBranch, opBranchConditional, opSwitch, opKill,
		opReturn, opReturnValue, opUnreachable, opNoLine, 330, opExecutionModeID, opDecorateID:
		return false, false
	case opIsHelperInvocation:
		return true, true
	}
	if op >= opTypeVoid && op < opTypeForwardPointer {
		return false, true
	}
	known := op <= 403
	return known, known
}

// decorate collects decorations, and applies groups to their targets.
func (m *module) decorate() error {
	total := 0
	for i := range m.insts {
		in := &m.insts[i]
		a := in.args
		switch {
		case (in.op == opDecorate || in.op == opDecorateID) && len(a) >= 2:
			m.decorations[a[0]] = append(m.decorations[a[0]], decoration{a[1], a[2:]})
		case in.op == opMemberDecorate && len(a) >= 3:
			key := member{a[0], a[1]}
			m.members[key] = append(m.members[key], decoration{a[2], a[3:]})
		case in.op == opGroupDecorate && len(a) >= 1:
			group := m.decorations[a[0]]
			for _, id := range a[1:] {
				m.decorations[id] = append(m.decorations[id], group...)
			}
			total += len(group) * len(a)
		case in.op == opGroupMemberDecorate && len(a) >= 1:
			group := m.decorations[a[0]]
			for k := 1; k+1 < len(a); k += 2 {
				key := member{a[k], a[k+1]}
				m.members[key] = append(m.members[key], group...)
			}
			total += len(group) * len(a)
		}
		if total > maxDecorations {
			return errorAt(in.at, "step-limit", "groups make more than %d decorations", maxDecorations)
		}
	}
	return nil
}

// find returns the first operand of a decoration, and whether it is there.
func find(list []decoration, kind uint32) (uint32, bool) {
	for _, d := range list {
		if d.kind == kind {
			if len(d.args) > 0 {
				return d.args[0], true
			}
			return 0, true
		}
	}
	return 0, false
}

// lookup returns the instruction that defines an id, or nil.
func (m *module) lookup(id uint32) *inst {
	if int(id) >= len(m.def) || m.def[id] == 0 {
		return nil
	}
	return &m.insts[m.def[id]-1]
}

// text returns the literal string at the start of words, and the number of words it takes.
func text(words []uint32) (string, int) {
	var b []byte
	for i, w := range words {
		for range 4 {
			if w&0xff == 0 {
				return string(b), i + 1
			}
			b = append(b, byte(w))
			w >>= 8
		}
	}
	return string(b), len(words)
}
