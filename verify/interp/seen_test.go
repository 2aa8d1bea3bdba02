package interp

import "testing"

// TestSeen checks that the record grows with new behaviour, and marks wild invocations.
func TestSeen(t *testing.T) {
	s := mustCompile(t, mustParse(t, "ps_3_0\ndcl_texcoord v0\ndef c9, 1, 2, 0, 0\nrcp r0, v0.x\nmov r1, c9.x\nif_gt v0.y, r1.x\nadd r0, r0, r1\nendif\nmov oC0, r0\n"))
	seen := NewSeen()
	run := func(x, y float32) (fresh int) {
		before := seen.Fresh
		seen.Forget()
		in := Words{{x, x, x, x}, {y, y, y, y}, {0, 0, 0, 0}, {0, 0, 0, 0}}
		if _, err := s.Run(&Env{Seen: seen}, 4, []Words{in}); err != nil {
			t.Fatal(err)
		}
		return seen.Fresh - before
	}
	if run(2, 0) == 0 || run(2, 0) != 0 {
		t.Error("the first run is all new, and the second the same")
	}
	if run(4, 0) != 0 {
		t.Error("another number of the same kind is new")
	}
	if run(-2, 0) == 0 || run(2, 3) == 0 {
		t.Error("a negative number and the other side of a branch are not new")
	}
	if len(seen.Wild) != 0 {
		t.Error("numbers are wild")
	}
	left := append([]uint64(nil), seen.Left...)
	if run(0, 3); !seen.Wild[0] || !seen.Wild[3] {
		t.Error("a division by zero is not wild")
	}
	same := len(left) == len(seen.Left)
	for k := range left {
		same = same && left[k] == seen.Left[k]
	}
	if same {
		t.Error("other numbers have the same digests")
	}
}

// TestSeenSaturated checks that an infinite value is wild even if a saturation makes it 1, in both forms of
// a statement.
func TestSeenSaturated(t *testing.T) {
	for _, src := range []string{"rcp_sat r0, v0.x", "setp_gt p0, v0.y, c9.x\n(p0) rcp_sat r0, v0.x",
		"if_gt v0.y, c9.x\nrcp_sat r0, v0.x\nendif", "mad_sat r0, v0, c8.x, c9"} {
		s := mustCompile(t, mustParse(t, "ps_3_0\ndcl_texcoord v0\ndef c8, 1e15, 0, 0, 0\ndef c9, 0, 1, 0, 0\nmov r0, c9\n"+
			src+"\nmov oC0, r0\n"))
		seen := NewSeen()
		in := Words{{0, 2, 9e3, 2}, {1, 1, 1, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}
		if _, err := s.Run(&Env{Seen: seen}, 4, []Words{in}); err != nil {
			t.Fatal(err)
		}
		reciprocal := src[:3] != "mad"
		if seen.Wild[0] != reciprocal || seen.Wild[1] || seen.Wild[2] == reciprocal {
			t.Errorf("%s: wild is %v", src, seen.Wild)
		}
	}
}
