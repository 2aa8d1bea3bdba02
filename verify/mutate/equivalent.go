package mutate

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Equivalent reports whether two versions of a subject are the same program, by a proof of its
// own, in the way of translation validation (Pnueli, Siegel, Singerman, TACAS 1998; Necula, PLDI
// 2000). It has two strategies, and either suffices:
//
//   - [simulates] pairs the basic blocks of programs with the same flow, and compares what each
//     computes, symbolically, in the places that are live at its end;
//   - [samePaths] follows both programs at once on every path, symbolically.
//
// Values are hash-consed terms (terms.go) with a few laws: moves copy, signs cancel, sums and
// products commute, literals fold where nothing rounds. Memories, discards and outputs are live at
// the end. False means nothing: the proof is incomplete by design.
//
// It shares with the judge the syntax of the dialects and nothing else: neither the lift, nor the
// table of operations, nor the walk. Where both were wrong in the same way a wrong verdict would
// go unnoticed, and code that they shared would be such a way.
func Equivalent(before, after *Subject) bool {
	return equivalent(before, after, false)
}

// equivalent tries the original as it is, and then without the partial precision that the mutant
// dropped. reals admits the laws of real numbers.
func equivalent(before, after *Subject, reals bool) bool {
	a := flatten(after, reals)
	return same(flatten(before, reals), a, reals) || same(flatten(lessPrecise(before, after), reals), a, reals)
}

// same compares the programs of two subjects one by one. An empty list is a subject that could not
// be taken apart.
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

// lessPrecise is before without the partial precision that after does not have. Dropping _pp is
// allowed anywhere, since an implementation may always compute with full precision; adding it is
// not. Programs of different lengths are left as they are, because statements are paired by number.
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

// simulates reports whether the blocks of two programs with the same flow compute the same. It is
// a simulation with equality of all live places as its invariant: if these are equal at the
// beginning of a pair of blocks, then they are at their ends, and both take the same way. By
// induction over the blocks that are executed the exits are equal. It is quick, linear in the
// length of the programs, and cannot prove anything that moves code over flow.
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
		// Each pair of blocks has terms of its own: at its beginning a place holds "@place" on both
		// sides, which is the assumption of the induction.
		t := &terms{reals: reals}
		ex, ey := t.run(b.units[x.from:x.to]), t.run(a.units[y.from:y.to])
		// The statement of flow has to be the same one, and to look at equal values.
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
