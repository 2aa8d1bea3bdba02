package verify

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// What surrounds a program goes by its interface: the application by the constant table and the
// declarations, the other stage by semantics (dcl_usage of the Direct3D 9 assembly reference). Rung 0
// compares the interfaces of both sides, because none of that shows in terms or in runs. An optimizer
// may
//
//   - drop what is no longer read: entries of the constant table (see sameTables), and declarations of
//     inputs, samplers and outputs that are not written;
//   - declare an input in full precision that was declared in partial precision;
//   - give the varyings of a pair any semantics, since both their ends are in the pair, but not have
//     one that was there already interpolated otherwise;
//   - number the registers of inputs and outputs anew that go by semantics;
//   - set further constants by uploads, which it reports.
//
// It may not add or change any other declaration, nor take a model that is not drawn with the other
// stage where the original's was, or that only software runs. Whether a device has what a later model
// asks for is not compared. What varyings carry, and how they are interpolated, is for the rungs
// above: values of different kinds are different.

// sameInterfaces compares what a pair or a lone program says to its surroundings. Where
// the framework of an effect runs preshaders, those are compared as what they compute.
func sameInterfaces(before, after Pair, uploads []Upload, parameters bool) error {
	if err := samePairing(before, after); err != nil {
		return err
	}
	if err := sameLinkage(before, after); err != nil {
		return err
	}
	if err := freeUploads(after, uploads); err != nil {
		return err
	}
	lone := after.Vertex == nil || after.Pixel == nil
	for _, p := range [][2]*d3d9.Program{{before.Vertex, after.Vertex}, {before.Pixel, after.Pixel}} {
		if p[1] == nil {
			continue
		}
		var kept []d3d9.Reg
		if !parameters {
			for _, u := range uploads {
				if u.Stage() != p[1].Model.Stage {
					kept = append(kept, d3d9.Reg{File: d3d9.Const, Index: u.From})
				}
			}
		}
		if err := sameTables(p[0], p[1], kept, parameters); err != nil {
			return err
		}
		if identical(p[0], p[1]) {
			continue
		}
		if err := sameBorder(p[0], p[1], lone); err != nil {
			return fmt.Errorf("the %s program %w", p[1].Model.Stage, err)
		}
	}
	return nil
}

// samePairing refuses models that are not drawn together: Direct3D 9 draws vs_3_0 with ps_3_0 alone,
// and older models with each other. A lone program has to stay with the partners that it has.
func samePairing(before, after Pair) error {
	for _, p := range [][2]*d3d9.Program{{before.Vertex, after.Vertex}, {before.Pixel, after.Pixel}} {
		if p[1] != nil && p[1].Model.Software() && !p[0].Model.Software() {
			return fmt.Errorf("%s is for software alone, %s is not", p[1].Model, p[0].Model)
		}
	}
	alone := func(p Pair) (*d3d9.Program, bool) {
		if p.Vertex == nil || p.Pixel == nil {
			return cmp.Or(p.Vertex, p.Pixel), true
		}
		return nil, false
	}
	if b, ok := alone(before); ok {
		a, _ := alone(after)
		if b.Model.Major >= 3 != (a.Model.Major >= 3) {
			return fmt.Errorf("%s is not drawn with the programs that %s is drawn with", a.Model, b.Model)
		}
		return nil
	}
	switch {
	case together(before) && !together(after):
		return fmt.Errorf("%s and %s are not drawn together", after.Vertex.Model, after.Pixel.Model)
	case before.Pixel.Model.Major >= 3 != (after.Pixel.Model.Major >= 3) && writesFog(before.Vertex):
		return fmt.Errorf("fog is not blended behind %s as it is behind %s", after.Pixel.Model, before.Pixel.Model)
	}
	return nil
}

// writesFog reports whether a vertex program has a fog factor: oFog, or an output of that usage.
// Direct3D blends by it behind pixel programs below 3_0 alone; ps_3_0 programs blend fog themselves.
func writesFog(p *d3d9.Program) bool {
	fog := d3d9.Reg{File: d3d9.RastOut, Index: d3d9.FogIndex}
	return slices.ContainsFunc(p.Insts, func(in d3d9.Inst) bool {
		return in.HasDst && (in.Dst.Reg == fog || in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Output && in.Decl.Usage == d3d9.UsageFog)
	})
}

// together reports whether Direct3D draws with both programs of a pair.
func together(p Pair) bool { return p.Vertex.Model.Major >= 3 == (p.Pixel.Model.Major >= 3) }

// sameBorder compares the declarations of a program component by component. New varyings are free
// where both of their ends are known, and not of a lone program.
func sameBorder(before, after *d3d9.Program, lone bool) error {
	b, a := declarationsOf(before), declarationsOf(after)
	if err := a.ambiguous(); err != nil {
		return err
	}
	if err := sameSamplers(before, after); err != nil {
		return err
	}
	// Outputs of a vertex program and inputs of a pixel program are varyings; vPos and vFace are not,
	// and of them a declaration says nothing.
	varying := func(f d3d9.File) bool {
		return (f == d3d9.Output) == (after.Model.Stage == d3d9.Vertex) && f != d3d9.Misc
	}
	for i := range after.Insts {
		in := &after.Insts[i]
		if in.Op != d3d9.OpDcl || in.Dst.File == d3d9.Sampler {
			continue
		}
		free := varying(in.Dst.File) && !lone || in.Dst.File == d3d9.Misc
		for c := range uint8(4) {
			r := ir.Reg{File: ir.File(in.Dst.File), Index: in.Dst.Index, Comp: c}
			if !in.Dst.Mask.Has(int(c)) {
				continue
			}
			kind, ok := b.border[a.borderKey(r)]
			switch other := a.port(r).kind; {
			case !ok && free:
			case !ok:
				return fmt.Errorf("declares %s, which it did not", a.spell(r))
			case (other^kind)&^(symbolic.InterpHalf|symbolic.InterpClamp) != 0:
				return fmt.Errorf("declares %s to be interpolated otherwise", a.spell(r))
			case other&symbolic.InterpHalf != 0 && kind&symbolic.InterpHalf == 0:
				return fmt.Errorf("declares %s in partial precision, which it did not", a.spell(r))
			}
		}
	}
	return a.undeclared(b)
}

// declarationsOf collects what the declarations of p say, without lifting it: its fn is nil.
func declarationsOf(p *d3d9.Program) *program {
	prog := &program{src: p, stage: p.Model.Stage, ports: map[d3d9.Reg][4]port{}, border: map[borderKey]symbolic.Interpolation{}}
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op != d3d9.OpDcl || in.Dst.File == d3d9.Sampler {
			continue
		}
		prog.declare(in)
		for c := range uint8(4) {
			if r := (ir.Reg{File: ir.File(in.Dst.File), Index: in.Dst.Index, Comp: c}); in.Dst.Mask.Has(int(c)) {
				prog.border[prog.borderKey(r)] = prog.port(r).kind
			}
		}
	}
	return prog
}

// borderKey is a component of what crosses the border of a program, by its semantic or, where it has
// none, by its register. Inputs and outputs of one semantic are different things.
type borderKey struct {
	output bool
	key    uint64
}

func (p *program) borderKey(r ir.Reg) borderKey {
	return borderKey{p.writes(r), p.semanticKey(r)}
}

// writes reports whether a register of declarations is an output.
func (p *program) writes(r ir.Reg) bool { return d3d9.File(r.File) == d3d9.Output }

// spell names what crosses the border of a program.
func (p *program) spell(r ir.Reg) string {
	if s := p.port(r); s.set {
		return fmt.Sprintf("%s%d.%c", s.usage, s.index, "xyzw"[r.Comp])
	}
	return fmt.Sprintf("%s.%c", d3d9.Reg{File: d3d9.File(r.File), Index: r.Index}, "xyzw"[r.Comp])
}

// ambiguous refuses two registers with one semantic: which of them counts is not defined.
func (p *program) ambiguous() error {
	at := map[borderKey]ir.Reg{}
	for i := range p.src.Insts {
		in := &p.src.Insts[i]
		if in.Op != d3d9.OpDcl || in.Dst.File == d3d9.Sampler {
			continue
		}
		for c := range uint8(4) {
			r := ir.Reg{File: ir.File(in.Dst.File), Index: in.Dst.Index, Comp: c}
			if !in.Dst.Mask.Has(int(c)) {
				continue
			}
			key := p.borderKey(r)
			if other, ok := at[key]; ok && other != r {
				return fmt.Errorf("declares %s in two registers", p.spell(r))
			}
			at[key] = r
		}
	}
	return nil
}

// undeclared refuses an input that p reads by its register alone and that before gives a
// semantic, or does not declare where others are: what it then holds is not defined.
func (p *program) undeclared(before *program) error {
	for i := range p.src.Insts {
		for _, s := range p.src.Insts[i].Sources() {
			if s.File != d3d9.Input && s.File != d3d9.Texture && s.File != d3d9.Misc {
				continue
			}
			if _, ok := p.ports[s.Reg]; ok {
				continue
			}
			if _, ok := before.ports[s.Reg]; ok {
				return fmt.Errorf("reads %s without the declaration that it had", s.Reg)
			}
		}
	}
	return nil
}

// sameSamplers compares the texture types of samplers.
func sameSamplers(before, after *d3d9.Program) error {
	old, now := samplersOf(before), samplersOf(after)
	read := readsOf(after).direct
	for s := range uint16(maxSamplers) {
		reg := d3d9.Reg{File: d3d9.Sampler, Index: s}
		b, declared := old[s]
		a, still := now[s]
		switch {
		case still && !declared:
			return fmt.Errorf("declares %s, which it did not", reg)
		case declared && !still && read[reg]:
			return fmt.Errorf("reads %s without the declaration that it had", reg)
		case still && !slices.Equal(a, b):
			return fmt.Errorf("declares %s for textures of another type", reg)
		}
	}
	return nil
}

// maxSamplers bounds the samplers that the models have.
const maxSamplers = 16

// samplersOf lists the texture types that each sampler is declared with, one for each declaration.
func samplersOf(p *d3d9.Program) map[uint16][]d3d9.TexType {
	types := map[uint16][]d3d9.TexType{}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Sampler {
			types[in.Dst.Index] = append(types[in.Dst.Index], in.Decl.Tex)
		}
	}
	return types
}
