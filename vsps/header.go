package vsps

import (
	"slices"
	"sort"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// markRead records that a constant register is read, so that its def is kept.
func (c *constPool) markRead(r d3d9.Reg) {
	if r.File == d3d9.Const {
		if k := findDef(c.defs, r.Index); k >= 0 {
			c.defs[k].used = true
		}
	}
}

// header writes the part before the code. It keeps the comments, declarations and definitions of
// the input, except unused pixel inputs, samplers and constants, and adds those that the code
// needs.
func (w *writer) header() {
	// indexed: some operand is c[a0.x+n] or v[aL+n], so any register of the file may be read. ints:
	// the i# and b# that the code uses.
	indexed := false
	ints := map[d3d9.Reg]bool{}
	for i := range w.body {
		for _, s := range w.body[i].Sources() {
			indexed = indexed || s.Rel.File != d3d9.NoFile
			if s.File == d3d9.ConstInt || s.File == d3d9.ConstBool {
				ints[s.Reg] = true
			}
		}
	}
	// The union of all declarations of a register: ps_3_0 may declare v0.xy and v0.zw separately.
	declared := map[d3d9.Reg]d3d9.Mask{}
	for i := range w.orig.Insts {
		if in := &w.orig.Insts[i]; in.Op == d3d9.OpDcl {
			declared[in.Dst.Reg] |= in.Dst.Mask
		}
	}
	// Keep the order of the input. Drop an unused def; constants that the host sets have none.
	for i := range w.orig.Insts {
		in := &w.orig.Insts[i]
		keep := false
		switch in.Op {
		case d3d9.OpComment:
			keep = true
		case d3d9.OpDcl:
			keep = w.keepDecl(in, indexed)
		case d3d9.OpDef:
			k := findDef(w.pool.defs, in.Dst.Index)
			keep = k >= 0 && (indexed || w.pool.defs[k].used && !w.pool.defs[k].added)
		case d3d9.OpDefI, d3d9.OpDefB:
			keep = ints[in.Dst.Reg]
		}
		if keep {
			w.out.Insts = append(w.out.Insts, w.extendDecl(in, declared))
		}
	}
	// After the declarations of the input: those that linking added, then constants and trip
	// counts.
	w.newDecls(declared)
	for _, d := range w.pool.defs {
		if d.added && d.used {
			in := d3d9.Inst{Op: d3d9.OpDef, HasDst: true, Imm: d.bits}
			in.Dst = d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Const, Index: d.reg}, Mask: d3d9.MaskAll}
			w.out.Insts = append(w.out.Insts, in)
		}
	}
	w.out.Insts = append(append(w.out.Insts, w.ints...), w.body...)
}

// keepDecl reports whether a declaration stays. The application provides the inputs of a vertex
// program, so they always stay. An output that even the input never writes also stays, because a
// pixel program may read it.
func (w *writer) keepDecl(in *d3d9.Inst, indexed bool) bool {
	if w.orig.Model.Stage == d3d9.Vertex {
		if in.Dst.File == d3d9.Output {
			return w.ports()[in.Dst.Reg] != 0 || !slices.ContainsFunc(w.orig.Insts, func(x d3d9.Inst) bool {
				return x.HasDst && x.Op != d3d9.OpDcl && x.Dst.Reg == in.Dst.Reg
			})
		}
		return true
	}
	switch in.Dst.File {
	case d3d9.Sampler:
		// A pixel program declares the registers that it reads: without a read, the interpolator
		// and the texture unit are free. Misc is vPos and vFace.
		return w.unit[in.Dst.Index]
	case d3d9.Input, d3d9.Texture, d3d9.Misc:
		return w.read[in.Dst.Reg] != 0 || indexed
	}
	return true
}

// extendDecl returns a declaration, with its mask extended to the components that the code reads or
// writes. declared is the union of all declarations: several may share a register, and only one is
// extended. The spelling of a changed declaration is dropped.
func (w *writer) extendDecl(in *d3d9.Inst, declared map[d3d9.Reg]d3d9.Mask) d3d9.Inst {
	if in.Op != d3d9.OpDcl {
		return *in
	}
	// Add the components in use that no declaration covers.
	m := in.Dst.Mask | w.ports()[in.Dst.Reg]&^declared[in.Dst.Reg]
	if m == in.Dst.Mask {
		return *in
	}
	declared[in.Dst.Reg] |= m
	c := *in
	// Text and Raw have the spelling and the words of the input, which would be written unchanged.
	c.Dst.Mask = m
	c.Text, c.Raw = "", nil
	return c
}

// ports returns the components of interpolated registers in use: those that a pixel program reads,
// or a vertex program writes. It builds the map once, when the body is complete.
func (w *writer) ports() map[d3d9.Reg]d3d9.Mask {
	if w.orig.Model.Stage == d3d9.Pixel {
		return w.read
	}
	if w.written == nil {
		w.written = map[d3d9.Reg]d3d9.Mask{}
		for i := range w.body {
			if d := &w.body[i].Dst; w.body[i].HasDst && d.File == d3d9.Output {
				w.written[d.Reg] |= d.Mask
			}
		}
	}
	return w.written
}

// newDecls declares new interpolated registers, as assigned by Link.
func (w *writer) newDecls(declared map[d3d9.Reg]d3d9.Mask) {
	var regs []d3d9.Reg
	masks := w.ports()
	for r := range masks {
		if declared[r] == 0 && r.File != d3d9.Misc {
			regs = append(regs, r)
		}
	}
	sort.Slice(regs, func(i, j int) bool { return regs[i].Index < regs[j].Index })
	for _, r := range regs {
		// Below 3.0 the register's number is its semantic, and dcl has no usage.
		in := d3d9.Inst{Op: d3d9.OpDcl, HasDst: true, Dst: d3d9.Dst{Reg: r, Mask: masks[r]}}
		if w.orig.Model.Major >= 3 {
			in.Decl = d3d9.Decl{Usage: d3d9.UsageTexCoord, Index: w.semantic(r)}
		}
		w.out.Insts = append(w.out.Insts, in)
	}
}

// semantic returns the texture coordinate set of a new o# or v#.
func (w *writer) semantic(r d3d9.Reg) uint8 {
	at := ir.Reg{File: ir.File(r.File), Index: r.Index}
	k := slices.IndexFunc(w.varyings, func(v ir.Varying) bool { return v.Out == at || v.In == at })
	if k < 0 {
		return uint8(r.Index)
	}
	return w.varyings[k].Semantic
}
