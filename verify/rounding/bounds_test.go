package rounding

import (
	"math"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/vsps"
)

func lifted(t *testing.T, text string) *Program {
	t.Helper()
	p, err := d3d9.Parse("test", []byte(strings.ReplaceAll(text, "; ", "\n")))
	if err != nil {
		t.Fatal(err)
	}
	f, err := vsps.Lift(p)
	if err != nil {
		t.Fatal(err)
	}
	return &Program{Func: f, Source: p}
}

func ranges(t *testing.T, texts ...string) (b Box) {
	t.Helper()
	for _, text := range texts {
		r, err := ParseRange(text)
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, r)
	}
	return b
}

// TestBounds checks the bounds of single operations against the standard model, computed by hand. All
// constants and inputs are in -1..1, and u is 2^-24.
func TestBounds(t *testing.T) {
	const u = 1.0 / (1 << 24)
	for _, c := range []struct {
		code   string
		lo, hi float64
		err    float64
	}{
		{"mov r0, c0.x", -1, 1, 0},
		{"add r0, c0.x, c0.y", -2, 2, 2 * u},
		{"mul r0, c0.x, c0.y", -1, 1, u},
		{"mul r0, c0.x, c0.x", 0, 1, u},
		{"mul r0, c0.x, -c0.x", -1, 0, u},
		{"mul r0, c0.x, c31.w", -2, 2, 0}, // twice
		{"add r0, c0.x, -c0.x", 0, 0, 0},
		{"mad r0, c0.x, -c0.x, c31.x", 0, 1, 2 * u},
		{"mul r0, c0.x, c0.y; add r0, r0, -r0", 0, 0, u}, // fused, or not
		{"add r0, c0.x, c31.w; rcp r0, r0.x", 1. / 3, 1, 4 * u},
		{"rsq r0, c0.x", 1, math.Inf(1), math.Inf(1)},
		{"mad r0, c0.x, -c0.x, c31.x; rsq r0, r0.x", 1, math.Inf(1), math.Inf(1)},
		{"rsq r0, c0.x; rcp r0, r0.x", 0, 1, 3 * u},
		{"mad r0, c0.x, -c0.x, c31.x; rsq r0, r0.x; rcp r0, r0.x", 0, 1, math.Sqrt(2*u) + 4*u},
		{"dp3 r0, c0, c0; rsq r1, r0.x; mul r0, c0.x, r1.x", -1, 1, 2},
		{"nrm r0.xyz, c0; mov r0.w, c31.x", -1, 1, 2},
		{"frc r0, c0.x", 0, 1, 1},
		{"max r0, c0.x, c0.y", -1, 1, 0},
		{"add r0, c0.x, c0.y; max r0, r0, -c31.x; min r0, r0, c31.x", -1, 1, 2 * u},
		{"add_sat r0, c0.x, c0.y", 0, 1, 2 * u},
		{"rcp_sat r0, c0.x", 0, 1, 1},
		{"add r1, c0.x, c0.y; cmp r0, r1, c0.x, c0.y", -1, 1, 2}, // may choose otherwise
		{"cmp r0, c0.z, c0.x, c0.y", -1, 1, 0},                   // may not
		{"add r1, c0.x, c0.y; cmp r0, r1, c31.x, c31.x", 1, 1, 0},
		{"lrp_sat r0, c31.z, c0.x, c0.y", 0, 1, 3 * u},
		{"pow r0, c0.x, c31.w", 0, 1, 2 * u},
		{"log r0, c0.x; mul r0, r0.x, c31.w; exp r0, r0.x", 0, 1, 5.98 * u}, // a power
		{"log r0, c0.x", math.Inf(-1), 0, math.Inf(1)},
	} {
		p := lifted(t, "ps_2_x; def c31, 1, 0, 0.5, 2; "+c.code+"; mov oC0, r0")
		o, err := New(&precise, nil).overBox(&Pair{Pixel: p})
		if err != nil {
			t.Fatal(err)
		}
		v := o.outs[0].value
		if v.lo > c.lo || v.hi < c.hi || v.lo < c.lo-1e-6 || v.hi > c.hi+1e-6 {
			t.Errorf("%s lies in %g..%g, want %g..%g", c.code, v.lo, v.hi, c.lo, c.hi)
		}
		if v.err < c.err*0.99 || v.err > c.err*1.01+1e-30 {
			t.Errorf("%s is off by up to %g, want %g", c.code, v.err, c.err)
		}
	}
}

// TestInterpolation checks that the interpolation error is relative to the largest value in the triangle,
// which for a pair comes from the vertex program.
func TestInterpolation(t *testing.T) {
	vs := lifted(t, "vs_2_0; dcl_position v0; dcl_texcoord v1; def c0, 8, 0, 0, 0; mov oPos, v0; mul oT0, v1, c0.x; mov oT1, c0.y; mov oD0, v1")
	ps := lifted(t, "ps_2_0; dcl t0; dcl t1; dcl v0; mov r0, t0; mov oC0, r0; mov r0, t1; mov oC1, r0; mov r0, v0; mov oC2, r0")
	b, err := New(ByName(""), nil).Compare(&Pair{Vertex: vs, Pixel: ps}, &Pair{Vertex: vs, Pixel: ps})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"oC0.x": 8, "oC1.x": 0, "oC2.x": 1}
	for _, o := range b.Outputs {
		if w, ok := want[o.Name]; ok && math.Abs(o.Before-w/65536) > 1e-6 {
			t.Errorf("%s is off by up to %g, want %g/65536", o.Name, o.Before, w)
		}
	}
	if math.Abs(b.Before-8./65536) > 1e-6 || b.Difference < 2*b.Before || b.Growth != 1 || b.Texels[0] != 0 {
		t.Errorf("bounds %+v", b)
	}
}

// TestTexels checks fetches with displaced coordinates. A displacement by a part of a texel changes the
// result by that part plus one step of the filter weights, however small the part is. Exact coordinates
// cause no error.
func TestTexels(t *testing.T) {
	ps := lifted(t, "ps_2_0; dcl t0; dcl_2d s0; texld r0, t0, s0; mov oC0, r0")
	b, err := New(ByName(""), ranges(t, "texcoord=0..4", "texel=-1..1")).Compare(&Pair{Pixel: ps}, &Pair{Pixel: ps})
	if err != nil {
		t.Fatal(err)
	}
	const texels = 2 * 4 * 2048 / 65536. // two axes
	if want := 2 * (texels + 2./256); math.Abs(b.Texels[0]-texels) > 1e-5 || math.Abs(b.Before-want) > 1e-5 {
		t.Errorf("off by %g texels and %g, want %g and %g", b.Texels[0], b.Before, texels, want)
	}
	for code, least := range map[string]float64{"mul r0, c0.x, c0.y; texld r0, r0, s0": 1. / 128,
		"mov r0, c0; texld r0, r0, s0": 0} {
		p := &Pair{Pixel: lifted(t, "ps_2_0; dcl_2d s0; "+code+"; mov oC0, r0")}
		if b, err = New(&precise, ranges(t, "all=0..0.01", "texel=0..1")).Compare(p, p); err != nil {
			t.Fatal(err)
		}
		if b.Before < least || b.Before > least+1e-4 {
			t.Errorf("%s is off by %g, want about %g", code, b.Before, least)
		}
	}
}

// TestLoops checks loops of known trip count, executed trip by trip, and others, executed to a fixed point.
func TestLoops(t *testing.T) {
	const head = "ps_3_0; dcl_texcoord v0; def c1, 0.5, 0, 1, 0; "
	for _, c := range []struct {
		code   string
		finite bool
		most   float64
	}{
		{"defi i0, 4, 0, 0, 0; mov r0, c1.z; rep i0; mul r0, r0, c1.x; endrep; mov oC0, r0", true, 1},
		{"defi i0, 4, 0, 0, 0; mov r0, c1.y; rep i0; add r0, r0, v0.x; endrep; mov oC0, r0", true, 4},
		{"mov r0, c1.y; rep i0; add r0, r0, v0.x; endrep; mov oC0, r0", false, math.Inf(1)},
		{"mov r0, c1.y; rep i0; add_sat r0, r0, v0.x; endrep; mov oC0, r0", true, 1},
		{"mov r0, c1.y; rep i0; max r0, r0, v0.x; endrep; mov oC0, r0", true, 1},
		{"mov r0, c1.y; rep i0; add r0, r0, c1.x; break_gt r0.x, c1.z; endrep; mov_sat oC0, r0", true, 1},
	} {
		o, err := New(&precise, nil).overBox(&Pair{Pixel: lifted(t, head+c.code)})
		if err != nil {
			t.Fatal(err)
		}
		if v := o.outs[0].value; math.IsInf(v.err, 1) == c.finite || v.hi > c.most+1e-6 {
			t.Errorf("%s: %+v", c.code, v)
		}
	}
}

// TestBox checks that a box narrows the default ranges and that later ranges override earlier ones.
func TestBox(t *testing.T) {
	ps := lifted(t, "ps_2_0; dcl t0; rcp r0, t0.x; mul r0, r0, c3.y; mov oC0, r0")
	for _, c := range []struct {
		box   []string
		most  float64
		rules int
	}{
		{nil, math.Inf(1), 1},
		{[]string{"texcoord=1..2"}, 1, 2},
		{[]string{"texcoord0.x=1..2", "ps:c3=0..4"}, 4, 1},
		{[]string{"all=1..2"}, 2, 1},
		{[]string{"all=1..2", "c3.y=0..0.5"}, 0.5, 1},
		{[]string{"c3.y=0..0.5", "all=1..2"}, 2, 1},
		{[]string{"all=1..2", "vs:c3=0..9", "texcoord1=0..9", "c3.x=0..9"}, 2, 1},
	} {
		a := New(&precise, ranges(t, c.box...))
		b, err := a.Compare(&Pair{Pixel: ps}, &Pair{Pixel: ps})
		if err != nil {
			t.Fatal(err)
		}
		if hi := b.Outputs[0].hi; math.Abs(hi-c.most) > 1e-6 || len(b.Rules) != c.rules {
			t.Errorf("%v: up to %g under %v, want %g", c.box, hi, b.Rules, c.most)
		}
	}
	for _, text := range []string{"", "c0", "c0=", "c=0..1", "c0=2..1", "c0=a..b", "c0=0..inf", "c0.q=0..1", "c0.=0..1",
		"c0.xx=0..1", "foo=0..1", "c99999=0..1", "gs:c0=0..1", "c0=nan"} {
		if r, err := ParseRange(text); err == nil {
			t.Errorf("range %q is read as %+v", text, r)
		}
	}
}

// TestFragile checks that the analysis names the amplifying instruction.
func TestFragile(t *testing.T) {
	const head = "ps_2_0; def c31, 1, 4096, 0, 0; dcl t0; "
	for _, c := range []struct {
		code, box, op string
		fused         bool
	}{
		{"mad r0, t0.x, -t0.x, c31.x; rsq r0, r0.x; mov oC0, r0", "texcoord=0..0.9", "", false},
		{"mad r0, t0.x, -t0.x, c31.x; rsq r0, r0.x; mov oC0, r0", "texcoord=0.99999..1", "rsq", true},
		{"add r0, t0.x, -c31.x; rcp r0, r0.x; mov oC0, r0", "texcoord=0.9999..1", "rcp", false},
	} {
		p := &Pair{Pixel: lifted(t, head+c.code)}
		b, err := New(ByName(""), ranges(t, c.box)).Compare(p, p)
		if err != nil {
			t.Fatal(err)
		}
		switch f := b.Fragile; {
		case f == nil && c.op != "":
			t.Errorf("%s is not fragile", c.code)
		case f != nil && (f.Cause.op.String() != c.op || f.Cause.fused != c.fused):
			t.Errorf("%s: %s", c.code, f)
		}
	}
}

// TestTooLong checks that a program that is too long has no bound, and that the analysis stops soon.
func TestTooLong(t *testing.T) {
	code := "ps_3_0; dcl_texcoord v0; defi i0, 255, 0, 0, 0; mov r0, v0; "
	code += strings.Repeat("rep i0; ", 4) + strings.Repeat("mad r0, r0, v0, v0; ", 100) + strings.Repeat("endrep; ", 4) +
		"mov oC0, r0"
	p := &Pair{Pixel: lifted(t, code)}
	b, err := New(ByName(""), nil).Compare(p, p)
	if err != nil || b.Finite() || b.Growth != 1 {
		t.Errorf("%+v, %v", b, err)
	}
	sinks, err := New(ByName(""), nil).compareGrowth(p).growingSinks(p, 4)
	if len(sinks) != 0 || err != nil {
		t.Errorf("%v, %v", sinks, err)
	}
}
