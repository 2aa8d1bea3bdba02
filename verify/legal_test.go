package verify_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify"
)

var (
	legal     = flag.Int("legal", testcorpus.Count(200, 1000), "number of rewrites by laws that TestLegalRewrites makes")
	legalSeed = flag.Int("legalseed", 7, "the seed of what stands around them")
)

// number is a small random generator, whose numbers do not change with the library's.
type number uint64

func (n *number) below(k int) int {
	*n = *n*6364136223846793005 + 1442695040888963407
	return int(uint64(*n) >> 33 % uint64(k))
}

// Statements that may surround a law. A statement can read one constant and one input at a time.
var (
	anyBefore = []string{
		"mad r0, r0, c0, r1", "add r1, r0, -r2", "mul r2, r1, r2", "mad r0, r1, c1.x, r2", "add r0, r0, c2", "mul r1, r1, c3.y",
		"dp3 r0, r0, r1", "dp4 r2, r2, c1", "mov r2, -r2", "add r2, r0, r1", "mul r0, r0.yzxw, r1.x", "mov r1, r2.wzyx",
		"lrp r2, r0, r1, r2", "mov r0, r0_abs", "mad r1, r1, r1, c20.y",
	}
	pixelBefore  = []string{"texld r2, v1, s0", "texld r0, v2, s0", "cmp r0, r1, r0, r2", "dp2add r0, r0, r1, c0.x"}
	vertexBefore = []string{"mul r0, r0, v0.x", "m4x4 r4, r1, c4; mov r1, r4"}
	// Statements that turn many numbers into zeros precede only laws that hold for all numbers.
	clamping       = []string{"max r0, r0, r1", "min r1, r1, c20.y"}
	pixelClamping  = []string{"mov_sat r1, r1", "cmp r2, r0, r2, c20.x"}
	vertexClamping = []string{"slt r1, r1, r0", "sge r2, r2, c2"}
	anyAfter       = []string{
		"mul r3, r3, c1", "mad r3, r3, r0, r1", "add r3, r3, -r2", "mul r3, r3, r3", "dp4 r3, r3, c2", "mad r3, r3.x, r1, r0", "lrp r3, r3, r0, r1", "mov r3, r3.yzxw",
		"add r4, r3, c0; mul r3, r4, r2", "max r3, r3, r0", "min r3, r3, c20.y", "mov r3, -r3",
	}
	pixelAfter = []string{"mov_sat r3, r3", "cmp r3, r3, r0, r1", "texldl r3, r3, s0", "mul r3, r3, v3",
		"dp2add r3, r3, r0, r1.x"}
	vertexAfter = []string{"slt r4, r3, c2; mul r3, r4, r3", "m4x4 r4, r3, c4; mov r3, r4", "mul r3, r3, v0"}
)

func some(n *number, most int, lists ...[]string) (out []string) {
	for range n.below(most + 1) {
		list := lists[n.below(len(lists))]
		out = append(out, strings.Split(list[n.below(len(list))], "; ")...)
	}
	return out
}

// rewrite is a pair of programs; the second may replace the first.
type rewrite struct {
	name          string
	before, after verify.Pair
}

// byLaw returns n rewrites by laws in random surroundings.
func byLaw(t *testing.T, n int) (list []rewrite) {
	r := number(*legalSeed)
	for i := range n {
		l := &verify.LawTable[i%len(verify.LawTable)]
		before, after := [][]string{anyBefore, pixelBefore, pixelClamping, clamping}, [][]string{anyAfter, pixelAfter}
		if l.Vertex() {
			before, after = [][]string{anyBefore, vertexBefore, vertexClamping, clamping}, [][]string{anyAfter, vertexAfter}
		}
		if l.Where != verify.Everywhere {
			before = before[:2]
		}
		c := verify.LawContext{Before: some(&r, 3, before...), After: some(&r, 3, after...)}
		sides := [2]string{l.Left, l.Right}
		k := r.below(2)
		w := rewrite{name: l.Name + ": " + strings.Join(c.Before, "; ") + " | " + strings.Join(c.After, "; ")}
		for j, p := range []*verify.Pair{&w.before, &w.after} {
			q, err := d3d9.Parse(l.Name, []byte(l.Program(sides[j^k], c)))
			if err != nil {
				t.Fatalf("%v\n%s", err, l.Program(sides[j^k], c))
			}
			if l.Vertex() {
				p.Vertex = q
			} else {
				p.Pixel = q
			}
		}
		list = append(list, w)
	}
	return list
}

// judge counts the rewrites that are proved, at least over the reals, and reports the others.
func judge(t *testing.T, list []rewrite) {
	bad := 0
	for _, w := range list {
		rep := verify.Check(w.before, w.after, verify.Options{Numerics: verify.Real, Brief: !testcorpus.Whole})
		if !rep.Unstable && rep.Verdict != verify.Proved && rep.Verdict != verify.ProvedReal {
			bad++
			t.Logf("%s: %v: %s", w.name, rep.Verdict, rep.Why)
		}
		if rep.Verdict == verify.Refuted {
			t.Errorf("%s is refuted: %s", w.name, rep.Why)
		}
	}
	t.Logf("%d of %d rewrites are not proved", bad, len(list))
	if 100*bad > len(list) {
		t.Errorf("%d of %d legal rewrites are not proved, more than 1 %%", bad, len(list))
	}
}

// TestLegalRewrites checks that at least 99 % of rewrites by laws in random surroundings are proved over the
// reals.
func TestLegalRewrites(t *testing.T) {
	t.Parallel()
	judge(t, byLaw(t, *legal))
}

// read parses the programs of files; either name may be empty.
func read(t *testing.T, vertex, pixel string) (p verify.Pair) {
	t.Helper()
	for name, to := range map[string]**d3d9.Program{vertex: &p.Vertex, pixel: &p.Pixel} {
		if name == "" {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if *to, err = d3d9.Read(name, data); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// TestByHand checks that rewrites by hand are proved.
func TestByHand(t *testing.T) {
	dir := testcorpus.Path(t, "corpus/d3d9/probes")
	for _, c := range []struct {
		vertex, pixel, handVertex, handPixel string
		uploads                              []verify.Upload
	}{
		{"", "lights3.psh", "", "lights3.psh", nil},
		{"", "literal-moves.psh", "", "literal-moves.psh", nil},
		{"", "saturate.psh", "", "saturate.psh", nil},
		{"", "shared-factor.psh", "", "shared-factor.psh", nil},
		{"copied-coordinate.vsh", "copied-coordinate.psh", "copied-coordinate.vsh", "copied-coordinate.psh", nil},
		{"", "box12.psh", "", "box12-separate.psh", nil},
		{"box12.vsh", "box12.psh", "box12-mirrored.vsh", "box12-mirrored.psh",
			[]verify.Upload{{From: 0, To: 10}, {From: 1, To: 11}, {From: 2, To: 12},
				{From: 3, To: 13}, {From: 4, To: 14}, {From: 5, To: 15}, {From: 6, To: 16}}},
	} {
		at := func(folder, name string) string {
			if name == "" {
				return ""
			}
			return filepath.Join(dir, folder, name)
		}
		before, after := read(t, at("", c.vertex), at("", c.pixel)), read(t, at("by-hand", c.handVertex),
			at("by-hand", c.handPixel))
		rep := verify.Check(before, after, verify.Options{Numerics: verify.Real, Uploads: c.uploads})
		if rep.Verdict != verify.Proved && rep.Verdict != verify.ProvedReal {
			t.Errorf("%s: %v: %s", c.handPixel, rep.Verdict, rep.Why)
		}
	}
}
