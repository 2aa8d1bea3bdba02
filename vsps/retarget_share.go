package vsps

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// orders are the orders of several components that all models can read. They also read each component alone.
var orders = [...]d3d9.Swizzle{d3d9.Identity, d3d9.MakeSwizzle(3, 2, 1, 0), d3d9.MakeSwizzle(1, 2, 0, 3),
	d3d9.MakeSwizzle(2, 0, 1, 3)}

// sharing is the share of a register that a semantic uses, and the declaration of the semantic that
// owns the register, or nil for the owner.
type sharing struct {
	share
	host *d3d9.Inst
}

// coordinateShares are the semantics that share a register: their declarations in the pixel program, the owner first,
// and the components that are used.
type coordinateShares struct {
	dcls   []*d3d9.Inst
	shares []share
	used   d3d9.Mask
}

// size returns the number of components that are used.
func (c *coordinateShares) size() int { return bits.OnesCount8(uint8(c.used)) }

// shares selects semantics that share registers, so that the given number suffices. Unread
// semantics get no register. Then the narrowest semantic joins the fullest register that has room for
// it, as often as necessary:
//
//	dcl_texcoord0 v0.xy      t0.xy         mov oT0.xy, r8
//	dcl_texcoord8 v8.x       t0.z          mov oT0.z, r9.x         mov r1.x, t0.z
//	dcl_texcoord9 v9.x       t0.w          mov oT0.w, r10.x        mov r2.x, t0.w
//
// All must have the same interpolation, and the vertex program must write the components that are read. With at most
// four components in a register, no other order of joins needs fewer registers, unless ps_2_0 lacks a swizzle.
func (p Pair) shares(dcls []*d3d9.Inst, registers int) map[semantic]sharing {
	found := map[semantic]sharing{}
	count := map[semantic]int{}
	for _, in := range dcls {
		count[semanticOf(in)]++
	}
	missing := len(count) - registers
	var list []*coordinateShares
	for _, in := range dcls {
		mask := reads(p.Pixel, in.Dst)
		switch sem := semanticOf(in); {
		case count[sem] > 1:
		case mask == 0 && missing > 0:
			found[sem] = sharing{}
			missing--
		case mask&^writes(p.Vertex, sem) == 0 && mask != d3d9.MaskAll:
			list = append(list, &coordinateShares{[]*d3d9.Inst{in}, []share{{mask: mask, order: d3d9.Identity}}, mask})
		}
	}
	slices.SortStableFunc(list, func(a, b *coordinateShares) int { return cmp.Compare(b.size(), a.size()) })
	for i := len(list) - 1; i >= 0 && missing > 0; i-- {
		guest := list[i]
		if len(guest.dcls) > 1 {
			continue
		}
		var host *coordinateShares
		for _, h := range list {
			if _, ok := h.place(guest); ok && h != guest && (host == nil || h.size() > host.size()) {
				host = h
			}
		}
		if host != nil {
			host.join(guest)
			list = slices.Delete(list, i, i+1)
			missing--
		}
	}
	for _, c := range list {
		if len(c.dcls) == 1 {
			continue
		}
		c.shares[0].span = d3d9.MaskAll >> bits.LeadingZeros8(uint8(c.used)<<4)
		c.shares[0].pad = c.shares[0].span &^ c.used
		for i, in := range c.dcls {
			s := sharing{share: c.shares[i]}
			if i > 0 {
				s.host = c.dcls[0]
			}
			found[semanticOf(in)] = s
		}
	}
	return found
}

// place returns the share of a semantic that joins the register, if one move can read it there.
func (c *coordinateShares) place(guest *coordinateShares) (s share, ok bool) {
	s = share{mask: guest.used, guest: true}
	if c.dcls[0].Dst.Mods != guest.dcls[0].Dst.Mods {
		return s, false
	}
	for _, order := range orders {
		if s.order = order; c.used&s.occupied() == 0 {
			return s, true
		}
	}
	for k := range 4 {
		if s.order = d3d9.Replicate(k); guest.size() == 1 && !c.used.Has(k) {
			return s, true
		}
	}
	return s, false
}

// join adds a semantic that has a place.
func (c *coordinateShares) join(guest *coordinateShares) {
	s, _ := c.place(guest)
	c.dcls, c.shares, c.used = append(c.dcls, guest.dcls[0]), append(c.shares, s), c.used|s.occupied()
}

// occupied returns the components of the register that s uses.
func (s share) occupied() (mask d3d9.Mask) {
	for c := range 4 {
		if s.mask.Has(c) {
			mask |= 1 << s.order.ComponentAt(c)
		}
	}
	return mask
}

// moved reports whether a move has to restore the order of the components.
func (s share) moved() bool { return s.guest && s.order != d3d9.Identity }

// written returns the components of the register that the vertex program writes for s, and the source
// components of the semantic. There is no gap: components that no semantic uses get arbitrary values.
func (s share) written() (d3d9.Mask, d3d9.Swizzle) {
	var from [4]int
	for k := range from {
		from[k] = bits.TrailingZeros8(uint8(s.mask))
	}
	for c := range from {
		if s.mask.Has(c) {
			from[s.order.ComponentAt(c)] = c
		}
	}
	return s.occupied() | s.pad, d3d9.MakeSwizzle(from[0], from[1], from[2], from[3])
}
