package alike

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Scalar replacement keeps elements of g[] and words of views in registers over loops (Callahan, Carr and Kennedy,
// PLDI 1990). Such a kernel is compared with a rewritten original, whose loops also keep them in registers: each
// element moves to a register before the loop and back after it.
//
//	whileloop                             mov r9, g[r1.x]
//	  add g[r1.x], g[r1.x], r0    becomes whileloop
//	endloop                                 add r9, r9, r0
//	                                      endloop
//	                                      mov g[r1.x], r9
//
// The rewrite is correct under two conditions. No other invocation, and no access through another view, touches the
// elements, which the application promises. A loop without trips may store values that it has loaded. Executions of
// both texts validate the rewrite. This code shares nothing with the pass that accumulates.

// scalarReplace returns k with the stored memory elements of its loops in registers, inner loops first, and the number
// of these loops. It prints and parses the result, so that a lift finds everything it relies on.
func scalarReplace(k *il.Kernel) (*il.Kernel, int, error) {
	h := newHolder(k)
	n := 0
	for end := 0; end < len(h.insts); end++ {
		if h.insts[end].Op.Role() != il.EndLoop {
			continue
		}
		if more := h.promoteElements(h.beginBlock(end), end); more > 0 {
			n, end = n+1, end+more
		}
	}
	k, err := h.kernel(k)
	return k, n, err
}

// newHolder returns a holder of the statements of k, which have no spelling.
func newHolder(k *il.Kernel) *holder {
	h := &holder{insts: slices.Clone(k.Insts), literals: map[il.Reg][4]uint32{}}
	for i := range h.insts {
		in := &h.insts[i]
		in.Lead, in.Text = "", ""
		if in.Op == il.OpDclLiteral {
			h.literals[in.Dst.Reg] = in.Imm
			h.newLiteral = max(h.newLiteral, in.Dst.Num+1)
		}
		count := func(r il.Reg) bool {
			if r.File == il.Temp {
				h.temps = max(h.temps, r.Num+1)
			}
			return false
		}
		count(in.Dst.Reg)
		for _, s := range in.Sources() {
			count(s.Reg)
		}
		indexedBy(in, count)
	}
	return h
}

// kernel returns k with the statements of h.
func (h *holder) kernel(k *il.Kernel) (*il.Kernel, error) {
	out := &il.Kernel{Stage: k.Stage, MultiPass: k.MultiPass, RealTime: k.RealTime, Client: k.Client,
		Insts: slices.Concat(h.declared, h.insts)}
	return il.Parse("held", il.Print(out))
}

// holder rewrites the statements of a kernel.
type holder struct {
	insts      []il.Inst
	temps      uint16 // first free register
	literals   map[il.Reg][4]uint32
	newLiteral uint16
	declared   []il.Inst // new literals
}

// space is g[] or a view.
type space struct {
	file il.File // Global, or NoFile for a view
	view uint16
}

// element is an element of memory: its address, its register, the lanes that the loop accesses, and those that it
// stores, which have to be stored behind it.
type element struct {
	space
	at     sum     // of the last part of the address
	number sum     // of the structure before it
	like   il.Inst // the first access to a view
	direct *il.Src // the address, if the loop does not write it
	offset uint32  // of an index in direct
	in     il.Reg
	read   [4]bool
	stored [4]il.Write
}

// promoteElements keeps the elements of the loop from begin to end in registers, if possible. It returns the number of
// statements inserted before and behind the loop, or 0 unless
//   - control leaves the body only at its end and by breaks, without a call, fence or other memory op;
//   - every access to a space that the loop stores to is at the top level of the body, so that each trip executes it;
//   - the address of each of them is a sum of registers that the loop does not write, and two addresses of a space
//     are sums that differ by a literal, so that different ones are different elements;
//   - the words of different addresses of a view do not overlap.
//
// Loads from other spaces stay in the loop.
func (h *holder) promoteElements(begin, end int) (more int) {
	l := &heldElements{h: h, begin: begin, end: end, held: map[int]*element{}}
	if !l.collect() {
		return 0
	}
	for _, e := range l.elements {
		if e.direct == nil && !h.available(e.at, begin) {
			return 0
		}
	}
	h.temps += uint16(len(l.elements))
	l.rewrite()
	loads, stores := l.moves()
	h.insts = slices.Insert(h.insts, end+1, stores...)
	h.insts = slices.Insert(h.insts, begin, loads...)
	return len(loads) + len(stores)
}

// heldElements is a loop of a kernel and the elements that it accesses.
type heldElements struct {
	h          *holder
	begin, end int
	elements   []*element
	held       map[int]*element // by statement that accesses a view
	depth      int              // nesting of the current statement within the body
}

// spaceOf returns the view that a load or a store of words accesses. ok is false for other memory statements.
func spaceOf(in *il.Inst) (s space, ok bool) {
	switch in.Op {
	case il.OpUavRawLoad, il.OpUavRawStore, il.OpUavStructLoad, il.OpUavStructStore:
	case il.OpUavArenaLoad, il.OpUavArenaStore:
		if in.Ctl.Size == il.SizeByte || in.Ctl.Size == il.SizeShort {
			return s, false
		}
	default:
		return s, false
	}
	return space{view: in.Ctl.ID}, true
}

// storesView reports whether in is a store to a view.
func storesView(in *il.Inst) bool {
	return in.Op == il.OpUavRawStore || in.Op == il.OpUavArenaStore || in.Op == il.OpUavStructStore
}

// hasStructures reports whether the address of in is the number of a structure and a byte in it.
func hasStructures(in *il.Inst) bool {
	return in.Op == il.OpUavStructLoad || in.Op == il.OpUavStructStore
}

// storedSpaces returns the spaces that the loop stores to. ok is false if the loop has statements for which none of
// its elements can be kept.
func (l *heldElements) storedSpaces() (stored map[space]bool, ok bool) {
	stored = map[space]bool{}
	for i := l.begin + 1; i < l.end; i++ {
		in := &l.h.insts[i]
		switch in.Op.Role() {
		case il.Continue, il.Call, il.Return, il.Discard:
			return nil, false
		}
		if in.HasDst && in.Dst.File == il.Global {
			stored[space{file: il.Global}] = true
		}
		switch s, words := spaceOf(in); {
		case words && storesView(in):
			stored[s] = true
		case words || in.Op.Kind() != il.MemoryOp:
			if in.Op == il.OpFence {
				return nil, false
			}
		default:
			switch in.Op {
			case il.OpUavLoad, il.OpUavArenaLoad, il.OpLdsLoad, il.OpLdsLoadVec, il.OpLdsReadVec,
				il.OpLdsStore, il.OpLdsStoreVec, il.OpLdsWriteVec, il.OpGdsLoad, il.OpGdsStore:
			default:
				return nil, false
			}
		}
	}
	return stored, true
}

// elementAt returns the element at an address, or nil if it may share words with another one. lanes are the accessed
// ones. A new element gets the next register.
func (l *heldElements) elementAt(s space, number, at sum, lanes [4]bool) *element {
	for _, e := range l.elements {
		if e.space != s {
			continue
		}
		d, known := e.at.distance(at)
		other, alike := e.number.distance(number)
		switch {
		case !known || !alike || other != 0:
			return nil
		case d == 0:
			return e
		case s.file == il.NoFile && e.overlaps(lanes, d):
			return nil
		}
	}
	e := &element{space: s, number: number, at: at, in: il.Reg{File: il.Temp, Num: l.h.temps + uint16(len(l.elements))}}
	l.elements = append(l.elements, e)
	return e
}

// overlaps reports whether a word of e may be among those of lanes d bytes behind its address.
func (e *element) overlaps(lanes [4]bool, d uint32) bool {
	for i, mine := range e.read {
		for j, other := range lanes {
			if gap := int32(d) + 4*int32(j-i); mine && other && gap > -4 && gap < 4 {
				return true
			}
		}
	}
	return false
}

// recordAccess records an access by statement i at index or address at, which is sum x if ok. It reports whether
// [holder.promoteElements] accepts it.
func (l *heldElements) recordAccess(i int, s space, at il.Addr, x sum, ok, stores bool, lanes [4]bool) bool {
	if l.depth > 0 || !ok || !l.unwritten(x) {
		return false
	}
	number := sum{}
	if structured := s.file != il.Global && hasStructures(&l.h.insts[i]); structured {
		if number, ok = l.h.addressSum(i, at.Rel); !ok || !l.unwritten(number) || !l.stays(at.Rel, 0) || !l.stays(at.Rel, 1) {
			return false
		}
	}
	e := l.elementAt(s, number, x, lanes)
	if e == nil {
		return false
	}
	for c, accessed := range lanes {
		e.read[c] = e.read[c] || accessed
		if accessed && stores {
			e.stored[c] = il.Result
		}
	}
	if e.direct == nil && at.Rel != nil && l.stays(at.Rel, 0) {
		address := *at.Rel
		e.direct, e.offset = &address, at.Offset
	}
	if s.file == il.Global {
		return true
	}
	if l.held[i] = e; e.like.Op == il.OpInvalid {
		e.like = l.h.insts[i]
	}
	// Lanes that this access adds may be words of other elements.
	for _, o := range l.elements {
		if d, _ := o.at.distance(e.at); o != e && o.space == s && o.overlaps(e.read, d) {
			return false
		}
	}
	return true
}

// stays reports whether the loop leaves part k of an address alone.
func (l *heldElements) stays(s *il.Src, k int) bool {
	return s.File != il.Temp || !slices.ContainsFunc(l.h.insts[l.begin:l.end], func(in il.Inst) bool {
		return in.HasDst && in.Dst.Reg == s.Reg && in.Dst.Mask.WriteAt(int(s.Swz.Vector()[k])) != il.Keep
	})
}

// collect records the elements of the body. It returns false if the loop cannot keep them or stores nothing.
func (l *heldElements) collect() bool {
	stored, ok := l.storedSpaces()
	if !ok {
		return false
	}
	all := [4]bool{true, true, true, true}
	for i := l.begin + 1; i < l.end; i++ {
		in := &l.h.insts[i]
		switch in.Op.Role() {
		case il.If, il.Loop, il.Switch:
			l.depth++
		case il.EndIf, il.EndLoop, il.EndSwitch:
			l.depth--
		}
		g := space{file: il.Global}
		if stored[g] && indexedBy(in, func(r il.Reg) bool { return r.File == il.Global }) {
			return false
		}
		for _, src := range in.Sources() {
			if src.File != il.Global || !stored[g] {
				continue
			}
			if at, ok := l.h.elementSum(i, src.Addr); !l.recordAccess(i, g, src.Addr, at, ok, false, all) {
				return false
			}
		}
		if in.HasDst && in.Dst.File == il.Global {
			if at, ok := l.h.elementSum(i, in.Dst.Addr); !l.recordAccess(i, g, in.Dst.Addr, at, ok, true, written(in)) {
				return false
			}
		}
		s, words := spaceOf(in)
		if in.Op.Kind() != il.MemoryOp || !stored[space{view: in.Ctl.ID}] {
			continue
		}
		part := 0
		if hasStructures(in) {
			part = 1
		}
		at, ok := l.h.partSum(i, &in.Src[0], part)
		if !words || !l.recordAccess(i, s, il.Addr{Rel: &in.Src[0]}, at, ok, storesView(in), written(in)) {
			return false
		}
	}
	return len(l.elements) > 0
}

// written returns the lanes that a statement writes; a store without a mask stores one word.
func written(in *il.Inst) (lanes [4]bool) {
	for c := range lanes {
		lanes[c] = in.HasDst && in.Dst.Mask.WriteAt(c) != il.Keep || !in.HasDst && c == 0
	}
	return lanes
}

// rewrite replaces the elements in the body by their registers.
func (l *heldElements) rewrite() {
	all := il.MakeSwizzle(il.SelX, il.SelY, il.SelZ, il.SelW)
	for i := l.begin + 1; i < l.end; i++ {
		in := &l.h.insts[i]
		if e := l.held[i]; e != nil {
			move := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1, Dst: in.Dst, Pos: in.Pos}
			if move.Src[0] = (il.Src{Reg: e.in, Swz: all}); storesView(in) {
				move.Src[0], move.Dst.Reg = in.Src[1], e.in
			}
			if !in.HasDst {
				move.Dst.Mask = il.MakeMask(il.Result, il.Keep, il.Keep, il.Keep)
			}
			*in = move
			continue
		}
		for s := range in.Sources() {
			if src := &in.Src[s]; src.File == il.Global {
				if e := l.known(i, src.Addr); e != nil {
					src.Reg, src.Addr = e.in, il.Addr{}
				}
			}
		}
		if in.HasDst && in.Dst.File == il.Global {
			in.Dst.Reg, in.Dst.Addr = l.known(i, in.Dst.Addr).in, il.Addr{}
		}
	}
}

// known returns the element of g[] at an address, or nil if the loop stores to no element of it.
func (l *heldElements) known(i int, at il.Addr) *element {
	x, ok := l.h.elementSum(i, at)
	for _, e := range l.elements {
		if d, same := e.at.distance(x); ok && same && d == 0 && e.file == il.Global {
			return e
		}
	}
	return nil
}

// moves returns the statements that load the registers before the loop and those that store the written lanes
// behind it.
func (l *heldElements) moves() (loads, stores []il.Inst) {
	all := il.MakeSwizzle(il.SelX, il.SelY, il.SelZ, il.SelW)
	for _, e := range l.elements {
		at := il.Addr{Rel: e.direct, Offset: e.offset}
		switch {
		case e.direct != nil:
		case e.file == il.Global && len(e.at.times) == 0:
			at.Offset = e.at.more
		default:
			code, x := l.h.compute(e.at)
			loads, at.Rel = append(loads, code...), &x
		}
		load, store := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1}, il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1}
		load.Dst.Reg, load.Dst.Mask = e.in, il.MaskAll
		store.Dst.Mask = il.MakeMask(e.stored[0], e.stored[1], e.stored[2], e.stored[3])
		kept := il.Src{Reg: e.in, Swz: all}
		if e.file == il.Global {
			load.Src[0] = il.Src{Reg: il.Reg{File: il.Global}, Addr: at, Swz: all}
			store.Dst.Reg, store.Dst.Addr, store.Src[0] = il.Reg{File: il.Global}, at, kept
		} else {
			load.Op, store.Op, store.NSrc = il.OpUavRawLoad, il.OpUavRawStore, 2
			if e.like.Op == il.OpUavArenaLoad || e.like.Op == il.OpUavArenaStore {
				load.Op, store.Op = il.OpUavArenaLoad, il.OpUavArenaStore
			}
			if hasStructures(&e.like) {
				load.Op, store.Op = il.OpUavStructLoad, il.OpUavStructStore
			}
			load.Ctl.ID, load.Ctl.Size, load.Src[0] = e.view, e.like.Ctl.Size, *at.Rel
			store.Ctl, store.Src[0], store.Src[1] = load.Ctl, *at.Rel, kept
			store.Dst.Reg = il.Reg{File: il.Memory}
		}
		if loads = append(loads, load); store.Dst.Mask != 0 {
			stores = append(stores, store)
		}
	}
	return loads, stores
}

// unwritten reports whether all words of a sum are from before the loop.
func (l *heldElements) unwritten(at sum) bool {
	for x := range at.times {
		if x.at >= l.begin {
			return false
		}
	}
	return true
}

// indexedBy reports whether f holds for a register in an address of in, at any depth of indirection.
func indexedBy(in *il.Inst, f func(r il.Reg) bool) bool {
	found := false
	each := func(a il.Addr) {
		for rel := a.Rel; rel != nil; rel = rel.Addr.Rel {
			found = f(rel.Reg) || found
		}
	}
	each(in.Dst.Addr)
	for _, s := range in.Sources() {
		each(s.Addr)
	}
	return found
}

// heldDiffers executes a kernel and its form with memory in registers on two launches and describes the first
// difference in any bit. It returns "" if nothing differs.
func (r *Runs) heldDiffers(before, after *il.Kernel) (why string) {
	var p [2]*kernel.Program
	for i, k := range []*il.Kernel{before, after} {
		var err error
		if p[i], err = kernel.Compile(k); err != nil {
			return "execution: " + err.Error()
		}
	}
	why = "execution: a kernel that keeps memory in registers cannot be executed"
	for k := range uint64(2) {
		l := r.Constants.InLaunch(kernel.DefaultCase(before, r.Seed+k))
		o := r.options()
		want, err := p[0].Run(l, o)
		if err != nil {
			continue
		}
		got, err := p[1].Run(l, o)
		if err != nil {
			continue
		}
		if what := trial.Differing(want, got); what != "" {
			return fmt.Sprintf("execution: %s differs if memory is kept in registers", what)
		}
		why = ""
	}
	return why
}
