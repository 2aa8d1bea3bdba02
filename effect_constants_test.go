package shaderlift_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

const (
	tableVertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nadd oPos, v0, c0\nmov oT0.xy, v1\n"
	tablePixel  = "ps_2_0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c3\ntexld r0, r0, s0\nmov oC0, r0\n"
)

// constantsEffect returns an effect with one pass and constant tables. Its pixel program adds c3 to
// coordinates.
func constantsEffect(vertexText string, vertex, pixel []d3d9.Constant) shaderlift.Input {
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("P0", fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(vertexText), vertex...)},
		fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(tablePixel), pixel...)})
	return effectFile(&b)
}

// programOf returns a program of the only pass of an effect.
func programOf(t *testing.T, data []byte, stage d3d9.Stage) *d3d9.Program {
	t.Helper()
	e, err := fx.Decode("a.fxb", data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d3d9.Decode("a.fxb", *e.Shaders()[stage].Data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// entries lists a constant table.
func entries(t *testing.T, p *d3d9.Program) (list []string) {
	t.Helper()
	table, err := p.ConstantTable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range table.Constants {
		list = append(list, fmt.Sprintf("%s c%d %d", c.Name, c.Index, c.Count))
	}
	return list
}

// TestConstantsByName checks that the vertex program gets pixel constants by name. They use new
// registers, as many as needed from the start of an array, or their registers in the table.
func TestConstantsByName(t *testing.T) {
	position := d3d9.Constant{Name: "Position"}
	indexed := "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmova a0.x, v0.x\nadd oPos, v0, c[a0.x]\nmov oT0.xy, v1\n"
	for name, c := range map[string]struct {
		text          string
		vertex, pixel []d3d9.Constant
		want          []string // the table of the vertex program
		slots         int      // of the pixel program
		reads         string
	}{
		"single": {tableVertex, []d3d9.Constant{position}, []d3d9.Constant{{Name: "Offset", Index: 3}},
			[]string{"Offset c1 1", "Position c0 1"}, 2, "c1"},
		"array": {tableVertex, []d3d9.Constant{position}, []d3d9.Constant{{Name: "Taps", Index: 1, Count: 4, Elements: 4}},
			[]string{"Position c0 1", "Taps c1 3"}, 2, "c3"},
		"there already": {tableVertex, []d3d9.Constant{{Name: "Offset", Index: 7}, position},
			[]d3d9.Constant{{Name: "Offset", Index: 3}},
			[]string{"Offset c7 1", "Position c0 1"}, 2, "c7"},
		"read by an index": {indexed, []d3d9.Constant{{Name: "Position", Count: 9, Elements: 9}},
			[]d3d9.Constant{{Name: "Offset", Index: 3}},
			[]string{"Offset c255 1", "Position c0 9"}, 2, "c255"},
		"another of that name": {tableVertex, []d3d9.Constant{{Name: "Offset", Index: 7, Elements: 2}, position},
			[]d3d9.Constant{{Name: "Offset", Index: 3}},
			[]string{"Offset c7 1", "Position c0 1"}, 3, ""},
		"no name": {tableVertex, []d3d9.Constant{position}, []d3d9.Constant{{Name: "Other", Index: 5}},
			[]string{"Position c0 1"}, 3, ""},
		"no table": {tableVertex, []d3d9.Constant{position}, nil,
			[]string{"Position c0 1"}, 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := constantsEffect(c.text, c.vertex, c.pixel)
			res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
			if err != nil || len(res.Uploads) > 0 || len(res.Parts[0].Uploads) > 0 {
				t.Fatalf("uploads %v (%v)", res.Parts[0].Uploads, err)
			}
			vs, ps := programOf(t, res.Files[0].Data, d3d9.Vertex), programOf(t, res.Files[0].Data, d3d9.Pixel)
			if diff := cmp.Diff(c.want, entries(t, vs)); diff != "" {
				t.Errorf("the table of the vertex program:\n%s", diff)
			}
			if n := d3d9.Measure(ps).Slots; n != c.slots {
				t.Errorf("the pixel program has %d slots, not %d", n, c.slots)
			}
			if text := string(d3d9.Print(vs)); !strings.Contains(text, c.reads) {
				t.Errorf("the vertex program does not read %s:\n%s", c.reads, text)
			}
			after := shaderlift.Input{Files: res.Files}
			if v, err := shaderlift.Verify(t.Context(), in, after, shaderlift.Options{}); err != nil ||
				v.Verdict() != res.Verdict() {
				t.Errorf("verify says %s, not %s (%v)", v.Verdict(), res.Verdict(), err)
			}
		})
	}
}

// TestWrongConstants checks that a table with a wrong entry for the gained constant is rejected.
func TestWrongConstants(t *testing.T) {
	position, taps := d3d9.Constant{Name: "Position"}, d3d9.Constant{Name: "Taps", Index: 1, Count: 4, Elements: 4}
	moved := "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nadd oPos, v0, c0\nadd oT0.xy, v1, c%d\n"
	const pixel = "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n"
	build := func(vertex, pixel string, table []d3d9.Constant) shaderlift.Input {
		var b fxtest.Builder
		b.Technique("Main")
		b.AddPass("P0", fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(vertex), table...)},
			fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(pixel), taps)})
		return effectFile(&b)
	}
	gained := taps
	gained.Index, gained.Count = 5, 3
	before := build(tableVertex, tablePixel, []d3d9.Constant{position})
	for name, c := range map[string]struct {
		reads int
		entry d3d9.Constant
		ok    bool
	}{
		"right":             {7, gained, true},
		"another element":   {6, gained, false},
		"outside":           {8, gained, false},
		"another name":      {7, d3d9.Constant{Name: "Tips", Index: 5, Count: 3, Elements: 4}, false},
		"another type":      {7, d3d9.Constant{Name: "Taps", Index: 5, Count: 3, Elements: 3}, false},
		"overlaps Position": {2, d3d9.Constant{Name: "Taps", Index: 0, Count: 3, Elements: 4}, false},
	} {
		table := []d3d9.Constant{position, c.entry}
		slices.SortFunc(table, func(a, b d3d9.Constant) int { return strings.Compare(a.Name, b.Name) })
		v, err := shaderlift.Verify(t.Context(), before, build(fmt.Sprintf(moved, c.reads), pixel, table),
			shaderlift.Options{})
		if (err == nil) != c.ok || err != nil && !errors.Is(err, shaderlift.ErrRefused) {
			t.Errorf("%s: %s (%v)", name, v.Verdict(), err)
		}
	}
}

// TestHostileNames checks that names in an effect cannot send control codes to a terminal or end a line
// of a listing.
func TestHostileNames(t *testing.T) {
	const hostile = "\x1b[2J\nmov oC0, c9\r"
	plain, position := fxtest.WithTable(fxtest.Assemble(tablePixel),
		d3d9.Constant{Name: hostile, Index: 3}), d3d9.Constant{Name: "Position"}
	for _, c := range []struct {
		vertex []d3d9.Constant
		pixel  []byte
	}{
		{[]d3d9.Constant{position}, plain},
		{[]d3d9.Constant{{Name: hostile, Index: 7, Elements: 2}, position}, plain},
		{nil, fxtest.Attach(fxtest.WithTable(fxtest.Assemble(tablePixel)),
			fxtest.Preshader([]d3d9.Constant{vector(hostile)}, "rcp c3.x, in0.x"))},
	} {
		var b fxtest.Builder
		b.Technique(hostile)
		b.AddPass(hostile, fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(tableVertex), c.vertex...)},
			fxtest.Shader{Data: c.pixel})
		in := effectFile(&b)
		in.Files[0].Name = hostile
		res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
		if err != nil {
			t.Fatal(err)
		}
		listing, err := shaderlift.Listing(t.Context(), in, shaderlift.Options{})
		if err != nil {
			t.Fatal(err)
		}
		texts := []string{string(listing)}
		for _, m := range res.Parts[0].Remarks {
			texts = append(texts, m.Message)
		}
		for _, text := range texts {
			if strings.ContainsAny(text, "\x1b\r") {
				t.Errorf("%q", text)
			}
		}
	}
}
