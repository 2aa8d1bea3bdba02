package explore

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Where programs decide, inputs drawn at random are nearly all on one side. So what they
// compare is looked up in the functions: a scout evaluates one on numbers, both sides of
// every branch and a few trips of every loop, and notes the operands of every comparison.
// Which inputs make them equal is then solved for (see Explorer). What it gets wrong, as
// the value of a fetch, costs a try and no more: executions alone decide.

// sense is how the operands of a comparison are read.
type sense uint8

const (
	asFloat sense = iota
	asInt
	asUint
)

// value is the number that bits are.
func (n sense) value(bits uint32) float64 {
	switch n {
	case asInt:
		return float64(int32(bits))
	case asUint:
		return float64(bits)
	}
	return symbolic.Double(bits)
}

// bits are those of the number of the kind that is nearest to x.
func (n sense) bits(x float64) uint32 {
	switch n {
	case asInt:
		return uint32(int32(max(math.MinInt32, min(math.Round(x), math.MaxInt32))))
	case asUint:
		return uint32(max(0, min(math.Round(x), math.MaxUint32)))
	}
	return math.Float32bits(float32(x))
}

// comparison is a place where a program decides, how it reads the operands a and b there, and the
// decisions that it is under.
type comparison struct {
	kind  sense
	rank  int // how much depends on it: 0 most
	by    ir.Prim
	after bool // on the side after
	a, b  uint32
	under []decision
}

// gap is by how much the operands differ.
func (c *comparison) gap() float64 { return c.kind.value(c.a) - c.kind.value(c.b) }

// Turn is a branch or break, on some trips of the loops around it.
type Turn struct {
	at   *ir.Instr
	trip int
}

// decision is a side of a branch, 0 where its condition holds.
type decision struct {
	Turn
	side int
}

// compared tells for primitives that decide how they read their operands, how much depends on them
// (rank: 1 of comparisons, 2 of choices by size, 3 of poles and clamps), whether the first two operands
// are compared, and which numbers the first one is compared with besides.
var compared = map[ir.Prim]struct {
	kind  sense
	rank  int
	pair  bool
	other []float32
}{
	ir.PrimSlt: {asFloat, 1, true, nil}, ir.PrimSge: {asFloat, 1, true, nil}, ir.PrimSelGE: {asFloat, 1, false, []float32{0}},
	ir.PrimGT: {asFloat, 1, true, nil}, ir.PrimEQ: {asFloat, 1, true, nil}, ir.PrimGE: {asFloat, 1, true, nil},
	ir.PrimLT: {asFloat, 1, true, nil}, ir.PrimNE: {asFloat, 1, true, nil}, ir.PrimLE: {asFloat, 1, true, nil},
	ir.PrimFEq: {asFloat, 1, true, nil}, ir.PrimFNe: {asFloat, 1, true, nil}, ir.PrimFLt: {asFloat, 1, true, nil}, ir.PrimFGe: {asFloat, 1, true, nil},
	ir.PrimIEq: {asInt, 1, true, nil}, ir.PrimINe: {asInt, 1, true, nil}, ir.PrimILt: {asInt, 1, true, nil}, ir.PrimIGe: {asInt, 1, true, nil},
	ir.PrimULt: {asUint, 1, true, nil}, ir.PrimUGe: {asUint, 1, true, nil},
	ir.PrimMin: {asFloat, 2, true, nil}, ir.PrimMax: {asFloat, 2, true, nil}, ir.PrimMinIEEE: {asFloat, 2, true, nil}, ir.PrimMaxIEEE: {asFloat, 2, true, nil},
	ir.PrimIMin: {asInt, 2, true, nil}, ir.PrimIMax: {asInt, 2, true, nil}, ir.PrimUMin: {asUint, 2, true, nil}, ir.PrimUMax: {asUint, 2, true, nil},
	ir.PrimSgn: {asFloat, 2, false, []float32{0}}, ir.PrimSelF: {asFloat, 2, false, []float32{0}}, ir.PrimSel: {asInt, 2, false, []float32{0}},
	ir.PrimSat: {asFloat, 3, false, []float32{0, 1}}, ir.PrimRcp: {asFloat, 3, false, []float32{0}}, ir.PrimRsq: {asFloat, 3, false, []float32{0}},
	ir.PrimLog2: {asFloat, 3, false, []float32{0}}, ir.PrimSqrt: {asFloat, 3, false, []float32{0}}, ir.PrimLitSpec: {asFloat, 3, false, []float32{0}},
}

// Program is a function to evaluate, and what its program says about registers.
type Program struct {
	Func *ir.Func
	// Holds tells where the contents of a register come from; bits are those of a literal.
	Holds func(r ir.Reg) (kind ir.Kind, bits uint32)
	// Indexed is the register that the load in reads if the index is k.
	Indexed func(in *ir.Instr, k uint32) (ir.Reg, bool)
}

// scout evaluates a function once, in program order. It is an ir.Algebra of words, so that formulas of
// ops are evaluated by the op table, and notes what primitives compare.
type scout struct {
	ir.Words // the arithmetic
	p        Program
	leaf     func(kind ir.Kind, r ir.Reg) uint32
	vals     []uint32
	known    []bool
	under    []decision // never changed in place
	found    *Survey
	trip     int      // of all loops that are open
	depth    int      // of loops
	idle     int      // branches that are open and not taken
	left     []uint32 // what the innermost loop was left with, nil if it was not
}

// Fetched is the file that stands for what a resource holds.
const Fetched ir.File = 255

// Survey is what scouts note.
type Survey struct {
	Holds map[Turn]bool // the conditions of branches and breaks
	After bool          // what is evaluated is the side after
	Trips int           // of a loop

	met   []comparison
	sides [][]decision // how to come to either side of each
	work  int          // instructions evaluated
}

// Run evaluates the function of p on leaves, notes what it compares in s, and returns the values of
// outputs.
func (s *Survey) Run(p Program, leaf func(kind ir.Kind, r ir.Reg) uint32) func(v *ir.Value) uint32 {
	n := p.Func.NumValues()
	c := &scout{p: p, leaf: leaf, vals: make([]uint32, n), known: make([]bool, n), found: s}
	c.region(p.Func.Body)
	return c.value
}

func (c *scout) value(v *ir.Value) uint32 {
	switch {
	case v == nil:
		return 0
	case c.known[v.ID]:
		return c.vals[v.ID]
	case v.Kind == ir.Literal:
		return v.Bits
	case v.Kind == ir.Input, v.Kind == ir.Uniform:
		c.set(v, c.leaf(v.Kind, v.Home))
	}
	return c.vals[v.ID]
}

func (c *scout) set(v *ir.Value, bits uint32) {
	if v != nil {
		c.vals[v.ID], c.known[v.ID] = bits, true
	}
}

func (c *scout) lane(l ir.Lane) uint32 {
	x := c.value(l.V)
	if l.Mod&ir.Abs != 0 {
		x &^= symbolic.SignBit
	}
	if l.Mod&ir.Neg != 0 {
		x ^= symbolic.SignBit
	}
	if l.Mod&ir.Not != 0 {
		x = oneIf(x == 0)
	}
	return x
}

func (c *scout) note(kind sense, rank int, by ir.Prim, a, b uint32) {
	c.found.met = append(c.found.met, comparison{kind, rank, by, c.found.After, a, b, c.under})
}

// lone tells of each comparison met whether the other side makes none such: by the same primitive, with
// the same operands. What was changed is likely there.
func (s *Survey) lone() []bool {
	type key struct {
		by   ir.Prim
		a, b uint32
	}
	var made [2]map[key]bool
	for i := range made {
		made[i] = map[key]bool{}
	}
	at := func(after bool) int {
		if after {
			return 1
		}
		return 0
	}
	for _, c := range s.met {
		made[at(c.after)][key{c.by, c.a, c.b}] = true
	}
	list := make([]bool, len(s.met))
	for i, c := range s.met {
		list[i] = !made[at(!c.after)][key{c.by, c.a, c.b}]
	}
	return list
}

// Call implements ir.Algebra.
func (c *scout) Call(p ir.Prim, args []uint32) uint32 {
	if row, ok := compared[p]; ok {
		if row.pair {
			c.note(row.kind, row.rank, p, args[0], args[1])
		}
		for _, x := range row.other {
			c.note(row.kind, row.rank, p, args[0], math.Float32bits(x))
		}
	}
	return c.Words.Call(p, args)
}

func (c *scout) region(r *ir.Region) {
	for _, in := range r.Code {
		c.found.work++
		switch in.Op {
		case ir.OpIf:
			c.branch(in)
		case ir.OpLoop:
			c.loop(in)
		case ir.OpBreak:
			c.leave(in)
		case ir.OpKill:
			in.Src[0].Each(func(_ int, l *ir.Lane) { c.note(asFloat, 0, ir.PrimGE, c.lane(*l), 0) })
		default:
			c.instr(in)
		}
	}
}

// condition tells whether a branch or break is taken.
func (c *scout) condition(in *ir.Instr) bool {
	switch {
	case len(in.Src) == 0:
		return true
	case in.Cond == ir.CondNone:
		x := c.lane(in.Src[0][0])
		c.note(asInt, 0, ir.PrimINe, x, 0)
		return x != 0
	}
	return c.compares(in, 0)
}

// compares tells whether the condition of in holds of a lane of its operands.
func (c *scout) compares(in *ir.Instr, lane int) bool {
	a, b := c.lane(in.Src[0][lane]), c.lane(in.Src[1][lane])
	c.note(asFloat, 0, ir.CondPrim(in.Cond), a, b)
	return c.Words.Call(ir.CondPrim(in.Cond), []uint32{a, b}) != 0
}

// branch evaluates both sides of an if, one after the other, so that comparisons of either are met;
// results are those of the side that is taken. Breaks on the other side leave nothing (idle).
func (c *scout) branch(in *ir.Instr) {
	at, under := Turn{in, c.trip}, c.under
	holds := c.condition(in)
	c.found.Holds[at] = holds
	taken := 1
	if holds {
		taken = 0
	}
	for side, sub := range in.Sub {
		c.under = append(slices.Clip(under), decision{at, side})
		if c.trip == 0 {
			c.found.sides = append(c.found.sides, c.under)
		}
		if side != taken {
			c.idle++
		}
		c.region(sub)
		if side != taken {
			c.idle--
		}
	}
	c.under = under
	for k, v := range in.Results {
		c.set(v, c.value(in.Sub[taken].Results[k]))
	}
}

// leave leaves the loop if a break is taken; what comes behind it is under the decision that it
// is not.
func (c *scout) leave(in *ir.Instr) {
	at := Turn{in, c.trip}
	holds := c.condition(in)
	c.found.Holds[at] = holds
	if holds && c.idle == 0 && c.left == nil {
		c.left = c.values(in.Args)
	}
	c.under = append(slices.Clip(c.under), decision{at, 1})
}

func (c *scout) values(of []*ir.Value) []uint32 {
	list := make([]uint32, len(of))
	for k, v := range of {
		list[k] = c.value(v)
	}
	return list
}

// ScoutedTrips are the trips that are evaluated of a loop, and of one in a loop, where there is a
// difference to be found: so many whether it is left or not, so that the comparisons met are always the same.
const ScoutedTrips, innerTrips = 8, 2

// loop evaluates a few trips of a loop, always as many, and takes as its results what it was left with,
// by a break or after its count.
func (c *scout) loop(in *ir.Instr) {
	body := in.Sub[0]
	trip, under, left := c.trip, c.under, c.left
	c.left = nil
	trips, count := 1, ScoutedTrips
	if c.depth++; c.found.Trips > 1 && c.depth == 1 {
		trips = c.found.Trips
	} else if c.found.Trips > 1 && c.depth == 2 {
		trips = innerTrips
	}
	if len(in.Src) > 0 {
		count = ir.LoopCount(c.lane(in.Src[0][0]))
	}
	vals := c.values(in.Args)
	for t := range trips {
		if t >= count && c.left == nil {
			c.left = vals
		}
		for k, p := range body.Params {
			c.set(p, vals[k])
		}
		if body.Index != nil && len(in.Src) > 0 {
			c.set(body.Index, c.lane(in.Src[0][1])+uint32(t)*c.lane(in.Src[0][2]))
		}
		c.trip = trip*ScoutedTrips + t
		c.region(body)
		vals = c.values(body.Results)
	}
	if c.left != nil {
		vals = c.left
	}
	for k, v := range in.Results {
		c.set(v, vals[k])
	}
	c.trip, c.under, c.left = trip, under, left
	c.depth--
}

// instr evaluates an instruction; what a fetch or a memory gives is made up.
func (c *scout) instr(in *ir.Instr) {
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		var x uint32
		switch {
		case in.Op.HasFormula():
			x = ir.Eval[uint32](c, in.Op, i, func(src, lane int) uint32 { return c.lane(in.Src[src][lane]) })
			if in.Mods&ir.Sat != 0 {
				x = c.Call(ir.PrimSat, []uint32{x})
			}
		case in.Op == ir.OpSetp:
			x = oneIf(c.compares(in, i))
		case in.Op == ir.OpLoad:
			x = c.load(in, i)
		case in.Op.Has(ir.IsFetch):
			x = c.leaf(ir.Result, ir.Reg{File: Fetched, Index: uint16(in.Res.Unit), Comp: uint8(i)})
		default:
			x = math.Float32bits(float32(symbolic.Mix(uint64(v.ID))%1024) / 1024)
		}
		if p := in.Pred[i]; p.V != nil && c.lane(p) == 0 {
			x = c.value(in.Keep[i])
		}
		c.set(v, x)
	}
	for k, v := range in.Results {
		c.set(v, uint32(k)+1)
	}
}

// load reads a register by an index; what no register has is 0.
func (c *scout) load(in *ir.Instr, comp int) uint32 {
	r, ok := c.p.Indexed(in, c.lane(in.Src[0][0])+in.Imm)
	if !ok {
		return 0
	}
	r.Comp = uint8(comp)
	switch kind, bits := c.p.Holds(r); kind {
	case ir.Literal:
		return bits
	case ir.Undef:
		return 0
	default:
		return c.leaf(kind, r)
	}
}
