package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// TestBuild checks that the output is complete, and that its effect is an equivalent, different
// one.
func TestBuild(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "shipped")
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("P0", fxtest.Shader{Data: fxtest.Assemble("vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0.xy, v1\n")},
		fxtest.Shader{Data: fxtest.Assemble("ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov r1, r0\nadd r1, r1, r0\nmov r2, r1\nmov oC0, r2\n")})
	effect := b.Build()
	for name, data := range map[string][]byte{"water.fxb": effect, "readme.txt": []byte("not a shader")} {
		if err := os.WriteFile(filepath.Join(from, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := build(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(to, "readme.txt"))
	if err != nil || string(text) != "not a shader" {
		t.Errorf("%q, %v", text, err)
	}
	better, err := os.ReadFile(filepath.Join(to, "water.fxb"))
	if err != nil || bytes.Equal(better, effect) {
		t.Errorf("the effect is the same: %v", err)
	}
	input := func(data []byte) shaderlift.Input {
		return shaderlift.Input{Files: []shaderlift.File{{Name: "water.fxb", Data: data}}}
	}
	if _, err := shaderlift.Verify(t.Context(), input(effect), input(better), shaderlift.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(to, "effects.json")); err != nil {
		t.Error(err)
	}
}
