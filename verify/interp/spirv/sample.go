package spirv

import (
	"math"
	"math/bits"
)

// Image is an image. Its depth is the number of layers of an array, and six faces for each cube.
type Image struct {
	Width, Height, Depth int
	Levels, Samples      int
	// Texel returns a texel of a level: floats or integers, as the type in the module says. A nil function means
	// zeros.
	Texel func(x, y, z, level, sample int) [4]uint32
}

// Sampler is the state of a sampler.
type Sampler struct {
	Nearest bool // do not filter; else filter linearly, and between levels
	Clamp   bool // clamp to the edge; else repeat
	Greater bool // a comparison asks for dref >= texel; else for dref <= texel
}

// holds reports whether a texel is in the image.
func (img *Image) holds(p [3]int32, level, sample int32) bool {
	if level < 0 || int(level) >= max(img.Levels, 1) || sample < 0 || int(sample) >= max(img.Samples, 1) {
		return false
	}
	size := img.size(int(level))
	return p[0] >= 0 && int(p[0]) < size[0] && p[1] >= 0 && int(p[1]) < size[1] && p[2] >= 0 && int(p[2]) < max(size[2], img.Depth)
}

// size returns the size of a level. Layers do not shrink, but no caller reads beyond the depth of a volume.
func (img *Image) size(level int) [3]int {
	return [3]int{max(img.Width>>level, 1), max(img.Height>>level, 1), max(img.Depth>>level, 1)}
}

func (img *Image) at(p [3]int32, level, sample int32) [4]uint32 {
	if img.Texel == nil {
		return [4]uint32{}
	}
	return img.Texel(int(p[0]), int(p[1]), int(p[2]), int(level), int(sample))
}

// texelRequest is a texture instruction in one lane.
type texelRequest struct {
	img     *Image
	sampler Sampler
	integer bool // texels are integers, never filtered
	axes    int  // filtered coordinates
	coord   [3]float32
	layer   int32
	offset  [3]int32
	dref    float32
	compare bool
}

// sampleTexels executes a texture instruction with a sampler.
func (m *machine) sampleTexels(in *instr) {
	x := in.image
	for mask := m.mask; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		q := m.request(x, l)
		var out [4]uint32
		lod, defined := float32(0), true
		switch x.op {
		case opImageGather, opImageDrefGather:
			out = m.gather(x, &q, l)
		default:
			lod, defined = m.level(x, &q, l)
			out = q.mixed(lod)
		}
		for k := range in.n {
			m.s[in.dst+k][l] = out[k]
			if !defined && m.env.Fill != 0 {
				m.s[in.dst+k][l] = m.undefined(in.dst+k, l)
			}
		}
	}
}

// samplerOf returns the state of a sampler.
func (m *machine) samplerOf(x *imageAccess, l int) Sampler {
	if x.sampler < 0 || m.env.Sampler == nil {
		return Sampler{}
	}
	return m.env.Sampler(m.p.descriptor(m.s[x.sampler][l]))
}

// coordinate returns the coordinates in a lane: projected, and without the layer.
func (m *machine) coordinate(x *imageAccess, l int) (p [3]float32) {
	n := x.dimensions()
	for k := range n {
		p[k] = float(m.s[x.coord+int32(k)][l])
		if x.project {
			p[k] /= float(m.s[x.coord+int32(n)][l])
		}
	}
	return p
}

// request collects the operands in a lane. A cube becomes a layered image of its faces.
func (m *machine) request(x *imageAccess, l int) texelRequest {
	q := texelRequest{img: m.imageOf(m.s[x.handle][l]), sampler: m.samplerOf(x, l), integer: x.image.integer,
		axes: x.dimensions(), coord: m.coordinate(x, l)}
	layer := float32(0)
	if x.image.arrayed {
		layer = float(m.s[x.coord+int32(x.dimensions())][l])
	}
	q.layer = int32(math.RoundToEven(float64(bound(layer))))
	last := int32(q.img.Depth - 1)
	if x.image.dim == 3 {
		face, s, t, mag := project(q.coord, q.coord)
		q.axes, q.coord = 2, [3]float32{0.5 * (s/mag + 1), 0.5 * (t/mag + 1)}
		q.layer = min(max(q.layer, 0), max(last/6, 0))*6 + int32(face)
		q.sampler.Clamp = true
	} else {
		q.layer = min(max(q.layer, 0), max(last, 0))
	}
	if x.offset >= 0 && x.image.dim != 3 {
		for k := range x.dimensions() {
			q.offset[k] = int32(m.s[x.offset+int32(k)][l])
		}
	}
	if x.dref >= 0 {
		q.dref, q.compare = float(m.s[x.dref][l]), true
		if x.project {
			q.dref /= float(m.s[x.coord+int32(x.dimensions())][l])
		}
	}
	return q
}

// bound limits coordinates to numbers that have an integer. NaN counts as 0.
func bound(x float32) float32 {
	if x != x {
		return 0
	}
	return min(max(x, -1<<30), 1<<30)
}

// level returns the level of detail in a lane, and whether it is defined: an implicit one needs the whole quad.
func (m *machine) level(x *imageAccess, q *texelRequest, l int) (lod float32, defined bool) {
	switch x.op {
	case opSampleExplicit, opSampleDrefExplicit, opSampleProjExplicit, opSampleProjDrefExpl:
		if x.lod >= 0 {
			if lod = float(m.s[x.lod][l]); x.lodInt {
				lod = float32(int32(m.s[x.lod][l]))
			}
			return lod, true
		}
		var dx, dy [3]float32
		for k := range x.dimensions() {
			if x.dx >= 0 {
				dx[k], dy[k] = float(m.s[x.dx+int32(k)][l]), float(m.s[x.dy+int32(k)][l])
			}
		}
		return m.minimum(x, m.levelOf(x, q, l, dx, dy), l), true
	}
	if m.p.Stage != Fragment {
		return 0, true
	}
	lod = m.implicit(x, q, l)
	if x.bias >= 0 {
		lod += float(m.s[x.bias][l])
	}
	return m.minimum(x, lod, l), m.wholeQuad(l)
}

// implicit returns the level of detail by differences in the quad.
func (m *machine) implicit(x *imageAccess, q *texelRequest, l int) float32 {
	a, right, down := m.coordinate(x, l&^1), m.coordinate(x, l|1), m.coordinate(x, l|2)
	top := m.coordinate(x, l&^2)
	var dx, dy [3]float32
	for k := range x.dimensions() {
		dx[k], dy[k] = right[k]-a[k], down[k]-top[k]
	}
	return m.levelOf(x, q, l, dx, dy)
}

// minimum applies the operand MinLod.
func (m *machine) minimum(x *imageAccess, lod float32, l int) float32 {
	if x.minLod >= 0 {
		return max(lod, float(m.s[x.minLod][l]))
	}
	return lod
}

// levelOf returns log2 of the longer gradient in texels (Vulkan specification, "Scale Factor Operation").
func (m *machine) levelOf(x *imageAccess, q *texelRequest, l int, dx, dy [3]float32) float32 {
	size := [3]float32{float32(q.img.Width), float32(q.img.Height), float32(q.img.Depth)}
	if x.image.dim == 3 {
		p := m.coordinate(x, l)
		dx, dy = faceGradient(p, dx), faceGradient(p, dy)
	}
	var a, b float64
	for k := range q.axes {
		a += float64(dx[k]*size[k]) * float64(dx[k]*size[k])
		b += float64(dy[k]*size[k]) * float64(dy[k]*size[k])
	}
	return float32(0.5 * math.Log2(max(a, b)))
}

// queryLod executes OpImageQueryLod: the level that is read, and the computed one.
func (m *machine) queryLod(in *instr) {
	x := in.image
	for mask := m.mask; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		q := m.request(x, l)
		lod := m.implicit(x, &q, l)
		read := min(max(lod, 0), float32(max(q.img.Levels-1, 0)))
		m.s[in.dst][l], m.s[in.dst+1][l] = word(read), word(lod)
		if !m.wholeQuad(l) && m.env.Fill != 0 {
			m.fill(in.dst, in.n)
		}
	}
}

// mixed samples at a level of detail: between two levels, both are filtered and mixed.
func (q *texelRequest) mixed(lod float32) [4]uint32 {
	last := float32(max(q.img.Levels, 1) - 1)
	if !(lod > 0) {
		lod = 0 // also NaN
	}
	lod = min(lod, last)
	if q.sampler.Nearest || q.integer {
		return q.filtered(int(math.Ceil(float64(lod)+0.5) - 1))
	}
	k := int(lod)
	low := q.filtered(k)
	if f := lod - float32(k); f > 0 {
		return mix(low, q.filtered(k+1), f)
	}
	return low
}

func mix(a, b [4]uint32, f float32) (r [4]uint32) {
	for k := range r {
		r[k] = word(float(a[k]) + float32(f*(float(b[k])-float(a[k]))))
	}
	return r
}

// filtered samples one level.
func (q *texelRequest) filtered(level int) [4]uint32 {
	size := q.img.size(level)
	var low, high [3]int32
	var f [3]float32
	for k := range q.axes {
		at := bound(q.coord[k] * float32(size[k]))
		if q.sampler.Nearest || q.integer {
			low[k] = int32(math.Floor(float64(at))) + q.offset[k]
			continue
		}
		at -= 0.5
		low[k] = int32(math.Floor(float64(at)))
		f[k] = at - float32(low[k])
		low[k] += q.offset[k]
		high[k] = low[k] + 1
	}
	if q.sampler.Nearest || q.integer {
		return q.texel(low, level, size)
	}
	// Mix along x first, then y, then z.
	var list [8][4]uint32
	corners := 1 << q.axes
	for i := range corners {
		p := low
		for k := range q.axes {
			if i>>k&1 != 0 {
				p[k] = high[k]
			}
		}
		list[i] = q.texel(p, level, size)
	}
	for k := range q.axes {
		corners /= 2
		for i := range corners {
			list[i] = mix(list[2*i], list[2*i+1], f[k])
		}
	}
	return list[0]
}

// texel returns a texel by its number, which repeats or is clamped, compared with the reference.
func (q *texelRequest) texel(p [3]int32, level int, size [3]int) [4]uint32 {
	for k := range q.axes {
		n := int32(size[k])
		if q.sampler.Clamp {
			p[k] = min(max(p[k], 0), n-1)
		} else if p[k] %= n; p[k] < 0 {
			p[k] += n
		}
	}
	if q.axes < 3 {
		p[2] = q.layer
	}
	t := q.img.at(p, int32(level), 0)
	if q.compare {
		holds := q.dref <= float(t[0])
		if q.sampler.Greater {
			holds = q.dref >= float(t[0])
		}
		return [4]uint32{word(float32(boolWord(holds)))}
	}
	return t
}

// gather reads one component of the four texels that a linear filter mixes: lower left, lower right, upper right,
// upper left, with y upwards (SPIR-V specification, OpImageGather).
func (m *machine) gather(x *imageAccess, q *texelRequest, l int) (out [4]uint32) {
	size := q.img.size(0)
	var low [3]int32
	for k := range q.axes {
		low[k] = int32(math.Floor(float64(bound(q.coord[k]*float32(size[k])) - 0.5)))
	}
	component := uint32(0)
	if x.gather >= 0 {
		component = m.s[x.gather][l] & 3
	}
	for i, d := range [4][2]int32{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		p := low
		if x.offsets >= 0 {
			d = [2]int32{}
			for k := range 2 {
				q.offset[k] = int32(m.s[x.offsets+int32(2*i+k)][l])
			}
		}
		for k := range min(q.axes, 2) {
			p[k] += d[k] + q.offset[k]
		}
		out[i] = q.texel(p, 0, size)[component]
	}
	return out
}

// project converts q to the axes of the face at which direction p points: s and t across it, and m out of it (Vulkan
// specification, "Cube Map Face Selection and Transformations").
func project(p, q [3]float32) (face int, s, t, m float32) {
	x, y, z := abs32(p[0]), abs32(p[1]), abs32(p[2])
	switch {
	case z >= x && z >= y:
		if p[2] < 0 {
			return 5, -q[0], -q[1], -q[2]
		}
		return 4, q[0], -q[1], q[2]
	case y >= x:
		if p[1] < 0 {
			return 3, q[0], -q[2], -q[1]
		}
		return 2, q[0], q[2], q[1]
	case p[0] < 0:
		return 1, q[2], -q[1], -q[0]
	}
	return 0, -q[2], -q[1], q[0]
}

// faceGradient returns the derivative of the face coordinates (s/m + 1)/2 and (t/m + 1)/2 at p, as p moves by d.
func faceGradient(p, d [3]float32) [3]float32 {
	_, s, t, m := project(p, p)
	_, ds, dt, dm := project(p, d)
	return [3]float32{0.5 * (ds*m - s*dm) / (m * m), 0.5 * (dt*m - t*dm) / (m * m)}
}
