package interp

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Primitive is the way in which vertices form triangles (D3DPRIMITIVETYPE).
type Primitive uint8

// The primitive types.
const (
	Strip Primitive = iota
	List
	Fan
)

// Attr is one vertex attribute: Comps floats for each vertex.
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
	// Offset moves the picture right and down by this many pixels. An offset of one half puts pixel centres
	// at whole numbers, where Direct3D 9 has them.
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

// vertices returns the number of vertices, the minimum over the attributes.
func (c *Case) vertices() int {
	n := 0
	for i, a := range c.Attrs {
		if k := len(a.Data) / a.Comps; i == 0 || k < n {
			n = k
		}
	}
	return n
}

// attributeOf returns the attribute of a semantic, or nil.
func (c *Case) attributeOf(u d3d9.Usage, index int) *Attr {
	for i := range c.Attrs {
		if a := &c.Attrs[i]; a.Usage == u && a.Index == index {
			return a
		}
	}
	return nil
}

// SetFloat sets a float register and grows the file as needed.
func (k *Constants) SetFloat(reg int, v [4]float32) {
	for len(k.Float) <= reg {
		k.Float = append(k.Float, [4]float32{})
	}
	k.Float[reg] = v
}

// check rejects a case that cannot be drawn: sizes out of range, or attributes without a triangle.
func (c *Case) check() error {
	if err := c.sizes(); err != nil {
		return err
	}
	if c.vertices() < 3 {
		return asm.Errorf(asm.Pos{}, "no-vertices", "the attributes contain no triangle")
	}
	return nil
}

// sizes rejects sizes out of range and attributes without an element.
func (c *Case) sizes() error {
	fail := func(code asm.Code, format string, args ...any) error {
		return asm.Errorf(asm.Pos{}, code, format, args...)
	}
	if c.Width < 1 || c.Height < 1 || c.Width > maxSize || c.Height > maxSize || c.Width*c.Height > maxPixels {
		return fail("target-size", "the target size %d by %d is out of range", c.Width, c.Height)
	}
	for _, o := range c.Offset {
		if !(abs32(o) <= maxOffset) {
			return fail("offset-range", "an offset is at most %d pixel", maxOffset)
		}
	}
	for _, a := range c.Attrs {
		if a.Comps < 1 || a.Comps > 4 || len(a.Data) > maxAttrFloats {
			return fail("attr-size", "attribute %s %d is out of range", usageNames[a.Usage&15], a.Index)
		}
	}
	if len(c.Attrs) > 0 && c.vertices() == 0 {
		return fail("no-vertices", "an attribute has no elements")
	}
	return nil
}

// usageNames holds the names of semantics in attr lines, which are those of dcl.
var usageNames = [16]string{"position", "blendweight", "blendindices", "normal", "psize", "texcoord", "tangent",
	"binormal", "tessfactor", "positiont", "color", "fog", "depth", "sample", "usage14", "usage15"}

// primNames holds the names of primitives in prim lines.
var primNames = [...]string{Strip: "strip", List: "tris", Fan: "fan"}

// filterNames holds the names of filters in texture lines.
var filterNames = [...]string{Nearest: "nearest", Linear: "linear", Trilinear: "trilinear"}
