package vsps

import "github.com/shaderlift/shaderlift/asm/d3d9"

// whole has statements write all of what some clients want them to write (see
// [d3d9.Op.Translatable]) where they write a temporary, and where the input has not done without.
// What is written besides is kept away from what is live, as for texld before 3.0.
func (b *builder) whole() {
	for _, s := range b.stmts {
		mask := s.op.Translatable()
		if mask == 0 || s.in == nil || s.cond || b.narrowed(s, mask) || !fillSources(s, mask) {
			continue
		}
		for c := range s.out {
			if mask.Has(c) && s.out[c] < 0 {
				s.out[c] = b.value(c, uint8(d3d9.Temp))
			}
		}
	}
}

// narrowed reports whether s writes less than mask in the input, or to an output.
func (b *builder) narrowed(s *stmt, mask d3d9.Mask) bool {
	for _, v := range s.out {
		if v >= 0 && d3d9.File(b.file[v]) != d3d9.Temp {
			return true
		}
	}
	if s.in.Orig < 0 {
		return false
	}
	orig := &b.d.Program.Insts[s.in.Orig]
	return orig.Op == s.op && orig.Dst.Mask != mask
}

// fillSources has s read, for results that nothing reads, components that it reads anyway: others
// may not have been written. It tells whether that could be done: crs takes no swizzle.
func fillSources(s *stmt, mask d3d9.Mask) bool {
	for k := range s.src {
		o := &s.src[k]
		first := o.first()
		reads := d3d9.Mask(s.in.ReadsFor(k, uint8(mask)))
		for i := range o {
			switch {
			case o[i].kind != laneNone || first == nil || !reads.Has(i):
			case s.op == d3d9.OpCrs:
				return false
			default:
				o[i] = *first
			}
		}
	}
	return true
}
