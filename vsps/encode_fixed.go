package vsps

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// encodings are the statements that n may be: destinations and the registers that it reads.
// The register of the input comes first.
func (s *fixedSearch) encodings(st *machineState, n *fixedNode, paired bool) (list []d3d9.Inst) {
	// The register of the input comes first, so that of equally cheap programs the one that resembles
	// the input most is found first.
	home := d3d9.Reg{File: d3d9.Temp}
	for c, v := range n.val {
		if v != nil && n.need.Has(c) && (v.Home.File == ir.File(d3d9.Temp) || v.Home.File == ir.File(d3d9.Texture)) {
			home = d3d9.Reg{File: d3d9.File(v.Home.File), Index: v.Home.Index}
		}
	}
	limits := s.model.Limits()
	regs := []d3d9.Reg{home}
	// r# before t#: texture registers can be written by arithmetic up to ps_1_3, and serve as
	// further temporaries once their texture has been read.
	for r := range uint16(limits.Regs[d3d9.Temp]) {
		regs = append(regs, d3d9.Reg{File: d3d9.Temp, Index: r})
	}
	if s.model != d3d9.PS14 {
		for r := range uint16(limits.Regs[d3d9.Texture]) {
			regs = append(regs, d3d9.Reg{File: d3d9.Texture, Index: r})
		}
	}
	// For each mask the sources are chosen once; they do not depend on the destination but for
	// [d3d9.MayReuse].
	for _, mask := range s.masks(n, paired) {
		in := n.inst
		in.Dst.Mask = mask
		if !s.sources(st, n, &in) {
			continue
		}
		for k, r := range regs {
			if k > 0 && r == home || !d3d9.CanWrite(s.model, in.Op, r.File) {
				continue
			}
			if in.Dst.Reg = r; s.apart(&in) {
				list = append(list, in)
			}
		}
	}
	return list
}

// apart reports whether no source has the register of the destination where that is forbidden
// ([d3d9.MayReuse]).
func (s *fixedSearch) apart(in *d3d9.Inst) bool {
	for k, src := range in.Sources() {
		if src.Reg == in.Dst.Reg && !d3d9.MayReuse(s.model, in.Op, k) {
			return false
		}
	}
	return true
}

// masks are what n may write: what is needed of it, and what else its statement cannot leave out.
func (s *fixedSearch) masks(n *fixedNode, paired bool) (list []d3d9.Mask) {
	for m := d3d9.Mask(1); m <= d3d9.MaskAll; m++ {
		d := d3d9.Dst{Mask: m}
		// All that is needed has to be written; what is not needed may be, if the model has no mask
		// without it (.rgb, .a and all up to ps_1_3). In a pair the one of colour must not write
		// alpha.
		if n.need&^m == 0 && d3d9.MaskFits(s.model, n.inst.Op, &d) && !(paired && n.need != d3d9.MaskW && m.Has(3)) {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b d3d9.Mask) int { return cmp.Compare(a.Count(), b.Count()) })
	// Larger masks than needed only cost registers; two are enough where the model has
	// all of them.
	if s.model == d3d9.PS14 && len(list) > 2 {
		list = list[:2]
	}
	return list
}

// sources finds the registers that n reads; false if there are none, or too many of a file.
func (s *fixedSearch) sources(st *machineState, n *fixedNode, in *d3d9.Inst) bool {
	for k := range n.src {
		o := &n.src[k]
		src := &in.Src[k]
		*src = d3d9.Src{Mod: o.mod, Swz: d3d9.Identity}
		var hint *d3d9.Src
		if n.in.Orig >= 0 {
			if old := &s.orig.Insts[n.in.Orig]; old.Op == in.Op {
				hint = &old.Src[k]
			}
		}
		if o.fixed {
			src.Reg = o.reg
			swz, ok := s.swizzle(in, k, hint, func(z d3d9.Swizzle) bool {
				for c, from := range o.comp {
					if from >= 0 && z.At(c) != int(from) {
						return false
					}
				}
				return true
			})
			if src.Swz = swz; !ok || o.reg.File == d3d9.Input && st.phase == 0 && s.model == d3d9.PS14 {
				return false
			}
			continue
		}
		if !s.find(st, in, k, o, hint) {
			return false
		}
	}
	for k, src := range in.Sources() {
		same := 0
		for j, t := range in.Src[:k+1] {
			if t.File == src.File && !slices.ContainsFunc(in.Src[:j], func(u d3d9.Src) bool { return u.Reg == t.Reg }) {
				same++
			}
		}
		if limit := d3d9.PortLimit(s.model, src.File); limit > 0 && same > limit {
			return false
		}
	}
	return in.Op != d3d9.OpCnd || s.model == d3d9.PS14 || in.Src[0].Reg == d3d9.Reg{File: d3d9.Temp} && in.Src[0].Swz == d3d9.Replicate(3)
}

// find finds a register that holds the values of source k, the one that the input reads
// first, then in order.
func (s *fixedSearch) find(st *machineState, in *d3d9.Inst, k int, o *fixedOperand, hint *d3d9.Src) bool {
	try := func(r d3d9.Reg) bool {
		if !d3d9.CanRead(s.model, in.Op, k, r.File) {
			return false
		}
		swz, ok := s.swizzle(in, k, hint, func(z d3d9.Swizzle) bool { return holds(st.cells(r), o.lane, z) })
		if ok {
			in.Src[k].Reg, in.Src[k].Swz = r, swz
		}
		return ok
	}
	if hint != nil && (hint.File == d3d9.Temp || hint.File == d3d9.Texture) && try(hint.Reg) {
		return true
	}
	for _, file := range []d3d9.File{d3d9.Temp, d3d9.Texture} {
		for r := range uint16(6) {
			if try(d3d9.Reg{File: file, Index: r}) {
				return true
			}
		}
	}
	return false
}

// swizzle is one that fits, that of the input if it does. BlueFits is about .b, which
// ps_1_1 to 1_3 have for alpha alone.
func (s *fixedSearch) swizzle(in *d3d9.Inst, k int, hint *d3d9.Src, fits func(d3d9.Swizzle) bool) (d3d9.Swizzle, bool) {
	legal := func(z d3d9.Swizzle) bool {
		return d3d9.SwizzleFits(s.model, in.Op, k, z) || z == d3d9.Replicate(2) && d3d9.BlueFits(s.model, in.Op, in.Dst.Mask)
	}
	if hint != nil && legal(hint.Swz) && fits(hint.Swz) {
		return hint.Swz, true
	}
	for _, z := range []d3d9.Swizzle{d3d9.Identity, d3d9.Replicate(3), d3d9.Replicate(2), d3d9.Replicate(0), d3d9.Replicate(1)} {
		if legal(z) && fits(z) {
			return z, true
		}
	}
	return 0, false
}
