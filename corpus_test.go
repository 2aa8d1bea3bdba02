package shaderlift_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/vsps"
)

// corpusPairs returns the pairs that a compiler made.
func corpusPairs(t testing.TB) []shaderlift.Input {
	t.Helper()
	var pairs []shaderlift.Input
	for _, folder := range testcorpus.Glob(t, "corpus/d3d9/pairs/*") {
		pairs = append(pairs, shaderlift.Input{Name: filepath.Base(folder), Files: []shaderlift.File{
			readFile(t, filepath.Join(folder, "vs.vso")), readFile(t, filepath.Join(folder, "ps.pso"))}})
	}
	return pairs
}

// refused maps invalid programs of the corpus to the code of their first error. They are examples for
// the parser of an engine, which does not need valid programs.
var refused = map[string]asm.Code{
	"CompileTest3src_0.ps_1_4": "output-missing", "CompileTest4src_1.ps_1_4": "output-missing",
	"TestStr5_5.ps_1_1": "co-issue", "TestStr6_6.ps_1_2": "output-missing", "TestStr7_7.ps_1_4": "undefined-register",
}

// codeOf returns the code for which a file is rejected, if it is in refused.
func codeOf(path string) (asm.Code, bool) {
	name := strings.TrimSuffix(path[strings.LastIndex(path, "__")+2:], ".asm")
	code, ok := refused[name]
	return code, ok
}

// TestCorpusRefused checks that invalid programs give their errors.
func TestCorpusRefused(t *testing.T) {
	found := 0
	for _, path := range testcorpus.Glob(t, "corpus/d3d9/text/OGRECave_ogre/*.asm") {
		want, ok := codeOf(path)
		if !ok {
			continue
		}
		found++
		_, err := shaderlift.Optimize(t.Context(), shaderlift.Input{Files: []shaderlift.File{readFile(t, path)}},
			shaderlift.Options{})
		var d *asm.Diag
		if !errors.As(err, &d) || d.Code != want {
			t.Errorf("%s: %v, not %s", path, err, want)
		}
	}
	if found != len(refused) {
		t.Errorf("%d files of %d are there", found, len(refused))
	}
}

// corpusTexts returns the programs that people wrote.
func corpusTexts(t testing.TB) []shaderlift.Input {
	t.Helper()
	var texts []shaderlift.Input
	for _, path := range testcorpus.Glob(t, "corpus/d3d9/text/*/*.asm") {
		if _, no := codeOf(path); !no {
			texts = append(texts, shaderlift.Input{Files: []shaderlift.File{readFile(t, path)}})
		}
	}
	return texts
}

func readFile(t testing.TB, path string) shaderlift.File {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return shaderlift.File{Name: path, Data: data}
}

// optimizeAll optimizes inputs and checks the properties that hold for all of them.
func optimizeAll(t *testing.T, inputs []shaderlift.Input, o shaderlift.Options) *shaderlift.Report {
	t.Helper()
	results := make([]*shaderlift.Result, len(inputs))
	var wait sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range next {
				results[i] = optimizeOne(t, inputs[i], o)
			}
		}()
	}
	for i := range inputs {
		next <- i
	}
	close(next)
	wait.Wait()
	rep := shaderlift.NewReport(o)
	verdicts := map[verify.Verdict]int{}
	for _, r := range results {
		rep.Add(r)
		verdicts[r.Verdict()]++
	}
	sum := rep.Totals
	t.Logf("%d inputs, %d improved, %d failed; pixel slots %v, vertex slots %v; verdicts %v",
		sum.Inputs, sum.Improved, sum.Failed, *sum.PixelSlots, *sum.VertexSlots, verdicts)
	return rep
}

func optimizeOne(t *testing.T, in shaderlift.Input, o shaderlift.Options) *shaderlift.Result {
	res, err := shaderlift.Optimize(t.Context(), in, o)
	if err != nil {
		t.Errorf("%s: %v; remarks %v", res.Name, err, res.Remarks)
		return res
	}
	for _, f := range res.Faults {
		t.Errorf("%v", f)
	}
	if !res.Verdict().OK() {
		t.Errorf("%s: %s is written", res.Name, res.Verdict())
	}
	for i, s := range res.Stages {
		if s.After == nil {
			t.Errorf("%s: no costs afterwards", res.Name)
		} else if s.Stage == d3d9.Pixel && s.After.Slots > s.Before.Slots {
			t.Errorf("%s: %d pixel slots instead of %d", res.Name, s.After.Slots, s.Before.Slots)
		} else if len(res.Stages) == 1 && s.After.Slots > s.Before.Slots {
			t.Errorf("%s: %d slots instead of %d", res.Name, s.After.Slots, s.Before.Slots)
		}
		same := bytes.Equal(res.Files[i].Data, in.Files[i].Data)
		if res.Status == shaderlift.Unchanged && !same {
			t.Errorf("%s: unchanged, and yet other bytes", res.Name)
		}
		if !same {
			checkWritten(t, in.Files[i], res.Files[i])
		}
	}
	return res
}

// checkWritten checks the written program: it has the same model and form, is valid, survives a round
// trip, and lifts to the same structure from its other form.
func checkWritten(t *testing.T, before, after shaderlift.File) {
	old, err := d3d9.Read(before.Name, before.Data)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	p, err := d3d9.Read(after.Name, after.Data)
	if err != nil {
		t.Errorf("what is written cannot be read: %v", err)
		return
	}
	if p.Model != old.Model || p.Binary != old.Binary {
		t.Errorf("%s: another model or form", after.Name)
	}
	for _, d := range d3d9.Validate(p) {
		t.Errorf("written: %v", d)
	}
	if again, err := d3d9.Write(p); err != nil || !bytes.Equal(again, after.Data) {
		t.Errorf("%s: written differently the second time: %v", after.Name, err)
	}
	other, err := d3d9.Read(after.Name, d3d9.Print(p))
	if err != nil {
		t.Errorf("%s: %v", after.Name, err)
		return
	}
	f, err := vsps.Lift(p)
	if err != nil {
		t.Errorf("%s: %v", after.Name, err)
		return
	}
	g, err := vsps.Lift(other)
	if err != nil || f.StructuralHash() != g.StructuralHash() {
		t.Errorf("%s: text and bytecode lift to different structures: %v", after.Name, err)
	}
}

// TestCorpusPairs checks that pairs of the corpus succeed and verify, without more pixel slots than
// before.
func TestCorpusPairs(t *testing.T) {
	t.Parallel()
	pairs := testcorpus.EveryNth(corpusPairs(t), 13)
	separate := optimizeAll(t, pairs, shaderlift.Options{Target: shaderlift.SlotTarget})
	mirrored := optimizeAll(t, pairs, shaderlift.Options{Target: shaderlift.SlotTarget,
		Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}})
	for i, m := range mirrored.Results {
		if u := separate.Results[i].Uploads; len(u) > 0 {
			t.Errorf("%s: uploads %v although the host sets nothing twice", m.Name, u)
		}
	}
	for _, rep := range []*shaderlift.Report{separate, mirrored} {
		if sum := rep.Totals; sum.Improved == 0 || sum.PixelSlots.After >= sum.PixelSlots.Before {
			t.Error("nothing was gained")
		}
	}
}

// TestCorpusTexts does the same for single programs.
func TestCorpusTexts(t *testing.T) {
	t.Parallel()
	optimizeAll(t, testcorpus.EveryNth(corpusTexts(t), 5), shaderlift.Options{})
}

// TestCorpusUntouched checks that without passes all inputs come back byte for byte.
func TestCorpusUntouched(t *testing.T) {
	for _, in := range append(corpusPairs(t), corpusTexts(t)...) {
		res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Pipeline: "O0"})
		if err != nil {
			t.Errorf("%s: %v", res.Name, err)
			continue
		}
		for i, f := range res.Files {
			if !bytes.Equal(f.Data, in.Files[i].Data) {
				t.Errorf("%s: other bytes", f.Name)
			}
		}
	}
}
