package trial

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Size of the render target of a directed draw: one batch of fragments.
const directedWidth, directedHeight = 8, 6

// inputLeaf returns the leaf of an input component, by its semantic.
func inputLeaf(stage d3d9.Stage, u d3d9.Usage, index, comp uint8) explore.Leaf {
	return explore.Leaf{Space: uint64(stage), Kind: ir.Input,
		Reg: ir.Reg{File: ir.File(u), Index: uint16(index), Comp: comp}}
}

// LeafOf returns the leaf that explore can set: an input by its semantic, a constant by the register that the
// host sets, a fetch result by its sampler.
func LeafOf(p *walk.Program, kind ir.Kind, r ir.Reg) explore.Leaf {
	if kind == ir.Input {
		s := p.SemanticOf(r)
		return inputLeaf(p.Stage, s.Usage, s.Index, r.Comp)
	}
	if kind == ir.Result {
		return explore.Leaf{Space: uint64(p.Stage), Kind: kind, Reg: r}
	}
	if from, ok := p.Shared[r.Index]; ok && r.File == ir.File(d3d9.Const) {
		return explore.Leaf{Space: uint64(p.Stage.Other()), Kind: ir.Uniform,
			Reg: ir.Reg{File: r.File, Index: from, Comp: r.Comp}}
	}
	return explore.Leaf{Space: uint64(p.Stage), Kind: ir.Uniform, Reg: r}
}

// Value returns the value of a leaf at the first vertex or invocation of a trial.
func Value(base Trial, l explore.Leaf) uint32 {
	stage := d3d9.Stage(l.Space)
	n, comp := int(l.Reg.Index), l.Reg.Comp
	if l.Kind == ir.Result {
		return math.Float32bits(halfway)
	}
	switch t := base.(type) {
	case Draw:
		d := t.Known.InDraw(t.Case)
		if l.Kind == ir.Uniform {
			k := &d.Vertex
			if stage == d3d9.Pixel {
				k = &d.Pixel
			}
			return constantBits(k, l.Reg)
		}
		for _, a := range d.Attrs {
			if a.Usage == d3d9.Usage(l.Reg.File) && a.Index == n && int(comp) < a.Comps {
				return math.Float32bits(a.Data[comp])
			}
		}
	case *Batch:
		if l.Kind == ir.Uniform {
			return constantBits(t.constants(stage, 0), l.Reg)
		}
		p := interp.Port{Usage: d3d9.Usage(l.Reg.File), Index: uint8(n)}
		return math.Float32bits(t.input(p, stage)[comp][0])
	}
	return 0
}

// constantBits returns the bits of a component of a constant register.
func constantBits(k *interp.Constants, r ir.Reg) uint32 {
	n := int(r.Index)
	switch file := d3d9.File(r.File); {
	case file == d3d9.Const && n < len(k.Float):
		return math.Float32bits(k.Float[n][r.Comp])
	case file == d3d9.ConstInt && n < len(k.Int):
		return uint32(k.Int[n][r.Comp])
	case file == d3d9.ConstBool && n < len(k.Bool) && k.Bool[n]:
		return 1
	}
	return 0
}

// halfway is the default result of fetches, in the middle of 0..1.
const halfway = 0.5

// textureOf returns texture t of sampler n with the fetch results that a sets. Results that are set by
// component are the same everywhere.
func textureOf(a explore.Assignment, t *interp.Texture, stage d3d9.Stage, n int) *interp.Texture {
	texel := [4]float32{halfway, halfway, halfway, halfway}
	set := false
	for _, s := range a {
		if s.Leaf.Kind != ir.Result || s.Leaf.Space != uint64(stage) || int(s.Leaf.Reg.Index) != n || t == nil {
			continue
		}
		if s.Leaf.Reg.Comp == explore.Whole {
			return speckled(t, s.Bits)
		}
		texel[s.Leaf.Reg.Comp], set = math.Float32frombits(s.Bits), true
	}
	if !set {
		return t
	}
	return interp.NewTexture(t.Type, 1, 1, 1, interp.Nearest, false, slices.Repeat(texel[:], texels(t.Type, 1)), 0)
}

// texels returns the number of texels of a texture with the given edge.
func texels(typ d3d9.TexType, edge int) int {
	if typ == d3d9.TexCube {
		return 6 * edge * edge
	}
	return edge * edge
}

// speckled returns a texture like t whose texels are notable numbers.
func speckled(t *interp.Texture, seed uint32) *interp.Texture {
	const edge = 4
	r := symbolic.Stream(seed)
	data := make([]float32, 4*texels(t.Type, edge))
	depth := 1
	if t.Type == d3d9.TexCube {
		depth = edge
	}
	for i := range data {
		data[i] = explore.Notable[r.Next()%uint64(len(explore.Notable))]
		if seed&1 != 0 {
			data[i] = explore.Notable[r.Next()%explore.FewNotable]
		}
	}
	filter := interp.Nearest
	if seed&2 != 0 {
		filter = interp.Linear
	}
	return interp.NewTexture(t.Type, edge, edge, depth, filter, false, data, 0)
}

// constantsOf returns the constants that a sets.
func constantsOf(a explore.Assignment) (list []draws.KnownConstant) {
	for _, s := range a {
		if s.Leaf.Kind == ir.Uniform {
			list = append(list, draws.KnownConstant{Stage: d3d9.Stage(s.Leaf.Space), Reg: s.Leaf.Reg, Bits: s.Bits})
		}
	}
	return list
}

// inputsOf returns the inputs that a sets.
func inputsOf(a explore.Assignment) explore.Assignment {
	return slices.DeleteFunc(slices.Clone(a), func(s explore.Setting) bool { return s.Leaf.Kind != ir.Input })
}

// Vary returns a trial with an assignment. Inputs that it sets are the same at all vertices or
// invocations. Promised constants override it.
func Vary(base Trial, a explore.Assignment) Trial {
	inputs := inputsOf(a)
	switch t := base.(type) {
	case *Batch:
		b := *t
		if b.Special {
			b.Special, b.floats = false, [2][][4]float32{}
		}
		b.N, b.set, b.flat = min(b.N, interp.Lanes), a, len(inputs) > 0
		return &b
	case Draw:
		d := *t.Case
		d.Width, d.Height = directedWidth, directedHeight
		if len(inputs) > 0 {
			d.Attrs = flattened(d.Attrs, inputs)
		}
		for i := range d.PixelTex {
			d.PixelTex[i] = textureOf(a, d.PixelTex[i], d3d9.Pixel, i)
			d.VertexTex[i] = textureOf(a, d.VertexTex[i], d3d9.Vertex, i)
		}
		return Draw{Case: draws.KnownConstants(constantsOf(a)).InDraw(&d), Known: t.Known}
	}
	return base
}

// flattened returns attributes that are the same at all vertices, except the position, with the values that
// inputs sets.
func flattened(attrs []interp.Attr, inputs explore.Assignment) []interp.Attr {
	list := slices.Clone(attrs)
	for i := range list {
		a := &list[i]
		if a.Usage == d3d9.UsagePosition || a.Comps == 0 {
			continue
		}
		first := slices.Clone(a.Data[:a.Comps])
		for _, in := range inputs {
			if r := in.Leaf.Reg; d3d9.Usage(r.File) == a.Usage && int(r.Index) == a.Index && int(r.Comp) < a.Comps {
				first[r.Comp] = math.Float32frombits(in.Bits)
			}
		}
		a.Data = slices.Repeat(first, len(a.Data)/a.Comps)
	}
	return list
}

// Stretched returns t with colours and texture coordinates of either sign. Random ones start at 0, and many
// are at most 1, as in practice. In that range, an absolute value, a clamped number and a fraction equal the
// number itself, and interpolate as it does. Positions, directions and weights stay, so that most of the
// picture stays in view.
func (t Draw) Stretched() Draw {
	d := *t.Case
	d.Attrs = slices.Clone(d.Attrs)
	for i := range d.Attrs {
		if a := &d.Attrs[i]; a.Usage == d3d9.UsageTexCoord || a.Usage == d3d9.UsageColor {
			a.Data = slices.Clone(a.Data)
			for k, x := range a.Data {
				a.Data[k] = 4*x - 2
			}
		}
	}
	return Draw{Case: &d, Known: t.Known}
}
