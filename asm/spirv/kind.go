package spirv

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Op is an opcode.
type Op uint16

// GLSL is the number of an instruction of the extended instruction set GLSL.std.450.
type GLSL uint32

// Kind is the kind of an operand: a letter, as Info.Operands lists it. Enumerations have further kinds.
type Kind byte

// Kinds of operands that are not enumerations. A pair takes two words.
const (
	kindType      Kind = 't' // id of the result type
	kindResult    Kind = 'r' // id of the result
	kindID        Kind = 'i'
	kindInteger   Kind = 'n' // literal of one word
	kindString    Kind = 's' // literal that ends with a byte 0
	kindNumber    Kind = 'v' // literal of the result type
	kindExtended  Kind = 'x' // number of an extended instruction, whose operands follow
	kindSpecOp    Kind = 'o' // opcode of OpSpecConstantOp, whose operands follow
	kindLiteralID Kind = 'l' // literal of the selector's type, and an id
	kindIDLiteral Kind = 'm' // id, and a literal of one word
	kindIDs       Kind = 'p' // two ids
)

// class is the section of a module that an instruction belongs to (2.4), in order.
type class uint8

const (
	classAnywhere class = iota
	classCapability
	classExtension
	classImport
	classMemoryModel
	classEntryPoint
	classMode
	classSource
	className
	classProcess
	classAnnotation
	classType
	classConstant // in the same section as types
	classBody     // in functions
)

// Info describes an opcode.
type Info struct {
	Op    Op
	Name  string
	class class
	// Operands lists the kinds of the operands. The characters ? and * follow a kind that may be absent, or that may
	// occur any number of times.
	Operands string
}

// HasType reports whether the instruction has a result type.
func (x *Info) HasType() bool { return strings.HasPrefix(x.Operands, "t") }

// HasResult reports whether the instruction has a result.
func (x *Info) HasResult() bool {
	return strings.HasPrefix(x.Operands, "r") || strings.HasPrefix(x.Operands, "tr")
}

// rows holds 1 plus the row of each opcode in the table, or 0. The first call of Info fills it.
var rows struct {
	sync.Once
	of [1 << 13]uint16
}

// Info returns the row of the opcode in the table, or nil if the grammar does not have it.
func (op Op) Info() *Info {
	rows.Do(func() {
		for i := range opcodes {
			if at := &rows.of[opcodes[i].Op]; *at == 0 {
				*at = uint16(i + 1)
			}
		}
	})
	if int(op) >= len(rows.of) || rows.of[op] == 0 {
		return nil
	}
	return &opcodes[rows.of[op]-1]
}

// String returns the name of the opcode, such as OpFAdd.
func (op Op) String() string {
	if x := op.Info(); x != nil {
		return x.Name
	}
	return "Op" + strconv.Itoa(int(op))
}

// enumerant is a value of an enumeration, with the kinds of the operands that follow it.
type enumerant struct {
	value    uint32
	name     string
	operands string
}

// enumeration is a kind of operand with named values.
type enumeration struct {
	mask   bool // values are combined by or
	values []enumerant
}

// enumeration returns the enumeration of a kind, or nil if the kind is none.
func (k Kind) enumeration() *enumeration {
	if int(k) < len(enumerations) {
		return enumerations[k]
	}
	return nil
}

// find returns the first row of a value, or nil.
func (e *enumeration) find(value uint32) *enumerant {
	i, ok := slices.BinarySearchFunc(e.values, value,
		func(x enumerant, v uint32) int { return cmp.Compare(x.value, v) })
	if !ok {
		return nil
	}
	return &e.values[i]
}

// name returns the name of a value. The names of the bits of a mask are joined by "|".
func (k Kind) name(value uint32) string {
	e := k.enumeration()
	if x := e.find(value); x != nil {
		return x.name
	}
	if !e.mask {
		return strconv.FormatUint(uint64(value), 10)
	}
	var names []string
	for rest := value; rest != 0; rest &= rest - 1 {
		bit := rest & -rest
		if x := e.find(bit); x != nil {
			names = append(names, x.name)
		} else {
			names = append(names, "0x"+strconv.FormatUint(uint64(bit), 16))
		}
	}
	return strings.Join(names, "|")
}

// set is an extended instruction set.
type set struct {
	name  string
	insts []extended
}

// extended is an instruction of an extended set, with the kinds of its operands.
type extended struct {
	number   uint32
	name     string
	operands string
}

// findSet returns the set of a name, or nil.
func findSet(name string) *set {
	for i := range sets {
		if sets[i].name == name {
			return &sets[i]
		}
	}
	return nil
}

// find returns the instruction of a number, or nil.
func (s *set) find(number uint32) *extended {
	i, ok := slices.BinarySearchFunc(s.insts, number,
		func(x extended, n uint32) int { return cmp.Compare(x.number, n) })
	if !ok {
		return nil
	}
	return &s.insts[i]
}

// String returns the name of the instruction, such as Round.
func (x GLSL) String() string {
	if row := sets[0].find(uint32(x)); row != nil {
		return row.name
	}
	return strconv.FormatUint(uint64(x), 10)
}
