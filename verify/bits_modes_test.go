package verify_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/verify"
)

// TestBitsAreIEEE checks that equality of bits refers to IEEE arithmetic at any effort: there x*1 is x, and
// x+0 is not. Terms are the same in any arithmetic.
func TestBitsAreIEEE(t *testing.T) {
	const head = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\ndef c0, 1, 0, 0, 0\nmov oPos, v0\n"
	before := verify.Pair{Vertex: parseProgram(t, "a", head+"mul oT0, v1, c0.x\n")}
	for text, want := range map[string]verify.Verdict{"mov oT0, v1\n": verify.Tested,
		"add oT0, v1, c0.y\n": verify.Refuted} {
		after := verify.Pair{Vertex: parseProgram(t, "a", head+text)}
		for _, effort := range []verify.Effort{verify.Quick, verify.Full} {
			if r := verify.Check(before, after, verify.Options{Numerics: verify.Bits, Effort: effort}); r.Verdict != want {
				t.Errorf("%s: %s with effort %v, not %s: %s", text, r.Verdict, effort, want, r.Why)
			}
		}
	}
}
