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
	joined bool // the owner is a guest elsewhere
}

// size returns the number of components that are used.
func (c *coordinateShares) size() int { return bits.OnesCount8(uint8(c.used)) }

// same reports whether joins to d and to c leave the same joins.
func (c *coordinateShares) same(d *coordinateShares) bool {
	return c.used == d.used && c.dcls[0].Dst.Mods == d.dcls[0].Dst.Mods && len(c.dcls) == 1 == (len(d.dcls) == 1)
}

// shares selects semantics that share registers, so that the given number suffices. Unread
// semantics get no register. Then the narrowest semantic joins the fullest register that has room for
// it, as often as necessary:
//
//	dcl_texcoord0 v0.xy      t0.xy         mov oT0.xy, r8
//	dcl_texcoord8 v8.x       t0.z          mov oT0.z, r9.x         mov r1.x, t0.z
//	dcl_texcoord9 v9.x       t0.w          mov oT0.w, r10.x        mov r2.x, t0.w
//
// All must have the same interpolation, and the vertex program must write the components that are read. If this does
// not suffice, other joins are tried.
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
			list = append(list, &coordinateShares{dcls: []*d3d9.Inst{in},
				shares: []share{{mask: mask, order: d3d9.Identity}}, used: mask})
		}
	}
	// The order of the declarations must not decide whether joins are found.
	slices.SortStableFunc(list, func(a, b *coordinateShares) int {
		return cmp.Or(cmp.Compare(b.size(), a.size()), cmp.Compare(a.used, b.used),
			cmp.Compare(a.dcls[0].Dst.Mods, b.dcls[0].Dst.Mods))
	})
	for missing > 0 && !(&joinSearch{list: list, steps: maxJoinSteps}).find(len(list)-1, missing) {
		missing--
	}
	for _, c := range list {
		if c.joined || len(c.dcls) == 1 {
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

// maxJoinSteps limits the work of a search for joins.
const maxJoinSteps = 1 << 14

// joinSearch searches for joins by backtracking, while steps are left.
type joinSearch struct {
	list  []*coordinateShares // the narrowest last
	steps int
}

// find makes the missing joins, if the semantics up to i can be the guests. Otherwise it changes nothing.
func (s *joinSearch) find(i, missing int) bool {
	if missing == 0 {
		return true
	}
	if missing > i+1 || s.steps == 0 {
		return false
	}
	s.steps--
	if guest := s.list[i]; len(guest.dcls) == 1 {
		hosts := slices.DeleteFunc(slices.Clone(s.list), func(h *coordinateShares) bool { return h == guest || h.joined })
		slices.SortStableFunc(hosts, func(a, b *coordinateShares) int { return cmp.Compare(b.size(), a.size()) })
		guest.joined = true
		for k, h := range hosts {
			if slices.ContainsFunc(hosts[:k], h.same) {
				continue
			}
			before := *h
			for _, place := range h.places(guest) {
				h.dcls, h.shares = append(h.dcls, guest.dcls[0]), append(h.shares, place)
				h.used |= place.occupied()
				if s.find(i-1, missing-1) {
					return true
				}
				*h = before
			}
		}
		guest.joined = false
	}
	return s.find(i-1, missing)
}

// places returns the shares of a semantic that joins the register, where one move can read it. They use different
// components.
func (c *coordinateShares) places(guest *coordinateShares) (list []share) {
	if c.dcls[0].Dst.Mods != guest.dcls[0].Dst.Mods {
		return nil
	}
	candidates := slices.Clone(orders[:])
	for k := range 4 {
		if guest.size() == 1 {
			candidates = append(candidates, d3d9.Replicate(k))
		}
	}
	for _, order := range candidates {
		s := share{mask: guest.used, order: order, guest: true}
		same := func(t share) bool { return t.occupied() == s.occupied() }
		if c.used&s.occupied() == 0 && !slices.ContainsFunc(list, same) {
			list = append(list, s)
		}
	}
	return list
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
