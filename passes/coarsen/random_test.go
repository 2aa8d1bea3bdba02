package coarsen_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/algebra"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/coarsen"
	"github.com/shaderlift/shaderlift/verify"
)

// verdicts counts the outcomes of kernels.
type verdicts map[string]int

// coarsened coarsens k with a pipeline under class and verifies the result.
func (n verdicts) coarsened(t *testing.T, name string, k *il.Kernel, pipeline string, class passes.Class) {
	t.Helper()
	f, err := amdil.Lift(k)
	if err != nil {
		return
	}
	p, err := passes.Parse(pipeline, []*passes.Pass{coarsen.Pass, algebra.Fold, cleanup.GVN, cleanup.DCE})
	if err != nil {
		t.Fatal(err)
	}
	u := &passes.Unit{Kernel: f}
	report, err := passes.Run(u, p, passes.Config{Numerics: class})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if !u.Tile.Coarse() {
		if len(report.Remarks) == 0 {
			t.Errorf("%s is declined without a reason", name)
		}
		n["declined"]++
		return
	}
	out, err := amdil.Emit(k, u.Kernel)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	r := verify.CheckKernel(k, out, verify.Options{Numerics: class, Tile: u.Tile, Brief: true})
	n[r.Verdict.String()]++
	if r.Verdict == verify.Refuted {
		t.Errorf("%s, %v: %v, %s\n%s\n%s", name, u.Tile, r.Verdict, r.Why, il.Print(k), il.Print(out))
	}
}

var tilings = []string{"coarsen{x=2}", "coarsen{y=2},gvn,dce", "coarsen{x=2,y=2},fold,gvn,dce",
	"coarsen{x=4,y=2},fold,gvn,dce", "coarsen{x=7},gvn,dce"}

// tame lists edits after which a random kernel depends on its position alone. They remove arrays,
// group memory, interpolated inputs and discards, which make the pass decline.
var tame = []struct {
	find *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(?m)^.*(discard|lds|fence|dsx|dsy|uav_(read_)?(add|and|or|xor|sub|min|max|umin|umax|cmp|inc|dec|rsub|mskor|xchg|udec|uinc)|append|dcl_input_generic|dcl_indexed).*$`), ""},
	{regexp.MustCompile(`(?m)^\s*\w+ x[0-9]+\[.*$`), ""},
	{regexp.MustCompile(`\bx[0-9]+\[[^]]*\]`), "r0"},
	{regexp.MustCompile(`\bvObjIndex0|\bv(a|Abs)?Tid(InGrp)?(Flat)?\.x[yz]*\b|\bvThreadGrpI[dD](Flat)?|\bvTGroupid|\bvTidInGrp(Flat)?|\bvFace\b`), "AT"},
	{regexp.MustCompile(`\bv[0-9]+\b`), "l1"},
	{regexp.MustCompile(`\(2d\)`), "(2d,unnorm)"},
	{regexp.MustCompile(`\(1d\)`), "(1d,unnorm)"},
}

// random returns a tamed random kernel, or nil if the edits break it.
func random(seed uint64, o ilgen.Options) *il.Kernel {
	text := string(ilgen.Text(seed, o))
	for _, e := range tame {
		text = e.find.ReplaceAllString(text, e.with)
	}
	at := "vWinCoord0"
	if o.Stage == il.Compute {
		at = "vaTid.x"
		text = regexp.MustCompile(`AT\.[xyzw]+`).ReplaceAllString(text, "AT")
	}
	k, err := il.Parse("random", []byte(strings.ReplaceAll(text, "AT", at)))
	if err != nil || len(il.Check(k)) > 0 {
		return nil
	}
	return k
}

// TestRandom checks that random kernels are declined with a reason or equal a tile of invocations.
func TestRandom(t *testing.T) {
	seeds := 60
	if s := os.Getenv("KERNELS"); s != "" {
		seeds, _ = strconv.Atoi(s)
	}
	n, classes := verdicts{}, [...]passes.Class{passes.Bits, passes.Real}
	for seed := range uint64(seeds) {
		o := ilgen.Options{Stage: il.Stage(seed & 1), Size: int(10 + seed%40), Straight: seed%3 == 0, NoMemory: seed%4 < 2}
		if k := random(seed, o); k != nil {
			n.coarsened(t, strconv.Itoa(int(seed)), k, tilings[seed%uint64(len(tilings))], classes[seed/2%2])
		} else {
			n["broken"]++
		}
	}
	t.Log(n)
	if n["proved"]+n["proved-real"] < seeds/3 || n["unknown"] > n["proved"]/3 {
		t.Error("too few are proved")
	}
}

// TestStoredRandom checks that tiles with stored outputs are proved, and that results with another store are refused.
func TestStoredRandom(t *testing.T) {
	proved, refused, accepted := 0, 0, 0
	for seed := range uint64(testcorpus.Count(36, 72)) {
		o := ilgen.Options{Stage: il.Pixel, Size: int(6 + seed%20), Straight: seed%3 == 0, NoMemory: true}
		k := random(seed, o)
		if k == nil {
			continue
		}
		pipeline := []string{"coarsen{x=4,y=3,width=16,stored=1},gvn,dce", "coarsen{x=3,y=2,width=10,height=7,stored=1},dce"}[seed%2]
		p, err := passes.Parse(pipeline, []*passes.Pass{coarsen.Pass, cleanup.GVN, cleanup.DCE})
		if err != nil {
			t.Fatal(err)
		}
		f, err := amdil.Lift(k)
		if err != nil {
			continue
		}
		u := &passes.Unit{Kernel: f}
		if _, err := passes.Run(u, p, passes.Config{Numerics: passes.Bits}); err != nil {
			t.Fatal(err)
		}
		if !u.Tile.Stored {
			continue
		}
		out, err := amdil.Emit(k, u.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		options := verify.Options{Numerics: passes.Bits, Tile: u.Tile, Brief: true}
		switch r := verify.CheckKernel(k, out, options); {
		case r.Verdict >= verify.ProvedReal:
			proved++
		case r.Verdict == verify.Refuted:
			t.Errorf("%d, %v: %s\n%s\n%s", seed, u.Tile, r.Why, il.Print(k), il.Print(out))
			continue
		default:
			continue
		}
		n, m := passtest.Refused(t, k, out, options, rand.New(rand.NewPCG(seed, 5)), 12)
		refused, accepted = refused+n, accepted+m
	}
	t.Logf("%d proved, %d wrong ones refused, %d accepted", proved, refused, accepted)
	if least := testcorpus.Count(5, 10); proved < least || refused < 8*least {
		t.Errorf("%d proved, %d wrong ones refused, %d accepted", proved, refused, accepted)
	}
}

// TestCorpus checks that kernels of the corpus are proved or declined with a reason.
func TestCorpus(t *testing.T) {
	n := verdicts{}
	for _, file := range testcorpus.EveryNth(testcorpus.Glob(t, "corpus/il/*.il"), 2) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k, err := il.Parse(filepath.Base(file), data)
		if err != nil || len(il.Check(k)) > 0 {
			continue // malformed as found
		}
		n.coarsened(t, filepath.Base(file), k, tilings[0], passes.Bits)
	}
	t.Log(n)
	if n["proved"] < testcorpus.Count(25, 51) {
		t.Errorf("%d are proved", n["proved"])
	}
}
