package shaderlift_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/verify"
)

// arrays is an effect whose only pass chooses both of its programs by an index.
type arrays struct {
	vertex, pixel   [][]byte
	vertexOf, pixOf []uint32 // elements by index
}

func assembled(texts ...string) (list [][]byte) {
	for _, text := range texts {
		list = append(list, fxtest.Assemble(text))
	}
	return list
}

func (a arrays) input() shaderlift.Input {
	var b fxtest.Builder
	b.Sampler("Image", "ImageSampler")
	b.Array(fx.VertexShader, "VSArray", a.vertex...)
	b.Param(fxtest.Ints("VSIndices", a.vertexOf...))
	b.Array(fx.PixelShader, "PSArray", a.pixel...)
	b.Param(fxtest.Ints("PSIndices", a.pixOf...))
	b.Param(fxtest.Ints("ShaderIndex", 0))
	b.Technique("Main")
	n := len(a.vertexOf)
	b.AddPass("P0", fxtest.Shader{Data: fxtest.SelectorOf("VSArray", "VSIndices", n, "ShaderIndex"), Usage: fx.Selection},
		fxtest.Shader{Data: fxtest.SelectorOf("PSArray", "PSIndices", n, "ShaderIndex"), Usage: fx.Selection})
	return effectFile(&b)
}

// exchanged is list with two elements exchanged.
func exchanged(list [][]byte, i, k int) [][]byte {
	out := append([][]byte(nil), list...)
	out[i], out[k] = out[k], out[i]
	return out
}

// Of programs in arrays every pair that an index draws with is compared, and what no index
// chooses by itself.
func TestVerifyArrays(t *testing.T) {
	const (
		plain = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\nmov oT1, v0\n"
		twice = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nadd oT0, v1, v1\nmov oT1, v0\n"
		idle  = "vs_2_0\ndcl_position v0\nmov oPos, v0\n"
		first = "ps_2_0\ndcl t0\nmov oC0, t0\n"
		other = "ps_2_0\ndcl t0\nmul r0, t0, t0\nmov oC0, r0\n"
	)
	before := arrays{assembled(plain, twice, idle), assembled(first, other), []uint32{0, 1, 1}, []uint32{0, 0, 1}}
	moved := func(texts ...string) (list [][]byte) {
		for _, text := range texts {
			list = append(list, fxtest.Assemble(strings.NewReplacer("oT0", "oT1", "oT1", "oT0", "t0", "t1").Replace(text)))
		}
		return list
	}
	with := func(vertex, pixel [][]byte) arrays { return arrays{vertex, pixel, before.vertexOf, before.pixOf} }
	for _, c := range []struct {
		name  string
		after arrays
		want  string // a verdict, a code, or empty for anything that is refused
	}{
		{"nothing", before, "proved"},
		{"another register in all", with(moved(plain, twice, idle), moved(first, other)), "proved"},
		{"another register in one vertex program", with(append(moved(plain), before.vertex[1:]...), before.pixel), ""},
		{"another register but in one vertex program",
			with(append(moved(plain), before.vertex[1:]...), moved(first, other)), ""},
		{"another register in one pixel program",
			with(moved(plain, twice, idle), append(moved(first), before.pixel[1:]...)), ""},
		{"vertex programs exchanged", with(exchanged(before.vertex, 0, 1), before.pixel), "refuted"},
		{"pixel programs exchanged", with(before.vertex, exchanged(before.pixel, 0, 1)), "refuted"},
		{"both exchanged", with(exchanged(before.vertex, 0, 1), exchanged(before.pixel, 0, 1)), "refuted"},
		{"indices exchanged", arrays{before.vertex, before.pixel, []uint32{1, 0, 1}, before.pixOf}, "wrong-pair"},
		{"programs and indices exchanged", arrays{exchanged(before.vertex, 0, 1), before.pixel, []uint32{1, 0, 0},
			before.pixOf}, "wrong-pair"},
		{"what no index chooses", with(append(before.vertex[:2:2], before.vertex[0]), before.pixel), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := shaderlift.Verify(t.Context(), before.input(), c.after.input(), shaderlift.Options{})
			d := (*asm.Diag)(nil)
			switch {
			case errors.As(err, &d):
				if string(d.Code) != c.want {
					t.Errorf("it is refused as %s: %v", d.Code, err)
				}
			case (err == nil) != (c.want == "proved") || err != nil && !errors.Is(err, shaderlift.ErrRefused):
				t.Errorf("it is %s (%v)", v.Verdict(), err)
			case c.want != "" && v.Verdict().String() != c.want:
				t.Errorf("it is %s", v.Verdict())
			}
		})
	}
	v, err := shaderlift.Verify(t.Context(), before.input(), before.input(), shaderlift.Options{})
	if err != nil || v.Verdict() != verify.Proved {
		t.Fatal(err)
	}
	var names []string
	for _, p := range v.Parts {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"VSArray[2]", "VSArray[0],PSArray[0]", "VSArray[1],PSArray[0]",
		"VSArray[1],PSArray[1]"}, names); diff != "" {
		t.Errorf("what is compared is:\n%s", diff)
	}
}
