package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/vsps"
)

// unit is a function to execute, with the register rules of its language. The walk needs nothing else of a
// language.
type unit interface {
	function() *ir.Func
	// space separates equal names in programs of different kinds.
	space() uint64
	// key returns the number of a register component.
	registerKey(r ir.Reg) uint64
	// undefined returns the number of a component that was never written.
	undefined(r ir.Reg) uint64
	// holds returns the source of a register's contents. bits are those of a literal.
	holds(r ir.Reg) (kind ir.Kind, bits uint32)
	// indexed returns the register that load in reads for index k. reach lists the registers on which the
	// load depends, besides those that the host set.
	indexed(in *ir.Instr, k uint32) (ir.Reg, bool)
	reach(in *ir.Instr) []uint16
	// gated reports whether the result of in depends on which invocations run.
	gated(in *ir.Instr) bool
	// array reports whether memory op in addresses an array, whose index has an offset. For a private array
	// it also returns the number of elements.
	array(in *ir.Instr) (n uint32, private, ok bool)
	// waits reports whether fence in makes invocations wait for others.
	waits(in *ir.Instr) bool
}

// program is one lifted stage of one version. prepare creates it; declarationsOf creates one for rung 0
// without lifting.
type program struct {
	// src is the program as read, and fn its lifted form with the known constants inserted.
	src   *d3d9.Program
	fn    *ir.Func
	stage d3d9.Stage

	// ports has the semantics of input and output registers that declare one.
	ports  map[d3d9.Reg][4]port
	inputs []uint16 // declared input registers, for indexed reads
	// defs has the words of constants that def sets, by register.
	defs map[uint16][4]uint32
	// shared maps constants to the constants of the other stage that they repeat.
	shared map[uint16]uint16
	host   *hosted           // nil unless constants are compared as expressions
	after  bool              // part of the version after; set only with host
	known  map[ir.Reg]uint32 // constants that the host is known to set
	// arrays memoizes arrayAt by base.
	arrays map[uint16][]uint16
	table  *d3d9.ConstantTable
	border map[borderKey]symbolic.Interpolation // declarations, for rung 0
}

// port is a semantic, usage and index, and its kind of interpolation. set is false for the zero port, which
// has no semantic.
type port struct {
	usage d3d9.Usage
	index uint8
	set   bool
	kind  symbolic.Interpolation
}

// prepare lifts p unless fn is its lifted form already, inserts the known constants, checks the result, and
// collects the declarations of p. It takes fn over.
func prepare(p *d3d9.Program, fn *ir.Func, shared map[uint16]uint16, known map[ir.Reg]uint32) (*program, error) {
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
	prog := &program{src: p, fn: fn, stage: p.Model.Stage, shared: shared, known: known, table: table,
		ports: map[d3d9.Reg][4]port{}, defs: map[uint16][4]uint32{}, arrays: map[uint16][]uint16{}}
	for i := range p.Insts {
		switch in := &p.Insts[i]; in.Op {
		case d3d9.OpDef:
			prog.defs[in.Dst.Index] = in.Imm
		case d3d9.OpDcl:
			prog.declare(in)
		}
	}
	slices.Sort(prog.inputs)
	return prog, nil
}

// declare records the semantic of a declared register by component. Below 3_0 the semantics of varyings are
// fixed whatever dcl states: v# of a pixel program are colours, t# texture coordinates.
func (p *program) declare(in *d3d9.Inst) {
	reg := in.Dst.Reg
	if reg.File != d3d9.Input && reg.File != d3d9.Output && reg.File != d3d9.Texture {
		return
	}
	if reg.File == d3d9.Input && !slices.Contains(p.inputs, reg.Index) {
		p.inputs = append(p.inputs, reg.Index)
	}
	mod := p.builtin(reg)
	if !mod.set {
		mod = port{usage: in.Decl.Usage, index: in.Decl.Index, set: true}
		if mod.usage == d3d9.UsageColor && p.stage == d3d9.Pixel {
			mod.kind = symbolic.InterpColor
		}
	}
	if in.Dst.Mods&d3d9.Centroid != 0 {
		mod.kind |= symbolic.InterpCentroid
	}
	if in.Dst.Mods&d3d9.PartialPrecision != 0 {
		mod.kind |= symbolic.InterpHalf
	}
	ports := p.ports[reg]
	for c := range ports {
		if in.Dst.Mask.Has(c) {
			ports[c] = mod
		}
	}
	p.ports[reg] = ports
}

// builtin returns the semantic that a register has by its name: oPos, oFog, oPts, oT#, oD# of vertex programs
// and t#, v# of pixel programs before 3_0. Colours before 3_0 are clamped between the stages.
func (p *program) builtin(r d3d9.Reg) port {
	switch {
	case r.File == d3d9.RastOut && r.Index == d3d9.PosIndex:
		return port{usage: d3d9.UsagePosition, set: true}
	case r.File == d3d9.RastOut && r.Index == d3d9.FogIndex:
		return port{usage: d3d9.UsageFog, set: true}
	case r.File == d3d9.RastOut:
		return port{usage: d3d9.UsagePSize, set: true}
	case r.File == d3d9.TexOut, r.File == d3d9.Texture:
		return port{usage: d3d9.UsageTexCoord, index: uint8(r.Index), set: true}
	case r.File == d3d9.AttrOut:
		return port{usage: d3d9.UsageColor, index: uint8(r.Index), set: true}
	case r.File == d3d9.Input && p.stage == d3d9.Pixel && p.src.Model.Major < 3:
		return port{usage: d3d9.UsageColor, index: uint8(r.Index), set: true, kind: symbolic.InterpColor | symbolic.InterpClamp}
	}
	return port{}
}

// semanticOf returns the semantic of a register component.
func (p *program) semanticOf(r ir.Reg) port {
	reg := d3d9.Reg{File: d3d9.File(r.File), Index: r.Index}
	if ports, ok := p.ports[reg]; ok && ports[r.Comp].set {
		return ports[r.Comp]
	}
	return p.builtin(reg)
}

func (p *program) function() *ir.Func { return p.fn }

func (p *program) space() uint64 { return uint64(p.stage) }

func (p *program) registerKey(r ir.Reg) uint64 { return p.space()<<40 | regKey(r) }

func (p *program) undefined(r ir.Reg) uint64 { return p.registerKey(r) }

// regKey returns the number of a register component, below 2^40; the space uses the bits above.
func regKey(r ir.Reg) uint64 {
	return uint64(r.File)<<32 | uint64(r.Index)<<8 | uint64(r.Comp)
}

// holds returns the source of a register's contents. A def overrides the host (Direct3D 9 reference, def), so
// that a known constant counts only without one.
func (p *program) holds(r ir.Reg) (ir.Kind, uint32) {
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

// maxRegister limits the registers that an index can name.
const maxRegister = 1 << 13

// indexed adds the index to the base as the hardware does, with a sign.
func (p *program) indexed(in *ir.Instr, k uint32) (ir.Reg, bool) {
	n := int(in.Base.Index) + int(int32(k))
	return ir.Reg{File: in.Base.File, Index: uint16(n)}, n >= 0 && n < maxRegister
}

// reach lists the registers that a relative read may access: all declared inputs, or constants.
func (p *program) reach(in *ir.Instr) []uint16 {
	if in.Base.File == ir.File(d3d9.Input) {
		return p.inputs
	}
	return p.arrayAt(in.Base.Index)
}

func (p *program) gated(in *ir.Instr) bool { return in.Op.Has(ir.Convergent) }

func (p *program) array(*ir.Instr) (n uint32, private, ok bool) { return 0, false, false }

func (p *program) waits(*ir.Instr) bool { return false }

// semanticKey returns the number of an input or output component, by its semantic or, without one, by its
// register.
func (p *program) semanticKey(r ir.Reg) uint64 {
	if s := p.semanticOf(r); s.set {
		return s.componentKey(r.Comp)
	}
	return p.registerKey(r)
}

// componentKey returns a number that is equal for matching components: usage, index, component, and a bit that no
// register key has.
func (s port) componentKey(comp uint8) uint64 {
	return 1<<48 | uint64(s.usage)<<16 | uint64(s.index)<<8 | uint64(comp)
}

// fixedFunction reports whether a vertex output feeds fixed-function hardware. Draws that must agree bit for
// bit, such as a depth pass and a colour pass, depend on it.
func (s port) fixedFunction() bool {
	switch s.usage {
	case d3d9.UsagePosition, d3d9.UsagePositionT, d3d9.UsagePSize, d3d9.UsageFog:
		return s.set
	}
	return false
}

// arrayAt lists the constant registers that a relative read based at base may access and that the application
// does not set alone. The program defines them, they repeat a constant of the other stage, or a preshader
// computes them. With a constant table, a read stays in the parameter in which it starts; without one, it may
// access any constant.
func (p *program) arrayAt(base uint16) []uint16 {
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
	for r := range p.shared {
		if _, own := p.defs[r]; !own && in(r) {
			list = append(list, r)
		}
	}
	for _, r := range p.host.others(p.stage) {
		if _, own := p.defs[r]; !own && in(r) {
			list = append(list, r)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	p.arrays[base] = list
	return list
}
