package d3d9

// coordinate returns the lanes of a texture coordinate, or of its derivatives, that an instruction
// reads.
func coordinate(op Op, tex TexType, derivative bool) Mask {
	m := maskXY
	if tex == TexCube || tex == TexVolume {
		m = maskXYZ
	}
	switch {
	case derivative:
	case op == OpTexldp, op == OpTexldb, op == OpTexldl:
		m |= MaskW
	}
	return m
}

// Components returns the components of source k that in reads; tex is the type of its texture.
func (in *Inst) Components(k int, tex TexType) Mask {
	read := in.Dst.Mask
	switch rule := &ruleTable[in.Op]; {
	case rule.src[k] == samplers:
		return 0
	case in.Op.Kind() == TextureOp:
		read = coordinate(in.Op, tex, k > 1)
	case in.Op.Kind() == Flow && rule.lanes[k] == nil:
		read = MaskX // of a predicate or a constant, one component in every lane
	case rule.lanes[k] != nil:
		read = rule.lanes[k].read(in.Dst.Mask)
	}
	return in.Src[k].Swz.reads(read)
}

// reads returns the components that s selects in the given lanes.
func (s Swizzle) reads(lanes Mask) (m Mask) {
	for lane := range 4 {
		if lanes.Has(lane) {
			m |= 1 << s.ComponentAt(lane)
		}
	}
	return m
}

// killed returns the components that texkill tests. The pages disagree from ps_2_0 on, three or
// four; the program must have written three.
func (v *validator) killed(in *Inst) Mask { return in.Dst.Mask & maskXYZ }

// checkDependencies bounds chains of dependent texture reads.
func (v *validator) checkDependencies() {
	if v.m.Stage != Pixel || v.lim.TextureLevels == Unlimited {
		return
	}
	dependentReads(v.p, func(i, order int) {
		if order >= v.lim.TextureLevels {
			v.report(i, codeDependency, "%s is number %d in a chain of dependent reads: %s allows %d",
				v.p.Insts[i].Op, order+1, v.m, v.lim.TextureLevels)
		}
	})
}

// DependentReads returns the length of the longest chain of dependent texture instructions of p,
// counted like the limit of ps_2_0.
func DependentReads(p *Program) (longest int) {
	dependentReads(p, func(_, order int) { longest = max(longest, order+1) })
	return longest
}

// dependentReads calls each with every texture instruction and its order, which is at most the
// number of its predecessors in a chain. Programs of the models with this limit have no flow
// control. A texture instruction has order n+1 if its coordinate, or the old value of its
// destination, came from one of order n. Else it has order 1 if either is an r# without texture
// data, and order 0 otherwise. Registers are tracked as a whole.
func dependentReads(p *Program, each func(at, order int)) {
	// next is the order of a texture instruction that depends on an r#, or 0 if the r# is
	// unwritten.
	var next [32]int
	for i := range p.Insts {
		in := &p.Insts[i]
		if k := in.Op.Kind(); k != Arithmetic && k != TextureOp || !in.HasDst {
			continue
		}
		order := 0
		for _, s := range in.Sources() {
			if s.File == Temp {
				order = max(order, next[s.Index%32])
			}
		}
		if in.Dst.File != Temp {
			continue
		}
		d := in.Dst.Index % 32
		if in.Op.Kind() == TextureOp || in.Dst.Mask != MaskAll {
			order = max(order, next[d])
		}
		if in.Op.Kind() == Arithmetic {
			next[d] = max(order, 1)
			continue
		}
		if each(i, order); in.Op != OpTexKill {
			next[d] = order + 1
		}
	}
}
