package shaderlift_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/verify"
)

const (
	plainVertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n"
	plainPixel  = "ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n"
)

func program(name, text string) shaderlift.Input {
	return shaderlift.Input{Files: []shaderlift.File{{Name: name, Data: []byte(text)}}}
}

func pair(vertex, pixel string) shaderlift.Input {
	return shaderlift.Input{Name: "pair", Files: []shaderlift.File{{Name: "v.vsh", Data: []byte(vertex)}, {Name: "p.psh", Data: []byte(pixel)}}}
}

func words(ws ...uint32) string {
	var b []byte
	for _, w := range ws {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return string(b)
}

func TestRecognize(t *testing.T) {
	for _, test := range []struct {
		data string
		want shaderlift.Format
	}{
		{plainPixel, shaderlift.Assembly},
		{"// a comment\n\n  vs.1.1\n", shaderlift.Assembly},
		{words(0xffff0200, 0x0000ffff), shaderlift.Bytecode},
		{words(0xfffe0300), shaderlift.Bytecode},
		{words(0xfeff0901, 0, 0), shaderlift.Effect},
		{"il_ps_2_0\ndcl_output_generic o0\nend\n", shaderlift.IL},
		{"; a comment\nil_cs_2_0\nend\n", shaderlift.IL},
		{"dx11_ps\nil_ps_2_0\nend\n", shaderlift.IL},
		{"", shaderlift.Unrecognized},
		{"#!/bin/sh\necho ps_2_0\n", shaderlift.Unrecognized},
		{words(0xffff0700, 0x0000ffff), shaderlift.Unrecognized},
	} {
		if got := shaderlift.Recognize([]byte(test.data)); got != test.want {
			t.Errorf("%.20q is %v, want %v", test.data, got, test.want)
		}
	}
}

// Whatever is wrong with an input is told with a code and a place, by every entry point.
func TestBadInput(t *testing.T) {
	for _, test := range []struct {
		name string
		in   shaderlift.Input
		code string
		pos  string
	}{
		{"no file", shaderlift.Input{}, "wrong-input", ""},
		{"three files", shaderlift.Input{Files: make([]shaderlift.File, 3)}, "wrong-input", ""},
		{"empty", program("a.psh", ""), "empty-input", "a.psh:1:1"},
		{"binary nonsense", program("a.psh", "\x00\x01\x02\x03zzzz"), "unknown-format", "a.psh:1:1"},
		{"effect", program("a.fxb", words(0xfeff0901, 0, 0)), "truncated", "a.fxb:+0xc"},
		{"effect in a pair", pair(plainVertex, words(0xfeff0901, 0)), "wrong-input", "p.psh:1:1"},
		{"Direct3D 10", program("a.fxo", "DXBC and so on"), "foreign-format", "a.fxo:1:1"},
		{"archive", program("a.zip", "PK\x03\x04 and so on"), "foreign-format", "a.zip:1:1"},
		{"UTF-16", program("a.psh", "\xff\xfep\x00s\x00"), "foreign-format", "a.psh:1:1"},
		{"MonoGame", program("a.mgfx", "MGFX\x0a\x00"), "foreign-format", "a.mgfx:1:1"},
		{"MonoGame in a content file", program("a.xnb", contentFile("Microsoft.Xna.Framework.Content.EffectReader", "MGFX\x0a\x00")), "foreign-format", "a.xnb:effect:1:1"},
		{"another effect in a content file", program("a.xnb", contentFile("Microsoft.Xna.Framework.Content.EffectReader", "\x00\x01\x02\x03")), "unknown-format", "a.xnb:effect"},
		{"texture", program("a.xnb", contentFile("Microsoft.Xna.Framework.Content.Texture2DReader", "pixels")), "not-an-effect", "a.xnb:+0x"},
		{"SPIR-V", program("a.spv", words(0x07230203, 0x10000)), "foreign-format", "a.spv:1:1"},
		{"GLSL", program("a.frag", "#version 330 core\nout vec4 color;\nvoid main() { color = vec4(1); }\n"), "foreign-format", "a.frag:1:1"},
		{"SPIR-V as text", program("a.spvasm", "; SPIR-V\n; Version: 1.0\nOpCapability Shader\n"), "foreign-format", "a.spvasm:1:1"},
		{"OpenCL", program("a.cl", "__kernel void f(__global float4 *a) { a[0] = 1; }\n"), "foreign-format", "a.cl:1:1"},
		{"Metal", program("a.metal", "#include <metal_stdlib>\nfragment float4 f() { return 1; }\n"), "foreign-format", "a.metal:1:1"},
		{"old GLSL", program("a.frag", "void main() { gl_FragColor = vec4(1); }\n"), "foreign-format", "a.frag:1:1"},
		{"HLSL", program("a.hlsl", "float4 main(float4 c : COLOR0) : COLOR { return c; }\n"), "foreign-format", "a.hlsl:1:1"},
		{"effect file", program("a.fx", "technique Main { pass P0 { PixelShader = compile ps_2_0 main(); } }\n"), "foreign-format", "a.fx:1:1"},
		{"text", program("a.txt", "Nothing of the kind; float around.\n"), "no-version", "a.txt:1:1"},
		{"kernel without end", program("a.il", "il_ps_2_0\n"), "missing-end", "a.il:2:1"},
		{"kernel with an error", program("a.il", "il_ps_2_0\nmov r0.yx, r1\nend\n"), "write-mask", "a.il:2:8"},
		{"kernel without declarations", program("a.il", "il_ps_2_0\nmov o0, cb0[0]\nend\n"), "undeclared", "a.il:2:1"},
		{"kernel in a pair", pair(plainVertex, "il_ps_2_0\nend\n"), "wrong-pair", "p.psh:1:1"},
		{"truncated bytecode", program("a.pso", words(0xffff0200, 0x02000001, 0x800f0800)), "truncated", ""},
		{"two vertex programs", pair(plainVertex, plainVertex), "wrong-pair", "v.vsh:1:1"},
		{"two pixel programs", pair(plainPixel, plainPixel), "wrong-pair", "v.vsh:1:1"},
		{"swapped", pair(plainPixel, plainVertex), "wrong-pair", "v.vsh:1:1"},
		{"unknown instruction", pair(plainVertex, "ps_2_0\nfrobnicate r0, r1\n"), "", "p.psh:2:1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			optimized, err := shaderlift.Optimize(t.Context(), test.in, shaderlift.Options{})
			var d *asm.Diag
			if !errors.As(err, &d) {
				t.Fatalf("error %v is no diagnostic", err)
			}
			if test.code != "" && string(d.Code) != test.code || d.Code == "" {
				t.Errorf("code %q, want %q", d.Code, test.code)
			}
			if !strings.HasPrefix(d.Pos.String(), test.pos) {
				t.Errorf("at %v, want %s", d.Pos, test.pos)
			}
			if optimized.Status != shaderlift.Failed || optimized.Error != err.Error() || optimized.Files != nil {
				t.Errorf("result %+v does not say that it failed", optimized)
			}
			if _, again := shaderlift.Stats(t.Context(), test.in, shaderlift.Options{}); again == nil || again.Error() != err.Error() {
				t.Errorf("Stats says %v, Optimize %v", again, err)
			}
			if _, again := shaderlift.Verify(t.Context(), test.in, test.in, shaderlift.Options{}); again == nil || again.Error() != err.Error() {
				t.Errorf("Verify says %v, Optimize %v", again, err)
			}
		})
	}
}

// A program that breaks a rule of its model is refused.
func TestInvalidProgram(t *testing.T) {
	_, err := shaderlift.Optimize(t.Context(), program("a.psh", "ps_2_0\ndcl t0\nadd r0, t0, r1\nmov oC0, r0\n"), shaderlift.Options{})
	var d *asm.Diag
	if !errors.As(err, &d) || d.Code != "uninitialized-register" || d.Pos.Line != 3 {
		t.Errorf("an uninitialized register gives %v", err)
	}
}

// What nothing has written may be read where nothing depends on it: here the position is
// copied before its third component is there, which then is written over the copy.
func TestUnwrittenUnused(t *testing.T) {
	const head, tail = "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\ndp4 r0.x, v0, c0\ndp4 r0.y, v0, c1\n", "mul o1, r0.x, c4\n"
	const copied = "dp4 r0.w, v0, c3\nmov o0, r0\ndp4 o0.z, v0, c2\n"
	res, err := shaderlift.Optimize(t.Context(), program("a.vsh", head+copied+"mul r1, v0, c4\n"+tail), shaderlift.Options{})
	if err != nil || res.Status != shaderlift.Improved || res.Verdict() != verify.Proved {
		t.Fatalf("%v, %v, %v", res.Status, res.Verdict(), err)
	}
	for _, wrong := range []string{
		"dp4 r0.w, v0, c3\nmov o0, r0\n",                                 // never written over
		"dp4 r0.w, v0, c3\nmov o0, r0\nif b0\ndp4 o0.z, v0, c2\nendif\n", // not always
		"slt r0.w, r0.z, c3.x\nmov o0, r0\ndp4 o0.z, v0, c2\n",           // decides another one
	} {
		_, err := shaderlift.Optimize(t.Context(), program("a.vsh", head+wrong+tail), shaderlift.Options{})
		var d *asm.Diag
		if !errors.As(err, &d) || d.Code != "uninitialized-register" {
			t.Errorf("%s gives %v", wrong, err)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for _, test := range []struct {
		o    shaderlift.Options
		code string
	}{
		{shaderlift.Options{Pipeline: "fold,frobnicate"}, "unknown-pass"},
		{shaderlift.Options{Pipeline: "fold{depth=3}"}, "unknown-option"},
		{shaderlift.Options{Pipeline: "O9"}, "unknown-level"},
		{shaderlift.Options{Numerics: "roughly"}, "unknown-numerics"},
		{shaderlift.Options{Target: "voodoo"}, "unknown-target"},
		{shaderlift.Options{Target: "gcn,voodoo"}, "unknown-target"},
		{shaderlift.Options{PixelsPerVertex: -1}, "pixels-per-vertex"},
		{shaderlift.Options{TimeLimit: -1}, "option-range"},
		{shaderlift.Options{Effort: 9}, "option-range"},
		{shaderlift.Options{HostConstants: 2}, "option-range"},
		{shaderlift.Options{Arithmetic: "fp8"}, "unknown-arithmetic"},
		{shaderlift.Options{Require: verify.Refuted}, "unknown-verdict"},
	} {
		_, err := shaderlift.Optimize(t.Context(), pair(plainVertex, plainPixel), test.o)
		var d *asm.Diag
		if !errors.As(err, &d) || string(d.Code) != test.code {
			t.Errorf("%+v gives %v, want %s", test.o, err, test.code)
		}
		if again := test.o.Check(); again == nil || again.Error() != err.Error() {
			t.Errorf("Check says %v, Optimize %v", again, err)
		}
	}
}

// A GPU that kernels are priced for has no costs of Direct3D 9 programs, and the
// other way round.
func TestTargetOfKind(t *testing.T) {
	for _, test := range []struct {
		in     shaderlift.Input
		target string
		code   string
	}{
		{pair(plainVertex, plainPixel), "r600", "not-supported-yet"},
		{program("a.il", "il_ps_2_0\nend\n"), "d3d9", "wrong-target"},
	} {
		o := shaderlift.Options{Target: test.target}
		if err := o.Check(); err != nil {
			t.Errorf("%s: %v", test.target, err)
		}
		var d *asm.Diag
		if err := o.Check(test.in.Kind()); !errors.As(err, &d) || string(d.Code) != test.code {
			t.Errorf("Check for %s gives %v, want %s", test.target, err, test.code)
		}
		if _, err := shaderlift.Optimize(t.Context(), test.in, o); !errors.As(err, &d) || string(d.Code) != test.code {
			t.Errorf("Optimize for %s gives %v, want %s", test.target, err, test.code)
		}
		if _, err := shaderlift.Stats(t.Context(), test.in, o); !errors.As(err, &d) || string(d.Code) != test.code {
			t.Errorf("Stats for %s gives %v, want %s", test.target, err, test.code)
		}
	}
}

// contentFile is a content file of XNA.
func contentFile(reader, data string) string {
	b := append([]byte("XNBw\x05\x00\x00\x00\x00\x00\x01"), byte(len(reader)))
	b = append(append(b, reader...), 0, 0, 0, 0, 0, 1)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(data))), data...)
	binary.LittleEndian.PutUint32(b[6:], uint32(len(b)))
	return string(b)
}
