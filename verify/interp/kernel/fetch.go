package kernel

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
)

// texture is a resource of a launch: elements in rows, rows in layers. A nil texture reads 0.
type texture struct {
	w, h, d int
	format  Format
	words   []uint32
}

// dimensions returns the number of coordinates of an element, including the layer.
func dimensions(t il.TexType) int {
	switch t {
	case il.Tex1D, il.TexBuffer:
		return 1
	case il.Tex2D, il.Tex1DArray:
		return 2
	case il.Tex3D, il.Tex2DArray:
		return 3
	}
	return 0
}

// fetch is the compile-time data of a fetch.
type fetch struct {
	id     int // of the resource
	typ    il.TexType
	n      int        // coordinates
	scaled bool       // coordinates are normalised: 1 is the size
	offset [3]float64 // in elements
	whole  [3]int64   // the same, rounded down
	lanes  il.Lanes   // lanes that are needed
}

// fetched adds a step for a fetch. Coordinates come from source 0, scalars from the sources args; results
// go to temporaries. In the step, s[0] to s[2] are the coordinates and s[3] and up the scalars. run
// computes all four components of an element, into d. For a missing resource, the results are 0.
func (l *lowering) fetched(lanes il.Lanes, run func(f *fetch, m *machine, u *uop, t *texture, d [4][]uint32),
	args ...int) (results [4]slot) {
	in := l.in
	f := &fetch{id: int(in.Ctl.ID), lanes: lanes}
	f.typ = l.resources[f.id]
	f.n = dimensions(f.typ)
	if f.n == 0 {
		l.fail(in, "unsupported-resource", "a resource of type %s cannot be read", f.typ)
		return results
	}
	f.scaled = !l.texels[f.id] && f.typ != il.TexBuffer
	for i, half := range in.Ctl.Texel {
		f.offset[i] = float64(half) / 2
		f.whole[i] = int64(half >> 1)
	}
	u := uop{nd: 4, ns: uint8(3 + len(args)), ext: func(m *machine, u *uop) {
		if t, d := f.openResource(m, u); t != nil {
			run(f, m, u, t, d)
		}
	}}
	at := l.operand(0, il.Lanes(1)<<f.n-1)
	for c := range 3 {
		// Coordinates beyond the resource's repeat the last one, so every slot is readable.
		u.s[c] = at[min(c, f.n-1)]
	}
	for i, s := range args {
		u.s[3+i] = l.scalar(s)
	}
	for c := range 4 {
		u.d[c] = l.allocateTemp()
		if lanes.Has(c) {
			results[c] = u.d[c]
		}
	}
	l.emit(u)
	return results
}

// element returns the integer coordinate at x, clamped to the edge. NaN gives 0.
func element(x float64, n int) int {
	switch {
	case !(x > 0):
		return 0
	case x >= float64(n):
		return n - 1
	}
	return int(x)
}

// place returns coordinate i of a sample in elements, before rounding down. The number of a layer is
// rounded to nearest instead.
func (f *fetch) place(i int, w uint32, size int) float64 {
	x := float64(math.Float32frombits(w))
	switch {
	case i > 0 && i == f.n-1 && (f.typ == il.Tex1DArray || f.typ == il.Tex2DArray):
		return x + 0.5
	case f.scaled:
		x *= float64(size)
	}
	return x + f.offset[i]
}

// sizes returns the sizes along the coordinates. The layers of a 1darray are its rows.
func (f *fetch) sizes(t *texture) [3]int {
	if f.typ == il.TexBuffer {
		return [3]int{t.w * t.h * t.d, 1, 1}
	}
	return [3]int{t.w, t.h, t.d}
}

// deliver stores the lanes of an element.
func (f *fetch) deliver(t *texture, at int, i int, d *[4][]uint32) {
	switch t.format {
	case Float1:
		w := t.words[at]
		d[0][i], d[1][i], d[2][i], d[3][i] = w, w, w, w
	case Float2:
		d[0][i], d[1][i], d[2][i], d[3][i] = t.words[2*at], t.words[2*at+1], 0, oneBits
	default:
		w := t.words[4*at : 4*at+4 : 4*at+4]
		d[0][i], d[1][i], d[2][i], d[3][i] = w[0], w[1], w[2], w[3]
	}
}

// openResource returns the resource and the destinations of its components. For a missing resource t is nil and the
// results are 0.
func (f *fetch) openResource(m *machine, u *uop) (t *texture, d [4][]uint32) {
	for c := range d {
		d[c] = m.slotWords(u.d[c])
	}
	t = m.textures[f.id]
	if t == nil {
		for c := range d {
			clear(d[c])
		}
	}
	return t, d
}

// sample reads the nearest element, without a filter, since a case has no samplers. A resource has one
// level, so level of detail and gradients have no effect.
func sample(l *lowering, lanes il.Lanes) [4]slot {
	return l.fetched(lanes, func(f *fetch, m *machine, u *uop, t *texture, d [4][]uint32) {
		size := f.sizes(t)
		x, y, z := m.slotWords(u.s[0]), m.slotWords(u.s[1]), m.slotWords(u.s[2])
		for i := range x {
			at := element(f.place(0, x[i], size[0]), size[0])
			if f.n > 1 {
				at += size[0] * element(f.place(1, y[i], size[1]), size[1])
			}
			if f.n > 2 {
				at += size[0] * size[1] * element(f.place(2, z[i], size[2]), size[2])
			}
			f.deliver(t, at, i, &d)
		}
	})
}

// nearest returns the number of the element at a sample's coordinates.
func (f *fetch) nearest(size [3]int, at [3]uint32) int {
	k, stride := 0, 1
	for c := range f.n {
		k += stride * element(f.place(c, at[c], size[c]), size[c])
		stride *= size[c]
	}
	return k
}

// sampleCompared returns 1 in every lane if the reference is at most the x of the element, else 0. Cases
// have no samplers, so it uses the default comparison of other APIs.
func sampleCompared(l *lowering, lanes il.Lanes) [4]slot {
	return l.fetched(lanes, func(f *fetch, m *machine, u *uop, t *texture, d [4][]uint32) {
		size := f.sizes(t)
		x, y, z, ref := m.slotWords(u.s[0]), m.slotWords(u.s[1]), m.slotWords(u.s[2]), m.slotWords(u.s[3])
		for i := range x {
			r := float(ref[i])
			f.deliver(t, f.nearest(size, [3]uint32{x[i], y[i], z[i]}), i, &d)
			w := boolBit(r <= float(d[0][i])) * oneBits
			d[0][i], d[1][i], d[2][i], d[3][i] = w, w, w, w
		}
	}, 1)
}

// gatherFour reads a component of the four elements around a location. Their order is that of Direct3D 11's
// gather4: counter-clockwise from the lower left.
func gatherFour(l *lowering, lanes il.Lanes) [4]slot {
	comp := int(l.in.Ctl.Comp)
	if t := l.resources[int(l.in.Ctl.ID)]; t != il.Tex2D && t != il.Tex2DArray {
		l.fail(l.in, "unsupported-resource", "fetch4 from a resource of type %s cannot be executed", t)
		return [4]slot{}
	}
	return l.fetched(lanes, func(f *fetch, m *machine, u *uop, t *texture, d [4][]uint32) {
		size := f.sizes(t)
		x, y, z := m.slotWords(u.s[0]), m.slotWords(u.s[1]), m.slotWords(u.s[2])
		for i := range x {
			left, top := f.place(0, x[i], size[0])-0.5, f.place(1, y[i], size[1])-0.5
			layer := 0
			if f.n > 2 {
				layer = size[0] * size[1] * element(f.place(2, z[i], size[2]), size[2])
			}
			var four [4]uint32
			for k, step := range [4][2]float64{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
				at := layer + size[0]*element(math.Floor(top)+step[1], size[1]) + element(math.Floor(left)+step[0], size[0])
				f.deliver(t, at, i, &d)
				four[k] = d[comp][i]
			}
			for c := range d {
				d[c][i] = four[c]
			}
		}
	})
}

// loadTexel reads the element at integer coordinates. It ignores the level that follows them, since there
// is only one.
func loadTexel(l *lowering, lanes il.Lanes) [4]slot {
	return l.fetched(lanes, func(f *fetch, m *machine, u *uop, t *texture, d [4][]uint32) {
		size := f.sizes(t)
		x, y, z := m.slotWords(u.s[0]), m.slotWords(u.s[1]), m.slotWords(u.s[2])
		for i := range x {
			k, stride, inside := int64(0), int64(1), true
			at := [3]uint32{x[i], y[i], z[i]}
			for c, w := range at[:f.n] {
				v := int64(int32(w)) + f.whole[c]
				inside = inside && v >= 0 && v < int64(size[c])
				k += stride * v
				stride *= int64(size[c])
			}
			if !inside {
				d[0][i], d[1][i], d[2][i], d[3][i] = 0, 0, 0, 0
				continue
			}
			f.deliver(t, int(k), i, &d)
		}
	})
}

// resourceInfo returns the size of a resource, with 0 for missing coordinates, and the number of levels.
// Results are floats unless the instruction is marked _uint.
func resourceInfo(l *lowering, lanes il.Lanes) [4]slot {
	in := l.in
	return l.fetched(lanes, func(f *fetch, m *machine, u *uop, t *texture, d [4][]uint32) {
		info := [4]uint32{3: 1}
		for c, n := range f.sizes(t) {
			if c < f.n {
				info[c] = uint32(n)
			}
		}
		for c := range d {
			w := info[c]
			if !in.Ctl.Uint {
				w = math.Float32bits(float32(w))
			}
			for i := range d[c] {
				d[c][i] = w
			}
		}
	})
}
