package shaderlift_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify"
)

// A result that replaces its input: the next build changes nothing.
func ExampleOptimizeStable() {
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "glow.psh",
		Data: []byte("ps_2_0\ndcl t0\nmul r0, t0, t0\nmul r1, t0, t0\nadd r0, r0, r1\nmov oC0, r0\n")}}}
	o := shaderlift.Options{Target: shaderlift.SlotTarget}
	for range 2 {
		res, err := shaderlift.OptimizeStable(context.Background(), in, o)
		if err != nil {
			log.Fatal(err)
		}
		s := res.Stages[0]
		fmt.Printf("%s, %d -> %d slots\n", res.Status, s.Before.Slots, s.CurrentCost().Slots)
		in.Files = res.Files
	}
	// Output:
	// improved, 4 -> 3 slots
	// unchanged, 3 -> 3 slots
}

// testStable checks that the result of OptimizeStable is verified, costs no more than that of Optimize, and stays
// the same in the next run. It reports whether the result of Optimize does not.
func testStable(t *testing.T, in shaderlift.Input, o shaderlift.Options) (repeated bool) {
	t.Helper()
	once, err := shaderlift.Optimize(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	res, err := shaderlift.OptimizeStable(t.Context(), in, o)
	if err != nil || res.Verdict() < verify.Bounded {
		t.Fatalf("%s: %v, %v", in.DisplayName(), res.Verdict(), err)
	}
	again, err := shaderlift.OptimizeStable(t.Context(), shaderlift.Input{Name: in.Name, Files: res.Files}, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range res.Files {
		repeated = repeated || !bytes.Equal(f.Data, once.Files[i].Data)
		if !bytes.Equal(f.Data, again.Files[i].Data) {
			t.Errorf("%s: another run changes %s", in.DisplayName(), f.Name)
		}
	}
	for _, l := range res.Launches {
		if l.CyclesAfter > 1.005*l.CyclesBefore {
			t.Errorf("%s is slower on the launch %s: %.0f -> %.0f", in.DisplayName(), l.Name, l.CyclesBefore, l.CyclesAfter)
		}
	}
	if hasRemark(res, "unstable") {
		t.Errorf("%s keeps its input", in.DisplayName())
	}
	var a, b shaderlift.Totals
	a.Add(once)
	b.Add(res)
	if a.PixelSlots != nil && (b.PixelSlots.Before != a.PixelSlots.Before || b.PixelSlots.After > a.PixelSlots.After) {
		t.Errorf("%s: pixel slots %+v, with one run %+v", in.DisplayName(), *b.PixelSlots, *a.PixelSlots)
	}
	if _, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files}, o); err != nil {
		t.Errorf("%s: %v", in.DisplayName(), err)
	}
	return repeated
}

func TestStable(t *testing.T) {
	repeated := 0
	for _, names := range [][]string{{"testdata/ikeda/gaussian2d.psh"}, {"testdata/conv1d/conv1d.vsh", "testdata/conv1d/conv1d.psh"},
		{"testdata/il/pldi_v1.il"}, {"examples/effects/mod/Wave.xnb"}, {"examples/effects/playground/basic.fxb"},
		{"examples/effects/arrays/Lit.fxb"}} {
		var in shaderlift.Input
		for _, name := range names {
			in.Files = append(in.Files, readFile(t, name))
		}
		if testStable(t, in, shaderlift.Options{}) {
			repeated++
		}
	}
	if repeated == 0 {
		t.Error("one run is enough for every input")
	}
	// If a later result is slower than the kernel on its own launches, the input stays.
	in := shaderlift.Input{Files: []shaderlift.File{readFile(t, "testdata/il/reduce.il")}}
	if res, err := shaderlift.OptimizeStable(t.Context(), in, shaderlift.Options{}); err != nil || hasRemark(res, "unstable") &&
		(res.Status != shaderlift.Unchanged || !bytes.Equal(res.Files[0].Data, in.Files[0].Data)) {
		t.Errorf("%v, %v, %v", res.Status, res.Remarks, err)
	}
	if _, err := shaderlift.OptimizeStable(t.Context(), in, shaderlift.Options{
		Kernel: shaderlift.KernelOptions{Coarsen: shaderlift.Tile{X: 2, Y: 1}}}); err == nil {
		t.Error("a kernel is coarsened in every run")
	}
}

// TestStableKeepsOptions checks that OptimizeStable does not write behind the uploads of the caller.
func TestStableKeepsOptions(t *testing.T) {
	in := pair(plainVertex, "ps_2_0\ndcl t0\ndcl_2d s0\nmul r0.xy, t0, c3\nadd r0.xy, r0, c4\ntexld r0, r0, s0\nmov oC0, r0\n")
	uploads := make([]shaderlift.Upload, 4)
	res, err := shaderlift.OptimizeStable(t.Context(), in, shaderlift.Options{Host: shaderlift.HostOptions{
		PixelConstants: shaderlift.Mirrored, Uploads: uploads[:0]}})
	if err != nil || len(res.Uploads) == 0 {
		t.Fatalf("uploads %v, %v", res.Uploads, err)
	}
	for i, u := range uploads {
		if u != (shaderlift.Upload{}) {
			t.Errorf("upload %d of the caller is now %v", i, u)
		}
	}
}

// TestStableCorpus tests a part of the corpus.
func TestStableCorpus(t *testing.T) {
	inputs := corpusPairs(t)
	for _, path := range testcorpus.Glob(t, "corpus/d3d9/effects/*") {
		inputs = append(inputs, shaderlift.Input{Name: filepath.Base(path), Files: []shaderlift.File{readFile(t, path)}})
	}
	known := map[string]bool{"Deferred_PointLight__t0_p6": true, "Materials_GBuffer__t0_p0": true,
		"Sky_ScatteringSky__t0_p1": true, "Deferred_PointLight.efb": true}
	repeated := 0
	for i, in := range inputs {
		if (i%16 == 0 || known[in.Name]) && testStable(t, in, shaderlift.Options{}) {
			repeated++
		}
	}
	if repeated < len(known) {
		t.Errorf("%d inputs take a second run", repeated)
	}
}
