package ir

import "testing"

// What is known modulo powers of two of sums, products and roundings, and of either of two.
func TestResidue(t *testing.T) {
	four := Residue{M: 4 * one}
	for _, c := range []struct {
		name      string
		got, want Residue
	}{
		{"4k+1", four.add(ResidueOf(1)), Residue{one, 4 * one, false}},
		{"4k + pixel", four.add(Halves), Halves},
		{"4*pixel", Halves.mul(ResidueOf(4)), Residue{2 * one, 4 * one, false}},
		{"3k", Whole.mul(ResidueOf(3)), Whole},
		{"(4k+1)(4l+1)", four.add(ResidueOf(1)).mul(four.add(ResidueOf(1))), Residue{one, 4 * one, false}},
		{"4k/4", four.mul(ResidueOf(0.25)), Whole},
		{"k/4", Whole.mul(ResidueOf(0.25)), Residue{0, one / 4, false}},
		{"-(4k+1)", four.add(ResidueOf(1)).neg(), Residue{3 * one, 4 * one, false}},
		{"3 or 7", ResidueOf(3).join(ResidueOf(7)), Residue{3 * one, 4 * one, false}},
		{"1 or 4k+1", ResidueOf(1).join(four.add(ResidueOf(1))), Residue{one, 4 * one, false}},
		{"floor of 4k+1.5", four.add(ResidueOf(1.5)).floor(), Residue{one, 4 * one, false}},
		{"floor of -0.5", ResidueOf(-0.5).floor(), ResidueOf(-1)},
		{"floor of anything", anything.floor(), Whole},
		{"a tenth", ResidueOf(0.1), anything},
		{"anything times 0", anything.mul(ResidueOf(0)), anything}, // infinite, maybe
		{"too fine", ResidueOf(1.0 / 256).mul(ResidueOf(0.5)), anything},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, not %+v", c.name, c.got, c.want)
		}
	}
	if k, over, ok := four.add(ResidueOf(-0.5)).Modulo(4); k != 3 || over != 0.5 || !ok {
		t.Errorf("%d, %g, %v", k, over, ok)
	}
	if _, _, ok := four.Modulo(8); ok {
		t.Error("4k is known modulo 8")
	}
}
