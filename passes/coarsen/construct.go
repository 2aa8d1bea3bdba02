package coarsen

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// slot is one block argument of a copied construct: a result, parameter or argument. It represents
// number at of the original in invocations s, which all agree on the value. n is the first of s.
type slot struct {
	at, n int
	s     invocations
}

// handed lists the slots of a construct that is copied for invocations s. by returns the divergence
// of value number at: a result that depends only on the coordinate across becomes one slot for each
// column of s.
func (k *copier) handed(s invocations, n int, by func(at int) divergence) (list []slot) {
	for at := range n {
		for _, part := range k.partition(s, by(at)) {
			list = append(list, slot{at, part[0], part})
		}
	}
	return list
}

// results defines one result of the copy out for each slot. The result represents the original
// result old[x.at] in invocations x.s.
func (k *copier) results(out *ir.Instr, slots []slot, old []*ir.Value) {
	for _, x := range slots {
		v := k.f.NewValue(ir.Result, old[x.at].Home)
		v.Def = out
		out.Results = append(out.Results, v)
		k.setCopies(x.s, old[x.at], v)
	}
}

// appendResults appends the slots' values to the results of region r. old holds the results of the original
// region.
func (k *copier) appendResults(r *ir.Region, slots []slot, old []*ir.Value) {
	for _, x := range slots {
		r.Results = append(r.Results, k.value(x.n, old[x.at]))
	}
}

// branch copies a branch for invocations that all take the same side: the condition is uniform over
// s. A result may still diverge, so each result becomes as many slots as its divergence requires.
func (k *copier) branch(in *ir.Instr, s invocations) {
	out := k.cloneHeader(in, s[0])
	slots := k.handed(s, len(in.Results), func(at int) divergence { return k.divergenceOf(in.Results[at]) })
	for _, sub := range in.Sub {
		r := k.region(sub, s)
		k.appendResults(r, slots, sub.Results)
		out.Sub = append(out.Sub, r)
	}
	k.results(out, slots, in.Results)
	*k.code = append(*k.code, out)
}

// copyLoop copies a loop for invocations with equal trip counts. A parameter and its result share their
// slots, which follow from the union of their divergences.
//
//	x = loop (i = 0, s = 0) { ...; s += a[y, i] * b[i, x] }     tile 2 by 1: i is one slot, s are two
func (k *copier) copyLoop(in *ir.Instr, s invocations) {
	out, body := k.cloneHeader(in, s[0]), in.Sub[0]
	slots := k.handed(s, len(in.Args), func(at int) divergence {
		return k.divergenceOf(body.Params[at]) | k.divergenceOf(in.Results[at])
	})
	out.Args = nil
	var params []*ir.Value
	for _, x := range slots {
		out.Args = append(out.Args, k.value(x.n, in.Args[x.at]))
		params = append(params, k.f.NewValue(ir.Param, body.Params[x.at].Home))
	}
	// Parameters are set after all arguments are read: an argument may be a parameter of the
	// enclosing loop.
	for i, x := range slots {
		k.setCopies(x.s, body.Params[x.at], params[i])
	}
	// Breaks pass values for the same slots.
	k.slots = append(k.slots, slots)
	r := k.region(body, s)
	k.slots = k.slots[:len(k.slots)-1]
	r.Params = params
	k.appendResults(r, slots, body.Results)
	out.Sub = []*ir.Region{r}
	k.results(out, slots, in.Results)
	*k.code = append(*k.code, out)
}

// plain copies an instruction. Each lane gets one copy for each part of s that its divergence
// separates. A lane with less divergence than the others is computed only in the first copy:
//
//	mul r0.xy, vWinCoord0.xy, c0    tile 2 by 2: x in two copies (by column), y in two (by row)
func (k *copier) plain(in *ir.Instr, s invocations) {
	by := divergence(0)
	for i, v := range in.Out {
		if v != nil {
			by |= k.laneDivergence(in, i)
		}
	}
	for _, part := range k.partition(s, by) {
		var lanes [4]invocations // the invocations that share each lane computed here
		mask := uint8(0)
		for i, v := range in.Out {
			if v == nil {
				continue
			}
			// This part computes the lane if it contains the first invocation that shares it.
			for _, same := range k.partition(s, k.laneDivergence(in, i)) {
				if same[0] == part[0] {
					lanes[i], mask = same, mask|1<<i
					k.recordFacts(same, v, k.shifted(in, i, part[0]))
				}
			}
		}
		out := k.shift(in, part[0], mask)
		if out == nil {
			out = k.cloneHeader(in, part[0])
		}
		for i, same := range lanes {
			if same != nil {
				k.setCopies(same, in.Out[i], k.f.Define(out, i, in.Out[i].Home))
			}
		}
		for _, v := range in.Results {
			w := k.f.NewValue(ir.Result, v.Home)
			w.Def = out
			out.Results = append(out.Results, w)
			k.setCopies(part, v, w)
		}
		// Earlier copies compute all of its lanes.
		if out.Mask() == 0 && in.Mask() != 0 {
			continue
		}
		if out.Op.HasFormula() { // clear the source lanes that only removed lanes read
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
			// For the report: coarsening gains from fetches that serve two or more invocations.
			k.shares = k.shares || len(part) > 1
			if in.Res.Dim.Coords() == 1 && k.positionOf(in.Src[0][0]) != nil {
				k.lists = append(k.lists, int(in.Res.Unit))
			}
		}
	}
}

// fetchTable fetches the coordinate of a tile's first invocation once and adds offsets for the
// others. The fetch address is the position in the new launch, because the new tables hold the
// first coordinate of each tile.
func (k *copier) fetchTable(in *ir.Instr, by divergence, s invocations) {
	out := k.cloneHeader(in, s[0])
	out.Src[0][0] = ir.Lane{V: k.f.Leaf(ir.Input, k.positionOf(in.Src[0][0]).Home)}
	for i, v := range in.Out {
		if v != nil {
			k.setCopies(s, v, k.f.Define(out, i, v.Home))
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
				k.setCopies(part, v, k.f.Define(add, i, v.Home))
				x := unknown()
				x.more = float64(more)
				k.recordFacts(part, v, ofFloat(x))
			}
		}
		*k.code = append(*k.code, add)
	}
}

// positionOf returns the position input across that the coordinate of a fetch comes from. It sees
// through moves and conversions that name the same texel. It returns nil for any other coordinate.
func (k *copier) positionOf(l ir.Lane) *ir.Value {
	number := false // l is an integer
	// Follow moves and conversions back to the coordinate. Between integers and floats each
	// conversion must change the type; a pixel's centre n + 0.5 becomes its number n by floor or
	// conversion only.
	for l.Mod == 0 {
		if k.axisOf(l.V) == 0 {
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
