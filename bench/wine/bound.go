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

// BoxOf returns the box of the inputs of one draw. Each constant is a point, each attribute ranges over its
// values at the vertices, and texels range over those of the textures. Interpolated values lie between the
// values at the vertices, so no other input occurs. ok is false if a texture is not filtered: rounding of its
// coordinate can then change the result arbitrarily, and package rounding gives no bound.
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
			var v [4]float32 // unset constants are zero
			if i < len(stage.float) {
				v = stage.float[i]
			}
			for comp, x := range v {
				add(fmt.Sprintf("%s:c%d.%c", stage.name, i, "xyzw"[comp]), x, x)
			}
		}
	}
	// The range includes 0 and 1, the values that a read without a texture returns.
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

// exactly formats a number without loss.
func exactly(x float32) string { return strconv.FormatFloat(float64(x), 'g', -1, 64) }

// rangeOf returns the range of a component of an attribute over the vertices. As in Direct3D, missing
// components are 0, and the fourth is 1.
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

// Margin compares the difference of two pictures with the bound that package rounding gives for it.
type Margin struct {
	Bounded int     // components that have a bound and ordinary values
	Beyond  int     // of these, components that differ by more than the bound
	Largest float64 // largest difference as a fraction of its bound
	First   *Difference
}

// within compares Wine's pictures of the two versions of a pair with the bounds b, output by output. The
// pictures may differ by the sum of the versions' distances from the exact value. compare checks the pixels
// that only one picture covers.
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

// visible counts the components of pixels covered in both pictures that differ by more than 1/1000, relative to
// values above 1. An eye, or a display of 8 or 10 bits, could see such a difference.
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

// target returns the render target and component of an output such as oC0.x.
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
