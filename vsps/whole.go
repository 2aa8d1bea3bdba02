package vsps

import "github.com/shaderlift/shaderlift/asm/d3d9"

// whole makes statements that write a temporary write all components that some clients require (see
// [d3d9.Op.Translatable]), unless the input writes fewer. The allocator keeps the additional
// components away from live values, as for texld before 3.0.
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

// narrowed reports whether s writes fewer components than mask in the input, or writes to an
// output.
func (b *builder) narrowed(s *stmt, mask d3d9.Mask) bool {
	for _, v := range s.out {
		if v >= 0 && d3d9.File(b.file[v]) != d3d9.Temp {
			return true
		}
	}
	if s.in.Orig < 0 {
		return false
	}
	orig := &b.d.program.Insts[s.in.Orig]
	return orig.Op == s.op && orig.Dst.Mask != mask
}

// fillSources makes s read, for its dead results, components that it reads anyway, because others
// may be unwritten. It reports whether this was possible: crs allows no swizzle.
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
