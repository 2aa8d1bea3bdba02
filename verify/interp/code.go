package interp

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp/internal/lanes"
)

// Lanes is how many invocations run together, 16 quads of pixels: one machine word of lane mask, and
// registers of 256 bytes a component, so that those of a program mostly stay in the first-level cache.
const Lanes = len(Vec{})

// Vec is one component of a register over the lanes of a batch.
type Vec = lanes.Vec

// A mask has a bit per lane.
const allLanes = ^uint64(0)

// slot numbers a Vec of the machine.
type slot = int32

// Slots 0 to scratchSlots-1 are scratch: the first four hold results on their way
// to a masked write, the others operands that had to be computed.
const (
	resultSlot   = 0
	operandSlot  = 4
	scratchSlots = 72 // a matrix of four relative, modified rows and its vector
)

// ucode is a micro-operation, on whole Vecs.
type ucode uint8

const (
	// a, b, c and so on are src[0], src[1], src[2]. What they compute is in numerics.go.
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
	// Of the size of a, in float64.
	uRsq
	uExp
	uLog
	uPow
	uSin
	uCos
	// litZ(a, b, c)
	uLitZ
	// 1/sqrt(a), 0 of 0.
	uNormFactor
	uSat
	uRange // what ps_1_x keeps of a number, see Numerics.Range
	uDiv   // of coordinates that are projected; nothing is flushed
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

// uop is one micro-operation: dst = code(src...), in every lane. Operations read all sources of a lane
// before they write it, so that dst may be a source, but for the ones that move lanes about.
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

	// Of sExec: the two forms of one instruction. direct writes its destination outright and serves
	// while every lane is live and there is no predicate; masked computes into scratch and blends
	// where the machine's write masks say.
	direct, masked list
	pred           predicate
	// Of the first of several statements that have direct forms and nothing between them: these
	// forms together, and how many statements that are.
	group list
	span  int

	// cond is what sIf, sBreak and sCall depend on; body and other are blocks of sIf, or the body of
	// a loop.
	cond        condition
	body, other []stmt
	reg         int // i# of a loop, index of the subroutine of a call
}

// predicate is an instruction's (p0) prefix, with a swizzle and perhaps negated.
type predicate struct {
	on  bool
	not bool
	swz d3d9.Swizzle
}

// condKind tells where a condition comes from.
type condKind uint8

const (
	condAlways condKind = iota
	condBool            // b#
	condPred            // p0.c
	condCmp             // a comparison
)

// condition is what an if, break or call depends on.
type condition struct {
	kind condKind
	not  bool
	reg  int // b# or component of p0
	cmp  d3d9.Cmp
	prep list // computes a and b, of condCmp
	a, b slot
}

// fetchInfo is the operands of a texture instruction, as slots.
type fetchInfo struct {
	sampler int
	typ     d3d9.TexType
	lod     LODMode
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

// constSlot is a component of a constant register that the program reads at a fixed index, spread over
// the Vec at slot at with its modifier applied. As a key at is 0.
type constSlot struct {
	at   slot
	reg  int
	comp int
	mod  d3d9.SrcMod
}

// fill is a Vec that starts every batch with one value.
type fill struct {
	at    slot
	value float32
}
