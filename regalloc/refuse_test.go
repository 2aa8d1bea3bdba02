package regalloc_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/regalloc"
)

func TestWebsRefuse(t *testing.T) {
	both := []regalloc.Span{{From: 1, To: 4}}
	later := []regalloc.Span{{From: 5, To: 8}}
	fresh := func(file ...uint8) *regalloc.Webs {
		return regalloc.NewWebs([][]regalloc.Span{both, both, later}, []uint8{0, 0, 0},
			append(file, make([]uint8, 3-len(file))...))
	}
	for _, test := range []struct {
		name string
		ok   bool
		do   func(w *regalloc.Webs) bool
	}{
		{"colliding values side by side", true,
			func(w *regalloc.Webs) bool { return w.Join(0, 1) && w.ComponentOf(0) != w.ComponentOf(1) }},
		{"colliding values in one place", false, func(w *regalloc.Webs) bool { return w.JoinAt(0, 1) }},
		{"values that take turns", true, func(w *regalloc.Webs) bool { return w.JoinAt(0, 2) }},
		{"colliding values that may not move", false,
			func(w *regalloc.Webs) bool { w.Fix(0); w.Fix(1); return w.Join(0, 1) }},
		{"colliding values one of which may move", true,
			func(w *regalloc.Webs) bool { w.Fix(0); return w.Join(0, 1) && w.ComponentOf(0) == 0 }},
		{"different files", false, func(*regalloc.Webs) bool { return fresh(0, 0, 1).Join(0, 2) }},
		{"different pins", false, func(w *regalloc.Webs) bool { w.Pin(0, 1); w.Pin(2, 2); return w.Join(0, 2) }},
		{"a second pin", false, func(w *regalloc.Webs) bool { w.Pin(0, 1); return w.Pin(0, 2) }},
		{"what is kept apart", false, func(w *regalloc.Webs) bool { w.Apart(0, 2); return w.Join(2, 0) }},
		{"what is joined apart", false, func(w *regalloc.Webs) bool { w.Join(0, 2); return w.Apart(0, 2) }},
		{"moving what is fixed", false, func(w *regalloc.Webs) bool { w.Fix(0); return w.Permute(0, 3) }},
		{"moving it nowhere", true, func(w *regalloc.Webs) bool { w.Fix(0); return w.Permute(0, 0) }},
		{"alone", false, func(w *regalloc.Webs) bool { w.Join(0, 2); return w.Alone(0) }},
	} {
		if test.do(fresh()) != test.ok {
			t.Errorf("%s: %v", test.name, !test.ok)
		}
	}
}

func TestColour(t *testing.T) {
	all := []regalloc.Span{{From: 1, To: 4}}
	w := func() *regalloc.Webs {
		return regalloc.NewWebs([][]regalloc.Span{all, all, nil}, make([]uint8, 3), make([]uint8, 3))
	}
	limit := func(n int) func(uint8) int { return func(uint8) int { return n } }
	none := func(int32) int { return -1 }
	if _, err := w().Colour(limit(1), none); err == nil {
		t.Error("two values that are live together fit one component")
	}
	x := w()
	x.Pin(1, 0)
	if regs, err := x.Colour(limit(2), none); err != nil || regs[0] != 1 || regs[1] != 0 || regs[2] != -1 {
		t.Errorf("registers %v, %v: the pinned value comes first", regs, err)
	}
	if regs, err := w().Colour(limit(9), func(v int32) int { return 7 }); err != nil || regs[0] != 7 || regs[1] != 0 {
		t.Errorf("registers %v, %v: the first gets the one that both prefer", regs, err)
	}
}
