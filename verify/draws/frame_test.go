package draws_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/verify/draws"
)

// TestRandomWithDefinedRows checks that a draw neither changes the rows of a matrix that the program
// defines nor the vector that a matrix multiplies.
func TestRandomWithDefinedRows(t *testing.T) {
	for name, vs := range map[string]string{
		"the last row":   "vs_2_0\ndef c15, -1, 0, 0, 0\ndcl_position v0\nm4x4 oPos, v0, c12\n",
		"the first row":  "vs_2_0\ndef c12, -1, 0, 0, 0\ndcl_position v0\nm4x4 oPos, v0, c12\n",
		"all rows":       "vs_2_0\ndef c0, 1, 0, 0, 0\ndef c1, 0, 1, 0, 0\ndef c2, 0, 0, 1, 0\ndef c3, 0, 0, 0, 1\ndcl_position v0\nm4x4 oPos, v0, c0\n",
		"row by row":     "vs_2_0\ndef c9, 0, 0, 0, -1\ndcl_position v0\ndp4 oPos.x, v0, c0\ndp4 oPos.y, v0, c1\ndp4 oPos.z, v0, c2\ndp4 oPos.w, v0, c9\n",
		"a vector of it": "vs_2_0\ndef c9, 1, 1, 1, 1\ndcl_position v0\nm4x4 oPos, c9, c2\n",
	} {
		for seed := range uint64(20) {
			// The test does not require a draw: such rows can make it impossible.
			if c, _, err := draws.Random(parse(t, vs), parse(t, "ps_2_0\nmov r0, c0\nmov oC0, r0\n"), seed); err == nil &&
				c == nil {
				t.Errorf("%s: neither a draw nor an error", name)
			}
		}
	}
}
