package verify

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// A kernel that keeps elements of g[] in registers over loops (scalar replacement of memory
// references: Callahan, Carr and Kennedy, PLDI 1990) is compared with the text of the original in
// which the loops do that too: each element is moved to a register before the loop and back behind it.
//
//	whileloop                             mov r9, g[r1.x]
//	  add g[r1.x], g[r1.x], r0    becomes whileloop
//	endloop                                 add r9, r9, r0
//	                                      endloop
//	                                      mov g[r1.x], r9
//
// That this does what the original does is so if no other invocation accesses the elements, which
// the application says, and if a loop that makes no trip may store what it has loaded. It is shown by
// executing both. The text is made here and shares no code with the pass that accumulates.

// held is k with the elements of memory that its loops store to in registers, inner loops first, and
// how many loops there are. It goes through the text: a kernel that is printed and parsed again has
// everything that a lift relies on.
func held(k *il.Kernel) (*il.Kernel, int, error) {
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
		if more := h.loop(h.begin(end), end); more > 0 {
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
	temps uint16 // registers from here on are its own
}

// begin is where the loop starts that ends there.
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

// element is one of g[]: the address that names it, the register for it, and which lanes are stored
// to in the loop and have to be stored behind it.
type element struct {
	at     il.Addr
	in     il.Reg
	stored [4]il.Write
}

// loop keeps the elements of the loop from begin to end in registers, if it can, and returns how many
// statements it has put before the loop and behind it. It declines, and returns 0, unless
//   - control leaves the body at its end and by breaks alone, with no call, fence or other memory op;
//   - every access to g[] is at the top of the body, so that each trip comes to it;
//   - addresses are literals, or all of them literals off one register that the loop does not write,
//     so that different offsets are different elements;
//   - something is stored.
func (h *holder) loop(begin, end int) (more int) {
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
	index      *il.Src // what addresses are computed from, nil for literals
	stores     bool
	depth      int // of the statement at hand, within the body
}

// of is the element at an address, a new one with the next register when it is met first.
func (l *heldElements) of(at il.Addr) *element {
	for _, e := range l.elements {
		if e.at.Offset == at.Offset {
			return e
		}
	}
	e := &element{at: at, in: il.Reg{File: il.Temp, Num: l.h.temps + uint16(len(l.elements))}}
	l.elements = append(l.elements, e)
	return e
}

// note takes an access at an address, and reports whether it is one of those that [holder.loop]
// accepts.
func (l *heldElements) note(at il.Addr) bool {
	if l.depth > 0 || len(l.elements) > 0 && (l.index == nil) != (at.Rel == nil) {
		return false
	}
	if at.Rel != nil && (at.Rel.Addr.Rel != nil || l.index != nil && *l.index != *at.Rel) {
		return false
	}
	l.index = at.Rel
	l.of(at)
	return true
}

// collect goes through the body and notes the elements. It fails where the loop cannot keep them.
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
		if in.Op.Kind() == il.MemoryOp || in.Op == il.OpFence || indexedBy(in, func(r il.Reg) bool { return r.File == il.Global }) {
			return false
		}
		for _, s := range in.Sources() {
			if s.File == il.Global && !l.note(s.Addr) {
				return false
			}
		}
		if in.HasDst && in.Dst.File == il.Global {
			if l.stores = true; !l.note(in.Dst.Addr) {
				return false
			}
		}
	}
	return true
}

// rewrite has the body name the registers in place of the elements.
func (l *heldElements) rewrite() {
	for i := l.begin + 1; i < l.end; i++ {
		in := &l.h.insts[i]
		for s := range in.Sources() {
			if src := &in.Src[s]; src.File == il.Global {
				src.Reg, src.Addr = l.of(src.Addr).in, il.Addr{}
			}
		}
		if in.HasDst && in.Dst.File == il.Global {
			e := l.of(in.Dst.Addr)
			in.Dst.Reg, in.Dst.Addr = e.in, il.Addr{}
			for c := range 4 {
				if in.Dst.Mask.At(c) != il.Keep {
					e.stored[c] = il.Result
				}
			}
		}
	}
}

// moves are the statements that load the registers before the loop, and those that store behind it
// what was written.
func (l *heldElements) moves() (loads, stores []il.Inst) {
	for _, e := range l.elements {
		all := il.MakeSwizzle(il.SelX, il.SelY, il.SelZ, il.SelW)
		load := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1}
		load.Dst.Reg, load.Dst.Mask = e.in, il.MaskAll
		load.Src[0] = il.Src{Reg: il.Reg{File: il.Global}, Addr: e.at, Swz: all}
		store := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1}
		store.Dst.Reg, store.Dst.Addr, store.Dst.Mask = il.Reg{File: il.Global}, e.at, il.MakeMask(e.stored[0], e.stored[1], e.stored[2], e.stored[3])
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

// indexedBy reports whether f holds for a register that in computes an address from, at any depth of
// indirection.
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

// heldDiffers executes a kernel and the one that keeps elements of its memory in registers on two
// launches, and says in what they differ, bit for bit; empty if in nothing.
func (c *kernelChecker) heldDiffers(before, after *il.Kernel) (why string) {
	var p [2]*kernel.Program
	for i, k := range []*il.Kernel{before, after} {
		var err error
		if p[i], err = kernel.Compile(k); err != nil {
			return "R2: " + err.Error()
		}
	}
	why = "R2: what keeps memory in registers cannot be executed"
	for k := range uint64(2) {
		l := promise(c.Constants).launch(kernel.DefaultCase(before, c.Seed+k))
		o := kernel.Options{Steps: launchSteps, Budget: c.runs()}
		want, err := p[0].Run(l, o)
		if err != nil {
			continue
		}
		got, err := p[1].Run(l, o)
		if err != nil {
			continue
		}
		for i := range want.Out {
			if !slices.Equal(want.Out[i], got.Out[i]) {
				return fmt.Sprintf("R2: o%d is another where memory is kept in registers", i)
			}
		}
		if what := memoryOver(want, got); what != "" {
			return fmt.Sprintf("R2: %s is another where it is kept in registers", what)
		}
		why = ""
	}
	return why
}
