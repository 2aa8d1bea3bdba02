package amdil

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// Files of the IR that are no register files of the syntax.
const (
	// View and Local are the memories of views and of local memories, by their id.
	View ir.File = 200 + iota
	Local
	// LocalPerThread is the local memory that lds_read_vec and lds_write_vec share out
	// among the threads of a group.
	LocalPerThread
	// Share are the parts of the global data share, by their id.
	Share
	// Counters are the hidden counters of append buffers.
	Counters
	// Device is the home of the state of the memory that g[] and views are of.
	Device
	// flags are the truth values that structuring makes up.
	flags
)

// constBits is how many bits of the index of a constant are its element: buffers have
// up to 4096 of them, and there are 16.
const constBits = 12

// Reg is component comp of register r of the syntax. Of a constant buffer it is one of
// the element, which shares the index with the number of the buffer.
func Reg(r il.Reg, element uint32, comp int) ir.Reg {
	index := r.Num
	if r.File == il.ConstBuf {
		index = r.Num<<constBits | uint16(element)
	} else if r.File == il.ImmConstBuf {
		index = uint16(element)
	}
	return ir.Reg{File: ir.File(r.File), Index: index, Comp: uint8(comp)}
}

// Constant is the buffer and element that the index of a constant names.
func Constant(r ir.Reg) (buffer, element int) {
	return int(r.Index >> constBits), int(r.Index & (1<<constBits - 1))
}

// State is the home of the state of the memory that the space an op touches is of.
//
// g[] and all views are one memory: the host may bind the same buffer to several of them,
// and AMD's compiler for OpenCL does so with the arena and the raw view of its heap. So
// may their counters be the same. Local memories have a size of their own each, and so do
// not overlap.
func State(base ir.Reg) ir.Reg {
	switch base.File {
	case ir.File(il.Global), View, Device:
		return ir.Reg{File: Device}
	case Counters:
		return ir.Reg{File: Counters}
	}
	return ir.Reg{File: base.File, Index: base.Index}
}

// IsState reports whether r is the home of a memory's state, which takes no register.
func IsState(r ir.Reg) bool { return role(r.File) == ir.RoleState }

// shared reports whether other invocations may see what this one does to a memory: all but
// arrays of temporaries. What it leaves there is observed then, and so is the order of
// what it does. Local memory is no exception although it ends with the group: another
// invocation can be waiting for a store that this one will not read again.
func shared(r ir.Reg) bool { return IsState(r) && r.File != ir.File(il.TempArray) }

// RegName spells r.
func RegName(r ir.Reg) string {
	c := "xyzw"[r.Comp&3]
	switch r.File {
	case ir.File(il.ConstBuf):
		buffer, element := Constant(r)
		return fmt.Sprintf("cb%d[%d].%c", buffer, element, c)
	case View:
		return fmt.Sprintf("view%d.%c", r.Index, c)
	case Device:
		return "memory"
	case Local, LocalPerThread:
		return fmt.Sprintf("lds%d.%c", r.Index, c)
	case Share:
		return fmt.Sprintf("gds%d.%c", r.Index, c)
	case Counters:
		return fmt.Sprintf("counter%d.%c", r.Index, c)
	case flags:
		return fmt.Sprintf("flag%d.%c", r.Index, c)
	}
	return fmt.Sprintf("%s.%c", il.Reg{File: il.File(r.File), Num: r.Index}, c)
}
