package verify

import (
	"strings"
	"testing"
)

// TestSincosConstants checks that the constants of a sincos below 3.0 count, though neither the lift nor the
// interpreter reads them.
func TestSincosConstants(t *testing.T) {
	const (
		first  = "def c0, -1.5500992e-06, -2.170139e-05, 0.0026041667, 0.00026041668"
		second = "def c1, -0.020833334, -0.125, 1, 0.5"
		code   = "dcl_position v0; sincos r0.xy, v0.x, c0, c1; mov oPos, v0; mov oT0, r0.xyxy"
	)
	proper := "vs_2_0;" + first + ";" + second + ";" + code
	for _, c := range []struct {
		name, before, after string
		ok                  bool
	}{
		{"another value", proper, strings.Replace(proper, "-1.55", "1.55", 1), false},
		{"exchanged", proper, strings.Replace(proper, "c0, c1", "c1, c0", 1), false},
		{"in other registers", proper, strings.NewReplacer("c0", "c4", "c1", "c7").Replace(proper), true},
		{"the host's", proper, "vs_2_0;" + first + ";" + code, false},
		{"the host's on both sides", "vs_2_0;" + code,
			"vs_2_0;" + strings.Replace(code, "mov oPos, v0", "mov oPos.xy, v0; mov oPos.zw, v0", 1), true},
		{"now defined: with others it is no sine", "vs_2_0;" + code, proper, true},
	} {
		rep := Check(pairOf(t, c.before, ""), pairOf(t, c.after, ""), Options{Numerics: Real})
		if rep.Verdict.OK() != c.ok {
			t.Errorf("%s: %v %s", c.name, rep.Verdict, rep.Why)
		}
	}
}
