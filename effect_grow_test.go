package shaderlift_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/fx/fxtest"
)

// stillPixel has nothing to move, so that a vertex program that it shares with effectPixel
// cannot do what that would like it to.
const (
	stillPixel  = "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n"
	stillVertex = "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0.xy, v0\n"
)

// growing is an effect in which three indices draw with one vertex program, and two pixel
// programs; nothing chooses the last ones.
func growing() arrays {
	return arrays{assembled(effectVertex, stillVertex), assembled(effectPixel, stillPixel, slowPixel), []uint32{0, 0, 0}, []uint32{0, 1, 0}}
}

func TestGrow(t *testing.T) {
	in := growing().input()
	plain, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
	if err != nil || plain.Growth != nil || plain.Groups[0].Pairs[0].PixelSlots != (shaderlift.Change{Before: 3, After: 3}) {
		t.Fatalf("without growth: %+v (%v)", plain.Groups, err)
	}
	o := shaderlift.Options{Grow: true}
	res, err := shaderlift.Optimize(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	g := res.Growth
	if g == nil || len(g.Pairs) != 1 || g.Pairs[0].PixelSlots != (shaderlift.Change{Before: 3, After: 2}) ||
		g.Programs != (shaderlift.Change{Before: 5, After: 6}) || g.Bytes != (shaderlift.Change{Before: len(in.Files[0].Data), After: len(res.Files[0].Data)}) {
		t.Fatalf("it has grown by %+v", g)
	}
	e, err := fx.Decode("grown", res.Files[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	c, ok := e.Chosen()
	if !ok || e.Parameters[c.Arrays[0]].Type.Elements != 3 || e.Parameters[c.Arrays[1]].Type.Elements != 3 {
		t.Fatalf("the arrays are %+v", c)
	}
	var chosen [3][2]int
	for i := range chosen {
		chosen[i], _ = c.Elements(e, i)
	}
	if chosen != [3][2]int{{2, 0}, {0, 1}, {2, 0}} {
		t.Errorf("indices choose %v", chosen)
	}

	after := shaderlift.Input{Files: res.Files}
	v, err := shaderlift.Verify(t.Context(), in, after, o)
	if err != nil || len(v.Parts) != 4 {
		t.Errorf("%v with %d parts: %v", v.Verdict(), len(v.Parts), err)
	}
	var d *asm.Diag
	if _, err := shaderlift.Verify(t.Context(), in, after, shaderlift.Options{}); !errors.As(err, &d) || d.Code != "wrong-pair" {
		t.Errorf("where effects may not grow: %v", err)
	}
	again, err := shaderlift.Optimize(t.Context(), after, o)
	if err != nil || again.Growth != nil {
		t.Errorf("it grows again: %+v (%v)", again.Growth, err)
	}
}

// What grows wrongly is refused.
func TestVerifyGrown(t *testing.T) {
	before := growing().input()
	vertex, wrong := fxtest.Assemble(effectVertex), fxtest.Assemble(stillVertex)
	first, still := fxtest.Assemble(effectPixel), fxtest.Assemble(stillPixel)
	for _, c := range []struct {
		name   string
		change func(e *fx.Effect, c *fx.Chosen)
		good   bool
	}{
		{"a copy", func(e *fx.Effect, c *fx.Chosen) { c.Grow(e, 0, [][]byte{vertex}, []uint32{0, 2, 0}) }, true},
		{"two copies", func(e *fx.Effect, c *fx.Chosen) {
			c.Grow(e, 0, [][]byte{vertex}, []uint32{0, 2, 0})
			c.Grow(e, 1, [][]byte{still, first}, []uint32{4, 3, 0})
		}, true},
		{"another order", func(e *fx.Effect, c *fx.Chosen) {
			*c.Programs(e, 1)[0], *c.Programs(e, 1)[1] = still, first
			c.Grow(e, 1, nil, []uint32{1, 0, 1})
		}, true},
		{"the first element", func(e *fx.Effect, c *fx.Chosen) { c.Grow(e, 0, nil, []uint32{0, 0xffffffff, 0}) }, true},
		{"another pixel program", func(e *fx.Effect, c *fx.Chosen) { c.Grow(e, 1, nil, []uint32{0, 0, 0}) }, false},
		{"a wrong copy", func(e *fx.Effect, c *fx.Chosen) { c.Grow(e, 0, [][]byte{wrong}, []uint32{0, 2, 0}) }, false},
		{"no element", func(e *fx.Effect, c *fx.Chosen) { c.Grow(e, 0, nil, []uint32{0, 7, 0}) }, false},
		{"what nothing chooses", func(e *fx.Effect, c *fx.Chosen) { *c.Programs(e, 1)[2] = still }, false},
		{"another parameter", func(e *fx.Effect, c *fx.Chosen) {
			c.Grow(e, 0, [][]byte{vertex}, []uint32{0, 2, 0})
			e.Parameters[len(e.Parameters)-1].SetWords(1)
		}, false},
		{"a name", func(e *fx.Effect, c *fx.Chosen) {
			c.Grow(e, 0, [][]byte{vertex}, []uint32{0, 2, 0})
			e.Techniques[0].Name = fx.Str("Other")
		}, false},
	} {
		e, err := fx.Decode("a.fxb", before.Files[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		chosen, ok := e.Chosen()
		if !ok {
			t.Fatal("it cannot grow")
		}
		c.change(e, &chosen)
		data, err := fx.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		after := shaderlift.Input{Files: []shaderlift.File{{Name: "a.fxb", Data: data}}}
		_, err = shaderlift.Verify(t.Context(), before, after, shaderlift.Options{Grow: true})
		if d := (*asm.Diag)(nil); (err == nil) != c.good || err != nil && !errors.Is(err, shaderlift.ErrRefused) && !errors.As(err, &d) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Effects whose index does not tell the programs of both stages in one way stay as they are.
func TestNoGrowth(t *testing.T) {
	build := func(f func(b *fxtest.Builder)) shaderlift.Input {
		a := growing()
		var b fxtest.Builder
		b.Sampler("Image", "ImageSampler")
		b.Array(fx.VertexShader, "VSArray", a.vertex[0], a.vertex[0])
		b.Array(fx.PixelShader, "PSArray", a.pixel[:2]...)
		b.Param(fxtest.Ints("VSIndices", 0, 0, 0, 0))
		b.Param(fxtest.Ints("PSIndices", 0, 1, 1, 0))
		b.Param(fxtest.Ints("Index", 0))
		b.Param(fxtest.Ints("Other", 0))
		b.Technique("Main")
		f(&b)
		return effectFile(&b)
	}
	selection := func(data []byte) fxtest.Shader { return fxtest.Shader{Data: data, Usage: fx.Selection} }
	vertex, pixel := selection(fxtest.Selector("VSArray", "VSIndices", "Index")), selection(fxtest.Selector("PSArray", "PSIndices", "Index"))
	for name, in := range map[string]shaderlift.Input{
		"an index without a table": build(func(b *fxtest.Builder) { b.Pass("P", selection(fxtest.PlainSelector("VSArray", "Index")), pixel) }),
		"two indices": build(func(b *fxtest.Builder) {
			b.Pass("P", vertex, selection(fxtest.Selector("PSArray", "PSIndices", "Other")))
		}),
		"two ways": build(func(b *fxtest.Builder) {
			b.Pass("P", vertex, pixel)
			b.Pass("Q", selection(fxtest.Selector("VSArray", "PSIndices", "Index")), pixel)
		}),
		"one table": build(func(b *fxtest.Builder) {
			b.Pass("P", selection(fxtest.Selector("VSArray", "PSIndices", "Index")), pixel)
		}),
		"one stage": build(func(b *fxtest.Builder) { b.Pass("P", vertex, shader(effectPixel)) }),
		"a reader of a table": build(func(b *fxtest.Builder) {
			b.Pass("P", vertex, pixel)
			read := fxtest.WithTable(fxtest.Assemble("ps_2_0\nmov r0, c0\nmov oC0, r0\n"), tableInts("VSIndices"))
			b.Pass("Q", shader(effectVertex), fxtest.Shader{Data: read})
		}),
	} {
		res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Grow: true})
		if err != nil || res.Growth != nil {
			t.Errorf("%s: %+v, %v", name, res.Growth, err)
			continue
		}
		plain, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
		if err != nil || !bytes.Equal(plain.Files[0].Data, res.Files[0].Data) {
			t.Errorf("%s: it is not what it is otherwise (%v)", name, err)
		}
	}
}

// tableInts is the entry of four integers in the table of a program.
func tableInts(name string) d3d9.Constant {
	return d3d9.Constant{Name: name, Set: d3d9.SetFloat4, Count: 4, Type: uint16(fx.Int), Rows: 1, Columns: 1, Elements: 4}
}

// A pass that draws with the program of a parameter, as others do, gets one of its own where
// that is cheaper.
func TestGrowPasses(t *testing.T) {
	var b fxtest.Builder
	b.Array(fx.VertexShader, "Transform", fxtest.Assemble(effectVertex))
	b.Array(fx.PixelShader, "Still", fxtest.Assemble(stillPixel))
	b.Technique("Main")
	reference := func(name string) fxtest.Shader {
		return fxtest.Shader{Data: append([]byte(name), 0), Usage: fx.Reference}
	}
	b.Pass("Moved", reference("Transform"), shader(effectPixel))
	b.Pass("Still", reference("Transform"), reference("Still"))
	b.Pass("Own", shader(effectVertex), shader(effectPixel))
	in := effectFile(&b)
	o := shaderlift.Options{Grow: true}
	res, err := shaderlift.Optimize(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	g := res.Growth
	if g == nil || len(g.Pairs) != 1 || g.Pairs[0].Pixel != "Main/Moved" || g.Pairs[0].PixelSlots != (shaderlift.Change{Before: 3, After: 2}) || g.Programs != (shaderlift.Change{Before: 5, After: 6}) {
		t.Fatalf("it has grown by %+v", g)
	}
	e, err := fx.Decode("grown", res.Files[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	if s := e.Sources(); s[0][0] != [2]fx.Source{fx.Owned, fx.Owned} || s[0][1] != [2]fx.Source{fx.Referenced, fx.Referenced} {
		t.Errorf("passes have their programs from %v", s)
	}
	after := shaderlift.Input{Files: res.Files}
	if v, err := shaderlift.Verify(t.Context(), in, after, o); err != nil || len(v.Parts) != 4 {
		t.Errorf("%v with %d parts: %v", v.Verdict(), len(v.Parts), err)
	}
	e.Own(0, 1, d3d9.Pixel, fxtest.Assemble(slowPixel))
	data, err := fx.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	after.Files = []shaderlift.File{{Name: "a.fxb", Data: data}}
	if v, err := shaderlift.Verify(t.Context(), in, after, o); !errors.Is(err, shaderlift.ErrRefused) {
		t.Errorf("a wrong program: %v (%v)", v.Verdict(), err)
	}
}
