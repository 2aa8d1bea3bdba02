package shaderlift_test

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// namedBytecode returns text as bytecode with a constant table that has one array of count registers at c0.
func namedBytecode(t *testing.T, text string, count int) []byte {
	p, err := d3d9.Parse("a", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	words, err := d3d9.EncodeConstantTable(&d3d9.ConstantTable{Version: p.Model.Token(), Constants: []d3d9.Constant{
		{Name: "tint", Set: d3d9.SetFloat4, Count: count, Class: 1, Type: 3, Rows: 1, Columns: 4, Elements: count}}})
	if err != nil {
		t.Fatal(err)
	}
	const mark = 'C' | 'T'<<8 | 'A'<<16 | 'B'<<24
	p.Insts = append([]d3d9.Inst{{Op: d3d9.OpComment, Comment: append([]uint32{mark}, words...)}}, p.Insts...)
	data, err := d3d9.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestIgnoreNames checks that bytecode with a constant table and text without one are equal only if
// names are ignored.
func TestIgnoreNames(t *testing.T) {
	file := func(name string, data []byte) shaderlift.Input {
		return shaderlift.Input{Files: []shaderlift.File{{Name: name, Data: data}}}
	}
	const (
		pixel    = "ps_2_0\ndcl t0\nmul r0, t0, c0\nmov oC0, r0\n"
		relative = "vs_2_0\ndcl_position v0\nmova a0.x, v0.x\nmul r0, v0, c[a0.x + 1]\nmov oPos, r0\n"
	)
	for text, count := range map[string]int{pixel: 1, relative: 8} {
		named := file("named", namedBytecode(t, text, count))
		for _, ignore := range []bool{false, true} {
			res, err := shaderlift.Verify(t.Context(), named, file("plain", []byte(text)),
				shaderlift.Options{Host: shaderlift.HostOptions{IgnoreNames: ignore}})
			if (err == nil) != ignore || res.NamesIgnored != ignore {
				t.Errorf("%.6s, ignoring %t: %v, %v", text, ignore, res.Judgement, err)
			}
		}
	}
	// Without names, another offset still means another register.
	other := strings.Replace(relative, "+ 1", "+ 2", 1)
	if _, err := shaderlift.Verify(t.Context(), file("a", []byte(relative)), file("b", []byte(other)),
		shaderlift.Options{Host: shaderlift.HostOptions{IgnoreNames: true}}); err == nil {
		t.Error("another relative read is accepted")
	}
	kernel := file("a.il", []byte("il_ps_2_0\ndcl_output_generic o0\nmov o0, g[0]\nend\n"))
	if _, err := shaderlift.Verify(t.Context(), kernel, kernel,
		shaderlift.Options{Host: shaderlift.HostOptions{IgnoreNames: true}}); err == nil {
		t.Error("names of a kernel are set aside")
	}
}
