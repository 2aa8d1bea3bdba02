package shaderlift_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify"
)

// The programs of a pass that improves as a pair: the sum of the pixel program moves.
const (
	effectVertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0.xy, v1\n"
	effectPixel  = "ps_2_0\ndef c0, 0.25, 0.5, 0, 0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c0\ntexld r0, r0, s0\nmov oC0, r0\n"
	// slowPixel improves alone.
	slowPixel = "ps_2_0\ndcl t0\nmul r1, t0, t0\nadd r0, t0, t0\nmov oC0, r0\n"
)

func shader(text string) fxtest.Shader { return fxtest.Shader{Data: fxtest.Assemble(text)} }

func effectFile(b *fxtest.Builder) shaderlift.Input {
	return shaderlift.Input{Files: []shaderlift.File{{Name: "a.fxb", Data: b.Build()}}}
}

// costsOf lists the parts of a result and their slots.
func costsOf(r *shaderlift.Result) (list []string) {
	for _, p := range r.Parts {
		text := p.Name + " " + p.Kind.String() + ":"
		for i := range p.Stages {
			s := &p.Stages[i]
			text += " " + s.Stage.String() + " " + slots(s)
		}
		list = append(list, text)
	}
	return list
}

func slots(s *shaderlift.StageCosts) string {
	n := []byte{'0' + byte(s.Before.Slots), '-', '>', '0' + byte(s.CurrentCost().Slots)}
	return string(n)
}

func TestOptimizeEffect(t *testing.T) {
	var b fxtest.Builder
	b.Sampler("Image", "ImageSampler")
	b.Array(fx.PixelShader, "PSArray", fxtest.Assemble(slowPixel), fxtest.Assemble(slowPixel))
	b.Technique("Main")
	b.AddPass("P0", shader(effectVertex), shader(effectPixel))
	b.AddPass("", shader(effectVertex), shader(effectPixel))
	b.AddPass("Selected", shader(effectVertex),
		fxtest.Shader{Data: fxtest.Selector("PSArray", "Indices", "Index"), Usage: fx.Selection})
	in := effectFile(&b)

	res, err := shaderlift.Optimize(t.Context(), in,
		shaderlift.Options{Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"Main/P0 pair: vertex 2->2 pixel 3->2",
		"Main/1 pair: vertex 2->2 pixel 3->2",
		"Main/Selected program: vertex 2->2",
		"PSArray[0] program: pixel 3->2",
		"PSArray[1] program: pixel 3->2",
	}, costsOf(res)); diff != "" {
		t.Errorf("the parts cost:\n%s", diff)
	}
	if res.Status != shaderlift.Improved || res.Verdict() != verify.ProvedReal || len(res.Uploads) > 0 ||
		res.Epsilon == 0 {
		t.Errorf("it is %s, %s, wrong with %g", res.Status, res.Verdict(), res.Epsilon)
	}
	rep := shaderlift.NewReport(shaderlift.Options{})
	rep.Add(res)
	if sum := rep.Totals.PixelSlots; rep.Totals.Inputs != 1 || *sum != (shaderlift.Change{Before: 12, After: 8}) {
		t.Errorf("the totals are %+v", rep.Totals)
	}
	after := shaderlift.Input{Files: res.Files}
	if v, err := shaderlift.Verify(t.Context(), in, after, shaderlift.Options{}); err != nil ||
		v.Verdict() != verify.ProvedReal {
		t.Errorf("verify says %s (%v)", v.Verdict(), err)
	}
	again, err := shaderlift.Optimize(t.Context(), after, shaderlift.Options{})
	if err != nil || again.Status != shaderlift.Unchanged || !bytes.Equal(again.Files[0].Data, res.Files[0].Data) {
		t.Errorf("once more it is %s (%v)", again.Status, err)
	}
	listing, err := shaderlift.Listing(t.Context(), after, shaderlift.Options{})
	for _, want := range []string{"technique Main", "PixelShader = PSArray[Indices[Index]]",
		"// a.fxb:Main/P0.ps\nps_2_0 ", "// a.fxb:PSArray[1].ps"} {
		if err != nil || !strings.Contains(string(listing), want) {
			t.Errorf("the listing has no %q (%v):\n%s", want, err, listing)
		}
	}
}

// TestMixedPasses checks that the interface between stages stays if a pass draws with a program set by
// another pass.
func TestMixedPasses(t *testing.T) {
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("P0", shader(effectVertex), shader(effectPixel))
	b.AddPass("P1", fxtest.Shader{}, shader(slowPixel))
	res, err := shaderlift.Optimize(t.Context(), effectFile(&b), shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"Main/P0 program: vertex 2->2",
		"Main/P0 program: pixel 3->3",
		"Main/P1 program: pixel 3->2",
	}, costsOf(res)); diff != "" {
		t.Errorf("the parts cost:\n%s", diff)
	}
}

// TestContentFile checks that an effect in a content file of XNA improves in place. A compressed file
// is written uncompressed, unless nothing improves.
func TestContentFile(t *testing.T) {
	const reader = "Microsoft.Xna.Framework.Content.EffectReader"
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("P0", shader(effectVertex), shader(effectPixel))
	plain := contentFile(reader, string(b.Build()))
	// One LZ4 sequence of literals: the token, the rest of the length and the bytes.
	n := len(plain) - 10
	packed := "\xf0" + strings.Repeat("\xff", (n-15)/255) + string([]byte{byte((n - 15) % 255)}) + plain[10:]
	small := "XNBw\x05\x40" + words(uint32(14+len(packed)), uint32(n)) + packed

	var results []*shaderlift.Result
	for _, data := range []string{plain, small} {
		in := program("a.xnb", data)
		res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
		if err != nil || res.Status != shaderlift.Improved || res.Kind != shaderlift.KindEffect {
			t.Fatalf("it is %s (%v)", res.Status, err)
		}
		results = append(results, res)
		if v, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files},
			shaderlift.Options{}); err != nil || v.Verdict() != verify.ProvedReal {
			t.Errorf("verify says %s (%v)", v.Verdict(), err)
		}
		same, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Pipeline: "O0"})
		if err != nil || string(same.Files[0].Data) != data {
			t.Errorf("without passes it is another file (%v)", err)
		}
	}
	if !bytes.Equal(results[0].Files[0].Data, results[1].Files[0].Data) {
		t.Error("the compressed file becomes another one than the plain one")
	}
	if r := results[1].Remarks; len(r) != 1 || r[0].Code != "decompressed" {
		t.Errorf("the remarks are %+v", r)
	}
	if got := string(results[0].Files[0].Data); !strings.HasPrefix(got, "XNBw\x05\x00"+words(uint32(len(got)))) {
		t.Errorf("its header is %q", got[:10])
	}
}

// TestPartlyUnreadable checks that unreadable parts of an effect stay unchanged and the rest improves.
func TestPartlyUnreadable(t *testing.T) {
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("P0", shader(effectVertex), fxtest.Shader{Data: []byte("nonsense")})
	b.AddPass("P1", shader(effectVertex), shader(effectPixel))
	res, err := shaderlift.Optimize(t.Context(), effectFile(&b), shaderlift.Options{})
	if err != nil || res.Status != shaderlift.Improved {
		t.Fatalf("it is %s (%v)", res.Status, err)
	}
	if len(res.Remarks) != 1 || res.Remarks[0].Code != "part-failed" ||
		!strings.Contains(res.Remarks[0].Message, "Main/P0 stays unchanged: a.fxb:Main/P0.ps") {
		t.Errorf("the remarks are %+v", res.Remarks)
	}
	e, err := fx.Decode("a.fxb", res.Files[0].Data)
	if err != nil || string(e.Assignments[1].Data) != "nonsense" {
		t.Errorf("what was not understood is another (%v)", err)
	}
}

func TestVerifyEffects(t *testing.T) {
	build := func(name, pixel string) shaderlift.Input {
		var b fxtest.Builder
		b.Technique(name)
		b.AddPass("P0", shader(effectVertex), shader(pixel))
		return effectFile(&b)
	}
	before := build("Main", effectPixel)
	v, err := shaderlift.Verify(t.Context(), before, build("Main", slowPixel), shaderlift.Options{})
	if !errors.Is(err, shaderlift.ErrRefused) || v.Verdict() != verify.Refuted {
		t.Errorf("another program is %s (%v)", v.Verdict(), err)
	}
	_, err = shaderlift.Verify(t.Context(), before, build("Other", effectPixel), shaderlift.Options{})
	if d := (*asm.Diag)(nil); !errors.As(err, &d) || d.Code != "wrong-pair" {
		t.Errorf("another technique: %v", err)
	}
}

// TestCorpusEffects checks that effects written by others improve pass by pass, on a sample without
// those above a hundred kilobytes.
func TestCorpusEffects(t *testing.T) {
	t.Parallel()
	paths := testcorpus.Glob(t, "corpus/d3d9/effects/*.efb")
	rep := shaderlift.NewReport(shaderlift.Options{})
	for _, path := range testcorpus.EveryNth(paths, 16) {
		if info, err := os.Stat(path); err != nil || info.Size() > 100<<10 {
			continue
		}
		res, err := shaderlift.Optimize(t.Context(), shaderlift.Input{Files: []shaderlift.File{readFile(t, path)}},
			shaderlift.Options{Target: shaderlift.SlotTarget})
		if err != nil || len(res.Faults) > 0 || len(res.Remarks) > 0 {
			t.Errorf("%s: %v %+v %+v", path, err, res.Faults, res.Remarks)
		}
		rep.Add(res)
	}
	ps := rep.Totals.PixelSlots
	if ps == nil || ps.After*100 > ps.Before*95 || rep.Totals.Failed > 0 {
		t.Errorf("the totals are %+v", rep.Totals)
	}
	t.Logf("%d effects, %d -> %d pixel slots", rep.Totals.Inputs, ps.Before, ps.After)
}

// TestHostileEffect checks that effects with damaged parts are rejected quickly, or their parts are.
func TestHostileEffect(t *testing.T) {
	var b fxtest.Builder
	b.Sampler("Image", "ImageSampler")
	b.Technique("Main")
	b.AddPass("P0", shader(effectVertex), shader(effectPixel))
	data := b.Build()
	rng := rand.New(rand.NewPCG(20, 2))
	for range 150 {
		bad := bytes.Clone(data)
		for range 1 + rng.IntN(3) {
			at := rng.IntN(len(bad)/4) * 4
			binary.LittleEndian.PutUint32(bad[at:],
				[]uint32{0, 1, 1 << 31, ^uint32(0), rng.Uint32(), rng.Uint32N(256)}[rng.IntN(6)])
		}
		start := time.Now()
		in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.fxb", Data: bad}}}
		res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
		if d := (*asm.Diag)(nil); err != nil && !errors.As(err, &d) || len(res.Faults) > 0 {
			t.Fatalf("%x: %v %v", bad, err, res.Faults)
		}
		if err == nil && res.Status == shaderlift.Improved {
			if _, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files},
				shaderlift.Options{}); err != nil {
				t.Fatalf("%x: %v", bad, err)
			}
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%x: %v", bad, d)
		}
	}
}

// TestStatesOfPasses checks states besides programs: they can make the rasterizer replace coordinates,
// or set constants by number.
func TestStatesOfPasses(t *testing.T) {
	pixel := fxtest.WithTable(fxtest.Assemble(tablePixel), d3d9.Constant{Name: "Offset", Index: 3})
	apart := []string{"Main/P0 program: vertex 2->2", "Main/P0 program: pixel 3->3"}
	for name, c := range map[string]struct {
		operation fx.Operation
		words     []uint32
		want      []string
	}{
		"culling":           {8, []uint32{2}, []string{"Main/P0 pair: vertex 2->2 pixel 3->2"}},
		"sprites":           {62, []uint32{1}, apart},
		"no sprites":        {62, []uint32{0}, []string{"Main/P0 pair: vertex 2->2 pixel 3->2"}},
		"wrapping":          {38, []uint32{3}, apart},
		"constants, vertex": {151, []uint32{1, 2, 3, 4}, []string{"Main/P0 pair: vertex 2->2 pixel 3->3"}},
		"constants, pixel":  {159, []uint32{1, 2, 3, 4}, []string{"Main/P0 pair: vertex 2->2 pixel 3->3"}},
	} {
		t.Run(name, func(t *testing.T) {
			var b fxtest.Builder
			b.Technique("Main")
			b.AddPass("P0", fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(tableVertex),
				d3d9.Constant{Name: "Position"})}, fxtest.Shader{Data: pixel})
			state := fx.State{Operation: c.operation, Index: 1, Variable: fxtest.Vector("", uint32(len(c.words)), c.words...)}
			state.Type.Name = fx.String{}
			pass := &b.Techniques[0].Passes[0]
			pass.States = append(pass.States, state)
			res, err := shaderlift.Optimize(t.Context(), effectFile(&b), shaderlift.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, costsOf(res)); diff != "" {
				t.Errorf("the parts cost:\n%s", diff)
			}
		})
	}
}
