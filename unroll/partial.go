package unroll

import "github.com/shaderlift/shaderlift/ir"

// partial puts before the loop at a place one that makes n trips at a time:
//
//	for {
//		if the n-th trip from here would not begin: break
//		n copies of the body, without the exit
//	}
//	the loop as it was, for the trips that are left
//
// Since the exit stays met once it is, n-1 tests are implied by the last one.
func (c *counter) partial(f *ir.Func, region *ir.Region, at, n int) {
	in := region.Code[at]
	body := in.Sub[0]
	var before []*ir.Instr
	bound, exact := c.guarded(f, &before, in.Args[c.index], n)

	unrolled := &ir.Region{}
	main := &ir.Instr{Op: ir.OpLoop, Args: append([]*ir.Value(nil), in.Args...), Sub: []*ir.Region{unrolled}, Orig: -1, Pos: in.Pos}
	for k, p := range body.Params {
		unrolled.Params = append(unrolled.Params, f.NewValue(ir.Param, p.Home))
		v := f.NewValue(ir.Result, p.Home)
		v.Def = main
		main.Results = append(main.Results, v)
		in.Args[k] = v
	}
	count := make([]*ir.Value, n) // on entry to each trip
	count[0] = unrolled.Params[c.index]
	for k := range n - 1 {
		count[k+1] = c.next(f, &unrolled.Code, body, count[0], count[k], k+1)
	}
	test := c.tested(f, &unrolled.Code, count[n-1], bound, exact)
	unrolled.Code = append(unrolled.Code, &ir.Instr{Op: ir.OpBreak, Src: []ir.Operand{ir.Splat(test)},
		Args: append([]*ir.Value(nil), unrolled.Params...), Orig: -1, Pos: c.br.Pos})

	carried, m := unrolled.Params, &copier{f: f}
	for k := range n {
		if carried = m.body(&unrolled.Code, body, c.exit, carried); k+1 < n {
			carried[c.index] = count[k+1]
		}
	}
	unrolled.Results = carried
	region.Code = append(region.Code[:at:at], append(append(before, main), region.Code[at:]...)...)
}

// next is the count after k trips, from that at first or that before the last of them.
func (c *counter) next(f *ir.Func, code *[]*ir.Instr, body *ir.Region, first, before *ir.Value, k int) *ir.Value {
	if c.float || len(c.steps) > 0 {
		return slice(f, code, body.Results[c.index], c.param, before)
	}
	in := &ir.Instr{Op: ir.OpIAdd, Src: make([]ir.Operand, 2), Orig: -1, Pos: c.cmp.Pos}
	lane := int(first.Home.Comp & 3)
	in.Src[0][lane] = ir.Lane{V: first}
	in.Src[1][lane] = ir.Lane{V: f.Const(uint32(int64(c.step) * int64(k)))}
	*code = append(*code, in)
	return f.Define(in, lane, first.Home)
}

// tested compares a count with a bound as the loop does, or if that may not be exact by a
// test that is also true if both are equal.
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
	cmp.Src[side][lane] = ir.Lane{V: slice(f, code, own.V, c.param, count), Mod: own.Mod}
	cmp.Src[1-side][lane] = bound
	*code = append(*code, cmp)
	return ir.Lane{V: f.Define(cmp, lane, c.test.V.Home), Mod: mod}
}
