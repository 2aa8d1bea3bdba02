package verify

import (
	"math"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

func floatConstant(stage d3d9.Stage, n uint16, comp uint8, x float32) draws.KnownConstant {
	return draws.KnownConstant{Stage: stage, Reg: ir.Reg{File: ir.File(d3d9.Const), Index: n, Comp: comp},
		Bits: math.Float32bits(x)}
}

// TestConstants checks that versions which are equal only under the constants of the host are accepted if
// these are known, and only then. Versions that still differ are refuted.
func TestConstants(t *testing.T) {
	loop := func(n uint32, comp uint8) draws.KnownConstant {
		return draws.KnownConstant{Stage: d3d9.Vertex, Reg: ir.Reg{File: ir.File(d3d9.ConstInt), Comp: comp}, Bits: n}
	}
	flag := draws.KnownConstant{Stage: d3d9.Vertex, Reg: ir.Reg{File: ir.File(d3d9.ConstBool), Index: 1}, Bits: 1}
	for _, c := range []struct {
		name     string
		vs, ps   string
		vs2, ps2 string
		known    []draws.KnownConstant
		uploads  []Upload
		want     Verdict
	}{
		{name: "scaled", ps: ps("mul r0, t0, c5.x; mov oC0, r0"),
			ps2:   ps("def c9, 2, 0, 0, 0; mul r0, t0, c9.x; mov oC0, r0"),
			known: []draws.KnownConstant{floatConstant(d3d9.Pixel, 5, 0, 2)}, want: Proved},
		{name: "scaled otherwise", ps: ps("mul r0, t0, c5.x; mov oC0, r0"),
			ps2:   ps("def c9, 3, 0, 0, 0; mul r0, t0, c9.x; mov oC0, r0"),
			known: []draws.KnownConstant{floatConstant(d3d9.Pixel, 5, 0, 2)}, want: Refuted},
		{name: "another stage", ps: ps("mul r0, t0, c5.x; mov oC0, r0"),
			ps2:   ps("def c9, 2, 0, 0, 0; mul r0, t0, c9.x; mov oC0, r0"),
			known: []draws.KnownConstant{floatConstant(d3d9.Vertex, 5, 0, 2)}, want: Refuted},
		{name: "defined by the new version", ps: ps("mul r0, t0, c5.x; mov oC0, r0"),
			ps2:   ps("def c5, 4, 2, 0, 0; mul r0, t0, c5.y; mov oC0, r0"),
			known: []draws.KnownConstant{floatConstant(d3d9.Pixel, 5, 0, 2)}, want: Proved},
		{name: "trips spelled out", vs: vs("mov oPos, v0; mov r0, v1; rep i0; mul r0, r0, v2; endrep; mov oT0, r0"),
			vs2: vs("mov oPos, v0; mov r0, v1; mul r0, r0, v2; mul oT0, r0, v2"), known: []draws.KnownConstant{loop(2,
				0)}, want: Proved},
		{name: "a trip too few", vs: vs("mov oPos, v0; mov r0, v1; rep i0; mul r0, r0, v2; endrep; mov oT0, r0"),
			vs2: vs("mov oPos, v0; mov r0, v1; mul oT0, r0, v2"), known: []draws.KnownConstant{loop(2, 0)}, want: Refuted},
		{name: "branch taken", vs: vs("mov oPos, v0; mov r0, v1; if b1; mul r0, r0, v2; endif; mov oT0, r0"),
			vs2: vs("mov oPos, v0; mov r0, v1; mul oT0, r0, v2"), known: []draws.KnownConstant{flag}, want: Proved},
		{name: "index known", vs: vs("mov oPos, v0; mov r0, v1; loop aL, i0; mul r0, r0, c[aL + 4]; endloop; mov oT0, r0"),
			vs2: vs("def c9, 3, 0, 0, 0; mov oPos, v0; mov r0, v1; mul r0, r0, c9.x; mul oT0, r0, c8"),
			known: []draws.KnownConstant{loop(2, 0), loop(3, 1), loop(1, 2), floatConstant(d3d9.Vertex, 7, 0, 3),
				floatConstant(d3d9.Vertex, 7, 1, 3),
				floatConstant(d3d9.Vertex, 7, 2, 3), floatConstant(d3d9.Vertex, 7, 3, 3)}, want: Proved},
		{name: "mirrored", vs: vs("mov oPos, v0; mov oT0, v1"), ps: ps("mul r0, t0, c5.x; mov oC0, r0"),
			vs2: vs("mov oPos, v0; mul oT0, v1, c7.x"), ps2: ps("mov r0, t0; mov oC0, r0"), uploads: []Upload{{From: 5, To: 7}},
			known: []draws.KnownConstant{floatConstant(d3d9.Pixel, 5, 0, 2), floatConstant(d3d9.Vertex, 7, 0, 1)}, want: ProvedReal},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after := pairOf(t, c.vs, c.ps), pairOf(t, c.vs2, c.ps2)
			o := Options{Numerics: Real, Seed: 1, Uploads: c.uploads}
			if r := Check(before, after, o); len(c.uploads) == 0 && r.Verdict.OK() {
				t.Errorf("%v without knowing any constants", r.Verdict)
			}
			o.Constants = c.known
			for _, o.Effort = range []Effort{Quick, Full} {
				if r := Check(before, after, o); r.Verdict != c.want {
					t.Errorf("%v (%s), want %v", r.Verdict, r.Why, c.want)
				}
			}
		})
	}
}

// TestKernelConstants does the same for kernels, whose words have no type.
func TestKernelConstants(t *testing.T) {
	element := func(i uint32, comp int, bits uint32) draws.KnownConstant {
		return draws.KnownConstant{Reg: amdil.ComponentReg(il.Reg{File: il.ConstBuf}, i, comp), Bits: bits}
	}
	trips := element(0, 0, math.Float32bits(3)) // r11.z as an integer
	for _, c := range []struct {
		name          string
		before, after string
		known         []draws.KnownConstant
		want          Verdict
	}{
		{"trips spelled out", psKernel("mov r0, v0; mov r1.x, l0.x; " + loopByOne + " mov o0, r0"),
			psKernel("mad r0, v0, v1, v0; mad r0, r0, v1, v0; mad o0, r0, v1, v0"), []draws.KnownConstant{trips}, Proved},
		{"a trip too many", psKernel("mov r0, v0; mov r1.x, l0.x; " + loopByOne + " mov o0, r0"),
			psKernel("mad r0, v0, v1, v0; mad r0, r0, v1, v0; mad r0, r0, v1, v0; mad o0, r0, v1, v0"), []draws.KnownConstant{trips}, Refuted},
		{"index known", psKernel("ftoi r0.x, cb0[1].x; mul o0, v0, cb0[r0.x + 2].x"),
			psKernel("dcl_literal l9, 7.0, 0, 0, 0; mul o0, v0, l9.x"),
			[]draws.KnownConstant{element(1, 0, math.Float32bits(1)), element(3, 0, math.Float32bits(7))}, Proved},
		{"shift", psKernel("ishl o0, r11.x, cb0[2].y"), psKernel("ishl o0, r11.x, l0.z"), []draws.KnownConstant{element(2, 1, 2)},
			Proved},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after := parseKernel(t, c.before), parseKernel(t, c.after)
			o := Options{Numerics: Real, Seed: 1}
			if r := CheckKernel(before, after, o); r.Verdict.OK() {
				t.Errorf("%v without knowing any constants", r.Verdict)
			}
			o.Constants = c.known
			for _, o.Effort = range []Effort{Quick, Full} {
				if r := CheckKernel(before, after, o); r.Verdict != c.want {
					t.Errorf("%v (%s), want %v", r.Verdict, r.Why, c.want)
				}
			}
		})
	}
}

// TestConstantsBeforeCases checks that known constants override those of a case, and that the case stays
// unchanged.
func TestConstantsBeforeCases(t *testing.T) {
	launch := &kernel.Case{Width: 2, Height: 2}
	launch.Constants[0] = [][4]uint32{{0, 0, 0, 0}, {math.Float32bits(5)}}
	known := draws.KnownConstant{Reg: amdil.ComponentReg(il.Reg{File: il.ConstBuf}, 1, 0), Bits: math.Float32bits(2)}
	r := CheckKernel(parseKernel(t, psKernel("mul o0, v0, cb0[1].x")),
		parseKernel(t, psKernel("mul o0, v0, l2.z; mov r0, cb0[1].x")),
		Options{KernelCases: []*kernel.Case{launch}, Constants: []draws.KnownConstant{known}})
	if r.Verdict != Proved || launch.Constants[0][1][0] != math.Float32bits(5) {
		t.Errorf("%v: %s; the case has %v", r.Verdict, r.Why, launch.Constants[0])
	}
	r = CheckKernel(parseKernel(t, psKernel("mul o0, v0, cb0[1].x")), parseKernel(t, psKernel("mul o0, v0, l2.y")),
		Options{Numerics: Real, KernelCases: []*kernel.Case{launch}, Constants: []draws.KnownConstant{known}})
	if r.Verdict != Refuted || !strings.Contains(r.Counterexample.Input, "cb 0 1 2 0 0 0") {
		t.Errorf("%v: %s; %+v", r.Verdict, r.Why, r.Counterexample)
	}

	before := pairOf(t, vs("mov oPos, v0; mov oT0, v1"), ps("mul r0, t0, c5.x; mov oC0, r0"))
	draw := interp.DefaultCase(before.Vertex, before.Pixel)
	draw.Pixel.SetFloat(5, [4]float32{5})
	o := Options{Numerics: Real, Cases: []*interp.Case{draw},
		Constants: []draws.KnownConstant{floatConstant(d3d9.Pixel, 5, 0, 2)}}
	d := Check(before, pairOf(t, vs("mov oPos, v0; mov oT0, v1"), ps("add r0, t0, t0; mov oC0, r0")), o)
	if d.Verdict != ProvedReal || draw.Pixel.Float[5][0] != 5 {
		t.Errorf("%v: %s; the case has %v", d.Verdict, d.Why, draw.Pixel.Float[5])
	}
}
