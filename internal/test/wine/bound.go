package wine

import (
	"fmt"
	"math"
	"strconv"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/rounding"
)

// Registers of float constants that programs of a stage can name: 256 of vs_2_0 and vs_3_0, 224 of ps_3_0.
const (
	vertexConstants = 256
	pixelConstants  = 224
)

// BoxOf is the box of the inputs of one draw: every constant is the one point that it is, every
// attribute lies within what its vertices have, and texels are those of the textures. Interpolated
// values lie in the hull of those at the vertices, so that no other input occurs. It is false where the
// bounds of package rounding say nothing about the draw, because a texture is not filtered: a rounding
// of its coordinate can show as any difference.
func BoxOf(c *interp.Case) (box rounding.Box, ok bool) {
	add := func(name string, lo, hi float32) {
		r, err := rounding.ParseRange(fmt.Sprintf("%s=%s..%s", name, exactly(lo), exactly(hi)))
		ok = ok && err == nil
		box = append(box, r)
	}
	ok = true
	for _, a := range c.Attrs {
		for comp := range 4 {
			lo, hi := rangeOf(&a, comp)
			add(fmt.Sprintf("%s%d.%c", a.Usage, a.Index, "xyzw"[comp]), lo, hi)
		}
	}
	for _, stage := range []struct {
		name  string
		n     int
		float [][4]float32
	}{{"vs", vertexConstants, c.Vertex.Float}, {"ps", pixelConstants, c.Pixel.Float}} {
		for i := range max(stage.n, len(stage.float)) {
			var v [4]float32 // what nobody set is zero
			if i < len(stage.float) {
				v = stage.float[i]
			}
			for comp, x := range v {
				add(fmt.Sprintf("%s:c%d.%c", stage.name, i, "xyzw"[comp]), x, x)
			}
		}
	}
	// What is read where there is no texture, too.
	lo, hi := float32(0), float32(1)
	for _, set := range []*interp.TextureSet{&c.VertexTex, &c.PixelTex} {
		for _, tex := range set {
			if tex == nil {
				continue
			}
			ok = ok && tex.Filter != interp.Nearest
			for _, x := range tex.Data {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
	}
	add("texel", lo, hi)
	return box, ok
}

// exactly spells a number so that it comes back.
func exactly(x float32) string { return strconv.FormatFloat(float64(x), 'g', -1, 64) }

// rangeOf is the range of a component of an attribute over the vertices. Components that it lacks are
// 0, and the fourth is 1, as Direct3D expands them.
func rangeOf(a *interp.Attr, comp int) (lo, hi float32) {
	if comp >= a.Comps {
		if comp == 3 {
			return 1, 1
		}
		return 0, 0
	}
	lo, hi = a.Data[comp], a.Data[comp]
	for i := comp; i < len(a.Data); i += a.Comps {
		lo, hi = min(lo, a.Data[i]), max(hi, a.Data[i])
	}
	return lo, hi
}

// Margin sets the difference of two pictures against the bound that rung 4 of package
// verify gives for it.
type Margin struct {
	Bounded int     // components that have a bound and ordinary values
	Beyond  int     // those that are farther apart
	Largest float64 // difference in parts of its bound
	First   *Difference
}

// within compares Wine's pictures of the versions of a pair with the bounds of b, output by output: the
// two may be apart by the sum of what each may be from the exact value. Pixels that only one of them
// covers are left to compare.
func (e *expectation) within(before, after []float32, b *rounding.Bounds) Margin {
	var m Margin
	size := 4 * e.draw.Width * e.draw.Height
	for _, out := range b.Outputs {
		limit := out.Before + out.After
		t, comp, ok := e.target(out.Name)
		if !ok || math.IsInf(limit, 1) {
			continue
		}
		for p := range size / 4 {
			x, y := before[t*size+4*p+comp], after[t*size+4*p+comp]
			if !e.covers(before, p) || !e.covers(after, p) || special(x) || special(y) {
				continue
			}
			m.Bounded++
			d := math.Abs(float64(x) - float64(y))
			if d > limit {
				m.Beyond++
				if m.First == nil {
					m.First = &Difference{p % e.draw.Width, p / e.draw.Width, t, comp, x, y, true}
				}
			}
			if d > 0 {
				m.Largest = max(m.Largest, d/limit)
			}
		}
	}
	return m
}

// visible counts the components of pixels in both pictures that are apart by more than a thousandth,
// relative to values beyond 1: what an eye, or a display of 8 or 10 bits, could see.
func (e *expectation) visible(before, after []float32) (n int) {
	size := 4 * e.draw.Width * e.draw.Height
	for t, mask := range e.image.Written {
		for i := t * size; i < (t+1)*size && mask != 0; i++ {
			x, y := float64(before[i]), float64(after[i])
			if p := (i - t*size) / 4; mask.Has(i%4) && e.covers(before, p) && e.covers(after, p) &&
				!special(before[i]) && !special(after[i]) && math.Abs(x-y) > 1e-3*max(1, math.Abs(x)) {
				n++
			}
		}
	}
	return n
}

// target is the render target and component of an output such as oC0.x.
func (e *expectation) target(name string) (t, comp int, ok bool) {
	for t, mask := range e.image.Written {
		for comp := range 4 {
			if mask.Has(comp) && name == fmt.Sprintf("%s.%c", d3d9.Reg{File: d3d9.ColorOut, Index: uint16(t)}, "xyzw"[comp]) {
				return t, comp, true
			}
		}
	}
	return 0, 0, false
}
