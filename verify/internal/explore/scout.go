package explore

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Random inputs rarely reach the boundary of a decision. A scout therefore evaluates a function on numbers
// and records the operands of every comparison. It evaluates both sides of every branch and a few trips of
// every loop. Explorer then solves for inputs that make them equal. A wrong value, for example of a fetch,
// costs one attempt: only executions decide.

// sense is the type as which a comparison reads its operands.
type sense uint8

const (
	asFloat sense = iota
	asInt
	asUint
)

// value returns the number with these bits.
func (n sense) value(bits uint32) float64 {
	switch n {
	case asInt:
		return float64(int32(bits))
	case asUint:
		return float64(bits)
	}
	return symbolic.Double(bits)
}

// nearestBits returns the bits of the number of this type that is nearest to x.
func (n sense) nearestBits(x float64) uint32 {
	switch n {
	case asInt:
		return uint32(int32(max(math.MinInt32, min(math.Round(x), math.MaxInt32))))
	case asUint:
		return uint32(max(0, min(math.Round(x), math.MaxUint32)))
	}
	return math.Float32bits(float32(x))
}

// comparison is a decision of a program with the operands a and b, their type, and the decisions around it.
type comparison struct {
	kind  sense
	rank  int // importance: 0 is the most important
	by    ir.Prim
	after bool // on the side after
	a, b  uint32
	under []decision
}

// difference returns the difference of the operands.
func (c *comparison) difference() float64 { return c.kind.value(c.a) - c.kind.value(c.b) }

// Turn is a branch or break on certain trips of the loops around it.
type Turn struct {
	at   *ir.Instr
	trip int
}

// decision is a side of a branch, 0 where its condition holds.
type decision struct {
	Turn
	side int
}

// compared describes primitives that decide. It gives the type of their operands and their rank: 1 for
// comparisons, 2 for extremes, 3 for poles and clamps. It also states whether they compare the first two
// operands, and the further numbers to which they compare the first one.
var compared = map[ir.Prim]struct {
	kind  sense
	rank  int
	pair  bool
	other []float32
}{
	ir.PrimSlt: {asFloat, 1, true, nil}, ir.PrimSge: {asFloat, 1, true, nil}, ir.PrimSelGE: {asFloat, 1, false,
		[]float32{0}},
	ir.PrimGT: {asFloat, 1, true, nil}, ir.PrimEQ: {asFloat, 1, true, nil}, ir.PrimGE: {asFloat, 1, true, nil},
	ir.PrimLT: {asFloat, 1, true, nil}, ir.PrimNE: {asFloat, 1, true, nil}, ir.PrimLE: {asFloat, 1, true, nil},
	ir.PrimFEq: {asFloat, 1, true, nil}, ir.PrimFNe: {asFloat, 1, true, nil}, ir.PrimFLt: {asFloat, 1, true,
		nil}, ir.PrimFGe: {asFloat, 1, true, nil},
	ir.PrimIEq: {asInt, 1, true, nil}, ir.PrimINe: {asInt, 1, true, nil}, ir.PrimILt: {asInt, 1, true,
		nil}, ir.PrimIGe: {asInt, 1, true, nil},
	ir.PrimULt: {asUint, 1, true, nil}, ir.PrimUGe: {asUint, 1, true, nil},
	ir.PrimMin: {asFloat, 2, true, nil}, ir.PrimMax: {asFloat, 2, true, nil}, ir.PrimMinIEEE: {asFloat, 2, true,
		nil}, ir.PrimMaxIEEE: {asFloat, 2, true, nil},
	ir.PrimIMin: {asInt, 2, true, nil}, ir.PrimIMax: {asInt, 2, true, nil}, ir.PrimUMin: {asUint, 2, true,
		nil}, ir.PrimUMax: {asUint, 2, true, nil},
	ir.PrimSgn: {asFloat, 2, false, []float32{0}}, ir.PrimSelF: {asFloat, 2, false, []float32{0}}, ir.PrimSel: {asInt, 2,
		false, []float32{0}},
	ir.PrimSat: {asFloat, 3, false, []float32{0, 1}}, ir.PrimRcp: {asFloat, 3, false,
		[]float32{0}}, ir.PrimRsq: {asFloat, 3, false, []float32{0}},
	ir.PrimLog2: {asFloat, 3, false, []float32{0}}, ir.PrimSqrt: {asFloat, 3, false,
		[]float32{0}}, ir.PrimLitSpec: {asFloat, 3, false, []float32{0}},
}

// Program is a function to evaluate, with the meaning of its registers.
type Program struct {
	Func *ir.Func
	// Holds returns the source of a register's contents; bits are those of a literal.
	Holds func(r ir.Reg) (kind ir.Kind, bits uint32)
	// Indexed returns the register that the load in reads for index k.
	Indexed func(in *ir.Instr, k uint32) (ir.Reg, bool)
}

// scout evaluates a function once, in program order. It is an ir.Algebra of words, so the op table
// evaluates the formulas of ops. It records the comparisons of primitives.
type scout struct {
	ir.Words // the arithmetic
	p        Program
	leaf     func(kind ir.Kind, r ir.Reg) uint32
	vals     []uint32
	known    []bool
	under    []decision // never changed in place
	found    *Survey
	trip     int      // of all open loops
	depth    int      // of loops
	idle     int      // open branches that are not taken
	left     []uint32 // results of the exit from the innermost loop, nil before an exit
}

// Fetched is the file of leaves for the contents of resources.
const Fetched ir.File = 255

// Survey holds the records of scouts.
type Survey struct {
	Holds map[Turn]bool // the conditions of branches and breaks
	After bool          // the side being evaluated is after
	Trips int           // of a loop
	Brief bool          // record only Holds

	met   []comparison
	sides [][]decision // decisions on the path to either side of each
	work  int          // instructions evaluated
}

// Run evaluates the function of p on leaves and records its comparisons in s. It returns a function for the
// values of outputs.
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
		c.setValue(v, c.leaf(v.Kind, v.Home))
	}
	return c.vals[v.ID]
}

func (c *scout) setValue(v *ir.Value, bits uint32) {
	if v != nil {
		c.vals[v.ID], c.known[v.ID] = bits, true
	}
}

func (c *scout) laneValue(l ir.Lane) uint32 {
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

func (c *scout) recordComparison(kind sense, rank int, by ir.Prim, a, b uint32) {
	if c.found.Brief {
		return
	}
	c.found.met = append(c.found.met, comparison{kind, rank, by, c.found.After, a, b, c.under})
}

// unmatched reports for each comparison whether the other side has none with the same primitive and operands.
// Such comparisons probably belong to a change.
func (s *Survey) unmatched() []bool {
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
			c.recordComparison(row.kind, row.rank, p, args[0], args[1])
		}
		for _, x := range row.other {
			c.recordComparison(row.kind, row.rank, p, args[0], math.Float32bits(x))
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
			c.evaluateLoop(in)
		case ir.OpBreak:
			c.leave(in)
		case ir.OpKill:
			in.Src[0].EachLane(func(_ int, l *ir.Lane) { c.recordComparison(asFloat, 0, ir.PrimGE, c.laneValue(*l), 0) })
		default:
			c.instr(in)
		}
	}
}

// condition reports whether a branch or break is taken.
func (c *scout) condition(in *ir.Instr) bool {
	switch {
	case len(in.Src) == 0:
		return true
	case in.Cond == ir.CondNone:
		x := c.laneValue(in.Src[0][0])
		c.recordComparison(asInt, 0, ir.PrimINe, x, 0)
		return x != 0
	}
	return c.compares(in, 0)
}

// compares reports whether the condition of in holds for a lane of its operands.
func (c *scout) compares(in *ir.Instr, lane int) bool {
	a, b := c.laneValue(in.Src[0][lane]), c.laneValue(in.Src[1][lane])
	c.recordComparison(asFloat, 0, ir.CondPrim(in.Cond), a, b)
	return c.Words.Call(ir.CondPrim(in.Cond), []uint32{a, b}) != 0
}

// branch evaluates both sides of an if, one after the other, so that it meets the comparisons of both.
// Results are those of the taken side. Breaks on the other side have no effect (idle).
func (c *scout) branch(in *ir.Instr) {
	at, under := Turn{in, c.trip}, c.under
	holds := c.condition(in)
	c.found.Holds[at] = holds
	taken := 1
	if holds {
		taken = 0
	}
	for side, sub := range in.Sub {
		c.decide(under, decision{at, side})
		if c.trip == 0 && !c.found.Brief {
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
		c.setValue(v, c.value(in.Sub[taken].Results[k]))
	}
}

// leave leaves the loop if a break is taken. The code behind the break is under the decision that it is not
// taken.
func (c *scout) leave(in *ir.Instr) {
	at := Turn{in, c.trip}
	holds := c.condition(in)
	c.found.Holds[at] = holds
	if holds && c.idle == 0 && c.left == nil {
		c.left = c.values(in.Args)
	}
	c.decide(c.under, decision{at, 1})
}

// decide adds a decision to the ones in under.
func (c *scout) decide(under []decision, d decision) {
	if !c.found.Brief {
		c.under = append(slices.Clip(under), d)
	}
}

func (c *scout) values(of []*ir.Value) []uint32 {
	list := make([]uint32, len(of))
	for k, v := range of {
		list[k] = c.value(v)
	}
	return list
}

// ScoutedTrips is the number of evaluated trips of a loop in which a difference may exist, innerTrips that
// of a nested loop. The numbers do not depend on exits, so the comparisons are always the same.
const ScoutedTrips, innerTrips = 8, 2

// evaluateLoop evaluates a fixed number of trips of a loop. Its results are those at a break or after its trip
// count.
func (c *scout) evaluateLoop(in *ir.Instr) {
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
		count = ir.LoopCount(c.laneValue(in.Src[0][0]))
	}
	vals := c.values(in.Args)
	for t := range trips {
		if t >= count && c.left == nil {
			c.left = vals
		}
		for k, p := range body.Params {
			c.setValue(p, vals[k])
		}
		if body.Index != nil && len(in.Src) > 0 {
			c.setValue(body.Index, c.laneValue(in.Src[0][1])+uint32(t)*c.laneValue(in.Src[0][2]))
		}
		c.trip = trip*ScoutedTrips + t
		c.region(body)
		vals = c.values(body.Results)
	}
	if c.left != nil {
		vals = c.left
	}
	for k, v := range in.Results {
		c.setValue(v, vals[k])
	}
	c.trip, c.under, c.left = trip, under, left
	c.depth--
}

// instr evaluates an instruction; results of fetches and memory are made up.
func (c *scout) instr(in *ir.Instr) {
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		var x uint32
		switch {
		case in.Op.HasFormula():
			x = ir.Eval[uint32](c, in.Op, i, func(src, lane int) uint32 { return c.laneValue(in.Src[src][lane]) })
			if in.Mods&ir.Sat != 0 {
				x = c.Call(ir.PrimSat, []uint32{x})
			}
		case in.Op == ir.OpSetp:
			x = oneIf(c.compares(in, i))
		case in.Op == ir.OpLoad:
			x = c.loadIndexed(in, i)
		case in.Op.Has(ir.IsFetch):
			x = c.leaf(ir.Result, ir.Reg{File: Fetched, Index: uint16(in.Res.Unit), Comp: uint8(i)})
		default:
			x = math.Float32bits(float32(symbolic.Mix(uint64(v.ID))%1024) / 1024)
		}
		if p := in.Pred[i]; p.V != nil && c.laneValue(p) == 0 {
			x = c.value(in.Keep[i])
		}
		c.setValue(v, x)
	}
	for k, v := range in.Results {
		c.setValue(v, uint32(k)+1)
	}
}

// loadIndexed reads a register by an index; an index without a register reads 0.
func (c *scout) loadIndexed(in *ir.Instr, comp int) uint32 {
	r, ok := c.p.Indexed(in, c.laneValue(in.Src[0][0])+in.Imm)
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
