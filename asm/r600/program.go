package r600

// Program is a finished program: control flow with its clauses. Only the line numbers refer to the
// source program.
type Program struct {
	Family Family
	Name   string
	GPRs   int // registers a thread uses, clause temporaries included
	CF     []CF
}

// Words returns the length in 64-bit words: one for each control-flow instruction, and the clauses.
// It does not count the gaps that align clauses.
func (p *Program) Words() int {
	n := len(p.CF)
	for i := range p.CF {
		n += p.CF[i].Words()
	}
	return n
}

// CFOp is a control-flow instruction. Those with a stack modify the execution mask, which selects
// the active threads of the wavefront.
type CFOp uint8

// The control-flow instructions. CF.Target is the partner of a jump or loop. A branch is an ALU
// clause that ends with a predicate, and a jump for the case that no thread is active:
//
//	00 ALU_PUSH_BEFORE    PRED_SETNE ...
//	01 JUMP POP_CNT(1) ADDR(3)
//	02 ALU_POP_AFTER      the body of the branch
const (
	cfNop CFOp = iota
	CFALU
	CFALUPushBefore // pushes the execution mask, then runs the clause
	CFALUPopAfter   // runs the clause, then pops the mask
	CFALUBreak      // runs the clause; threads whose predicate fails leave the loop
	CFALUContinue   // runs the clause; threads whose predicate fails start the next iteration
	cfaluElseAfter  // runs the clause, then inverts the mask
	CFTex
	CFVtx
	CFLoop    // LOOP_DX10
	CFEndLoop // END_LOOP
	CFBreak
	CFContinue
	CFJump
	CFElse
	CFPop
	CFPush
	CFExport
	CFExportDone
	CFMemExport
	CFMemScratch
	CFMemRat
	CFMemLocal
	CFWaitAck
	CFEnd
	numCFOps
)

var cfNames = [numCFOps]string{
	cfNop: "NOP", CFALU: "ALU", CFALUPushBefore: "ALU_PUSH_BEFORE", CFALUPopAfter: "ALU_POP_AFTER",
	CFALUBreak: "ALU_BREAK", CFALUContinue: "ALU_CONTINUE", cfaluElseAfter: "ALU_ELSE_AFTER",
	CFTex: "TEX", CFVtx: "VTX", CFLoop: "LOOP_DX10", CFEndLoop: "ENDLOOP",
	CFBreak: "LOOP_BREAK", CFContinue: "LOOP_CONTINUE", CFJump: "JUMP", CFElse: "ELSE", CFPop: "POP", CFPush: "PUSH",
	CFExport: "EXP", CFExportDone: "EXP_DONE", CFMemExport: "MEM_EXPORT_WRITE", CFMemScratch: "MEM_SCRATCH_WRITE",
	CFMemRat: "MEM_RAT", CFMemLocal: "LOCAL_DS_WRITE", CFWaitAck: "WAIT_ACK", CFEnd: "END_OF_PROGRAM",
}

// String returns the mnemonic.
func (op CFOp) String() string { return cfNames[op] }

// RunsALU reports whether op runs an ALU clause.
func (op CFOp) RunsALU() bool { return op >= CFALU && op <= cfaluElseAfter }

// CF is a control-flow instruction with the clause it starts, if any. Fields that the Op does not
// use are zero.
type CF struct {
	Op      CFOp
	Groups  []Group // of an ALU clause
	Locks   []Lock  // constants that the ALU clause reads
	Fetches []Fetch // of a TEX or VTX clause
	Export  *Export // of EXP and EXP_DONE
	Memory  *Memory // of the MEM instructions
	Target  int     // index: the target of a jump or else, the other end of a loop, the loop that a break leaves
	Pop     int     // levels of the mask stack that a JUMP, ELSE or POP drops
	Line    int     // of the source program, or 0
}

// Words returns the length of the clause in 64-bit words. An ALU clause has at most 128 (a CNT of
// seven bits); a fetch clause has at most 8 fetches in R600 and 16 in later families.
func (cf *CF) Words() int {
	n := 2 * len(cf.Fetches)
	for i := range cf.Groups {
		n += cf.Groups[i].words()
	}
	return n
}

// Lock is a window of a constant buffer held in the constant cache during a clause. An ALU clause
// has up to two. Only ALU_EXTENDED of Evergreen, which this package does not use, has four.
type Lock struct {
	Bank  int
	Line  int // first constant / 16
	Lines int // 1 or 2
}

// A group has five slots. Slots 0 to 3, called x to w, write the channel with their number; slot T
// writes any channel.
const (
	T        = 4
	NumSlots = 5
)

// Group is an instruction group: the operations of all five slots, executed together. A nil slot is
// idle and takes no space.
type Group struct {
	Slots [NumSlots]*Inst
	// at most four, readable by all slots
	Literals []uint32
}

// FilledSlots returns the number of filled slots.
func (g *Group) FilledSlots() int {
	n := 0
	for _, s := range g.Slots {
		if s != nil {
			n++
		}
	}
	return n
}

// words returns the length in 64-bit words: one for each slot and one for each two literals.
func (g *Group) words() int { return g.FilledSlots() + (len(g.Literals)+1)/2 }

// OMod scales a float result. Operations with three sources have none.
type OMod uint8

// The output modifiers.
const (
	OModNone OMod = iota
	OModMul2
	OModMul4
	OModDiv2
)

// String returns the suffix in listings.
func (m OMod) String() string { return [...]string{"", "*2", "*4", "/2"}[m] }

// Swizzle is the order in which an instruction reads its registers: the read cycle, one of three,
// of each source. Each cycle reads one register per channel, so the orders of a group's slots must
// be compatible (ISA documents, "ALU Instructions", on GPR read port restrictions). Vector slots
// and t have different orders.
type Swizzle uint8

// Orders of the vector slots, then of t.
const (
	Vec012 Swizzle = iota
	Vec021
	Vec120
	Vec102
	Vec201
	Vec210
	Scl210
	Scl122
	Scl212
	Scl221
	numSwizzles
)

// swizzleCycles are the cycles of the three sources by order, as in the names.
var swizzleCycles = [numSwizzles][3]uint8{
	Vec012: {0, 1, 2}, Vec021: {0, 2, 1}, Vec120: {1, 2, 0}, Vec102: {1, 0, 2}, Vec201: {2, 0, 1}, Vec210: {2, 1, 0},
	Scl210: {2, 1, 0}, Scl122: {1, 2, 2}, Scl212: {2, 1, 2}, Scl221: {2, 2, 1},
}

var swizzleNames = [numSwizzles]string{
	"VEC_012", "VEC_021", "VEC_120", "VEC_102", "VEC_201", "VEC_210", "SCL_210", "SCL_122", "SCL_212", "SCL_221",
}

// Cycles returns the read cycle of each source.
func (s Swizzle) Cycles() [3]uint8 { return swizzleCycles[s] }

// String returns the name in AMD's documents.
func (s Swizzle) String() string { return swizzleNames[s] }

// Inst is the operation of one slot. Slots x to w write their own channel, Dst.Chan; t writes any.
type Inst struct {
	Op      Op
	Swizzle Swizzle
	Clamp   bool
	OMod    OMod
	Dst     Dst
	Src     [3]Src // the first Op.Sources of them are used
	Line    int    // of the source program, or 0
}

// DstKind is the kind of a destination.
type DstKind uint8

// The destinations.
const (
	DstNone DstKind = iota // masked: visible only through PV and PS
	DstGPR
	DstTemp // clause temporary
)

// Dst is a destination. In a masked slot, Chan is still the channel of the slot, under which PV
// holds the result.
type Dst struct {
	Kind  DstKind
	Chan  uint8
	Index int32
}

// SrcKind is the kind of an operand.
type SrcKind uint8

// The sources. PV and PS hold the results of the previous group and need no register read; the end
// of the clause discards them.
const (
	SrcNone    SrcKind = iota
	SrcGPR             // register
	SrcTemp            // clause temporary
	SrcPV              // result of vector slot Chan of the previous group
	SrcPS              // result of its t slot
	SrcConst           // constant Index of buffer Bank
	SrcLiteral         // Bits, one of the group's literals
	SrcInline          // Bits, a constant built into the hardware
)

// Src is a source operand. The absolute value is taken before the negation. Kind determines the
// fields in use; all but PS, literals and inline constants use Chan.
type Src struct {
	Kind     SrcKind
	Chan     uint8
	Neg, Abs bool
	Rel      bool // Index is relative to the address register
	Bank     int16
	Index    int32
	Bits     uint32
}

// Inline reports whether the hardware has the word as an inline constant. These are the integers 0,
// 1 and -1, and the floats 0.5 and 1 (ALU_SRC_0, _1_INT, _M_1_INT, _0_5, _1). They take no literal.
func Inline(bits uint32) bool {
	switch bits {
	case 0, 1, 0xFFFFFFFF, 0x3F000000, 0x3F800000:
		return true
	}
	return false
}

// ExportKind is the kind of an export's target.
type ExportKind uint8

// The kinds of exports.
const (
	ExportPixel ExportKind = iota
	ExportPosition
	ExportParam
)

// String returns the name before the index in listings.
func (k ExportKind) String() string { return [...]string{"PIX", "POS", "PARAM"}[k] }

// Export writes Count consecutive registers from Reg on to Count outputs from Base on.
// The last export of a kind is an EXP_DONE.
type Export struct {
	Kind  ExportKind
	Base  int
	Reg   int
	Count int
	Sel   [4]Sel
}

// Memory writes a register to memory, at Base plus the index register.
type Memory struct {
	Name     string // of the operation: WRITE, WRITE_IND, STORE_RAW, ADD_RTN, …
	Resource int
	Reg      int
	Sel      [4]Sel
	IndexReg int // or -1
	IndexSel [4]Sel
	Base     int
	Scale    int // bytes per unit of the index and Base
}
