package interp

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// allocate assigns slots of the machine to registers and reads declarations. The order of slots is:
// scratch, temporaries and address registers (cleared before every batch), inputs, outputs. Literals and
// constants follow in the order of their first use. Registers of a file lie in index order, four slots
// each, so that relative addresses can be computed. Constants are read through [compiler.constant].
func (c *compiler) allocate() {
	// A relative access may reach any register of its file up to the highest in the program.
	var top [d3d9.Predicate + 1]int // one past the highest index, by file
	// A matrix operand reads rows registers.
	note := func(r d3d9.Reg, rel d3d9.Rel, rows int) {
		top[r.File] = max(top[r.File], int(r.Index)+rows)
		if rel.File == d3d9.Addr {
			top[d3d9.Addr] = max(top[d3d9.Addr], 1)
		}
	}
	for i := range c.prog.Insts {
		in := &c.prog.Insts[i]
		switch in.Op {
		case d3d9.OpDef, d3d9.OpDefI, d3d9.OpDefB:
			c.defs = append(c.defs, def{in.Dst.File, int(in.Dst.Index), in.Imm})
			continue
		case d3d9.OpDcl:
			if in.Dst.File == d3d9.Sampler {
				if in.Dst.Index < 16 {
					c.samplers[in.Dst.Index] = in.Decl.Tex
				}
				continue
			}
		case d3d9.OpComment, d3d9.OpPhase, d3d9.OpNop:
			continue
		}
		if in.HasDst {
			note(in.Dst.Reg, in.Dst.Rel, 1)
		}
		for k, s := range in.Sources() {
			note(s.Reg, s.Rel, in.SourceRegisters(k))
		}
	}

	if c.fixedPoint() {
		c.addressing(top[:])
	}
	c.slots = scratchSlots
	place := func(f d3d9.File, n int) {
		c.files[f] = file{slot(c.slots), n}
		c.slots += 4 * n
	}
	c.temps[0] = slot(c.slots)
	place(d3d9.Temp, top[d3d9.Temp])
	place(d3d9.Addr, top[d3d9.Addr])
	// ps_1_x: the results of texture instructions in t# are separate from the coordinates in t#.
	if c.fixedPoint() {
		place(d3d9.TexOut, top[d3d9.Texture]) // results of texture instructions in t#
	}
	c.temps[1] = slot(c.slots)
	// The order here is that of the machine's registers; outputs follow inputs.
	for _, file := range []d3d9.File{d3d9.Input, d3d9.Texture, d3d9.Misc, d3d9.RastOut, d3d9.AttrOut,
		d3d9.TexOut, d3d9.Output, d3d9.ColorOut, d3d9.DepthOut} {
		if file != d3d9.TexOut || !c.fixedPoint() {
			place(file, top[file])
		}
	}
	if c.fixedPoint() {
		c.files[d3d9.ColorOut] = c.files[d3d9.Temp] // r0 is the result
	}
	c.reads, c.sure = make([]bool, c.slots), make([]bool, c.slots)
	c.inputPorts(top[:])
	c.outputPorts()
}

// file locates the registers of a file and counts them.
type file struct {
	first slot
	count int
}

// firstSlot returns the first slot of a register, or slot 0, which is scratch, if the program has no such
// register.
func (c *compiler) firstSlot(r d3d9.Reg) slot {
	if f := &c.files[r.File]; int(r.Index) < f.count {
		return f.first + 4*slot(r.Index)
	}
	return 0
}

// inputPorts lists the inputs with their semantics, from dcl_usage. Below ps_3_0 the number of a pixel
// input is its semantic. A vertex program without declarations gets the fixed assignment of Direct3D 8
// (D3DVSDE_POSITION and so on).
func (c *compiler) inputPorts(top []int) {
	// Declared registers come first, then registers that are read without a declaration.
	pixel := c.model.Stage == d3d9.Pixel
	declared := map[d3d9.Reg]bool{}
	if !pixel || c.model.Major >= 3 {
		for i := range c.prog.Insts {
			in := &c.prog.Insts[i]
			if in.Op != d3d9.OpDcl || in.Dst.File != d3d9.Input {
				continue
			}
			p := Port{Reg: in.Dst.Reg, Mask: in.Dst.Mask, Usage: in.Decl.Usage, Index: in.Decl.Index,
				base: c.firstSlot(in.Dst.Reg)}
			if !pixel {
				p.Mask = d3d9.MaskAll // the mask of a vertex input limits nothing
			}
			c.inputs = append(c.inputs, p)
			declared[p.Reg] = true
		}
	}
	undeclared := len(declared) == 0
	for _, file := range []d3d9.File{d3d9.Input, d3d9.Texture, d3d9.Misc} {
		for i := range top[file] {
			r := d3d9.Reg{File: file, Index: uint16(i)}
			p := Port{Reg: r, Mask: d3d9.MaskAll, base: c.firstSlot(r)}
			switch {
			// vPos and vFace are not ports; the rasterizer sets them.
			case file == d3d9.Misc:
			case pixel && c.model.Major < 3 && file == d3d9.Texture:
				p.Usage, p.Index = d3d9.UsageTexCoord, uint8(i)
			case pixel && c.model.Major < 3:
				p.Usage, p.Index = d3d9.UsageColor, uint8(i)
			case !pixel && undeclared && i < len(d3d8Inputs):
				p.Usage, p.Index = d3d8Inputs[i].Usage, d3d8Inputs[i].Index
			default:
				continue
			}
			c.inputs = append(c.inputs, p)
		}
	}
	sortPorts(c.inputs)
}

// d3d8Inputs gives the semantics of v0.. in a vertex program without declarations: the D3DVSDE_ constants
// of d3d8types.h.
var d3d8Inputs = [17]struct {
	Usage d3d9.Usage
	Index uint8
}{
	{d3d9.UsagePosition, 0}, {d3d9.UsageBlendWeight, 0}, {d3d9.UsageBlendIndices, 0}, {d3d9.UsageNormal, 0},
	{d3d9.UsagePSize, 0}, {d3d9.UsageColor, 0}, {d3d9.UsageColor, 1},
	{d3d9.UsageTexCoord, 0}, {d3d9.UsageTexCoord, 1}, {d3d9.UsageTexCoord, 2}, {d3d9.UsageTexCoord, 3},
	{d3d9.UsageTexCoord, 4}, {d3d9.UsageTexCoord, 5}, {d3d9.UsageTexCoord, 6}, {d3d9.UsageTexCoord, 7},
	{d3d9.UsagePosition, 1}, {d3d9.UsageNormal, 1},
}

// outputPorts lists the outputs with their semantics. The masks contain the written components, declared or
// not. It omits components that are declared and never written, which are equivalent to absent outputs.
func (c *compiler) outputPorts() {
	var declared []Port
	indexed, written := false, map[d3d9.Reg]d3d9.Mask{}
	for i := range c.prog.Insts {
		in := &c.prog.Insts[i]
		if !in.HasDst {
			continue
		}
		switch in.Dst.File {
		case d3d9.Output:
			indexed = indexed || in.Dst.Rel.File != d3d9.NoFile
			if in.Op != d3d9.OpDcl {
				written[in.Dst.Reg] |= in.Dst.Mask
			} else {
				declared = append(declared, Port{in.Dst.Reg, in.Dst.Mask, in.Decl.Usage, in.Decl.Index, c.firstSlot(in.Dst.Reg)})
			}
		case d3d9.RastOut, d3d9.AttrOut, d3d9.TexOut, d3d9.ColorOut, d3d9.DepthOut:
			mask := in.Dst.Mask
			if r := in.Dst.Reg; r.File == d3d9.DepthOut || r.File == d3d9.RastOut && r.Index != d3d9.PosIndex {
				mask = d3d9.MaskX // a scalar, whatever the mask says
			}
			c.written[in.Dst.Reg] |= mask
		}
	}
	if c.fixedPoint() {
		c.written[d3d9.Reg{File: d3d9.ColorOut}] = d3d9.MaskAll
		if c.files[d3d9.DepthOut].count > 0 {
			c.written[d3d9.Reg{File: d3d9.DepthOut}] = d3d9.MaskX
		}
	}
	for _, p := range declared {
		// Position always has all components, because the rasterizer reads them.
		if isPosition := p.Usage == d3d9.UsagePosition && p.Index == 0; !indexed && !isPosition {
			p.Mask &= written[p.Reg]
		}
		if p.Mask != 0 {
			c.outputs = append(c.outputs, p)
		}
	}
	// Below 3.0 the register is the semantic: oPos, oFog and oPts, oD#, oT#.
	for r, mask := range c.written { // sorted below
		p := Port{Reg: r, Mask: mask, Index: uint8(r.Index), base: c.firstSlot(r)}
		switch r.File {
		case d3d9.RastOut:
			p.Usage, p.Index = [...]d3d9.Usage{d3d9.UsagePosition, d3d9.UsageFog, d3d9.UsagePSize}[min(r.Index, 2)], 0
		case d3d9.AttrOut, d3d9.ColorOut:
			p.Usage = d3d9.UsageColor
		case d3d9.TexOut:
			p.Usage = d3d9.UsageTexCoord
		case d3d9.DepthOut:
			p.Usage = d3d9.UsageDepth
		}
		c.outputs = append(c.outputs, p)
	}
	sortPorts(c.outputs)
}

// sortPorts puts ports in register order.
func sortPorts(ports []Port) {
	slices.SortStableFunc(ports, func(a, b Port) int {
		return cmp.Or(cmp.Compare(a.Reg.File, b.Reg.File), cmp.Compare(a.Reg.Index, b.Reg.Index), cmp.Compare(a.Mask, b.Mask))
	})
}

// literal returns a slot that always holds v. Equal literals share a slot; NaNs compare unequal and do not.
func (c *compiler) literal(v float32) slot {
	if s, ok := c.lits[v]; ok {
		return s
	}
	s := slot(c.slots)
	c.slots++
	c.lits[v] = s
	c.preset = append(c.preset, fill{s, v})
	return s
}

// constant returns the slot of a component of c# with its modifier applied. The machine fills the Vec once,
// not for every batch.
func (c *compiler) constant(reg, comp int, mod d3d9.SrcMod) slot {
	k := constSlot{reg: reg, comp: comp, mod: mod}
	if s, ok := c.constAt[k]; ok {
		return s
	}
	s := slot(c.slots)
	c.slots++
	c.constAt[k] = s
	k.at = s
	c.consts = append(c.consts, k)
	return s
}

// unwritten returns the value of a vertex output component that the program never writes: 0, or 1 for the
// first colour of the older models.
func unwritten(m d3d9.Model, u d3d9.Usage, index uint8) float32 {
	if m.Major < 3 && u == d3d9.UsageColor && index == 0 {
		return 1
	}
	return 0
}

// startValues lists the output components that some path may leave unwritten. Only these are set before
// every batch.
func (c *compiler) startValues() {
	for _, p := range c.outputs {
		v := float32(0)
		if c.model.Stage == d3d9.Vertex {
			v = unwritten(c.model, p.Usage, p.Index)
		}
		for k := range 4 {
			if at := p.base + slot(k); !c.sure[at] {
				c.fills = append(c.fills, fill{at, v})
			}
		}
	}
}
