package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// A register with several candidates saves interpolators, but an instruction may need moves to read them:
// ps_2_0 has few swizzles, and an instruction reads one interpolated register. Packing therefore prefers
// registers from which the instructions can read directly:
//
//	add r1.xy, r1, t1.zw     ps_2_0 has no .zw: one move for each component
//	add r1.xy, r1, t2

// reader counts the moves that instructions need to read candidates from their registers.
type reader struct {
	dialect  ir.Dialect
	swizzles *ir.Swizzles
	// probes are copies of instructions that read the candidates placed so far from their registers.
	probes map[*ir.Instr]*ir.Instr
	inputs map[ir.Reg]*ir.Value
}

// newReader returns a reader for which no candidate is placed yet.
func newReader(m *mover) *reader {
	return &reader{m.pixel.Dialect, ir.NewSwizzles(m.pixel.Dialect), map[*ir.Instr]*ir.Instr{}, map[ir.Reg]*ir.Value{}}
}

// moves returns the number of operands that need a move to read c from f. Constants do not count: passes that
// run later share most of their moves.
func (r *reader) moves(c *candidate, f *fill) (n int) {
	switch {
	case c.isFree() && !c.whole:
	case c.part: // a move reads it in any case
		from := [4]int8{-1, -1, -1, -1}
		for k, l := range c.lanes {
			if l.V != nil {
				from[k] = int8(f.comp[k])
			}
		}
		if !r.swizzles.CanRead(ir.OpMov, 0, from) {
			n = 1
		}
	default:
		for _, u := range c.uses {
			if u.in == nil {
				continue
			}
			p := r.probe(u.in)
			old, fitted := p.Src[u.src], r.dialect.Encodable(p)
			r.read(p, c, u, f)
			if fitted && !r.dialect.Encodable(p) {
				n++
			}
			p.Src[u.src] = old
		}
	}
	return n
}

// placed makes the probes read c from f.
func (r *reader) placed(c *candidate, f *fill) {
	for _, u := range c.uses {
		if u.in != nil && !c.part {
			r.read(r.probe(u.in), c, u, f)
		}
	}
}

// probe returns the copy of in.
func (r *reader) probe(in *ir.Instr) *ir.Instr {
	p := r.probes[in]
	if p == nil {
		copied := *in
		copied.Src = slices.Clone(in.Src)
		p = &copied
		r.probes[in] = p
	}
	return p
}

// read makes p, the probe of u, read c from f. The values that it reads are not part of a program.
func (r *reader) read(p *ir.Instr, c *candidate, u use, f *fill) {
	for k, l := range c.lanes {
		if l.V == nil {
			continue
		}
		at := f.bin.In
		at.Comp = f.comp[k]
		if r.inputs[at] == nil {
			r.inputs[at] = &ir.Value{Kind: ir.Input, Home: at}
		}
		p.Src[u.src][k] = ir.Lane{V: r.inputs[at], Mod: u.in.Src[u.src][k].Mod ^ l.Mod}
	}
}
