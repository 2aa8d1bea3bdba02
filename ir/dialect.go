package ir

import (
	"fmt"
	"math"
	"strings"
)

// Dialect is all that the parts which languages share ask about the language that a Func
// will be written in: passes, register allocation, verification. They name no register
// file and no language, and reach nothing of it by a type assertion, so a language that
// implements this is whole, and one that leaves out an answer does not compile.
type Dialect interface {
	// Has reports whether the language can spell op at all.
	Has(op Op) bool
	// Encodable reports whether in fits one statement as far as modifiers, and
	// operands that are leaves, decide it: at most so many different constant and
	// input registers, lanes of one operand from one register, legal swizzles of
	// those. Values in temporaries are assumed to be where they are needed.
	Encodable(in *Instr) bool
	// Slots is what in costs, flow control aside: instruction slots, or those of groups,
	// as the language is priced.
	Slots(in *Instr) int

	// FlushesDenormals reports whether arithmetic makes 0 of subnormal numbers, which a
	// move does not.
	FlushesDenormals() bool
	// RoundsProducts reports whether mad rounds the product before it adds, as mul and
	// add do one after the other.
	RoundsProducts() bool

	// RegName spells a component of a register, as reports and remarks print it.
	RegName(r Reg) string
	// Role tells what a register file is for.
	Role(f File) Role

	// Fetches reports whether in goes through the units that textures are read by: reads
	// of some memories do, too.
	Fetches(in *Instr) bool

	// KeepsOrig reports whether a copy of an instruction has to name the statement that
	// the original came from: some are known in full only from there. Where it need not it
	// must not, since instructions of one statement are taken to be one again.
	KeepsOrig() bool

	// Launch tells how the host launches programs, nil if that is not for it to say.
	Launch() Launch
}

// Launch is what is known of invocations where a program runs once for each element of a
// domain that the host chooses.
type Launch interface {
	// Coordinate is the axis that a component of an input counts invocations along, 0 across or
	// 1 down; half tells that it counts from one half on, as centres do. It is -1 for other
	// inputs.
	Coordinate(r Reg) (axis int, half bool)
	// Alike reports whether an input is the same for all invocations that a fence may have
	// wait for each other.
	Alike(r Reg) bool
	// Waits reports whether a fence has invocations wait for each other. One that does not
	// orders what each does by itself, whichever of them come to it.
	Waits(fence *Instr) bool
	// Exports is how many registers a file of exports has.
	Exports(f File) int
	// Everywhere reports whether the memory whose state is at home r is the same one for all
	// invocations.
	Everywhere(r Reg) bool
	// Indexed reports whether the memory that accesses with this base are to is of elements that
	// an index and a number more name, so that other numbers name other elements.
	Indexed(base Reg) bool
}

// Role is what the registers of a file are for, as far as allocation cares: which
// values may live in it, and whether writing it takes a temporary first.
type Role uint8

// The roles of files.
const (
	RoleOther Role = iota // inputs and constants, which code does not write
	RoleTemp              // any value may live there
	// RoleSpecial are registers that there are few of, and that only what is about them
	// writes: addresses, predicates, counters.
	RoleSpecial
	RoleOutput // written where a final value is computed, which takes no temporary then
	RoleExport // written at the end: a final value lives in a temporary until then
	RoleState  // the home of the state of a memory, which takes no register
)

// TempFile is the file that new temporaries of d are of: the first with that role.
func TempFile(d Dialect) File {
	f := File(1)
	for f < math.MaxUint8 && d.Role(f) != RoleTemp {
		f++
	}
	return f
}

// RegisterName spells a register as a whole.
func RegisterName(d Dialect, r Reg) string {
	r.Comp = 0
	return strings.TrimSuffix(d.RegName(r), ".x")
}

// Abstract is the dialect of functions that no text stands behind, made by hand: it has
// every op in any form, and registers go by number.
type Abstract struct{}

// Has is true of every op.
func (Abstract) Has(Op) bool { return true }

// Encodable is true of every form.
func (Abstract) Encodable(*Instr) bool { return true }

// Slots is one, whatever the instruction.
func (Abstract) Slots(*Instr) int { return 1 }

// FlushesDenormals is false: denormals are numbers.
func (Abstract) FlushesDenormals() bool { return false }

// RoundsProducts is false: a product and a sum may be one rounding.
func (Abstract) RoundsProducts() bool { return false }

// Role is that of temporaries, for every file.
func (Abstract) Role(File) Role { return RoleTemp }

// KeepsOrig is false: there is no text to keep.
func (Abstract) KeepsOrig() bool { return false }

// Launch is nil: nothing is known of a host.
func (Abstract) Launch() Launch { return nil }

// Fetches goes by the op alone.
func (Abstract) Fetches(in *Instr) bool { return in.Op.Has(IsFetch) }

// RegName is file, index and component: 3[12].x.
func (Abstract) RegName(r Reg) string {
	return fmt.Sprintf("%d[%d].%c", r.File, r.Index, "xyzw"[r.Comp&3])
}
