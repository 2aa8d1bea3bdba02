package interp

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// benchDraw draws a screen-filling quad of 256 by 256 and reports fragments and
// vector instructions (one four-component instruction on one fragment) a second.
func benchDraw(b *testing.B, vsrc, psrc string, filter Filter, n Numerics) {
	vp, pp := mustParse(b, vsrc), mustParse(b, psrc)
	vs, ps := mustCompile(b, vp), mustCompile(b, pp)
	c := DefaultCase(vp, pp)
	c.Width, c.Height = 256, 256
	c.fillScreen()
	for _, t := range c.PixelTex {
		if t != nil {
			t.Filter = filter
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := Draw(vs, ps, c, n); err != nil {
			b.Fatal(err)
		}
	}
	arithmetic, texture := 0, 0
	for i := range pp.Insts {
		a, t := pp.Insts[i].Slots(pp.Model, false)
		arithmetic, texture = arithmetic+a, texture+t
	}
	fragments := float64(b.N) * 256 * 256 / b.Elapsed().Seconds()
	b.ReportMetric(fragments/1e6, "Mfragments/s")
	b.ReportMetric(fragments/1e6*float64(arithmetic+texture), "Mvec-instr/s")
}

// fillScreen makes the mesh two triangles, with coordinates from 0 to 1.
func (c *Case) fillScreen() {
	c.Prim = Strip
	c.Attrs = []Attr{
		{Usage: d3d9.UsagePosition, Comps: 4, Data: []float32{-1, 1, 0, 1, 1, 1, 0, 1, -1, -1, 0, 1, 1, -1, 0, 1}},
		{Usage: d3d9.UsageTexCoord, Comps: 2, Data: []float32{0, 0, 1, 0, 0, 1, 1, 1}},
	}
}

const quadVS = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n"

const threeTaps = `ps_2_0
def c0, 0.25, 0.5, 0.25, 0
dcl t0.xy
dcl_2d s0
add r0.xy, t0, -c1
texld r0, r0, s0
texld r1, t0, s0
add r2.xy, t0, c1
texld r2, r2, s0
mul r0, r0, c0.x
mad r0, r1, c0.y, r0
mad r0, r2, c0.z, r0
mov oC0, r0
`

func BenchmarkThreeTaps(b *testing.B) {
	b.Run("nearest", func(b *testing.B) { benchDraw(b, quadVS, threeTaps, Nearest, Numerics{}) })
	b.Run("linear", func(b *testing.B) { benchDraw(b, quadVS, threeTaps, Linear, Numerics{}) })
}

// arithmetic returns a program of 96 instructions without textures.
func arithmetic() string {
	src := "ps_2_x\ndcl t0\nmov r0, t0\nmov r1, c0\n"
	for range 16 {
		src += "mad r0, r0, c1, r1\nmul r1, r0.wzyx, c2\nadd r0, r0, -r1\ndp4 r2.x, r0, c3\nmax r1, r0, c2\nmul_sat r0, r1, r2.x\n"
	}
	src += "mov oC0, r0\n"
	return src
}

// BenchmarkArithmetic runs a long program without textures: the bare loops, in plain arithmetic and under
// the numerics that need other loops.
func BenchmarkArithmetic(b *testing.B) {
	src := arithmetic()
	b.Run("ieee", func(b *testing.B) { benchDraw(b, quadVS, src, Nearest, Numerics{}) })
	b.Run("all-modes", func(b *testing.B) {
		benchDraw(b, quadVS, src, Nearest, Numerics{MulZero: true, FlushDenormals: true, FuseMad: true})
	})
}

// BenchmarkBlur runs a compiled blur of about twenty taps.
func BenchmarkBlur(b *testing.B) {
	vp, pp := corpusPair(b, "PostProcessing_Blur__t5_p0")
	vs, ps := mustCompile(b, vp), mustCompile(b, pp)
	c := DefaultCase(vp, pp)
	c.Width, c.Height = 256, 256
	b.ReportAllocs()
	b.ResetTimer()
	fragments := 0
	for range b.N {
		img, err := Draw(vs, ps, c, Numerics{})
		if err != nil {
			b.Fatal(err)
		}
		fragments += img.Coverage()
	}
	cost := d3d9.Measure(pp)
	rate := float64(fragments) / b.Elapsed().Seconds() / 1e6
	b.ReportMetric(rate, "Mfragments/s")
	b.ReportMetric(rate*float64(cost.Slots), "Mvec-instr/s")
}
