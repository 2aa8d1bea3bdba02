package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

func parseProgram(t *testing.T, name, src string) *d3d9.Program {
	t.Helper()
	p, err := d3d9.Parse(name, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCounterexampleOfProgram checks the counterexample of a lone program. It has the inputs of its quad, the
// constants that the program reads and does not define, and the first statements that differ. Both versions
// give the reported values when they run on it.
func TestCounterexampleOfProgram(t *testing.T) {
	const head = "ps_2_0\ndef c1, 0.25, 0.5, 1, 0\ndcl t0\ndcl t1\ndcl_2d s0\n"
	before := parseProgram(t, "before.psh",
		head+"texld r3, t1, s0\nadd r0, t0, c0\nmul r1, r0, c1.y\nmad r1, r1, r3, t0\nmov oC0, r1\n")
	after := parseProgram(t, "after.psh", head+
		"texld r3, t1, s0\nadd r0, t0, c0\nmul r1, r0, c1.x\nmad r1, r1, r3, t0\nmov oC0, r1\n")
	r := verify.Check(verify.Pair{Pixel: before}, verify.Pair{Pixel: after}, verify.Options{Numerics: verify.Real})
	x := r.Counterexample
	if r.Verdict != verify.Refuted || x == nil {
		t.Fatalf("%v: %s", r.Verdict, r.Why)
	}
	if strings.Contains(x.Input, "c1") || !strings.Contains(x.Input, "c0 ") {
		t.Errorf("inputs\n%s", x.Input)
	}
	for i, want := range []string{"before.psh:8:1", "after.psh:8:1"} {
		if got := x.First[i].String(); got != want {
			t.Errorf("side %d parts at %s, want %s", i, got, want)
		}
	}
	c, err := interp.ParseCase("x.case", x.Case)
	if err != nil {
		t.Fatalf("%v\n%s", err, x.Case)
	}
	if c.Pixel.Int != [16][4]int32{} || c.Pixel.Bool != [16]bool{} || c.Pixel.Float[0] == [4]float32{} ||
		len(c.Pixel.Float) > 1 {
		t.Errorf("constants %+v", c.Pixel)
	}
	for i, p := range []*d3d9.Program{before, after} {
		s, err := interp.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		res, n, err := s.Invoke(c, interp.Numerics{})
		if err != nil || n != 4 {
			t.Fatal(n, err)
		}
		want := [2]float32{x.Before, x.After}[i]
		if lane := lane(t, x.Where); res.Out[0][strings.IndexByte("xyzw", x.Output[len(x.Output)-1])][lane] != want {
			t.Errorf("%s is not %v: %v", x.Output, want, res.Out[0])
		}
	}
}

// lane returns the place within its quad of the invocation in "invocation N".
func lane(t *testing.T, where string) int {
	t.Helper()
	n := 0
	if _, err := fmt.Sscanf(where, "invocation %d", &n); err != nil {
		t.Fatal(where)
	}
	return n % 4
}

// TestCounterexampleOfPair checks that the counterexample of a pair is a draw, and of a kernel a launch.
func TestCounterexampleOfPair(t *testing.T) {
	vs := parseProgram(t, "a.vsh", "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n")
	before := parseProgram(t, "b.psh", "ps_2_0\ndcl t0\nmul r0, t0, t0\nadd r0, r0, t0\nmov oC0, r0\n")
	after := parseProgram(t, "c.psh", "ps_2_0\ndcl t0\nmul r0, t0, t0\nadd r0, r0, -t0\nmov oC0, r0\n")
	r := verify.Check(verify.Pair{Vertex: vs, Pixel: before}, verify.Pair{Vertex: vs, Pixel: after},
		verify.Options{Numerics: verify.Real})
	x := r.Counterexample
	if x == nil || x.First[0].String() != "b.psh:4:1" || x.First[1].String() != "c.psh:4:1" {
		t.Fatalf("%+v", x)
	}
	if _, err := interp.ParseCase("x.case", x.Case); err != nil || !strings.HasPrefix(string(x.Case), "# pixel (") {
		t.Errorf("%v\n%s", err, x.Case)
	}
}

func TestCounterexampleOfKernel(t *testing.T) {
	parse := func(src string) *il.Kernel {
		k, err := il.Parse("a.il", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	const src = "il_ps_2_0\ndcl_input_position_interp(linear_noperspective) vWinCoord0.xy__\ndcl_output_generic o0\ndcl_cb cb0[1]\nadd r0, vWinCoord0.xyxy, cb0[0]\nmov o0, r0\nendmain\nend\n"
	r := verify.CheckKernel(parse(src), parse(strings.Replace(src, "add", "mul", 1)),
		verify.Options{Numerics: verify.Real})
	x := r.Counterexample
	if x == nil {
		t.Fatalf("%v: %s", r.Verdict, r.Why)
	}
	if _, err := kernel.ParseCase("x.case", x.Case); err != nil || !strings.HasPrefix(string(x.Case), "# element (") {
		t.Errorf("%v\n%s", err, x.Case)
	}
}
