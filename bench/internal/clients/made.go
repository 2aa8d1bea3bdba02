package clients

import (
	"math"
	"strconv"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// Effect is an effect that a client loads.
type Effect struct {
	Name string
	Data []byte
}

// Synthetic returns effects that exercise the transformations of an optimization; all of them improve. Names of
// arrays end where a word ends, because MojoShader misreads selectors of other names.
func Synthetic() []Effect {
	return []Effect{
		{"constants", effectOfConstants()},
		{"elements", effectOfElements()},
		{"passes", effectOfPasses()},
		{"arrays", effectOfArrays()},
		{"bones", effectOfBones()},
		{"shares", effectOfShares()},
	}
}

const (
	effectVertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov oT0, v1\n"
	effectPixel  = "ps_2_0\ndcl t0\ndcl_2d s0\nadd r0.xy, t0, c3\ntexld r0, r0, s0\nmul r0, r0, c0\nmov oC0, r0\n"
	// slowPixel improves without code motion.
	slowPixel = "ps_2_0\ndcl t0\nmul r1, t0, t0\nmul r0, t0, c0\nadd r0, r0, c"
)

func named(text string, constants ...d3d9.Constant) fxtest.Shader {
	return fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(text), constants...)}
}

// transform returns a matrix in c0 to c3.
func transform() d3d9.Constant {
	return d3d9.Constant{Name: "Transform", Set: d3d9.SetFloat4, Count: 4, Class: uint16(fx.MatrixColumns),
		Type: uint16(fx.Float), Rows: 4, Columns: 4, Elements: 1}
}

func newEffect() *fxtest.Builder {
	var b fxtest.Builder
	b.Param(fxtest.Vector("Colour", 4), fxtest.Vector("Range", 2, math.Float32bits(0.5)))
	b.Param(fxtest.Vector("Offset", 4))
	b.Param(fxtest.Matrix("Transform", 4, 4))
	b.Sampler("Image", "ImageSampler")
	return &b
}

// effectOfConstants returns an effect with a pass whose vertex program gains Offset.
func effectOfConstants() []byte {
	b := newEffect()
	b.Technique("Main", fxtest.Vector("Order", 1))
	sampler := d3d9.Constant{Name: "ImageSampler", Set: d3d9.SetSampler, Count: 1, Class: uint16(fx.ObjectClass),
		Type: uint16(fx.Sampler2D), Rows: 1, Columns: 1, Elements: 1}
	b.AddPass("P0", named(effectVertex, transform()),
		named(effectPixel, d3d9.Constant{Name: "Colour"}, sampler, d3d9.Constant{Name: "Offset", Index: 3}))
	return b.Build()
}

// effectOfElements returns an effect with a pass whose pixel program is an element of an array.
func effectOfElements() []byte {
	b := newEffect()
	var programs [][]byte
	for i := range 4 {
		text := slowPixel + strconv.Itoa(i+1) + "\nmov oC0, r0\n"
		programs = append(programs, named(text, d3d9.Constant{Name: "Colour"},
			d3d9.Constant{Name: "Offset", Index: i + 1}).Data)
	}
	b.Array(fx.PixelShader, "PSArray", programs...)
	b.Param(fxtest.Ints("Indices", 3, 1, 0, 2))
	b.Param(fxtest.Ints("Index", 0))
	b.Technique("Main")
	b.AddPass("P0", named(effectVertex, transform()),
		fxtest.Shader{Data: fxtest.Selector("PSArray", "Indices", "Index"), Usage: fx.Selection})
	return b.Build()
}

// effectOfPasses returns an effect with a pass that draws with the vertex program of another pass.
func effectOfPasses() []byte {
	b := newEffect()
	b.Technique("Main")
	colour, offset := d3d9.Constant{Name: "Colour"}, d3d9.Constant{Name: "Offset", Index: 1}
	b.AddPass("P0", named(effectVertex, transform()), named(slowPixel+"1\nmov oC0, r0\n", colour, offset))
	b.AddPass("P1", fxtest.Shader{}, named("ps_2_0\ndcl t0\nmul r1, t0, t0\nmul r0, t0.wzyx, c0\nmov oC0, r0\n", colour))
	return b.Build()
}

// addLighting adds an array of two pixel programs that compute the direction to an eye. It also adds a pass that
// selects one of them and a vertex program.
func addLighting(b *fxtest.Builder, vertex ...[]byte) []byte {
	b.Param(fxtest.Vector("Eye", 4))
	b.Array(fx.VertexShader, "VSArray", vertex...)
	const pixel = "ps_2_0\ndcl t0\ndcl t1.xyz\ndcl t2.xyz\nadd r1.xyz, -t1, c1\ndp3 r2.x, r1, t2\nadd r0, t0, c3\n"
	colour, offset := d3d9.Constant{Name: "Colour"}, d3d9.Constant{Name: "Offset", Index: 3}
	eye := d3d9.Constant{Name: "Eye", Index: 1}
	b.Array(fx.PixelShader, "PSArray", named(pixel+"mul r0, r0, r2.x\nmul r0, r0, c0\nmov oC0, r0\n", colour, eye,
		offset).Data,
		named(pixel+"mul r0, r0, r2.x\nmad r0, r0, r0, c0\nmov oC0, r0\n", colour, eye, offset).Data)
	return choosing(b)
}

// effectOfShares draws every vertex program with two pixel programs. The first computes coordinates that
// can move into the vertex program, the second does not.
func effectOfShares() []byte {
	b := newEffect()
	const vertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\n"
	b.Array(fx.VertexShader, "VSArray", named(vertex+"mov oT0, v1\n", transform()).Data,
		named(vertex+"add oT0, v1, v1\n", transform()).Data)
	const pixel = "ps_2_0\ndcl t0\ndcl_2d s0\nmul r1, t0, t0\n"
	const texel = "texld r0, r0, s0\nmul r0, r0, c0\nmov oC0, r0\n"
	sampler := d3d9.Constant{Name: "ImageSampler", Set: d3d9.SetSampler, Count: 1, Class: uint16(fx.ObjectClass),
		Type: uint16(fx.Sampler2D), Rows: 1, Columns: 1, Elements: 1}
	colour, offset := d3d9.Constant{Name: "Colour"}, d3d9.Constant{Name: "Offset", Index: 3}
	b.Array(fx.PixelShader, "PSArray", named(pixel+"add r0.xy, t0, c3\n"+texel, colour, sampler, offset).Data,
		named(pixel+"mov r0.xy, t0\n"+texel, colour, sampler).Data)
	return choosing(b)
}

// choosing adds a pass that selects from both arrays; its four indices draw every pair.
func choosing(b *fxtest.Builder) []byte {
	b.Param(fxtest.Ints("VertexOf", 0, 1, 0, 1))
	b.Param(fxtest.Ints("PixelOf", 1, 0, 0, 1))
	b.Param(fxtest.Ints("Index", 0))
	b.Technique("Main")
	b.AddPass("P0", fxtest.Shader{Data: fxtest.Selector("VSArray", "VertexOf", "Index"), Usage: fx.Selection},
		fxtest.Shader{Data: fxtest.Selector("PSArray", "PixelOf", "Index"), Usage: fx.Selection})
	return b.Build()
}

// effectOfArrays selects both programs by an index, as BasicEffect does.
func effectOfArrays() []byte {
	const vertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\ndcl_normal v2\nm4x4 oPos, v0, c0\nmov oT1.xyz, v0\nmov oT2.xyz, v2\n"
	return addLighting(newEffect(), named(vertex+"mov oT0, v1\n", transform()).Data,
		named(vertex+"mul oT0, v1, c4\n", d3d9.Constant{Name: "Colour", Index: 4}, transform()).Data)
}

// effectOfBones has vertex programs with one bone and with two, as SkinnedEffect does.
func effectOfBones() []byte {
	b := newEffect()
	bones := fxtest.Vector("Bones", 4)
	bones.Type.Elements = 6
	bones.SetWords(make([]uint32, 24)...)
	b.Param(bones)
	entry := d3d9.Constant{Name: "Bones", Set: d3d9.SetFloat4, Index: 8, Count: 6, Class: uint16(fx.Vector),
		Type: uint16(fx.Float), Rows: 1, Columns: 4, Elements: 6}
	program := func(weigh string) []byte {
		return named("vs_2_0\ndcl_position v0\ndcl_texcoord v1\ndcl_normal v2\ndcl_blendindices v3\ndcl_blendweight v4\nmova a0.xy, v3\n"+weigh+
			"mul r1.xyz, r0, v0\nmov r1.w, v0.w\nm4x4 oPos, r1, c0\nmov oT0, v1\nmov oT1.xyz, r1\nmul oT2.xyz, v2, r0\n", entry, transform()).Data
	}
	return addLighting(b, program("mov r0, c8[a0.x]\n"), program("mul r0, c8[a0.x], v4.x\nmad r0, c9[a0.y], v4.y, r0\n"))
}
