package shaderlift_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// pairsOf lists the pairs of groups and their slots, the pixel program's first.
func pairsOf(r *shaderlift.Result) (list []string) {
	name := func(s string) string {
		return strings.NewReplacer("VSArray[", "v", "PSArray[", "p", "]", "").Replace(s)
	}
	for _, g := range r.Groups {
		for _, p := range g.Pairs {
			list = append(list, fmt.Sprintf("%s %s: %d->%d, %d->%d", name(p.Vertex), name(p.Pixel), p.PixelSlots.Before,
				p.PixelSlots.After, p.VertexSlots.Before, p.VertexSlots.After))
		}
	}
	return list
}

// optimized optimizes an effect, has every pair verified again, and checks that none costs
// more pixel slots, or as many and more vertex slots.
func optimized(t *testing.T, in shaderlift.Input, o shaderlift.Options) *shaderlift.Result {
	t.Helper()
	res, err := shaderlift.Optimize(t.Context(), in, o)
	if err != nil || len(res.Faults) > 0 || len(res.Uploads) > 0 {
		t.Fatalf("%v %v", err, res.Faults)
	}
	v, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files}, shaderlift.Options{})
	if err != nil {
		t.Errorf("verify says %s (%v)", v.Verdict(), err)
	}
	for _, g := range res.Groups {
		for _, p := range g.Pairs {
			if p.PixelSlots.After > p.PixelSlots.Before ||
				p.PixelSlots.After == p.PixelSlots.Before && p.VertexSlots.After > p.VertexSlots.Before {
				t.Errorf("%s: a pair got worse: %+v", g.Name, p)
			}
		}
	}
	return res
}

// Of programs in arrays work moves to all vertex programs that a pixel program is drawn with,
// where every pair is better for it, and once where several pixel programs want the same.
func TestOptimizeArrays(t *testing.T) {
	const (
		plain  = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0.xy, v1\n"
		twice  = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nadd oT0.xy, v1, v1\n"
		more   = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0.xy, v1\nmul r0, v1, v1\nmul oT1, r0, v0\n"
		colour = "vs_2_0\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oD0, v1\nmov oT0.xy, v1\n"
		shift  = "ps_2_0\ndef c0, 0.25, 0.5, 0, 0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c0\ntexld r0, r0, s0\nmov oC0, r0\n"
		square = "ps_2_0\ndef c3, 0.25, 0.5, 0, 0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c3\ntexld r0, r0, s0\nmul r0, r0, r0\nmov oC0, r0\n"
		read   = "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n"
		reads1 = "ps_2_0\ndcl t0.xy\ndcl t1\ndcl_2d s0\ntexld r0, t0, s0\nmul r0, r0, t1\nmov oC0, r0\n"

		one3   = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1.xy\nmov o0, v0\nmov o1.xy, v1\n"
		two3   = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord5 o1\ndcl_texcoord o4.xy\nmov o0, v0\nmov o1, v0\nadd o4.xy, v1, v1\n"
		shift3 = "ps_3_0\ndef c0, 0.25, 0.5, 0, 0\ndcl_texcoord v0.xy\ndcl_2d s0\nadd r0.xy, v0, c0\ntexld oC0, r0, s0\n"
		both3  = "ps_3_0\ndef c0, 0.25, 0.5, 0, 0\ndcl_texcoord v3.xy\ndcl_texcoord5 v1\ndcl_2d s0\nadd r0.xy, v3, c0\ntexld r0, r0, s0\nmul oC0, r0, v1\n"
	)
	for _, c := range []struct {
		name          string
		vertex, pixel []string
		vi, pi        []uint32
		want          []string
	}{
		{"one pixel program", []string{plain, twice}, []string{shift}, []uint32{0, 1}, []uint32{0, 0},
			[]string{"v0 p0: 3->2, 2->3", "v1 p0: 3->2, 2->4"}},
		{"two that want the same", []string{plain}, []string{shift, square}, []uint32{0, 0}, []uint32{0, 1},
			[]string{"v0 p0: 3->2, 2->3", "v0 p1: 4->3, 2->3"}},
		{"each with each", []string{plain, twice}, []string{shift, square}, []uint32{0, 1, 0, 1}, []uint32{0, 0, 1, 1},
			[]string{"v0 p0: 3->2, 2->3", "v1 p0: 3->2, 2->4", "v0 p1: 4->3, 2->3", "v1 p1: 4->3, 2->4"}},
		{"one that gains nothing", []string{plain, twice}, []string{shift, read}, []uint32{0, 1, 1}, []uint32{0, 0, 1},
			[]string{"v0 p0: 3->3, 2->2", "v1 p0: 3->3, 2->2", "v1 p1: 2->2, 2->2"}},
		{"a partner that writes more", []string{plain, colour}, []string{shift}, []uint32{0, 1}, []uint32{0, 0},
			[]string{"v0 p0: 3->2, 2->3", "v1 p0: 3->2, 3->3"}},
		{"what nothing reads", []string{more}, []string{read, read + "// another\n"}, []uint32{0, 0}, []uint32{0, 1},
			[]string{"v0 p0: 2->2, 4->2", "v0 p1: 2->2, 4->2"}},
		{"what one reads", []string{more}, []string{read, reads1}, []uint32{0, 0}, []uint32{0, 1},
			[]string{"v0 p0: 2->2, 4->4", "v0 p1: 3->3, 4->4"}},
		{"version 3", []string{one3, two3}, []string{shift3, both3}, []uint32{0, 1, 1}, []uint32{0, 0, 1},
			[]string{"v0 p0: 2->1, 2->3", "v1 p0: 2->1, 3->5", "v1 p1: 3->2, 3->5"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := optimized(t, arrays{assembled(c.vertex...), assembled(c.pixel...), c.vi, c.pi}.input(),
				shaderlift.Options{Target: shaderlift.SlotTarget})
			if diff := cmp.Diff(c.want, pairsOf(res)); diff != "" {
				t.Errorf("the pairs cost:\n%s", diff)
			}
		})
	}
}

// What is chosen by an index itself is drawn as element 0 too, as MojoShader does, and what is
// chosen by an index that nobody knows may be anything; elements that are one object are one
// program. What is drawn without a pixel program stays as it is.
func TestArraysOfOtherForms(t *testing.T) {
	const (
		one   = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0.xy, v1\n"
		two   = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nadd oT0.xy, v1, v1\n"
		shift = "ps_2_0\ndef c0, 0.25, 0.5, 0, 0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c0\ntexld r0, r0, s0\nmov oC0, r0\n"
		turn  = "ps_2_0\ndef c0, 0.5, 0.75, 0, 0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c0\ntexld r0, r0, s0\nmov oC0, r0\n"
	)
	selected := func(data []byte) fxtest.Shader { return fxtest.Shader{Data: data, Usage: fx.Selection} }
	table, plain := selected(fxtest.SelectorOf("PSArray", "PSIndices", 2,
		"Index")), selected(fxtest.PlainSelector("VSArray", "Index"))
	for _, c := range []struct {
		name          string
		vertex, pixel fxtest.Shader
		alias         bool
		want          []string
	}{
		{"plain", plain, table, false, []string{"v0 p0: 3->3, 2->2", "v1 p1: 3->3, 2->2", "v0 p1: 3->3, 2->2"}},
		{"unknown", selected(fxtest.PlainSelector("VSArray", "Nothing")), table, false,
			[]string{"v0 p0: 3->2, 2->4", "v0 p1: 3->2, 2->4", "v1 p0: 3->2, 2->5", "v1 p1: 3->2, 2->5"}},
		{"one object", plain, table, true, []string{"v0 p0: 3->2, 2->4", "v0 p1: 3->2, 2->4"}},
		{"no pixel program", plain, fxtest.Shader{}, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b fxtest.Builder
			b.Sampler("Image", "ImageSampler")
			b.Array(fx.VertexShader, "VSArray", assembled(one, two)...)
			if v := &b.Parameters[len(b.Parameters)-1].Variable; c.alias {
				v.SetWords(v.Words()[0], v.Words()[0])
			}
			b.Array(fx.PixelShader, "PSArray", assembled(shift, turn)...)
			b.Param(fxtest.Ints("PSIndices", 0, 1))
			b.Param(fxtest.Ints("Index", 0))
			b.Technique("Main")
			b.AddPass("P0", c.vertex, c.pixel)
			if c.pixel.Data == nil {
				none := fx.State{Operation: fx.SetPixelShader, Variable: fxtest.Ints("", 0)}
				none.Type.Name = fx.String{}
				pass := &b.Techniques[0].Passes[0]
				pass.States = append(pass.States, none)
			}
			if diff := cmp.Diff(c.want, pairsOf(optimized(t, effectFile(&b),
				shaderlift.Options{Target: shaderlift.SlotTarget}))); diff != "" {
				t.Errorf("the pairs cost:\n%s", diff)
			}
		})
	}
}

// Constants that move go by name to every partner, once for all pixel programs; where a
// partner has them already, from there.
func TestArraysByName(t *testing.T) {
	const (
		vertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nadd oPos, v0, c0\nmov oT0.xy, v1\n"
		offset = "ps_2_0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c3\ntexld r0, r0, s0\nmov oC0, r0\n"
		tinted = "ps_2_0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c1\ntexld r0, r0, s0\nmul r0, r0, c2\nmov oC0, r0\n"
	)
	position := d3d9.Constant{Name: "Position"}
	a := arrays{vertexOf: []uint32{0, 1, 0, 1}, pixOf: []uint32{0, 0, 1, 1}}
	a.vertex = [][]byte{
		fxtest.WithTable(fxtest.Assemble(vertex), position),
		fxtest.WithTable(fxtest.Assemble(vertex), d3d9.Constant{Name: "Offset", Index: 7}, position),
	}
	a.pixel = [][]byte{
		fxtest.WithTable(fxtest.Assemble(offset), d3d9.Constant{Name: "Offset", Index: 3}),
		fxtest.WithTable(fxtest.Assemble(tinted), d3d9.Constant{Name: "Offset", Index: 1},
			d3d9.Constant{Name: "Tint", Index: 2}),
	}
	in := a.input()
	res := optimized(t, in, shaderlift.Options{Target: shaderlift.SlotTarget})
	want := []string{"v0 p0: 3->2, 2->3", "v1 p0: 3->2, 2->3", "v0 p1: 4->3, 2->3", "v1 p1: 4->3, 2->3"}
	if diff := cmp.Diff(want, pairsOf(res)); diff != "" {
		t.Errorf("the pairs cost:\n%s", diff)
	}
	shaders := func(data []byte) []fx.Shader {
		e, err := fx.Decode("a.fxb", data)
		if err != nil {
			t.Fatal(err)
		}
		return e.Shaders()
	}
	for i, want := range [][]string{{"Offset c1 1", "Position c0 1"}, {"Offset c7 1", "Position c0 1"}} {
		p, err := d3d9.Decode("a.fxb", *shaders(res.Files[0].Data)[i].Data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, entries(t, p)); diff != "" {
			t.Errorf("the table of vertex program %d is:\n%s", i, diff)
		}
	}

	// A table may gain what a partner has, for the register that is free, and nothing else.
	for name, gained := range map[string]d3d9.Constant{
		"of no program": {Name: "Other", Index: 1}, "another": {Name: "Tint",
			Index: 1}, "a register that is set": {Name: "Offset", Index: 0},
	} {
		e, err := fx.Decode("a.fxb", res.Files[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		s := e.Shaders()[0]
		p, err := d3d9.Decode("a.fxb", *s.Data)
		if err != nil {
			t.Fatal(err)
		}
		p.Insts = p.Insts[1:] // its table
		code, err := d3d9.Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		*s.Data = fxtest.WithTable(code, gained, position)
		data, err := fx.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		after := shaderlift.Input{Files: []shaderlift.File{{Name: "b.fxb", Data: data}}}
		if v, err := shaderlift.Verify(t.Context(), in, after, shaderlift.Options{}); err == nil {
			t.Errorf("with an entry for %s it is %s", name, v.Verdict())
		}
	}
}

// Effects put together at random get no worse in any pair, and every pair is proved.
func TestRandomArrays(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	tables := func(text string, constants ...d3d9.Constant) []byte {
		return fxtest.WithTable(fxtest.Assemble(text), constants...)
	}
	// Below 3.0 registers go by number, in 3.0 by semantics, which programs may have in any
	// registers.
	vertex := func(three bool) []byte {
		text := "vs_2_0\ndef c9, 0.5, 2, 0.25, 1\ndcl_position v0\ndcl_texcoord v1\ndcl_normal v2\n"
		code := "dp4 oPos.x, v0, c0\ndp4 oPos.y, v0, c1\ndp4 oPos.z, v0, c2\ndp4 oPos.w, v0, c3\n" +
			pick("mov oT0.xy, v1\n", "mul oT0.xy, v1, c9\n", "mov oT0, v1\n", "add r1, v1, c4\nmul oT0.xy, r1, c9\n") +
			pick("mov oT1.xyz, v2\n", "mov oT1, v2\n", "mul r0, v2, c9\nmov oT1.xyz, r0\n") +
			pick("mov oD0, c4\n", "mul oD0, v2, c4\n") + pick("", "mov oT2, v0\n", "mul oT3, v0, c9\n")
		if three {
			o := rng.Perm(6)
			text = strings.Replace(text, "vs_2_0", "vs_3_0", 1)
			for i, sem := range []string{"oPos position", "oD0 color", "oT0 texcoord0", "oT1 texcoord1", "oT2 texcoord2",
				"oT3 texcoord3"} {
				old, usage, _ := strings.Cut(sem, " ")
				if strings.Contains(code, old) {
					mask := ""
					if strings.Contains(code, old+".xyz") {
						mask = ".xyz"
					} else if strings.Contains(code, old+".xy") {
						mask = ".xy"
					}
					text += fmt.Sprintf("dcl_%s o%d%s\n", usage, o[i], mask)
					code = strings.ReplaceAll(code, old, fmt.Sprintf("o%d", o[i]))
				}
			}
		}
		return tables(text+code, d3d9.Constant{Name: "Matrix", Count: 4, Elements: 4},
			d3d9.Constant{Name: pick("Tint", "Light"), Index: 4})
	}
	pixel := func(three bool) []byte {
		text := "ps_2_0\ndef c8, 0.25, 0.5, 2, 1\ndcl t0.xy\ndcl t1.xyz\ndcl v0\ndcl_2d s0\n"
		code := pick("mov r0, t0\n", "add r0.xy, t0, c8\n", "mul r0.xy, t0, c8.z\nadd r0.xy, r0, c0\n",
			"mul r0.xy, t0, c8\n") + "texld r0, r0, s0\n" +
			pick("", "mul r0, r0, v0\n", "mul r0, r0, c1\n") +
			pick("", "sub r1.xyz, t1, c1\nmul r0.xyz, r0, r1\n",
				"add r1.xyz, t1, t1\nmul r1.xyz, r1, c1\nmul r0.xyz, r0, r1\n", "mul r1.x, c0.x, c0.y\nmul r0, r0, r1.x\n") +
			"mov oC0, r0\n"
		code = strings.ReplaceAll(code, "mov r0, t0\ntexld r0, r0, s0", "texld r0, t0, s0")
		if three {
			v := rng.Perm(3)
			names := strings.NewReplacer("t0", fmt.Sprintf("v%d", v[0]), "t1", fmt.Sprintf("v%d", v[1]), "v0",
				fmt.Sprintf("v%d", v[2]))
			text = fmt.Sprintf("ps_3_0\ndef c8, 0.25, 0.5, 2, 1\ndcl_texcoord0 v%d.xy\ndcl_texcoord1 v%d.xyz\ndcl_color v%d\ndcl_2d s0\n", v[0], v[1], v[2])
			code = names.Replace(code)
		}
		return tables(text+code, d3d9.Constant{Name: "Light", Index: 1}, d3d9.Constant{Name: "Tint", Index: 0})
	}
	better := 0
	for i := range 48 {
		three := i%2 == 1
		var a arrays
		for range 1 + rng.IntN(4) {
			a.vertex = append(a.vertex, vertex(three))
		}
		for range 1 + rng.IntN(4) {
			a.pixel = append(a.pixel, pixel(three))
		}
		for range 2 + rng.IntN(8) {
			a.vertexOf = append(a.vertexOf, rng.Uint32N(uint32(len(a.vertex))))
			a.pixOf = append(a.pixOf, rng.Uint32N(uint32(len(a.pixel))))
		}
		o := shaderlift.Options{Target: shaderlift.SlotTarget,
			Pipeline: []string{"", "", "O3", "gvn,codemotion,varyings", "O1", "varyings,codemotion,dce"}[i/2%6]}
		if res := optimized(t, a.input(), o); res.Status == shaderlift.Improved {
			better++
		}
	}
	if better < 25 {
		t.Errorf("only %d get better", better)
	}
}

// What moves and what a preshader computes are both had of a program in an array.
func TestArraysWithPreshaders(t *testing.T) {
	const (
		vertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0.xy, v1\n"
		twice  = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nadd oT0.xy, v1, v1\n"
		pixel  = "ps_2_0\ndef c5, 0.25, 0.5, 0, 0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c5\ntexld r0, r0, s0\nmov r1, c0\nmul r1, r1, c1\nmul r0, r0, r1\nmov oC0, r0\n"
	)
	a := arrays{vertexOf: []uint32{0, 1}, pixOf: []uint32{0, 0}, vertex: assembled(vertex, twice)}
	a.pixel = [][]byte{fxtest.WithTable(fxtest.Assemble(pixel), d3d9.Constant{Name: "Light", Index: 0},
		d3d9.Constant{Name: "Tint", Index: 1})}
	if diff := cmp.Diff([]string{"v0 p0: 6->3, 2->3", "v1 p0: 6->3, 2->4"},
		pairsOf(optimized(t, a.input(), shaderlift.Options{Target: shaderlift.SlotTarget}))); diff != "" {
		t.Errorf("the pairs cost:\n%s", diff)
	}
}
