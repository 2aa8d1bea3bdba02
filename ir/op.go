package ir

// Op is an operation of the IR. Different numerics are different ops.
type Op uint8

// The ops; what each computes is its row of the table.
const (
	OpInvalid Op = iota
	OpMov
	OpRange
	OpAdd
	OpMul
	OpMad
	OpDp2Add
	OpDp3
	OpDp4
	OpMin
	OpMax
	OpSlt
	OpSge
	OpCmp
	OpLrp
	OpFrc
	OpAbs
	OpRcp
	OpRsq
	OpExp
	OpExpp
	OpExppVec
	OpLog
	OpLogp
	OpLogpVec
	OpPow
	OpNrm
	OpCrs
	OpLit
	OpDst
	OpSgn
	OpSinCos
	OpDsx
	OpDsy
	OpMova
	OpMovaFloor
	OpSetp
	OpLoad
	OpFetch
	OpFetchProj
	OpFetchBias
	OpFetchLod
	OpFetchGrad
	OpKill
	OpIf
	OpLoop
	OpBreak

	// Float32 arithmetic of AMD IL. Where the rules of zero and of NaN are those of
	// IEEE 754 the op is one of its own; the ops above are the legacy kind.
	OpMulIEEE
	OpMadIEEE
	OpFma
	OpDp2
	OpDp2IEEE
	OpDp3IEEE
	OpDp4IEEE
	OpDp2AddIEEE
	OpMinIEEE
	OpMaxIEEE
	OpFloor
	OpCeil
	OpTrunc
	OpRndne
	OpMod
	OpClamp
	OpDiv
	OpRcpZ
	OpRsqZ
	OpLogZ
	OpLnZ
	OpSqrt
	OpExpVec
	OpSin
	OpCos
	OpTan
	OpAsin
	OpAcos
	OpAtan
	OpLen
	OpDist
	OpNrmZ
	OpReflect
	OpFEq
	OpFNe
	OpFLt
	OpFGe
	OpSel
	OpSelF

	// Conversions.
	OpFToI
	OpFToU
	OpIToF
	OpUToF
	OpF2F16
	OpF162F
	OpF2D
	OpD2F
	OpDToI
	OpDToU
	OpIToD
	OpUToD

	// 32-bit integers.
	OpIAdd
	OpISub
	OpINeg
	OpIMul
	OpIMulHigh
	OpUMulHigh
	OpIMad
	OpIMul24
	OpUMul24
	OpIMad24
	OpUMad24
	OpIMin
	OpIMax
	OpUMin
	OpUMax
	OpUDiv
	OpUMod
	OpICarry
	OpIBorrow
	OpIEq
	OpINe
	OpILt
	OpIGe
	OpULt
	OpUGe
	OpINot
	OpIAnd
	OpIOr
	OpIXor
	OpIShl
	OpIShr
	OpUShr
	OpUBitExtract
	OpIBitExtract
	OpBfi
	OpUBitInsert
	OpUBitReverse
	OpICbits
	OpFfbLo
	OpFfbHi
	OpFfbShi
	OpBitAlign
	OpByteAlign
	OpSad
	OpU4Lerp
	OpUnpack0
	OpUnpack1
	OpUnpack2
	OpUnpack3

	// Float64 in pairs of lanes, the low word first.
	OpDAdd
	OpDMul
	OpDMad
	OpDDiv
	OpDMin
	OpDMax
	OpDFrac
	OpDFrexp
	OpDLdexp
	OpDRcp
	OpDRsq
	OpDSqrt
	OpDEq
	OpDNe
	OpDLt
	OpDGe

	// Resources and memory.
	OpTexelLoad
	OpFetchX
	OpMemLoad
	OpMemStore
	OpMemAtomic
	OpFence
	OpDiscard
	numOps
)

// NumOps is the number of ops, OpInvalid included: what a walk over the op table needs.
const NumOps = int(numOps)

// Flags are facts about an op that its formula does not tell.
type Flags uint16

// The flags.
const (
	// Commutes: the first two sources may change places under every numerics.
	Commutes Flags = 1 << iota
	// Effect: must stay even if nothing reads a result, in order with other effects.
	Effect
	// Convergent: reads neighbouring invocations, so must not change the region it is in.
	Convergent
	// IsFetch: reads a texture.
	IsFetch
	// Structured: owns regions or leaves one; its operands are conditions.
	Structured
	// Memory: reads or changes memory. Args are the states read, Results those defined.
	Memory
	// AsSet: its sources read the lanes that are set, whatever it writes.
	AsSet
	// IEEE: zero times an infinity is NaN; legacy products with zero are zero.
	IEEE
	// OnWords: its formula is of bits, and not of the numbers that float32 rounds:
	// comparisons that give masks, choices by bits, conversions, integers and doubles.
	OnWords
	// Integers: its first source, if not all of them, are integers or addresses.
	Integers
	// Special: it writes a register that there are few of and that other ops do not write
	// (RoleSpecial), an address or a predicate.
	Special
)

// Shape says how written lanes and read lanes correspond.
type Shape uint8

// The shapes.
const (
	Lanewise   Shape = iota // lane i reads lane i of every source: lanes may be permuted, split and joined
	Replicated              // every written lane gets the same value
	Positional              // each lane has its own meaning
)

// Info is one row of the op table.
type Info struct {
	Name  string
	NSrc  int
	Flags Flags
	Shape Shape
	// legacy is the op itself, or the one that it is but for the rules of IEEE 754.
	legacy Op
	lanes  [4]formula
	// reads[src][lane] is the set of source lanes that the written lane depends on.
	reads [4][4]uint8
	// masked[src][mask] is that of the lanes in mask together.
	masked [4][16]uint8
}

var ops [numOps]Info

func init() {
	for op := range rows {
		row := &rows[op]
		info := &ops[op]
		*info = Info{Name: row.name, NSrc: row.nsrc, Flags: row.flags, legacy: Op(op)}
		if l, ok := legacy[Op(op)]; ok {
			info.legacy = l
		}
		if len(row.formulas) == 0 {
			info.Shape = Positional
			continue
		}
		for lane := range 4 {
			s := row.formulas[min(lane, len(row.formulas)-1)]
			if s == "" {
				continue
			}
			info.lanes[lane] = mustFormula(s)
			for _, n := range info.lanes[lane] {
				if n.kind == nodeArg {
					l := lane
					if n.lane >= 0 {
						l = int(n.lane)
					}
					info.reads[n.arg][lane] |= 1 << l
				}
			}
		}
		for src := range info.reads {
			for mask := range info.masked[src] {
				for lane := range 4 {
					if mask>>lane&1 != 0 {
						info.masked[src][mask] |= info.reads[src][lane]
					}
				}
			}
		}
		info.Shape = shapeOf(row, info)
	}
}

func shapeOf(row *row, info *Info) Shape {
	if len(row.formulas) > 1 {
		return Positional
	}
	fixed, moving := false, false
	for _, n := range info.lanes[0] {
		if n.kind == nodeArg {
			fixed = fixed || n.lane >= 0
			moving = moving || n.lane < 0
		}
	}
	switch {
	case !fixed:
		return Lanewise
	case !moving:
		return Replicated
	}
	return Positional
}

// Info returns the row of op.
func (op Op) Info() *Info { return &ops[op] }

func (op Op) String() string {
	if op < numOps && ops[op].Name != "" {
		return ops[op].Name
	}
	return "invalid"
}

// Has reports whether op has all of the given flags.
func (op Op) Has(f Flags) bool { return ops[op].Flags&f == f }

// HasFormula reports whether Eval can compute op.
func (op Op) HasFormula() bool { return len(rows[op].formulas) > 0 }

// Legacy is the op that is the same but for the rules of IEEE 754 about zeros and NaN, op
// itself if it has none such: what both do over the reals can be asked of one.
func (op Op) Legacy() Op { return ops[op].legacy }

// Writes reports whether op can write lane.
func (op Op) Writes(lane int) bool {
	return !op.HasFormula() || ops[op].lanes[lane] != nil
}

// Reads is the set of lanes of source src that in depends on.
func (in *Instr) Reads(src int) (lanes uint8) { return in.ReadsFor(src, in.Mask()) }

// ReadsFor is the set of lanes of source src that in would depend on if it wrote
// the lanes in mask.
func (in *Instr) ReadsFor(src int, mask uint8) (lanes uint8) {
	if in.Op.HasFormula() {
		return ops[in.Op].masked[src][mask&15]
	}
	if in.Op.Has(AsSet) {
		for i, l := range in.Src[src] {
			if l.V != nil {
				lanes |= 1 << i
			}
		}
		return lanes
	}
	coords := uint8(1)<<in.Res.Dim.Coords() - 1
	switch in.Op {
	case OpSetp:
		return mask
	case OpFetchProj, OpFetchBias, OpFetchLod:
		return coords | 8
	case OpFetch, OpFetchGrad:
		return coords
	case OpLoop:
		return 7
	}
	return 1
}
