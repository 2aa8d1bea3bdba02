package shaderlift

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/fx/xnb"
)

// foreignMagics are the beginnings of formats that hold shaders, and that this program does
// not read.
var foreignMagics = []struct{ magic, name string }{
	{"DXBC", "a shader of Direct3D 10 or later (DXBC)"},
	{"\x01\x10\xff\xfe", "a compiled effect of Direct3D 10 (fx_4_0)"},
	{"\x11\x10\xff\xfe", "a compiled effect of Direct3D 10 (fx_4_1)"},
	{"\x01\x20\xff\xfe", "a compiled effect of Direct3D 11 (fx_5_0)"},
	{"MGFX", "a compiled effect of MonoGame (MGFX), which has GLSL or DXBC in it"},
	{"\x03\x02\x23\x07", "SPIR-V"},
	{"\x07\x23\x02\x03", "SPIR-V (big-endian)"},
	{"BC\xc0\xde", "LLVM bitcode"},
	{"MTLB", "a library of Metal"},
	{"\x7fELF", "an ELF image"},
	{"!!ARB", "assembly of ARB_vertex_program or ARB_fragment_program"},
	{"!!NV", "assembly of NV_vertex_program or NV_fragment_program"},
}

// foreignTexts are what sources have in them that have to be compiled first.
var foreignTexts = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`(?m)^\s*#version\s+\d|\bgl_(Position|FragColor|FragCoord)\b`), "GLSL source"},
	{regexp.MustCompile(`\btechnique(10|11)?\s*\w*\s*(<[^>]*>\s*)?\{|\bsampler_state\b`), "the source of an effect (HLSL)"},
	{regexp.MustCompile(`\b(float|half)[1-4](x[1-4])?\s+\w+[^;{}]*[({:]|:\s*(SV_\w+|POSITION\d*|TEXCOORD\d*|COLOR\d*)\b`), "HLSL source"},
	{regexp.MustCompile(`@(vertex|fragment|compute)\b[^;]*\bfn\b`), "WGSL source"},
}

// maxSniffed bounds how much of a text is searched.
const maxSniffed = 1 << 16

// foreign is a diagnostic of data in a format that this program knows the name of only, nil
// for anything else.
func foreign(file string, data []byte) error {
	pos := asm.Pos{File: file, Line: 1, Col: 1}
	for _, m := range foreignMagics {
		if strings.HasPrefix(string(data[:min(len(data), 8)]), m.magic) {
			return asm.Errorf(pos, "foreign-format", "this is %s, which is not supported", m.name)
		}
	}
	if xnb.Is(data) {
		content, err := xnb.Decode(file, data)
		if err != nil {
			return err
		}
		file += ":effect"
		if err := foreign(file, content.Effect); err != nil {
			return err
		}
		return asm.Errorf(asm.Pos{File: file, Line: 1, Col: 1}, "unknown-format", "this is no compiled effect of Direct3D 9")
	}
	text := data[:min(len(data), maxSniffed)]
	if bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	for _, t := range foreignTexts {
		if t.pattern.Match(text) {
			return asm.Errorf(pos, "foreign-format", "this is %s, which has to be compiled first", t.name)
		}
	}
	return nil
}
