package verify_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// TestPositionsCancel passes a position on to the pixel program. Its interpolation is the place of the pixel,
// whatever the vertices are. In a row of pixels, here the row at 9 of 32, a sum with a constant cancels. Only
// perturbed positions show the effect of the vertices' roundings there.
func TestPositionsCancel(t *testing.T) {
	before := verify.Pair{
		Vertex: parseProgram(t, "a", "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, v0\n"),
		Pixel:  parseProgram(t, "a", "ps_2_0\ndcl t0\ndef c0, -0.28125, -0.28125, 0, 0\nadd r0, t0, c0\nmov oC0, r0\n"),
	}
	draw, err := interp.ParseCase("a.case",
		[]byte("size 32 32\nprim tris\nattr position 0 4 -0.9137 -0.8719 0.3 1 0.0331 0.9641 0.3 1 0.9523 -0.7791 0.3 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		constant string
		want     verify.Verdict
	}{{"def c0, -0.28125, -0.28125, 0, 0\n", verify.ProvedReal}, {"def c0, -0.28125, -0.281, 0, 0\n", verify.Refuted}} {
		after := verify.Pair{Vertex: parseProgram(t, "a",
			"vs_2_0\ndcl_position v0\n"+c.constant+
				"mov oPos, v0\nadd oT0, v0, c0\n"), Pixel: parseProgram(t, "a", "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n")}
		r := verify.Check(before, after, verify.Options{Numerics: verify.Real, Cases: []*interp.Case{draw}})
		if r.Verdict != c.want {
			t.Errorf("%s: %s, not %s: %s", c.constant, r.Verdict, c.want, r.Why)
		}
	}
}

// TestRoundingsCancel checks versions that are equal over the reals. One of them cancels rounded numbers, so
// that a few pixels differ. 1 - x is rounded to 1/2 if x is half a unit below it. The inputs only choose x,
// so that no perturbation of them shows the effect of another rounding.
func TestRoundingsCancel(t *testing.T) {
	vertex := parseProgram(t, "a", "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, v0\n")
	draw, err := interp.ParseCase("a.case",
		[]byte("size 32 32\nprim tris\nattr position 0 4 -0.9137 -0.8719 0.3 1 0.0331 0.9641 0.3 1 0.9523 -0.7791 0.3 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	const head = "ps_2_0\ndcl t0\ndef c0, 0.49999997, 0.25, 1, -0.5\ndef c1, 0.5, -0.8, 0.1, 0\nadd r0.x, t0.y, c1.y\ncmp r0, r0.x, c0.x, c0.y\n"
	before := verify.Pair{Vertex: vertex, Pixel: parseProgram(t, "a",
		head+"sub r0, c0.z, r0\nadd r0, r0, c0.w\nmov oC0, r0\n")}
	for _, c := range []struct {
		text string
		want verify.Verdict
	}{{"sub r0, c1.x, r0\n", verify.ProvedReal}, {"sub r0, c1.x, r0\nmad r0, c1.z, c1.z, r0\n", verify.Refuted}} {
		after := verify.Pair{Vertex: vertex, Pixel: parseProgram(t, "a", head+c.text+"mov oC0, r0\n")}
		r := verify.Check(before, after, verify.Options{Numerics: verify.Real, Cases: []*interp.Case{draw}})
		if r.Verdict != c.want {
			t.Errorf("%s: %s, not %s: %s", c.text, r.Verdict, c.want, r.Why)
		}
	}
}
