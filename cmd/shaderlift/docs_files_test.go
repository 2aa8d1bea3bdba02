package main

import (
	"encoding/binary"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/fx/fxtest"
)

// The effects that recipes in the documentation are about: two that have both programs, and
// one that is drawn with the vertex program of a sprite batch.
const (
	waterVertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov oT0.xy, v1\n"
	waterPixel  = "ps_2_0\ndcl t0.xy\ndcl_2d s0\nadd r0.xy, t0, c0\nadd r1.xy, t0, -c0\ntexld r0, r0, s0\ntexld r1, r1, s0\nadd r0, r0, r1\nmul r0, r0, c1.x\nmov oC0, r0\n"
	glowPixel   = "#include \"lights.h\"\nps.2.0\ndcl t0\ndcl t1\ndcl_2d s0\ntexld r0, t1, s0 // the surface\nLIGHT(r1.x, t0, FIRST)\n#if LIGHTS > 1\nLIGHT(r1.y, t0, FIRST + 1)\nadd r1.x, r1.x, r1.y\n#endif\nmul r0, r0, r1.x\nmov r2, r0\nmov oC0, r2\n"
	lightsH     = "#define LIGHTS 2\n#define FIRST 4\n#define LIGHT(d, n, i) dp3 d, n, c[i]\n"
	litVertex   = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov oT0.xy, v1\n"
	litPixel    = "ps_2_0\ndef c0, 0.25, 0.5, 0, 0\ndcl t0.xy\ndcl_2d s0\ndcl_2d s1\nadd r0.xy, t0, c0\ntexld r0, r0, s0\ntexld r1, t0, s1\nmul r0, r0, r1\nmov oC0, r0\n"
	fixedVertex = "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0.xy, v0\n"
	unlitPixel  = "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n"
	quadVertex  = "// A quad at unit scale.\nvs_2_0\ndef c4, 1, 0, 0, 0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov oD0, c4.x\nmov oT0.xy, v1\nmov oT0.zw, c4.x\n"
	scaledPixel = "ps_2_0\ndcl t0\ndcl_2d s0\nrcp r1.x, t0.w\nmul r1.xy, t0, r1.x\ntexld r0, r1, s0\nmul r0, r0, c0\nmov oC0, r0\n"
	wavePixel   = "ps_2_0\ndef c1, 0.5, 1, 0, 0\ndcl v0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmul r1.x, r0.x, c0.x\nmul r1.y, r0.y, c0.x\nmul r1.z, r0.z, c0.x\nmov r1.w, r0.w\nmul r0, r1, v0\nmov oC0, r0\n"
)

func effectOf(vertex, pixel string) []byte {
	var b fxtest.Builder
	b.Param(fxtest.Matrix("World", 4, 4))
	b.Param(fxtest.Vector("Offset", 4))
	b.Param(fxtest.Ints("Palette", make([]uint32, 4096)...)) // as much as effects have beside programs
	b.Technique("Main")
	world := d3d9.Constant{Name: "World", Set: d3d9.SetFloat4, Index: 0, Count: 4, Class: 3, Type: 3, Rows: 4, Columns: 4}
	offset := d3d9.Constant{Name: "Offset", Set: d3d9.SetFloat4, Index: 0, Count: 1, Class: 1, Type: 3, Rows: 1, Columns: 4}
	var vs fxtest.Shader
	if vertex != "" {
		vs.Data = fxtest.WithTable(fxtest.Assemble(vertex), world)
	}
	b.Pass("P0", vs, fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(pixel), offset)})
	return b.Build()
}

// litEffect chooses its programs by an index: one vertex program is drawn with two pixel
// programs, of which one has work to move.
func litEffect() []byte {
	var b fxtest.Builder
	b.Array(fx.VertexShader, "VSArray", fxtest.Assemble(litVertex), fxtest.Assemble(fixedVertex))
	b.Array(fx.PixelShader, "PSArray", fxtest.Assemble(litPixel), fxtest.Assemble(unlitPixel))
	b.Param(fxtest.Ints("VSIndices", 0, 0, 0, 1))
	b.Param(fxtest.Ints("PSIndices", 0, 1, 0, 1))
	b.Param(fxtest.Ints("ShaderIndex", 0))
	b.Technique("Main")
	b.Pass("P0", fxtest.Shader{Data: fxtest.Selector("VSArray", "VSIndices", "ShaderIndex"), Usage: fx.Selection},
		fxtest.Shader{Data: fxtest.Selector("PSArray", "PSIndices", "ShaderIndex"), Usage: fx.Selection})
	return b.Build()
}

// contentOf is a content file of XNA with an effect.
func contentOf(effect []byte) []byte {
	const reader = "Microsoft.Xna.Framework.Content.EffectReader"
	body := append([]byte{1, byte(len(reader))}, reader...)
	body = append(body, 0, 0, 0, 0, 0, 1) // its version, no shared resources, the first reader
	body = append(binary.LittleEndian.AppendUint32(body, uint32(len(effect))), effect...)
	file := append([]byte("XNBw\x05\x00"), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(file[6:], uint32(len(file)+len(body)))
	return append(file, body...)
}

// docFiles are the files that commands in the documentation are about, beside those of the
// checkout.
func docFiles() map[string][]byte {
	water := effectOf(waterVertex, waterPixel)
	return map[string][]byte{
		"Effects/Water.fxb": water,
		"Content/Water.xnb": contentOf(water),
		"Content/Hills.xnb": []byte("XNBw\x05\x00\x0c\x00\x00\x00\x00\x00"), // another asset
		"Mod/Wave.xnb":      contentOf(effectOf("", wavePixel)),
		"Mod/Scaled.xnb":    contentOf(effectOf("", scaledPixel)),
		"Arrays/Lit.fxb":    litEffect(),
		"Assembly/glow.psh": []byte(glowPixel),
		"Assembly/lights.h": []byte(lightsH),
		"Engine/quad.vsh":   []byte(quadVertex),
	}
}
