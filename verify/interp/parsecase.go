package interp

import (
	"bytes"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp/internal/casetext"
)

// ParseCase parses the text form of a case. Diagnostics use name as the file name. It checks limits before
// it allocates (see maxTexels), so no text can exhaust memory.
func ParseCase(name string, src []byte) (*Case, error) {
	p := &caseParser{Case: &Case{Width: 4, Height: 4}, Reader: casetext.New(name)}
	if d := p.Lines(src, p.statement); d != nil {
		return nil, d
	}
	err := p.sizes()
	if err == nil && !p.some {
		err = asm.Errorf(asm.Pos{}, "no-vertices", "the case is empty: it has neither attributes nor constants")
	}
	if err != nil {
		d := err.(*asm.Diag)
		d.Pos = p.End()
		return nil, d
	}
	return p.Case, nil
}

// ParseDraw parses a case that draws something: the attributes contain a triangle.
func ParseDraw(name string, src []byte) (*Case, error) {
	c, err := ParseCase(name, src)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		d := err.(*asm.Diag)
		d.Pos = asm.Pos{File: name, Line: 1 + bytes.Count(src, []byte("\n")), Col: 1}
		return nil, d
	}
	return c, nil
}

// caseParser parses the statements of a case.
type caseParser struct {
	*Case
	*casetext.Reader
	texels int  // of all textures so far
	some   bool // the case has a statement
}

// statement parses the line of a key. doc.go describes the language.
func (p *caseParser) statement(key string) {
	p.some = true
	switch key {
	case "size":
		p.Width, p.Height = p.Int(1, maxSize), p.Int(1, maxSize)
		if p.Width*p.Height > maxPixels {
			p.Fail("target-size", "the target size %d by %d is too large", p.Width, p.Height)
		}
	case "clear":
		for c := range p.Clear {
			p.Clear[c] = p.Float()
		}
	case "offset":
		for i := range p.Offset {
			if p.Offset[i] = p.Float(); !(abs32(p.Offset[i]) <= maxOffset) {
				p.Fail("offset-range", "an offset is at most %d pixel", maxOffset)
			}
		}
	case "prim":
		p.Prim = Primitive(p.Choice(primNames[:]...))
	case "attr":
		p.attribute()
	case "vc", "pc":
		k := p.constants(key)
		reg := p.Int(0, maxFloatConst-1)
		v := [4]float32{p.Float(), p.Float(), p.Float(), p.Float()}
		if p.Err == nil {
			k.SetFloat(reg, v)
		}
	case "vi", "pi":
		k := p.constants(key)
		reg := p.Int(0, len(k.Int)-1)
		for c := range 4 {
			k.Int[reg][c] = int32(p.Int(-1<<31, 1<<31-1))
		}
	case "vb", "pb":
		k := p.constants(key)
		k.Bool[p.Int(0, len(k.Bool)-1)] = p.Int(-1<<31, 1<<31-1) != 0
	case "tex", "vtex":
		p.texture(key == "vtex", d3d9.Tex2D)
	case "texcube", "vtexcube":
		p.texture(key == "vtexcube", d3d9.TexCube)
	case "texvol", "vtexvol":
		p.texture(key == "vtexvol", d3d9.TexVolume)
	default:
		p.Fail("unknown-key", "unknown keyword %q", key)
	}
}

// constants returns the constants of the stage whose letter begins the key.
func (p *caseParser) constants(key string) *Constants {
	if key[0] == 'v' {
		return &p.Vertex
	}
	return &p.Pixel
}

// attribute parses an attribute of the vertices.
func (p *caseParser) attribute() {
	u := p.NextWord()
	usage := slices.Index(usageNames[:], u)
	if usage < 0 {
		p.Fail("unknown-usage", "unknown usage %q", u)
		return
	}
	a := Attr{Usage: d3d9.Usage(usage), Index: p.Int(0, 15), Comps: p.Int(1, 4)}
	a.Data = p.Floats(maxAttrFloats)
	switch {
	case p.Err != nil:
	case len(a.Data)%a.Comps != 0:
		p.Fail("attr-size", "%d values do not make vertices of %d", len(a.Data), a.Comps)
	case p.attributeOf(a.Usage, a.Index) != nil:
		p.Fail("duplicate-attr", "%s %d is given twice", u, a.Index)
	case len(p.Attrs) == maxAttrs:
		p.Fail("too-many-attrs", "a vertex has at most %d attributes", maxAttrs)
	default:
		p.Attrs = append(p.Attrs, a)
	}
}

// texture parses a texture: sampler, size, filter, addressing and texels. It checks the size before it
// allocates texels.
func (p *caseParser) texture(vertex bool, typ d3d9.TexType) {
	set, last := &p.PixelTex, 15
	if vertex {
		set, last = &p.VertexTex, 3
	}
	s := p.Int(0, last)
	t := &Texture{Type: typ, W: p.Int(1, maxSize), D: 1}
	texels := t.W
	switch typ {
	case d3d9.TexCube:
		t.H, t.D = t.W, t.W
		texels *= 6 * t.W
	case d3d9.TexVolume:
		t.H, t.D = p.Int(1, maxSize), p.Int(1, maxSize)
		texels *= t.H * t.D
	default:
		t.H = p.Int(1, maxSize)
		texels *= t.H
	}
	if p.texels += texels; p.texels > maxTexels {
		p.Fail("texture-size", "the textures of a case have at most %d texels", maxTexels)
		return
	}
	t.Filter = Filter(p.Choice(filterNames[:]...))
	t.Clamp = p.Choice("wrap", "clamp") == 1
	switch p.Choice("rand", "data") {
	case 0:
		if seed := int(p.Int64(-1<<31, 1<<32-1)); p.Err == nil {
			set[s] = NewTexture(typ, t.W, t.H, t.D, t.Filter, t.Clamp, nil, seed)
		}
	case 1:
		data := p.Floats(4 * texels)
		if p.Err == nil && len(data) != 4*texels {
			p.Fail("texture-size", "%d values; %d texels need %d", len(data), texels, 4*texels)
		}
		if p.Err == nil {
			set[s] = NewTexture(typ, t.W, t.H, t.D, t.Filter, t.Clamp, data, 0)
		}
	}
}
