package ir

// Op is an operation of the IR: an index into the op table. Ops with different numerics are different ops:
// OpMul computes 0 from 0*inf, as Direct3D 9 hardware may, and OpMulIEEE computes NaN. A pass that replaces
// one by the other changes results, even if their formulas look alike.
type Op uint8

// The ops. Each one's row in the table ([rows]) defines its value. The order has no meaning.
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

	// Float32 arithmetic of AMD IL. An op that follows IEEE 754 for zero and NaN has a name in IEEE; the ops
	// above are the legacy kind.
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
	OpPowZ
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

	// Float32 arithmetic of SPIR-V.
	OpAtan2
	OpRound
	OpLdexp
	numOps
)

// NumOps is the number of ops, including OpInvalid. It bounds walks over the op table.
const NumOps = int(numOps)

// Flags are facts about an op that its formula does not state. Passes test flags and never list ops, so a new
// op needs no change in any pass.
type Flags uint16

// The flags.
const (
	// Commutes: the first two sources may be swapped under every numerics. Sums and products give the same
	// bits either way, up to the payload of a NaN, which no program of these models can observe. min and max
	// do not commute: min(-0, +0) and min(NaN, 1) depend on the order.
	Commutes Flags = 1 << iota
	// Effect: must stay even if nothing reads a result, in order with other effects.
	Effect
	// Convergent: reads neighbouring invocations of the quad (derivatives, and fetches that derive a mipmap
	// level from them). It must stay in its region: under varying flow control a neighbour may be inactive,
	// and the derivative is undefined.
	Convergent
	// IsFetch: reads a texture.
	IsFetch
	// Structured: owns regions or leaves one; its operands are conditions.
	Structured
	// Memory: reads or changes memory. Args are the states read, Results the states defined. A load has no
	// Results; a store takes a state and defines the next. Two loads of one address and one state are equal,
	// and value numbering needs no other rule.
	Memory
	// AsSet: its sources read the lanes that are set, for any write mask: an address, data to store, the
	// coordinates of kill.
	AsSet
	// IEEE: zero times an infinity is NaN; legacy products with zero are zero.
	IEEE
	// OnWords: its formula works on bits, not on numbers rounded to float32: comparisons that give masks,
	// bitwise selections, conversions, integers and doubles.
	OnWords
	// Integers: its first source, at least, is an integer or an address.
	Integers
	// Special: it writes a scarce register that other ops do not write (RoleSpecial), an address or a
	// predicate.
	Special
)

// Shape is the correspondence of written lanes and read lanes. It decides how lanes may move (see [Permute]
// and [Join]). [shapeOf] derives it from the formula.
type Shape uint8

// The shapes.
const (
	// Lanewise: lane i reads lane i of every source, as in add. Lanes may be permuted, split and joined
	// together with the lanes of the sources.
	Lanewise Shape = iota
	// Replicated: every written lane gets the same value, from fixed lanes of the sources, as in dp3 and rcp.
	// Lanes may be permuted without changing the sources.
	Replicated
	// Positional: each lane has a different meaning, as in crs or lit, or mixes fixed and moving lanes, as in
	// nrm. No lane may move.
	Positional
)

// Info is one row of the op table, with the facts that init derives from its formulas.
type Info struct {
	name  string
	NSrc  int
	Flags Flags
	Shape Shape
	// legacy is the op without the rules of IEEE 754, and ieee the op with them, or the op itself.
	legacy, ieee Op
	// lanes are the parsed formulas, one a lane; nil where the op cannot write the lane.
	lanes [4]formula
	// reads[src][lane] is the set of lanes of source src that written lane lane depends on.
	reads [4][4]uint8
	// masked[src][mask] is the union of reads[src] over the lanes in mask. Every walk asks for reads by mask.
	masked [4][16]uint8
}

var ops [numOps]Info

// init parses the formulas and derives the lanes that each reads. A row without formulas (fetches, memory,
// flow control) is positional, and ReadsFor handles its lanes.
func init() {
	for op := range rows {
		row := &rows[op]
		info := &ops[op]
		*info = Info{name: row.name, NSrc: row.nsrc, Flags: row.flags, legacy: Op(op), ieee: Op(op)}
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
	for op, old := range legacy {
		ops[op].legacy, ops[old].ieee = old, op
	}
}

// shapeOf classifies a row by its one formula: a name without a component moves with the lane, one with a
// component is fixed. "a*b + c" is lanewise, "a.x*b.x + a.y*b.y" replicated, "a * rsq(a.x*a.x + ...)"
// neither. A row with several formulas is positional by definition.
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
	if op < numOps && ops[op].name != "" {
		return ops[op].name
	}
	return "invalid"
}

// Has reports whether op has all of the given flags.
func (op Op) Has(f Flags) bool { return ops[op].Flags&f == f }

// HasFormula reports whether Eval can compute op.
func (op Op) HasFormula() bool { return len(rows[op].formulas) > 0 }

// Legacy returns the same op without the rules of IEEE 754 about zeros and NaN, or op itself. Over the reals
// the two are the same function, so rewrites of class Real need to test only one of them.
func (op Op) Legacy() Op { return ops[op].legacy }

// IEEE returns the same op with the rules of IEEE 754 about zeros and NaN, or op itself. It is the inverse of Legacy.
func (op Op) IEEE() Op { return ops[op].ieee }

// Writes reports whether op can write lane.
func (op Op) Writes(lane int) bool {
	return !op.HasFormula() || ops[op].lanes[lane] != nil
}

// Reads returns the set of lanes of source src that in depends on, given its write mask.
func (in *Instr) Reads(src int) (lanes uint8) { return in.ReadsFor(src, in.Mask()) }

// ReadsFor returns the set of lanes of source src that in would depend on if it wrote the lanes in mask.
// Passes use it to find which sources die with a lane:
//
//	dp3 r0.x, ...    reads x, y, z of both sources whatever the mask
//	mul r0.xz, ...   reads x and z
//	dst r0.yw, a, b  reads y of a, and y and w of b
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
	// Texture coordinates, up to the dimension of the texture. Projection divides by .w, and bias and level
	// are in .w too, for every shape ("texldp", "texldb" and "texldl" of the Direct3D 9 reference).
	coords := uint8(1)<<in.Res.Dim.Coords() - 1
	switch in.Op {
	case OpSetp:
		return mask
	case OpFetchProj, OpFetchBias, OpFetchLod:
		return coords | 8
	case OpFetch, OpFetchGrad:
		return coords
	case OpLoop:
		// The lanes of a counted loop: trip count, start and step of the counter.
		return 7
	}
	return 1
}
