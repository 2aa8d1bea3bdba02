package shaderlift_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/opt/explain"
)

// TestExplainConditions has an instruction for every condition that keeps instructions in the pixel
// program.
func TestExplainConditions(t *testing.T) {
	const vertex = `vs_3_0
dcl_position v0
dcl_texcoord v1
dcl_color v2
dcl_position o0
dcl_texcoord o1
dcl_texcoord1 o2
dcl_color o3
dcl_texcoord2 o4
mov o0, v0
add o1, v1, c0
mov o2, v1
mov o3, v2
mov o4, c1
`
	const pixel = `ps_3_0
def c0, 2, 3, 0, 1
dcl_texcoord v0
dcl_texcoord1_centroid v1
dcl_color v2
dcl_texcoord2 v3
dcl_2d s0
mul r0, v0, c0.x
texld r1, r0, s0
add r2, r1, r0
mul r3, v0, v0
mul r4, v0, c7
mad r5, r4, c0.y, v0
dsx r6, v0
add r7, v1, c0.y
mov r8.zw, c0.z
mov r8.xy, r3
add r2, r2, r3
add r2, r2, r5
add r2, r2, r6
add r2, r2, r7
texldl r8, r8, s0
add r2, r2, r8
rcp r9, v3.x
add r2, r2, r9
texkill r3
mov oC0, r2
`
	in := shadersOf(vertex, pixel)
	why := explained(t, in, shaderlift.Options{})
	for text, want := range map[string]string{
		"mov o0, v0":           "per-vertex",
		"mul r0, v0, c0.x":     "movable",
		"texld r1, r0, s0":     "texture-read",
		"add r2, r1, r0":       "texture-read, line 9",
		"mul r3, v0, v0":       "not-affine",
		"mul r4, v0, c7":       "host-constant, --host-constants mirrored",
		"mad r5, r4, c0.y, v0": "host-constant, line 12, --host-constants mirrored",
		"rcp r9, v3.x":         "movable",
		"dsx r6, v0":           "derivative",
		"add r7, v1, c0.y":     "not-interpolated",
		"mov r8.zw, c0.z":      "movable",
		"texkill r3":           "ends-fragment",
		"mov oC0, r2":          "texture-read, line 9",
		"texldl r8, r8, s0":    "texture-read",
	} {
		if got := why[text]; got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
	mirrored := explained(t, in, shaderlift.Options{Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}})
	if got := mirrored["mad r5, r4, c0.y, v0"]; got != "movable" {
		t.Errorf("with mirrored constants: %q", got)
	}
}

func shadersOf(vertex, pixel string) shaderlift.Input {
	return shaderlift.Input{Files: []shaderlift.File{{Name: "a.vsh", Data: []byte(vertex)},
		{Name: "a.psh", Data: []byte(pixel)}}}
}

// explained maps each instruction of in to the code of its reason, the line of the cause, and the
// option that would lift it.
func explained(t *testing.T, in shaderlift.Input, o shaderlift.Options) map[string]string {
	t.Helper()
	res, err := shaderlift.Explain(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]string{}
	for _, p := range res.Programs {
		for _, inst := range p.Instructions {
			if inst.Why == nil {
				t.Fatalf("%s: no reason", inst.Text)
			}
			text := string(inst.Why.Code)
			if inst.Why.Line > 0 {
				text += fmt.Sprint(", line ", inst.Why.Line)
			}
			if inst.Why.Unlock != "" {
				text += ", " + inst.Why.Unlock
			}
			why[inst.Text] = text
		}
	}
	return why
}

// TestExplainCorpus checks that every instruction of the corpus has an explanation, and that no
// instruction explained as immovable moves.
func TestExplainCorpus(t *testing.T) {
	counts := map[asm.Code]int{}
	for _, in := range testcorpus.EveryNth(corpusPairs(t), 11) {
		res, err := shaderlift.Explain(t.Context(), in, shaderlift.Options{})
		if err != nil {
			t.Fatalf("%s: %v", in.Path(), err)
		}
		for _, p := range res.Programs {
			for _, inst := range p.Instructions {
				if inst.Why == nil || inst.Fate == "" {
					t.Fatalf("%s: %s: no answer", p.Name, inst.Text)
				}
				counts[inst.Why.Code]++
				switch inst.Why.Code {
				case "movable", "mixed-operand":
				default:
					if inst.Fate == explain.Moved {
						t.Errorf("%s: +%#x: %s is moved, though it %s [%s]", p.Name, inst.Offset, inst.Text, inst.Why.Message,
							inst.Why.Code)
					}
				}
			}
		}
	}
	t.Log(counts)
	for _, code := range []asm.Code{"movable", "texture-read", "not-affine", "host-constant"} {
		if counts[code] == 0 {
			t.Errorf("nothing is %s", code)
		}
	}
}

// The weight of a filter's sample stays, and its coordinates move.
func ExampleExplain() {
	in := shadersOf("vs_1_1\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0.xy, v1\n",
		"ps_2_0\ndef c0, 0.01, 0.5, 0, 0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c0.x\ntexld r1, r0, s0\nmul r1, r1, c0.y\nmov oC0, r1\n")
	res, err := shaderlift.Explain(context.Background(), in, shaderlift.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, i := range res.Programs[1].Instructions {
		message, _, _ := strings.Cut(i.Why.Message, ",")
		fmt.Printf("%d: %s: %s %s\n", i.Line, i.Text, i.Fate, message)
	}
	// Output:
	// 5: add r0.xy, t0, c0.x: moved could be computed per vertex
	// 6: texld r1, r0, s0: kept reads a texture
	// 7: mul r1, r1, c0.y: kept reads a texture
	// 8: mov oC0, r1: kept reads a texture
}

// TestExplainUnlocks checks that an instruction can move with the option that its explanation names.
func TestExplainUnlocks(t *testing.T) {
	named, kept := 0, 0
	for _, in := range testcorpus.EveryNth(corpusPairs(t), 12) {
		plain, err := shaderlift.Explain(t.Context(), in, shaderlift.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mirrored, err := shaderlift.Explain(t.Context(), in,
			shaderlift.Options{Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}})
		if err != nil {
			t.Fatal(err)
		}
		for k, inst := range plain.Programs[1].Instructions {
			now := mirrored.Programs[1].Instructions[k].Why
			switch {
			case inst.Why.Code != "host-constant":
			case inst.Why.Unlock == "":
				kept++
			default:
				named++
			}
			if (inst.Why.Unlock != "") != (inst.Why.Code == "host-constant" && now.Code == "movable") {
				t.Errorf("%s: +%#x: %s: %s [%s], %q, and with mirrored constants it %s", in.Name, inst.Offset, inst.Text,
					inst.Why.Message, inst.Why.Code, inst.Why.Unlock, now.Message)
			}
		}
	}
	if named == 0 || kept == 0 {
		t.Errorf("the option is named %d times, and left out %d times", named, kept)
	}
}

// TestExplainPhones checks that Explain prices programs on the phones that the target does not name, as Stats does,
// and lists the resulting programs, also for the parts of an effect.
func TestExplainPhones(t *testing.T) {
	vertex := "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n"
	pixel := "ps_2_0\ndcl t0\nmul r0, t0, c0\nmul r0, r0, c0.x\nadd r0, r0, c1\nmov r1, r0\nmov oC0, r1\n"
	var e fxtest.Builder
	e.Technique("T")
	e.AddPass("P", fxtest.Shader{Data: fxtest.Assemble(vertex)}, fxtest.Shader{Data: fxtest.Assemble(pixel)})
	for _, c := range []struct {
		target shaderlift.Target
		phones string
		files  []shaderlift.File
	}{
		{"", "valhall,bifrost,midgard,adreno", []shaderlift.File{{Name: "a.vsh", Data: []byte(vertex)}, {Name: "a.psh", Data: []byte(pixel)}}},
		{"d3d9", "valhall,bifrost,midgard,adreno", []shaderlift.File{{Name: "a.psh", Data: []byte(pixel)}}},
		{"bifrost", "valhall,midgard,adreno", []shaderlift.File{{Name: "a.psh", Data: []byte(pixel)}}},
		{"phones", "", []shaderlift.File{{Name: "a.psh", Data: []byte(pixel)}}},
		{"", "valhall,bifrost,midgard,adreno", []shaderlift.File{{Name: "a.fxb", Data: e.Build()}}},
	} {
		res, err := shaderlift.Explain(t.Context(), shaderlift.Input{Files: c.files}, shaderlift.Options{Target: c.target})
		if err != nil || res.Status != shaderlift.Improved {
			t.Fatal(err, res.Status)
		}
		stats, err := shaderlift.Stats(t.Context(), shaderlift.Input{Files: res.Files}, shaderlift.Options{Target: "valhall,bifrost,midgard,adreno"})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Parts) > 0 {
			res, stats = res.Parts[0], stats.Parts[0]
		}
		var names []string
		for _, p := range res.Phones {
			names = append(names, p.Target)
			for _, d := range stats.Draws {
				if d.Target == p.Target && (d.Before.Time != p.CurrentCost().Time || p.After == nil) {
					t.Errorf("%s: %+v, not %+v", c.files[0].Name, p, d)
				}
			}
		}
		if got := strings.Join(names, ","); got != c.phones {
			t.Errorf("%s for %q: phones %s", c.files[0].Name, c.target, got)
		}
		if n := len(res.Rewritten); n == 0 || n != len(res.Programs) || len(res.Rewritten[n-1].Instructions) >= 5 {
			t.Errorf("%s: the resulting programs are %+v", c.files[0].Name, res.Rewritten)
		}
	}
}
