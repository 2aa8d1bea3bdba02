package unroll

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Stage is the pass "stage-local".
var Stage = &passes.Pass{
	Name: "stage-local",
	Doc: `load words that a group reads in a loop into local memory together

If all invocations of a group of N load the same words of views in each trip of a loop, each invocation loads the words
of one trip into local memory, once for N trips. Two barriers enclose these stores. The kernel only reads the views, and
the host must not bind memory that the kernel writes to them, as for restrict.

The group is a row of a power of two of invocations, which has neither barriers nor local memory yet. The loop is in no
other loop. Its counter begins at a multiple of N, its step divides N, and the group enters and leaves it together.
Addresses are sums of multiples of the counter, of constants and of the number of the group. An invocation may store to
no word that another one of its group accesses. No level runs the pass: only the application knows its bindings.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		f := u.Kernel
		if f == nil || f.Dialect.Launch() == nil {
			return nil
		}
		launch := f.Dialect.Launch()
		whole := map[*ir.Region]bool{}
		(&alike{launch: launch, seen: map[*ir.Value]bool{}}).regions(f.Body, whole)
		waits, changed := false, false
		f.Walk(func(in *ir.Instr) {
			waits = waits || in.Op == ir.OpFence || in.Op == ir.OpDiscard || in.Op == ir.OpKill ||
				in.Op.Has(ir.Memory) && len(in.Args) > 0 && launch.Grouped(in.Args[0].Home)
		})
		for _, s := range sites(f) {
			l := &stager{site: s, f: f, launch: launch, local: launch.Local(), size: max(f.Threads[0], 1),
				forms: affine.OfValues(f), wordOf: map[*ir.Value]stagedWord{}}
			loads := l.findCounter()
			if len(loads) == 0 {
				continue
			}
			why := "the kernel has barriers, local memory or discards"
			if !waits {
				why = l.refuse(loads, whole)
			}
			if why != "" {
				c.Remarkf(s.in.Pos, "not-staged", "words that this loop loads are not staged in local memory: %s", why)
				continue
			}
			what := fmt.Sprintf("a group loads the words of a trip (%d for an invocation) into local memory together", len(l.words))
			if c.ShouldRewrite(loads[0], "staged", what) {
				l.rewrite(loads)
				changed = true
			}
		}
		if changed {
			if u.Tile == (ir.Tile{}) {
				u.Tile = ir.Tile{X: 1, Y: 1}
			}
			u.Tile.Restrict = true
			cleanup.Sweep(f)
		}
		return nil
	},
}

// regions marks r and the regions in it that all invocations of a group execute together, outside loops.
func (u *alike) regions(r *ir.Region, whole map[*ir.Region]bool) {
	whole[r] = true
	for _, in := range r.Code {
		if in.Op == ir.OpIf && u.decides(in) {
			for _, sub := range in.Sub {
				u.regions(sub, whole)
			}
		}
	}
}

// decides reports whether in, a branch or an exit, decides alike for all invocations of a group.
func (u *alike) decides(in *ir.Instr) bool {
	return !slices.ContainsFunc(in.Src, func(o ir.Operand) bool { return !u.value(o[0].V) })
}

// maxLocalBytes is the local memory of a group on HD 4000 GPUs (R700-Family Instruction Set Architecture). Later ones
// have more.
const maxLocalBytes = 16 << 10

// stager is a loop whose loads go through local memory.
type stager struct {
	site
	f       *ir.Func
	launch  ir.Launch
	local   ir.LocalMemory
	size    uint32 // invocations of a group
	forms   *affine.Forms
	counter *ir.Value
	step    uint32
	words   []word // in the part of local memory that belongs to an invocation
	wordOf  map[*ir.Value]stagedWord
}

// word is a word that each invocation stages: lane of like, as it is executed in a later trip. Its address is at, or a
// word of a vector at this address if that might wrap around.
type word struct {
	like     *ir.Instr
	lane     int
	base     affine.Base
	at       int64
	inVector int
}

// stagedWord is a word as it is loaded a number of trips ahead.
type stagedWord struct{ word, ahead int }

// stride returns the bytes of local memory that belong to an invocation.
func (l *stager) stride() uint32 { return 4 << bits.Len(uint(len(l.words)-1)) }

// findCounter finds a counter of the loop, and lists loads of words that it alone selects for a group, by address.
func (l *stager) findCounter() (loads []*ir.Instr) {
	body, written, uses := l.in.Sub[0], map[ir.Reg]bool{}, l.f.UseCounts()
	isRead := func(v *ir.Value) bool { return v != nil && uses[v.ID] > 0 }
	l.f.Walk(func(in *ir.Instr) {
		written[in.Base] = written[in.Base] || in.Op == ir.OpMemStore || in.Op == ir.OpMemAtomic
	})
	for k, v := range body.Params {
		first, next := l.forms.Of(ir.Lane{V: l.in.Args[k]}, true), l.forms.Of(ir.Lane{V: body.Results[k]}, true)
		terms, ok := l.forms.Terms(next)
		step := uint32(int64(next.Plus))
		if !ok || len(terms) != 1 || terms[0] != (affine.Term{Of: v, Times: 1}) || step == 0 || l.size%step != 0 ||
			!first.IsNumber() || uint32(int64(first.Plus))%l.size != 0 {
			continue
		}
		l.counter, l.step = v, step
		body.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpMemLoad && l.launch.Raw(in) && !written[in.Base] && !in.IsPredicated() && in.Mods == 0 &&
				l.times(in) > 0 && slices.ContainsFunc(in.Out[:], isRead) {
				loads = append(loads, in)
			}
		})
		if len(loads) > 0 {
			break
		}
	}
	slices.SortStableFunc(loads, func(a, b *ir.Instr) int { return cmp.Compare(l.address(a).Plus, l.address(b).Plus) })
	return loads
}

// address returns the address of an access to words.
func (l *stager) address(in *ir.Instr) affine.Form { return l.forms.Of(in.Src[0][0], true) }

// times returns the multiple of the counter in the address of a load, or 0 if the address depends on anything but the
// counter and values that a group shares.
func (l *stager) times(in *ir.Instr) (times int64) {
	terms, ok := l.forms.Terms(l.address(in))
	for _, t := range terms {
		if t.Of == l.counter {
			times = int64(int32(t.Times))
		} else {
			ok = ok && (t.Of.Kind == ir.Uniform || t.Of.Kind == ir.Input && l.launch.Alike(t.Of.Home))
		}
	}
	if !ok {
		return 0
	}
	return times
}

// refuse finds the words to stage, or returns the reason why they cannot be staged.
func (l *stager) refuse(loads []*ir.Instr, whole map[*ir.Region]bool) (why string) {
	n, breaks := l.f.Threads, 0
	l.in.Sub[0].EachBreak(func(*ir.Instr) { breaks++ })
	together := alike{launch: l.launch, seen: map[*ir.Value]bool{l.counter: true}}
	for _, in := range l.in.Sub[0].Code {
		if in.Op == ir.OpBreak && together.decides(in) {
			breaks--
		}
	}
	switch {
	case n[0] < 2 || n[0]&(n[0]-1) != 0 || n[1] != 1 || n[2] != 1:
		return "groups are not rows of a power of two of invocations"
	case !whole[l.owner] || breaks > 0:
		return "it is not known whether all invocations of a group make the same trips"
	}
	for _, in := range loads {
		l.read(in)
	}
	if l.stride()*l.size > maxLocalBytes {
		return fmt.Sprintf("a group would need %d bytes of local memory", l.stride()*l.size)
	}
	return ""
}

// read finds the words that a load reads among the staged ones, or adds them.
func (l *stager) read(in *ir.Instr) {
	form, times := l.address(in), l.times(in)
	rest, modulus := form.Alignment()
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		w := word{like: in, lane: i, base: l.forms.Base(form), at: int64(form.Plus) + 4*int64(i)}
		if uint64(rest)+4*uint64(i) >= uint64(modulus) {
			w.at, w.inVector = int64(form.Plus), i
		}
		slot := slices.IndexFunc(l.words, func(o word) bool {
			d := w.at - o.at
			return o.base == w.base && o.like.Base == in.Base && o.inVector == w.inVector && d%times == 0 && d >= 0 &&
				d/times < int64(l.step)
		})
		if slot < 0 {
			slot, l.words = len(l.words), append(l.words, w)
		}
		l.wordOf[v] = stagedWord{slot, int((w.at - l.words[slot].at) / times)}
	}
}

// builder appends instructions at the position of the loop.
type builder struct {
	*stager
	code []*ir.Instr
}

// value appends an operation on words.
func (b *builder) value(op ir.Op, operands ...*ir.Value) *ir.Value {
	in := &ir.Instr{Op: op, Orig: -1, Pos: b.in.Pos}
	for _, v := range operands {
		in.Src = append(in.Src, ir.Operand{{V: v}})
	}
	b.code = append(b.code, in)
	return b.f.Define(in, 0, ir.Reg{})
}

// plus appends the sum of v and a number.
func (b *builder) plus(v *ir.Value, n uint32) *ir.Value {
	if n == 0 {
		return v
	}
	return b.value(ir.OpIAdd, v, b.f.Const(n))
}

// part appends the offset of the part of local memory of invocation v.
func (b *builder) part(v *ir.Value) *ir.Value {
	return b.value(ir.OpIShl, v, b.f.Const(uint32(bits.TrailingZeros32(b.stride()))))
}

// effect appends a store to local memory or a barrier, and returns the next state.
func (b *builder) effect(in *ir.Instr, state *ir.Value) *ir.Value {
	next := b.f.NewValue(ir.Result, b.local.State)
	next.Def, in.Args, in.Results, in.Orig, in.Pos = in, []*ir.Value{state}, []*ir.Value{next}, -1, b.in.Pos
	b.code = append(b.code, in)
	return next
}

// tile returns the block that stages a tile: each invocation stores the words that the group reads as many trips later
// as its number. Words of one load are stored together.
func (l *stager) tile(state *ir.Value) *ir.Region {
	b := &builder{stager: l}
	thread := l.f.Leaf(ir.Input, l.local.Member)
	state = b.effect(&ir.Instr{Op: ir.OpFence, Imm: l.local.Barrier}, state)
	own := b.part(thread)
	for k := 0; k < len(l.words); {
		load := *l.words[k].like
		form := l.address(&load)
		terms, _ := l.forms.Terms(form)
		at := b.value(ir.OpIMul, thread, l.f.Const(uint32(l.times(&load))))
		for _, t := range terms {
			at = b.value(ir.OpIMad, t.Of, l.f.Const(t.Times), at)
		}
		load.Out, load.Src = [4]*ir.Value{}, []ir.Operand{{{V: b.plus(at, uint32(int64(form.Plus)))}}}
		load.Args, load.Orig = []*ir.Value{l.f.Leaf(ir.Input, load.Args[0].Home)}, -1
		first := k
		store := &ir.Instr{Op: ir.OpMemStore, Base: l.local.Base, Imm: l.local.Store, Src: make([]ir.Operand, 2)}
		for ; k < len(l.words) && l.words[k].like == l.words[first].like; k++ {
			store.Src[1][k-first] = ir.Lane{V: l.f.Define(&load, l.words[k].lane, ir.Reg{})}
		}
		b.code = append(b.code, &load)
		store.Src[0] = ir.Operand{{V: b.plus(own, uint32(4*first))}}
		state = b.effect(store, state)
	}
	state = b.effect(&ir.Instr{Op: ir.OpFence, Imm: l.local.Barrier}, state)
	return &ir.Region{Code: b.code, Results: []*ir.Value{state}}
}

// rewrite stages the words before the first load in the loop, and replaces the loads.
func (l *stager) rewrite(loads []*ir.Instr) {
	body := l.in.Sub[0]
	begin := slices.IndexFunc(body.Code, func(in *ir.Instr) (found bool) {
		(&ir.Region{Code: []*ir.Instr{in}}).Walk(func(in *ir.Instr) { found = found || slices.Contains(loads, in) })
		return found
	})
	carried, staged := l.f.NewValue(ir.Param, l.local.State), l.f.NewValue(ir.Result, l.local.State)
	b := &builder{stager: l}
	rest := b.value(ir.OpIAnd, l.counter, l.f.Const(l.size-1))
	test := &ir.Instr{Op: ir.OpIf, Src: []ir.Operand{{{V: rest, Mod: ir.Not}}}, Results: []*ir.Value{staged}, Orig: -1,
		Pos: l.in.Pos, Sub: []*ir.Region{l.tile(carried), {Results: []*ir.Value{carried}}}}
	staged.Def = test
	b.code = append(b.code, test)
	at := b.value(ir.OpIAnd, b.part(l.counter), l.f.Const(l.stride()*(l.size-l.step)))
	for i, in := range body.Code {
		state := carried
		if i >= begin {
			state = staged
		}
		(&ir.Region{Code: []*ir.Instr{in}}).EachBreak(func(in *ir.Instr) { in.Args = append(in.Args, state) })
	}
	replaced := map[*ir.Value]ir.Lane{}
	first := body.Code[:begin]
	body.Code = body.Code[begin:]
	l.f.EachRegion(func(r *ir.Region) {
		b := &builder{stager: l}
		for _, in := range r.Code {
			if slices.Contains(loads, in) {
				b.load(in, staged, at, replaced)
			} else {
				b.code = append(b.code, in)
			}
		}
		r.Code = b.code
	})
	body.Code = slices.Concat(first, b.code, body.Code)
	body.Params, body.Results = append(body.Params, carried), append(body.Results, staged)
	end := l.f.NewValue(ir.Result, l.local.State)
	end.Def = l.in
	l.in.Args, l.in.Results = append(l.in.Args, l.f.Leaf(ir.Input, l.local.State)), append(l.in.Results, end)
	l.f.Replace(replaced)
	l.f.LocalBytes = max(l.f.LocalBytes, l.stride()*l.size)
}

// load appends loads from local memory, one for neighbouring words, in place of in.
func (b *builder) load(in *ir.Instr, state, at *ir.Value, replaced map[*ir.Value]ir.Lane) {
	var load *ir.Instr
	next, lane := uint32(0), 0
	for _, v := range in.Out {
		if v == nil {
			continue
		}
		w := b.wordOf[v]
		offset := b.stride()*uint32(w.ahead) + uint32(4*w.word)
		if load == nil || offset != next {
			load = &ir.Instr{Op: ir.OpMemLoad, Base: b.local.Base, Imm: b.local.Load, Args: []*ir.Value{state},
				Src: []ir.Operand{{{V: b.plus(at, offset)}}}, Orig: -1, Pos: in.Pos}
			load.TakeIn(in, "staged")
			b.code, lane = append(b.code, load), 0
		}
		home := v.Home
		home.Comp = uint8(lane)
		replaced[v] = ir.Lane{V: b.f.Define(load, lane, home)}
		next, lane = offset+4, lane+1
	}
}
