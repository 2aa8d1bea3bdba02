package ir

// Op is an operation of the IR. Different numerics are different ops.
type Op uint8

const (
	OpInvalid Op = iota
	OpMov
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
	numOps
)

// NumOps is the number of ops, OpInvalid included: what a walk over the op table needs.
const NumOps = int(numOps)

// Flags are facts about an op that its formula does not tell.
type Flags uint8

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
)

// Shape says how written lanes and read lanes correspond.
type Shape uint8

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
	lanes [4]formula
	// reads[src][lane] is the set of source lanes that the written lane depends on.
	reads [4][4]uint8
}

type row struct {
	name     string
	nsrc     int
	flags    Flags
	formulas []string // one for all lanes, or one a lane ("" if the lane cannot be written)
}

func r(name string, nsrc int, flags Flags, formulas ...string) row {
	return row{name, nsrc, flags, formulas}
}

// The op table. Sources are named a, b, c, d; see the type formula. Precision and
// special values are those of the concrete op; verification treats whatever is
// not plus, minus or times as a function known only by name.
var rows = [numOps]row{
	OpMov:       r("mov", 1, 0, "a"),
	OpAdd:       r("add", 2, Commutes, "a + b"),
	OpMul:       r("mul", 2, Commutes, "a*b"), // 0*inf as the hardware has it
	OpMad:       r("mad", 3, Commutes, "a*b + c"),
	OpDp2Add:    r("dp2add", 3, Commutes, "a.x*b.x + a.y*b.y + c.x"),
	OpDp3:       r("dp3", 2, Commutes, "a.x*b.x + a.y*b.y + a.z*b.z"),
	OpDp4:       r("dp4", 2, Commutes, "a.x*b.x + a.y*b.y + a.z*b.z + a.w*b.w"),
	OpMin:       r("min", 2, 0, "min(a, b)"), // not commutative: NaN and the sign of zero
	OpMax:       r("max", 2, 0, "max(a, b)"),
	OpSlt:       r("slt", 2, 0, "slt(a, b)"),
	OpSge:       r("sge", 2, 0, "sge(a, b)"),
	OpCmp:       r("cmp", 3, 0, "selge(a, b, c)"),
	OpLrp:       r("lrp", 3, 0, "a*(b - c) + c"),
	OpFrc:       r("frc", 1, 0, "frc(a)"),
	OpAbs:       r("abs", 1, 0, "abs(a)"),
	OpRcp:       r("rcp", 1, 0, "rcp(a.x)"),
	OpRsq:       r("rsq", 1, 0, "rsq(a.x)"),
	OpExp:       r("exp", 1, 0, "exp2(a.x)"),
	OpExpp:      r("expp", 1, 0, "exp2p(a.x)"),
	OpExppVec:   r("exppvec", 1, 0, "exp2(floor(a.x))", "frc(a.x)", "exp2p(a.x)", "1"),
	OpLog:       r("log", 1, 0, "log2(a.x)"),
	OpLogp:      r("logp", 1, 0, "log2p(a.x)"),
	OpLogpVec:   r("logpvec", 1, 0, "exponent(a.x)", "mantissa(a.x)", "log2p(a.x)", "logpw(a.x)"),
	OpPow:       r("pow", 2, 0, "pow(a.x, b.x)"),
	OpNrm:       r("nrm", 1, 0, "a * rsq(a.x*a.x + a.y*a.y + a.z*a.z)"),
	OpCrs:       r("crs", 2, 0, "a.y*b.z - a.z*b.y", "a.z*b.x - a.x*b.z", "a.x*b.y - a.y*b.x", ""),
	OpLit:       r("lit", 1, 0, "1", "max(a.x, 0)", "litspec(a.x, a.y, a.w)", "1"),
	OpDst:       r("dst", 2, 0, "1", "a.y*b.y", "a.z", "b.w"),
	OpSgn:       r("sgn", 1, 0, "sgn(a)"),
	OpSinCos:    r("sincos", 1, 0, "cos(a.x)", "sin(a.x)", "", ""),
	OpDsx:       r("dsx", 1, Convergent, "dsx(a)"),
	OpDsy:       r("dsy", 1, Convergent, "dsy(a)"),
	OpMova:      r("mova", 1, 0, "round(a)"),
	OpMovaFloor: r("movafloor", 1, 0, "floor(a)"),
	OpSetp:      r("setp", 2, 0), // the comparison is the instruction's Cond
	OpLoad:      r("load", 1, 0), // a register indexed by lane 0 of the source
	OpFetch:     r("fetch", 1, IsFetch|Convergent),
	OpFetchProj: r("fetchproj", 1, IsFetch|Convergent),
	OpFetchBias: r("fetchbias", 1, IsFetch|Convergent),
	OpFetchLod:  r("fetchlod", 1, IsFetch),
	OpFetchGrad: r("fetchgrad", 3, IsFetch),
	OpKill:      r("kill", 1, Effect), // kills where any lane that is set is negative
	OpIf:        r("if", 2, Structured),
	OpLoop:      r("loop", 1, Structured), // lanes of the source: count, start, step
	OpBreak:     r("break", 2, Structured|Effect),
}

var ops [numOps]Info

func init() {
	for op := range rows {
		row := &rows[op]
		info := &ops[op]
		*info = Info{Name: row.name, NSrc: row.nsrc, Flags: row.flags}
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
		for i := range 4 {
			if mask>>i&1 != 0 {
				lanes |= ops[in.Op].reads[src][i]
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
	case OpKill:
		for i, l := range in.Src[0] {
			if l.V != nil {
				lanes |= 1 << i
			}
		}
		return lanes
	case OpLoop:
		return 7
	}
	return 1
}
