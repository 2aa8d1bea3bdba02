package shaderlift_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/opt"
)

// The programs of each pass of an effect are inputs like others.
func ExampleEffectDraws() {
	data, err := os.ReadFile("examples/effects/arrays/Lit.fxb")
	if err != nil {
		log.Fatal(err)
	}
	f := shaderlift.File{Name: "Lit.fxb", Data: data}
	passes, err := shaderlift.EffectPasses(f)
	if err != nil {
		log.Fatal(err)
	}
	for _, pass := range passes {
		draws, err := shaderlift.EffectDraws(f, pass)
		if err != nil {
			log.Fatal(err)
		}
		for i, in := range draws {
			res, err := shaderlift.Stats(context.Background(), in, shaderlift.Options{})
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s[%d]: %d and %d slots\n", pass, i, res.Stages[0].Before.Slots, res.Stages[1].Before.Slots)
		}
	}
	// Output:
	// Main/P0[0]: 5 and 5 slots
	// Main/P0[1]: 5 and 2 slots
	// Main/P0[2]: 2 and 2 slots
}

// namedEffect returns an effect with names that repeat, are empty or look like numbers. Each pass has another
// constant in its pixel program.
func namedEffect() shaderlift.File {
	var b fxtest.Builder
	n := 0
	pass := func(name string, vertex bool) {
		n++
		v := fxtest.Shader{}
		if vertex {
			v.Data = fxtest.Assemble("vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, v0\n")
		}
		b.AddPass(name, v, fxtest.Shader{Data: fxtest.Assemble(fmt.Sprintf("ps_2_0\ndef c0, %d, 0, 0, 0\ndcl t0\nmul r0, t0, c0.x\nmov oC0, r0\n", n))})
	}
	b.Technique("Main")
	pass("P", true)
	pass("P", true)
	b.Technique("1")
	pass("", true)
	pass("0", true)
	b.Technique("a/b")
	pass("[3]", true)
	pass("Sprite", false)
	return shaderlift.File{Name: "a.fxb", Data: b.Build()}
}

func TestEffectPassNames(t *testing.T) {
	f := namedEffect()
	names, err := shaderlift.EffectPasses(f)
	if got := strings.Join(names, " "); err != nil || got != "Main/P Main/P 1/0 1/0 a/b/[3] a/b/Sprite" {
		t.Fatalf("the passes are %s, %v", got, err)
	}
	for name, want := range map[string]string{ // the constant and the number of programs, or an error
		"0/0": "1 2", "0/1": "2 2", "Main/1": "2 2", "Main/1.ps": "2 1", "1/1": "4 2", "a/b/[3]": "5 2", "a/b/0": "5 2",
		"2/Sprite": "6 1", "2/1[0]": "6 1",
		"Main/P":     "several passes are named Main/P; give the numbers of technique and pass from 0, such as 0/0",
		"1/0":        "several passes are named 1/0",
		"Main":       "no pass is named Main; its passes are Main/P, Main/P, 1/0, 1/0, a/b/[3], a/b/Sprite",
		"":           "no pass is named ",
		"2/1.vs":     "the application sets the programs of 2/1.vs",
		"2/1[1]":     "the draws of 2/1 are [0] to [0]",
		"2/1[99999]": "the draws of 2/1 are [0] to [0]", "2/2": "no pass is named 2/2", "-1/0": "no pass is named -1/0",
	} {
		draws, err := shaderlift.EffectDraws(f, name)
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, not %s", name, err, want)
			}
			continue
		}
		files := draws[0].Files
		text, err := shaderlift.Disassemble(files[len(files)-1])
		got := fmt.Sprintf("%s %d", strings.TrimSpace(strings.SplitN(strings.SplitN(string(text), "def c0, ", 2)[1], ",", 2)[0]), len(files))
		if err != nil || got != want || len(draws) != 1 {
			t.Errorf("%s selects %s, %v, not %s", name, got, err, want)
		}
	}
}

// TestEffectPass checks Options.Pass in all functions that take it, with the draws of an array.
func TestEffectPass(t *testing.T) {
	in := shaderlift.Input{Files: []shaderlift.File{readFile(t, "examples/effects/arrays/Lit.fxb")}}
	whole, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Target: shaderlift.SlotTarget})
	if err != nil {
		t.Fatal(err)
	}
	now := shaderlift.Input{Files: whole.Files}
	for pass, want := range map[string]int{"": 3, "Main/P0": 3, "Main/P0[0]": 1, "Main/P0[2]": 1, "0/0.vs": 3, "PSArray[1]": 2} {
		res, err := shaderlift.Verify(t.Context(), in, now, shaderlift.Options{Pass: pass})
		if err != nil || len(res.Parts) != want {
			t.Errorf("%q: %d pairs are verified, %v", pass, len(res.Parts), err)
		}
	}
	res, err := shaderlift.Explain(t.Context(), in, shaderlift.Options{Pass: "Main/P0[2]"})
	if err != nil || len(res.Parts) != 2 || res.Parts[0].Name != "VSArray[1]" || len(res.Parts[0].Programs) != 1 {
		t.Errorf("%d parts are explained, %v", len(res.Parts), err)
	}
	improved := shaderlift.Input{Files: []shaderlift.File{readFile(t, "examples/effects/game/Water.fxb")}}
	if res, err := shaderlift.Explain(t.Context(), improved, shaderlift.Options{Pass: "Main/P0", Target: shaderlift.SlotTarget}); err != nil ||
		res.Status != shaderlift.Improved || len(res.Parts) != 1 {
		t.Errorf("%v, %d parts, %v", res.Status, len(res.Parts), err)
	}
	o := shaderlift.Options{Pass: "Main/P0[0]"}
	if img, _, err := shaderlift.Run(t.Context(), in, o); err != nil || img.Coverage() == 0 {
		t.Errorf("nothing is drawn: %v", err)
	}
	if text, err := shaderlift.Listing(t.Context(), in, o); err != nil || bytes.Count(text, []byte("slots used")) != 2 {
		t.Errorf("%v:\n%s", err, text)
	}
	if res, err := shaderlift.Instructions(t.Context(), in, o); err != nil || len(res.Programs) != 2 {
		t.Errorf("%d programs are listed, %v", len(res.Programs), err)
	}
	o.Pass = "Main/P0"
	if _, err := shaderlift.Stats(t.Context(), in, o); err == nil || !strings.Contains(err.Error(), "append [0] to [2] to its name") {
		t.Errorf("several draws: %v", err)
	}
	if _, err := shaderlift.Optimize(t.Context(), in, o); err == nil {
		t.Error("one pass is optimized")
	}
	alone := pair("vs_2_0\ndcl_position v0\nmov oPos, v0\n", "ps_2_0\ndef c0, 0, 0, 0, 0\nmov oC0, c0\n")
	_, err1 := shaderlift.Stats(t.Context(), alone, o)
	_, err2 := shaderlift.Verify(t.Context(), alone, alone, o)
	_, err3 := shaderlift.Explain(t.Context(), alone, o)
	_, _, err4 := shaderlift.Run(t.Context(), alone, o)
	for i, err := range []error{err1, err2, err3, err4} {
		if err == nil || !strings.Contains(err.Error(), "only a compiled effect has passes") {
			t.Errorf("%d: a pair has passes: %v", i, err)
		}
	}
}

// TestEffectTotals checks the numbers of passes and bytes in a result.
func TestEffectTotals(t *testing.T) {
	const vertex = "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, v0\n"
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("Smaller", fxtest.Shader{Data: fxtest.Assemble(vertex)},
		fxtest.Shader{Data: fxtest.Assemble("ps_2_0\ndcl t0\nmul r0, t0, t0\nmul r1, t0, t0\nadd r0, r0, r1\nmov oC0, r0\n")})
	b.AddPass("Equal", fxtest.Shader{Data: fxtest.Assemble(vertex)}, fxtest.Shader{Data: fxtest.Assemble("ps_2_0\ndcl t0\nmov oC0, t0\n")})
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.fxb", Data: b.Build()}}}
	for _, optimize := range []func(context.Context, shaderlift.Input, shaderlift.Options) (*shaderlift.Result, error){
		shaderlift.Optimize, shaderlift.OptimizeStable} {
		res, err := optimize(t.Context(), in, shaderlift.Options{})
		if err != nil || res.Passes == nil || res.Passes.All != 2 || res.Passes.Smaller != 1 {
			t.Fatalf("passes %+v, %v", res.Passes, err)
		}
		if want := (shaderlift.Change{Before: len(in.Files[0].Data), After: len(res.Files[0].Data)}); *res.Bytes != want {
			t.Errorf("%+v bytes, not %+v", *res.Bytes, want)
		}
	}
	arrays := shaderlift.Input{Files: []shaderlift.File{readFile(t, "examples/effects/playground/basic.fxb")}}
	if res, err := shaderlift.Optimize(t.Context(), arrays, shaderlift.Options{}); err != nil || *res.Passes != (opt.PassTotals{All: 1, Smaller: 1}) {
		t.Errorf("arrays: %+v, %v", res.Passes, err)
	}
}

// TestEffectPassCorpus checks that the passes of all effects have draws, and that they are the programs of the effect.
func TestEffectPassCorpus(t *testing.T) {
	all := 0
	for _, path := range testcorpus.Glob(t, "corpus/d3d9/effects/*") {
		f := readFile(t, path)
		x, err := fx.Decode(path, f.Data)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Techniques {
			for k := range x.Techniques[i].Passes {
				draws, err := shaderlift.EffectDraws(f, fmt.Sprintf("%d/%d", i, k))
				for _, in := range draws {
					if len(in.Files) > 2 || !bytes.Contains(f.Data, in.Files[0].Data) {
						t.Errorf("%s: the draw %s is not in the effect", path, in.Path())
					}
				}
				if all += len(draws); err != nil && !strings.Contains(err.Error(), "has no programs, only states") {
					t.Error(err)
				}
			}
		}
	}
	if all < 285 {
		t.Errorf("%d draws are found", all)
	}
}
