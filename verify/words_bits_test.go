package verify

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
)

// TestWordsOfBits checks expressions that are equal bit for bit, and similar ones that are not.
func TestWordsOfBits(t *testing.T) {
	kernel := func(body string) *il.Kernel {
		const literals = "dcl_literal l5, 4, 255, 3, 28; dcl_literal l6, 8, 0xFFFF0000, 0xFFFF, 7; "
		return parseKernel(t, psKernel(literals+"ftoi r0, v0; "+body+"; itof o0, r1"))
	}
	for _, c := range []struct{ before, after, not string }{
		{"ushr r1, r0, l5.x; iand r1, r1, l5.y", "ubit_extract r1, l6.x, l5.x, r0", "ubit_extract r1, l5.x, l6.x, r0"},
		{"udiv r1, r0, l6.x", "ushr r1, r0, l5.z", "ushr r1, r0, l5.x"},
		{"umod r1, r0, l6.x", "iand r1, r0, l6.w", "iand r1, r0, l5.z"},
		{"ushr r1, r0, l5.x; ishl r1, r1, l5.x", "ushr r1, r0, l5.x; imul r1, r1, l6.x; iadd r1, r1, r1",
			"ishl r1, r0, l5.x; ushr r1, r1, l5.x"},
		{"udiv r1, r0, l6.w; udiv r1, r1, l6.w", "umod r2, r0, l6.w; udiv r1, r0, l6.w; udiv r1, r1, l6.w",
			"udiv r1, r0, l6.w"},
		{"ishl r1, r0, l5.x; ushr r2, cb0[0], l5.w; ior r1, r1, r2", "bitalign r1, r0, cb0[0], l5.w",
			"bitalign r1, r0, cb0[0], l5.x"},
		{"iand r1, r0, l6.y; iand r2, cb0[0], l6.z; ior r1, r1, r2", "bfi r1, l6.y, r0, cb0[0]", "bfi r1, l6.z, r0, cb0[0]"},
		{"ixor r1, r0, cb0[0]; ixor r1, r1, l5.x; ixor r1, r1, cb0[0]", "ixor r1, r0, l5.x", "ixor r1, cb0[0], l5.x"},
		{"ilt r1, r0, cb0[0]; cmov_logical r1, r1, r0, cb0[0]", "imin r1, r0, cb0[0]", "imax r1, r0, cb0[0]"},
		{"ishr r1, r0, l5.w; ishr r1, r1, l5.w", "ishr r1, r0, l5.w; ishr r1, r1, l6.x", "ishr r1, r0, l6.x"},
	} {
		before, after, not := kernel(c.before), kernel(c.after), kernel(c.not)
		if r := CheckKernel(before, after, Options{Numerics: Bits}); r.Verdict != Proved {
			t.Errorf("%s and %s: %v (%s)", c.before, c.after, r.Verdict, r.Why)
		}
		if r := CheckKernel(before, not, Options{Numerics: Bits}); r.Verdict == Proved || r.Verdict == ProvedReal {
			t.Errorf("%s and %s: %v", c.before, c.not, r.Verdict)
		}
	}
}
