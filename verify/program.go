package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/vsps"
)

// unit is a function to execute and what its program says about registers: all that the walk has to
// know of a language.
type unit interface {
	function() *ir.Func
	// space tells apart what programs of different kinds name alike.
	space() uint64
	// key numbers a component of a register.
	key(r ir.Reg) uint64
	// undefined numbers what a component holds that was never written.
	undefined(r ir.Reg) uint64
	// holds tells where the contents of a register come from; bits are those of a literal.
	holds(r ir.Reg) (kind ir.Kind, bits uint32)
	// indexed is the register that the load in reads if the index is k, and reach lists
	// those whose contents it depends on besides what the host set.
	indexed(in *ir.Instr, k uint32) (ir.Reg, bool)
	reach(in *ir.Instr) []uint16
	// gated reports whether what in computes depends on which invocations run.
	gated(in *ir.Instr) bool
	// array tells of the memory op in whether it is about an array, whose index has an
	// offset, and of one that no other invocation sees how many elements it has.
	array(in *ir.Instr) (n uint32, private, ok bool)
	// waits reports whether the fence in holds up invocations until others meet it.
	waits(in *ir.Instr) bool
}

// program is one stage of one side of a comparison, lifted. It is made by prepare, or for rung 0 by
// declarationsOf, which lifts nothing.
type program struct {
	// src is the program as it was read, and fn what it lifts to, with known constants put in.
	src   *d3d9.Program
	fn    *ir.Func
	stage d3d9.Stage

	// ports are the semantics of input and output registers that declare one.
	ports  map[d3d9.Reg][4]port
	inputs []uint16 // declared input registers, for indexed reads
	// defs are the words that def gives float constants, by register.
	defs map[uint16][4]uint32
	// shared maps constants to those of the other stage whose values they repeat.
	shared map[uint16]uint16
	host   *hosted           // nil unless constants are compared as what they are made of
	after  bool              // of the side after, if so
	known  map[ir.Reg]uint32 // constants that the host is known to set
	// arrays remembers arrayAt by base.
	arrays map[uint16][]uint16
	table  *d3d9.ConstantTable
	border map[borderKey]symbolic.Interpolation // what is declared, for rung 0
}

// port is a semantic, usage and index, and how a value with it is interpolated. set tells it from the
// zero port, which has none.
type port struct {
	usage d3d9.Usage
	index uint8
	set   bool
	kind  symbolic.Interpolation
}

// prepare lifts p, if fn is not what it lifts to, puts in the constants that are known, checks the
// result, and collects what the declarations of p say. It takes fn over.
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

// declare notes the semantic of a declared register, component by component. Below 3_0 those of
// varyings are fixed whatever dcl says: v# of a pixel program are colours, t# texture coordinates.
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

// builtin is the semantic that a register has by its name: oPos, oFog, oPts, oT#, oD# of vertex programs
// and t#, v# of pixel programs before 3_0. Colours before 3_0 are clamped as they are handed over.
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

// port is the semantic of a register component.
func (p *program) port(r ir.Reg) port {
	reg := d3d9.Reg{File: d3d9.File(r.File), Index: r.Index}
	if ports, ok := p.ports[reg]; ok && ports[r.Comp].set {
		return ports[r.Comp]
	}
	return p.builtin(reg)
}

func (p *program) function() *ir.Func { return p.fn }

func (p *program) space() uint64 { return uint64(p.stage) }

func (p *program) key(r ir.Reg) uint64 { return p.space()<<40 | regKey(r) }

func (p *program) undefined(r ir.Reg) uint64 { return p.key(r) }

// regKey numbers a component of a register, below 2^40; a space goes above it.
func regKey(r ir.Reg) uint64 {
	return uint64(r.File)<<32 | uint64(r.Index)<<8 | uint64(r.Comp)
}

// holds: a def goes before what the host sets (Direct3D 9 reference, def), so that a known constant
// counts for registers without one.
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

// maxRegister bounds the registers that an index can name.
const maxRegister = 1 << 13

// indexed adds as the hardware does, with a sign.
func (p *program) indexed(in *ir.Instr, k uint32) (ir.Reg, bool) {
	n := int(in.Base.Index) + int(int32(k))
	return ir.Reg{File: in.Base.File, Index: uint16(n)}, n >= 0 && n < maxRegister
}

// reach lists the registers that a relative read may meet: all declared inputs, or constants.
func (p *program) reach(in *ir.Instr) []uint16 {
	if in.Base.File == ir.File(d3d9.Input) {
		return p.inputs
	}
	return p.arrayAt(in.Base.Index)
}

func (p *program) gated(in *ir.Instr) bool { return in.Op.Has(ir.Convergent) }

func (p *program) array(*ir.Instr) (n uint32, private, ok bool) { return 0, false, false }

func (p *program) waits(*ir.Instr) bool { return false }

// semanticKey numbers a component of what crosses the border of a program: by its
// semantic, by its register where it has none.
func (p *program) semanticKey(r ir.Reg) uint64 {
	if s := p.port(r); s.set {
		return s.key(r.Comp)
	}
	return p.key(r)
}

// key is equal for components that meet: usage, index, component, and a bit that no
// register's key has.
func (s port) key(comp uint8) uint64 {
	return 1<<48 | uint64(s.usage)<<16 | uint64(s.index)<<8 | uint64(comp)
}

// fixedFunction reports whether a vertex output feeds fixed-function hardware: draws that must agree
// bit for bit, as of a depth pass and a colour pass, depend on it.
func (s port) fixedFunction() bool {
	switch s.usage {
	case d3d9.UsagePosition, d3d9.UsagePositionT, d3d9.UsagePSize, d3d9.UsageFog:
		return s.set
	}
	return false
}

// arrayAt lists the constant registers that a relative read based at base may meet
// and that do not hold what the application put there: the program defines them, they
// repeat one of the other stage, or a preshader computes them. With a constant table a read is taken to stay in
// the parameter that it starts in; without one it may go anywhere.
func (p *program) arrayAt(base uint16) []uint16 {
	if list, ok := p.arrays[base]; ok {
		return list
	}
	in := func(r uint16) bool { return true }
	if c := p.table.Lookup(d3d9.Reg{File: d3d9.Const, Index: base}); c != nil {
		in = func(r uint16) bool { return c.Uses(d3d9.Reg{File: d3d9.Const, Index: r}) }
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
