package coarsen

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// slot is one of the values that a construct of the copy hands over: result, parameter or argument
// number at of the original, as invocations s have it. They agree on it, so one value stands for
// all; n is the first of them.
type slot struct {
	at, n int
	s     invocations
}

// handed lists what a construct for invocations s hands over. by tells what decides value number
// at: a result that depends on the coordinate across only becomes one slot per column of s.
func (k *copier) handed(s invocations, n int, by func(at int) divergence) (list []slot) {
	for at := range n {
		for _, part := range k.partition(s, by(at)) {
			list = append(list, slot{at, part[0], part})
		}
	}
	return list
}

// results defines the results of the copy out: one for each slot, which stands for result x.at of
// the original (old) in x.s.
func (k *copier) results(out *ir.Instr, slots []slot, old []*ir.Value) {
	for _, x := range slots {
		v := k.f.NewValue(ir.Result, old[x.at].Home)
		v.Def = out
		out.Results = append(out.Results, v)
		k.set(x.s, old[x.at], v)
	}
}

// pass makes region r hand over the slots: old are the results of the original region.
func (k *copier) pass(r *ir.Region, slots []slot, old []*ir.Value) {
	for _, x := range slots {
		r.Results = append(r.Results, k.value(x.n, old[x.at]))
	}
}

// branch copies a branch for invocations that go the same way: its condition is the same for all of
// s. A value in it may still differ, so each result is handed over as often as it varies.
func (k *copier) branch(in *ir.Instr, s invocations) {
	out := k.cloneHeader(in, s[0])
	slots := k.handed(s, len(in.Results), func(at int) divergence { return k.of(in.Results[at]) })
	for _, sub := range in.Sub {
		r := k.region(sub, s)
		k.pass(r, slots, sub.Results)
		out.Sub = append(out.Sub, r)
	}
	k.results(out, slots, in.Results)
	*k.code = append(*k.code, out)
}

// loop copies a loop for invocations that make the same trips. Parameters and results go together:
// the slots are those of what either varies by.
//
//	x = loop (i = 0, s = 0) { ...; s += a[y, i] * b[i, x] }     tile 2 by 1: i is one slot, s are two
func (k *copier) loop(in *ir.Instr, s invocations) {
	out, body := k.cloneHeader(in, s[0]), in.Sub[0]
	slots := k.handed(s, len(in.Args), func(at int) divergence { return k.of(body.Params[at]) | k.of(in.Results[at]) })
	out.Args = nil
	var params []*ir.Value
	for _, x := range slots {
		out.Args = append(out.Args, k.value(x.n, in.Args[x.at]))
		params = append(params, k.f.NewValue(ir.Param, body.Params[x.at].Home))
	}
	// Parameters are set when all arguments are read: an argument may be a parameter of the loop
	// around.
	for i, x := range slots {
		k.set(x.s, body.Params[x.at], params[i])
	}
	// Breaks hand over the same slots.
	k.slots = append(k.slots, slots)
	r := k.region(body, s)
	k.slots = k.slots[:len(k.slots)-1]
	r.Params = params
	k.pass(r, slots, body.Results)
	out.Sub = []*ir.Region{r}
	k.results(out, slots, in.Results)
	*k.code = append(*k.code, out)
}

// plain copies an instruction, each lane as often as what decides it asks for. A lane that fewer
// coordinates decide than the others is computed in the first copy only:
//
//	mul r0.xy, vWinCoord0.xy, c0    tile 2 by 2: x in two copies (by column), y in two (by row)
func (k *copier) plain(in *ir.Instr, s invocations) {
	by := divergence(0)
	for i, v := range in.Out {
		if v != nil {
			by |= k.lane(in, i)
		}
	}
	for _, part := range k.partition(s, by) {
		var lanes [4]invocations // that are computed here, for whom
		mask := uint8(0)
		for i, v := range in.Out {
			if v == nil {
				continue
			}
			// The lane is computed here if this part has the first of those that share it.
			for _, same := range k.partition(s, k.lane(in, i)) {
				if same[0] == part[0] {
					lanes[i], mask = same, mask|1<<i
					k.know(same, v, k.shifted(in, i, part[0]))
				}
			}
		}
		out := k.shift(in, part[0], mask)
		if out == nil {
			out = k.cloneHeader(in, part[0])
		}
		for i, same := range lanes {
			if same != nil {
				k.set(same, in.Out[i], k.f.Define(out, i, in.Out[i].Home))
			}
		}
		for _, v := range in.Results {
			w := k.f.NewValue(ir.Result, v.Home)
			w.Def = out
			out.Results = append(out.Results, w)
			k.set(part, v, w)
		}
		// All its lanes are computed by an earlier copy.
		if out.Mask() == 0 && in.Mask() != 0 {
			continue
		}
		if out.Op.HasFormula() { // what lanes that are left out would read
			for i := range out.Src {
				reads := out.ReadsFor(i, out.Mask())
				for c := range out.Src[i] {
					if reads>>c&1 == 0 {
						out.Src[i][c] = ir.Lane{}
					}
				}
			}
		}
		*k.code = append(*k.code, out)
		if in.Op.Has(ir.IsFetch) {
			// For the report: a fetch that serves two invocations is what coarsening gains.
			k.shares = k.shares || len(part) > 1
			if in.Res.Dim.Coords() == 1 && k.positionOf(in.Src[0][0]) != nil {
				k.lists = append(k.lists, int(in.Res.Unit))
			}
		}
	}
}

// fetchTable fetches a coordinate, which is the same element for all of a tile, and counts on from
// it. The element is that of the first invocation, fetched at the position of the new kernel, whose
// tables hold where tiles begin.
func (k *copier) fetchTable(in *ir.Instr, by divergence, s invocations) {
	out := k.cloneHeader(in, s[0])
	out.Src[0][0] = ir.Lane{V: k.f.Leaf(ir.Input, k.positionOf(in.Src[0][0]).Home)}
	for i, v := range in.Out {
		if v != nil {
			k.set(s, v, k.f.Define(out, i, v.Home))
		}
	}
	*k.code = append(*k.code, out)
	for _, part := range k.partition(s, by) {
		more, _ := k.t.Table(int(in.Res.Unit), part[0])
		if more == 0 {
			continue
		}
		add := &ir.Instr{Op: ir.OpAdd, Src: make([]ir.Operand, 2), Orig: -1, Pos: in.Pos}
		for i, v := range in.Out {
			if v != nil {
				add.Src[0][i] = ir.Lane{V: out.Out[i]}
				add.Src[1][i] = ir.Lane{V: k.f.Const(math.Float32bits(float32(more)))}
				k.set(part, v, k.f.Define(add, i, v.Home))
				x := unknown()
				x.more = float64(more)
				k.know(part, v, ofFloat(x))
			}
		}
		*k.code = append(*k.code, add)
	}
}

// positionOf is the leaf that the coordinate of a fetch leads to: the position across, or what
// names the same texel, such as its number. It is nil for another coordinate.
func (k *copier) positionOf(l ir.Lane) *ir.Value {
	number := false // l is an integer
	// Follow moves and conversions back to the coordinate. Between integers and floats each
	// conversion must change the type; a pixel's centre n + 0.5 becomes its number n by floor or
	// conversion only.
	for l.Mod == 0 {
		if k.axis(l.V) == 0 {
			if _, half := k.f.Dialect.Launch().Coordinate(l.V.Home); half && !number {
				return l.V
			}
			return nil
		}
		in := l.V.Def
		if in == nil || in.Mods != 0 {
			break
		}
		switch in.Op {
		case ir.OpMov:
		case ir.OpFloor, ir.OpTrunc:
			if number {
				return nil
			}
		case ir.OpIToF, ir.OpUToF, ir.OpFToI, ir.OpFToU:
			if toFloat := in.Op == ir.OpIToF || in.Op == ir.OpUToF; toFloat == number {
				return nil
			}
			number = !number
		default:
			return nil
		}
		l = in.Src[0][l.V.Lane]
	}
	return nil
}
