package interp

import (
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// ParseCase reads the text form of a case. name is the file name that diagnostics carry. It bounds what it
// allocates before it does (see maxTexels), whatever the text says.
func ParseCase(name string, src []byte) (*Case, error) {
	p := &caseParser{Case: &Case{Width: 4, Height: 4}, name: name}
	for line := range strings.SplitSeq(string(src), "\n") {
		p.line++
		if text, _, _ := strings.Cut(line, "#"); p.split(text) {
			p.statement()
		}
		if p.err != nil {
			return nil, p.err
		}
	}
	if err := p.check(); err != nil {
		d := err.(*asm.Diag)
		d.Pos = asm.Pos{File: name, Line: p.line, Col: 1}
		return nil, d
	}
	return p.Case, nil
}

// caseParser reads one line at a time. After the first error every read gives zero.
type caseParser struct {
	*Case
	name   string
	line   int
	words  []string
	cols   []int
	next   int
	texels int
	err    error
}

// split cuts a line into words; commas separate like blanks.
func (p *caseParser) split(text string) bool {
	p.words, p.cols, p.next = p.words[:0], p.cols[:0], 0
	for i := 0; i < len(text); {
		n := strings.IndexAny(text[i:], " \t\r,")
		if n < 0 {
			n = len(text) - i
		}
		if n > 0 {
			p.words = append(p.words, text[i:i+n])
			p.cols = append(p.cols, i+1)
		}
		i += n + 1
	}
	return len(p.words) > 0
}

func (p *caseParser) fail(code asm.Code, format string, args ...any) {
	if p.err != nil {
		return
	}
	col := p.cols[max(0, min(p.next, len(p.cols))-1)]
	p.err = asm.Errorf(asm.Pos{File: p.name, Line: p.line, Col: col}, code, format, args...)
}

// word is the next word of the line.
func (p *caseParser) word() string {
	if p.next >= len(p.words) {
		p.fail("missing-value", "%s lacks values", p.words[0])
		return ""
	}
	p.next++
	return p.words[p.next-1]
}

func (p *caseParser) int(lo, hi int) int {
	w := p.word()
	v, err := strconv.Atoi(w)
	if p.err == nil && (err != nil || v < lo || v > hi) {
		p.fail("bad-number", "%q is not a number from %d to %d", w, lo, hi)
	}
	if p.err != nil {
		return lo
	}
	return v
}

func (p *caseParser) float() float32 {
	w := p.word()
	v, err := strconv.ParseFloat(w, 32)
	if err != nil && !isRange(err) {
		p.fail("bad-number", "%q is not a number", w)
	}
	return float32(v)
}

// isRange reports an overflow, whose value is an infinity and welcome.
func isRange(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

// choice is the next word's place in names.
func (p *caseParser) choice(names ...string) int {
	w := p.word()
	i := slices.Index(names, w)
	if i < 0 {
		p.fail("bad-word", "%q is none of %s", w, strings.Join(names, ", "))
		return 0
	}
	return i
}

func (p *caseParser) floats(limit int) []float32 {
	if n := len(p.words) - p.next; n > limit {
		p.fail("too-much-data", "%d values where %d at most can be", n, limit)
		return nil
	}
	data := make([]float32, 0, len(p.words)-p.next)
	for p.next < len(p.words) && p.err == nil {
		data = append(data, p.float())
	}
	return data
}

// statement reads one line.
func (p *caseParser) statement() {
	switch key := p.word(); key {
	case "size":
		p.Width, p.Height = p.int(1, maxSize), p.int(1, maxSize)
		if p.Width*p.Height > maxPixels {
			p.fail("target-size", "a target of %d by %d is too large", p.Width, p.Height)
		}
	case "clear":
		for c := range p.Clear {
			p.Clear[c] = p.float()
		}
	case "offset":
		for i := range p.Offset {
			if p.Offset[i] = p.float(); !(abs32(p.Offset[i]) <= maxOffset) {
				p.fail("offset-range", "an offset is %d pixel at most", maxOffset)
			}
		}
	case "prim":
		p.Prim = Primitive(p.choice(primNames[:]...))
	case "attr":
		p.attribute()
	case "vc", "pc":
		k := p.constants(key)
		reg := p.int(0, maxFloatConst-1)
		v := [4]float32{p.float(), p.float(), p.float(), p.float()}
		if p.err == nil {
			k.SetFloat(reg, v)
		}
	case "vi", "pi":
		k := p.constants(key)
		reg := p.int(0, len(k.Int)-1)
		for c := range 4 {
			k.Int[reg][c] = int32(p.int(-1<<31, 1<<31-1))
		}
	case "vb", "pb":
		k := p.constants(key)
		k.Bool[p.int(0, len(k.Bool)-1)] = p.int(-1<<31, 1<<31-1) != 0
	case "tex", "vtex":
		p.texture(key == "vtex", d3d9.Tex2D)
	case "texcube", "vtexcube":
		p.texture(key == "vtexcube", d3d9.TexCube)
	case "texvol", "vtexvol":
		p.texture(key == "vtexvol", d3d9.TexVolume)
	default:
		p.fail("unknown-key", "%q is not something a case can say", key)
	}
	if p.err == nil && p.next < len(p.words) {
		p.next++
		p.fail("extra-value", "%q is one value too many", p.words[p.next-1])
	}
}

func (p *caseParser) constants(key string) *Constants {
	if key[0] == 'v' {
		return &p.Vertex
	}
	return &p.Pixel
}

func (p *caseParser) attribute() {
	u := p.word()
	usage := slices.Index(usageNames[:], u)
	if usage < 0 {
		p.fail("unknown-usage", "%q is not a usage", u)
		return
	}
	a := Attr{Usage: d3d9.Usage(usage), Index: p.int(0, 15), Comps: p.int(1, 4)}
	a.Data = p.floats(maxAttrFloats)
	switch {
	case p.err != nil:
	case len(a.Data)%a.Comps != 0:
		p.fail("attr-size", "%d values do not make vertices of %d", len(a.Data), a.Comps)
	case p.attr(a.Usage, a.Index) != nil:
		p.fail("duplicate-attr", "%s %d is given twice", u, a.Index)
	case len(p.Attrs) == maxAttrs:
		p.fail("too-many-attrs", "a vertex has %d attributes at most", maxAttrs)
	default:
		p.Attrs = append(p.Attrs, a)
	}
}

func (p *caseParser) texture(vertex bool, typ d3d9.TexType) {
	set, last := &p.PixelTex, 15
	if vertex {
		set, last = &p.VertexTex, 3
	}
	s := p.int(0, last)
	t := &Texture{Type: typ, W: p.int(1, maxSize), D: 1}
	texels := t.W
	switch typ {
	case d3d9.TexCube:
		t.H, t.D = t.W, t.W
		texels *= 6 * t.W
	case d3d9.TexVolume:
		t.H, t.D = p.int(1, maxSize), p.int(1, maxSize)
		texels *= t.H * t.D
	default:
		t.H = p.int(1, maxSize)
		texels *= t.H
	}
	if p.texels += texels; p.texels > maxTexels {
		p.fail("texture-size", "the textures of a case hold %d texels at most", maxTexels)
		return
	}
	t.Filter = Filter(p.choice(filterNames[:]...))
	t.Clamp = p.choice("wrap", "clamp") == 1
	switch p.choice("rand", "data") {
	case 0:
		if seed := p.int(-1<<31, 1<<32-1); p.err == nil {
			set[s] = NewTexture(typ, t.W, t.H, t.D, t.Filter, t.Clamp, nil, seed)
		}
	case 1:
		data := p.floats(4 * texels)
		if p.err == nil && len(data) != 4*texels {
			p.fail("texture-size", "%d values where %d texels need %d", len(data), texels, 4*texels)
		}
		if p.err == nil {
			set[s] = NewTexture(typ, t.W, t.H, t.D, t.Filter, t.Clamp, data, 0)
		}
	}
}
