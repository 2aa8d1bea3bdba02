package spvs

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// The files of registers. Uniform blocks, push constants and storage buffers have a file each, from firstBlock on, in
// the numbering of [Names]. In these files Index and Comp of a register are its byte offset divided by 16, and the
// remainder divided by 4.
const (
	_ ir.File = iota
	// Temp is the file of values without a binding register.
	Temp
	// Input and Output are interface variables: Index is the location, Comp the component.
	Input
	Output
	// BuiltinIn and BuiltinOut are built-in variables, see [BuiltinReg].
	BuiltinIn
	BuiltinOut
	// SpecConst is the file of specialization constants in the numbering of [Names].
	SpecConst
	// Array are the states of variables in memory, because an index is dynamic. Index is the number in
	// [Program.Arrays].
	Array
	// BlockState and ImageState are the states of blocks and of images that are accessed as memory.
	BlockState
	ImageState
	// UndefVariable and UndefValue are the homes of undefined values: reads of variables before a write, and OpUndef.
	UndefVariable
	UndefValue
	firstBlock
)

// maxBlocks is the number of blocks that the files can hold.
const maxBlocks = math.MaxUint8 - int(firstBlock)

// Dialect is SPIR-V. It implements ir.Dialect.
type Dialect struct {
	Names *Names
}

// Supports implements ir.Dialect. The ops with the rules of Direct3D 9 have no instruction of SPIR-V.
func (*Dialect) Supports(op ir.Op) bool { return supported[op] }

// Encodable implements ir.Dialect: every value can be an operand of every instruction.
func (d *Dialect) Encodable(in *ir.Instr) bool { return d.Supports(in.Op) && !in.IsPredicated() }

// Slots implements ir.Dialect.
func (*Dialect) Slots(in *ir.Instr) int {
	if in.Op.Has(ir.Structured) {
		return 0
	}
	return 1
}

// FlushesDenormals implements ir.Dialect: the driver may flush, and may keep.
func (*Dialect) FlushesDenormals() bool { return false }

// RoundsProducts implements ir.Dialect: the driver may fuse a product and a sum.
func (*Dialect) RoundsProducts() bool { return false }

// KeepsOrig implements ir.Dialect: image instructions are described completely only in the module.
func (*Dialect) KeepsOrig() bool { return true }

// Launch implements ir.Dialect.
func (*Dialect) Launch() ir.Launch { return nil }

// Fetches implements ir.Dialect.
func (*Dialect) Fetches(in *ir.Instr) bool { return in.Op.Has(ir.IsFetch) }

// FileRole implements ir.Dialect.
func (*Dialect) FileRole(f ir.File) ir.Role {
	switch f {
	case Temp:
		return ir.RoleTemp
	case Output, BuiltinOut:
		return ir.RoleOutput
	case Array, BlockState, ImageState:
		return ir.RoleState
	}
	return ir.RoleOther
}

// RegName implements ir.Dialect.
func (d *Dialect) RegName(r ir.Reg) string {
	c := "xyzw"[r.Comp&3]
	switch r.File {
	case Temp:
		return fmt.Sprintf("t%d.%c", r.Index, c)
	case Input:
		return fmt.Sprintf("in%d.%c", r.Index, c)
	case Output:
		return fmt.Sprintf("out%d.%c", r.Index, c)
	case BuiltinIn, BuiltinOut:
		b, element := BuiltinOf(r)
		if element > 0 {
			return fmt.Sprintf("%v[%d].%c", b, element, c)
		}
		return fmt.Sprintf("%v.%c", b, c)
	case SpecConst:
		return "constant " + d.Names.name(nameConstant, int(r.Index))
	case Array:
		return fmt.Sprintf("array%d.%c", r.Index, c)
	case BlockState:
		return d.Names.name(nameMemory, int(r.Index))
	case ImageState:
		return d.Names.name(nameMemory, int(r.Index))
	case UndefVariable, UndefValue:
		return fmt.Sprintf("undefined%d.%d", r.Index, r.Comp)
	}
	if r.File >= firstBlock {
		return fmt.Sprintf("%s+%d", d.Names.name(nameBlock, int(r.File-firstBlock)), int(r.Index)*16+int(r.Comp)*4)
	}
	return fmt.Sprintf("%d[%d].%c", r.File, r.Index, c)
}
