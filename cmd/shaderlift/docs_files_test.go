package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// The programs of the effects below examples/effects.
const (
	waterVertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov oT0.xy, v1\n"
	waterPixel  = "ps_2_0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c0\nadd r1.xy, t0, -c0\ntexld r0, r0, s0\ntexld r1, r1, s0\nadd r0, r0, r1\nmul r0, r0, c1.x\nmov oC0, r0\n"
	litVertex   = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov oT0.xy, v1\n"
	litPixel    = "ps_2_0\ndef c0, 0.25, 0.5, 0, 0\ndcl t0.xy\ndcl_2d s0\ndcl_2d s1\nadd r0.xy, t0, c0\ntexld r0, r0, s0\ntexld r1, t0, s1\nmul r0, r0, r1\nmov oC0, r0\n"
	fixedVertex = "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0.xy, v0\n"
	unlitPixel  = "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n"
	scaledPixel = "ps_2_0\ndcl t0\ndcl_2d s0\nrcp r1.x, t0.w\nmul r1.xy, t0, r1.x\ntexld r0, r1, s0\nmul r0, r0, c0\nmov oC0, r0\n"
	wavePixel   = "ps_2_0\ndef c1, 0.5, 1, 0, 0\ndcl v0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmul r1.x, r0.x, c0.x\nmul r1.y, r0.y, c0.x\nmul r1.z, r0.z, c0.x\nmov r1.w, r0.w\nmul r0, r1, v0\nmov oC0, r0\n"
)

func effectOf(vertex, pixel string) []byte {
	var b fxtest.Builder
	b.Param(fxtest.Matrix("World", 4, 4))
	b.Param(fxtest.Vector("Offset", 4))
	b.Param(fxtest.Ints("Palette", make([]uint32, 4096)...)) // as much as other data in effects
	b.Technique("Main")
	world := d3d9.Constant{Name: "World", Set: d3d9.SetFloat4, Index: 0, Count: 4, Class: 3, Type: 3, Rows: 4, Columns: 4}
	offset := d3d9.Constant{Name: "Offset", Set: d3d9.SetFloat4, Index: 0, Count: 1, Class: 1, Type: 3, Rows: 1,
		Columns: 4}
	var vs fxtest.Shader
	if vertex != "" {
		vs.Data = fxtest.WithTable(fxtest.Assemble(vertex), world)
	}
	b.AddPass("P0", vs, fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(pixel), offset)})
	return b.Build()
}

// litEffect returns an effect that selects its programs by an index: one vertex program is drawn
// with two pixel programs, one of which has computations to move.
func litEffect() []byte {
	var b fxtest.Builder
	b.Array(fx.VertexShader, "VSArray", fxtest.Assemble(litVertex), fxtest.Assemble(fixedVertex))
	b.Array(fx.PixelShader, "PSArray", fxtest.Assemble(litPixel), fxtest.Assemble(unlitPixel))
	b.Param(fxtest.Ints("VSIndices", 0, 0, 0, 1))
	b.Param(fxtest.Ints("PSIndices", 0, 1, 0, 1))
	b.Param(fxtest.Ints("ShaderIndex", 0))
	b.Technique("Main")
	b.AddPass("P0", fxtest.Shader{Data: fxtest.Selector("VSArray", "VSIndices", "ShaderIndex"), Usage: fx.Selection},
		fxtest.Shader{Data: fxtest.Selector("PSArray", "PSIndices", "ShaderIndex"), Usage: fx.Selection})
	return b.Build()
}

// exampleProgram returns the bytecode of a program of examples/programs.
func exampleProgram(name string) []byte {
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "programs", name))
	if err != nil {
		panic(err)
	}
	return fxtest.Assemble(string(text))
}

// blurEffect returns an effect with one pass, for the playground.
func blurEffect() []byte {
	vertex, pixel := exampleProgram("blur.vsh"), exampleProgram("blur.psh")
	var b fxtest.Builder
	b.Technique("Blur")
	b.AddPass("P0", fxtest.Shader{Data: vertex},
		fxtest.Shader{Data: pixel})
	return b.Build()
}

// basicEffect returns an effect for the playground that selects its programs by an index. Each of the
// vertex programs may be drawn with each of the pixel programs.
func basicEffect() []byte {
	var b fxtest.Builder
	b.Array(fx.VertexShader, "VSArray", exampleProgram("basic_lit.vsh"), exampleProgram("basic_unlit.vsh"))
	b.Array(fx.PixelShader, "PSArray", exampleProgram("basic_fog.psh"), exampleProgram("basic_plain.psh"))
	b.Param(fxtest.Ints("VSIndices", 0, 0, 1, 1))
	b.Param(fxtest.Ints("PSIndices", 0, 1, 0, 1))
	b.Param(fxtest.Ints("ShaderIndex", 0))
	b.Technique("BasicEffect")
	b.AddPass("P0", fxtest.Shader{Data: fxtest.Selector("VSArray", "VSIndices", "ShaderIndex"), Usage: fx.Selection},
		fxtest.Shader{Data: fxtest.Selector("PSArray", "PSIndices", "ShaderIndex"), Usage: fx.Selection})
	return b.Build()
}

// contentOf returns a content file of XNA with an effect.
func contentOf(effect []byte) []byte {
	const reader = "Microsoft.Xna.Framework.Content.EffectReader"
	body := append([]byte{1, byte(len(reader))}, reader...)
	body = append(body, 0, 0, 0, 0, 0, 1) // its version, no shared resources, the first reader
	body = append(binary.LittleEndian.AppendUint32(body, uint32(len(effect))), effect...)
	file := append([]byte("XNBw\x05\x00"), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(file[6:], uint32(len(file)+len(body)))
	return append(file, body...)
}

// effectExamples returns the files below examples/effects that TestEffectExamples generates, by path.
func effectExamples() map[string][]byte {
	water := effectOf(waterVertex, waterPixel)
	return map[string][]byte{
		"game/Water.fxb":       water,
		"content/Water.xnb":    contentOf(water),
		"content/Hills.xnb":    []byte("XNBw\x05\x00\x0c\x00\x00\x00\x00\x00"), // content that is not an effect
		"mod/Wave.xnb":         contentOf(effectOf("", wavePixel)),
		"mod/Scaled.xnb":       contentOf(effectOf("", scaledPixel)),
		"arrays/Lit.fxb":       litEffect(),
		"playground/blur.fxb":  blurEffect(),
		"playground/basic.fxb": basicEffect(),
	}
}

// TestEffectExamples compares the effects below examples/effects with the ones that this file describes; -update-docs writes them.
func TestEffectExamples(t *testing.T) {
	for name, want := range effectExamples() {
		path := filepath.Join("..", "..", "examples", "effects", filepath.FromSlash(name))
		if *updateDocs {
			if err := writeFile(path, want); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the generated effect (%v); -update-docs writes it", path, err)
		}
	}
}
