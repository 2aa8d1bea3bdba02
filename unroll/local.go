package unroll

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Local is the pass "promote-local".
var Local = &passes.Pass{
	Name: "promote-local",
	Doc: `keep words of local memory that only one invocation accesses in registers

If invocation t of a group accesses only the n bytes from n*t on, no other invocation sees them, so each word is a
register (scalar replacement, after Daga, Scogland and Feng). The host does not change. It declines for other addresses,
vectors of structured memory and atomic operations.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		f := u.Launched()
		if f == nil {
			return nil
		}
		for _, m := range localsOf(f) {
			if m.why != nil {
				c.Refuse(m.why, "local memory stays")
				continue
			}
			words, regions := m.words(), 0
			f.EachRegion(func(*ir.Region) { regions++ })
			if !c.Spend(len(words)*regions) ||
				!c.ShouldRewrite(m.first, "promoted", "the words of this local memory are kept in registers") {
				continue
			}
			p := &promoter{f: f, local: m, replaced: map[*ir.Value]ir.Lane{}}
			now := map[uint32]*ir.Value{}
			for _, at := range words {
				now[at] = f.Const(0) // as groups find it
			}
			p.region(f.Body, now, nil)
			f.Replace(p.replaced)
			cleanup.Sweep(f)
		}
		return nil
	},
}

// local is a local memory of a kernel.
type local struct {
	first  *ir.Instr
	factor uint32 // bytes of an invocation, 0 until an access is met
	at     map[*ir.Instr]uint32
	why    *passes.Refusal // why it stays
}

// localsOf lists the local memories of f, in the order of their first accesses.
func localsOf(f *ir.Func) (list []*local) {
	launch, forms, of := f.Dialect.Launch(), affine.NewForms(f), map[ir.Reg]*local{}
	size := f.Threads[0]
	if f.Threads[1] != 1 || f.Threads[2] != 1 {
		size = 0
	}
	f.Walk(func(in *ir.Instr) {
		if in.Op != ir.OpMemLoad && in.Op != ir.OpMemStore && in.Op != ir.OpMemAtomic || !launch.Grouped(in.Base) {
			return
		}
		m := of[in.Base]
		if m == nil {
			m = &local{first: in, at: map[*ir.Instr]uint32{}}
			of[in.Base] = m
			list = append(list, m)
		}
		if code, why := m.access(launch, forms, in, size); why != "" && m.why == nil {
			m.why = &passes.Refusal{Pos: in.Pos, Code: code, Why: why}
		}
	})
	return list
}

// access records an access, or returns the reason why its words may belong to several invocations. size is the number
// of invocations of a group, 0 if groups are not rows.
func (m *local) access(launch ir.Launch, forms *affine.Forms, in *ir.Instr, size uint32) (code asm.Code, why string) {
	if size == 0 {
		return "memory", "the group is not declared as a row, so invocations may have equal numbers"
	}
	if _, _, ok := launch.Words(in); !ok || in.Op == ir.OpMemAtomic || in.IsPredicated() || in.Mods != 0 {
		return "memory", "this is not a plain load or store of words"
	}
	form := forms.Of(in.Src[0][0], true)
	terms, ok := forms.Terms(form)
	if !ok || len(terms) != 1 || !isMember(launch, terms[0].Of) {
		return "address", "this address is not a multiple of the number of the invocation in its group, plus a literal"
	}
	last := lanesOf(in)
	more, factor := uint32(int64(form.Plus)), terms[0].Times
	switch end := uint64(more) + 4*uint64(last[len(last)-1]) + 4; {
	case m.factor != 0 && m.factor != factor:
		return "address", "two addresses are different multiples of the number of the invocation"
	case more%4 != 0 || factor%4 != 0 || end > uint64(factor) || uint64(factor)*uint64(size) > 1<<32:
		return "address", "another invocation may access this word"
	}
	m.factor = factor
	m.at[in] = more
	return "", ""
}

// isMember reports whether v is the number of an invocation in its group.
func isMember(launch ir.Launch, v *ir.Value) bool {
	_, added, ok := launch.Member(v.Home)
	return v.Kind == ir.Input && ok && !added
}

// lanesOf lists the lanes that a load or a store accesses.
func lanesOf(in *ir.Instr) (list []int) {
	for m := in.Accessed(); m != 0; m &= m - 1 {
		list = append(list, bits.TrailingZeros8(m))
	}
	return list
}

// words lists the addresses of the words that the kernel accesses, behind the first byte of an invocation.
func (m *local) words() []uint32 {
	set := map[uint32]bool{}
	for in, at := range m.at {
		for _, i := range lanesOf(in) {
			set[at+4*uint32(i)] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// promoter replaces the accesses to a local memory by values.
type promoter struct {
	f        *ir.Func
	local    *local
	replaced map[*ir.Value]ir.Lane
}

// region replaces accesses in r. now has the value of each word, by address. leave are the words that the innermost
// loop carries.
func (p *promoter) region(r *ir.Region, now map[uint32]*ir.Value, leave []uint32) {
	var code []*ir.Instr
	for _, in := range r.Code {
		at, accesses := p.local.at[in]
		switch {
		case accesses && in.Op == ir.OpMemLoad:
			for _, i := range lanesOf(in) {
				p.replaced[in.Out[i]] = ir.Lane{V: now[at+4*uint32(i)]}
			}
			continue
		case accesses:
			code = append(code, p.store(in, at, now)...)
			continue
		case in.Op == ir.OpIf:
			p.branches(in, now, leave)
		case in.Op == ir.OpLoop:
			p.loop(in, now)
		case in.Op == ir.OpBreak:
			in.Args = append(in.Args, valuesOf(leave, now)...)
		}
		code = append(code, in)
	}
	r.Code = code
}

// store sets the words of a store. Lanes with a modifier take a move.
func (p *promoter) store(in *ir.Instr, at uint32, now map[uint32]*ir.Value) (code []*ir.Instr) {
	move := &ir.Instr{Op: ir.OpMov, Src: make([]ir.Operand, 1), Orig: -1, Pos: in.Pos}
	in.Src[1].EachLane(func(i int, x *ir.Lane) {
		v := x.V
		if x.Mod != 0 {
			move.Src[0][i] = *x
			v = p.f.Define(move, i, ir.Reg{})
		}
		now[at+4*uint32(i)] = v
	})
	p.replaced[in.Results[0]] = ir.Lane{V: in.Args[0]}
	if move.Mask() != 0 {
		code = append(code, move)
	}
	return code
}

// valuesOf lists the values of words.
func valuesOf(list []uint32, now map[uint32]*ir.Value) (values []*ir.Value) {
	for _, at := range list {
		values = append(values, now[at])
	}
	return values
}

// stored lists the words to which code within in stores.
func (p *promoter) stored(in *ir.Instr) (list []uint32) {
	set := map[uint32]bool{}
	for _, sub := range in.Sub {
		sub.Walk(func(in *ir.Instr) {
			if at, ok := p.local.at[in]; ok && in.Op == ir.OpMemStore {
				for _, i := range lanesOf(in) {
					set[at+4*uint32(i)] = true
				}
			}
		})
	}
	return slices.Sorted(maps.Keys(set))
}

// branches replaces accesses in both branches of in, which has the words that they store as results.
func (p *promoter) branches(in *ir.Instr, now map[uint32]*ir.Value, leave []uint32) {
	list := p.stored(in)
	for _, sub := range in.Sub {
		inner := maps.Clone(now)
		p.region(sub, inner, leave)
		sub.Results = append(sub.Results, valuesOf(list, inner)...)
	}
	p.results(in, list, now)
}

// loop replaces accesses in a loop, which carries the words that it stores.
func (p *promoter) loop(in *ir.Instr, now map[uint32]*ir.Value) {
	list, body, inner := p.stored(in), in.Sub[0], maps.Clone(now)
	in.Args = append(in.Args, valuesOf(list, now)...)
	for _, at := range list {
		inner[at] = p.f.NewValue(ir.Param, ir.Reg{})
		body.Params = append(body.Params, inner[at])
	}
	p.region(body, inner, list)
	body.Results = append(body.Results, valuesOf(list, inner)...)
	p.results(in, list, now)
}

// results adds results for words to in, which are their values after it.
func (p *promoter) results(in *ir.Instr, list []uint32, now map[uint32]*ir.Value) {
	for _, at := range list {
		v := p.f.NewValue(ir.Result, ir.Reg{})
		v.Def = in
		in.Results = append(in.Results, v)
		now[at] = v
	}
}
