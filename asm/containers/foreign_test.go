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
