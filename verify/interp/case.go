package interp

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Primitive is how vertices make triangles (D3DPRIMITIVETYPE).
type Primitive uint8

// The ways to make them.
const (
	Strip Primitive = iota
	List
	Fan
)

// Attr is one vertex attribute, Comps floats a vertex, vertex after vertex.
type Attr struct {
	Usage d3d9.Usage
	Index int
	Comps int
	Data  []float32
}

// Case is one draw: everything but the programs. See the package documentation for its text form. Drawing
// does not change it.
type Case struct {
	Width, Height int
	Clear         [4]float32
	// Offset moves what is drawn right and down by so many pixels. A half
	// puts pixel centres at whole numbers, where Direct3D 9 has them.
	Offset        [2]float32
	Prim          Primitive
	Attrs         []Attr
	Vertex, Pixel Constants
	VertexTex     TextureSet
	PixelTex      TextureSet
}

// Limits of a case, which bound the memory of a draw.
const (
	maxSize       = 4096    // edge of a target or texture
	maxPixels     = 1 << 22 // of a target
	maxTexels     = 1 << 22 // of the textures of a case together
	maxAttrFloats = 1 << 16 // of one attribute
	maxAttrs      = 16
	maxFloatConst = 8192
	maxOffset     = 1 // pixel
)

// vertices is how many vertices the attributes hold: those of the shortest.
func (c *Case) vertices() int {
	n := 0
	for i, a := range c.Attrs {
		if k := len(a.Data) / a.Comps; i == 0 || k < n {
			n = k
		}
	}
	return n
}

// attr finds the attribute of a semantic.
func (c *Case) attr(u d3d9.Usage, index int) *Attr {
	for i := range c.Attrs {
		if a := &c.Attrs[i]; a.Usage == u && a.Index == index {
			return a
		}
	}
	return nil
}

// SetFloat sets a float register, growing the file.
func (k *Constants) SetFloat(reg int, v [4]float32) {
	for len(k.Float) <= reg {
		k.Float = append(k.Float, [4]float32{})
	}
	k.Float[reg] = v
}

// check refuses a case, however made, that a draw cannot bear: sizes that are out of range and attributes
// that hold no triangle.
func (c *Case) check() error {
	fail := func(code asm.Code, format string, args ...any) error {
		return asm.Errorf(asm.Pos{}, code, format, args...)
	}
	if c.Width < 1 || c.Height < 1 || c.Width > maxSize || c.Height > maxSize || c.Width*c.Height > maxPixels {
		return fail("target-size", "a target of %d by %d is out of range", c.Width, c.Height)
	}
	for _, o := range c.Offset {
		if !(abs32(o) <= maxOffset) {
			return fail("offset-range", "an offset is %d pixel at most", maxOffset)
		}
	}
	for _, a := range c.Attrs {
		if a.Comps < 1 || a.Comps > 4 || len(a.Data) > maxAttrFloats {
			return fail("attr-size", "attribute %s %d is out of range", usageNames[a.Usage&15], a.Index)
		}
	}
	if c.vertices() < 3 {
		return fail("no-vertices", "the attributes hold no triangle")
	}
	return nil
}

// usageNames spells the semantics of attr lines, as dcl does.
var usageNames = [16]string{"position", "blendweight", "blendindices", "normal", "psize", "texcoord", "tangent",
	"binormal", "tessfactor", "positiont", "color", "fog", "depth", "sample", "usage14", "usage15"}

// primNames spells the primitives of prim lines.
var primNames = [...]string{Strip: "strip", List: "tris", Fan: "fan"}

// filterNames spells the filters of texture lines.
var filterNames = [...]string{Nearest: "nearest", Linear: "linear", Trilinear: "trilinear"}
