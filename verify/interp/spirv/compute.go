package spirv

// Invocations returns the number of invocations in a batch of a compute program: a work group if they share memory, else
// as many as possible. It is 0 if a work group is too large.
func (p *Program) Invocations() int {
	n := p.groupSize()
	switch {
	case !p.Shared:
		return Lanes
	case n > Lanes:
		return 0
	}
	return int(n)
}

// groupSize returns the number of invocations of a work group, at least 1.
func (p *Program) groupSize() uint64 {
	n := uint64(1)
	for _, size := range p.Group {
		n = min(n*uint64(max(size, 1)), 1<<20)
	}
	return n
}

// ComputeInput returns a component of a built-in variable in an invocation of a compute program. start is the number of the
// first invocation of the batch, or of its work group if the invocations share memory. Work groups form a row along x.
func (p *Program) ComputeInput(c Component, start uint64, lane int) uint32 {
	n := p.groupSize()
	at := start + uint64(lane)
	if p.Shared {
		at = start*n + uint64(lane)
	}
	index := uint32(at % n)
	group := [3]uint32{uint32(at / n)}
	x, y := max(p.Group[0], 1), max(p.Group[1], 1)
	local := [3]uint32{index % x, index / x % y, index / x / y}
	k := c.Component % 3
	switch c.BuiltIn {
	case numWorkgroups:
		return [3]uint32{1 << 16, 1, 1}[k]
	case workgroupSize:
		return p.Group[k]
	case workgroupID:
		return group[k]
	case localInvocationID:
		return local[k]
	case globalInvocationID:
		return group[k]*p.Group[k] + local[k]
	case localIndex:
		return index
	}
	return 0
}
