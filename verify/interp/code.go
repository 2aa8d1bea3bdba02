package interp

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp/internal/lanes"
)

// Lanes is the number of invocations that run together, 16 quads of pixels. The lane mask fits one machine
// word. A register component takes 256 bytes, so the registers of a program mostly stay in the first-level
// cache.
const Lanes = len(Vec{})

// Vec is one component of a register over the lanes of a batch.
type Vec = lanes.Vec

// A mask has a bit per lane.
const allLanes = ^uint64(0)

// slot numbers a Vec of the machine.
type slot = int32

// Slots 0 to scratchSlots-1 are scratch: the first four hold results on their way to a masked write, the
// others hold computed operands.
const (
	resultSlot   = 0
	operandSlot  = 4
	scratchSlots = 72 // a matrix of four relative, modified rows and its vector
)

// ucode is a micro-operation, on whole Vecs.
type ucode uint8

const (
	// a, b, c and so on are src[0], src[1], src[2]. numerics.go defines the operations.
	uCopy ucode = iota
	uNeg
	uAbs
	uAdd
	uSub
	uMul
	uMad
	uMsub  // a*b - c
	uNmsub // c - a*b
	// The first product, then mads: a*b + c*d + e, ... + e*f, ... + g*h.
	uDp2
	uDp3
	uDp4
	// a*(b-c) + c
	uLrp
	uCross // a*b - c*d
	uMin
	uMax
	// 1 where a < b, a >= b, else 0.
	uSlt
	uSge
	// b where a >= 0, else c.
	uCmp
	uFrc
	uFloor
	uRound
	uSgn
	uRcp
	// Computed in float64, for |a|.
	uRsq
	uExp
	uLog
	uPow
	uSin
	uCos
	// litZ(a, b, c)
	uLitZ
	// 1/sqrt(a), or 0 for 0.
	uNormFactor
	uSat
	uRange // the range of a ps_1_x register, see Numerics.Range
	uDiv   // of projected coordinates; does not flush denormals
	// Differences within a quad, the same for both lanes of a row or column.
	uDsx
	uDsy
	uGatherConst // dst = c[src0 + aux].comp, src0 a Vec of indices
	uGatherLoop  // dst = c[aL + aux].comp
	uGatherReg   // dst = slots[table[aux] + 4*(index + base)]
	uScatterReg
	uBlend // dst = src0 in the lanes of mask comp
	uSetp  // p0.comp = src0 cmp src1
	uKill  // kill where src0 < 0
	uFetch
)

// uop is one micro-operation: dst = code(src...) in every lane. An operation reads all sources of a lane
// before it writes that lane, so dst may be a source. The exceptions are operations that move values
// between lanes.
type uop struct {
	code ucode
	comp uint8
	cmp  d3d9.Cmp
	dst  slot
	src  [8]slot
	aux  int32 // gathers: base index; fetch: index into fetches; scatter and gather of registers: index into tables
}

// stmtKind is the kind of a statement.
type stmtKind uint8

const (
	sExec   stmtKind = iota
	sIf              // cond, body, other
	sRep             // reg, body
	sLoop            // reg, body
	sBreak           // cond
	sCall            // label, cond
	sReturn          // leave the subroutine or the program
)

// stmt is a statement of the structured program, compiled from one instruction, or from two of ps_1_x that
// are issued together.
type stmt struct {
	kind stmtKind
	pos  asm.Pos

	// The two forms of an instruction (sExec). direct writes its destination in all lanes; it requires all
	// lanes active and no predicate. masked computes into scratch and blends under the machine's write
	// masks.
	direct, masked list
	pred           predicate
	// group joins the direct forms of consecutive statements. The first of them holds the joined list, and
	// span their number.
	group list
	span  int

	// cond is the condition of sIf, sBreak and sCall. body and other are the blocks of sIf; body is also
	// the body of a loop.
	cond        condition
	body, other []stmt
	reg         int // i# of a loop, index of the subroutine of a call
}

// predicate is an instruction's (p0) prefix, with a swizzle possibly negated.
type predicate struct {
	on  bool
	not bool
	swz d3d9.Swizzle
}

// condKind is the kind of a condition.
type condKind uint8

const (
	condAlways condKind = iota
	condBool            // b#
	condPred            // p0.c
	condCmp             // a comparison
)

// condition is the condition of an if, break or call.
type condition struct {
	kind condKind
	not  bool
	reg  int // b# or component of p0
	cmp  d3d9.Cmp
	prep list // computes a and b, of condCmp
	a, b slot
}

// fetchInfo holds the operands of a texture instruction, as slots.
type fetchInfo struct {
	sampler int
	typ     d3d9.TexType
	lod     lodMode
	coord   [3]slot
	w       slot // bias or level
	dx, dy  [3]slot
	color   [4]slot // scratch
}

// regTable locates a register file that is addressed relatively.
type regTable struct {
	first slot // component x of register 0
	count int
	loop  bool // indexed by aL, else by src0
	base  int
}

// constSlot is a component of a constant register that the program reads at a fixed index. The Vec at slot
// at holds it in all lanes, with its modifier applied. In a map key, at is 0.
type constSlot struct {
	at   slot
	reg  int
	comp int
	mod  d3d9.SrcMod
}

// fill is a slot and the value that it has at the start of every batch.
type fill struct {
	at    slot
	value float32
}
