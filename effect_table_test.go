package shaderlift_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/verify"
)

// TestTablesOfEffects checks that rewritten programs of effects keep only the table entries of
// registers that they read. Unchanged programs keep their whole tables.
func TestTablesOfEffects(t *testing.T) {
	const vertex = "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, v0\n"
	table := func(list ...d3d9.Constant) []d3d9.Constant { return list }
	for name, c := range map[string]struct {
		pixel string
		table []d3d9.Constant
		want  []string
	}{
		"dead, with its only use": {"ps_2_0\ndcl t0\nmul r0, t0, c0\nmul r1, t0, c1\nmov oC0, r0\n",
			table(d3d9.Constant{Name: "A"}, d3d9.Constant{Name: "B", Index: 1}), []string{"A c0 1"}},
		"an array of which some is read": {"ps_2_0\ndcl t0\nmul r1, t0, c0\nmul r0, t0, c2\nmov oC0, r0\n",
			table(d3d9.Constant{Name: "A", Count: 3, Elements: 3}), []string{"A c0 3"}},
		"nothing to rewrite": {"ps_2_0\ndcl t0\nmul r0, t0, c0\nmov oC0, r0\n",
			table(d3d9.Constant{Name: "A"}, d3d9.Constant{Name: "B", Index: 1}), []string{"A c0 1", "B c1 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var b fxtest.Builder
			b.Technique("Main")
			b.AddPass("P0", shader(vertex), fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(c.pixel), c.table...)})
			in := effectFile(&b)
			res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, entries(t, programOf(t, res.Files[0].Data, d3d9.Pixel))); diff != "" {
				t.Errorf("the table:\n%s", diff)
			}
			if _, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files},
				shaderlift.Options{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFileSize checks that a preshader is not worth a third of a file.
func TestFileSize(t *testing.T) {
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("P0", shader(hoistVertex), fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble("ps_3_0\ndcl_texcoord v0\nmov r0, c0\nmul r0, r0, c1\nadd oC0, v0, r0\n"),
		d3d9.Constant{Name: "Fade"}, d3d9.Constant{Name: "Glow", Index: 1})})
	in := effectFile(&b)
	size := len(in.Files[0].Data)
	res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	part := res.Parts[0]
	if n := part.Stages[1].CurrentCost().Slots; n != 2 {
		t.Errorf("%d slots, not 2", n)
	}
	if !slices.ContainsFunc(part.Remarks, func(r shaderlift.Remark) bool { return r.Code == "file-size" }) {
		t.Error("the remark is missing")
	}
	if grown := len(res.Files[0].Data); grown > size*103/100 {
		t.Errorf("%d bytes of %d", grown, size)
	}
	if _, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files}, shaderlift.Options{}); err != nil {
		t.Error(err)
	}
}

// TestBrokenTables checks that a program with an invalid table stays unchanged, because nothing can be
// proved about it, and that this is not a fault.
func TestBrokenTables(t *testing.T) {
	ps := fxtest.WithTable(fxtest.Assemble("ps_2_0\ndcl t0\nmul r1, t0, c1\nmul r0, t0, c0\nmov oC0, r0\n"),
		d3d9.Constant{Name: "A"})
	at := bytes.Index(ps, []byte("CTAB"))
	binary.LittleEndian.PutUint32(ps[at+4+16:], 1<<20) // where the entries are
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("P0", shader("vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, v0\n"), fxtest.Shader{Data: ps})
	res, err := shaderlift.Optimize(t.Context(), effectFile(&b), shaderlift.Options{})
	if err != nil || len(res.Faults) > 0 {
		t.Fatalf("%v, %v", err, res.Faults)
	}
	if res.Verdict() != verify.Proved {
		t.Errorf("it is %v", res.Verdict())
	}
}
