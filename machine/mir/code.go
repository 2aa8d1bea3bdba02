package mir

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// Code is a program of hardware operations on virtual scalar registers: the output of lowering and
// the input of scheduling. Nothing is placed yet. Operations are in program order, and each acts as
// if it ran alone after the one before.
//
// Code is not in SSA form. A [Val] may have several definitions. For example, a loop-carried value
// has one before the loop and one in its body, and both arms of a conditional may define a value.
// An arm that is not taken leaves the value unchanged.
type Code struct {
	Name   string
	Body   Region
	Inputs []Input

	vals []valInfo // by Val; 0 is no value
	ties [][]Val   // values that share a register; 0 is unused
}

// Val is a virtual register of one channel; 0 is none.
type Val int32

// AnyChan is the channel of a value that scheduling may place in any channel.
const AnyChan = -1

type valInfo struct {
	ch   int8  // channel, or AnyChan
	hint int8  // preferred channel, or AnyChan
	tie  int32 // index into Code.ties, 0 if untied
	reg  int32 // register of an input, plus one
}

// Input is a value that is in its register when the program starts.
type Input struct {
	Val Val
	chip.Preload
	Home ir.Reg // its register in the kernel
}

// Region is a sequence of items run one after the other.
type Region []Item

// Item is one of *ALU, *Fetch, *Memory, *Export, *If, *Loop, *Break, *Continue.
type Item interface{ isItem() }

// ALU is a unit of one to four slots that runs in one group. Its length follows from the slot class
// of its operation in the target's family. Vector, transcendental and any-slot operations take one
// slot. Doubles take two: x and y, or z and w. Operations on all vector slots take four. All slots
// have the same Op.
//
// Slot i of a wider unit reads the operands of lane i and writes channel i (of two: the first or
// second of its pair). Scheduling binds the results so, and they must not be bound otherwise. If
// the operation reduces (DOT4), every slot yields the same result. A Dst then belongs to the slot
// of its own channel, whichever slot lists it.
//
// A unit whose operation writes the predicate may only be the condition of a control-flow item. A
// unit that kills is not a condition and has no Dst.
type ALU struct {
	Slots []Slot
	Mem   Access // access to the local data share
	Line  int
}

// Slot is one operation of a unit.
type Slot struct {
	Op    r600.Op
	Dst   Val // 0 if the result is unused
	Args  [3]Arg
	Clamp bool
	OMod  r600.OMod
}

// ArgKind is the kind of an operand.
type ArgKind uint8

// The kinds of operands.
const (
	NoArg ArgKind = iota
	ValArg
	ConstArg   // constant Index of buffer Bank, channel Chan
	LiteralArg // the word Bits; inline constants are recognised
)

// Banks of constants in addition to the sixteen buffers.
const (
	ImmediateBank = 16 // icb
	IntegerBank   = 17 // i#
)

// Arg is an operand. Neg and Abs apply to float operations. Abs is applied first, and operations of
// three sources do not support it.
type Arg struct {
	Kind     ArgKind
	Chan     uint8
	Neg, Abs bool
	Bank     int16
	Val      Val
	Index    int32
	Bits     uint32
	// Rel is a value to add to Index, 0 if none. Scheduling moves it into the address register.
	Rel Val
}

// V returns an operand that reads a value.
func V(v Val) Arg { return Arg{Kind: ValArg, Val: v} }

// K returns an operand that reads a channel of a constant. It clamps the index to int32: no buffer
// is that long.
func K(bank, index int, ch uint8) Arg {
	return Arg{Kind: ConstArg, Bank: int16(bank), Index: int32(min(index, math.MaxInt32)), Chan: ch}
}

// L returns an operand that is a literal word.
func L(bits uint32) Arg { return Arg{Kind: LiteralArg, Bits: bits} }

// Negated returns a with its sign flipped.
func (a Arg) Negated() Arg { a.Neg = !a.Neg; return a }

// Coord is one coordinate of a fetch: a value or, if Val is 0, one of the selections SelZero,
// SelOne and SelMask.
type Coord struct {
	Val Val
	Sel r600.Sel
}

// Fetch is a fetch. Its coordinates share a register, each in any channel, and so do its results;
// see [Code.Tie].
type Fetch struct {
	Op       r600.FetchOp
	Resource int
	Sampler  int
	Offset   [3]int8
	Unnormal bool
	Coords   [4]Coord
	Dst      [4]Val   // by component of the result, 0 if unused
	Setup    []*Fetch // run just before in the same clause, such as SET_GRADIENTS; no results
	Mem      Access   // access to memory that the program also writes
	Scale    int      // bytes that its index counts, see [r600.Fetch]
	Line     int
}

// Memory is a write to memory. The data share a register, and so do the indices.
type Memory struct {
	Op       r600.CFOp // CFMemExport, CFMemScratch, CFMemRat, CFMemLocal
	Name     string    // of the operation in listings
	Resource int
	Base     int
	Index    [4]Val // any channels of one register; all 0 without index
	Data     [4]Val // any channels of one register
	Scale    int    // bytes that Index and Base count
	Mem      Access
	Line     int
}

// Export writes outputs Base and up, one for each element of Regs. The values of an element share a
// register, with component i of the output in channel i. A burst takes consecutive registers. A 0
// is a component that is not written.
type Export struct {
	Kind r600.ExportKind
	Base int
	Regs [][4]Val
	Line int
}

// If runs Then if the predicate of Cond holds and Else otherwise.
type If struct {
	Cond       *ALU
	Then, Else Region
	Line       int
}

// Loop runs Body until a Break.
type Loop struct {
	Body Region
	Line int
}

// Break leaves the innermost loop if the predicate of Cond fails, as ALU_BREAK does, or always if
// Cond is nil.
type Break struct {
	Cond *ALU
	Line int
}

// Continue starts the next iteration of the innermost loop if the predicate of Cond fails, or
// always if Cond is nil.
type Continue struct {
	Cond *ALU
	Line int
}

func (*ALU) isItem()      {}
func (*Fetch) isItem()    {}
func (*Memory) isItem()   {}
func (*Export) isItem()   {}
func (*If) isItem()       {}
func (*Loop) isItem()     {}
func (*Break) isItem()    {}
func (*Continue) isItem() {}

// Access is an access to memory. Two accesses to one space keep their order unless both read.
type Access struct {
	Space Space
	Write bool
}

// Space numbers the memories of a program. Memories that do not alias have different spaces.
type Space int32

// The special spaces.
const (
	NoSpace  Space = 0
	AllSpace Space = -1 // a fence: ordered against every access
)

// NewCode returns an empty program.
func NewCode(name string) *Code {
	return &Code{Name: name, vals: make([]valInfo, 1), ties: make([][]Val, 1)}
}

// Grow reserves capacity for n more values.
func (c *Code) Grow(n int) { c.vals = slices.Grow(c.vals, n) }

// NewVal returns a new value that may live in any channel.
func (c *Code) NewVal() Val { return c.NewValAt(AnyChan) }

// NewValAt returns a new value that lives in channel ch.
func (c *Code) NewValAt(ch int) Val {
	c.vals = append(c.vals, valInfo{ch: int8(ch), hint: int8(ch)})
	return Val(len(c.vals) - 1)
}

// Prefer sets the preferred channel of a value. Lowering passes the value's lane in the source,
// where values that are used together have different lanes.
func (c *Code) Prefer(v Val, ch int) { c.vals[v].hint = int8(ch) }

// Input returns a new value that channel ch of register reg holds when the program starts. Inputs
// of one register are tied.
func (c *Code) Input(reg, ch int) Val {
	v := c.NewValAt(ch)
	c.vals[v].reg = int32(reg) + 1
	for _, in := range c.Inputs {
		if in.Reg == reg {
			c.bindTie(c.together(nil, []Val{in.Val, v}))
			break
		}
	}
	c.Inputs = append(c.Inputs, Input{Val: v, Preload: chip.Preload{Reg: reg, Chan: ch}})
	return v
}

// Vals returns one more than the number of values.
func (c *Code) Vals() int { return len(c.vals) }

// Chan returns the channel that v is bound to, or AnyChan.
func (c *Code) Chan(v Val) int { return int(c.vals[v].ch) }

// Hint returns the preferred channel of v, or AnyChan.
func (c *Code) Hint(v Val) int { return int(c.vals[v].hint) }

// Register returns the register that holds v when the program starts, if v is an input.
func (c *Code) Register(v Val) (reg int, ok bool) {
	reg = int(c.vals[v].reg) - 1
	return reg, reg >= 0
}
