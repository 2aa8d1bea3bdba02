package il

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
)

// Check checks a parsed or edited kernel against the rules beyond single statements, and returns
// the violations in source order. It first checks the block structure, like Parse. If that is
// correct, it checks that registers, resources, views and local memories are declared, that
// functions are not recursive, and that the kernel is within [Limits].
//
// Declarations count for the whole kernel, wherever they occur, so Check collects them first. It
// accepts an index beyond the declared size of a constant buffer, because existing programs have
// them. Thread number registers need no declaration.
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
			c.checkDeclared(in)
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

// MaxGroup is the maximum number of threads in a group, as in DirectCompute 5.0
// (D3D11_CS_THREAD_GROUP_MAX_THREADS_PER_GROUP).
const MaxGroup = 1024

// checker holds the declarations and the diagnostics so far.
type checker struct {
	k *Kernel
	// declared registers; arrays without their index
	regs map[Reg]bool
	// undeclared registers that were reported
	undeclared map[Reg]bool
	// declared numbers of resources, views and memories
	ids   [numSpaces]map[uint16]bool
	diags asm.Diags
}

// reportFault reports a fault of a statement.
func (c *checker) reportFault(in *Inst, code asm.Code, format string, args ...any) {
	c.diags = append(c.diags, asm.Errorf(in.Pos, code, format, args...))
}

// declare records a declaration. Inputs and outputs can be declared a few components at a time,
// other registers and resources once. It allows views of different kinds with the same number,
// because no source forbids them.
func (c *checker) declare(in *Inst) {
	if s := opTable[in.Op].space; s != noSpace {
		if c.ids[s] == nil {
			c.ids[s] = map[uint16]bool{}
		}
		if c.ids[s][in.Ctl.ID] && in.Op == OpDclResource {
			c.reportFault(in, "redeclared", "%s %d is already declared", spaceNames[s], in.Ctl.ID)
		}
		c.ids[s][in.Ctl.ID] = true
	}
	if in.Op == OpDclNumThreadPerGroup {
		threads := uint64(1)
		// The product of the sizes, capped before it can overflow.
		for _, n := range in.Immediates() {
			threads = min(threads*uint64(n), MaxGroup+1)
		}
		if threads < 1 || threads > MaxGroup {
			c.reportFault(in, "group-size", "a group has 1 to %d threads", MaxGroup)
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
		c.reportFault(in, "redeclared", "%s is already declared", r)
	}
	c.regs[r] = true
}

// spaceNames are the names of the spaces in messages.
var spaceNames = [numSpaces]string{resources: "resource", views: "unordered-access view", local: "local memory",
	shared: "global data share"}

// declares are the usual declarations of files, for messages.
var declares = map[File]string{Input: "dcl_input_interp(linear)", Output: "dcl_output_generic",
	WinCoord: "dcl_input_position_interp(linear_noperspective)"}

// checkDeclared checks that all registers and resources of a statement are declared.
func (c *checker) checkDeclared(in *Inst) {
	if s := opTable[in.Op].space; s != noSpace && !c.ids[s][in.Ctl.ID] {
		repair := ""
		if s == resources {
			repair = fmt.Sprintf("; add dcl_resource_id(%d) with its _type and the _fmt of its components", in.Ctl.ID)
		}
		c.reportFault(in, "undeclared", "%s %d is not declared%s", spaceNames[s], in.Ctl.ID, repair)
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
		if fileTable[r.File].declared && !c.regs[r] && !c.undeclared[r] {
			if c.undeclared == nil {
				c.undeclared = map[Reg]bool{}
			}
			c.undeclared[r] = true
			repair := ""
			if dcl := declares[r.File]; dcl != "" {
				repair = fmt.Sprintf("; add %s %s", dcl, r)
			}
			c.reportFault(in, "undeclared", "%s is not declared%s", r, repair)
		}
		if a.Rel == nil {
			return
		}
		r, a = a.Rel.Reg, a.Rel.Addr
	}
}

// recursion reports whether the kernel has no directly or indirectly recursive functions, and adds
// diagnostics otherwise. It removes functions without remaining callees, until only cycles and
// their callers remain (Kahn's topological sort of the call graph). Calls in the main program do
// not matter.
func (c *checker) recursion() bool {
	callers := map[uint32][]uint32{} // by called function
	calls := map[uint32]int{}        // by function: calls to remaining functions
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
	// First functions without calls, then functions that called only removed ones.
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
			c.reportFault(f, "recursion", "func %d calls itself, or a function that does", f.Imm[0])
			return false
		}
	}
	return true
}
