package walk

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/vsps"
)

// Unit is a function to execute, with the register rules of its language. The walk needs nothing else of a
// language.
type Unit interface {
	Function() *ir.Func
	// space separates equal names in programs of different kinds.
	Space() uint64
	// key returns the number of a register component.
	RegisterKey(r ir.Reg) uint64
	// Undefined returns the number of a component that was never written.
	Undefined(r ir.Reg) uint64
	// Holds returns the source of a register's contents. bits are those of a literal.
	Holds(r ir.Reg) (kind ir.Kind, bits uint32)
	// Indexed returns the register that load in reads for index k. reach lists the registers on which the
	// load depends, besides those that the host set.
	Indexed(in *ir.Instr, k uint32) (ir.Reg, bool)
	Reach(in *ir.Instr) []uint16
	// Gated reports whether the result of in depends on which invocations run.
	Gated(in *ir.Instr) bool
	// Array reports whether memory op in addresses an array, whose index has an offset. For a private array
	// it also returns the number of elements.
	Array(in *ir.Instr) (n uint32, private, ok bool)
	// ByWords reports whether memory op in accesses words side by side, from a byte address on.
	ByWords(in *ir.Instr) bool
	// Rounds reports whether in rounds its result on its own: hardware may not combine it with others.
	Rounds(in *ir.Instr) bool
	// Waits reports whether fence in makes invocations wait for others.
	Waits(in *ir.Instr) bool
}

// Stage is a program of a draw, with the rules of its language about inputs and outputs.
type Stage interface {
	Unit
	// SemanticKey returns the number of an input or output component. An output of a vertex program has the number
	// of the input that it feeds.
	SemanticKey(r ir.Reg) uint64
	// Interpolated returns how an input of a pixel program is interpolated, and whether vertex programs feed it.
	Interpolated(r ir.Reg) (kind symbolic.Interpolation, fed bool)
	// Observed reports whether an output of a vertex program has effects besides the pixel program.
	Observed(r ir.Reg) bool
	// Varies reports whether a pixel program can read an output of a vertex program.
	Varies(r ir.Reg) bool
	// Exact reports whether an output has to stay the same term.
	Exact(r ir.Reg) bool
}

// Program is one lifted stage of Direct3D 9 of one version.
type Program struct {
	iface.Signature
	Fn *ir.Func // lifted form of src with the known constants inserted

	// defs has the words of constants that def sets, by register.
	defs map[uint16][4]uint32
	// Shared maps constants to the constants of the other stage that they repeat.
	Shared map[uint16]uint16
	Host   *iface.Sources    // nil unless constants are compared as expressions
	After  bool              // part of the version after; set only with host
	known  map[ir.Reg]uint32 // constants that the host is known to set
	// arrays memoizes arrayAt by base.
	arrays map[uint16][]uint16
	table  *d3d9.ConstantTable
}

// Lift lifts p unless fn is its lifted form already, inserts the known constants, checks the result, and
// collects the declarations of p. It takes fn over.
func Lift(p *d3d9.Program, fn *ir.Func, shared map[uint16]uint16, known map[ir.Reg]uint32) (*Program, error) {
	if fn == nil {
		var err error
		if fn, err = vsps.Lift(p); err != nil {
			return nil, err
		}
	}
	fn.Specialize(known)
	if err := fn.Check(); err != nil {
		return nil, err
	}
	table, err := p.ConstantTable()
	if err != nil {
		return nil, err
	}
	prog := &Program{Signature: iface.SignatureOf(p), Fn: fn, Shared: shared, known: known, table: table,
		defs: map[uint16][4]uint32{}, arrays: map[uint16][]uint16{}}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == d3d9.OpDef {
			prog.defs[in.Dst.Index] = in.Imm
		}
	}
	return prog, nil
}

func (p *Program) Function() *ir.Func { return p.Fn }

func (p *Program) Interpolated(r ir.Reg) (symbolic.Interpolation, bool) {
	port := p.SemanticOf(r)
	return port.Kind, port.Set
}

func (p *Program) Observed(r ir.Reg) bool { return p.SemanticOf(r).FixedFunction() }

func (p *Program) Varies(r ir.Reg) bool { return r.File != ir.File(d3d9.RastOut) }

func (p *Program) Exact(r ir.Reg) bool {
	return p.Observed(r) || r.File == ir.File(d3d9.DepthOut)
}

func (p *Program) Undefined(r ir.Reg) uint64 { return p.RegisterKey(r) }

// Holds returns the source of a register's contents. A def overrides the host (Direct3D 9 reference, def), so
// that a known constant counts only without one.
func (p *Program) Holds(r ir.Reg) (ir.Kind, uint32) {
	switch d3d9.File(r.File) {
	case d3d9.Input:
		return ir.Input, 0
	case d3d9.Const:
		if bits, ok := p.defs[r.Index]; ok {
			return ir.Literal, bits[r.Comp]
		}
		if bits, ok := p.known[r]; ok {
			return ir.Literal, bits
		}
		return ir.Uniform, 0
	}
	return ir.Undef, 0
}

// Indexed adds the index to the base as the hardware does, with a sign.
func (p *Program) Indexed(in *ir.Instr, k uint32) (ir.Reg, bool) {
	n := int(in.Base.Index) + int(int32(k))
	return ir.Reg{File: in.Base.File, Index: uint16(n)}, n >= 0 && n < iface.MaxRegister
}

// Reach lists the registers that a relative read may access: all declared inputs, or constants.
func (p *Program) Reach(in *ir.Instr) []uint16 {
	if in.Base.File == ir.File(d3d9.Input) {
		return p.Inputs
	}
	return p.arrayAt(in.Base.Index)
}

func (p *Program) Gated(in *ir.Instr) bool { return in.Op.Has(ir.Convergent) }

func (p *Program) Array(*ir.Instr) (n uint32, private, ok bool) { return 0, false, false }

func (p *Program) ByWords(*ir.Instr) bool { return false }

func (p *Program) Rounds(*ir.Instr) bool { return false }

func (p *Program) Waits(*ir.Instr) bool { return false }

// arrayAt lists the constant registers that a relative read based at base may access and that the application
// does not set alone. The program defines them, they repeat a constant of the other stage, or a preshader
// computes them. With a constant table, a read stays in the parameter in which it starts; without one, it may
// access any constant.
func (p *Program) arrayAt(base uint16) []uint16 {
	if list, ok := p.arrays[base]; ok {
		return list
	}
	in := func(r uint16) bool { return true }
	if c := p.table.Lookup(d3d9.Reg{File: d3d9.Const, Index: base}); c != nil {
		in = func(r uint16) bool { return c.CoversRegister(d3d9.Reg{File: d3d9.Const, Index: r}) }
	}
	list := []uint16{}
	for r := range p.defs { // sorted below
		if in(r) {
			list = append(list, r)
		}
	}
	for r := range p.Shared {
		if _, own := p.defs[r]; !own && in(r) {
			list = append(list, r)
		}
	}
	for _, r := range p.Host.Others(p.Stage) {
		if _, own := p.defs[r]; !own && in(r) {
			list = append(list, r)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	p.arrays[base] = list
	return list
}
