// Package iface compares the form and the interface of two versions: the form check of the verifier.
//
// [Compare] compares the interfaces of Direct3D 9 programs, [Valid] the rules of their models, and [ReadBack]
// reads a program back from its bytes. [CompareKernels] does all of this for kernels. [FindSources] compares the
// constants that the framework of an effect sets.
package iface

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// The interface of a program connects it with its surroundings. The application uses the constant table and
// the declarations. The other stage uses semantics (dcl_usage of the Direct3D 9 assembly reference). The form check
// compares the interfaces of both versions, because neither terms nor runs show them. An optimizer may
//
//   - drop unread parts: entries of the constant table (see sameTables), and declarations of inputs, of
//     samplers and of outputs that are not written;
//   - declare an input in full precision that was declared in partial precision;
//   - give the varyings of a pair any semantics, since the pair has both their ends, but not change the
//     interpolation of an existing one;
//   - renumber the registers of inputs and outputs that have semantics;
//   - set further constants by uploads, which it reports.
//
// It may not add or change any other declaration. It may not take a model that is not drawn with the other
// stage if the original's was, or one that only software runs. The device requirements of a later model are
// not compared. The methods above check the values and the interpolation of varyings: values of different kinds
// are different.

// Compare compares the interfaces of a pair or a single program. Where the framework of an effect runs
// preshaders, it compares those by their results.
func Compare(before, after draws.Pair, uploads []draws.Upload, parameters bool) error {
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
		if Identical(p[0], p[1]) {
			continue
		}
		if err := sameBorder(p[0], p[1], lone); err != nil {
			return fmt.Errorf("the %s program %w", p[1].Model.Stage, err)
		}
	}
	return nil
}

// samePairing refuses models that are not drawn together: Direct3D 9 draws vs_3_0 with ps_3_0 alone, and
// older models with each other. A single program must fit the same partners as before.
func samePairing(before, after draws.Pair) error {
	for _, p := range [][2]*d3d9.Program{{before.Vertex, after.Vertex}, {before.Pixel, after.Pixel}} {
		if p[1] != nil && p[1].Model.Software() && !p[0].Model.Software() {
			return fmt.Errorf("%s is only for software, %s is not", p[1].Model, p[0].Model)
		}
	}
	alone := func(p draws.Pair) (*d3d9.Program, bool) {
		if p.Vertex == nil || p.Pixel == nil {
			return cmp.Or(p.Vertex, p.Pixel), true
		}
		return nil, false
	}
	if b, ok := alone(before); ok {
		a, _ := alone(after)
		if b.Model.Major >= 3 != (a.Model.Major >= 3) {
			return fmt.Errorf("%s cannot be drawn with the same programs as %s", a.Model, b.Model)
		}
		return nil
	}
	switch {
	case together(before) && !together(after):
		return fmt.Errorf("%s and %s cannot be drawn together", after.Vertex.Model, after.Pixel.Model)
	case before.Pixel.Model.Major >= 3 != (after.Pixel.Model.Major >= 3) && writesFog(before.Vertex):
		return fmt.Errorf("fog is blended differently after %s and after %s", after.Pixel.Model, before.Pixel.Model)
	}
	return nil
}

// writesFog reports whether a vertex program has a fog factor: oFog, or an output of that usage. Direct3D
// blends fog only behind pixel programs below 3_0; ps_3_0 programs blend it themselves.
func writesFog(p *d3d9.Program) bool {
	fog := d3d9.Reg{File: d3d9.RastOut, Index: d3d9.FogIndex}
	return slices.ContainsFunc(p.Insts, func(in d3d9.Inst) bool {
		return in.HasDst && (in.Dst.Reg == fog ||
			in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Output && in.Decl.Usage == d3d9.UsageFog)
	})
}

// together reports whether Direct3D draws with both programs of a pair.
func together(p draws.Pair) bool { return p.Vertex.Model.Major >= 3 == (p.Pixel.Model.Major >= 3) }

// sameBorder compares the declarations of a program component by component. A pair may have new varyings,
// because both of their ends are known; a lone program may not.
func sameBorder(before, after *d3d9.Program, lone bool) error {
	b, a := borderOf(before), borderOf(after)
	if err := a.ambiguous(); err != nil {
		return err
	}
	if err := sameSamplers(before, after); err != nil {
		return err
	}
	// Outputs of a vertex program and inputs of a pixel program are varyings. vPos and vFace are not, and
	// their declarations carry no information.
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
			switch other := a.SemanticOf(r).Kind; {
			case !ok && free:
			case !ok:
				return fmt.Errorf("declares %s, which the input does not declare", a.spell(r))
			case (other^kind)&^(symbolic.InterpHalf|symbolic.InterpClamp) != 0:
				return fmt.Errorf("declares %s with another interpolation", a.spell(r))
			case other&symbolic.InterpHalf != 0 && kind&symbolic.InterpHalf == 0:
				return fmt.Errorf("declares %s in partial precision, unlike the input", a.spell(r))
			}
		}
	}
	return a.undeclared(b)
}

// borderOf collects the declarations of p, with their interpolation.
func borderOf(p *d3d9.Program) *Signature {
	prog := &Signature{Source: p, Stage: p.Model.Stage, Ports: map[d3d9.Reg][4]Port{},
		border: map[borderKey]symbolic.Interpolation{}}
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op != d3d9.OpDcl || in.Dst.File == d3d9.Sampler {
			continue
		}
		prog.declare(in)
		for c := range uint8(4) {
			if r := (ir.Reg{File: ir.File(in.Dst.File), Index: in.Dst.Index, Comp: c}); in.Dst.Mask.Has(int(c)) {
				prog.border[prog.borderKey(r)] = prog.SemanticOf(r).Kind
			}
		}
	}
	return prog
}

// borderKey identifies an input or output component by its semantic, or by its register if it has none. An
// input and an output of one semantic are different.
type borderKey struct {
	output bool
	key    uint64
}

func (p *Signature) borderKey(r ir.Reg) borderKey {
	return borderKey{p.writes(r), p.SemanticKey(r)}
}

// writes reports whether a register of declarations is an output.
func (p *Signature) writes(r ir.Reg) bool { return d3d9.File(r.File) == d3d9.Output }

// spell formats the name of an input or output component.
func (p *Signature) spell(r ir.Reg) string {
	if s := p.SemanticOf(r); s.Set {
		return fmt.Sprintf("%s%d.%c", s.Usage, s.Index, "xyzw"[r.Comp])
	}
	return fmt.Sprintf("%s.%c", d3d9.Reg{File: d3d9.File(r.File), Index: r.Index}, "xyzw"[r.Comp])
}

// ambiguous refuses two registers with one semantic, because Direct3D does not define which one counts.
func (p *Signature) ambiguous() error {
	at := map[borderKey]ir.Reg{}
	for i := range p.Source.Insts {
		in := &p.Source.Insts[i]
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

// undeclared refuses an undeclared input that p reads and before declares: the contents of the register are
// then undefined.
func (p *Signature) undeclared(before *Signature) error {
	for i := range p.Source.Insts {
		for _, s := range p.Source.Insts[i].Sources() {
			if s.File != d3d9.Input && s.File != d3d9.Texture && s.File != d3d9.Misc {
				continue
			}
			if _, ok := p.Ports[s.Reg]; ok {
				continue
			}
			if _, ok := before.Ports[s.Reg]; ok {
				return fmt.Errorf("reads %s without its former declaration", s.Reg)
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
			return fmt.Errorf("declares %s, which the input does not declare", reg)
		case declared && !still && read[reg]:
			return fmt.Errorf("reads %s without its former declaration", reg)
		case still && !slices.Equal(a, b):
			return fmt.Errorf("declares %s with another texture type", reg)
		}
	}
	return nil
}

// maxSamplers is the number of samplers of the models.
const maxSamplers = 16

// samplersOf lists the texture types of each sampler, one for each declaration.
func samplersOf(p *d3d9.Program) map[uint16][]d3d9.TexType {
	types := map[uint16][]d3d9.TexType{}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Sampler {
			types[in.Dst.Index] = append(types[in.Dst.Index], in.Decl.Tex)
		}
	}
	return types
}
