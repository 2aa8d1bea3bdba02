package gen

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// input is a register that is set from outside: v#, t# or another.
type input struct {
	reg  d3d9.Reg
	mask d3d9.Mask
}

// unit is a sampler and its texture.
type unit struct {
	index uint16
	tex   d3d9.TexType
}

// loopRange is the value of an i# that the program defines: loop runs count times, with aL from first on,
// by step.
type loopRange struct {
	known        bool
	count, first int
	step         int
}

// maxInts and maxBools are the numbers of i# and b# that programs use.
const maxInts, maxBools = 4, 4

// values lists components of definitions: values that optimizers treat specially (0, 1, 0.5 and so on), and
// others.
var values = []float32{0, 0, 1, 1, -1, 0.5, -0.5, 2, -2, 3, 0.25, 0.1, -0.1, 1e-3, 1000, 3.14159274, 0.707106769}

// usages lists the usages of varyings; texture coordinates have the highest weight.
var usages = []d3d9.Usage{d3d9.UsageTexCoord, d3d9.UsageTexCoord, d3d9.UsageColor, d3d9.UsageNormal,
	d3d9.UsageTangent, d3d9.UsageBlendWeight}

// dcl adds a declaration, and def a definition.
func (g *gen) dcl(dst d3d9.Dst, d d3d9.Decl) {
	g.decls = append(g.decls, d3d9.Inst{Op: d3d9.OpDcl, HasDst: true, Dst: dst, Decl: d})
}

func (g *gen) def(op d3d9.Op, r d3d9.Reg, imm [4]uint32) {
	g.decls = append(g.decls, d3d9.Inst{Op: op, HasDst: true, Dst: d3d9.Dst{Reg: r, Mask: d3d9.MaskAll}, Imm: imm})
}

// header generates declarations and definitions.
func (g *gen) header() {
	if g.chance(10) {
		g.decls = append(g.decls, d3d9.Inst{Op: d3d9.OpComment, Comment: []uint32{0x47554244, g.r.Uint32()}})
	}
	switch {
	case g.m.Stage == d3d9.Vertex:
		g.vertexInputs()
	case g.m.Major < 3:
		g.pixelInputs()
	default:
		g.pixelSemantics()
	}
	g.samplers()
	g.constants()
}

// vertexInputs declares v0 as the position and up to four texture coordinates.
func (g *gen) vertexInputs() {
	n := 1 + g.r.IntN(5)
	for i := range n {
		reg := d3d9.Reg{File: d3d9.Input, Index: uint16(i)}
		d := d3d9.Decl{Usage: d3d9.UsageTexCoord, Index: uint8(i)}
		if i == 0 {
			d = d3d9.Decl{Usage: d3d9.UsagePosition}
		}
		g.dcl(d3d9.Dst{Reg: reg, Mask: d3d9.MaskAll}, d)
		g.inputs = append(g.inputs, input{reg, d3d9.MaskAll})
	}
	// Inputs of vs_3_0 may be indexed by aL if all are declared in full.
	if g.m.Major >= 3 {
		g.even = n
	}
}

// pixelInputs declares t# and v# of ps_2_0 and ps_2_x, always including t0.
func (g *gen) pixelInputs() {
	for i := range uint16(8) {
		if i > 0 && !g.chance(40) {
			continue
		}
		masks := []d3d9.Mask{d3d9.MaskAll, d3d9.MaskAll, d3d9.MaskX | d3d9.MaskY, d3d9.MaskX | d3d9.MaskY | d3d9.MaskZ}
		dst := d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Texture, Index: i}, Mask: masks[g.r.IntN(len(masks))]}
		if g.chance(10) {
			dst.Mods = d3d9.Centroid
		}
		g.dcl(dst, d3d9.Decl{})
		g.inputs = append(g.inputs, input{dst.Reg, dst.Mask})
	}
	for i := range uint16(2) {
		if g.chance(30) {
			dst := d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Input, Index: i}, Mask: d3d9.MaskAll}
			g.dcl(dst, d3d9.Decl{})
			g.inputs = append(g.inputs, input{dst.Reg, dst.Mask})
		}
	}
}

// pixelSemantics declares v#, vPos and vFace of ps_3_0.
func (g *gen) pixelSemantics() {
	taken := map[d3d9.Decl]bool{}
	// fresh returns a usage and index that no other input has.
	fresh := func() d3d9.Decl {
		for {
			d := d3d9.Decl{Usage: usages[g.r.IntN(len(usages))], Index: uint8(g.r.IntN(4))}
			if !taken[d] {
				taken[d] = true
				return d
			}
		}
	}
	full := g.chance(30) // so that they may be indexed
	n := 1 + g.r.IntN(5)
	for i := range n {
		dst := d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Input, Index: uint16(i)}, Mask: d3d9.MaskAll}
		if !full {
			dst.Mask = []d3d9.Mask{d3d9.MaskAll, d3d9.MaskAll, 1, 3, 7}[g.r.IntN(5)]
		}
		if g.chance(10) {
			dst.Mods = d3d9.Centroid
		}
		g.dcl(dst, fresh())
		in := input{dst.Reg, dst.Mask}
		if rest := d3d9.MaskAll &^ dst.Mask; rest != 0 && g.chance(40) { // two semantics in one register
			dst.Mask = rest
			g.dcl(dst, fresh())
			in.mask = d3d9.MaskAll
		}
		g.inputs = append(g.inputs, in)
	}
	if full {
		g.even = n
	}
	if g.chance(20) {
		r := d3d9.Reg{File: d3d9.Misc, Index: d3d9.VPosIndex}
		g.dcl(d3d9.Dst{Reg: r, Mask: d3d9.MaskX | d3d9.MaskY}, d3d9.Decl{})
		g.inputs = append(g.inputs, input{r, d3d9.MaskX | d3d9.MaskY})
	}
	if g.chance(20) {
		r := d3d9.Reg{File: d3d9.Misc, Index: d3d9.VFaceIndex}
		g.dcl(d3d9.Dst{Reg: r, Mask: d3d9.MaskAll}, d3d9.Decl{})
		g.inputs = append(g.inputs, input{r, d3d9.MaskX})
	}
}

// samplers declares up to four samplers of any type of texture, always including s0.
func (g *gen) samplers() {
	n := min(g.lim.Regs[d3d9.Sampler], 4)
	for i := range uint16(n) {
		if i > 0 && g.chance(30) {
			continue
		}
		u := unit{i, []d3d9.TexType{d3d9.Tex2D, d3d9.Tex2D, d3d9.TexCube, d3d9.TexVolume}[g.r.IntN(4)]}
		g.dcl(d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Sampler, Index: i}, Mask: d3d9.MaskAll}, d3d9.Decl{Tex: u.tex})
		g.units = append(g.units, u)
	}
}

// The constants of sincos before 3.0: D3DSINCOSCONST1 and 2.
var sincosSeries = [2][4]float32{
	{-1.5500992e-006, -2.1701389e-005, 0.0026041667, 0.00026041668},
	{-0.020833334, -0.12500000, 1.0, 0.50000000},
}

// constants chooses twelve registers among c0 to c19, and defines up to five of them; the host sets the
// others. Most integer constants are defined, with small counts, and some booleans.
func (g *gen) constants() {
	perm := g.r.Perm(20)
	// The first two are sincos's series if needed; some of the next three are defined.
	for i, c := range perm[:12] {
		reg := d3d9.Reg{File: d3d9.Const, Index: uint16(c)}
		if i >= 5 { // the host sets these
			g.consts = append(g.consts, reg.Index)
			continue
		}
		if i > 1 && g.chance(40) {
			continue
		}
		var v [4]float32
		for k := range v {
			v[k] = values[g.r.IntN(len(values))]
		}
		if i < 2 && d3d9.OpSinCos.Exists(g.m) && g.m.Major == 2 {
			v = sincosSeries[i]
			g.series[i] = reg.Index
		}
		g.consts = append(g.consts, reg.Index)
		g.def(d3d9.OpDef, reg, bitsOf(v))
	}
	if g.lim.Regs[d3d9.ConstInt] == 0 {
		return
	}
	for i := range g.ints {
		g.ints[i] = loopRange{known: g.chance(70), count: g.r.IntN(4), first: g.r.IntN(2), step: g.r.IntN(2)}
		if k := g.ints[i]; k.known {
			g.def(d3d9.OpDefI, d3d9.Reg{File: d3d9.ConstInt, Index: uint16(i)},
				[4]uint32{uint32(k.count), uint32(k.first), uint32(k.step)})
		}
	}
	for i := range uint16(maxBools) {
		if g.chance(30) {
			g.def(d3d9.OpDefB, d3d9.Reg{File: d3d9.ConstBool, Index: i}, [4]uint32{g.r.Uint32() & 1})
		}
	}
}

// bitsOf returns the words of floats.
func bitsOf(v [4]float32) (b [4]uint32) {
	for i, x := range v {
		b[i] = math.Float32bits(x)
	}
	return b
}
