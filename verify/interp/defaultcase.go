package interp

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// DefaultCase generates a draw that exercises a pair. A grid fills the target, and every attribute that the
// vertex program declares has data. All registers that the programs read have constants, and all samplers
// have textures. Coverage depends on how the vertex program transforms a position. DefaultCase therefore
// tries several grids and sets of constants, and then random vertices, of which it keeps the outermost in
// view. It returns the first draw that covers half the target, else the one that covers most. It stops
// early if every kind of grid is flat under every kind of constants. The choice depends on the programs
// alone.
func DefaultCase(vs, ps *d3d9.Program) *Case {
	v, errV := Compile(vs)
	p, errP := Compile(ps)
	best := defaultDraw(vs, ps, v, p, 0)
	if errV != nil || errP != nil {
		return best
	}
	most, flat := 0, true
	for style := range defaultStyles {
		if style == flatStyles && flat {
			break
		}
		c := defaultDraw(vs, ps, v, p, style)
		if flat = flat && c.isFlat(v, p); flat {
			continue
		}
		if style >= gridStyles && !c.keepInView(v, p) {
			continue
		}
		img, err := drawWithin(v, p, c, Numerics{}, bounds{steps: defaultSteps})
		if err != nil {
			break // such as a program that runs for too long: no style helps
		}
		n := img.Coverage()
		if n > most {
			best, most = c, n
		}
		if 2*n >= c.Width*c.Height {
			break
		}
	}
	return best
}

// Bounds of DefaultCase. A style number combines a position, a kind of vertex constants and a kind of pixel
// constants, lowest digit first.
const (
	defaultSize   = 32
	defaultGrid   = 8   // cells along an edge of the grid
	flatStyles    = 18  // every position with every kind of vertex constants
	gridStyles    = 108 // styles that draw the grid; the rest draw random vertices
	defaultStyles = 144
	defaultSteps  = 1 << 16 // bounds a trial: 100 times the steps of a program of the corpus
)

// defaultPositions map a point (x, y) of the grid, both 0..1, to a position. In order, they give clip
// space, pixels, a floor, a wall and a volume about the origin, and texture space.
var defaultPositions = [...]func(x, y float32) [4]float32{
	func(x, y float32) [4]float32 { return [4]float32{2*x - 1, 1 - 2*y, 0.5, 1} },
	func(x, y float32) [4]float32 { return [4]float32{defaultSize * x, defaultSize * y, 0.5, 1} },
	func(x, y float32) [4]float32 { return [4]float32{2*x - 1, 0.5, 2*y - 1, 1} },
	func(x, y float32) [4]float32 { return [4]float32{0.5, 2*x - 1, 2*y - 1, 1} },
	func(x, y float32) [4]float32 { return [4]float32{8*x - 4, 4 - 8*y, 6*x*y - 2, 1} },
	func(x, y float32) [4]float32 { return [4]float32{x, y, 0.25 * (x + y), 1} },
}

// defaultDraw generates the draw of one style. Vertex constants are near rows of the identity matrix, so
// that a chain of transformations keeps the grid in view. Other styles use constants near the reciprocal of
// the target's size, or random ones.
func defaultDraw(vs, ps *d3d9.Program, v, p *Shader, style int) *Case {
	g := &generator{uint32(style)*2654435761 + 12345}
	n := len(defaultPositions)
	c := &Case{Width: defaultSize, Height: defaultSize, Clear: [4]float32{0.25, 0.5, 0.75, 1}, Prim: List}
	position := defaultPositions[style%n]
	if style >= gridStyles {
		scale := float32(int(1) << (style % n))
		position = func(x, y float32) [4]float32 {
			return [4]float32{g.next(-scale, scale), g.next(-scale, scale), g.next(-scale, scale), 1}
		}
	}
	c.attributes(v, g, position)
	g.constants(&c.Vertex, vs, constStyle(style/n%3))
	g.constants(&c.Pixel, ps, [...]constStyle{constRandom, constPositive, constPixelSize, constLarge}[style/(3*n)%4])
	g.textures(&c.VertexTex, v, 4)
	g.textures(&c.PixelTex, p, 16)
	return c
}

// constStyle is a way to generate float constants.
type constStyle int

const (
	constIdentity constStyle = iota
	constPixelSize
	constRandom
	constPositive
	constLarge
)

// value returns register i in a style.
func (g *generator) value(style constStyle, i int) [4]float32 {
	v := [4]float32{g.next(-1, 1), g.next(-1, 1), g.next(-1, 1), g.next(-1, 1)}
	switch style {
	case constIdentity:
		for c := range v {
			v[c] /= 64
		}
		v[i%4]++
	case constPixelSize:
		for c := range v {
			v[c] = (1 + v[c]/4) * 2 / defaultSize
		}
		if i%2 != 0 {
			v = [4]float32{defaultSize, defaultSize, 1, 1}
		}
	case constPositive:
		for c := range v {
			v[c] = abs32(v[c])
		}
	case constLarge:
		for c := range v {
			v[c] *= 16
		}
	}
	return v
}

// generator is a linear congruential generator. DefaultCase must not change with the generator of the
// standard library.
type generator struct{ state uint32 }

// next returns a uniform number in [lo, hi).
func (g *generator) next(lo, hi float32) float32 {
	g.state = g.state*1664525 + 1013904223
	return lo + (hi-lo)*float32(g.state>>8)/(1<<24)
}

// attributes generates the attributes that the vertex program declares, positions first.
func (c *Case) attributes(v *Shader, g *generator, position func(x, y float32) [4]float32) {
	ports := []Port{{Usage: d3d9.UsagePosition}}
	if v != nil {
		for _, p := range v.inputs {
			if p.Usage != d3d9.UsagePosition || p.Index != 0 {
				ports = append(ports, p)
			}
		}
	}
	const side = defaultGrid + 1
	for _, p := range ports[:min(len(ports), maxAttrs)] {
		var at [side * side][4]float32
		for i := range at {
			at[i] = g.vertex(p, float32(i%side)/defaultGrid, float32(i/side)/defaultGrid, position)
		}
		a := Attr{Usage: p.Usage, Index: int(p.Index), Comps: 4}
		for y := range defaultGrid {
			for x := range defaultGrid {
				i := y*side + x
				for _, k := range [6]int{i, i + 1, i + side, i + 1, i + side + 1, i + side} {
					a.Data = append(a.Data, at[k][:]...)
				}
			}
		}
		c.Attrs = append(c.Attrs, a)
	}
}

// vertex returns an attribute at (x, y) of the grid, both 0..1.
func (g *generator) vertex(p Port, x, y float32, position func(x, y float32) [4]float32) [4]float32 {
	switch p.Usage {
	case d3d9.UsagePosition, d3d9.UsagePositionT:
		return position(x, y)
	case d3d9.UsageTexCoord:
		k := float32(p.Index) // a set may hold a count, which is not zero
		return [4]float32{x + k, y + k, g.next(0, 1), g.next(0.25, 1)}
	case d3d9.UsageBlendIndices:
		return [4]float32{0, 1, 2, 3}
	case d3d9.UsageNormal, d3d9.UsageTangent, d3d9.UsageBinormal:
		return [4]float32{g.next(-1, 1), g.next(-1, 1), g.next(0.25, 1), 1}
	}
	return [4]float32{g.next(0, 1), g.next(0, 1), g.next(0, 1), g.next(0, 1)}
}

// constants sets every register that prog reads, and 16 registers behind each relative read. Integer
// constants are small trip counts.
func (g *generator) constants(k *Constants, prog *d3d9.Program, style constStyle) {
	top := 0
	for i := range prog.Insts {
		in := &prog.Insts[i]
		for n, s := range in.Sources() {
			if s.File != d3d9.Const {
				continue
			}
			rows := in.SourceRegisters(n)
			if s.Rel.File != d3d9.NoFile {
				rows += 16
			}
			top = max(top, min(int(s.Index)+rows, maxFloatConst))
		}
	}
	for i := range top {
		k.SetFloat(i, g.value(style, i))
	}
	for i := range k.Int {
		k.Int[i] = [4]int32{int32(2 + i%3), int32(i % 2), 1, 0}
		k.Bool[i] = g.next(0, 1) < 0.5
	}
}

// textures sets a texture of the declared type for every sampler that the program uses.
func (g *generator) textures(set *TextureSet, s *Shader, n int) {
	if s == nil {
		return
	}
	for i := range n {
		typ, used := s.Sampler(i)
		if !used {
			continue
		}
		filter, clamp := Linear, i%2 != 0 // a continuous filter: nearest turns rounding into jumps
		switch typ {
		case d3d9.TexCube:
			set[i] = NewTexture(d3d9.TexCube, 8, 8, 8, filter, clamp, nil, i+1)
		case d3d9.TexVolume:
			set[i] = NewTexture(d3d9.TexVolume, 8, 8, 8, filter, clamp, nil, i+1)
		default:
			set[i] = NewTexture(d3d9.Tex2D, 16, 16, 1, filter, clamp, nil, i+1)
		}
	}
}
