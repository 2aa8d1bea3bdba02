package regalloc

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// random returns values with live ranges over a short program, so that they intersect often.
func random(t *rapid.T) (live [][]Span, comp, file []uint8) {
	n := rapid.IntRange(1, 14).Draw(t, "values")
	for range n {
		var spans []Span
		at := rapid.Int32Range(0, 12).Draw(t, "from")
		for range rapid.IntRange(1, 3).Draw(t, "spans") {
			to := at + rapid.Int32Range(0, 4).Draw(t, "length")
			spans = append(spans, Span{at, to})
			at = to + rapid.Int32Range(2, 5).Draw(t, "hole")
		}
		live = append(live, spans)
		comp = append(comp, rapid.Uint8Range(0, 3).Draw(t, "comp"))
		file = append(file, rapid.Uint8Range(0, 4).Draw(t, "file")/4) // mostly 0
	}
	return live, comp, file
}

// meet reports whether two lists of intervals intersect, by comparing all pairs.
func meet(a, b []Span) bool {
	for _, x := range a {
		for _, y := range b {
			if x.From <= y.To && y.From <= x.To {
				return true
			}
		}
	}
	return false
}

// TestWebs applies random operations. No two values that are live together share a place, promises
// hold, and colours respect all of them.
func TestWebs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live, comp, file := random(t)
		n := int32(len(live))
		w := NewWebs(live, comp, file)
		for v := range n {
			if w.ComponentOf(v) != int(comp[v]) || !w.Alone(v) {
				t.Fatalf("value %d begins at %d", v, w.ComponentOf(v))
			}
		}
		type pair struct{ a, b int32 }
		var joined, placed, apart []pair
		fixed := map[int32]int{}
		pins := map[int32]int32{}
		value := rapid.Int32Range(0, n-1)
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			a, b := value.Draw(t, "a"), value.Draw(t, "b")
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0, 1:
				if w.Join(a, b) {
					joined = append(joined, pair{a, b})
				}
			case 2:
				if w.JoinAt(a, b) {
					placed = append(placed, pair{a, b})
				}
			case 3:
				if c := rapid.IntRange(0, 3).Draw(t, "to"); w.Permute(a, c) && w.ComponentOf(a) != c {
					t.Fatalf("value %d was moved to %d, not %d", a, w.ComponentOf(a), c)
				}
				for _, p := range placed { // moving one moves the values that share its place
					if w.ComponentOf(p.a) != w.ComponentOf(p.b) {
						t.Fatalf("%d and %d were torn apart", p.a, p.b)
					}
				}
			case 4:
				w.Fix(a)
				fixed[a] = w.ComponentOf(a)
			case 5:
				if a != b && file[a] == file[b] && w.Apart(a, b) {
					apart = append(apart, pair{a, b})
				}
			case 6:
				if reg := rapid.Int32Range(0, 2).Draw(t, "reg"); w.Pin(a, reg) {
					pins[a], fixed[a] = reg, w.ComponentOf(a)
				}
			}
			check(t, w, live, file)
		}
		for _, p := range append(joined, placed...) {
			if !w.Same(p.a, p.b) {
				t.Fatalf("%d and %d were joined", p.a, p.b)
			}
		}
		for _, p := range placed {
			if w.ComponentOf(p.a) != w.ComponentOf(p.b) {
				t.Fatalf("%d and %d shared a component", p.a, p.b)
			}
		}
		for v, c := range fixed {
			if w.ComponentOf(v) != c {
				t.Fatalf("value %d was fixed at %d and is at %d", v, c, w.ComponentOf(v))
			}
		}
		w.Spread = rapid.Bool().Draw(t, "spread")
		const limit = 8
		regs, err := w.Colour(func(uint8) int { return limit }, func(v int32) int { return int(v) % limit })
		if err != nil {
			return // the pins may be unsatisfiable
		}
		for a := range n {
			if regs[a] < 0 || regs[a] >= limit {
				t.Fatalf("value %d is in register %d", a, regs[a])
			}
			for b := range a {
				if file[a] == file[b] && regs[a] == regs[b] && w.ComponentOf(a) == w.ComponentOf(b) && meet(live[a], live[b]) {
					t.Fatalf("%d and %d are live together in component %d of register %d", a, b, w.ComponentOf(a), regs[a])
				}
				if w.Same(a, b) && regs[a] != regs[b] {
					t.Fatalf("%d and %d are in one web and in registers %d and %d", a, b, regs[a], regs[b])
				}
			}
		}
		for _, p := range apart {
			if regs[p.a] == regs[p.b] {
				t.Fatalf("%d and %d were to be apart", p.a, p.b)
			}
		}
		for v, r := range pins {
			if regs[v] != r {
				t.Fatalf("value %d was pinned to %d and is in %d", v, r, regs[v])
			}
		}
	})
}

func check(t *rapid.T, w *Webs, live [][]Span, file []uint8) {
	for a := range int32(len(live)) {
		for b := range a {
			if w.Same(a, b) && (file[a] != file[b] || w.ComponentOf(a) == w.ComponentOf(b) && meet(live[a], live[b])) {
				t.Fatalf("%d and %d share component %d of a web", a, b, w.ComponentOf(a))
			}
		}
	}
}

func TestOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live, _, _ := random(t)
		a, b := live[0], live[len(live)-1]
		if got, want := Overlap(a, b), meet(a, b); got != want {
			t.Fatalf("%v and %v: %v", a, b, got)
		}
		if meet(a, b) {
			return
		}
		ownA, ownB := rapid.Bool().Draw(t, "own a"), rapid.Bool().Draw(t, "own b")
		x, y := slices.Clone(a), slices.Clone(b)
		both, own := Merge(x, y, ownA, ownB, new(Webs).reserveSpans)
		want := append(slices.Clone(a), b...)
		slices.SortFunc(want, func(x, y Span) int { return int(x.From - y.From) })
		if !slices.Equal(both, want) {
			t.Fatalf("%v and %v merge to %v", a, b, both)
		}
		if own { // the caller may write to the result from now on, but not to the operands
			clear(both[:cap(both)])
		}
		if !ownA && !slices.Equal(x, a) || !ownB && !slices.Equal(y, b) {
			t.Fatalf("%v and %v became %v and %v", a, b, x, y)
		}
	})
}

// TestJoinPermutes checks that a collision is resolved by another component, unless the components
// are fixed.
func TestJoinPermutes(t *testing.T) {
	live := [][]Span{{{0, 4}}, {{2, 6}}}
	w := NewWebs(live, []uint8{1, 1}, []uint8{0, 0})
	if w.JoinAt(0, 1) {
		t.Error("values that are live together share a place")
	}
	if !w.Join(0, 1) || w.ComponentOf(0) == w.ComponentOf(1) {
		t.Error("two values that collide in y do not share a register in different components")
	}
	w = NewWebs(live, []uint8{1, 1}, []uint8{0, 0})
	w.Fix(0)
	w.Fix(1)
	if w.Join(0, 1) {
		t.Error("a web that was fixed was permuted")
	}
}

// TestColourRunsOut checks that colouring fails if more values are live at a time than there are
// places.
func TestColourRunsOut(t *testing.T) {
	var live [][]Span
	for range 9 {
		live = append(live, []Span{{0, 1}})
	}
	w := NewWebs(live, make([]uint8, 9), make([]uint8, 9))
	for _, limit := range []int{8, 9} {
		_, err := w.Colour(func(uint8) int { return limit }, func(int32) int { return -1 })
		if (err == nil) != (limit == 9) {
			t.Errorf("nine values in component x of %d registers: %v", limit, err)
		}
	}
}
