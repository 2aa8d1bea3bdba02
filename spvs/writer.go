package spvs

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// writer writes the body of an entry point from IR.
type writer struct {
	*body
	p     *Program
	f     *ir.Func
	kinds *kinds
	needs *ir.Needs
	// alias maps values that are another value here: results of a branch with one side, invariant parameters of a loop.
	alias map[*ir.Value]ir.Lane
	loops []*loopText
	err   error

	x *index
	// leaves are the leaves that the function reads, by register. places are the lanes of inputs, and blocks the buffers
	// by file.
	leaves  map[ir.Reg]*ir.Value
	places  map[ir.Reg]pointer
	blocks  map[ir.File]blockVariable
	specs   map[int]spirv.ID // specialization constants by their numbers in Names
	outputs []*variable
	// variables are the declarations of the new body.
	variables []spirv.Inst
	// defs are the present values by ID, and siteOf the sites that define them.
	defs   []*ir.Value
	siteOf []*site
	// firstRead is the number of the first definition with a leaf, in the lifted function.
	firstRead map[ir.ID]int
	// deferred are instructions that are written where something needs them.
	deferred map[*ir.Instr]bool
	marked   map[spirv.ID]bool // new ids with the decoration NonUniform
	// contracts is set if the module forbids contraction of some instruction.
	contracts bool
}

// loopText is a loop around the current block.
type loopText struct {
	in     *ir.Instr
	header *basic
	exit   spirv.ID  // the merge block
	next   spirv.ID  // the continue target
	phis   []*phi    // of the results
	only   *ir.Instr // the break of the loop, if there is one
	from   *basic    // the block that dominates all breaks so far
	before *basic    // the block before the header
	order  int       // of the first definition in the loop
}

// phi is a phi instruction to be: some results of a construct, which have one type.
type phi struct {
	index []int // positions in the results of the construct
	kind  Scalar
	id    spirv.ID
	typ   spirv.ID
	args  []uint32 // values and blocks
}

// fail records the first error.
func (w *writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// resolve follows moves and aliases to the value that l copies.
func (w *writer) resolve(l ir.Lane) ir.Lane {
	for l.V != nil {
		from, ok := w.alias[l.V]
		if !ok {
			if from, ok = l.V.CopyOf(ir.Half); !ok {
				return l
			}
		}
		l = ir.Lane{V: from.V, Mod: from.Mod.ComposeWith(l.Mod)}
	}
	return l
}

// isLive reports whether something needs a value.
func (w *writer) isLive(v *ir.Value) bool { return v != nil && w.needs.Live[v.ID] }

// region writes the code of a region. It reports whether control does not reach the end.
func (w *writer) region(r *ir.Region) (ended bool) {
	for _, in := range r.Code {
		w.f.Budget.Poll()
		if w.err != nil {
			return true
		}
		switch in.Op {
		case ir.OpIf:
			ended = w.conditional(in)
		case ir.OpLoop:
			ended = w.loop(in)
		case ir.OpBreak:
			ended = w.leave(in)
		case ir.OpDiscard:
			ended = w.discard(in)
		default:
			w.instr(in)
		}
		if ended {
			return true
		}
	}
	return false
}

// blockVariable is a buffer, or one descriptor of an array of buffers.
type blockVariable struct {
	v       *variable
	element int
}
