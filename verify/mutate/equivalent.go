package mutate

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Equivalent reports whether two versions of a subject are the same program by a proof of
// its own: with the same statements of flow around them, each block of the one computes,
// from equal values of all that is live at its beginning, the terms that the block of the
// other does, in all that is live at its end. Terms know that moves copy, signs cancel and
// sums and products commute; memories, what is discarded and outputs are live for ever.
//
// It shares the syntax with the judge and nothing else: neither the lift, nor the table of
// operations, nor the walk. It is far weaker.
func Equivalent(before, after *Subject) bool {
	return equivalent(before, after, false)
}

func equivalent(before, after *Subject, reals bool) bool {
	a := flatten(after, reals)
	return same(flatten(before, reals), a, reals) || same(flatten(lessPrecise(before, after), reals), a, reals)
}

func same(b, a []*flat, reals bool) bool {
	if len(b) == 0 || len(b) != len(a) {
		return false
	}
	for i := range b {
		if !simulates(b[i], a[i], reals) && !samePaths(b[i], a[i], reals) {
			return false
		}
	}
	return true
}

// lessPrecise is before without the partial precision that after does not have: a version
// may drop it anywhere.
func lessPrecise(before, after *Subject) *Subject {
	s := *before
	for _, side := range [][2]**d3d9.Program{{&s.Pair.Vertex, &after.Pair.Vertex}, {&s.Pair.Pixel, &after.Pair.Pixel}} {
		b, a := *side[0], *side[1]
		if b == nil || a == nil || len(b.Insts) != len(a.Insts) {
			continue
		}
		p := cloneProgram(b)
		for i := range p.Insts {
			if a.Insts[i].Dst.Mods&d3d9.PartialPrecision == 0 {
				p.Insts[i].Dst.Mods &^= d3d9.PartialPrecision
			}
		}
		*side[0] = p
	}
	return &s
}

// simulates reports whether the blocks of two programs with the same flow compute the same.
func simulates(b, a *flat, reals bool) bool {
	if b == nil || a == nil {
		return b == a
	}
	if b.frame != a.frame {
		return false
	}
	bb, ba := blocks(b), blocks(a)
	if len(bb) != len(ba) {
		return false
	}
	exits := map[string]bool{}
	for _, p := range slices.Concat(b.exits, a.exits) {
		exits[p] = true
	}
	_, live := liveness(b, bb, exits)
	for i := range bb {
		x, y := bb[i], ba[i]
		if (x.flow < 0) != (y.flow < 0) {
			return false
		}
		t := &terms{reals: reals}
		ex, ey := t.run(b.units[x.from:x.to]), t.run(a.units[y.from:y.to])
		if x.flow >= 0 {
			fx, fy := &b.units[x.flow], &a.units[y.flow]
			if fx.flow != fy.flow || len(fx.reads) != len(fy.reads) {
				return false
			}
			for k := range fx.reads {
				if t.arg(ex, fx.reads[k]) != t.arg(ey, fy.reads[k]) {
					return false
				}
			}
		}
		for p := range live[i] {
			if t.place(ex, p) != t.place(ey, p) {
				return false
			}
		}
	}
	return true
}
