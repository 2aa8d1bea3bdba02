package amdil

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// Files of the IR that are not register files of the syntax.
const (
	// View and Local are the memories of views and of local memories, by their id.
	View ir.File = 200 + iota
	Local
	// LocalPerThread is the local memory that lds_read_vec and lds_write_vec divide among the threads of a
	// group.
	LocalPerThread
	// Share are the parts of the global data share, by their id.
	Share
	// counters are the hidden counters of append buffers.
	counters
	// device is the home of the state of the memory behind g[] and views.
	device
	// flags are the truth values that structuring introduces.
	flags
)

// constBits is the number of bits of a constant's index that select the element: 16 buffers have up to 4096
// elements each.
const constBits = 12

// ComponentReg returns component comp of register r of the syntax. For a constant buffer, the index combines element
// and buffer number.
func ComponentReg(r il.Reg, element uint32, comp int) ir.Reg {
	index := r.Num
	if r.File == il.ConstBuf {
		index = r.Num<<constBits | uint16(element)
	} else if r.File == il.ImmConstBuf {
		index = uint16(element)
	}
	return ir.Reg{File: ir.File(r.File), Index: index, Comp: uint8(comp)}
}

// Constant returns the buffer and element that the index of a constant encodes.
func Constant(r ir.Reg) (buffer, element int) {
	return int(r.Index >> constBits), int(r.Index & (1<<constBits - 1))
}

// stateHome returns the home of the state of the memory behind a space.
//
// g[] and all views are one memory, because the host may bind the same buffer to several of them. AMD's
// compiler for OpenCL does so with the arena and the raw view of its heap. Their counters may be shared in
// the same way. Each local memory has a separate size, so local memories do not overlap.
func stateHome(base ir.Reg) ir.Reg {
	switch base.File {
	case ir.File(il.Global), View, device:
		return ir.Reg{File: device}
	case counters:
		return ir.Reg{File: counters}
	}
	return ir.Reg{File: base.File, Index: base.Index}
}

// IsState reports whether r is the home of a memory's state, which takes no register.
func IsState(r ir.Reg) bool { return fileRole(r.File) == ir.RoleState }

// shared reports whether other invocations may see accesses of this one to a memory: all except arrays of
// temporaries. The final contents and the order of accesses are then observable. Local memory counts although
// it ends with the group: another invocation can be waiting for a store that this one will not read again.
func shared(r ir.Reg) bool { return IsState(r) && r.File != ir.File(il.TempArray) }

// RegName returns the name of r.
func RegName(r ir.Reg) string {
	c := "xyzw"[r.Comp&3]
	switch r.File {
	case ir.File(il.ConstBuf):
		buffer, element := Constant(r)
		return fmt.Sprintf("cb%d[%d].%c", buffer, element, c)
	case View:
		return fmt.Sprintf("view%d.%c", r.Index, c)
	case device:
		return "memory"
	case Local, LocalPerThread:
		return fmt.Sprintf("lds%d.%c", r.Index, c)
	case Share:
		return fmt.Sprintf("gds%d.%c", r.Index, c)
	case counters:
		return fmt.Sprintf("counter%d.%c", r.Index, c)
	case flags:
		return fmt.Sprintf("flag%d.%c", r.Index, c)
	}
	return fmt.Sprintf("%s.%c", il.Reg{File: il.File(r.File), Num: r.Index}, c)
}
