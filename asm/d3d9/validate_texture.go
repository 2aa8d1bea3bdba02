package d3d9

// coordinate are the lanes of a texture coordinate, or of its derivatives, that
// an instruction reads.
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

// Components are the components of source k that in reads, tex being the type of
// the texture it reads.
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

// reads are the components that s selects in the given lanes.
func (s Swizzle) reads(lanes Mask) (m Mask) {
	for lane := range 4 {
		if lanes.Has(lane) {
			m |= 1 << s.At(lane)
		}
	}
	return m
}

// killed are the components that texkill tests. The pages say three and others
// four from ps_2_0 on; a program must have written the three.
func (v *validator) killed(in *Inst) Mask { return in.Dst.Mask & maskXYZ }

// checkDependencies bounds chains of texture reads that depend on each other.
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

// DependentReads is how many texture instructions the longest chain of p has in which each needs
// what the one before has read, counted as the limit of ps_2_0 counts them.
func DependentReads(p *Program) (longest int) {
	dependentReads(p, func(_, order int) { longest = max(longest, order+1) })
	return longest
}

// dependentReads tells of each texture instruction of what order it is, which is at most the
// number of those before it in a chain. Programs of the models that have such a limit have no
// flow control. A texture instruction is of order n+1 if its coordinate, or what its
// destination held before, came from one of order n; of order 1 if either is an r#
// that no texture went into, and else of order 0. Registers are followed as a whole.
func dependentReads(p *Program, each func(at, order int)) {
	// next is the order of a texture instruction that depends on an r#: 0 while it
	// is not written.
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
