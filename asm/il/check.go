package il

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
)

// Check holds a kernel, parsed or edited, to the rules that go beyond single
// statements, and returns what it breaks in source order: its block structure, as Parse
// does, and if that is sound that registers, resources, views and local memories are
// declared, that functions do not call themselves, and that it is within [Limits].
//
// Declarations count for the whole kernel, wherever they stand, so they are gathered
// first. An index beyond the declared size of a constant buffer is not held against a
// kernel: programs in the field have them. Registers numbering threads need no
// declaration.
func Check(k *Kernel) asm.Diags {
	var eof asm.Pos
	if n := len(k.Insts); n > 0 {
		eof = k.Insts[n-1].Pos
	}
	if diags := checkBlocks(k, eof); len(diags) > 0 {
		return diags
	}
	c := checker{k: k, regs: map[Reg]bool{}}
	for i := range k.Insts {
		if in := &k.Insts[i]; in.Op.Kind() == Declaration {
			c.declare(in)
		}
	}
	for i := range k.Insts {
		if in := &k.Insts[i]; in.Op.Kind() != Declaration {
			c.use(in)
		}
	}
	if c.recursion() {
		if d := Limits(k); d != nil {
			c.diags = append(c.diags, d)
		}
	}
	slices.SortStableFunc(c.diags, func(a, b *asm.Diag) int { return a.Pos.Line - b.Pos.Line })
	return c.diags[:min(len(c.diags), maxDiags)]
}

// MaxGroup is how many threads a group can have: as in DirectCompute 5.0
// (D3D11_CS_THREAD_GROUP_MAX_THREADS_PER_GROUP).
const MaxGroup = 1024

// checker is what has been declared, and what was found.
type checker struct {
	k *Kernel
	// declared, arrays without their index
	regs map[Reg]bool
	// declared numbers of resources, views and memories
	ids   [numSpaces]map[uint16]bool
	diags asm.Diags
}

// fail reports a fault of a statement.
func (c *checker) fail(in *Inst, code asm.Code, format string, args ...any) {
	c.diags = append(c.diags, asm.Errorf(in.Pos, code, format, args...))
}

// declare notes what a declaration declares. Inputs and outputs can be declared a few
// components at a time, other registers and resources once. Whether views of different
// kinds can share a number is not known, so that is let pass.
func (c *checker) declare(in *Inst) {
	if s := opTable[in.Op].space; s != noSpace {
		if c.ids[s] == nil {
			c.ids[s] = map[uint16]bool{}
		}
		if c.ids[s][in.Ctl.ID] && in.Op == OpDclResource {
			c.fail(in, "redeclared", "%s %d is declared already", spaceNames[s], in.Ctl.ID)
		}
		c.ids[s][in.Ctl.ID] = true
	}
	if in.Op == OpDclNumThreadPerGroup {
		threads := uint64(1)
		// The product of the sizes, which stops before it can overflow.
		for _, n := range in.Immediates() {
			threads = min(threads*uint64(n), MaxGroup+1)
		}
		if threads < 1 || threads > MaxGroup {
			c.fail(in, "group-size", "a group has 1 to %d threads", MaxGroup)
		}
	}
	r := in.Dst.Reg
	if in.Op == OpDclODepth {
		r = Reg{File: Depth}
	}
	if r.File == NoFile {
		return
	}
	if c.regs[r] && in.Op != OpDclInput && in.Op != OpDclOutput {
		c.fail(in, "redeclared", "%s is declared already", r)
	}
	c.regs[r] = true
}

// spaceNames are what numbers count, in messages.
var spaceNames = [numSpaces]string{resources: "resource", views: "unordered-access view", local: "local memory", shared: "global data share"}

// use checks that what a statement refers to is declared.
func (c *checker) use(in *Inst) {
	if s := opTable[in.Op].space; s != noSpace && !c.ids[s][in.Ctl.ID] {
		c.fail(in, "undeclared", "%s %d is not declared", spaceNames[s], in.Ctl.ID)
	}
	if in.HasDst {
		c.register(in, in.Dst.Reg, in.Dst.Addr)
	}
	for i := range in.Sources() {
		c.register(in, in.Src[i].Reg, in.Src[i].Addr)
	}
}

// register checks a register and those in its index, which may be indexed themselves:
// cb0[x0[r1.x].y].
func (c *checker) register(in *Inst, r Reg, a Addr) {
	for {
		if fileTable[r.File].declared && !c.regs[r] {
			c.fail(in, "undeclared", "%s is not declared", r)
		}
		if a.Rel == nil {
			return
		}
		r, a = a.Rel.Reg, a.Rel.Addr
	}
}

// recursion looks for functions that call themselves, directly or not: it takes away
// functions that call none of those left, until only cycles and what leads to them are
// left (Kahn's topological sort of the call graph). It reports whether there is nothing
// of the kind. Calls in the main program do not matter.
func (c *checker) recursion() bool {
	callers := map[uint32][]uint32{} // by function called
	calls := map[uint32]int{}        // by function: calls to functions that are left
	var order []*Inst                // the functions
	for i := range c.k.Insts {
		switch in := &c.k.Insts[i]; in.Op.Role() {
		case Func:
			order = append(order, in)
		case Call:
			if len(order) > 0 {
				from := order[len(order)-1].Imm[0]
				callers[in.Imm[0]] = append(callers[in.Imm[0]], from)
				calls[from]++
			}
		}
	}
	// Functions that call none, then those that called only such.
	var free []uint32
	for _, f := range order {
		if calls[f.Imm[0]] == 0 {
			free = append(free, f.Imm[0])
		}
	}
	for len(free) > 0 {
		f := free[len(free)-1]
		free = free[:len(free)-1]
		for _, from := range callers[f] {
			if calls[from]--; calls[from] == 0 {
				free = append(free, from)
			}
		}
	}
	for _, f := range order {
		if calls[f.Imm[0]] > 0 {
			c.fail(f, "recursion", "func %d calls itself, or a function that does", f.Imm[0])
			return false
		}
	}
	return true
}
