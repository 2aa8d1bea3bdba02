package containers

import (
	"encoding/binary"
	"strings"
	"testing"
)

// container returns a container with chunks of the given names, one word each. The offset of an
// empty last chunk is beyond the end.
func container(chunks ...string) string {
	b := []byte("DXBC................\x01\x00\x00\x00....")
	b = binary.LittleEndian.AppendUint32(b, uint32(len(chunks)))
	var body string
	at := len(b) + 4*len(chunks)
	for _, c := range chunks {
		b = binary.LittleEndian.AppendUint32(b, uint32(at+len(body)))
		if body += c; c == "" {
			binary.LittleEndian.PutUint32(b[len(b)-4:], 0xffffffff)
		}
	}
	return string(b) + body
}

// TestLevel9 checks that only an intact container with a Direct3D 9 part is recognized as such.
func TestLevel9(t *testing.T) {
	whole := container("SHDR", "Aon9")
	for data, want := range map[string]bool{
		whole: true, container("Aon9"): true, container("SHDR"): false, container("SHDR", ""): false,
		container(): false, whole[:len(whole)-1]: false, whole[:30]: false, whole[:34]: false, "DXBC": false,
	} {
		if got := CheckForeign("a.cso", []byte(data)).Error(); strings.Contains(got, "Aon9") != want ||
			!strings.Contains(got, "fxc /T") {
			t.Errorf("%q is called %s", data, got)
		}
	}
}

// TestDeclarations checks that declarations alone are recognized as HLSL, and declarations of other
// languages are not.
func TestDeclarations(t *testing.T) {
	for text, want := range map[string]bool{
		"uniform extern float4 Color;\n":               true,
		"float4x4 World, View;\nhalf3 a[4] = {0};\n":   true,
		"texture Diffuse;\n":                           true,
		"\n  sampler2D s0 : register(s0);\n":           true,
		"cbuffer PerFrame\n{\n}\n":                     true,
		"uniform sampler2D s;\nuniform vec4 color;\n":  false,
		"ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0\n":    false,
		"il_ps_2_0\ndcl_output_generic o0\nmov o0, r0": false,
	} {
		err := CheckForeign("a.txt", []byte(text))
		if got := err != nil && strings.Contains(err.Error(), "HLSL"); got != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestGuessHLSL checks the function and the stage that are found in sources, and the way that is shown.
func TestGuessHLSL(t *testing.T) {
	const both = "struct V { float4 p : POSITION; float2 t : TEXCOORD0; };\nV VSMain(float4 p : POSITION) { V v; return v; }\n" +
		"float4 PSMain(V v) : COLOR0 { return 1; }\n"
	for _, c := range []struct{ file, text, entry, want string }{
		{"a.hlsl", "float4 main(float2 uv : TEXCOORD0) : COLOR { return 1; }", "", "main ps_3_0"},
		{"a.hlsl", "float4 main(float4 p : POSITION) : POSITION { return p; }", "", "main vs_3_0"},
		{"a.hlsl", "float4 glow(float2 uv : TEXCOORD0) : SV_Target0 { return 1; }", "", "glow ps_3_0"},
		{"a.hlsl", both, "", "PSMain ps_3_0"},
		{"a.hlsl", both, "VSMain", "VSMain vs_3_0"},
		{"a.vs", "float4 c;", "", "main vs_3_0"},
		{"a.hlsl", "float4 c;", "f", "f ps_3_0"},
	} {
		entry, profile := GuessHLSL(c.file, []byte(c.text), c.entry)
		if got := entry + " " + profile; got != c.want {
			t.Errorf("%q: %s, not %s", c.text, got, c.want)
		}
	}
	for file, want := range map[string]string{
		"a/glow.hlsl": "fxc /T ps_3_0 /E PSMain /Fo a/glow.pso a/glow.hlsl, then run shaderlift opt --fit ps_2_0 VERTEX,a/glow.pso",
		"$(x) y.hlsl": `"$(x) y.hlsl"`,
	} {
		if got := Way(file, []byte(both)); !strings.Contains(got, want) {
			t.Errorf("%s: %s", file, got)
		}
	}
	if got := Way("a.fx", []byte("technique T { pass P { } }")); !strings.Contains(got, "fxc /T fx_2_0 /Fo a.fxb a.fx, then run shaderlift opt --fit ps_2_0 a.fxb") {
		t.Error(got)
	}
}
