package fx_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// corpus returns the effects of the corpus.
func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	return read(t, testcorpus.Glob(t, "corpus/d3d9/effects/*.efb"))
}

func read(t testing.TB, paths []string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = data
	}
	return files
}

const (
	vertexText = "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, v0\n"
	pixelText  = "ps_2_0\ndcl t0\nmov oC0, t0\n"
)

// sample returns an effect with every kind of part: a matrix with annotations, a structure,
// strings, samplers, arrays of shaders that share an element, passes with their own programs and
// selected shaders.
func sample() *fxtest.Builder {
	b := &fxtest.Builder{}
	world := fxtest.Matrix("World", 4, 3)
	world.Type.Semantic = fx.NewString("WORLD")
	b.Param(world, fxtest.Vector("Range", 2, 0, 0x3f800000), b.TextVariable("Help", "object to world"))
	light := fx.Variable{Type: fx.Type{Class: fx.Struct, Name: fx.NewString("Light"), Elements: 2, Members: []fx.Type{
		{Class: fx.Vector, Type: fx.Float, Name: fx.NewString("Color"), Rows: 1, Columns: 3},
		{Class: fx.Scalar, Type: fx.Int, Name: fx.NewString("Kind"), Rows: 1, Columns: 1},
	}}}
	light.SetWords(1, 2, 3, 4, 5, 6, 7, 8)
	b.Param(light)
	b.Sampler("Image", "ImageSampler")
	vs, ps := fxtest.Assemble(vertexText), fxtest.Assemble(pixelText)
	b.Array(fx.VertexShader, "VSArray", vs, fxtest.Assemble("vs_2_0\nmov oPos, c0\n"))
	b.Array(fx.PixelShader, "PSArray", ps)
	shared := &b.Parameters[len(b.Parameters)-1].Variable
	shared.Type.Elements = 3
	shared.SetWords(shared.Words()[0], shared.Words()[0], shared.Words()[0])
	b.Param(fxtest.Ints("VSIndices", 0, 1, 1))
	b.Technique("Main", fxtest.Ints("Quality", 7))
	b.AddPass("", fxtest.Shader{Data: vs}, fxtest.Shader{Data: ps})
	b.AddPass("Selected", fxtest.Shader{Data: []byte("\x08\x00\x00\x00VSArray\x00"), Usage: fx.Selection},
		fxtest.Shader{Data: ps})
	b.AddPass("PixelOnly", fxtest.Shader{}, fxtest.Shader{Data: ps})
	return b
}

func decode(t testing.TB, data []byte) *fx.Effect {
	t.Helper()
	e, err := fx.Decode("test.fxb", data)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func encode(t testing.TB, e *fx.Effect) []byte {
	t.Helper()
	data, err := fx.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// content compares the contents of effects, ignoring places in the pool.
var content = cmp.Options{
	cmpopts.IgnoreTypes(fx.Place{}),
	cmpopts.IgnoreFields(fx.Effect{}, "Pool"),
	cmpopts.IgnoreUnexported(fx.Object{}, fx.Assignment{}),
	cmpopts.EquateEmpty(),
}

// moved returns e with an empty pool, so that Encode writes everything again.
func moved(e *fx.Effect) *fx.Effect {
	e.Pool = nil
	variable := func(v *fx.Variable) {}
	typ := func(t *fx.Type) {}
	typ = func(t *fx.Type) {
		t.Name.Place, t.Semantic.Place = fx.Place{}, fx.Place{}
		for i := range t.Members {
			typ(&t.Members[i])
		}
	}
	variable = func(v *fx.Variable) {
		v.TypePlace, v.ValuePlace = fx.Place{}, fx.Place{}
		typ(&v.Type)
		for _, states := range v.Samplers {
			for i := range states {
				variable(&states[i].Variable)
			}
		}
	}
	each := func(list []fx.Variable) {
		for i := range list {
			variable(&list[i])
		}
	}
	for i := range e.Parameters {
		variable(&e.Parameters[i].Variable)
		each(e.Parameters[i].Annotations)
	}
	for i := range e.Techniques {
		t := &e.Techniques[i]
		t.Name.Place = fx.Place{}
		each(t.Annotations)
		for j := range t.Passes {
			p := &t.Passes[j]
			p.Name.Place = fx.Place{}
			each(p.Annotations)
			for k := range p.States {
				variable(&p.States[k].Variable)
			}
		}
	}
	return e
}

// checkRoundTrip checks the guarantees of Decode and Encode on an effect.
func checkRoundTrip(t *testing.T, data []byte) {
	t.Helper()
	e := decode(t, data)
	if got := encode(t, e); !bytes.Equal(got, data) {
		t.Errorf("%d bytes come back as %d others", len(data), len(got))
	}
	e = moved(e)
	if again := moved(decode(t, encode(t, e))); !reflect.DeepEqual(e, again) {
		t.Errorf("written with a pool of its own it is another effect:\n%s", cmp.Diff(e, again, content))
	}
}

func TestRoundTrip(t *testing.T) {
	b := sample()
	data := b.Build()
	checkRoundTrip(t, data)
	if diff := cmp.Diff(&b.Effect, decode(t, data), content,
		cmpopts.IgnoreFields(fx.Effect{}, "ObjectCount")); diff != "" {
		t.Errorf("what is read is not what was written:\n%s", diff)
	}
	wrapper := []byte{0xcf, 0x0b, 0xf0, 0xbc, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	checkRoundTrip(t, append(append(wrapper, data...), "behind the end"...))
}

// TestCorpus checks that effects of the corpus are encoded byte for byte.
func TestCorpus(t *testing.T) {
	shaders, passes := 0, 0
	for name, data := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			checkRoundTrip(t, data)
			e := decode(t, data)
			if n := e.CountShaderSlots(); n != e.ShaderSlots {
				t.Errorf("it counts %d shader slots, not %d", e.ShaderSlots, n)
			}
			for _, s := range e.Shaders() {
				shaders++
				p, err := d3d9.Decode(name, *s.Data)
				if err != nil || p.Model.Stage != s.Stage {
					t.Errorf("technique %d pass %d has no %s program (%v)", s.Technique, s.Pass, s.Stage, err)
				}
			}
			for _, technique := range e.Sources() {
				passes += len(technique)
			}
		})
	}
	if shaders != 570 || passes != 289 {
		t.Errorf("%d shaders in %d passes", shaders, passes)
	}
}

// TestReplaceShader checks that replacing a shader by a longer one changes nothing else.
func TestReplaceShader(t *testing.T) {
	files := map[string][]byte{"sample": sample().Build()}
	maps.Copy(files, read(t, testcorpus.GlobOptional(t, "corpus/d3d9/effects/*.efb")))
	longer := fxtest.Assemble("ps_2_0\ndef c0, 1, 2, 3, 4\nmov r0, c0\nmov oC0, r0\n")
	for name, data := range files {
		for i := range decode(t, data).Shaders() {
			e := decode(t, data)
			s := e.Shaders()[i]
			old := *s.Data
			*s.Data = longer
			back := decode(t, encode(t, e))
			s = back.Shaders()[i]
			if !bytes.Equal(*s.Data, longer) {
				t.Fatalf("%s: shader %d is not what it was set to", name, i)
			}
			*s.Data = old
			if !bytes.Equal(encode(t, back), data) {
				t.Fatalf("%s: replacing shader %d changed something else", name, i)
			}
		}
	}
}

func TestShaders(t *testing.T) {
	e := decode(t, sample().Build())
	want := [][][2]fx.Source{{{fx.Owned, fx.Owned}, {fx.Selected, fx.Owned}, {fx.Inherited, fx.Owned}}}
	if diff := cmp.Diff(want, e.Sources()); diff != "" {
		t.Errorf("where passes have their shaders from:\n%s", diff)
	}
	type where struct {
		Stage              d3d9.Stage
		Technique, Pass    int
		Parameter, Element int
	}
	var got []where
	for _, s := range e.Shaders() {
		got = append(got, where{s.Stage, s.Technique, s.Pass, s.Parameter, s.Element})
	}
	if diff := cmp.Diff([]where{
		{d3d9.Vertex, 0, 0, 0, 0}, {d3d9.Pixel, 0, 0, 0, 0}, {d3d9.Pixel, 0, 1, 0, 0}, {d3d9.Pixel, 0, 2, 0, 0},
		{d3d9.Vertex, -1, 0, 4, 0}, {d3d9.Vertex, -1, 0, 4, 1}, {d3d9.Pixel, -1, 0, 5, 0},
	}, got); diff != "" {
		t.Errorf("the shaders are others:\n%s", diff)
	}
}

// TestSharedObject checks that two states with the same object both have no shader of their own.
func TestSharedObject(t *testing.T) {
	b := sample()
	passes := b.Techniques[0].Passes
	passes[2].States[0].SetWords(passes[0].States[1].Words()...)
	e := decode(t, b.Build())
	if s := e.Sources()[0][0][d3d9.Pixel]; s != fx.Unclear {
		t.Errorf("the source of a shared object is %d", s)
	}
	if s := e.Sources()[0][1][d3d9.Pixel]; s != fx.Owned {
		t.Errorf("the source of another object is %d", s)
	}
}

// TestEdit checks that edits are written: a new value, a longer name, another parameter.
func TestEdit(t *testing.T) {
	e := decode(t, sample().Build())
	e.Parameters[0].SetWords(make([]uint32, 12)...)
	e.Parameters[0].Data[0] = 9
	e.Techniques[0].Name = fx.NewString("AnotherName")
	e.Parameters = append(e.Parameters, fx.Parameter{Variable: fxtest.Vector("Tint", 4, 1, 2, 3, 4)})
	back := decode(t, encode(t, e))
	if diff := cmp.Diff(e, back, content); diff != "" {
		t.Errorf("the edited effect reads as another:\n%s", diff)
	}
}

func TestEncodeRefuses(t *testing.T) {
	for code, edit := range map[string]func(e *fx.Effect){
		"value-size":    func(e *fx.Effect) { e.Parameters[0].SetWords(1) },
		"unknown-state": func(e *fx.Effect) { e.Techniques[0].Passes = e.Techniques[0].Passes[:1] },
	} {
		e := decode(t, sample().Build())
		edit(e)
		_, err := fx.Encode(e)
		if d := (*asm.Diag)(nil); !errors.As(err, &d) || string(d.Code) != code {
			t.Errorf("%v, not %s", err, code)
		}
	}
}
