package gen

import "github.com/shaderlift/shaderlift/asm/d3d9"

// fetches lists the instructions that read textures. A draw of one that the model lacks generates no fetch.
var fetches = []d3d9.Op{d3d9.OpTexld, d3d9.OpTexld, d3d9.OpTexldp, d3d9.OpTexldb, d3d9.OpTexldl, d3d9.OpTexldd}

// coordinates returns the lanes of source k that a texture instruction reads.
func (g *gen) coordinates(in *d3d9.Inst, k int) d3d9.Mask {
	m := maskXY
	for _, u := range g.units {
		if u.index == in.Src[1].Index && u.tex != d3d9.Tex2D {
			m = maskXYZ
		}
	}
	if k == 0 && in.Op != d3d9.OpTexld && in.Op != d3d9.OpTexldd {
		m |= d3d9.MaskW
	}
	return m
}

// fetch adds a texture read. Instructions that derive a level of detail from the coordinates do not read
// temporaries where neighbouring pixels may be inactive.
func (g *gen) fetch() bool {
	in := d3d9.Inst{Op: fetches[g.r.IntN(len(fetches))], HasDst: true, NSrc: 2}
	if len(g.units) == 0 || !in.Op.Exists(g.m) {
		return false
	}
	if in.Op == d3d9.OpTexldd {
		in.NSrc = 4
	}
	in.Dst.Reg = d3d9.Reg{File: d3d9.Temp, Index: uint16(g.r.IntN(g.temps))}
	in.HasPred = d3d9.CanPredicate(g.m) && g.env.pred != 0 && g.chance(10)
	if !g.pickMask(&in, nil) || in.HasPred && !g.predicate(&in) {
		return false
	}
	in.Src[1] = d3d9.Src{Reg: d3d9.Reg{File: d3d9.Sampler, Index: g.units[g.r.IntN(len(g.units))].index},
		Swz: d3d9.Identity}
	if z := d3d9.Swizzle(g.r.IntN(256)); g.m.Major >= 3 && g.chance(30) && d3d9.SwizzleFits(g.m, in.Op, 1, z) {
		in.Src[1].Swz = z
	}
	if !g.sources(&in) || g.isTooDeep(&in) {
		return false
	}
	gradient := in.Op == d3d9.OpTexld || in.Op == d3d9.OpTexldp || in.Op == d3d9.OpTexldb
	if gradient && g.now.varying && in.Src[0].File == d3d9.Temp || !g.emit(in) {
		return false
	}
	if !in.HasPred {
		g.write(in.Dst.Reg, in.Dst.Mask)
	}
	return true
}

// addTexkill adds a texkill of a register with all components written.
func (g *gen) addTexkill() bool {
	in := d3d9.Inst{Op: d3d9.OpTexKill, HasDst: true, Dst: d3d9.Dst{Mask: d3d9.MaskAll}}
	if !in.Op.Exists(g.m) {
		return false
	}
	if in.HasPred = d3d9.CanPredicate(g.m) && g.env.pred != 0 && g.chance(25); in.HasPred {
		g.predicate(&in)
	}
	for range 8 {
		r := d3d9.Reg{File: d3d9.Temp, Index: uint16(g.r.IntN(g.temps))}
		if len(g.inputs) > 0 && g.chance(20) {
			r = g.inputs[g.r.IntN(len(g.inputs))].reg
		}
		if in.Dst.Reg = r; g.writtenMask(r) == d3d9.MaskAll && d3d9.CanWrite(g.m, in.Op, r.File) &&
			(r.File != d3d9.Input || g.m.Major >= 3) {
			return !g.isTooDeep(&in) && g.emit(in)
		}
	}
	return false
}

// chain returns the number of texture reads on which in depends, counted as models with limited dependent
// reads do (ps_2_0 allows four levels). A register counts as a whole, and so do its old contents if it is
// partly written.
func (g *gen) chain(in *d3d9.Inst) (order int) {
	for _, s := range in.Sources() {
		if s.File == d3d9.Temp {
			order = max(order, g.order[s.Index])
		}
	}
	if in.Dst.File == d3d9.Temp && (in.Op.Kind() == d3d9.TextureOp || in.Dst.Mask != d3d9.MaskAll) {
		order = max(order, g.order[in.Dst.Index])
	}
	return order
}

// isTooDeep reports whether the chain of reads that in ends is too long.
func (g *gen) isTooDeep(in *d3d9.Inst) bool {
	return g.m.Stage == d3d9.Pixel && g.chain(in) >= g.lim.TextureLevels
}

// depend records the dependence on texture reads after in. A computed value also counts as one level.
func (g *gen) depend(in *d3d9.Inst) {
	if in.Dst.File != d3d9.Temp || !in.HasDst || in.Op == d3d9.OpTexKill {
		return
	}
	n := g.chain(in)
	if in.Op.Kind() == d3d9.TextureOp {
		g.order[in.Dst.Index] = n + 1
	} else {
		g.order[in.Dst.Index] = max(n, 1)
	}
}
