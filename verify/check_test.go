package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
)

// A checkCase has two versions and the verdict on them under numerics=real.
type checkCase struct {
	name     string
	vs, ps   string // before
	vs2, ps2 string // after; empty: as before
	uploads  []Upload
	numerics string // real if empty
	want     Verdict
	why      string // part of Report.Why
}

const (
	vsPlain = "vs_2_0; dcl_position v0; dcl_texcoord v1; dcl_texcoord1 v2; dcl_color v3; mov oPos, v0; mov oT0, v1; mov oT1, v2; mov oD0, v3; "
	// The vertex program of a filter: one texture coordinate.
	vsFilter = "vs_2_0; dcl_position v0; dcl_texcoord v1; mov oPos, v0; mov oT0.xy, v1"
	// Three taps to the left and right: the coordinates are affine in t0.
	psConv = `ps_2_0; def c0, 0.0625, 0, 0, 0; def c1, 0.25, 0.5, 0.25, 0; dcl t0.xy; dcl_2d s0
		add r0.xy, t0, -c0; add r1.xy, t0, c0
		texld r0, r0, s0; texld r2, t0, s0; texld r1, r1, s0
		mul r0, r0, c1.x; mad r0, r2, c1.y, r0; mad r0, r1, c1.z, r0; mov oC0, r0`
	vsConv2 = `vs_2_0; def c100, 0.0625, 0, 0, 0; dcl_position v0; dcl_texcoord v1; mov oPos, v0
		mov oT0.xy, v1; add oT1.xy, v1, -c100; add oT2.xy, v1, c100`
	psConv2 = `ps_2_0; def c1, 0.25, 0.5, 0.25, 0; dcl t0.xy; dcl t1.xy; dcl t2.xy; dcl_2d s0
		texld r0, t1, s0; texld r2, t0, s0; texld r1, t2, s0
		mul r0, r0, c1.x; mad r0, r2, c1.y, r0; mad r0, r1, c1.z, r0; mov oC0, r0`
)

func ps(body string) string { return "ps_2_0; dcl t0; dcl t1; dcl v0; dcl_2d s0; " + body }

func ps3(body string) string {
	return "ps_3_0; dcl_texcoord v0; dcl_texcoord1 v1; dcl_2d s0; " + body
}

func vs(body string) string {
	return "vs_2_0; dcl_position v0; dcl_texcoord v1; dcl_texcoord1 v2; " + body
}

// longRep returns a loop of the given trips of copies each, too many to execute trip by trip, behind lead
// further copies.
func longRep(trips, lead, copies int) string {
	body := strings.Repeat("mad r0, r0, v1, v0; add r1, r1, r0; texldl r2, r1, s0; mad r0, r2, v1.x, r0; ", 9)
	return ps3(fmt.Sprintf("defi i0, %d, 0, 0, 0; mov r0, v0; mov r1, v1; ", trips) + strings.Repeat(body, lead) +
		"rep i0; " + strings.Repeat(body, copies) + "endrep; mul oC0, r0, r1")
}

var checkCases = []checkCase{
	// The proof by terms.
	{name: "identical", ps: ps("mov r0, t0; mov oC0, r0"), want: Proved},
	{name: "renamed registers", ps: ps("mul r0, t0, t1.x; add r1, r0, t1; mov oC0, r1"),
		ps2: ps("mul r3, t0, t1.x; add r3, r3, t1; mov oC0, r3"), want: Proved},
	{name: "reordered", ps: ps("mov r2, t0; mul r0, r2, t1; add r1, t0, t1; mul r0, r0, r1; mov oC0, r0"),
		ps2: ps("add r1, t0, t1; mov r2, t0; mul r0, r2, t1; mul r0, r0, r1; mov oC0, r0"), want: Proved},
	{name: "common subexpression", ps: ps("dp3 r0.x, t0, t1; dp3 r1.y, t0, t1; rcp r0.x, r0.x; mul r0, r0.x, r1.y; mov oC0, r0"),
		ps2: ps("dp3 r0.xy, t0, t1; rcp r0.x, r0.x; mul r0, r0.x, r0.y; mov oC0, r0"), want: Proved},
	{name: "commuted", ps: ps("mul r0, t0, t1; mov oC0, r0"), ps2: ps("mul r0, t1, t0; mov oC0, r0"), want: Proved},
	{name: "double negation", ps: ps("mov r0, -t0; mad r0, -r0, t1, t0; mov oC0, r0"),
		ps2: ps("mad r0, t0, t1, t0; mov oC0, r0"), want: Proved},
	{name: "dead code", ps: ps("mul r0, t0, t1; dp3 r1, r0, t0; mov oC0, r0"), ps2: ps("mul r0, t0, t1; mov oC0, r0"),
		want: Proved},
	{name: "saturate folded in", ps: ps("mul r0, t0, t1; mov_sat r0, r0; mov oC0, r0"),
		ps2: ps("mul_sat r0, t0, t1; mov oC0, r0"), want: Proved},
	{name: "partial precision dropped", ps: ps("mul_pp r0, t0, t1; add_pp r0, r0, t0; mov oC0, r0"),
		ps2: ps("mul r0, t1, t0; add_pp r0, t0, r0; mov oC0, r0"), want: Proved},
	{name: "varying moved unchanged", vs: vs("mov oPos, v0; mov oT0, v1; mov oT1, v2"),
		ps:  "ps_2_0; dcl t0; dcl t1; add r0, t0, t1; mov oC0, r0",
		vs2: vs("mov oPos, v0; mov oT0, v2; mov oT1, v1"), ps2: "ps_2_0; dcl t0; dcl t1; add r0, t1, t0; mov oC0, r0", want: Proved},
	{name: "lone vertex program", vs: vs("m4x4 oPos, v0, c0; mov oT0, v1"),
		vs2: vs("dp4 oPos.x, v0, c0; dp4 oPos.y, v0, c1; dp4 oPos.z, v0, c2; dp4 oPos.w, v0, c3; mov oT0, v1"), want: Proved},
	{name: "unrolled", vs: vs("defi i0, 3, 0, 0, 0; mov oPos, v0; mov r0, v1; rep i0; mad r0, r0, c0, c1; endrep; mov oT0, r0"),
		vs2: vs("mov oPos, v0; mov r0, v1; mad r0, r0, c0, c1; mad r0, r0, c0, c1; mad r0, r0, c0, c1; mov oT0, r0"), want: Proved},
	{name: "unrolled with counter", vs: vs("defi i0, 2, 1, 3, 0; mov oPos, v0; mov r0, v1; loop aL, i0; add r0, r0, c[aL + 2]; endloop; mov oT0, r0"),
		vs2: vs("mov oPos, v0; add r0, v1, c3; add oT0, r0, c6"), want: Proved},
	{name: "loop renamed", vs: vs("mov oPos, v0; mov r0, v1; mov r1, v2; rep i0; mul r0, r0, r1; add r1, r1, c0; endrep; mov oT0, r0"),
		vs2: vs("mov oPos, v0; mov r3, v2; mov r5, v1; rep i0; mul r5, r3, r5; add r3, r3, c0; endrep; mov oT0, r5"), want: Proved},
	{name: "if with equal arms", vs: vs("mov oPos, v0; if b0; add r0, v1, c0; else; add r0, v1, c0; endif; mov oT0, r0"),
		vs2: vs("mov oPos, v0; add r0, v1, c0; mov oT0, r0"), want: Proved},

	// The field proof.
	{name: "mad split", ps: ps("mad r0, t0, t1, t0; mov oC0, r0"),
		ps2: ps("mul r0, t0, t1; add r0, r0, t0; mov oC0, r0"), want: ProvedReal},
	{name: "distributed", ps: ps("mul r0, t0, t1; mad r0, t0, t0, r0; mov oC0, r0"),
		ps2: ps("add r0, t0, t1; mul r0, r0, t0; mov oC0, r0"), want: ProvedReal},
	{name: "lrp with equal ends", ps: ps("lrp r0, t0, t1, t1; mov oC0, r0"), ps2: ps("mov r0, t1; mov oC0, r0"),
		want: ProvedReal},
	{name: "constants folded", ps: ps("def c0, 0.1, 0.3, 0, 0; mov r1, c0; mul r1.x, r1.x, c0.y; mul r0, t0, r1.x; mov oC0, r0"),
		ps2: ps("def c0, 0.0300000012, 0, 0, 0; mul r0, t0, c0.x; mov oC0, r0"), want: ProvedReal},
	{name: "convolution moved", vs: vsFilter, ps: psConv, vs2: vsConv2, ps2: psConv2, want: ProvedReal},
	{name: "dot product with uniforms moved", vs: vs("mov oPos, v0; mov oT0, v1"),
		ps:  "ps_2_0; dcl t0; dp4 r0, t0, c3; mov oC0, r0",
		vs2: vs("mov oPos, v0; dp4 oT0.x, v1, c9"), ps2: "ps_2_0; dcl t0.x; mov r0, t0.x; mov oC0, r0",
		uploads: []Upload{{From: 3, To: 9}}, want: ProvedReal},
	{name: "lowered", vs: vs("mov oPos, v0; mul oT0, v1, c5"), ps: ps("mov oC0, t0"),
		vs2: vs("mov oPos, v0; mov oT0, v1"), ps2: ps("mul r0, t0, c9; mov oC0, r0"),
		uploads: []Upload{{From: 5, To: 9, Lowered: true}}, want: ProvedReal},

	// Refusals.
	{name: "wrong constant lowered", vs: vs("mov oPos, v0; mul oT0, v1, c5"), ps: ps("mov oC0, t0"),
		vs2: vs("mov oPos, v0; mov oT0, v1"), ps2: ps("mul r0, t0, c9; mov oC0, r0"),
		uploads: []Upload{{From: 6, To: 9, Lowered: true}}, want: Refuted},
	{name: "lowered over one that is read", vs: vs("mov oPos, v0; mul oT0, v1, c5"),
		ps: ps("mul r0, t0, c9; mov oC0, r0"), vs2: vs("mov oPos, v0; mov oT0, v1"),
		ps2: ps("mul r0, t0, c9; mul r0, r0, c9; mov oC0, r0"), uploads: []Upload{{From: 5, To: 9,
			Lowered: true}}, want: Refuted},
	{name: "size moved", vs: vs("mov oPos, v0; mov oT0, v1"), ps: "ps_2_0; dcl t0; abs r0, t0; mov oC0, r0",
		vs2: vs("mov oPos, v0; abs oT0, v1"), ps2: "ps_2_0; dcl t0; mov r0, t0; mov oC0, r0", want: Refuted},
	{name: "fraction moved", vs: vs("mov oPos, v0; mov oT0, v1"), ps: "ps_2_0; dcl t0; frc r0, t0; mov oC0, r0",
		vs2: vs("mov oPos, v0; frc oT0.xy, v1; mov oT0.zw, v1"), ps2: "ps_2_0; dcl t0; frc r0, t0; mov r0.xy, t0; mov oC0, r0", want: Refuted},
	{name: "clamp moved to a colour", vs: vs("mov oPos, v0; mov oT0, v1"),
		ps:  "ps_2_0; dcl t0; mov_sat r0, t0; mov oC0, r0",
		vs2: vs("mov oPos, v0; mov oD0, v1"), ps2: "ps_2_0; dcl v0; mov r0, v0; mov oC0, r0", want: Refuted},
	{name: "square moved", vs: vs("mov oPos, v0; mov oT0, v1"), ps: "ps_2_0; dcl t0; mul r0, t0, t0; mov oC0, r0",
		vs2: vs("mov oPos, v0; mul oT0, v1, v1"), ps2: "ps_2_0; dcl t0; mov r0, t0; mov oC0, r0", want: Refuted},
	{name: "saturation moved", vs: vs("mov oPos, v0; add oT0, v1, v1"), ps: "ps_2_0; dcl t0; mov_sat r0, t0; mov oC0, r0",
		vs2: vs("def c0, 0, 1, 0, 0; mov oPos, v0; add r0, v1, v1; max r0, r0, c0.x; min oT0, r0, c0.y"), ps2: "ps_2_0; dcl t0; mov r0, t0; mov oC0, r0", want: Refuted},
	{name: "abs moved", vs: vs("def c0, -0.5, 0, 0, 0; mov oPos, v0; add oT0, v1, c0.x"),
		ps:  "ps_2_0; dcl t0; abs r0, t0; mov oC0, r0",
		vs2: vs("def c0, -0.5, 0, 0, 0; mov oPos, v0; add r0, v1, c0.x; abs oT0, r0"), ps2: "ps_2_0; dcl t0; mov r0, t0; mov oC0, r0", want: Refuted},
	{name: "moved through a colour", vs: vs("mov oPos, v0; mov oT0, v1; mov oD0, v1"),
		ps:  "ps_2_0; dcl t0; add r0, t0, t0; mov oC0, r0",
		vs2: vs("mov oPos, v0; add oD0, v1, v1"), ps2: "ps_2_0; dcl v0; mov r0, v0; mov oC0, r0", want: Refuted},
	{name: "1 through a colour", vs: vs("mov oPos, v0; mov oD0.xyz, v1"),
		ps:  "ps_2_0; def c0, 1, 0, 0, 0; dcl v0.xyz; mov r0.xyz, v0; mov r0.w, c0.x; mov oC0, r0",
		vs2: vs("def c0, 0, 1, 0, 0; mov oPos, v0; mov oD0.xyz, v1; mov oD0.w, c0.y"), ps2: "ps_2_0; dcl v0; mov oC0, v0", want: ProvedReal},
	{name: "2 through a colour", vs: vs("mov oPos, v0; mov oD0.xyz, v1"),
		ps:  "ps_2_0; def c0, 2, 0, 0, 0; dcl v0.xyz; mov r0.xyz, v0; mov r0.w, c0.x; mov oC0, r0",
		vs2: vs("def c0, 0, 2, 0, 0; mov oPos, v0; mov oD0.xyz, v1; mov oD0.w, c0.y"), ps2: "ps_2_0; dcl v0; mov oC0, v0", want: Refuted},
	{name: "wrong upload", vs: vs("mov oPos, v0; mov oT0, v1"), ps: "ps_2_0; dcl t0; mul r0, t0, c3; mov oC0, r0",
		vs2: vs("mov oPos, v0; mul oT0, v1, c9"), ps2: "ps_2_0; dcl t0; mov r0, t0; mov oC0, r0",
		uploads: []Upload{{From: 2, To: 9}}, want: Refuted},
	{name: "no upload", vs: vs("mov oPos, v0; mov oT0, v1"), ps: "ps_2_0; dcl t0; mul r0, t0, c3; mov oC0, r0",
		vs2: vs("mov oPos, v0; mul oT0, v1, c3"), ps2: "ps_2_0; dcl t0; mov r0, t0; mov oC0, r0", want: Refuted},
	{name: "position rounded otherwise", vs: vs("m4x4 oPos, v0, c0; mov oT0, v1"),
		vs2:  vs("mul r0, v0.x, c0; dp4 oPos.x, v0.wzyx, c0.wzyx; dp4 oPos.y, v0, c1; dp4 oPos.z, v0, c2; dp4 oPos.w, v0, c3; mov oT0, v1"),
		want: Refuted, why: "position0"},
	{name: "lost saturation", ps: ps("add_sat r0, t0, t1; mov oC0, r0"), ps2: ps("add r0, t0, t1; mov oC0, r0"),
		want: Refuted},
	{name: "dropped kill", ps: ps("texkill t0; mov r0, t1; mov oC0, r0"), ps2: ps("mov r0, t1; mov oC0, r0"),
		want: Refuted},
	{name: "off by one trip", vs: vs("defi i0, 3, 0, 0, 0; mov oPos, v0; mov r0, v1; rep i0; mad r0, r0, c0, c1; endrep; mov oT0, r0"),
		vs2: vs("defi i0, 2, 0, 0, 0; mov oPos, v0; mov r0, v1; rep i0; mad r0, r0, c0, c1; endrep; mov oT0, r0"), want: Refuted},
	{name: "loop started otherwise", vs: vs("mov oPos, v0; mov r0, v1; rep i0; mad r0, r0, c0, c1; endrep; mov oT0, r0"),
		vs2: vs("mov oPos, v0; mov r0, v2; rep i0; mad r0, r0, c0, c1; endrep; mov oT0, r0"), want: Refuted},
	{name: "output gone", ps: ps("mov oC0, t0; mov oC1, t1"), ps2: ps("mov oC0, t0"), want: Refuted},
	{name: "partial precision added", ps: ps("mul r0, t0, t1; mov oC0, r0"), ps2: ps("mul_pp r0, t0, t1; mov oC0, r0"),
		want: Unknown},
	{name: "other stage", ps: ps("mov oC0, t0"), vs2: vsPlain, ps2: "-", want: Unknown, why: "stages"},

	// Control flow.
	{name: "if flattened to a predicate", ps: ps3("if_gt v0.x, v1.x; mul r0, v0, v1; else; mov r0, v1; endif; mov oC0, r0"),
		ps2: ps3("setp_gt p0, v0.x, v1.x; mov r0, v1; (p0) mul r0, v0, v1; mov oC0, r0"), want: Proved},
	{name: "predicate turned round", ps: ps3("setp_gt p0, v0.x, v1.x; mov r0, v1; (p0) mul r0, v0, v1; mov oC0, r0"),
		ps2: ps3("setp_gt p0, v0.x, v1.x; mov r0, v1; (!p0) mul r0, v0, v1; mov oC0, r0"), want: Refuted},
	{name: "gradient taken into a branch", ps: ps3("mov r1, v1; dsx r0, v0; if_gt v0.x, v1.x; mul r1, r0, v1; endif; mov oC0, r1"),
		ps2: ps3("mov r1, v1; if_gt v0.x, v1.x; dsx r0, v0; mul r1, r0, v1; endif; mov oC0, r1"), want: Unknown},
	{name: "arithmetic taken into a branch",
		ps:  ps3("mov r1, v1; add r0, v0, v1; if_gt v0.x, v1.x; mul r1, r0, v1; endif; mov oC0, r1"),
		ps2: ps3("mov r1, v1; if_gt v0.x, v1.x; add r0, v0, v1; mul r1, r0, v1; endif; mov oC0, r1"), want: Proved},
	{name: "kill guarded otherwise", ps: ps3("mov r0, v1; if_gt v0.x, v1.x; texkill r0; endif; mov oC0, r0"),
		ps2: ps3("mov r0, v1; if_lt v0.x, v1.x; texkill r0; endif; mov oC0, r0"), want: Refuted},
	{name: "kills merged", ps: ps3("mov r0, v1; mov r1, v0; texkill r0; texkill r1; mov oC0, r0"),
		ps2: ps3("mov r1, v0; mov r0, v1; texkill r1; texkill r0; texkill r1; mov oC0, r0"), want: Proved},
	{name: "break moved to the end", ps: ps3("mov r0, v0; mov r1.x, v1.x; rep i0; break_gt r0.x, v1.x; add r0, r0, v1; endrep; mov oC0, r0"),
		ps2: ps3("mov r0, v0; mov r1.x, v1.x; rep i0; add r0, r0, v1; break_gt r0.x, v1.x; endrep; mov oC0, r0"), want: Refuted},
	{name: "loop invariant hoisted", ps: ps3("mov r0, v0; rep i0; break_gt r0.x, v1.x; mul r1, v0, v1; add r0, r0, r1; endrep; mov oC0, r0"),
		ps2: ps3("mov r0, v0; mul r1, v0, v1; rep i0; break_gt r0.x, v1.x; add r0, r0, r1; endrep; mov oC0, r0"), want: Proved},
	{name: "algebra in a loop", ps: ps3("mov r0, v0; rep i0; break_gt r0.x, v1.x; mad r0, r0, v1, v0; endrep; mov oC0, r0"),
		ps2: ps3("mov r0, v0; rep i0; break_gt r0.x, v1.x; mul r2, r0, v1; add r0, r2, v0; endrep; mov oC0, r0"), want: ProvedReal},
	{name: "other loop counter", ps: ps3("mov r0, v0; rep i0; add r0, r0, v1; endrep; mov oC0, r0"),
		ps2: ps3("mov r0, v0; rep i1; add r0, r0, v1; endrep; mov oC0, r0"), want: Refuted},
	{name: "swapping parameters", ps: ps3("mov r0, v0; mov r1, v1; rep i0; mov r2, r0; mov r0, r1; mov r1, r2; endrep; mov oC0, r0"),
		ps2: ps3("mov r0, v1; mov r1, v0; rep i0; mov r2, r0; mov r0, r1; mov r1, r2; endrep; mov oC0, r1"), want: Proved},

	// Linkage by semantic, and indexed constants.
	{name: "semantics renumbered", vs: "vs_3_0; dcl_position v0; dcl_texcoord v1; dcl_position o0; dcl_texcoord o1; dcl_texcoord1 o2; mov o0, v0; mov o1, v1; add o2, v1, v0",
		ps:  "ps_3_0; dcl_texcoord v0; dcl_texcoord1 v1; mul oC0, v0, v1",
		vs2: "vs_3_0; dcl_texcoord v0; dcl_position v1; dcl_texcoord3 o0; dcl_texcoord1 o3; dcl_position o5; mov o5, v1; mov o3, v0; add o0, v0, v1",
		ps2: "ps_3_0; dcl_texcoord3 v4; dcl_texcoord1 v1; mul oC0, v1, v4", want: Proved},
	{name: "input semantics exchanged", vs: vs("mov oPos, v0; add oT0, v1, -v2"),
		vs2: "vs_2_0; dcl_position v0; dcl_texcoord v2; dcl_texcoord1 v1; mov oPos, v0; add oT0, v1, -v2", want: Refuted},
	{name: "relative read kept", vs: vs("mov oPos, v0; mova a0.x, v1.x; mul oT0, v2, c[a0.x + 4]"),
		vs2: vs("mova a0.w, v1.x; mov oPos, v0; mul oT0, c[a0.w + 4], v2"), want: Proved},
	{name: "definition added among relative reads",
		vs:  vs("mov oPos, v0; mova a0.x, v1.x; mul r0, v2, c[a0.x + 4]; add r0, r0, r0; mov oT0, r0"),
		vs2: vs("def c5, 2, 0, 0, 0; mov oPos, v0; mova a0.x, v1.x; mul r0, v2, c[a0.x + 4]; mul r0, r0, c5.x; mov oT0, r0"), want: Refuted},

	{name: "boolean constant of the program",
		vs:  vs("defb b0, true; mov oPos, v0; if b0; add r0, v1, c0; else; mov r0, v2; endif; mov oT0, r0"),
		vs2: vs("mov oPos, v0; add r0, v1, c0; mov oT0, r0"), want: Proved},
	{name: "negated boolean", vs: vs("mov oPos, v0; if b0; add r0, v1, c0; else; mov r0, v2; endif; mov oT0, r0"),
		vs2: vs("mov oPos, v0; if !b0; mov r0, v2; else; add r0, v1, c0; endif; mov oT0, r0"), want: Proved},
	{name: "subroutine inlined", vs: vs("mov oPos, v0; mov r0, v1; call l0; call l0; mov oT0, r0; ret; label l0; mul r0, r0, c0; ret"),
		vs2: vs("mov oPos, v0; mul r0, v1, c0; mul oT0, r0, c0"), want: Proved},

	// Only execution can judge these.
	{name: "summed up after the loop", ps: ps3("mov r0, v0; rep i0; add r0, r0, v1; endrep; mov oC0, r0"),
		ps2: ps3("def c0, 0, 0, 0, 0; mov r0, c0; rep i0; add r0, r0, v1; endrep; add oC0, r0, v0"), want: Tested, why: "trips"},

	// Ranges of ps_1_x: a clamp may be removed if it has no effect on any hardware.
	{name: "other result of ps_1_1", ps: "ps_1_1; tex t0; mov r0, t0", ps2: "ps_1_1; tex t0; add r0, t0, t0",
		want: Refuted},
	{name: "product of colours joined", ps: "ps_1_1; tex t0; mul r0, v0, v1; add r0, r0, t0",
		ps2: "ps_1_1; tex t0; mad r0, v0, v1, t0", want: ProvedReal},
	{name: "product of texels joined", ps: "ps_1_1; tex t0; mul r0, t0, t0; add r0, r0, v1",
		ps2: "ps_1_1; tex t0; mad r0, t0, t0, v1", want: Unknown},
	{name: "shifted twice", ps: "ps_1_1; mov_x2 r0, v0; mul_d2 r0, r0, v1", ps2: "ps_1_1; mul r0, v0, v1", want: Refuted},

	// The verdict depends on the class.
	{name: "mad split under terms", ps: ps("mad r0, t0, t1, t0; mov oC0, r0"),
		ps2:      ps("mul r0, t0, t1; add r0, r0, t0; mov oC0, r0"),
		numerics: "terms", want: Refuted, why: "oC0"},
	{name: "choice between equals under terms", ps: ps("mov r1, t1; cmp r0, t0, r1, r1; mov oC0, r0"),
		ps2:      ps("mov r0, t1; mov oC0, r0"),
		numerics: "terms", want: Unknown},
	{name: "choice between equals under bits", ps: ps("mov r1, t1; cmp r0, t0, r1, r1; mov oC0, r0"),
		ps2:      ps("mov r0, t1; mov oC0, r0"),
		numerics: "bits", want: Tested},
	{name: "choice between equals", ps: ps("mov r1, t1; cmp r0, t0, r1, r1; mov oC0, r0"),
		ps2: ps("mov r0, t1; mov oC0, r0"), want: ProvedReal},
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for i, c := range checkCases {
		t.Run(c.name, func(t *testing.T) {
			before := pairOf(t, c.vs, c.ps)
			if c.vs2 == "" {
				c.vs2 = c.vs
			}
			if c.ps2 == "" {
				c.ps2 = c.ps
			}
			after := pairOf(t, c.vs2, strings.TrimPrefix(c.ps2, "-"))
			o := optionsOf(t, c.numerics)
			o.Uploads = c.uploads
			for _, o.Effort = range efforts(i) {
				o.Budget = allotted(o.Effort)
				r := Check(before, after, o)
				checkReport(t, r, o.Effort, c.want, c.why)
				if r.Verdict == ProvedReal && (r.Epsilon <= 0 || r.Epsilon > proof.MaxEpsilon) {
					t.Errorf("epsilon %g", r.Epsilon)
				}
			}
		})
	}
}

// optionsOf returns options with numerics by name, real by default.
func optionsOf(t *testing.T, numerics string) Options {
	t.Helper()
	o := Options{Numerics: Real, Seed: 1}
	if numerics != "" {
		var err error
		if o.Numerics, err = ir.ParseNumerics(numerics); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// checkReport checks the verdict of r and its reason.
func checkReport(t *testing.T, r Report, effort Effort, want Verdict, why string) {
	t.Helper()
	if r.Verdict != want {
		t.Fatalf("effort %d: %v (%s), want %v; methods %v", effort, r.Verdict, r.Why, want, r.Methods)
	}
	if !strings.Contains(r.Why, why) {
		t.Errorf("why %q does not mention %q", r.Why, why)
	}
	if (r.Verdict == Refuted) != (r.Counterexample != nil) {
		t.Errorf("verdict %v with counterexample %v", r.Verdict, r.Counterexample)
	}
	if r.Contradicted {
		t.Errorf("a proof accepts it: %s", r.Why)
	}
}

// TestLongReps checks loops that a register counts and that make several trips at a time in one version. They
// take long to draw.
func TestLongReps(t *testing.T) {
	one := longRep(251, 0, 1)
	for _, c := range []struct {
		after string
		want  bool
	}{{longRep(125, 1, 2), true}, {longRep(125, 2, 2), false}, {longRep(124, 1, 2), false}, {longRep(125, 1, 3), false}} {
		check := &checker{before: pairOf(t, "", one), after: pairOf(t, "", c.after)}
		if err := check.liftPrograms(); err != nil {
			t.Fatal(err)
		}
		check.prove(nil)
		if got := check.terms.diff == nil && check.terms.why == "" || check.field.Outcome == proof.Equal; got != c.want {
			t.Errorf("proved is %v, want %v: %v, %s", got, c.want, check.terms.diff, check.field.Why)
		}
	}
}

// TestSaturatedPole checks the reciprocal of a zero of the other sign. The reals do not promise its value,
// even saturated. A difference of the pictures is then no fault of the proof.
func TestSaturatedPole(t *testing.T) {
	const head, tail = "vs_3_0; dcl_position v0; def c14, 0, 0, 0, 0; dcl_position o0; dcl_texcoord1 o3; ", "; rcp_sat r5, r2.w; mov o0, v0; mov o3, r5"
	for seed := range uint64(4) {
		r := Check(Pair{Vertex: parse(t, head+"mad r2, v0, c14, c14"+tail)},
			Pair{Vertex: parse(t, head+"mul r2, v0, c14"+tail)}, Options{Numerics: Real, Seed: seed})
		if r.Verdict != Unknown {
			t.Errorf("seed %d: %v (%s)", seed, r.Verdict, r.Why)
		}
	}
}
