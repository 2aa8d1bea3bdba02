package iface

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Signature has the declared inputs and outputs of a program.
type Signature struct {
	Source *d3d9.Program // as read
	Stage  d3d9.Stage
	// Ports has the semantics of input and output registers that declare one.
	Ports  map[d3d9.Reg][4]Port
	Inputs []uint16 // sorted declared input registers, for indexed reads
	// border has the declared interpolation of components. It is nil unless interfaces are compared.
	border map[borderKey]symbolic.Interpolation
}

// SignatureOf collects the declarations of p.
func SignatureOf(p *d3d9.Program) Signature {
	d := Signature{Source: p, Stage: p.Model.Stage, Ports: map[d3d9.Reg][4]Port{}}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == d3d9.OpDcl {
			d.declare(in)
		}
	}
	slices.Sort(d.Inputs)
	return d
}

// Port is a semantic, usage and index, and its kind of interpolation. set is false for the zero port, which
// has no semantic.
type Port struct {
	Usage d3d9.Usage
	Index uint8
	Set   bool
	Kind  symbolic.Interpolation
}

// declare records the semantic of a declared register by component. Below 3_0 the semantics of varyings are
// fixed whatever dcl states: v# of a pixel program are colours, t# texture coordinates.
func (s *Signature) declare(in *d3d9.Inst) {
	reg := in.Dst.Reg
	if reg.File != d3d9.Input && reg.File != d3d9.Output && reg.File != d3d9.Texture {
		return
	}
	if reg.File == d3d9.Input && !slices.Contains(s.Inputs, reg.Index) {
		s.Inputs = append(s.Inputs, reg.Index)
	}
	mod := s.builtin(reg)
	if !mod.Set {
		mod = Port{Usage: in.Decl.Usage, Index: in.Decl.Index, Set: true}
		if mod.Usage == d3d9.UsageColor && s.Stage == d3d9.Pixel {
			mod.Kind = symbolic.InterpColor
		}
	}
	if in.Dst.Mods&d3d9.Centroid != 0 {
		mod.Kind |= symbolic.InterpCentroid
	}
	if in.Dst.Mods&d3d9.PartialPrecision != 0 {
		mod.Kind |= symbolic.InterpHalf
	}
	ports := s.Ports[reg]
	for c := range ports {
		if in.Dst.Mask.Has(c) {
			ports[c] = mod
		}
	}
	s.Ports[reg] = ports
}

// builtin returns the semantic that a register has by its name: oPos, oFog, oPts, oT#, oD# of vertex programs
// and t#, v# of pixel programs before 3_0. Colours before 3_0 are clamped between the stages.
func (s *Signature) builtin(r d3d9.Reg) Port {
	switch {
	case r.File == d3d9.RastOut && r.Index == d3d9.PosIndex:
		return Port{Usage: d3d9.UsagePosition, Set: true}
	case r.File == d3d9.RastOut && r.Index == d3d9.FogIndex:
		return Port{Usage: d3d9.UsageFog, Set: true}
	case r.File == d3d9.RastOut:
		return Port{Usage: d3d9.UsagePSize, Set: true}
	case r.File == d3d9.TexOut, r.File == d3d9.Texture:
		return Port{Usage: d3d9.UsageTexCoord, Index: uint8(r.Index), Set: true}
	case r.File == d3d9.AttrOut:
		return Port{Usage: d3d9.UsageColor, Index: uint8(r.Index), Set: true}
	case r.File == d3d9.Input && s.Stage == d3d9.Pixel && s.Source.Model.Major < 3:
		return Port{Usage: d3d9.UsageColor, Index: uint8(r.Index), Set: true,
			Kind: symbolic.InterpColor | symbolic.InterpClamp}
	}
	return Port{}
}

// SemanticOf returns the semantic of a register component.
func (s *Signature) SemanticOf(r ir.Reg) Port {
	reg := d3d9.Reg{File: d3d9.File(r.File), Index: r.Index}
	if ports, ok := s.Ports[reg]; ok && ports[r.Comp].Set {
		return ports[r.Comp]
	}
	return s.builtin(reg)
}

func (s *Signature) Space() uint64 { return uint64(s.Stage) }

func (s *Signature) RegisterKey(r ir.Reg) uint64 { return s.Space()<<40 | symbolic.RegKey(r) }

// SemanticKey returns the number of an input or output component, by its semantic or, without one, by its
// register.
func (s *Signature) SemanticKey(r ir.Reg) uint64 {
	if p := s.SemanticOf(r); p.Set {
		return p.ComponentKey(r.Comp)
	}
	return s.RegisterKey(r)
}

// ComponentKey returns a number that is equal for matching components: usage, index, component, and a bit that no
// register key has.
func (s Port) ComponentKey(comp uint8) uint64 {
	return 1<<48 | uint64(s.Usage)<<16 | uint64(s.Index)<<8 | uint64(comp)
}

// FixedFunction reports whether a vertex output feeds fixed-function hardware. Draws that must agree bit for
// bit, such as a depth pass and a colour pass, depend on it.
func (s Port) FixedFunction() bool {
	switch s.Usage {
	case d3d9.UsagePosition, d3d9.UsagePositionT, d3d9.UsagePSize, d3d9.UsageFog:
		return s.Set
	}
	return false
}
