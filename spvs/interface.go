package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// Variable is a variable of the interface of an entry point.
type Variable struct {
	ID, Type spirv.ID // Type is the type of the variable, not of the pointer
	// Registers are the registers of its lanes. It is empty if the type is not supported.
	Registers []ir.Reg
	Scalars   []Scalar
}

// indexShift is the first bit of the decoration Index in the number of an output.
const indexShift = 12

// BuiltinReg returns the register of a component of a built-in variable, of an element of an array. ok is false if the
// number is too large.
func BuiltinReg(f ir.File, b spirv.BuiltIn, element, component int) (r ir.Reg, ok bool) {
	if b >= vendorBuiltins {
		b -= vendorBuiltins - coreBuiltins
	}
	if b >= 1<<12 || element >= 16 {
		return r, false
	}
	return ir.Reg{File: f, Index: uint16(b)<<4 | uint16(element), Comp: uint8(component)}, true
}

// Built-in variables of extensions have numbers from vendorBuiltins on; they follow those of the core.
const (
	coreBuiltins   = 1 << 10
	vendorBuiltins = 1 << 12
)

// BuiltinOf returns the built-in variable of a register, and the element of its array.
func BuiltinOf(r ir.Reg) (b spirv.BuiltIn, element int) {
	b = spirv.BuiltIn(r.Index >> 4)
	if b >= coreBuiltins {
		b += vendorBuiltins - coreBuiltins
	}
	return b, int(r.Index & 15)
}

// describe returns the description of a variable of the interface.
func (x *index) describe(v *variable) Variable {
	d := Variable{ID: v.id, Type: v.shape.id, Registers: x.registers(v)}
	if d.Registers != nil {
		d.Scalars = v.shape.scalars(nil)
	}
	return d
}

// registers returns the registers of the lanes of an input or output, or nil if it is not supported.
func (x *index) registers(v *variable) []ir.Reg {
	if v.regs != nil || !v.shape.isValue() {
		return v.regs
	}
	a := &assigner{x: x, file: Input, builtin: BuiltinIn, ok: true}
	if v.class == spirv.StorageClassOutput {
		a.file, a.builtin = Output, BuiltinOut
	}
	a.assign(v.shape, x.decorations[v.id])
	if a.ok && (v.shape.kind != arrayType || distinct(a.regs)) {
		v.regs = a.regs
	}
	return v.regs
}

// distinct reports whether all registers differ. Elements of an array of blocks whose members have locations do not.
func distinct(regs []ir.Reg) bool {
	list := slices.Clone(regs)
	slices.SortFunc(list, ir.Reg.Compare)
	return len(slices.Compact(list)) == len(regs)
}

// assigner assigns registers to the lanes of a variable in order. A matrix takes a location for each column, and an
// array for each element (Vulkan specification, interfaces-iointerfaces-locations).
type assigner struct {
	x             *index
	file, builtin ir.File
	location      uint32
	index         uint32
	regs          []ir.Reg
	ok            bool
}

// assign assigns the registers of a type with these decorations.
func (a *assigner) assign(s *shape, list []decoration) {
	if has(list, spirv.DecorationPatch) {
		a.ok = false
		return
	}
	if has(list, spirv.DecorationPerVertexKHR) && s.kind == arrayType { // the registers of one vertex
		s = s.elem
	}
	if b, ok := number(list, spirv.DecorationBuiltIn); ok {
		a.assignBuiltin(s, spirv.BuiltIn(b))
		return
	}
	if n, ok := number(list, spirv.DecorationLocation); ok {
		a.location = n
	}
	if n, ok := number(list, spirv.DecorationIndex); ok {
		a.index = n
	}
	component, _ := number(list, spirv.DecorationComponent)
	a.located(s, component)
}

// located assigns locations from the current one on.
func (a *assigner) located(s *shape, component uint32) {
	switch s.kind {
	case scalarType, vectorType:
		if int(component)+s.lanes > 4 || a.location >= 1<<indexShift || a.index > 15 {
			a.ok = false
			return
		}
		for k := range s.lanes {
			a.regs = append(a.regs, ir.Reg{File: a.file, Index: uint16(a.index<<indexShift | a.location),
				Comp: uint8(component) + uint8(k)})
		}
		a.location++
	case matrixType, arrayType:
		for range s.count {
			a.located(s.elem, component)
		}
	case structType:
		for k, m := range s.members {
			a.assign(m, a.x.members[member{s.id, uint32(k)}])
		}
	}
}

// assignBuiltin assigns the registers of a built-in variable: a scalar, a vector, or an array of them.
func (a *assigner) assignBuiltin(s *shape, b spirv.BuiltIn) {
	elements := 1
	if s.kind == arrayType {
		elements, s = s.count, s.elem
	}
	if s.kind != scalarType && s.kind != vectorType {
		a.ok = false
		return
	}
	for e := range elements {
		for k := range s.lanes {
			r, ok := BuiltinReg(a.builtin, b, e, k)
			a.ok = a.ok && ok
			a.regs = append(a.regs, r)
		}
	}
}

// inputs returns lanes of an input.
func (l *lifter) inputs(v *variable, first, n int) []*ir.Value {
	regs := l.x.registers(v)
	if len(regs) != v.shape.lanes {
		l.unsupported("the input has a type or a location that is not supported")
		return nil
	}
	types := v.shape.scalars(nil)
	list := make([]*ir.Value, n)
	for k := range list {
		list[k] = l.f.Leaf(ir.Input, regs[first+k])
		l.note(list[k:k+1], types[first+k])
	}
	return list
}

// outputs makes the final values of outputs, and of states that others see, outputs of the function. Lanes that no code
// writes are left out.
func (l *lifter) outputs() {
	for _, v := range l.used {
		if v.class != spirv.StorageClassOutput || l.err != nil {
			continue
		}
		l.at = v.at
		regs := l.x.registers(v)
		if regs == nil {
			l.unsupported("the output has a type or a location that is not supported")
			return
		}
		var lanes []*ir.Value
		if v.memory {
			lanes = l.loadArray(pointerTo(v))
		} else {
			pl := l.place(v)
			for k := range pl.count {
				lanes = append(lanes, l.Current(pl.first+k))
			}
		}
		for k, value := range lanes {
			if value != nil {
				l.f.Outs = append(l.f.Outs, ir.Output{Reg: regs[k], V: value})
			}
		}
	}
	for _, slot := range l.shared {
		if v := l.Current(slot); v != nil {
			l.f.Outs = append(l.f.Outs, ir.Output{Reg: l.homes[slot], V: v})
		}
	}
	slices.SortStableFunc(l.f.Outs, func(a, b ir.Output) int { return a.Reg.Compare(b.Reg) })
	for i := 1; i < len(l.f.Outs); i++ {
		if l.f.Outs[i].Reg == l.f.Outs[i-1].Reg {
			l.unsupported("two outputs have the same register " + l.f.Dialect.RegName(l.f.Outs[i].Reg))
		}
	}
}

// makePreciseBuiltins returns the table preciseBuiltins, which are the outputs whose values decide visibility: draws of the same triangles must agree on them.
func makePreciseBuiltins() map[spirv.BuiltIn]bool {
	return map[spirv.BuiltIn]bool{spirv.BuiltInPosition: true, spirv.BuiltInPointSize: true,
		spirv.BuiltInClipDistance: true, spirv.BuiltInCullDistance: true, spirv.BuiltInFragDepth: true}
}

// markPrecise marks the code that precise and invariant outputs depend on.
func (l *lifter) markPrecise() {
	invariant := map[ir.Reg]bool{}
	for _, v := range l.used {
		if v.class == spirv.StorageClassOutput && has(l.x.decorations[v.id], spirv.DecorationInvariant) {
			for _, r := range l.x.registers(v) {
				invariant[r] = true
			}
		}
	}
	var from []*ir.Value
	for _, o := range l.f.Outs {
		b, _ := BuiltinOf(o.Reg)
		if invariant[o.Reg] || o.Reg.File == BuiltinOut && preciseBuiltins[b] {
			from = append(from, o.V)
		}
	}
	ir.MarkPrecise(l.f, from)
}
