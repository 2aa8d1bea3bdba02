package verify

import "testing"

// TestFewWords checks a kernel in which one invocation writes. Its difference shows in few words of memory,
// which are all that it writes. If a proof accepts a badly conditioned version, this does not refute it.
func TestFewWords(t *testing.T) {
	const head = "dcl_literal l6, 0x4c000000, 0x40000000, 0, 0; "
	write := func(body string) string {
		return csKernel(head + "if_logicalz r11.x; mov r0, g[0]; " + body + " mov g[1], r0; endif")
	}
	for _, c := range []struct {
		name, before, after string
		want                Verdict
	}{
		{"twice as much", write("add r0, r0, r0;"), write("mul r0, r0, r0;"), Refuted},
		{"twice as much, in other words", write("add r0, r0, r0;"), write("mul r0, r0, l6.y;"), ProvedReal},
		{"less precisely", write("mov r1, r0;"), write("add r0, r0, l6.x; sub r0, r0, l6.x;"), Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := CheckKernel(parseKernel(t, c.before), parseKernel(t, c.after), Options{Numerics: Real, Seed: 1})
			if r.Verdict != c.want {
				t.Errorf("%v (%s), want %v", r.Verdict, r.Why, c.want)
			}
		})
	}
}
