package unroll

import (
	"errors"
	"math"
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// switchable returns an error if the number of remaining trips modulo n cannot be computed. It
// requires an integer that counts by 1, up or down. With an order comparison such a counter meets
// the bound before it wraps around. With an equality comparison it may wrap around, provided n
// divides 2^32. A float or converted counter is rounded if it is large, and may meet the bound a
// trip earlier or never.
func (c *counter) switchable(n int) error {
	switch {
	case c.float || c.convert:
		return errors.New("its counter is compared as a float, which may be rounded")
	case math.Abs(c.step) != 1 || len(c.steps) > 0:
		return errors.New("the step of its counter is not 1")
	case bits.OnesCount(uint(n)) != 1:
		return errors.New("the bits of the number of remaining trips select the branches, so the factor must be a power of 2")
	}
	return nil
}

// switched unrolls a loop by n, and places the trips beyond a multiple of n before it:
//
//	left := the number of trips
//	if left & 1: a copy of the body, without the exit
//	if left & 2: two copies, and so on below n
//	for {
//		a copy of the body
//		n-1 copies of the body, without the exit
//	}
//
// It is the remainder of Duff's device written as branches. The bits of left select the powers of
// two of trips that run first, so n-1 copies and log2(n) branches suffice for any remainder.
func (m *copier) switched(l *loop, n int) {
	in, c := l.in, l.count
	body := in.Sub[0]
	var before []*ir.Instr
	left := m.computeTrips(&before, c, in.Args[c.index])
	carried := in.Args
	for bit := 1; bit < n; bit *= 2 {
		test := m.scalar(&before, c, ir.OpIAnd, left, ir.Lane{V: m.f.Const(uint32(bit))})
		then, otherwise := &ir.Region{}, &ir.Region{Results: slices.Clone(carried)}
		branch := &ir.Instr{Op: ir.OpIf, Src: []ir.Operand{ir.Splat(test)}, Sub: []*ir.Region{then, otherwise}, Orig: -1,
			Pos: in.Pos, Also: in.Also}
		then.Results = carried
		for range bit {
			then.Results = m.copyBody(&then.Code, body, c.exit, then.Results)
		}
		for _, p := range body.Params {
			v := m.f.NewValue(ir.Result, p.Home)
			v.Def = branch
			branch.Results = append(branch.Results, v)
		}
		before = append(before, branch)
		carried = branch.Results
	}
	in.Args = slices.Clone(carried)
	m.turns(l, n, []step{{index: c.index, by: uint32(int32(c.step))}})
	l.region.Code = append(l.region.Code[:l.at:l.at], append(before, l.region.Code[l.at:]...)...)
}

// computeTrips computes the number of trips from a count on, modulo 2^32. This is the distance to the
// bound, plus one if the loop continues on equality, or zero if the exit is met at once.
func (m *copier) computeTrips(code *[]*ir.Instr, c *counter, first *ir.Value) ir.Lane {
	value := ir.Lane{V: c.slice(m.f, code, c.cmp.Src[c.side][c.test.V.Lane].V, first)}
	from, to := value, c.bound
	if !c.upward {
		from, to = to, from
	}
	n := m.scalar(code, c, ir.OpIAdd, to, m.scalar(code, c, ir.OpINeg, from))
	if c.equal {
		return n
	}
	if c.strict {
		n = m.scalar(code, c, ir.OpIAdd, n, ir.Lane{V: m.f.Const(1)})
	}
	met := c.tested(m.f, code, first, c.bound, true)
	none := ir.Lane{V: m.f.Const(0)}
	if met.Mod&ir.Not != 0 {
		return m.scalar(code, c, ir.OpSel, ir.Lane{V: met.V}, n, none)
	}
	return m.scalar(code, c, ir.OpSel, met, none, n)
}

// scalar appends an instruction that computes one word.
func (m *copier) scalar(code *[]*ir.Instr, c *counter, op ir.Op, src ...ir.Lane) ir.Lane {
	in := &ir.Instr{Op: op, Orig: -1, Pos: c.cmp.Pos}
	for _, l := range src {
		in.Src = append(in.Src, ir.Splat(l))
	}
	*code = append(*code, in)
	return ir.Lane{V: m.f.Define(in, 0, ir.Reg{})}
}
