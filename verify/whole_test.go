package verify

import "testing"

// TestWhole checks integers that are moved out of conversions and roundings of a pixel's position, which is a
// whole number and a half. This fails for values that may be negative, not whole, or too large.
func TestWhole(t *testing.T) {
	const (
		head = "dcl_literal l4, -2.5, 3.0, 0.25, 16777216.0; dcl_literal l5, -4.0, 1.5, 7.0, 1000000.0; dcl_literal l6, 262144.0, 32768.0, 511.0, 0.0;"
		tail = "; itof r0, r0; mov o0, r0.xxxx"
	)
	for _, c := range []struct {
		name, before, after string
		want                Verdict
	}{
		{"converted", "add r0.x, vWinCoord0.x, l4.y; ftoi r0.x, r0.x", "ftoi r0.x, vWinCoord0.x; iadd r0.x, r0.x, l0.w",
			ProvedReal},
		{"one more", "add r0.x, vWinCoord0.x, l4.y; ftoi r0.x, r0.x", "ftoi r0.x, vWinCoord0.x; iadd r0.x, r0.x, l0.z",
			Refuted},
		{"without a sign", "add r0.x, vWinCoord0.x, l4.y; ftou r0.x, r0.x",
			"ftou r0.x, vWinCoord0.x; iadd r0.x, r0.x, l0.w", ProvedReal},
		{"a product", "mad r0.x, vWinCoord0.x, l5.z, l4.y; ftoi r0.x, r0.x",
			"mul r0.x, vWinCoord0.x, l5.z; ftoi r0.x, r0.x; iadd r0.x, r0.x, l0.w", ProvedReal},
		{"halves of a product", "mad r0.x, vWinCoord0.x, l5.z, l5.y; ftoi r0.x, r0.x",
			"mul r0.x, vWinCoord0.x, l5.z; ftoi r0.x, r0.x; iadd r0.x, r0.x, l0.z", ProvedReal},
		{"rounded down", "add r0.x, vWinCoord0.x, l4.x; flr r0.x, r0.x; ftoi r0.x, r0.x",
			"flr r0.x, vWinCoord0.x; add r0.x, r0.x, l4.x; add r0.x, r0.x, l2.w; add r0.x, r0.x, l2.w_neg(x); flr r0.x, r0.x; ftoi r0.x, r0.x", Refuted},
		{"there and back", "ftoi r1.x, vWinCoord0.x; itof r1.x, r1.x; add r1.x, r1.x, l2.w; ftoi r0.x, r1.x",
			"ftoi r0.x, vWinCoord0.x", ProvedReal},
		// -0.5 is 0 as an integer, and so is 0.5.
		{"maybe negative", "add r0.x, vWinCoord0.x, l5.x; ftoi r0.x, r0.x; iadd r0.x, r0.x, l1.x",
			"ftoi r0.x, vWinCoord0.x", Refuted},
		{"whole where negative", "add r0.x, vWinCoord0.x, l4.x; ftoi r0.x, r0.x; iadd r0.x, r0.x, l0.w",
			"add r0.x, vWinCoord0.x, l2.w; ftoi r0.x, r0.x", ProvedReal},
		{"negative without a sign", "add r0.x, vWinCoord0.x, l5.x; add r0.x, r0.x, l2.w_neg(x); ftou r0.x, r0.x",
			"sub r0.x, vWinCoord0.x, l2.w; ftou r0.x, r0.x; iadd r0.x, r0.x, l1.x_neg(x)", Refuted},
		{"not whole", "mad r0.x, vWinCoord0.x, l4.z, l4.y; ftoi r0.x, r0.x",
			"mul r0.x, vWinCoord0.x, l4.z; ftoi r0.x, r0.x; iadd r0.x, r0.x, l0.w", Unknown},
		{"not whole, the literal first", "mad r0.x, l4.z, vWinCoord0.x, l4.y; ftoi r0.x, r0.x",
			"mul r0.x, l4.z, vWinCoord0.x; ftoi r0.x, r0.x; iadd r0.x, r0.x, l0.w", Unknown},
		{"by a constant", "mad r0.x, vWinCoord0.x, cb0[0].x, l4.y; ftoi r0.x, r0.x",
			"mul r0.x, vWinCoord0.x, cb0[0].x; ftoi r0.x, r0.x; iadd r0.x, r0.x, l0.w", Refuted},
		{"back without a sign", "ftoi r1.x, vWinCoord0.x; utof r1.x, r1.x; add r1.x, r1.x, l2.w; ftoi r0.x, r1.x",
			"ftoi r0.x, vWinCoord0.x", ProvedReal},
		// Conversions saturate at the ends of integers, and sums of integers wrap.
		{"too large at the far end alone", "mad r0.x, vWinCoord0.x, l6.x, l4.y; ftoi r0.x, r0.x",
			"mul r0.x, vWinCoord0.x, l6.x; ftoi r0.x, r0.x; iadd r0.x, r0.x, l0.w", Unknown},
		{"rounded", "mad r0.x, vWinCoord0.x, l6.y, l4.y; ftoi r0.x, r0.x",
			"mul r0.x, vWinCoord0.x, l6.y; ftoi r0.x, r0.x; iadd r0.x, r0.x, l0.w", Unknown},
		{"not too large there", "mad r0.x, vWinCoord0.x, l6.z, l4.y; ftoi r0.x, r0.x",
			"mul r0.x, vWinCoord0.x, l6.z; ftoi r0.x, r0.x; iadd r0.x, r0.x, l0.w", ProvedReal},
		{"too large", "mul r0.x, vWinCoord0.x, l4.w; mad r0.x, r0.x, l5.w, l4.y; ftoi r0.x, r0.x",
			"mul r0.x, vWinCoord0.x, l4.w; mul r0.x, r0.x, l5.w; ftoi r0.x, r0.x; iadd r0.x, r0.x, l0.w", Refuted},
	} {
		t.Run(c.name, func(t *testing.T) {
			kernel := func(body string) string { return psKernel(head + body + tail) }
			r := CheckKernel(parseKernel(t, kernel(c.before)), parseKernel(t, kernel(c.after)), Options{Numerics: Real, Seed: 1})
			if r.Verdict != c.want {
				t.Errorf("%v (%s), want %v", r.Verdict, r.Why, c.want)
			}
		})
	}
}
