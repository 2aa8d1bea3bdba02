package kernel

import (
	"math"
	"testing"
)

// fetchSource returns a kernel with resource 0 declared, and coordinates in literals.
func fetchSource(typ, src string) string {
	return "dcl_resource_id(0)_type(" + typ +
		")_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\ndcl_output_generic o0\n" + src + "\nmov o0, r0"
}

// TestFetch uses resources whose words hold their own numbers, so that a result identifies the location.
func TestFetch(t *testing.T) {
	count := func(n int) (d Data) {
		d.Kind = Words
		for i := range n {
			d.Words = append(d.Words, math.Float32bits(float32(i)))
		}
		return d
	}
	texel := func(k float32) vec4 { return floats(4*k, 4*k+1, 4*k+2, 4*k+3) }
	four := Resource{0, 4, 3, 1, Float4, count(48)}
	cube := Resource{0, 2, 2, 3, Float4, count(48)}
	inf, nan := "0x7f800000", "0x7fc00000"
	for _, e := range []struct {
		typ, at, src string
		r            Resource
		want         vec4
	}{
		// The location is rounded down and clamped to the edge.
		{"2d,unnorm", "0.0, 0.0, 0.0, 0.0", "sample_resource(0)_sampler(0) r0, l0.xy", four, texel(0)},
		{"2d,unnorm", "1.5, 2.5, 0.0, 0.0", "sample_resource(0)_sampler(0) r0, l0.xy", four, texel(9)},
		{"2d,unnorm", "1.99, 1.0, 0.0, 0.0", "sample_resource(0)_sampler(1) r0, l0", four, texel(5)},
		{"2d,unnorm", "-3.0, 9.0, 0.0, 0.0", "sample_resource(0)_sampler(0) r0, l0.xy", four, texel(8)},
		{"2d,unnorm", "4.0, -0.1, 0.0, 0.0", "sample_resource(0)_sampler(0) r0, l0.xy", four, texel(3)},
		{"2d,unnorm", inf + ", " + nan + ", 0, 0", "sample_resource(0)_sampler(0) r0, l0.xy", four, texel(3)},
		{"2d,unnorm", "1.5, 2.5, 0.0, 0.0", "sample_resource(0)_sampler(0) r0, l0.yx", four, texel(6)},
		{"2d", "0.25, 0.9, 0.0, 0.0", "sample_resource(0)_sampler(0) r0, l0.xy", four, texel(9)},
		{"2d", "1.0, -1.0, 0.0, 0.0", "sample_resource(0)_sampler(0) r0, l0.xy", four, texel(3)},
		// Lanes are positional, and masks have their constants.
		{"2d,unnorm", "1.5, 0.5, 0.0, 0.0", "sample_resource(0)_sampler(0) r0._y1w, l0.xy", four, floats(0, 5, 1, 7)},
		// The fetch may overwrite its coordinate.
		{"2d,unnorm", "1.5, 2.5, 0.0, 0.0", "mov r0, l0\nsample_resource(0)_sampler(0) r0, r0.xy", four, texel(9)},
		// Offsets are in texels and may have halves.
		{"2d,unnorm", "0.5, 0.5, 0.0, 0.0", "sample_resource(0)_sampler(0)_aoffimmi(1.0,2.0,0.0) r0, l0.xy", four, texel(9)},
		{"2d,unnorm", "0.5, 0.5, 0.0, 0.0", "sample_resource(0)_sampler(0)_aoffimmi(0.5,0.0,0.0) r0, l0.xy", four, texel(1)},
		{"2d,unnorm", "1.25, 0.5, 0.0, 0.0", "sample_resource(0)_sampler(0)_aoffimmi(0.5,0.0,0.0) r0, l0.xy", four, texel(1)},
		{"2d,unnorm", "2.5, 0.5, 0.0, 0.0", "sample_resource(0)_sampler(0)_aoffimmi(-1,0.0,0.0) r0, l0.xy", four, texel(1)},
		{"2d", "0.3, 0.5, 0.0, 0.0", "sample_resource(0)_sampler(0)_aoffimmi(1.0,0.0,0.0) r0, l0.xy", four, texel(6)},
		// Other shapes and formats.
		{"1d,unnorm", "2.5, 9.0, 9.0, 9.0", "sample_resource(0)_sampler(0) r0, l0.x",
			Resource{0, 4, 1, 1, Float1, count(4)}, floats(2, 2, 2, 2)},
		{"1d,unnorm", "2.5, 9.0, 9.0, 9.0", "sample_resource(0)_sampler(0) r0.__zw, l0.x",
			Resource{0, 4, 1, 1, Float1, count(4)}, floats(0, 0, 2, 2)},
		{"1d,unnorm", "2.5, 9.0, 9.0, 9.0", "sample_resource(0)_sampler(0) r0, l0.x",
			Resource{0, 4, 1, 1, Float2, count(8)}, floats(4, 5, 0, 1)},
		{"1d,unnorm", "1.5, 9.0, 9.0, 9.0", "sample_resource(0)_sampler(0) r0, l0.x",
			Resource{0, 2, 1, 1, Uint4, Data{Kind: Words, Words: []uint32{0, 0, 0, 0, 1, 2, 3, 4}}}, vec4{1, 2, 3, 4}},
		{"buffer", "7.0, 9.0, 9.0, 9.0", "sample_resource(0)_sampler(0) r0, l0.x", four, texel(7)},
		{"3d,unnorm", "1.5, 0.5, 2.9, 0.0", "sample_resource(0)_sampler(0) r0, l0", cube, texel(9)},
		{"3d", "0.5, 0.5, 0.34, 0.0", "sample_resource(0)_sampler(0) r0, l0", cube, texel(7)},
		{"2darray", "0.5, 0.5, 1.4, 0.0", "sample_resource(0)_sampler(0) r0, l0", cube, texel(7)},
		{"2darray", "0.0, 0.0, 1.5, 0.0", "sample_resource(0)_sampler(0) r0, l0", cube, texel(8)},
		{"2darray,unnorm", "0.0, 0.0, 77.0, 0.0", "sample_resource(0)_sampler(0) r0, l0", cube, texel(8)},
		{"1darray,unnorm", "1.0, 0.6, 0.0, 0.0", "sample_resource(0)_sampler(0) r0, l0", four, texel(5)},
		// Levels and gradients have no effect.
		{"2d,unnorm", "1.5, 2.5, 3.0, 0.0", "sample_l_resource(0)_sampler(0) r0, l0.xy, l0.z", four, texel(9)},
		{"2d,unnorm", "1.5, 2.5, 3.0, 0.0", "sample_b_resource(0)_sampler(0) r0, l0.xy, l0.z", four, texel(9)},
		{"2d,unnorm", "1.5, 2.5, 3.0, 0.0", "sample_g_resource(0)_sampler(0) r0, l0.xy, l0.z, l0.z", four, texel(9)},
		// Comparisons: the reference is at most the texel's x.
		{"2d,unnorm", "1.5, 0.5, 4.0, 4.5", "sample_c_lz_resource(0)_sampler(0) r0, l0.xy, l0.z", four, floats(1, 1, 1, 1)},
		{"2d,unnorm", "1.5, 0.5, 4.0, 4.5", "sample_c_resource(0)_sampler(0) r0.x, l0.xy, l0.w", four, vec4{}},
		{"2d,unnorm", "1.5, 0.5, 4.0, 4.5", "sample_c_l_resource(0)_sampler(0) r0.y, l0.xy, l0.z, l0.w", four, floats(0, 1)},
		// Integer coordinates: beyond the end is 0.
		{"2d", "1, 2, 0, 0", "load_resource(0) r0, l0", four, texel(9)},
		{"2d", "1, 2, 0, 0", "load_resource(0)_aoffimmi(-1.0,-1.0,0.0) r0, l0", four, texel(4)},
		{"2d", "4, 0, 0, 0", "load_resource(0) r0, l0", four, vec4{}},
		{"2d", "1, -1, 0, 0", "load_resource(0) r0, l0", four, vec4{}},
		{"3d", "1, 1, 2, 0", "load_resource(0) r0, l0", cube, texel(11)},
		{"buffer", "11, 0, 0, 0", "load_resource(0) r0, l0.x", four, texel(11)},
		{"buffer", "12, 0, 0, 0", "load_resource(0) r0, l0.x", four, vec4{}},
		// The four elements around a location.
		{"2d,unnorm", "2.0, 2.0, 0.0, 0.0", "fetch4_resource(0)_sampler(0) r0, l0.xy", four, floats(36, 40, 24, 20)},
		{"2d,unnorm", "2.0, 2.0, 0.0, 0.0", "fetch4_resource(0)_sampler(0)_compselect(z) r0, l0.xy", four,
			floats(38, 42, 26, 22)},
		{"2d,unnorm", "0.2, 2.9, 0.0, 0.0", "fetch4_resource(0)_sampler(0) r0, l0.xy", four, floats(32, 32, 32, 32)},
		// Sizes.
		{"2d", "0, 0, 0, 0", "resinfo_resource(0) r0, l0.x", four, floats(4, 3, 0, 1)},
		{"3d", "0, 0, 0, 0", "resinfo_resource(0)_uint r0, l0.x", cube, vec4{2, 2, 3, 1}},
		// A resource that the case does not have.
		{"2d", "0.5, 0.5, 0, 0", "mov r0, l0\nsample_resource(0)_sampler(0) r0, l0", Resource{7, 1, 1, 1, Float1, Data{}},
			vec4{}},
	} {
		src := "dcl_literal l0, " + e.at + "\n" + e.src
		r, err := compile(t, fetchSource(e.typ, src)).Run(&Case{Width: 1, Height: 1, Resources: []Resource{e.r}}, Options{})
		if err != nil {
			t.Errorf("%s: %v", e.src, err)
			continue
		}
		if got := vec4(r.Out[0]); got != e.want {
			t.Errorf("%s of %s at %s gives %v, want %v", e.src, e.typ, e.at, asFloats(got), asFloats(e.want))
		}
	}
}
