package ir

import "testing"

// Residues of sums, products and roundings, and of joins.
func TestResidue(t *testing.T) {
	four := Residue{M: 4 * one}
	for _, c := range []struct {
		name      string
		got, want Residue
	}{
		{"4k+1", four.add(residueOf(1)), Residue{one, 4 * one, false}},
		{"4k + pixel", four.add(halves), halves},
		{"4*pixel", halves.mul(residueOf(4)), Residue{2 * one, 4 * one, false}},
		{"3k", whole.mul(residueOf(3)), whole},
		{"(4k+1)(4l+1)", four.add(residueOf(1)).mul(four.add(residueOf(1))), Residue{one, 4 * one, false}},
		{"4k/4", four.mul(residueOf(0.25)), whole},
		{"k/4", whole.mul(residueOf(0.25)), Residue{0, one / 4, false}},
		{"-(4k+1)", four.add(residueOf(1)).neg(), Residue{3 * one, 4 * one, false}},
		{"3 or 7", residueOf(3).join(residueOf(7)), Residue{3 * one, 4 * one, false}},
		{"1 or 4k+1", residueOf(1).join(four.add(residueOf(1))), Residue{one, 4 * one, false}},
		{"floor of 4k+1.5", four.add(residueOf(1.5)).floor(), Residue{one, 4 * one, false}},
		{"floor of -0.5", residueOf(-0.5).floor(), residueOf(-1)},
		{"floor of anything", anything.floor(), whole},
		{"a tenth", residueOf(0.1), anything},
		{"anything times 0", anything.mul(residueOf(0)), anything}, // may be infinite
		{"4k | 1", four.bitwise(PrimIOr, residueOf(1)), Residue{one, 4 * one, false}},
		{"4k+3 & 4l+1", four.add(residueOf(3)).bitwise(PrimIAnd, four.add(residueOf(1))), Residue{one, 4 * one, false}},
		{"4k+3 ^ 2", four.add(residueOf(3)).bitwise(PrimIXor, residueOf(2)), Residue{one, 4 * one, false}},
		{"k & -4", whole.bitwise(PrimIAnd, residueOf(-4)), four},
		{"k & -3", whole.bitwise(PrimIAnd, residueOf(-3)), whole},
		{"k | 1", whole.bitwise(PrimIOr, residueOf(1)), whole},
		{"5 ^ -1", residueOf(5).bitwise(PrimIXor, residueOf(-1)), residueOf(-6)},
		{"too fine", residueOf(1.0 / 256).mul(residueOf(0.5)), anything},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, not %+v", c.name, c.got, c.want)
		}
	}
	if k, over, ok := four.add(residueOf(-0.5)).Modulo(4); k != 3 || over != 0.5 || !ok {
		t.Errorf("%d, %g, %v", k, over, ok)
	}
	if _, _, ok := four.Modulo(8); ok {
		t.Error("4k is known modulo 8")
	}
}
