package trial

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// quad is the number of invocations of a pixel program that are executed together, because their differences
// are derivatives.
const quad = 4

// CaseFile returns the draw as a case file of package interp for both versions, including the uploads for
// after. It returns nil where the framework of an effect computes constants, because executing a case file
// runs no preshaders.
func (t Draw) CaseFile(s *[2]*Version, _ int) *interp.Case {
	if s[1].Hosts != (iface.Hosts{}) { // executing a case file runs no preshaders
		return nil
	}
	return draws.WithUploads(t.Known.InDraw(t.Case), s[1].uploads)
}

// CaseFile returns the quad of invocation i as a case file of a single program, or nil for a pair. Inputs
// become attributes by their semantics. Constants are those that either version reads.
func (t *Batch) CaseFile(s *[2]*Version, i int) *interp.Case {
	if t.Fixed || s[1].Hosts != (iface.Hosts{}) {
		return nil
	}
	sh, prog := t.stage(s[0])
	stage := sh.Model().Stage
	c := &interp.Case{Width: quad, Height: 1}
	// Keep the whole quad, so that derivatives stay the same.
	first := i / quad * quad
	for _, p := range sh.Inputs() {
		w := t.input(p, stage)
		usage, index := p.Meaning()
		a := interp.Attr{Usage: usage, Index: index, Comps: 4}
		for k := range quad {
			for comp := range w {
				a.Data = append(a.Data, w[comp][first+k])
			}
		}
		c.Attrs = append(c.Attrs, a)
	}
	if len(c.Attrs) == 0 { // no inputs, but there are invocations
		c.Attrs = []interp.Attr{{Usage: d3d9.UsagePosition, Comps: 1, Data: make([]float32, quad)}}
	}
	k, textures := &c.Pixel, &c.PixelTex
	if stage == d3d9.Vertex {
		k, textures = &c.Vertex, &c.VertexTex
	}
	*k, *textures = *t.constants(stage, 0), *t.textures(prog)
	_, after := t.stage(s[1])
	unread := func(file d3d9.File, n int) bool { return !readsConst(prog, file, n) && !readsConst(after, file, n) }
	// Constants that neither version reads are zero.
	for n := range k.Float {
		if unread(d3d9.Const, n) {
			k.Float[n] = [4]float32{}
		}
	}
	for n := range k.Int {
		if unread(d3d9.ConstInt, n) {
			k.Int[n] = [4]int32{}
		}
		k.Bool[n] = k.Bool[n] && !unread(d3d9.ConstBool, n)
	}
	return c
}

// readsConst reports whether p reads constant register n of a file, or may read it through an index, and does
// not define it. A matrix operand reads several rows.
func readsConst(p *d3d9.Program, file d3d9.File, n int) (reads bool) {
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op.IsDefinition() && in.Dst.File == file && int(in.Dst.Index) == n {
			return false
		}
		for k, src := range in.Sources() {
			within := int(src.Index) <= n && n < int(src.Index)+in.SourceRegisters(k)
			reads = reads || src.File == file && (within || src.Rel.File != d3d9.NoFile)
		}
	}
	return reads
}
