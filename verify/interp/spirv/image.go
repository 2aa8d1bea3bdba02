package spirv

import "math/bits"

// imageAccess describes an image instruction: the slots of its operands, -1 for absent ones.
type imageAccess struct {
	op      uint16 // the form that is not sparse
	image   *imageType
	handle  int32 // descriptor of the image
	sampler int32 // descriptor of the sampler
	coord   int32
	ints    bool // the coordinates are integers
	size    int  // of the coordinates
	project bool // divide the coordinates by the last one
	dref    int32
	gather  int32 // component to gather
	bias    int32
	lod     int32
	dx, dy  int32
	offset  int32
	offsets int32 // four offsets of a gather
	sample  int32
	minLod  int32
	texel   int32 // to write
	lodInt  bool  // lod is an integer
}

// The image operands (SPIR-V specification, 3.14), in the order of their ids.
const (
	operandBias         = 1 << 0
	operandLod          = 1 << 1
	operandGrad         = 1 << 2
	operandConstOffset  = 1 << 3
	operandOffset       = 1 << 4
	operandConstOffsets = 1 << 5
	operandSample       = 1 << 6
	operandMinLod       = 1 << 7
	operandAvailable    = 1 << 8
	operandVisible      = 1 << 9
	operandOffsets      = 1 << 16
	operandKnown        = 1<<8 - 1 | operandAvailable | operandVisible | 0x7c00 | operandOffsets
)

// imageOp translates instructions on images and samplers.
func (c *compiler) imageOp(in *inst) {
	switch in.op {
	case opSampledImage:
		slot, t := c.result(in)
		c.require(in, t.slots == 2)
		c.emit(in, instr{run: (*machine).arrange, dst: slot, n: 2, args: []int32{c.sized(in, 0, 1), c.sized(in, 1, 1)}})
	case opImage:
		c.alias(in, 0, 0)
	case opSparseResident:
		slot, _ := c.result(in)
		c.emit(in, instr{run: (*machine).totalLanes, dst: slot, n: 1, total: func(_, _, _ uint32) uint32 { return 1 }})
	case opImageTexelPointer:
		c.texelPointer(in)
	case opQuerySizeLod, opQuerySize, opQueryLevels, opQuerySamples:
		slot, t := c.result(in)
		x := c.access(in, 0)
		if in.op == opQuerySizeLod {
			x.lod = c.sized(in, 1, 1)
		}
		c.emit(in, instr{run: (*machine).query, dst: slot, n: int32(t.slots), image: x})
	case opQueryLod:
		slot, t := c.result(in)
		x := c.access(in, 0)
		c.require(in, t.slots == 2)
		c.coordinates(in, x, 1)
		c.emit(in, instr{run: (*machine).queryLod, dst: slot, n: 2, image: x})
	default:
		c.texture(in)
	}
}

// access returns the access of an instruction to the image that operand i names.
func (c *compiler) access(in *inst, i int) *imageAccess {
	slot, t := c.value(in, i)
	c.require(in, t.kind == kindImage || t.kind == kindSampledImage)
	x := &imageAccess{op: in.op, image: t.image, handle: slot, sampler: -1, dref: -1, gather: -1, bias: -1, lod: -1, dx: -1,
		dy: -1, offset: -1, offsets: -1, sample: -1, minLod: -1, texel: -1}
	if t.kind == kindSampledImage {
		x.sampler = slot + 1
	}
	return x
}

// coordinates reads the operand with the coordinates.
func (c *compiler) coordinates(in *inst, x *imageAccess, i int) {
	slot, t := c.value(in, i)
	x.coord, x.size, x.ints = slot, t.slots, t.base().kind == kindInt
	need := x.dimensions()
	if x.image.arrayed {
		need++
	}
	if x.project {
		need = x.dimensions() + 1
	}
	c.require(in, x.size >= need && x.size <= 4)
}

// dimensions returns the number of coordinates without the layer.
func (x *imageAccess) dimensions() int { return [7]int{1, 2, 3, 3, 2, 1, 2}[x.image.dim] }

// texture translates instructions that read or write texels.
func (c *compiler) texture(in *inst) {
	x := c.access(in, 0)
	sparse := in.op >= opSparseSample
	if sparse {
		x.op = in.op - opSparseSample + opSampleImplicit
		if in.op == opSparseRead {
			x.op = opImageRead
		}
	}
	next := 2
	switch x.op {
	case opSampleProjImplicit, opSampleProjExplicit, opSampleProjDrefImpl, opSampleProjDrefExpl:
		x.project = true
	}
	c.coordinates(in, x, 1)
	switch x.op {
	case opSampleDrefImplicit, opSampleDrefExplicit, opSampleProjDrefImpl, opSampleProjDrefExpl, opImageDrefGather:
		x.dref = c.sized(in, 2, 1)
		next = 3
	case opImageGather:
		x.gather = c.sized(in, 2, 1)
		next = 3
	case opImageWrite:
		texel, t := c.value(in, 2)
		c.require(in, t.slots <= 4)
		code := instr{run: (*machine).writeTexel, n: int32(t.slots), a: texel, image: x}
		c.operands(in, x, 3)
		c.emit(in, code)
		return
	}
	c.operands(in, x, next)
	slot, t := c.result(in)
	n := t.slots
	if sparse { // the residency code comes first
		c.require(in, n > 1)
		c.emit(in, instr{run: (*machine).fillZero, dst: slot, n: 1})
		slot, n = slot+1, n-1
	}
	c.require(in, n <= 4)
	run := (*machine).sampleTexels
	if x.op == opImageFetch || x.op == opImageRead {
		c.require(in, x.ints)
		run = (*machine).readTexel
	}
	c.emit(in, instr{run: run, dst: slot, n: int32(n), image: x})
}

// operands reads the image operands from operand i on.
func (c *compiler) operands(in *inst, x *imageAccess, i int) {
	if i >= len(in.args) {
		return
	}
	mask := in.args[i]
	if mask&^operandKnown != 0 {
		c.fail(in, "not-supported", "the image operands %#x are not supported", mask)
	}
	i++
	take := func(bit uint32, into *int32, n int) {
		if mask&bit != 0 {
			slot, t := c.value(in, i)
			c.require(in, t.slots >= n)
			*into = slot
			if bit == operandLod {
				x.lodInt = t.kind == kindInt
			}
			i++
		}
	}
	n := x.dimensions()
	if x.image.dim == 3 {
		n = 2 // offsets of a cube, which have no effect
	}
	take(operandBias, &x.bias, 1)
	take(operandLod, &x.lod, 1)
	take(operandGrad, &x.dx, x.dimensions())
	if mask&operandGrad != 0 {
		take(operandGrad, &x.dy, x.dimensions())
	}
	take(operandConstOffset, &x.offset, n)
	take(operandOffset, &x.offset, n)
	take(operandConstOffsets, &x.offsets, 8)
	take(operandSample, &x.sample, 1)
	take(operandMinLod, &x.minLod, 1)
	if mask&operandAvailable != 0 {
		i++
	}
	if mask&operandVisible != 0 {
		i++
	}
	take(operandOffsets, &x.offsets, 8)
}

// texelPointer translates OpImageTexelPointer. The pointer is only good for atomic instructions.
func (c *compiler) texelPointer(in *inst) {
	p := c.pointer(in, 0)
	c.require(in, p.t.kind == kindImage)
	slot := c.alloc(in, 1)
	c.emit(in, instr{run: (*machine).loadHandle, dst: slot, n: 1, from: p})
	x := &imageAccess{op: in.op, image: p.t.image, handle: slot, sampler: -1, sample: c.sized(in, 2, 1), lod: -1, offset: -1}
	c.coordinates(in, x, 1)
	t := c.typeOf(in.typ)
	c.require(in, t.kind == kindPointer)
	c.pointers[in.result] = pointer{v: p.v, dyn: -1, t: t.elem, class: classImage, texel: x}
}

// texelKey names a texel that an invocation has stored.
type texelKey struct {
	lane            int32
	handle          uint32
	x, y, z, sample int32
}

// descriptor returns the resource of a descriptor.
func (p *Program) descriptor(handle uint32) Resource {
	r := p.variables[int(handle>>handleShift)%len(p.variables)].resource
	r.Element = handle & (1<<handleShift - 1)
	return r
}

// imageOf returns the image of a descriptor.
func (m *machine) imageOf(handle uint32) *Image {
	if img := m.images[handle]; img != nil {
		return img
	}
	r := m.p.descriptor(handle)
	var img *Image
	if m.env.Image != nil {
		img = m.env.Image(r)
	}
	if img == nil {
		img = &Image{Width: 1, Height: 1, Depth: 1, Levels: 1, Samples: 1}
	}
	if m.images == nil {
		m.images = map[uint32]*Image{}
	}
	m.images[handle] = img
	return img
}

// place returns the texel that integer coordinates name, without clamping.
func (m *machine) place(x *imageAccess, l int) (p [3]int32, level, sample int32) {
	n := x.dimensions()
	size := n
	if x.image.arrayed {
		size++
	}
	for k := range min(size, 3) {
		p[k] = int32(m.s[x.coord+int32(k)][l])
	}
	if x.image.arrayed && n == 1 {
		p[1], p[2] = 0, p[1]
	}
	for k := range min(n, 3) {
		if x.offset >= 0 {
			p[k] += int32(m.s[x.offset+int32(k)][l])
		}
	}
	if x.image.dim == 6 {
		p[0] += m.x[l]
		p[1] += m.y[l]
	}
	if x.lod >= 0 {
		level = int32(m.s[x.lod][l])
	}
	if x.sample >= 0 {
		sample = int32(m.s[x.sample][l])
	}
	return p, level, sample
}

// readTexel reads a texel by integer coordinates. Texels outside the image are undefined.
func (m *machine) readTexel(in *instr) {
	x := in.image
	for mask := m.mask; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		p, level, sample := m.place(x, l)
		texel, ok := m.texel(x, l, p, level, sample)
		for k := range in.n {
			w := texel[k]
			if !ok {
				w = m.undefined(in.dst+k, l)
			}
			m.s[in.dst+k][l] = w
		}
	}
}

// texel returns a texel: the last one that the invocation stored, or the one of the image.
func (m *machine) texel(x *imageAccess, l int, p [3]int32, level, sample int32) ([4]uint32, bool) {
	handle := m.s[x.handle][l]
	img := m.imageOf(handle)
	if x.image.storage && m.texels != nil {
		if t, ok := m.texels[texelKey{int32(l), handle, p[0], p[1], p[2], sample}]; ok {
			return t, true
		}
	}
	if x.image.dim == 6 { // attachments have the size of the target
		w, h := int32(max(img.Width, 1)), int32(max(img.Height, 1))
		p[0], p[1] = (p[0]%w+w)%w, (p[1]%h+h)%h
	}
	if !img.holds(p, level, sample) {
		return [4]uint32{}, false
	}
	return img.at(p, level, sample), true
}

// writeTexel stores a texel. Stores outside the image have no effect.
func (m *machine) writeTexel(in *instr) {
	x := in.image
	for mask := m.mask &^ m.helpers; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		p, _, sample := m.place(x, l)
		var t [4]uint32
		for k := range in.n {
			t[k] = m.s[in.a+k][l]
		}
		m.setTexel(x, l, p, sample, t)
	}
}

func (m *machine) setTexel(x *imageAccess, l int, p [3]int32, sample int32, t [4]uint32) {
	handle := m.s[x.handle][l]
	if !m.imageOf(handle).holds(p, 0, sample) {
		return
	}
	if m.texels == nil {
		m.texels = map[texelKey][4]uint32{}
	}
	m.texels[texelKey{int32(l), handle, p[0], p[1], p[2], sample}] = t
}

// atomicTexel executes an atomic instruction on a texel.
func (m *machine) atomicTexel(in *instr, l int) {
	x := in.to.texel
	p, _, sample := m.place(x, l)
	t, ok := m.texel(x, l, p, 0, sample)
	if !ok || m.helpers>>l&1 != 0 {
		m.s[in.dst][l] = m.undefined(in.dst, l)
		return
	}
	old := t[0]
	t[0] = in.total(old, m.s[in.a][l], m.s[in.b][l])
	m.setTexel(x, l, p, sample, t)
	m.s[in.dst][l] = old
}

// query reads the size of an image, or its number of levels or samples.
func (m *machine) query(in *instr) {
	x := in.image
	for mask := m.mask; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		img := m.imageOf(m.s[x.handle][l])
		level := 0
		if x.lod >= 0 {
			level = int(min(m.s[x.lod][l], 31))
		}
		var size [4]int
		n := [7]int{1, 2, 3, 2, 2, 1, 2}[x.image.dim]
		copy(size[:], []int{max(img.Width>>level, 1), max(img.Height>>level, 1), max(img.Depth>>level, 1)}[:n])
		if x.image.arrayed {
			size[n] = img.Depth
			if x.image.dim == 3 {
				size[n] = max(img.Depth/6, 1)
			}
		}
		switch x.op {
		case opQueryLevels:
			size[0] = img.Levels
		case opQuerySamples:
			size[0] = img.Samples
		}
		for k := range min(in.n, 4) {
			m.s[in.dst+k][l] = uint32(size[k])
		}
	}
}

// fillZero stores zeros.
func (m *machine) fillZero(in *instr) { m.each(in, func(int) uint32 { return 0 }) }
