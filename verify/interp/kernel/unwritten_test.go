package kernel

import (
	"slices"
	"testing"
)

// TestUnwritten checks that registers initially hold zeros, or words that depend on the seed and their
// names.
func TestUnwritten(t *testing.T) {
	p := compile(t, "il_ps_2_0\ndcl_output_generic o0\ndcl_output_generic o1\nmov o0.xyz, r5\nmov o1, r6\nend")
	run := func(seed uint64) *Result {
		r, err := p.Run(&Case{Width: 8, Height: 8}, Options{Unwritten: seed})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := run(0); slices.Max(r.Out[0]) != 0 {
		t.Errorf("registers hold %x", slices.Max(r.Out[0]))
	}
	for seed, most := range map[uint64]uint32{1: 7, 2: 0x3fffffff, 3: 1<<32 - 1, 5: 7} {
		a, b := run(seed), run(seed)
		if !slices.Equal(a.Out[0], b.Out[0]) {
			t.Errorf("seed %d gives different words", seed)
		}
		if slices.Equal(a.Out[0], a.Out[1]) || slices.Max(a.Out[0]) > most {
			t.Errorf("seed %d gives two registers the same words, or some above %x", seed, most)
		}
	}
}
