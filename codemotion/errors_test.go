package codemotion_test

import (
	"os"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/vsps"
)

// An interpolated value is off by a fraction of its largest value. The pass rejects a motion that makes this
// show where the pixel program amplifies it.
func TestErrors(t *testing.T) {
	const sample = "dcl_2d s0; "
	for _, c := range []struct {
		name, vs, ps string
		mirrored     bool
		left         string // remaining code of the pixel program
		remarks      int
	}{
		{"a sum near the coordinate moves", vs20 + "mov oT0, v1",
			"ps_2_0; def c0, 0.5, 0, 0, 0; dcl t0; " + sample + "add r0, t0, c0.x; texld r0, r0, s0; mov oC0, r0", false,
			"texld r0, t1, s0; mov oC0, r0", 0},
		{"one far from it stays", vs20 + "mov oT0, v1",
			"ps_2_0; def c0, 8, 0, 0, 0; dcl t0; " + sample + "add r0, t0, c0.x; texld r0, r0, s0; mov oC0, r0", false,
			"add r0, t0, c0.x; texld r0, r0, s0; mov oC0, r0", 1},
		{"a sum of constants that is compared stays", vs20 + "mov oT0, v1",
			"ps_2_0; dcl t0; add r0, c0.x, c0.y; add r0, r0, c0.z; cmp r0, r0, t0, t0.wzyx; mov oC0, r0", true,
			"add r0, c0.x, c0.y; add r0, r0, c0.z; cmp r0, r0, t0, t0.wzyx; mov oC0, r0", 1},
		{"one that is chosen moves", vs20 + "mov oT0, v1",
			"ps_2_0; dcl t0; add r0, c0.x, c0.y; add r0, r0, c0.z; cmp r0, t0, r0, t0.wzyx; mov oC0, r0", true,
			"mov r0, t0; cmp r1, r0, t1, r0.wzyx; mov oC0, r1", 0},
		{"one that is added moves", vs20 + "mov oT0, v1",
			"ps_2_0; dcl t0; " + sample + "add r0, c0.x, c0.y; add r0, r0, c0.z; texld r1, t0, s0; add r0, r1, r0; mov oC0, r0", true,
			"texld r1, t0, s0; add r0, r1, t1; mov oC0, r0", 0},
	} {
		p := pair{parse(t, c.vs), parse(t, c.ps)}
		q, _, report := run(t, p, c.mirrored, codemotion.Pass)
		if got := code(q.ps); got != c.left {
			t.Errorf("%s: pixel program\n%s\nwant\n%s\n%v", c.name, got, c.left, report.Remarks)
		}
		n := 0
		for _, r := range report.Remarks {
			if r.Code == "rounding" {
				n++
			}
		}
		if n != c.remarks {
			t.Errorf("%s: %d remarks, want %d", c.name, n, c.remarks)
		}
	}
}

// At least four of five motions over the corpus do not increase errors, and are made.
func TestMotionsRemain(t *testing.T) {
	dirs := testcorpus.EveryNth(testcorpus.Glob(t, "corpus/d3d9/pairs/*"), 3)
	for _, mirrored := range []bool{false, true} {
		made, given, pairs, kept := 0, 0, 0, 0
		for _, dir := range dirs {
			p := pair{read(t, dir+"/vs.vso"), read(t, dir+"/ps.pso")}
			u := p.unit(t)
			report, err := passes.Run(u, passes.Pipeline{{Pass: codemotion.Pass}},
				passes.Config{Numerics: passes.Real, HostMirrored: mirrored, Measure: p.measure})
			if err != nil {
				t.Fatal(err)
			}
			made += report.Steps
			n := 0
			for _, r := range report.Remarks {
				if r.Code == "rounding" {
					n++
				}
			}
			given += n
			if report.Steps > 0 || n > 0 {
				pairs++
			}
			if report.Steps > 0 {
				kept++
			}
		}
		t.Logf("mirrored %v: %d motions in %d pairs are made, %d given up; %d pairs have any", mirrored, made, kept, given,
			pairs)
		if 5*made < 4*(made+given) {
			t.Errorf("mirrored %v: %d of %d motions are given up", mirrored, given, made+given)
		}
	}
}

func read(t *testing.T, path string) *d3d9.Program {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d3d9.Read(path, data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := vsps.Lift(p); err != nil {
		t.Fatal(err)
	}
	return p
}
