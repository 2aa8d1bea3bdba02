package ir

import (
	"fmt"
	"math"
	"strings"
)

// Dialect is the interface between the language-independent parts and the language of a Func. Passes,
// register allocation and verification use only this interface. They name no register file and no language,
// and use no type assertion on it. So a language is complete if it implements this interface, and does not
// compile if a method is missing.
type Dialect interface {
	// Supports reports whether the language has op at all.
	Supports(op Op) bool
	// Encodable reports whether in fits one statement, judged by its modifiers and its leaf operands.
	// Languages limit the number of different constant and input registers, the registers of one operand, and
	// the swizzles of leaves. It assumes that values in temporaries are where they are needed.
	Encodable(in *Instr) bool
	// Slots returns the cost of in without flow control, in instruction slots or groups, whichever the
	// language is priced in.
	Slots(in *Instr) int

	// FlushesDenormals reports whether arithmetic flushes subnormal numbers to 0; a move never does.
	FlushesDenormals() bool
	// RoundsProducts reports whether mad rounds the product before it adds, as a mul and an add do.
	RoundsProducts() bool

	// RegName returns the name of a component of a register, for reports and remarks.
	RegName(r Reg) string
	// FileRole returns the role of a register file.
	FileRole(f File) Role

	// Fetches reports whether in uses the texture units. Reads of some memories do too.
	Fetches(in *Instr) bool

	// KeepsOrig reports whether a copy of an instruction must keep the statement of the original in Orig.
	// Some instructions are fully described only there. If it is not required it is forbidden, since
	// instructions of one statement are assumed to form one statement again.
	KeepsOrig() bool

	// Launch returns how the host launches programs, or nil if the language does not define it.
	Launch() Launch
}

// Launch describes the invocations of a program that runs once for each element of a domain that the host
// chooses.
type Launch interface {
	// Coordinate returns the axis along which a component of an input counts invocations, 0 across or 1 down.
	// It is -1 for other inputs. half reports that counting starts at one half, as for pixel centres.
	Coordinate(r Reg) (axis int, half bool)
	// Alike reports whether an input is the same for all invocations that a fence may synchronize.
	Alike(r Reg) bool
	// Member reports whether an input is the number of an invocation in its group, which is a row. With of, the
	// size of a group times the input of, the number of the group, is added.
	Member(r Reg) (of Reg, added, ok bool)
	// Grouped reports whether the memory whose state has home r belongs to a group.
	Grouped(r Reg) bool
	// Waits reports whether a fence makes invocations wait for each other. A fence that does not only orders
	// the accesses of each invocation, whichever invocations reach it.
	Waits(fence *Instr) bool
	// Exports returns the number of registers in a file of exports.
	Exports(f File) int
	// Everywhere reports whether the memory whose state has home r is the same one for all invocations.
	Everywhere(r Reg) bool
	// Words returns how a load or a store names words: lane i is word i behind the byte unit*(a + more), where a is
	// the last lane of its address. A lane before it is the number of a structure, which has this byte. ok is false
	// for other kinds of accesses. Sums wrap around, and the bytes behind them do not. Addresses of words may be any
	// byte in them.
	Words(access *Instr) (unit, more uint32, ok bool)
	// Raw reports whether in loads or stores words of a raw view.
	Raw(in *Instr) bool
	// Elements returns memory of elements of four words that outlives a launch: the base of its accesses, the home of
	// its state, and the input with the position of an invocation across.
	Elements() (base, state, position Reg)
	// Local returns the local memory of a group that a pass may add to a kernel without any (see [Func.LocalBytes]).
	Local() LocalMemory
	// Kind returns Imm of a load or a store like access, for the same words.
	Kind(access *Instr, op Op) uint32
}

// LocalMemory describes accesses to words of the memory of a group, which is a row: their base, the home of the state,
// and the input with the number of an invocation in its group. Load, Store and Barrier are the Imm of such
// instructions. The barrier orders no other memory.
type LocalMemory struct {
	Base, State, Member  Reg
	Load, Store, Barrier uint32
}

// Role is the purpose of a register file, as register allocation needs it: which values may live in it, and
// whether writing it needs a temporary first.
type Role uint8

// The roles of files.
const (
	RoleOther Role = iota // inputs and constants, which code does not write
	RoleTemp              // any value may live there
	// RoleSpecial are scarce registers that only dedicated ops write: addresses, predicates, counters.
	RoleSpecial
	RoleOutput // written where a final value is computed, without a temporary
	RoleExport // written at the end: a final value lives in a temporary until then
	RoleState  // the home of the state of a memory, which takes no register
)

// TempFile returns the file of new temporaries of d: the first one with RoleTemp.
func TempFile(d Dialect) File {
	f := File(1)
	for f < math.MaxUint8 && d.FileRole(f) != RoleTemp {
		f++
	}
	return f
}

// RegisterName returns the name of a whole register.
func RegisterName(d Dialect, r Reg) string {
	r.Comp = 0
	return strings.TrimSuffix(d.RegName(r), ".x")
}

// Abstract is the dialect of functions that are built by hand, without a text. It has every op in any form,
// and names registers by number.
type Abstract struct{}

// Supports returns true for every op.
func (Abstract) Supports(Op) bool { return true }

// Encodable returns true for every form.
func (Abstract) Encodable(*Instr) bool { return true }

// Slots returns one for every instruction.
func (Abstract) Slots(*Instr) int { return 1 }

// FlushesDenormals returns false: denormals are numbers.
func (Abstract) FlushesDenormals() bool { return false }

// RoundsProducts returns false: a product and a sum may be one rounding.
func (Abstract) RoundsProducts() bool { return false }

// FileRole returns RoleTemp for every file.
func (Abstract) FileRole(File) Role { return RoleTemp }

// KeepsOrig returns false: there is no text to keep.
func (Abstract) KeepsOrig() bool { return false }

// Launch returns nil: no host is known.
func (Abstract) Launch() Launch { return nil }

// Fetches tests the op alone.
func (Abstract) Fetches(in *Instr) bool { return in.Op.Has(IsFetch) }

// RegName returns file, index and component: 3[12].x.
func (Abstract) RegName(r Reg) string {
	return fmt.Sprintf("%d[%d].%c", r.File, r.Index, "xyzw"[r.Comp&3])
}
