package shaderlift_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify"
)

// oddEffect returns an effect with legal but rare features. It has null or unset stages, stages that
// share an object, and parameters and array elements that several passes draw with. It also has
// elements chosen by expressions of several forms, unread samplers, and strings.
func oddEffect(r *rand.Rand) *fxtest.Builder {
	b := &fxtest.Builder{}
	b.Param(fxtest.Vector("Offset", 4), b.TextVariable("Info", "of a parameter"))
	b.Param(fxtest.Matrix("World", 4, 4))
	b.Sampler("Image", "ImageSampler")
	b.Sampler("Unused", "UnusedSampler")
	b.Param(b.TextVariable("Title", "VSArray"))
	offset := d3d9.Constant{Name: "Offset", Index: 1}
	programs := [2][][]byte{
		{fxtest.Assemble(effectVertex), fxtest.Assemble(effectVertex + "add oT1, v1, v1\n"),
			fxtest.WithTable(fxtest.Assemble("vs_2_0\ndcl_position v0\nmov oPos, v0\nadd oT0.xy, v0, c1\n"), offset)},
		{fxtest.Assemble(effectPixel), fxtest.Assemble(slowPixel),
			fxtest.WithTable(fxtest.Assemble("ps_2_0\ndcl t0\nadd r0, t0, c1\nmul r0, r0, r0\nmov oC0, r0\n"), offset)},
	}
	program := func(stage int) []byte { return programs[stage][r.IntN(3)] }
	arrays, tables := [2]string{"VSArray", "PSArray"}, [2]string{"VSIndices", "PSIndices"}
	shaders := [2]fx.BaseType{fx.VertexShader, fx.PixelShader}
	for stage, name := range arrays {
		b.Array(shaders[stage], name, program(stage), program(stage), program(stage))
		b.Array(shaders[stage], name+"Alone", program(stage))
		b.Param(fxtest.Ints(tables[stage], uint32(r.IntN(3)), uint32(r.IntN(3)), uint32(r.IntN(4)), ^uint32(0)))
	}
	b.Param(fxtest.Ints("Index", 0))
	b.Param(fxtest.Ints("Other", 0))
	for t := range 1 + r.IntN(3) {
		b.Technique(fmt.Sprint("T", t), b.TextVariable("Notes", "of a technique"))
		for p := range r.IntN(4) {
			var set [2]fxtest.Shader
			for stage := range set {
				switch array := arrays[stage]; r.IntN(8) {
				case 0: // inherited
				case 1:
					set[stage] = fxtest.Shader{Data: append([]byte(array+"Alone"), 0), Usage: fx.Reference}
				case 2:
					set[stage] = fxtest.Shader{Data: fxtest.PlainSelector(array, "Index"), Usage: fx.Selection}
				case 3:
					set[stage] = fxtest.Shader{Data: fxtest.Selector(array, tables[stage], "Index"), Usage: fx.Selection}
				case 4:
					set[stage] = fxtest.Shader{Data: fxtest.Selector(array, tables[r.IntN(2)],
						[]string{"Index", "Other"}[r.IntN(2)]), Usage: fx.Selection}
				default:
					set[stage] = fxtest.Shader{Data: program(stage)}
				}
			}
			b.AddPass(fmt.Sprint("P", p), set[0], set[1])
			states := &b.Techniques[t].Passes[p].States
			switch at := r.IntN(len(*states)); r.IntN(6) {
			case 0: // null
				null := fx.State{Operation: fx.SetVertexShader + fx.Operation(r.IntN(2)), Variable: fxtest.Ints("", 0)}
				null.Type.Name = fx.String{}
				*states = append(*states, null)
			case 1: // the object of a parameter, or of another pass
				if s := &(*states)[at]; s.Type.Class == fx.ObjectClass && s.Words()[0] > 1 {
					s.SetWords(uint32(1 + r.IntN(int(s.Words()[0]))))
				}
			}
		}
	}
	b.ObjectCount = b.NewID()
	return b
}

// TestOddEffects checks that odd effects improve or stay unchanged. The output is proved, and differs
// only in programs.
func TestOddEffects(t *testing.T) {
	improved := 0
	for seed := range uint64(60) {
		in := effectFile(oddEffect(rand.New(rand.NewPCG(seed, 11))))
		res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
		if err != nil || len(res.Faults) > 0 {
			t.Errorf("seed %d: %v %v", seed, err, res.Faults)
			continue
		}
		if res.Status == shaderlift.Improved {
			improved++
		}
		v, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files}, shaderlift.Options{})
		if err != nil || v.Verdict() < verify.ProvedReal {
			t.Errorf("seed %d: %v, %v", seed, v.Verdict(), err)
		}
	}
	t.Logf("%d improved", improved)
	if improved < 30 {
		t.Errorf("only %d are improved", improved)
	}
}

// TestDamagedEffects checks that damaged effects are rejected, or read, within a second and 64 MiB.
func TestDamagedEffects(t *testing.T) {
	paths := testcorpus.Glob(t, "corpus/d3d9/effects/*.efb")
	r := rand.New(rand.NewPCG(77, 2))
	refused := 0
	for range 2000 {
		data, err := os.ReadFile(paths[r.IntN(len(paths))])
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(8) == 0 {
			data = data[:r.IntN(len(data))]
		}
		within := len(data) // offsets and counts of types and values come first
		if r.IntN(2) == 0 {
			within = min(within, 2000)
		}
		for range 1 + r.IntN(4) {
			if words := within / 4; words > 0 {
				binary.LittleEndian.PutUint32(data[4*r.IntN(words):],
					[]uint32{0, 1, 1 << 31, ^uint32(0), r.Uint32N(uint32(len(data))), r.Uint32()}[r.IntN(6)])
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		res, err := shaderlift.Stats(t.Context(),
			shaderlift.Input{Files: []shaderlift.File{{Name: "damaged", Data: bytes.Clone(data)}}}, shaderlift.Options{})
		spent := time.Since(start)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; spent > time.Second || n > 64<<20 || len(res.Faults) > 0 {
			t.Errorf("%v, %d MiB, %v", spent, n>>20, res.Faults)
		}
		if err != nil {
			refused++
		}
	}
	if refused < 500 {
		t.Errorf("only %d are refused", refused)
	}
}
