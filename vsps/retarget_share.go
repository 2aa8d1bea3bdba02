package vsps

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// turned is the only order of components besides the identity that all models can read.
var turned = d3d9.MakeSwizzle(3, 2, 1, 0)

// sharing is the share of a register that a semantic uses, and the declaration of the semantic that
// owns the register, or nil for the owner.
type sharing struct {
	share
	host *d3d9.Inst
}

// narrow is a semantic that may share a register: its declaration in the pixel program, and its
// components that are read.
type narrow struct {
	dcl  *d3d9.Inst
	mask d3d9.Mask
}

// width returns the number of components up to the last one that is read.
func (n narrow) width() int { return bits.Len8(uint8(n.mask)) }

// shares selects semantics that share registers, so that the given number suffices. Unread
// semantics get no register. Then the narrowest semantic joins the widest one that leaves room for
// it, as often as necessary:
//
//	dcl_texcoord0 v0.xy      t0.xy         mov oT0.xy, r8
//	dcl_texcoord8 v8.xy      t0.wz         mov oT0.zw, r9.yyyx        mov r1.xy, t0.wzyx
//
// The guest is reversed because ps_2_0 has few swizzles. Both must have the same interpolation, and
// the vertex program must write the components that are read.
func (p Pair) shares(dcls []*d3d9.Inst, registers int) map[semantic]sharing {
	found := map[semantic]sharing{}
	count := map[semantic]int{}
	for _, in := range dcls {
		count[semanticOf(in)]++
	}
	missing := len(count) - registers
	var list []narrow
	for _, in := range dcls {
		n := narrow{in, reads(p.Pixel, in.Dst)}
		switch sem := semanticOf(in); {
		case count[sem] > 1:
		case n.mask == 0 && missing > 0:
			found[sem] = sharing{}
			missing--
		case n.mask&^writes(p.Vertex, sem) == 0 && n.width() < 4:
			list = append(list, n)
		}
	}
	slices.SortStableFunc(list, func(a, b narrow) int { return cmp.Compare(b.width(), a.width()) })
	for ; missing > 0 && len(list) > 1; missing-- {
		guest := list[len(list)-1]
		list = list[:len(list)-1]
		host := slices.IndexFunc(list, func(n narrow) bool {
			return n.width()+guest.width() <= 4 &&
				n.dcl.Dst.Mods == guest.dcl.Dst.Mods
		})
		if host < 0 {
			missing++
			continue
		}
		h := list[host]
		found[semanticOf(h.dcl)] = sharing{share: share{mask: h.mask}}
		found[semanticOf(guest.dcl)] = sharing{share{guest.mask, true, h.width()}, h.dcl}
		list = slices.Delete(list, host, host+1)
	}
	return found
}

// written returns the components of reg that the vertex program writes for s, and the source
// components of the semantic. There is no gap: components between both semantics get arbitrary
// values.
func (s share) written(reg d3d9.Reg) (d3d9.Mask, d3d9.Swizzle) {
	if !s.turned {
		return fromX(s.mask, reg)
	}
	var from [4]int
	for c := range from {
		if from[c] = bits.TrailingZeros8(uint8(s.mask)); s.mask.Has(3 - c) {
			from[c] = 3 - c
		}
	}
	return d3d9.MaskAll << s.first & d3d9.MaskAll, d3d9.MakeSwizzle(from[0], from[1], from[2], from[3])
}
