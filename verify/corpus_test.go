package verify

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// namedPair is a pair of the corpus.
type namedPair struct {
	name string
	Pair
}

// corpusPairs reads every n-th pair of the corpus, or skips the test.
func corpusPairs(t testing.TB, n int) []namedPair {
	t.Helper()
	return readPairs(t, testcorpus.Glob(t, "corpus/d3d9/pairs/*"), n)
}

func readPairs(t testing.TB, dirs []string, n int) (list []namedPair) {
	t.Helper()
	for i := 0; i < len(dirs); i += n {
		list = append(list, namedPair{filepath.Base(dirs[i]), Pair{
			Vertex: readProgram(t, filepath.Join(dirs[i], "vs.vso")), Pixel: readProgram(t, filepath.Join(dirs[i], "ps.pso")),
		}})
	}
	return list
}

func readProgram(t testing.TB, file string) *d3d9.Program {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d3d9.Read(file, data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// clone copies a program so that its statements can be changed.
func clone(p *d3d9.Program) *d3d9.Program {
	q := *p
	q.Insts = append([]d3d9.Inst(nil), p.Insts...)
	return &q
}

// commute exchanges the factors or summands of every sum and product, and counts these instructions.
func commute(p *d3d9.Program) (*d3d9.Program, int) {
	q, n := clone(p), 0
	for i := range q.Insts {
		in := &q.Insts[i]
		switch in.Op {
		case d3d9.OpAdd, d3d9.OpMul, d3d9.OpMad, d3d9.OpDp3, d3d9.OpDp4:
			in.Src[0], in.Src[1] = in.Src[1], in.Src[0]
			in.Raw, in.Text = nil, ""
			n++
		}
	}
	return q, n
}

func TestCorpusCommuted(t *testing.T) {
	for _, p := range corpusPairs(t, 8) {
		vs, n := commute(p.Vertex)
		ps, m := commute(p.Pixel)
		if n+m == 0 {
			continue
		}
		if r := Check(p.Pair, Pair{Vertex: vs, Pixel: ps}, Options{Numerics: Terms, Seed: 7}); r.Verdict != Proved {
			t.Errorf("%s: %v: %s", p.name, r.Verdict, r.Why)
		}
	}
}

// split splits every mad that writes a whole temporary into mul and add.
func split(p *d3d9.Program) (*d3d9.Program, int) {
	q, n := *p, 0
	q.Insts = nil
	for _, in := range p.Insts {
		reads := false
		for _, s := range in.Sources() {
			reads = reads || s.Reg == in.Dst.Reg
		}
		if in.Op != d3d9.OpMad || in.Dst.File != d3d9.Temp || reads || in.Dst.Mods&d3d9.Saturate != 0 || in.HasPred {
			q.Insts = append(q.Insts, in)
			continue
		}
		n++
		mul, add := in, in
		mul.Op, mul.NSrc, mul.Raw, mul.Text = d3d9.OpMul, 2, nil, ""
		mul.Src[2] = d3d9.Src{}
		add.Op, add.NSrc, add.Raw, add.Text = d3d9.OpAdd, 2, nil, ""
		add.Src = [4]d3d9.Src{{Reg: in.Dst.Reg, Swz: d3d9.Identity}, in.Src[2]}
		add.Dst.Mods, mul.Dst.Mods = 0, 0
		q.Insts = append(q.Insts, mul, add)
	}
	return &q, n
}

// TestCorpusSplit checks that splitting a mad keeps its value over the reals and changes its term.
func TestCorpusSplit(t *testing.T) {
	verdicts := map[Verdict]int{}
	for _, p := range corpusPairs(t, 8) {
		ps, n := split(p.Pixel)
		if n == 0 {
			continue
		}
		r := Check(p.Pair, Pair{Vertex: p.Vertex, Pixel: ps}, Options{Numerics: Real, Seed: 7})
		verdicts[r.Verdict]++
		if r.Verdict != ProvedReal {
			t.Errorf("%s: %v: %s", p.name, r.Verdict, r.Why)
		}
	}
	t.Logf("%v", verdicts)
}
