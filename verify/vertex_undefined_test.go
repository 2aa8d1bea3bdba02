package verify

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/draws"
)

// TestUndefinedVertices checks that an unwritten register of a vertex program has another word at each
// vertex, so that its products are not interpolated like it.
func TestUndefinedVertices(t *testing.T) {
	const head = "vs_2_0; dcl_position v0; mov oPos, v0; if b0; mov r0, v0; endif; "
	before := Pair{Vertex: parse(t, head+"mov oT0, r0; mov oT1, v0"),
		Pixel: parse(t, "ps_2_0; dcl t0; mul r0, t0, t0; mov oC0, r0")}
	after := Pair{Vertex: parse(t, head+"mul oT0, r0, r0; mov oT1, v0"),
		Pixel: parse(t, "ps_2_0; dcl t0; mov r0, t0; mov oC0, r0")}
	same := Pair{Vertex: parse(t, head+"mov oT1, r0; mov oT0, v0"),
		Pixel: parse(t, "ps_2_0; dcl t1; mul r0, t1, t1; mov oC0, r0")}
	o := Options{Numerics: Real, Seed: 1, Constants: []draws.KnownConstant{{Stage: d3d9.Vertex, Reg: ir.Reg{File: ir.File(d3d9.ConstBool)}}}} // b0 is false
	if r := Check(before, after, o); r.Verdict.OK() {
		t.Errorf("squares at vertices: %v", r.Verdict)
	}
	if r := Check(before, same, o); r.Verdict != Proved {
		t.Errorf("another coordinate: %v (%s)", r.Verdict, r.Why)
	}
}
