package mir

import (
	"slices"
	"testing"
)

func TestTie(t *testing.T) {
	c := NewCode("ties")
	var v [6]Val
	for i := range v {
		v[i] = c.NewVal()
	}
	x1, x2 := c.NewValAt(0), c.NewValAt(0)
	in0, in1 := c.Input(0, 1), c.Input(1, 1)
	for _, tt := range []struct {
		name string
		vals []Val
		ok   bool
	}{
		{"two", v[:2], true},
		{"two more through one of them", v[1:4], true},
		{"a fifth", []Val{v[0], v[4]}, false},
		{"one channel twice", []Val{x1, x2}, false},
		{"inputs of two registers", []Val{in0, in1}, false},
		{"zeros and repeats", []Val{0, x1, 0, x1}, true},
	} {
		if got := c.Tie(tt.vals...); got != tt.ok {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	if got := c.TiedValues(v[3]); len(got) != 4 || !slices.Contains(got, v[0]) {
		t.Errorf("tied to the fourth: %v", got)
	}
	if c.TieExport([4]Val{v[4], v[4]}) {
		t.Error("one value exported in two channels")
	}
	if c.TieExport([4]Val{0, x1}) {
		t.Error("a value of x exported as y")
	}
	if !c.TieExport([4]Val{v[4], v[5]}) || c.Chan(v[5]) != 1 {
		t.Error("two values exported")
	}
}
