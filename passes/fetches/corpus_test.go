package fetches_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/fetches"
	"github.com/shaderlift/shaderlift/verify"
)

// group runs the pass over s and checks that the result is the same program and, if it is priced, costs no
// more. It returns the written program. It returns s if nothing changes, or if an unpriced result does not
// fit the model.
func group(t *testing.T, s *passtest.Source, window string,
	measure func(*passes.Unit) (passes.Cost, error)) *passtest.Source {
	t.Helper()
	u, err := s.Lift()
	if err != nil {
		return s
	}
	p := passes.Pipeline{{Pass: fetches.Group, Settings: []passes.Setting{{Name: "window", Value: window}}}}
	report, err := passes.Run(u, p, passes.Config{Measure: measure, Unfit: true})
	if err != nil {
		t.Errorf("%s, window=%s: %v", s.Name, window, err)
		return s
	}
	switch report.Stats[0].Outcome {
	case passes.Reverted:
		t.Errorf("%s, window=%s: %v", s.Name, window, report.Remarks)
		return s
	case passes.Unchanged:
		return s
	}
	out, err := s.Emit(u)
	if err != nil {
		if measure != nil {
			t.Errorf("%s, window=%s: %v", s.Name, window, err)
		}
		return s
	}
	if again, err := passes.Run(u, p, passes.Config{Measure: measure, Unfit: true}); err != nil ||
		again.Steps > 0 && measure == nil {
		t.Errorf("%s, window=%s: %d steps the second time, %v", s.Name, window, again.Steps, err)
	}
	o := verify.Options{Numerics: verify.Terms}
	var r verify.Report
	if s.Kernel != nil {
		r = verify.CheckKernel(s.Kernel, out.Kernel, o)
	} else {
		r = verify.Check(verify.Pair{Vertex: s.Vertex, Pixel: s.Pixel}, verify.Pair{Vertex: out.Vertex, Pixel: out.Pixel}, o)
	}
	if r.Verdict == verify.Refuted {
		t.Errorf("%s, window=%s: refuted: %s", s.Name, window, r.Why)
	} else if !r.Verdict.OK() {
		t.Logf("%s, window=%s: %v: %s", s.Name, window, r.Verdict, r.Why)
	}
	return out
}

// shape describes the order of the texture reads of a pixel program.
type shape struct {
	runs         int // of adjacent reads
	indirections int // phases of texture reads followed by arithmetic, as a driver for R300 counts
	temps        int
}

func (x *shape) add(y shape) {
	x.runs, x.indirections, x.temps = x.runs+y.runs, x.indirections+y.indirections, x.temps+y.temps
}

// shapeOf counts a new phase for a read that needs a register that arithmetic of the phase has written. It
// also counts one for a read that writes a register that arithmetic of the phase has read or written.
func shapeOf(p *d3d9.Program) (s shape) {
	read, written := map[d3d9.Reg]bool{}, map[d3d9.Reg]bool{}
	last := false
	for i := range p.Insts {
		in := &p.Insts[i]
		kind := in.Op.Kind()
		if kind == d3d9.Declaration || kind == d3d9.Trivia {
			continue
		}
		fetch := kind == d3d9.TextureOp && in.Op != d3d9.OpTexKill
		if fetch && !last {
			s.runs++
		}
		last = fetch
		if fetch {
			fresh := s.indirections == 0 || read[in.Dst.Reg] || written[in.Dst.Reg]
			for _, src := range in.Sources() {
				fresh = fresh || written[src.Reg]
			}
			if fresh {
				s.indirections++
				clear(read)
				clear(written)
			}
			continue
		}
		for _, src := range in.Sources() {
			read[src.Reg] = true
		}
		if in.HasDst {
			written[in.Dst.Reg] = true
		}
	}
	s.temps = d3d9.Measure(p).Temps
	return s
}

func TestCorpusShaders(t *testing.T) {
	var before, auto, all shape
	programs, changed := 0, 0
	passtest.Corpus(t, func(s *passtest.Source) {
		programs++
		after, far := group(t, s, "auto", s.Measure), group(t, s, "all", nil)
		if after != s {
			changed++
		}
		if s.Pixel != nil {
			old, now := shapeOf(s.Pixel), shapeOf(after.Pixel)
			before.add(old)
			auto.add(now)
			all.add(shapeOf(far.Pixel))
			if now.runs > old.runs || now.indirections > old.indirections {
				t.Errorf("%s: %+v, before %+v", s.Name, now, old)
			}
		}
	})
	t.Logf("%d programs, %d changed: %+v, with window=auto %+v, with window=all, whatever it costs, %+v", programs,
		changed, before, auto, all)
}

// kernels returns the kernels of the corpus and of this project.
func kernels(t testing.TB) (list []*passtest.Source) {
	t.Helper()
	own, err := filepath.Glob("../../testdata/il/*.il")
	if err != nil || len(own) == 0 {
		t.Fatal("no kernels of our own: ", err)
	}
	for _, path := range append(own, testcorpus.GlobOptional(t, "corpus/il/*.il")...) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if k, err := il.Parse(path, data); err == nil {
			list = append(list, &passtest.Source{Name: path, Kernel: k})
		}
	}
	return list
}

// compile makes a program of a kernel for the first target that it fits.
func compile(k *il.Kernel) (s *sched.Scheduled, err error) {
	f, err := amdil.Lift(k)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"rv670", "rv770", "cypress"} {
		target, e := chip.ByName(name)
		if e != nil {
			return nil, e
		}
		if s, err = machine.Compile(f, target, sched.Options{}); err == nil {
			return s, nil
		}
	}
	return nil, err
}

func TestCorpusKernels(t *testing.T) {
	before, auto, all := 0, 0, 0
	count, changed := 0, 0
	for _, s := range testcorpus.EveryNth(kernels(t), 3) {
		old, err := compile(s.Kernel)
		if err != nil {
			continue // no target can run it
		}
		count++
		after := group(t, s, "auto", func(u *passes.Unit) (passes.Cost, error) { return s.MeasureKernel(u, old.Target) })
		if after != s {
			changed++
		}
		before += old.Stats.FetchClauses
		auto += fetchClauses(t, after)
		all += fetchClauses(t, group(t, s, "all", nil))
	}
	t.Logf("%d kernels, %d changed: %d fetch clauses, with window=auto %d, with window=all, whatever it costs, %d",
		count, changed, before, auto, all)
}

func fetchClauses(t *testing.T, s *passtest.Source) int {
	t.Helper()
	compiled, err := compile(s.Kernel)
	if err != nil {
		t.Errorf("%s: %v", s.Name, err)
		return 0
	}
	return compiled.Stats.FetchClauses
}
