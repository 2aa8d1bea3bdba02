package unroll

import (
	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
)

// exact unrolls a loop of known trip count by n. It places the trips beyond a multiple of n before
// the loop:
//
//	copies of the body, without the exit
//	for {
//		a copy of the body
//		n-1 copies of the body, without the exit
//	}
//
// The exit is met on the first trip that is not made. That trip is now the first of n, and no
// earlier test is met. The loop therefore needs no other test, whatever the exit depends on. If
// counts is true, the integers that the exit depends on advance n trips at a time.
func (m *copier) exact(l *loop, n int, counts bool) {
	in := l.in
	var steps []step
	if counts && l.exit != nil {
		steps = l.exit.steps(in)
	}
	var before []*ir.Instr
	carried := in.Args
	rest := l.trips % n
	for range rest {
		carried = m.copyBody(&before, in.Sub[0], l.exit, carried)
	}
	for _, s := range steps {
		if rest > 0 {
			carried[s.index] = m.f.Const(s.start + s.by*uint32(rest))
		}
	}
	in.Args = carried
	m.turns(l, n, steps)
	l.region.Code = append(l.region.Code[:l.at:l.at], append(before, l.region.Code[l.at:]...)...)
}

// turns makes n trips of l one trip; only the first copy keeps the exit. A loop counted by a
// register ends by its count. Its other exits stay, and so do reads of the counter, whose addresses
// are shifted instead:
//
//	add r0, r0, c[aL + 4]      second copy: add r0, r0, c[aL + 5], if a trip counts 1
func (m *copier) turns(l *loop, n int, steps []step) {
	in := l.in
	body := in.Sub[0]
	unrolled := &ir.Region{}
	for _, p := range body.Params {
		unrolled.Params = append(unrolled.Params, m.f.NewValue(ir.Param, p.Home))
	}
	if body.Index != nil {
		unrolled.Index = m.f.NewValue(ir.Param, body.Index.Home)
		m.index = unrolled.Index
	}
	carried := m.copyBody(&unrolled.Code, body, nil, unrolled.Params)
	for k := 1; ; k++ {
		for _, s := range steps {
			carried[s.index] = addLiteral(m.f, &unrolled.Code, unrolled.Params[s.index], s.by*uint32(k),
				adder(body.Results[s.index]))
		}
		if k == n {
			break
		}
		from := len(unrolled.Code)
		carried = m.copyBody(&unrolled.Code, body, l.exit, carried)
		if body.Index != nil {
			shift(unrolled.Code[from:], unrolled.Index, l.stride()*k)
		}
	}
	unrolled.Results = carried
	// The register counts fewer trips, and each advances it further.
	if l.exit == nil {
		in.Src[0][0] = ir.Lane{V: m.f.Const(uint32(l.trips / n))}
		if body.Index != nil && n < l.trips { // a single trip does not advance the counter
			in.Src[0][2] = ir.Lane{V: m.f.Const(uint32(l.stride() * n))}
		}
	}
	in.Sub[0] = unrolled
}

// shift adds by to addresses that are relative to the counter.
func shift(code []*ir.Instr, index *ir.Value, by int) {
	for _, in := range code {
		in.EachUse(func(l *ir.Lane) {
			if l.V == index {
				in.Base.Index += uint16(by)
			}
		})
		for _, sub := range in.Sub {
			shift(sub.Code, index, by)
		}
	}
}

// step is the increment of a carried integer in one trip.
type step struct {
	index     int
	start, by uint32
}

// steps lists the integers to which a trip adds literals and on which the exit of a loop depends.
// The copies can add to the first value of n trips instead of to each other's result.
func (e *exit) steps(in *ir.Instr) (list []step) {
	if e.test.V == nil {
		return nil
	}
	t, _ := newTrial(in, e.test.V)
	body := in.Sub[0]
next:
	for _, k := range t.carried {
		by := uint32(0)
		for v := body.Results[k]; v != body.Params[k]; {
			a, ok := affine.Addition(v, affine.IsLiteral)
			if !ok || a.Float {
				continue next
			}
			if a.By.V != nil {
				by += a.Bits()
			}
			v = a.From
		}
		if by != 0 {
			list = append(list, step{k, affine.Origin(in.Args[k]).Bits, by})
		}
	}
	return list
}

// adder returns the addition that computes v, looking through moves.
func adder(v *ir.Value) *ir.Instr {
	for v.Def.Op == ir.OpMov {
		v = v.Def.Src[0][v.Lane].V
	}
	return v.Def
}

// addLiteral adds a literal to a count. The addition takes its position from like.
func addLiteral(f *ir.Func, code *[]*ir.Instr, count *ir.Value, by uint32, like *ir.Instr) *ir.Value {
	in := &ir.Instr{Op: ir.OpIAdd, Src: make([]ir.Operand, 2), Orig: -1, Pos: like.Pos, Also: like.Also}
	lane := int(count.Home.Comp & 3)
	in.Src[0][lane] = ir.Lane{V: count}
	in.Src[1][lane] = ir.Lane{V: f.Const(by)}
	*code = append(*code, in)
	return f.Define(in, lane, count.Home)
}
