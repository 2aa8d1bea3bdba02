package fx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/fx/fxtest"
)

// selecting is an effect with three vertex and three pixel programs in arrays, and a pass.
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
	b.Pass("P0", vertex, pixel)
	return &b
}

func selected(data []byte) fxtest.Shader { return fxtest.Shader{Data: data, Usage: fx.Selection} }

func vertices(indices string, n int, index string) fxtest.Shader {
	return selected(fxtest.SelectorOf("VSArray", indices, n, index))
}

func pixels(indices string, n int, index string) fxtest.Shader {
	return selected(fxtest.SelectorOf("PSArray", indices, n, index))
}

// drawsOf spells the draws of such an effect: its vertex programs A to C with its pixel
// programs a to c, D and d those of the pass, and - where a stage has none.
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

// What an index selects that is inside its tables is drawn together, and element 0 for what
// is chosen by the index itself, as MojoShader does.
func TestDraws(t *testing.T) {
	plain := func(array, index string) fxtest.Shader { return selected(fxtest.PlainSelector(array, index)) }
	ownVertex, ownPixel := fxtest.Shader{Data: fxtest.Assemble(vertexText)}, fxtest.Shader{Data: fxtest.Assemble(pixelText)}
	const all = "Aa Ab Ac Ba Bb Bc Ca Cb Cc"
	for _, c := range []struct {
		name          string
		vertex, pixel fxtest.Shader
		want          string
	}{
		// Index 3 is element -1, which is the first, and element 7, which is none.
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

// What other effects may choose from is drawn with anything, and a table that they set may
// hold anything.
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

// Names that end as those of arrays and tables do are others.
func TestChosenNames(t *testing.T) {
	for _, c := range []struct {
		name string
		add  func(b *fxtest.Builder)
		want bool
	}{
		{"a parameter", func(b *fxtest.Builder) {
			read := d3d9.Constant{Name: "MyVSIndices"}
			b.Pass("P1", fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(vertexText), read)}, fxtest.Shader{Data: fxtest.Assemble(pixelText)})
		}, true},
		{"the table", func(b *fxtest.Builder) {
			read := d3d9.Constant{Name: "VSIndices"}
			b.Pass("P1", fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(vertexText), read)}, fxtest.Shader{Data: fxtest.Assemble(pixelText)})
		}, false},
		{"the table in a preshader", func(b *fxtest.Builder) {
			read := d3d9.Constant{Name: "PSIndices", Set: d3d9.SetFloat4, Count: 4, Class: 0, Type: uint16(fx.Int), Rows: 1, Columns: 1, Elements: 4}
			data := fxtest.Attach(fxtest.WithTable(fxtest.Assemble(pixelText)), fxtest.Preshader([]d3d9.Constant{read}, "neg c9.x, in0.x"))
			b.Pass("P1", fxtest.Shader{Data: fxtest.Assemble(vertexText)}, fxtest.Shader{Data: data})
		}, false},
		{"a parameter in a preshader", func(b *fxtest.Builder) {
			read := d3d9.Constant{Name: "OtherPSIndices", Set: d3d9.SetFloat4, Count: 4, Class: 0, Type: uint16(fx.Int), Rows: 1, Columns: 1, Elements: 4}
			data := fxtest.Attach(fxtest.WithTable(fxtest.Assemble(pixelText)), fxtest.Preshader([]d3d9.Constant{read}, "neg c9.x, in0.x"))
			b.Pass("P1", fxtest.Shader{Data: fxtest.Assemble(vertexText)}, fxtest.Shader{Data: data})
		}, true},
		{"a sampler's texture", func(b *fxtest.Builder) { b.Sampler("TheVSArray", "S") }, true},
		{"a state that is the array", func(b *fxtest.Builder) {
			b.Pass("P1", fxtest.Shader{Data: []byte("VSArray\x00"), Usage: fx.Reference}, fxtest.Shader{Data: fxtest.Assemble(pixelText)})
		}, false},
	} {
		b := selecting(vertices("VSIndices", 4, "Index"), pixels("PSIndices", 4, "Index"))
		c.add(b)
		if _, ok := decode(t, b.Build()).Chosen(); ok != c.want {
			t.Errorf("%s: %v", c.name, ok)
		}
	}
}

// An effect says which programs an index chooses if both tables are of that index alone, and
// it may have more of them.
func TestChosen(t *testing.T) {
	b := selecting(vertices("VSIndices", 4, "Index"), pixels("PSIndices", 4, "Index"))
	e, err := fx.Decode("chosen", b.Build())
	if err != nil {
		t.Fatal(err)
	}
	c, ok := e.Chosen()
	if !ok || c.Indices() != 4 {
		t.Fatalf("%+v, %v", c, ok)
	}
	choose := func(e *fx.Effect, c fx.Chosen) (list []string) {
		for i := range c.Indices() {
			if k, ok := c.Elements(e, i); ok {
				list = append(list, fmt.Sprint(k))
			} else {
				list = append(list, "none")
			}
		}
		return list
	}
	if diff := cmp.Diff([]string{"[2 0]", "[0 1]", "[0 1]", "none"}, choose(e, c)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	more := fxtest.Assemble("vs_2_0\nmov oPos, c9\n")
	c.Grow(e, 0, [][]byte{more}, []uint32{2, 0, 3, 0xffffffff})
	data, err := fx.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	old := e
	if e, err = fx.Decode("grown", data); err != nil {
		t.Fatal(err)
	}
	if c, ok = e.Chosen(); !ok || string(*c.Programs(e, 0)[3]) != string(more) || e.ShaderSlots != e.CountShaderSlots() {
		t.Errorf("it has grown to %+v, %v", c, ok)
	}
	if diff := cmp.Diff([]string{"[2 0]", "[0 1]", "[3 1]", "none"}, choose(e, c)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if again, _ := fx.Encode(e); string(again) != string(data) || old.ObjectCount != e.ObjectCount {
		t.Error("it is not written as it was read")
	}
	for name, b := range map[string]*fxtest.Builder{
		"two indices":   selecting(vertices("VSIndices", 4, "Index"), pixels("PSIndices", 4, "Other")),
		"one table":     selecting(vertices("VSIndices", 4, "Index"), pixels("VSIndices", 4, "Index")),
		"one stage":     selecting(vertices("VSIndices", 4, "Index"), fxtest.Shader{}),
		"no table":      selecting(vertices("VSIndices", 4, "Index"), selected(fxtest.PlainSelector("PSArray", "Index"))),
		"no selections": selecting(fxtest.Shader{}, fxtest.Shader{}),
	} {
		if e, err = fx.Decode(name, b.Build()); err != nil {
			t.Fatal(err)
		}
		if c, ok := e.Chosen(); ok {
			t.Errorf("%s: %+v", name, c)
		}
	}
}
