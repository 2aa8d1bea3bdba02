package alike

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Scalar replacement keeps elements of g[] in registers over loops (Callahan, Carr and Kennedy, PLDI 1990).
// Such a kernel is compared with a rewritten original, whose loops also keep them in registers: each element
// moves to a register before the loop and back after it.
//
//	whileloop                             mov r9, g[r1.x]
//	  add g[r1.x], g[r1.x], r0    becomes whileloop
//	endloop                                 add r9, r9, r0
//	                                      endloop
//	                                      mov g[r1.x], r9
//
// The rewrite is correct under two conditions. No other invocation accesses the elements, which the
// application promises. A loop without trips may store values that it has loaded. Executions of both texts
// validate the rewrite. This code shares nothing with the pass that accumulates.

// scalarReplace returns k with the stored memory elements of its loops in registers, inner loops first, and the number
// of these loops. It prints and parses the result, so that a lift finds everything it relies on.
func scalarReplace(k *il.Kernel) (*il.Kernel, int, error) {
	h := &holder{insts: slices.Clone(k.Insts)}
	for i := range h.insts {
		in := &h.insts[i]
		in.Lead, in.Text = "", ""
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
	n := 0
	for end := 0; end < len(h.insts); end++ {
		if h.insts[end].Op.Role() != il.EndLoop {
			continue
		}
		if more := h.promoteElements(h.begin(end), end); more > 0 {
			n, end = n+1, end+more
		}
	}
	out := &il.Kernel{Stage: k.Stage, MultiPass: k.MultiPass, RealTime: k.RealTime, Client: k.Client, Insts: h.insts}
	k, err := il.Parse("held", il.Print(out))
	return k, n, err
}

// holder rewrites the statements of a kernel.
type holder struct {
	insts []il.Inst
	temps uint16 // first free register
}

// begin returns the index of the loop statement that matches end.
func (h *holder) begin(end int) int {
	depth := 0
	for i := end; i >= 0; i-- {
		switch h.insts[i].Op.Role() {
		case il.EndLoop:
			depth++
		case il.Loop:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return end
}

// element is an element of g[]: its address, its register, and the lanes that the loop stores, which have to
// be stored behind it.
type element struct {
	at     il.Addr
	in     il.Reg
	stored [4]il.Write
}

// promoteElements keeps the elements of the loop from begin to end in registers, if possible. It returns the number of
// statements inserted before and behind the loop, or 0 unless
//   - control leaves the body only at its end and by breaks, without a call, fence or other memory op;
//   - every access to g[] is at the top level of the body, so that each trip executes it;
//   - addresses are literals, or all of them are literal offsets from one register that the loop does not
//     write, so that different offsets are different elements;
//   - the loop stores something.
func (h *holder) promoteElements(begin, end int) (more int) {
	l := &heldElements{h: h, begin: begin, end: end}
	if !l.collect() || !l.stores || l.index != nil && h.writes(begin, end, l.index.Reg) {
		return 0
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
	index      *il.Src // base of the addresses, nil for literals
	stores     bool
	depth      int // nesting of the current statement within the body
}

// elementAt returns the element at an address. A new one gets the next register.
func (l *heldElements) elementAt(at il.Addr) *element {
	for _, e := range l.elements {
		if e.at.Offset == at.Offset {
			return e
		}
	}
	e := &element{at: at, in: il.Reg{File: il.Temp, Num: l.h.temps + uint16(len(l.elements))}}
	l.elements = append(l.elements, e)
	return e
}

// recordAccess records an access and reports whether [holder.promoteElements] accepts its address.
func (l *heldElements) recordAccess(at il.Addr) bool {
	if l.depth > 0 || len(l.elements) > 0 && (l.index == nil) != (at.Rel == nil) {
		return false
	}
	if at.Rel != nil && (at.Rel.Addr.Rel != nil || l.index != nil && *l.index != *at.Rel) {
		return false
	}
	l.index = at.Rel
	l.elementAt(at)
	return true
}

// collect records the elements of the body. It returns false if the loop cannot keep them.
func (l *heldElements) collect() bool {
	for i := l.begin + 1; i < l.end; i++ {
		in := &l.h.insts[i]
		switch in.Op.Role() {
		case il.If, il.Loop, il.Switch:
			l.depth++
		case il.EndIf, il.EndLoop, il.EndSwitch:
			l.depth--
		case il.Continue, il.Call, il.Return, il.Discard:
			return false
		}
		if in.Op.Kind() == il.MemoryOp || in.Op == il.OpFence ||
			indexedBy(in, func(r il.Reg) bool { return r.File == il.Global }) {
			return false
		}
		for _, s := range in.Sources() {
			if s.File == il.Global && !l.recordAccess(s.Addr) {
				return false
			}
		}
		if in.HasDst && in.Dst.File == il.Global {
			if l.stores = true; !l.recordAccess(in.Dst.Addr) {
				return false
			}
		}
	}
	return true
}

// rewrite replaces the elements in the body by their registers.
func (l *heldElements) rewrite() {
	for i := l.begin + 1; i < l.end; i++ {
		in := &l.h.insts[i]
		for s := range in.Sources() {
			if src := &in.Src[s]; src.File == il.Global {
				src.Reg, src.Addr = l.elementAt(src.Addr).in, il.Addr{}
			}
		}
		if in.HasDst && in.Dst.File == il.Global {
			e := l.elementAt(in.Dst.Addr)
			in.Dst.Reg, in.Dst.Addr = e.in, il.Addr{}
			for c := range 4 {
				if in.Dst.Mask.WriteAt(c) != il.Keep {
					e.stored[c] = il.Result
				}
			}
		}
	}
}

// moves returns the statements that load the registers before the loop and those that store the written lanes
// behind it.
func (l *heldElements) moves() (loads, stores []il.Inst) {
	for _, e := range l.elements {
		all := il.MakeSwizzle(il.SelX, il.SelY, il.SelZ, il.SelW)
		load := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1}
		load.Dst.Reg, load.Dst.Mask = e.in, il.MaskAll
		load.Src[0] = il.Src{Reg: il.Reg{File: il.Global}, Addr: e.at, Swz: all}
		store := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1}
		store.Dst.Reg, store.Dst.Addr, store.Dst.Mask = il.Reg{File: il.Global}, e.at, il.MakeMask(e.stored[0], e.stored[1],
			e.stored[2], e.stored[3])
		store.Src[0] = il.Src{Reg: e.in, Swz: all}
		if loads = append(loads, load); store.Dst.Mask != 0 {
			stores = append(stores, store)
		}
	}
	return loads, stores
}

// writes reports whether the loop writes a register.
func (h *holder) writes(begin, end int, r il.Reg) bool {
	return slices.ContainsFunc(h.insts[begin:end], func(in il.Inst) bool { return in.HasDst && in.Dst.Reg == r })
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

// heldDiffers executes a kernel and its scalar-replaced form on two launches and describes the first
// difference in any bit. It returns "" if nothing differs.
func (r *Runs) heldDiffers(before, after *il.Kernel) (why string) {
	var p [2]*kernel.Program
	for i, k := range []*il.Kernel{before, after} {
		var err error
		if p[i], err = kernel.Compile(k); err != nil {
			return "R2: " + err.Error()
		}
	}
	why = "R2: a kernel that keeps memory in registers cannot be executed"
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
			return fmt.Sprintf("R2: %s differs if memory is kept in registers", what)
		}
		why = ""
	}
	return why
}
