package r600

// Program is a finished program: control flow with the clauses it runs. Nothing in it
// refers to the program it was made from but the line numbers.
type Program struct {
	Family Family
	Name   string
	GPRs   int // registers a thread uses, clause temporaries included
	CF     []CF
}

// Words is the length in 64-bit words: one a control-flow instruction, and the clauses.
// The gaps that align clauses do not count.
func (p *Program) Words() int {
	n := len(p.CF)
	for i := range p.CF {
		n += p.CF[i].Words()
	}
	return n
}

// CFOp is a control-flow instruction. Those with a stack work on the execution mask:
// which of the wavefront's threads take part.
type CFOp uint8

// The control-flow instructions. A jump's and a loop's partner is CF.Target. Branches
// are an ALU clause that ends with a predicate, and a jump for the case that no thread
// is left:
//
//	00 ALU_PUSH_BEFORE    PRED_SETNE ...
//	01 JUMP POP_CNT(1) ADDR(3)
//	02 ALU_POP_AFTER      what the branch does
const (
	CFNop CFOp = iota
	CFALU
	CFALUPushBefore // pushes the execution mask, then runs the clause
	CFALUPopAfter   // runs the clause, then pops the mask
	CFALUBreak      // runs the clause; where its predicate fails, leaves the loop
	CFALUContinue   // runs the clause; where its predicate fails, starts the next iteration
	CFALUElseAfter  // runs the clause, then inverts the mask
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
	CFNop: "NOP", CFALU: "ALU", CFALUPushBefore: "ALU_PUSH_BEFORE", CFALUPopAfter: "ALU_POP_AFTER",
	CFALUBreak: "ALU_BREAK", CFALUContinue: "ALU_CONTINUE", CFALUElseAfter: "ALU_ELSE_AFTER",
	CFTex: "TEX", CFVtx: "VTX", CFLoop: "LOOP_DX10", CFEndLoop: "ENDLOOP",
	CFBreak: "LOOP_BREAK", CFContinue: "LOOP_CONTINUE", CFJump: "JUMP", CFElse: "ELSE", CFPop: "POP", CFPush: "PUSH",
	CFExport: "EXP", CFExportDone: "EXP_DONE", CFMemExport: "MEM_EXPORT_WRITE", CFMemScratch: "MEM_SCRATCH_WRITE",
	CFMemRat: "MEM_RAT", CFMemLocal: "LOCAL_DS_WRITE", CFWaitAck: "WAIT_ACK", CFEnd: "END_OF_PROGRAM",
}

// String is the mnemonic.
func (op CFOp) String() string { return cfNames[op] }

// ALU reports that op runs an ALU clause.
func (op CFOp) ALU() bool { return op >= CFALU && op <= CFALUElseAfter }

// CF is a control-flow instruction with the clause it starts, if any. Fields that the
// Op has no use for are zero.
type CF struct {
	Op      CFOp
	Groups  []Group // of an ALU clause
	Locks   []Lock  // constants the ALU clause reads
	Fetches []Fetch // of a TEX or VTX clause
	Export  *Export // of EXP and EXP_DONE
	Memory  *Memory // of the MEM instructions
	Target  int     // index: where a jump or else goes, the other end of a loop, the loop that is left
	Pop     int     // levels of the mask stack a JUMP, ELSE or POP drops
	Line    int     // of the source program, 0 if none
}

// Words is the length of the clause in 64-bit words. An ALU clause has at most 128 (a
// CNT of seven bits); a fetch clause at most 8 fetches in R600 and 16 in later
// families.
func (cf *CF) Words() int {
	n := 2 * len(cf.Fetches)
	for i := range cf.Groups {
		n += cf.Groups[i].Words()
	}
	return n
}

// Lock is a window of a constant buffer held in the constant cache during a clause. An
// ALU clause has up to two, but for ALU_EXTENDED of Evergreen, which has four and is not
// used here.
type Lock struct {
	Bank  int
	Line  int // first constant / 16
	Lines int // 1 or 2
}

// The slots of a group. X to W are also the channels that they write.
const (
	X = iota
	Y
	Z
	W
	T
	NumSlots
)

// Group is an instruction group: what all five slots do together. Slots that are nil do
// nothing and take no space.
type Group struct {
	Slots [NumSlots]*Inst
	// at most four, which all slots can read
	Literals []uint32
}

// Used is the number of slots filled.
func (g *Group) Used() int {
	n := 0
	for _, s := range g.Slots {
		if s != nil {
			n++
		}
	}
	return n
}

// Words is the length in 64-bit words: one a slot and one for each two literals.
func (g *Group) Words() int { return g.Used() + (len(g.Literals)+1)/2 }

// OMod scales a float result. Operations with three sources have none.
type OMod uint8

// The output modifiers.
const (
	OModNone OMod = iota
	OModMul2
	OModMul4
	OModDiv2
)

// String is the suffix listings use.
func (m OMod) String() string { return [...]string{"", "*2", "*4", "/2"}[m] }

// Swizzle is the order in which an instruction reads its registers: in which of the
// three read cycles each source is fetched. Each cycle reads one register a channel, so
// the orders of a group's slots have to go together (ISA documents, "ALU Instructions",
// on GPR read port restrictions). Vector slots and t have orders of their own.
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

// swizzleCycles are the cycles of the three sources by order; the names say the same.
var swizzleCycles = [numSwizzles][3]uint8{
	Vec012: {0, 1, 2}, Vec021: {0, 2, 1}, Vec120: {1, 2, 0}, Vec102: {1, 0, 2}, Vec201: {2, 0, 1}, Vec210: {2, 1, 0},
	Scl210: {2, 1, 0}, Scl122: {1, 2, 2}, Scl212: {2, 1, 2}, Scl221: {2, 2, 1},
}

var swizzleNames = [numSwizzles]string{
	"VEC_012", "VEC_021", "VEC_120", "VEC_102", "VEC_201", "VEC_210", "SCL_210", "SCL_122", "SCL_212", "SCL_221",
}

// Cycles is the read cycle of each source.
func (s Swizzle) Cycles() [3]uint8 { return swizzleCycles[s] }

// String is the name AMD's documents use.
func (s Swizzle) String() string { return swizzleNames[s] }

// Inst is what one slot does. Slots X to W write the channel of their own, Dst.Chan; t
// writes any.
type Inst struct {
	Op      Op
	Swizzle Swizzle
	Clamp   bool
	OMod    OMod
	Dst     Dst
	Src     [3]Src // Op.Sources of them
	Line    int    // of the source program, 0 if none
}

// DstKind is where a result goes.
type DstKind uint8

// The destinations.
const (
	DstNone DstKind = iota // masked off: visible through PV and PS only
	DstGPR
	DstTemp // clause temporary
)

// Dst is a destination. In a slot masked off, Chan is still the channel of its slot, by
// which PV has the result.
type Dst struct {
	Kind  DstKind
	Chan  uint8
	Index int32
}

// SrcKind is where an operand comes from.
type SrcKind uint8

// The sources. PV and PS hold what the group before yielded, and need no read of a
// register; they are lost at the end of the clause.
const (
	SrcNone    SrcKind = iota
	SrcGPR             // register
	SrcTemp            // clause temporary
	SrcPV              // what the vector slot Chan of the group before yielded
	SrcPS              // what its t slot yielded
	SrcConst           // constant Index of buffer Bank
	SrcLiteral         // Bits, which stands in the group's literals
	SrcInline          // Bits, which the hardware knows by heart
)

// Src is a source operand. The absolute value is taken before the negation. Which
// fields count follows from Kind; Chan counts for all but PS, literals and inline
// constants.
type Src struct {
	Kind     SrcKind
	Chan     uint8
	Neg, Abs bool
	Rel      bool // Index counts from the address register
	Bank     int16
	Index    int32
	Bits     uint32
}

// Inline reports whether the hardware has the word as an inline constant: the integers
// 0, 1 and -1, and the floats 0.5 and 1 (ALU_SRC_0, _1_INT, _M_1_INT, _0_5, _1). They
// take no literal.
func Inline(bits uint32) bool {
	switch bits {
	case 0, 1, 0xFFFFFFFF, 0x3F000000, 0x3F800000:
		return true
	}
	return false
}

// ExportKind is what an export writes.
type ExportKind uint8

// The kinds of exports.
const (
	ExportPixel ExportKind = iota
	ExportPosition
	ExportParam
)

// String is the name listings use before the index.
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

// Memory writes a register to memory, at Base plus what the index register says.
type Memory struct {
	Name     string // of the operation: WRITE, WRITE_IND, STORE_RAW, ADD_RTN, …
	Resource int
	Reg      int
	Sel      [4]Sel
	IndexReg int // -1 without index
	IndexSel [4]Sel
	Base     int
	Scale    int // bytes that the index and Base count
}
