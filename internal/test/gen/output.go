package gen

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// output is a register that the program writes before it ends.
type output struct {
	reg    d3d9.Reg
	want   d3d9.Mask // components
	done   d3d9.Mask // those of want written on every path so far
	scalar bool      // one value for every mask
	loose  bool      // may be partly unwritten, or on some paths: no other stage reads it
}

// port is a varying that the other stage reads.
type port struct {
	reg  d3d9.Reg // of the pixel program
	mask d3d9.Mask
	decl d3d9.Decl
}

// wants lists the varyings that a pixel program reads, in the order of its declarations, or of its
// instructions without declarations.
func wants(ps *d3d9.Program) (list []port) {
	if isFixed(ps.Model) {
		return fixedWants(ps)
	}
	for i := range ps.Insts {
		in := &ps.Insts[i]
		if f := in.Dst.File; in.Op == d3d9.OpDcl && (f == d3d9.Texture || f == d3d9.Input) {
			list = append(list, port{in.Dst.Reg, in.Dst.Mask, in.Decl})
		}
	}
	return list
}

// outputs chooses the outputs of the program. In most vertex programs of pairs, random statements do not
// write the position; see position.
func (g *gen) outputs(wanted []port) {
	switch {
	case g.m.Stage == d3d9.Pixel:
		g.colors()
	case g.m.Major >= 3:
		g.semanticOutputs(wanted)
	default:
		g.fixedOutputs(wanted)
	}
	g.reserved[0] += 4 * len(g.outs) // to complete them
	if g.m.Stage == d3d9.Vertex && len(wanted) > 0 && g.chance(80) {
		g.placed, g.outs = g.outs[0].reg, g.outs[1:]
	}
}

// matrix is the first constant of the matrix for positions, beyond the other constants.
const matrix = 24

// position writes the position directly from the attribute or through a matrix, like a program that draws
// something. Positions from random statements nearly always lie on a line or behind the viewer, so the
// pixel program would have no effect.
func (g *gen) position() {
	from := d3d9.Src{Reg: g.inputs[0].reg, Swz: d3d9.Identity}
	if g.chance(50) {
		g.emit(d3d9.Inst{Op: d3d9.OpMov, HasDst: true, NSrc: 1, Dst: d3d9.Dst{Reg: g.placed, Mask: d3d9.MaskAll},
			Src: [4]d3d9.Src{from}})
		return
	}
	for k := range uint16(4) {
		row := d3d9.Src{Reg: d3d9.Reg{File: d3d9.Const, Index: matrix + k}, Swz: d3d9.Identity}
		g.emit(d3d9.Inst{Op: d3d9.OpDp4, HasDst: true, NSrc: 2, Dst: d3d9.Dst{Reg: g.placed, Mask: 1 << k},
			Src: [4]d3d9.Src{from, row}})
	}
}

// addOutput adds an output with components want, and scalarOut one with a single value.
func (g *gen) addOutput(f d3d9.File, i int, want d3d9.Mask) {
	g.outs = append(g.outs, output{reg: d3d9.Reg{File: f, Index: uint16(i)}, want: want})
}

// spare adds an output that no other stage reads, sometimes a loose one.
func (g *gen) spare(f d3d9.File, i int, want d3d9.Mask) {
	g.addOutput(f, i, want)
	g.outs[len(g.outs)-1].loose = g.chance(40)
}

func (g *gen) scalarOut(f d3d9.File, i int) {
	g.addOutput(f, i, d3d9.MaskX)
	g.outs[len(g.outs)-1].scalar = true
}

// colors chooses one to four colours, and sometimes a depth, of a pixel program.
func (g *gen) colors() {
	n := 1
	for n < 4 && g.chance(25) {
		n++
	}
	for i := range n {
		want := d3d9.MaskAll
		if g.m.Major >= 3 && g.chance(20) {
			want = d3d9.Mask(1 + g.r.IntN(15))
		}
		g.addOutput(d3d9.ColorOut, i, want)
	}
	if g.chance(20) {
		g.scalarOut(d3d9.DepthOut, 0)
	}
}

// fixedOutputs adds the outputs of vertex programs below 3.0: oPos, oFog and oPts, oD# and oT#. oT# and
// their masks have no gaps.
func (g *gen) fixedOutputs(wanted []port) {
	g.addOutput(d3d9.RastOut, d3d9.PosIndex, d3d9.MaskAll)
	if g.chance(15) {
		g.scalarOut(d3d9.RastOut, d3d9.FogIndex)
	}
	if g.chance(15) {
		g.scalarOut(d3d9.RastOut, d3d9.PointIndex)
	}
	var colors [2]d3d9.Mask
	var coords [8]d3d9.Mask
	for _, p := range wanted {
		if p.reg.File == d3d9.Texture {
			coords[p.reg.Index] = p.mask
		} else {
			colors[p.reg.Index] = p.mask
		}
	}
	for i, m := range colors {
		if m != 0 {
			g.addOutput(d3d9.AttrOut, i, m|d3d9.Mask(1+g.r.IntN(15)))
		} else if g.chance(20) {
			g.spare(d3d9.AttrOut, i, d3d9.Mask(1+g.r.IntN(15)))
		}
	}
	n := len(coords)
	for n > 0 && coords[n-1] == 0 && g.chance(85) {
		n--
	}
	for i, m := range coords[:n] {
		g.addOutput(d3d9.TexOut, i, m|(1<<(1+g.r.IntN(4))-1))
	}
}

// semanticOutputs adds the outputs of vs_3_0: a position, the wanted varyings with the same packing, and
// more.
func (g *gen) semanticOutputs(wanted []port) {
	free := g.r.Perm(g.lim.Regs[d3d9.Output])
	next := func() (i int) {
		i, free = free[0], free[1:]
		return i
	}
	declare := func(i int, m d3d9.Mask, d d3d9.Decl) {
		g.dcl(d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Output, Index: uint16(i)}, Mask: m}, d)
	}
	pos := next()
	declare(pos, d3d9.MaskAll, d3d9.Decl{Usage: d3d9.UsagePosition})
	g.addOutput(d3d9.Output, pos, d3d9.MaskAll)
	if g.chance(15) {
		i := next()
		declare(i, d3d9.MaskX, d3d9.Decl{Usage: d3d9.UsagePSize})
		g.addOutput(d3d9.Output, i, d3d9.MaskX)
	}
	// One o# for each input register of the pixel program, with the same packing of semantics.
	at := map[d3d9.Reg]int{}
	taken := map[d3d9.Decl]bool{}
	for _, p := range wanted {
		taken[p.decl] = true
		i, ok := at[p.reg]
		if !ok {
			i = next()
			at[p.reg] = i
			g.addOutput(d3d9.Output, i, 0)
		}
		declare(i, p.mask, p.decl)
		for k := range g.outs {
			if g.outs[k].reg.Index == uint16(i) {
				g.outs[k].want |= p.mask
			}
		}
	}
	for range g.r.IntN(3) {
		d := d3d9.Decl{Usage: usages[g.r.IntN(len(usages))], Index: uint8(4 + g.r.IntN(4))}
		if len(free) > 0 && !taken[d] {
			taken[d] = true
			i, m := next(), d3d9.Mask(1)<<(1+g.r.IntN(4))-1
			declare(i, m, d)
			g.spare(d3d9.Output, i, m)
		}
	}
}

// addTint adds an input to a value for a colour. Without it, most programs show one colour everywhere, or only
// NaN.
func (g *gen) addTint() {
	in := d3d9.Inst{Op: d3d9.OpAdd, HasDst: true, NSrc: 2,
		Dst: d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Temp, Index: uint16(g.r.IntN(g.temps))}, Mask: d3d9.MaskAll}}
	from := g.inputs[g.r.IntN(len(g.inputs))]
	in.Src[0] = d3d9.Src{Reg: from.reg, Swz: d3d9.Identity}
	if from.mask != d3d9.MaskAll {
		in.Src[0].Swz = d3d9.Replicate(bits.TrailingZeros8(uint8(from.mask)))
	}
	in.Src[1] = d3d9.Src{Reg: d3d9.Reg{File: d3d9.Const, Index: g.consts[g.r.IntN(len(g.consts))]}, Swz: d3d9.Identity}
	// The contents of the destination, instead of a constant.
	if g.chance(50) && g.writtenMask(in.Dst.Reg) == d3d9.MaskAll {
		in.Src[1].Reg = in.Dst.Reg
	}
	o := &g.outs[0]
	if !g.emit(in) {
		return
	}
	g.write(in.Dst.Reg, d3d9.MaskAll)
	if g.emit(d3d9.Inst{Op: d3d9.OpMov, HasDst: true, NSrc: 1, Dst: d3d9.Dst{Reg: o.reg, Mask: o.want},
		Src: [4]d3d9.Src{{Reg: in.Dst.Reg, Swz: d3d9.Identity}}}) {
		o.done = o.want
	}
}

// movOnly reports whether one mov at the end writes each result.
func (g *gen) movOnly() bool { return g.m.Stage == d3d9.Pixel && g.m.Major < 3 }

// finish completes the outputs. Constants are always readable, and slots were reserved, so every output
// succeeds after some tries.
func (g *gen) finish() {
	g.reserved = [2]int{}
	if g.placed != (d3d9.Reg{}) {
		g.position()
	}
	if g.m.Stage == d3d9.Pixel && len(g.inputs) > 0 && g.chance(70) {
		g.addTint()
	}
	for i := range g.outs {
		o := &g.outs[i]
		// Random sources are tried until they fit.
		for o.want&^o.done != 0 && !o.loose {
			if g.movOnly() {
				g.emit(g.plainMov(o))
				o.done = o.want
				continue
			}
			in := d3d9.Inst{Op: d3d9.OpMov, HasDst: true, NSrc: 1, Dst: d3d9.Dst{Reg: o.reg, Mask: o.want &^ o.done}}
			if o.scalar {
				in.Dst.Mask = d3d9.MaskAll
			}
			ok := g.placed != (d3d9.Reg{}) && !o.scalar && g.chance(60)
			if ok { // an unmodified attribute, so that there is something to interpolate
				in.Src[0] = d3d9.Src{Reg: g.inputs[g.r.IntN(len(g.inputs))].reg, Swz: d3d9.Identity}
			}
			if (ok || g.sources(&in)) && g.emit(in) {
				o.done = o.want
			}
		}
	}
}

// plainMov returns the mov to an output of ps_2_0 and ps_2_x: a whole register, or one component for the
// depth.
func (g *gen) plainMov(o *output) d3d9.Inst {
	in := d3d9.Inst{Op: d3d9.OpMov, HasDst: true, NSrc: 1, Dst: d3d9.Dst{Reg: o.reg, Mask: d3d9.MaskAll}}
	if g.chance(10) {
		in.Dst.Mods = d3d9.PartialPrecision
	}
	src := d3d9.Src{Reg: d3d9.Reg{File: d3d9.Const, Index: g.consts[g.r.IntN(len(g.consts))]}, Swz: d3d9.Identity}
	need := d3d9.MaskAll
	if o.scalar {
		c := g.r.IntN(4)
		src.Swz, need = d3d9.Replicate(c), 1<<c
	}
	for range 30 {
		r := d3d9.Reg{File: d3d9.Temp, Index: uint16(g.r.IntN(g.temps))}
		if g.chance(10) && len(g.inputs) > 0 {
			r = g.inputs[g.r.IntN(len(g.inputs))].reg
		}
		if g.writtenMask(r)&need == need {
			src.Reg = r
			break
		}
	}
	in.Src[0] = src
	return in
}

// mayWrite returns the components of o that an instruction may write here. On some paths only, it may write
// only components that all paths write, unless o is loose.
func (g *gen) mayWrite(o *output, predicated bool) d3d9.Mask {
	if (g.now.conditional || g.now.sub || predicated) && !o.loose {
		return o.want & o.done
	}
	return o.want
}
