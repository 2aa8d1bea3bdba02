package spirv

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// Modules have the same results after spirv-opt -O, up to roundings, which other forms of the code take other paths to.
func TestOptimized(t *testing.T) {
	opt, err := exec.LookPath("spirv-opt")
	if err != nil {
		t.Skip("spirv-opt is not installed")
	}
	out := filepath.Join(t.TempDir(), "out.spv")
	all, same := 0, 0
	for _, path := range testcorpus.EveryNth(testcorpus.Glob(t, "corpus/spirv/*/*.spv"), 25) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(data, "", nil)
		if err != nil || exec.Command(opt, "-O", path, "-o", out).Run() != nil {
			continue
		}
		if data, err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
		q, err := Compile(data, "", nil)
		if err != nil {
			t.Errorf("%s after spirv-opt: %v", path, err)
			continue
		}
		all++
		if n := roughDifferences(t, p, q); n > 0 {
			t.Logf("%s: %d invocations differ", path, n)
			continue
		}
		same++
	}
	if t.Logf("%d of %d modules have the same results", same, all); same*100 < 97*all {
		t.Errorf("%d of %d modules have the same results", same, all)
	}
}

// roughDifferences counts results of a batch that are defined before and differ by more than roundings.
func roughDifferences(t *testing.T, before, after *Program) (n int) {
	b := randomBatch(before, 3)
	filled := func(p *Program, fill uint64) *Result {
		env := testEnv()
		env.Fill = fill
		return runs(t, p, env, translate(b, before, p))
	}
	x, y := filled(before, 1), filled(after, 1)
	undefined := x.Undefined | x.Unfinished | y.Unfinished
	// Operations such as clamps absorb many fillings, so a few are not enough.
	for fill := range uint64(8) {
		again := filled(before, fill)
		for i := range x.Out {
			for lane := range Lanes {
				if x.Out[i][lane] != again.Out[i][lane] {
					undefined |= 1 << lane
				}
			}
		}
	}
	for lane := range Lanes {
		if undefined>>lane&1 == 0 && !roughlySame(before, after, x, y, lane) {
			n++
		}
	}
	return n
}

// roughlySame reports whether an invocation has the same results up to roundings. Infinities and NaN agree with all numbers.
func roughlySame(p, q *Program, x, y *Result, lane int) bool {
	if (x.Killed^y.Killed)>>lane&1 != 0 {
		return false
	}
	for i, c := range p.Outputs() {
		for k, d := range q.Outputs() {
			v, w := x.Out[i][lane], y.Out[k][lane]
			if c.String() == d.String() && v != w && (c.Kind != Float || !near(v, w) && float(v)-float(v) == 0) {
				return x.Killed>>lane&1 != 0
			}
		}
	}
	return true
}
