//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// TestCompile runs the command on sources in HLSL, with a vkd3d-compiler in the PATH that writes stored programs.
func TestCompile(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "my tools")
	t.Chdir(t.TempDir())
	const script = `#!/bin/sh
case "$*" in
*print-target-types*) echo d3dbc;;
*vs_3_0*) cat "$(dirname "$0")/vs";;
*broken*) echo '<anonymous>:2:8: E5005: Function "foo" is not defined.' >&2; exit 1;;
*) echo '<anonymous>:1:9: W5300: Implicit truncation.' >&2; cat "$(dirname "$0")/ps";;
esac
`
	for name, data := range map[string][]byte{
		filepath.Join(bin, "vkd3d-compiler"): []byte(script),
		filepath.Join(bin, "vs"):             fxtest.Assemble("vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov o1, v1\n"),
		filepath.Join(bin, "ps"):             fxtest.Assemble("ps_3_0\ndcl_texcoord v0.xy\ndcl_2d s0\ntexld r0, v0, s0\nmul oC0, r0_abs, c0\n"),
		"my glow.hlsl":                       []byte("struct V { float4 p : POSITION; };\nV main(float4 p : POSITION) { V v; return v; }\nfloat4 glow(V v) : COLOR0 { return 1; }\n"),
		"all.fx":                             []byte("technique T { pass P { } }\n"),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, c := range []struct {
		status int
		args   []string
		want   string // in standard error
		files  []string
	}{
		{0, []string{"opt", "--compile=vs_3_0:main,glow", "--fit", "ps_2_0", "-o", "out", "my glow.hlsl,my glow.hlsl"},
			"my glow.hlsl:1:9: warning: W5300: Implicit truncation. [compiler]", []string{"out/my glow.vso", "out/my glow.pso"}},
		{0, []string{"opt", "--compile=glow", "--fit", "ps_2_0", "--partner", "wpf", "-o", "one.pso", "my glow.hlsl"}, "with partner wpf", []string{"one.pso"}},
		{0, []string{"asm", "--compile=vs_3_0", "-o", "a.vso", "my glow.hlsl"}, "", []string{"a.vso"}},
		{1, []string{"opt", "-n", "--compile=broken", "my glow.hlsl"}, `my glow.hlsl:2:8: E5005: Function "foo" is not defined. [compiler]`, nil},
		{1, []string{"opt", "-n", "my glow.hlsl"},
			`fxc /T vs_3_0 /E main /Fo "my glow.vso" "my glow.hlsl", then run shaderlift opt --fit ps_2_0 "my glow.vso",PIXEL; --compile builds it`, nil},
		{1, []string{"opt", "-n", "--compile", "all.fx"}, "fxc /T fx_2_0 /Fo all.fxb all.fx", nil},
		{1, []string{"opt", "-w", "--compile", "my glow.hlsl"}, "-w would replace the source", nil},
		{0, []string{"opt", "-n", "--compile", "one.pso"}, "--compile has no effect: no input is HLSL", nil},
	} {
		var out, errs bytes.Buffer
		if status := run(t.Context(), c.args, strings.NewReader(""), &out, &errs); status != c.status || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%q: status %d, not %d\n%s", c.args, status, c.status, &errs)
		}
		for _, name := range c.files {
			if data, err := os.ReadFile(name); err != nil || len(data) == 0 {
				t.Errorf("%q: %s: %v", c.args, name, err)
			}
		}
	}
}
