package fx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// selecting returns an effect with three vertex and three pixel programs in arrays, and a pass.
func selecting(vertex, pixel fxtest.Shader) *fxtest.Builder {
	var b fxtest.Builder
	var vs, ps [][]byte
	for i := range 3 {
		vs = append(vs, fxtest.Assemble(fmt.Sprintf("vs_2_0\nmov oPos, c%d\n", i)))
		ps = append(ps, fxtest.Assemble(fmt.Sprintf("ps_2_0\nmov oC0, c%d\n", i)))
	}
	b.Array(fx.VertexShader, "VSArray", vs...)
	b.Array(fx.PixelShader, "PSArray", ps...)
	b.Param(fxtest.Ints("VSIndices", 2, 0, 0, 0xffffffff))
	b.Param(fxtest.Ints("PSIndices", 0, 1, 1, 7))
	b.Param(fxtest.Ints("Two", 1, 2))
	b.Param(fxtest.Ints("Index", 0))
	b.Param(fxtest.Ints("Other", 0))
	b.Param(fxtest.Vector("Float", 1))
	b.Technique("Main")
	b.AddPass("P0", vertex, pixel)
	return &b
}

func selected(data []byte) fxtest.Shader { return fxtest.Shader{Data: data, Usage: fx.Selection} }

func vertices(indices string, n int, index string) fxtest.Shader {
	return selected(fxtest.SelectorOf("VSArray", indices, n, index))
}

func pixels(indices string, n int, index string) fxtest.Shader {
	return selected(fxtest.SelectorOf("PSArray", indices, n, index))
}

// drawsOf returns the draws of such an effect. A to C are its vertex programs, a to c its pixel
// programs, D and d those of the pass, and - is a missing stage.
func drawsOf(t *testing.T, vertex, pixel fxtest.Shader) string {
	t.Helper()
	e := decode(t, selecting(vertex, pixel).Build())
	shaders := e.Shaders()
	draws, ok := e.Draws(shaders)
	if !ok {
		return "unknown"
	}
	name := func(stage int, i int) string {
		switch {
		case i == fx.NoShader:
			return "-"
		case shaders[i].InPass():
			return [...]string{"D", "d"}[stage]
		}
		return [...]string{"ABC", "abc"}[stage][shaders[i].Element:][:1]
	}
	var list []string
	for _, d := range draws {
		list = append(list, name(0, d.Shaders[0])+name(1, d.Shaders[1]))
	}
	return strings.Join(list, " ")
}

// TestDraws checks that programs selected by equal valid indices are paired, and that element 0 is
// added if the index itself selects, as in MojoShader.
func TestDraws(t *testing.T) {
	plain := func(array, index string) fxtest.Shader { return selected(fxtest.PlainSelector(array, index)) }
	ownVertex, ownPixel := fxtest.Shader{Data: fxtest.Assemble(vertexText)}, fxtest.Shader{Data: fxtest.Assemble(pixelText)}
	const all = "Aa Ab Ac Ba Bb Bc Ca Cb Cc"
	for _, c := range []struct {
		name          string
		vertex, pixel fxtest.Shader
		want          string
	}{
		// Index 3 maps to element -1, which means the first, and to element 7, which does not
		// exist.
		{"tables", vertices("VSIndices", 4, "Index"), pixels("PSIndices", 4, "Index"), "Ca Ab"},
		{"a shorter table", vertices("VSIndices", 4, "Index"), pixels("Two", 2, "Index"), "Cb Ac"},
		{"two indices", vertices("VSIndices", 4, "Index"), pixels("Two", 2, "Other"), "Cb Cc Ab Ac"},
		{"plain", plain("VSArray", "Index"), pixels("PSIndices", 4, "Index"), "Aa Bb Cb Ab"},
		{"both plain", plain("VSArray", "Index"), plain("PSArray", "Index"), "Aa Bb Cc"},
		{"own and table", ownVertex, pixels("PSIndices", 4, "Index"), "Da Db"},
		{"own and plain", plain("VSArray", "Index"), ownPixel, "Ad Bd Cd"},
		{"own", ownVertex, ownPixel, "Dd"},
		{"a table of another size", vertices("VSIndices", 3, "Index"), plain("PSArray", "Index"), all},
		{"an index that is no integer", vertices("VSIndices", 4, "Float"), plain("PSArray", "Index"), all},
		{"an unknown index", vertices("VSIndices", 4, "Nothing"), plain("PSArray", "Index"), all},
		{"an index that is a table", plain("VSArray", "Two"), plain("PSArray", "Two"), all},
		{"an unknown array", selected(fxtest.PlainSelector("Array", "Index")), ownPixel, "unknown"},
		{"an array of the other stage", plain("PSArray", "Index"), ownPixel, "unknown"},
		{"a stage that stays", ownVertex, fxtest.Shader{}, "unknown"},
		{"a parameter", fxtest.Shader{Data: []byte("VSArray\x00"), Usage: fx.Reference}, ownPixel, "unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, drawsOf(t, c.vertex, c.pixel)); diff != "" {
				t.Errorf("the draws are:\n%s", diff)
			}
		})
	}
}

// TestSharedArrays checks that arrays shared with other effects make a draw unknown, and that
// shared tables may have any contents.
func TestSharedArrays(t *testing.T) {
	for name, want := range map[string]int{"VSArray": 0, "VSIndices": 6, "Index": 2} {
		b := selecting(vertices("VSIndices", 4, "Index"), pixels("PSIndices", 4, "Index"))
		for i := range b.Parameters {
			if p := &b.Parameters[i]; p.Type.Name.Text == name {
				p.Flags = 1
			}
		}
		e := decode(t, b.Build())
		draws, ok := e.Draws(e.Shaders())
		if len(draws) != want || ok != (want > 0) {
			t.Errorf("where %s is shared there are %d draws (%v), want %d", name, len(draws), ok, want)
		}
	}
}
