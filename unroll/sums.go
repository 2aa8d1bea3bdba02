package unroll

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// splitSums splits the sums of u into parts.
func splitSums(c *passes.Ctx, u *passes.Unit, parts int) (at []*ir.Instr) {
	for _, f := range u.Funcs() {
		for _, ch := range chains(f, parts) {
			last := ch.links[len(ch.links)-1]
			if slices.ContainsFunc(ch.links, func(in *ir.Instr) bool { return !c.Allows(passes.Real, in) }) {
				c.Remarkf(last.Pos, "order", "this sum is not split: another order may round differently")
				continue
			}
			if !c.ShouldRewrite(last, "sum-in-parts", "made the end of sums in parts") {
				break
			}
			ch.split(f, parts)
			at = append(at, last)
		}
		cleanup.Sweep(f)
	}
	return at
}

// chain is a sum that a block computes term by term. Each link adds to the result of the previous
// link, which has no other reader. Over the reals it may be split into sums of every n-th term,
// since addition is associative and commutative. With K parts the dependence chain is K times
// shorter (as loops are interleaved for latency; Hennessy and Patterson, section 3.2).
//
//	s += a;  s += b;  s += c;  s += d       s += a;  t = b;  s += c;  t += d;  s += t
type chain struct {
	region *ir.Region
	loop   *ir.Instr // the loop that carries the sum, if each trip continues it
	outer  *ir.Region
	start  [4]*ir.Value // the first link adds to this: a carried value, or a product
	// carried is the index of the carried value, by lane.
	carried [4]int
	links   []*ir.Instr
}

// accumulates returns the source operand of in that reads the sum to, if in adds a term to it.
func accumulates(in *ir.Instr, to [4]*ir.Value) (src int, ok bool) {
	if in.Mods != 0 || in.IsPredicated() {
		return 0, false
	}
	from, until := 0, 2
	switch in.Op.Legacy() {
	case ir.OpAdd:
	case ir.OpMad, ir.OpFma:
		from, until = 2, 3
	default:
		return 0, false
	}
	for src := from; src < until; src++ {
		ok := true
		for i, v := range in.Out {
			l := in.Src[src][i]
			ok = ok && (v == nil || l.Mod == 0 && l.V == to[i]) && (v != nil || to[i] == nil)
		}
		if ok {
			return src, true
		}
	}
	return 0, false
}

// chains returns the sums of f that are long enough to be split: a part of one term would save
// nothing.
func chains(f *ir.Func, parts int) (list []*chain) {
	uses := f.UseCounts()
	reader := map[*ir.Value]*ir.Instr{}
	f.Walk(func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) {
			if in.Op != ir.OpBreak {
				reader[l.V] = in
			}
		})
	})
	var visit func(r, outer *ir.Region, loop *ir.Instr)
	visit = func(r, outer *ir.Region, loop *ir.Instr) {
		here := map[*ir.Instr]bool{}
		for _, in := range r.Code {
			here[in] = true
		}
		seen := map[*ir.Instr]bool{}
		for _, in := range r.Code {
			if !seen[in] {
				ch := &chain{region: r, outer: outer, loop: loop}
				ch.follow(in, here, seen, uses, reader)
				for _, link := range ch.links {
					seen[link] = true
				}
				if len(ch.links) >= 2*parts {
					ch.isCarried(uses)
					list = append(list, ch)
				}
			}
			for _, sub := range in.Sub {
				if in.Op == ir.OpLoop {
					visit(sub, r, in)
				} else {
					visit(sub, r, nil)
				}
			}
		}
	}
	visit(f.Body, nil, nil)
	return list
}

// follow collects the links from in on, up to a link that was seen. If two products are added, both
// begin the sum, but it is one sum.
func (ch *chain) follow(in *ir.Instr, here, seen map[*ir.Instr]bool, uses []int32, reader map[*ir.Value]*ir.Instr) {
	switch in.Op.Legacy() {
	case ir.OpAdd, ir.OpMad, ir.OpFma, ir.OpMul:
	default:
		return
	}
	if in.Mods != 0 || in.IsPredicated() {
		return
	}
	if in.Op.Legacy() == ir.OpMul {
		ch.start, ch.loop = in.Out, nil
	} else {
		ch.links = append(ch.links, in)
	}
	for {
		var next *ir.Instr
		for _, v := range in.Out {
			if v == nil {
				continue
			}
			x := reader[v]
			if uses[v.ID] != 1 || x == nil || !here[x] || next != nil && x != next {
				return
			}
			next = x
		}
		if next == nil {
			return
		}
		if _, ok := accumulates(next, in.Out); !ok || seen[next] {
			return
		}
		ch.links = append(ch.links, next)
		in = next
	}
}

// isCarried clears ch.loop unless the loop carries the sum and only its exits read the sum in
// between.
func (ch *chain) isCarried(uses []int32) {
	if ch.loop == nil {
		return
	}
	body := ch.region
	first, last := ch.links[0], ch.links[len(ch.links)-1]
	for i, v := range last.Out {
		if v == nil {
			continue
		}
		k := slices.Index(body.Results, v)
		if k < 0 || uses[v.ID] != 1 {
			ch.loop = nil
			return
		}
		ch.start[i], ch.carried[i] = body.Params[k], k
	}
	if _, ok := accumulates(first, ch.start); !ok {
		ch.loop = nil
		return
	}
	exits := int32(0)
	body.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpBreak {
			exits++
		}
	})
	for i, p := range ch.start {
		if p != nil {
			n := int32(0)
			for _, in := range body.Code {
				if in.Op == ir.OpBreak && in.Args[ch.carried[i]] == p {
					n++
				}
			}
			if n != exits || uses[p.ID] != 1+n {
				ch.loop = nil
				return
			}
		}
	}
}

// partial is one of the partial sums of a chain.
type partial struct {
	sum [4]*ir.Value // so far
	at  [4]int       // index of the carried value, by lane
}

// split deals the terms out to n partial sums in turn, and adds those up at the end.
func (ch *chain) split(f *ir.Func, n int) {
	last := ch.links[len(ch.links)-1]
	parts := make([]partial, n)
	parts[0] = partial{ch.start, ch.carried}
	if ch.loop != nil {
		for k := range parts[1:] {
			parts[k+1] = ch.carry(f)
		}
	}
	// Link k goes to part k modulo n. The first link of each new part begins a sum instead of
	// adding to one.
	old := ch.start
	for k, link := range ch.links {
		p := &parts[k%n]
		if k > 0 || ch.loop != nil {
			src, _ := accumulates(link, old)
			if p.sum == ([4]*ir.Value{}) {
				begin(link, src)
			} else {
				for i, v := range p.sum {
					link.Src[src][i].V = v
				}
			}
		}
		if old = link.Out; link == last { // readers of the last link must read the total
			for i, v := range old {
				if v != nil {
					f.Define(link, i, v.Home)
				}
			}
		}
		p.sum = link.Out
	}
	// The total follows the last link, or the loop if that carries the parts.
	region, after := ch.region, last
	if ch.loop != nil {
		region, after = ch.outer, ch.loop
		for i, v := range ch.start {
			if v != nil {
				old[i] = ch.loop.Results[ch.carried[i]]
			}
		}
		for k := range parts {
			ch.leave(f, &parts[k])
		}
	}
	at := slices.Index(region.Code, after) + 1
	region.Code = slices.Insert(region.Code, at, total(f, parts, old, last)...)
}

// begin removes the sum operand src of link, so that its term begins a new sum.
func begin(link *ir.Instr, src int) {
	switch link.Op {
	case ir.OpMad:
		link.Op = ir.OpMul
	case ir.OpMadIEEE, ir.OpFma:
		link.Op = ir.OpMulIEEE
	default:
		link.Op = ir.OpMov
	}
	link.Src = slices.Delete(slices.Clone(link.Src), src, src+1)
}

// carry adds a carried value to the loop for another partial sum, which starts at 0.
func (ch *chain) carry(f *ir.Func) (p partial) {
	body := ch.region
	for i, v := range ch.start {
		if v == nil {
			continue
		}
		param, result := f.NewValue(ir.Param, v.Home), f.NewValue(ir.Result, v.Home)
		result.Def = ch.loop
		p.sum[i], p.at[i] = param, len(body.Params)
		body.Params, body.Results = append(body.Params, param), append(body.Results, param)
		ch.loop.Args, ch.loop.Results = append(ch.loop.Args, f.Const(0)), append(ch.loop.Results, result)
		for _, in := range body.Code {
			if in.Op == ir.OpBreak {
				in.Args = append(in.Args, param)
			}
		}
	}
	return p
}

// leave makes p the value that a trip passes on, and replaces p by the loop's result.
func (ch *chain) leave(f *ir.Func, p *partial) {
	for i, v := range p.sum {
		if v == nil {
			continue
		}
		k := p.at[i]
		ch.region.Results[k] = v
		result := f.NewValue(ir.Result, v.Home)
		result.Def = ch.loop
		ch.loop.Results[k], p.sum[i] = result, result
	}
}

// total adds up the parts, in pairs, to the values of out.
func total(f *ir.Func, parts []partial, out [4]*ir.Value, like *ir.Instr) (code []*ir.Instr) {
	for ; len(parts) > 1; parts = append(parts[2:], parts[0]) {
		in := &ir.Instr{Op: ir.OpAdd, Src: make([]ir.Operand, 2), Orig: -1, Pos: like.Pos, Also: like.Also}
		for i, v := range out {
			if v == nil {
				continue
			}
			in.Src[0][i], in.Src[1][i] = ir.Lane{V: parts[0].sum[i]}, ir.Lane{V: parts[1].sum[i]}
			if len(parts) > 2 {
				f.Define(in, i, v.Home)
			} else {
				in.Out[i], v.Def, v.Lane = v, in, uint8(i)
			}
		}
		parts[0] = partial{sum: in.Out}
		code = append(code, in)
	}
	return code
}
