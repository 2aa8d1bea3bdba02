package walk

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// The N invocations t of a group may stage words of memory that all of them read (Daga, Scogland and Feng, 2011):
//
//	a = 0
//	loop {
//	  if (a >= n) break
//	  if (a % N == 0) { barrier; lds[4*t] = view[4*(a+t)]; barrier }
//	  s += lds[4*(a%N)]                                               which is view[4*a]
//	  a += 1
//	}
//
// [Kernel.Unstage] replaces such loads by loads of the staged words, and removes barriers and stores. These rules make
// that right:
//
//   - All invocations of a group make the same trips: the loop is in no other loop, and its exits and the conditions
//     around it depend on nothing but the counter and values of the whole group. So they meet the two barriers
//     together. There are no barriers but those of such blocks, one in each loop.
//   - The counter begins at a multiple of N, a power of two, its step divides N, and the block runs if N divides the
//     counter. So the words that are staged in a trip with counter a come from the trip with counter a - a%N.
//   - All stores to local memory are in the block, between its barriers, in a part that belongs to the invocation. All
//     loads are in the loop, behind the block. So a barrier separates each load from the stores before and after it.
//   - A load reads the part of invocation a%N + k, which is a number below N because k is less than the step.
//   - Staged words come from views to which no invocation stores ([Restrict]), at a multiple of a+t.
//   - The barriers order local memory alone. Invocations of a group store to no word of other memory that another
//     one accesses, so that the order of their accesses does not matter.

// staging is the loop of a kernel that stages words.
type staging struct {
	*Kernel
	size        uint32 // of a group
	stride      uint32 // bytes of local memory that belong to an invocation
	loop, block *ir.Instr
	staged      *ir.Region // the side of block with the stores
	counter     *ir.Value
	step        uint32
	tile        map[place]stagedWord   // by the offset in the part of an invocation
	loads       map[*ir.Instr]*staging // from local memory, with the loops around them
	stores      map[*ir.Instr]bool     // to local memory, and barriers
	sums        map[*ir.Value]sum
	alike       map[*ir.Value]bool
}

// stagedWord is a lane of a load.
type stagedWord struct {
	from *ir.Instr
	lane uint8
}

// Unstage replaces loads of staged words by loads of the memory that they come from. It returns the reason if local
// memory is accessed otherwise.
func (p *Kernel) Unstage() error {
	n := p.Fn.Threads
	if n[0] == 0 || n[0]&(n[0]-1) != 0 || n[1] != 1 || n[2] != 1 {
		return errors.New("groups are not rows of a power of two of invocations")
	}
	s := &staging{Kernel: p, size: n[0], sums: map[*ir.Value]sum{}, loads: map[*ir.Instr]*staging{},
		stores: map[*ir.Instr]bool{}, alike: map[*ir.Value]bool{}}
	list := s.blocks(p.Fn.Body)
	if len(list) == 0 {
		return errors.New("no loop of a whole group has a block with barriers")
	}
	for i, t := range list[1:] {
		if t.loop == list[i].loop {
			return &groupError{t.block.Pos, "the loop has two blocks with barriers"}
		}
	}
	each := func(step func(*staging) error) func() error {
		return func() error {
			for _, s := range list {
				if err := step(s); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for _, step := range []func() error{each((*staging).barriers), s.accesses, each((*staging).findCounter),
		each((*staging).exits), s.ownWords, each((*staging).findTile), func() error { return s.replace(list) }} {
		if err := step(); err != nil {
			return err
		}
	}
	return p.Fn.Check()
}

// blocks lists the blocks with barriers in loops in r, which all invocations of a group execute together.
func (s *staging) blocks(r *ir.Region) (list []*staging) {
	for _, in := range r.Code {
		for _, sub := range in.Sub {
			if in.Op == ir.OpIf && s.decides(in) {
				list = append(list, s.blocks(sub)...)
			}
			for _, block := range sub.Code {
				for _, side := range block.Sub {
					isFence := func(in *ir.Instr) bool { return in.Op == ir.OpFence }
					if in.Op == ir.OpLoop && block.Op == ir.OpIf && slices.ContainsFunc(side.Code, isFence) {
						t := *s
						t.loop, t.block, t.staged = in, block, side
						t.tile, t.alike = map[place]stagedWord{}, map[*ir.Value]bool{}
						list = append(list, &t)
					}
				}
			}
		}
	}
	return list
}

// barriers checks a block, and finds its stores and barriers, and the loads behind it.
func (s *staging) barriers() error {
	fences := 0
	for _, in := range s.staged.Code {
		store := in.Op == ir.OpMemStore && in.Base.File == amdil.Local
		switch {
		case in.Op == ir.OpFence && il.Fence(in.Imm) != il.FenceThreads|il.FenceLds:
			return &groupError{in.Pos, "a barrier orders more than local memory"}
		case in.Op == ir.OpFence:
			fences++
		case store && fences != 1:
			return &groupError{in.Pos, "a store to local memory is not between two barriers"}
		case in.Op.Has(ir.Structured):
			return &groupError{in.Pos, "the block with barriers has inner blocks or exits"}
		}
		s.stores[in] = store || in.Op == ir.OpFence
	}
	if fences != 2 {
		return &groupError{s.block.Pos, "the block does not have two barriers"}
	}
	code := s.loop.Sub[0].Code
	behind := &ir.Region{Code: code[slices.Index(code, s.block)+1:]}
	behind.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpMemLoad && in.Base.File == amdil.Local && s.isPlain(in) {
			s.loads[in] = s
		}
	})
	return nil
}

// accesses refuses other barriers and accesses to local memory.
func (s *staging) accesses() (err error) {
	s.Fn.Walk(func(in *ir.Instr) {
		local := in.Op.Has(ir.Memory) && (in.Base.File == amdil.Local || in.Base.File == amdil.LocalPerThread)
		switch {
		case err != nil || s.stores[in] && (in.Op == ir.OpFence || s.isPlain(in)):
		case in.Op == ir.OpFence:
			err = &groupError{in.Pos, "there is another barrier"}
		case in.Op == ir.OpDiscard, in.Op == ir.OpKill:
			err = &groupError{in.Pos, "invocations may be discarded"}
		case local && s.loads[in] == nil:
			err = &groupError{in.Pos, "local memory is not only loaded, word by word, behind the block"}
		}
	})
	return err
}

// isPlain reports whether in accesses words side by side, from an address on.
func (s *staging) isPlain(in *ir.Instr) bool {
	return s.ByWords(in) && in.Mods == 0 && !in.IsPredicated() && in.Src[0] == (ir.Operand{{V: in.Src[0][0].V}})
}

// findCounter finds the counter whose multiples of the size of a group let the block run.
func (s *staging) findCounter() error {
	test := s.block.Src[0][0]
	whenZero := s.staged == s.block.Sub[0]
	x, mask := s.masked(test.V)
	for k, v := range s.loop.Sub[0].Params {
		first, next := s.sum(s.loop.Args[k]), s.sum(s.loop.Sub[0].Results[k])
		if len(first.of) == 0 && first.plus%s.size == 0 && next.isMultiple(v, 1) && next.plus != 0 &&
			s.size%next.plus == 0 && x.isMultiple(v, 1) && x.plus == 0 && mask == s.size-1 &&
			s.block.Cond == ir.CondNone &&
			(test.Mod == ir.Not && whenZero || test.Mod == 0 && !whenZero) {
			s.counter, s.step = v, next.plus
			return nil
		}
	}
	return &groupError{s.block.Pos, "the block does not run once for each group of trips"}
}

// exits checks that all invocations of a group leave the loop together.
func (s *staging) exits() error {
	inner := 0
	s.loop.Sub[0].EachBreak(func(*ir.Instr) { inner++ })
	for _, in := range s.loop.Sub[0].Code {
		if in.Op != ir.OpBreak {
			continue
		}
		if inner--; !s.decides(in) {
			return &groupError{in.Pos, "the invocations of a group may leave the loop in different trips"}
		}
	}
	if inner > 0 {
		return &groupError{s.loop.Pos, "the loop has an exit under a condition"}
	}
	return nil
}

// decides reports whether in, a branch or an exit, decides alike for all invocations of a group.
func (s *staging) decides(in *ir.Instr) bool {
	for _, o := range in.Src {
		for _, l := range o {
			if l.V != nil && !s.uniform(l.V) {
				return false
			}
		}
	}
	return true
}

// ownWords checks that invocations of a group store to no word of memory that another one accesses. All accesses to
// written memory are less than a stride behind the sum of t times the stride and a value of the whole group. Atomic
// operations have an order that the barriers may change.
func (s *staging) ownWords() error {
	var list []*ir.Instr
	written := false
	s.Fn.Walk(func(in *ir.Instr) {
		private := in.Base.File == amdil.Local || il.File(in.Base.File) == il.TempArray
		if in.Op.Has(ir.Memory) && in.Op != ir.OpFence && !private && !s.readOnly[in.Base] {
			list = append(list, in)
			written = written || in.Op != ir.OpMemLoad
		}
	})
	var first sum
	var low, high int64 // relative to the first access
	for i, in := range list {
		var x sum
		if v := in.Src[0][0].V; v != nil {
			x = s.sum(v)
		}
		width := int64(4)
		for lane := range int64(4) {
			if in.Mask()>>lane&1 != 0 || len(in.Src) > 1 && in.Src[1][lane].V != nil {
				width = 4*lane + 4
			}
		}
		_, _, isArray := s.Array(in)
		if isArray {
			x.plus, width = x.plus+in.Imm, 1
		}
		if i == 0 {
			first = x
		}
		at := int64(int32(x.plus - first.plus))
		low, high = min(low, at), max(high, at+width-1)
		own := maps.Equal(x.of, first.of) && in.Base == list[0].Base && in.Op != ir.OpMemAtomic &&
			(isArray || s.isPlain(in)) && in.Src[0][0].Mod == 0 && high-low < int64(x.of[nil]) &&
			x.of[nil] < 1<<16 && (isArray || x.of[nil]%4 == 0)
		for v := range x.of {
			own = own && (v == nil || s.isGrouped(v))
		}
		if written && !own {
			return &groupError{in.Pos, "invocations of a group may access the same word of stored memory"}
		}
	}
	return nil
}

// findTile lists the staged words in the part of local memory that belongs to an invocation.
func (s *staging) findTile() error {
	for _, in := range s.staged.Code {
		if in.Op != ir.OpMemStore || !s.stores[in] {
			continue
		}
		x := s.sum(in.Src[0][0].V)
		if s.stride == 0 {
			s.stride = x.of[nil]
		}
		if s.stride == 0 || s.stride%4 != 0 || !x.isMultiple(nil, s.stride) ||
			uint64(s.stride)*uint64(s.size) > uint64(s.locals[in.Base.Index]) {
			return &groupError{in.Pos, "invocations do not store to equal parts of local memory, one after the other"}
		}
		for i, l := range in.Src[1] {
			if l.V == nil {
				continue
			}
			at, w := x.plus+4*uint32(i), stagedWord{l.V.Def, l.V.Lane}
			if l.Mod != 0 || !s.isStaged(w.from) {
				return &groupError{in.Pos, "the stored word is not loaded in the block, from a view that is only read"}
			}
			word := place{in.Base, at / 4}
			if _, stored := s.tile[word]; stored || at%4 != 0 || at >= s.stride {
				return &groupError{in.Pos, fmt.Sprintf("byte %d of a part of local memory is stored twice", at)}
			}
			s.tile[word] = w
		}
	}
	if s.stride == 0 {
		return &groupError{s.block.Pos, "the block stores nothing in local memory"}
	}
	return nil
}

// isStaged reports whether in loads words in the block that no invocation changes, at a multiple of the sum of the
// counter and the number of the invocation, plus values of the whole group.
func (s *staging) isStaged(in *ir.Instr) bool {
	if in == nil || in.Op != ir.OpMemLoad || !slices.Contains(s.staged.Code, in) || !s.isPlain(in) ||
		!s.readOnly[in.Base] || in.Args[0].Kind != ir.Input {
		return false
	}
	x := s.sum(in.Src[0][0].V)
	for v := range x.of {
		if v != nil && v != s.counter && !s.isGrouped(v) {
			return false
		}
	}
	return x.of[nil] == x.of[s.counter]
}

// direct returns the staged word that lane i of a load from local memory reads, and its address.
func (s *staging) direct(in *ir.Instr, i int) (w stagedWord, at sum, err error) {
	x := s.sum(in.Src[0][0].V)
	ok := len(x.of) == 1
	for v, by := range x.of {
		ok = ok && v != nil
		if ok {
			y, mask := s.masked(v)
			c := y.of[s.counter]
			ok = y.isMultiple(s.counter, c) && y.plus == 0 && c&(c-1) == 0 && c*by == s.stride &&
				(mask == c*(s.size-1) || mask == c*(s.size-s.step))
		}
	}
	if !ok {
		return w, at, &groupError{in.Pos, "the address in local memory does not follow from the trip of a tile"}
	}
	offset := x.plus + 4*uint32(i)
	ahead := offset / s.stride
	w, ok = s.tile[place{in.Base, offset % s.stride / 4}]
	if !ok || offset%4 != 0 || ahead >= s.step {
		return w, at, &groupError{in.Pos, "no invocation has stored the word that is loaded from local memory"}
	}
	at = s.sum(w.from.Src[0][0].V)
	at = at.plusTimes(sum{plus: at.of[s.counter]}, ahead)
	delete(at.of, nil)
	return w, at, nil
}

// replace rewrites the kernel with the loops in list. The state of local memory is no result.
func (s *staging) replace(list []*staging) (err error) {
	replaced := map[*ir.Value]ir.Lane{}
	s.Fn.EachRegion(func(r *ir.Region) {
		var code []*ir.Instr
		for _, in := range r.Code {
			of := s.loads[in]
			for i, v := range in.Out {
				if v == nil || of == nil || err != nil {
					continue
				}
				var w stagedWord
				var at sum
				if w, at, err = of.direct(in, i); err == nil {
					replaced[v] = ir.Lane{V: s.load(&code, w, at)}
				}
			}
			for k, v := range in.Results {
				if s.stores[in] {
					replaced[v] = ir.Lane{V: in.Args[k]}
				}
			}
			if !s.stores[in] && of == nil {
				code = append(code, in)
			}
		}
		r.Code = code
	})
	if err != nil {
		return err
	}
	for _, s := range list {
		s.keepStates(replaced)
	}
	s.Fn.Replace(replaced)
	s.Fn.Outs = slices.DeleteFunc(s.Fn.Outs, func(o ir.Output) bool { return o.Reg.File == amdil.Local })
	return nil
}

// keepStates makes loads and stores depend on the memory states before the loop, if the loop only passes them on.
func (s *staging) keepStates(replaced map[*ir.Value]ir.Lane) {
	body, changed := s.loop.Sub[0], map[ir.Reg]bool{}
	body.Walk(func(in *ir.Instr) {
		for _, v := range in.Results {
			changed[v.Home] = changed[v.Home] || in.Op.Has(ir.Memory)
		}
	})
	for k, v := range body.Params {
		if isState(s, v.Home) && !changed[v.Home] {
			before, known := replaced[s.loop.Args[k]] // of the loop before
			if !known {
				before = ir.Lane{V: s.loop.Args[k]}
			}
			replaced[v], replaced[s.loop.Results[k]] = before, before
			for _, r := range s.block.Results {
				if r.Home == v.Home {
					replaced[r] = ir.Lane{V: v}
				}
			}
		}
	}
}

// load appends a load of word w at an address, and returns the loaded value.
func (s *staging) load(code *[]*ir.Instr, w stagedWord, at sum) *ir.Value {
	load := *w.from
	load.Out, load.Src = [4]*ir.Value{}, []ir.Operand{{{V: s.Fn.Const(at.plus)}}}
	for _, v := range slices.SortedFunc(maps.Keys(at.of), func(a, b *ir.Value) int { return int(a.ID) - int(b.ID) }) {
		mad := &ir.Instr{Op: ir.OpIMad, Orig: -1, Pos: load.Pos,
			Src: []ir.Operand{{{V: v}}, {{V: s.Fn.Const(at.of[v])}}, load.Src[0]}}
		load.Src = []ir.Operand{{{V: s.Fn.Define(mad, 0, ir.Reg{})}}}
		*code = append(*code, mad)
	}
	*code = append(*code, &load)
	return s.Fn.Define(&load, int(w.lane), ir.Reg{})
}
