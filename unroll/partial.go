package unroll

import "github.com/shaderlift/shaderlift/ir"

// partial inserts before the loop one that makes n trips at a time:
//
//	for {
//		if the n-th trip from here would not begin: break
//		n copies of the body, without the exit
//	}
//	the loop as it was, for the remaining trips
//
// The last test implies the n-1 before it, since the exit stays met once it is met. Otherwise the
// number of remaining trips is known.
func (c *counter) partial(f *ir.Func, l *loop, n int) {
	in, region, at := l.in, l.region, l.at
	body := in.Sub[0]
	var before []*ir.Instr
	bound, exact := c.guarded(f, &before, in.Args[c.index], n)

	unrolled := &ir.Region{}
	main := &ir.Instr{Op: ir.OpLoop, Args: append([]*ir.Value(nil), in.Args...), Sub: []*ir.Region{unrolled}, Orig: -1,
		Pos: in.Pos, Also: in.Also}
	for k, p := range body.Params {
		unrolled.Params = append(unrolled.Params, f.NewValue(ir.Param, p.Home))
		v := f.NewValue(ir.Result, p.Home)
		v.Def = main
		main.Results = append(main.Results, v)
		in.Args[k] = v
	}
	count := make([]*ir.Value, n) // on entry to each trip
	count[0] = unrolled.Params[c.index]
	// The counter on entry to each of the n trips is computed from the first, so that the test need
	// not wait for the copies.
	for k := range n - 1 {
		count[k+1] = c.countAfter(f, &unrolled.Code, body, count[0], count[k], k+1)
	}
	var test ir.Lane
	if c.equal {
		test = c.testRemaining(f, &before, &unrolled.Code, count[0], n)
	} else {
		test = c.tested(f, &unrolled.Code, count[n-1], bound, exact)
	}
	unrolled.Code = append(unrolled.Code, &ir.Instr{Op: ir.OpBreak, Src: []ir.Operand{ir.Splat(test)},
		Args: append([]*ir.Value(nil), unrolled.Params...), Orig: -1, Pos: c.br.Pos})

	carried, m := unrolled.Params, &copier{f: f}
	for k := range n {
		if carried = m.copyBody(&unrolled.Code, body, c.exit, carried); k+1 < n {
			carried[c.index] = count[k+1]
		}
	}
	unrolled.Results = carried
	region.Code = append(region.Code[:at:at], append(append(before, main), region.Code[at:]...)...)
}

// countAfter returns the count after k trips, computed from the count first or from the count before the
// last trip. Floats are added one by one, as the loop does: k times the step may round differently.
func (c *counter) countAfter(f *ir.Func, code *[]*ir.Instr, body *ir.Region, first, before *ir.Value, k int) *ir.Value {
	if c.float || len(c.steps) > 0 {
		return c.slice(f, code, body.Results[c.index], before)
	}
	return addLiteral(f, code, first, uint32(int64(c.step)*int64(k)), adder(body.Results[c.index]))
}

// tested compares a count with a bound as the loop does. If the bound may be inexact, it uses a
// test that is also true on equality.
func (c *counter) tested(f *ir.Func, code *[]*ir.Instr, count *ir.Value, bound ir.Lane, exact bool) ir.Lane {
	lane, op, side, mod := int(c.test.V.Lane), c.cmp.Op, c.side, c.test.Mod
	if !exact && c.strict {
		if op, side, mod = ir.OpIGe, 0, 0; c.unsigned() {
			op = ir.OpUGe
		}
		if !c.upward {
			side = 1
		}
	}
	own := c.cmp.Src[c.side][lane]
	cmp := &ir.Instr{Op: op, Src: make([]ir.Operand, 2), Orig: -1, Pos: c.cmp.Pos}
	cmp.Src[side][lane] = ir.Lane{V: c.slice(f, code, own.V, count), Mod: own.Mod}
	cmp.Src[1-side][lane] = bound
	*code = append(*code, cmp)
	return ir.Lane{V: f.Define(cmp, lane, c.test.V.Home), Mod: mod}
}

// testRemaining tests whether fewer than n trips remain from a count up to equality with the bound. The
// number of remaining trips is the bound minus the count. An upward loop compares the complement of
// that number instead, which is the count plus the complement of the bound.
func (c *counter) testRemaining(f *ir.Func, before, code *[]*ir.Instr, count *ir.Value, n int) ir.Lane {
	lane := int(c.test.V.Lane)
	define := func(code *[]*ir.Instr, op ir.Op, home ir.Reg, src ...ir.Lane) ir.Lane {
		in := &ir.Instr{Op: op, Src: make([]ir.Operand, len(src)), Orig: -1, Pos: c.cmp.Pos}
		for k, l := range src {
			in.Src[k][lane] = l
		}
		*code = append(*code, in)
		return ir.Lane{V: f.Define(in, lane, home)}
	}
	opposite, op, most := ir.OpINot, ir.OpUGe, uint32(-n)
	if !c.upward {
		opposite, op, most = ir.OpINeg, ir.OpULt, uint32(n)
	}
	bound := define(before, opposite, ir.Reg{}, c.bound)
	value := c.slice(f, code, c.cmp.Src[c.side][lane].V, count)
	left := define(code, ir.OpIAdd, ir.Reg{}, ir.Lane{V: value}, bound)
	return define(code, op, c.test.V.Home, left, ir.Lane{V: f.Const(most)})
}
