package verify

import (
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
)

// wrongPairs are similar programs that differ. Executions refute most of them, which would hide a proof that
// accepts one.
var wrongPairs = []struct{ name, before, after string }{
	// Flow.
	{"break outside of its branch", ps3("mov r0, v0; rep i0; if_gt v1.y, c3.x; break_gt r0.x, v1.x; endif; add r0, r0, v1; endrep; mov oC0, r0"),
		ps3("mov r0, v0; rep i0; break_gt r0.x, v1.x; add r0, r0, v1; endrep; mov oC0, r0")},
	{"break in the other branch", ps3("mov r0, v0; rep i0; if_gt v1.y, c3.x; break_gt r0.x, v1.x; else; add r0, r0, v0; endif; add r0, r0, v1; endrep; mov oC0, r0"),
		ps3("mov r0, v0; rep i0; if_gt v1.y, c3.x; else; break_gt r0.x, v1.x; add r0, r0, v0; endif; add r0, r0, v1; endrep; mov oC0, r0")},
	{"two breaks in turn", ps3("mov r0, v0; mov r1, v1; rep i0; break_gt r0.x, v1.x; mov r1, r0; break_gt r0.y, v1.y; add r0, r0, v1; endrep; mov oC0, r1"),
		ps3("mov r0, v0; mov r1, v1; rep i0; break_gt r0.y, v1.y; mov r1, r0; break_gt r0.x, v1.x; add r0, r0, v1; endrep; mov oC0, r1")},
	{"kill outside of its branch", ps3("if_gt v1.y, c3.x; texkill v0; endif; mov oC0, v1"),
		ps3("texkill v0; mov oC0, v1")},
	{"kill behind a break", ps3("mov r0, v0; rep i0; break_gt r0.x, v1.x; texkill r0; add r0, r0, v1; endrep; mov oC0, v1"),
		ps3("mov r0, v0; rep i0; texkill r0; break_gt r0.x, v1.x; add r0, r0, v1; endrep; mov oC0, v1")},
	{"fetch before its branch", ps3("mov r0, v1; if_gt v1.y, c3.x; texld r0, v0, s0; endif; mov oC0, r0"),
		ps3("texld r1, v0, s0; mov r0, v1; if_gt v1.y, c3.x; mov r0, r1; endif; mov oC0, r0")},
	{"fetch before a break in a branch", ps3("mov r0, v0; rep i0; if_gt v1.y, c3.x; break_gt r0.x, c3.y; endif; texld r1, v0, s0; add r0, r0, r1; endrep; mov oC0, r0"),
		ps3("mov r0, v0; rep i0; texld r1, v0, s0; if_gt v1.y, c3.x; break_gt r0.x, c3.y; endif; add r0, r0, r1; endrep; mov oC0, r0")},
	{"trips of one loop for those of another",
		ps3("mov r0, v0; rep i0; add r0, r0, v1; endrep; rep i1; mul r0, r0, v1; endrep; mov oC0, r0"),
		ps3("mov r0, v0; rep i1; add r0, r0, v1; endrep; rep i0; mul r0, r0, v1; endrep; mov oC0, r0")},
	{"what a loop starts with, in turn", ps3("mov r0, v0; mov r1, v1; rep i0; add r0, r0, c0; add r1, r1, c0; endrep; mov oC0, r0"),
		ps3("mov r0, v1; mov r1, v0; rep i0; add r0, r0, c0; add r1, r1, c0; endrep; mov oC0, r0")},
	{"start of a counter", vs("defi i0, 3, 0, 1, 0; mov oPos, v0; mov r0, v1; loop aL, i0; add r0, r0, c[aL + 4]; endloop; mov oT0, r0"),
		vs("defi i0, 3, 1, 1, 0; mov oPos, v0; mov r0, v1; loop aL, i0; add r0, r0, c[aL + 4]; endloop; mov oT0, r0")},
	{"step of a counter", vs("defi i0, 3, 0, 1, 0; mov oPos, v0; mov r0, v1; loop aL, i0; add r0, r0, c[aL + 4]; endloop; mov oT0, r0"),
		vs("defi i0, 3, 0, 2, 0; mov oPos, v0; mov r0, v1; loop aL, i0; add r0, r0, c[aL + 4]; endloop; mov oT0, r0")},
	{"counter of the host", vs("mov oPos, v0; mov r0, v1; loop aL, i0; add r0, r0, c[aL + 4]; endloop; mov oT0, r0"),
		vs("mov oPos, v0; mov r0, v1; loop aL, i1; add r0, r0, c[aL + 4]; endloop; mov oT0, r0")},
	{"counter at another place", vs("mov oPos, v0; mov r0, v1; loop aL, i0; add r0, r0, c[aL + 4]; endloop; mov oT0, r0"),
		vs("mov oPos, v0; mov r0, v1; loop aL, i0; add r0, r0, c[aL + 5]; endloop; mov oT0, r0")},
	// Operands.
	{"relative read one further", vs("mov oPos, v0; mova a0.x, v1.x; mov oT0, c[a0.x + 4]"),
		vs("mov oPos, v0; mova a0.x, v1.x; mov oT0, c[a0.x + 5]")},
	{"relative read by another component", vs("mov oPos, v0; mova a0.xy, v1; mov oT0, c[a0.x + 4]"),
		vs("mov oPos, v0; mova a0.xy, v1; mov oT0, c[a0.y + 4]")},
	{"last lane of a dot product", ps3("dp4 r0, v0, v1; mov oC0, r0"),
		ps3("dp3 r0, v0, v1; mad r0, v0.w, v1.z, r0; mov oC0, r0")},
	{"last lane of a factor", ps3("mov r1, v1; dp4 r0, v0, r1; mov oC0, r0"),
		ps3("mov r1, v1; mov r1.w, v1.x; dp4 r0, v0, r1; mov oC0, r0")},
	{"lane of a cross product of other vectors", ps3("mov r1, v0; mov r2, v1; crs r0.x, r1, r2; mov oC0, r0.x"),
		ps3("mov r1, v0.yxzw; mov r2, v1.yxzw; crs r0.y, r1, r2; mov oC0, r0.y")},
	{"distance for attenuation", vs("mov oPos, v0; dst r0, v1, v2; mov oT0, r0.y"),
		vs("mov oPos, v0; dst r0, v1.z, v2.w; mov oT0, r0.z")},
	{"difference turned round", ps3("add r0, v0, -v1; mov oC0, r0"), ps3("add r0, v1, -v0; mov oC0, r0")},
	{"cross product turned round", ps3("crs r0.xyz, v0, v1; mov r0.w, v0; mov oC0, r0"),
		ps3("crs r0.xyz, v1, v0; mov r0.w, v0; mov oC0, r0")},
	{"lanes of a cross product", ps3("crs r0.xyz, v0, v1; mov r0.w, v0; mov oC0, r0"),
		ps3("crs r0.xyz, v0, v1; mov r0.w, v0; mov oC0, r0.yxzw")},
	{"predicate negated", ps3("mov r0, v0; setp_gt p0, v1, v0; (p0.x) mov r0, v1; mov oC0, r0"),
		ps3("mov r0, v0; setp_gt p0, v1, v0; (!p0.x) mov r0, v1; mov oC0, r0")},
	{"predicate of a kill", ps3("setp_gt p0, v1, v0; (p0.x) texkill v1; mov oC0, v0"),
		ps3("setp_gt p0, v1, v0; texkill v1; mov oC0, v0")},
	{"sampler", ps("dcl_2d s1; texld r0, t0, s0; texld r1, t0, s1; mov r1.x, r0; mov oC0, r1"),
		ps("dcl_2d s1; texld r0, t0, s1; texld r1, t0, s1; mov r1.x, r0; mov oC0, r1")},
	{"level for a bias", ps3("texldl r0, v0, s0; mov oC0, r0"), ps3("texldb r0, v0, s0; mov oC0, r0")},
	{"projected", ps("texldp r0, t0, s0; mov oC0, r0"), ps("texld r0, t0, s0; mov oC0, r0")},
	{"gradients in turn", ps3("texldd r0, v0, s0, c0, c1; mov oC0, r0"), ps3("texldd r0, v0, s0, c1, c0; mov oC0, r0")},
	// Ranges.
	{"saturated where it is above", ps3("mov_sat r0, v0; mov oC0, r0"),
		ps3("def c9, 0, 0, 0, 0; max r0, v0, c9.x; mov oC0, r0")},
	{"saturation moved", ps3("mul_sat r0, v0, v1; add r0, r0, v1; mov oC0, r0"),
		ps3("mul r0, v0, v1; add_sat r0, r0, v1; mov oC0, r0")},
	{"saturated texture coordinates", ps3("texldl r0, v0, s0; mov oC0, r0"),
		ps3("mov_sat r1, v0; texldl r0, r1, s0; mov oC0, r0")},
	{"size of a power", ps3("def c9, 3, 0, 0, 0; pow r0, v0.x, c9.x; mov oC0, r0"),
		ps3("mul r0, v0.x, v0.x; mul r0, r0, v0.x; mov oC0, r0")},
	{"root of a square", ps3("mul r0.x, v0.x, v0.x; rsq r0, r0.x; mov oC0, r0"), ps3("rcp r0, v0.x; mov oC0, r0")},
	{"root behind that of zero", ps3("def c9, 0, 0, 0, 0; max r1, v0, c9; rsq r1, r1.x; mov oC1, r1; rsq r0, v0.y; mov oC0, r0"), ps3("def c9, 0, 0, 0, 0; max r1, v0, c9; rsq r1, r1.x; mov oC1, r1; rsq r0, v0.z; mov oC0, r0")},
	{"power of zero", ps3("def c9, 0, 0, 0, 0; mov r2, v0; mul r2.y, r2.y, r2.y; pow r1.x, r2.x, r2.y; mov r0, v0; if_gt r1.x, c9.x; mov r0, v1; endif; mov oC0, r0"), ps3("mov oC0, v1")},
	{"zero factor of a power", ps3("def c9, 0, 0, 0, 0; exp r1.x, v0.x; mul r2.x, v0.y, v0.y; mul r1.x, r1.x, r2.x; mov r0, v0; if_gt r1.x, c9.x; mov r0, v1; endif; mov oC0, r0"), ps3("mov oC0, v1")},
	{"two squares", ps3("def c9, 0, 0, 0, 0; mul r1.x, v0.x, v0.x; mul r2.x, v0.y, v0.y; add r1.x, r1.x, r2.x; mov r0, v0; if_gt r1.x, c9.x; mov r0, v1; endif; mov oC0, r0"), ps3("mov oC0, v1")},
	{"fraction of a negation", ps3("frc r0, -v0; mov oC0, r0"),
		ps3("def c9, 1, 0, 0, 0; frc r0, v0; add r0, c9.x, -r0; mov oC0, r0")},
	{"sine of a negation", ps3("sincos r0.xy, -v0.x; mov oC0, r0.y"), ps3("sincos r0.xy, v0.x; mov oC0, r0.y")},
	{"choice at zero", ps3("cmp r0, v0, v1, c0; mov oC0, r0"), ps3("cmp r0, -v0, c0, v1; mov oC0, r0")},
	{"sign of what is not above zero", ps3("frc r1, v0; cmp r0, -r1, v1, c0; mov oC0, r0"), ps3("mov oC0, c0")},
	{"sign of a product", ps3("mul r0, v0, v1; cmp r0, r0, c0, c1; mov oC0, r0"),
		ps3("cmp r0, v0, c0, c1; cmp r1, v0, c1, c0; cmp r0, v1, r0, r1; mov oC0, r0")},
}

// TestWrongProofs checks that no method alone accepts a wrong version.
func TestWrongProofs(t *testing.T) {
	for _, c := range wrongPairs {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			pairs := [2]Pair{{Pixel: parse(t, c.before)}, {Pixel: parse(t, c.after)}}
			if c.before[0] == 'v' {
				pairs = [2]Pair{{Vertex: pairs[0].Pixel}, {Vertex: pairs[1].Pixel}}
			}
			for i, before := range pairs {
				after := pairs[1-i]
				if r := Check(before, after, Options{Numerics: Real, Seed: 1, Brief: true}); r.Verdict.OK() || r.Contradicted {
					t.Errorf("%v (%s)", r.Verdict, r.Why)
				}
				if r := fieldOf(t, before, after); r.Outcome == proof.Equal {
					t.Error("proved over the reals")
				}
			}
		})
	}
}

// wrongKernels are similar kernels that differ.
var wrongKernels = []struct{ name, before, after string }{
	{"texel beside", "sample_resource(0)_sampler(0)_aoffimmi(1.0,0.0,0.0) r0, v0.xyxx; mov o0, r0",
		"sample_resource(0)_sampler(0) r0, v0.xyxx; mov o0, r0"},
	{"texel on the other side", "sample_resource(0)_sampler(0)_aoffimmi(0.0,1.0,0.0) r0, v0.xyxx; mov o0, r0",
		"sample_resource(0)_sampler(0)_aoffimmi(1.0,0.0,0.0) r0, v0.xyxx; mov o0, r0"},
	{"zero with a sign, chosen", "cmov_logical r2, r11.z, l0.z, l0.x; inot r2, r2; mov o0, r2",
		"cmov_logical r2, r11.z, l0.z, l3.y; inot r2, r2; mov o0, r2"},
	{"zero with a sign, chosen elsewhere", "cmov_logical r2, r11.z, l0.x, v0; inot r2, r2; mov o0, r2",
		"cmov_logical r2, r11.z, l3.y, v0; inot r2, r2; mov o0, r2"},
	{"quotient of a quotient, beyond a word",
		"dcl_literal l5, 65537, 131073, 0, 0; udiv r2, r11, l5.x; udiv r2, r2, l5.x; mov o0, r2", "dcl_literal l5, 65537, 131073, 0, 0; udiv r2, r11, l5.y; mov o0, r2"},
	{"quotient of a shifted word, beyond a word",
		"dcl_literal l5, 65539, 16, 196608, 0; ushr r2, r11, l5.y; udiv r2, r2, l5.x; mov o0, r2", "dcl_literal l5, 65539, 16, 196608, 0; udiv r2, r11, l5.z; mov o0, r2"},
	{"quotient of some bits", "dcl_literal l5, 4, 255, 3, 48; ushr r2, r11, l5.x; iand r2, r2, l5.y; udiv r2, r2, l5.z; mov o0, r2", "dcl_literal l5, 4, 255, 3, 48; udiv r2, r11, l5.w; mov o0, r2"},
	{"maybe negative, as a word without a sign",
		"dcl_literal l5, -4.5, 0, 0, 0; add r0, vWinCoord0.x, l5.x; ftou r0, r0; mov o0, r0", "dcl_literal l5, -4.5, 0, 0, 0; add r0, vWinCoord0.x, l5.x; ftoi r0, r0; mov o0, r0"},
	{"maybe negative, rounded to zero", "dcl_literal l5, -4.0, 0, 0, 0; add r0, vWinCoord0.x, l5.x; round_z r0, r0; mov o0, r0", "dcl_literal l5, -4.0, 0, 0, 0; add r0, vWinCoord0.x, l5.x; round_neginf r0, r0; mov o0, r0"},
	{"a negative multiple, without a sign",
		"dcl_literal l5, -2.0, 0, 0, 0; mad r0, l5.x, vWinCoord0.x, l2.y; ftou r0, r0; mov o0, r0", "dcl_literal l5, -2.0, 0, 0, 0; mad r0, l5.x, vWinCoord0.x, l2.y; ftoi r0, r0; mov o0, r0"},
	{"a multiple by a negative number, without a sign",
		"dcl_literal l5, -2.0, 0, 0, 0; mad r0, vWinCoord0.x, l5.x, l2.y; ftou r0, r0; mov o0, r0", "dcl_literal l5, -2.0, 0, 0, 0; mad r0, vWinCoord0.x, l5.x, l2.y; ftoi r0, r0; mov o0, r0"},
	{"negated, without a sign", "dcl_literal l5, 0.5, 0, 0, 0; add r0, vWinCoord0.x_neg(xyzw), l5.x; ftou r0, r0; mov o0, r0", "dcl_literal l5, 0.5, 0, 0, 0; add r0, vWinCoord0.x_neg(xyzw), l5.x; ftoi r0, r0; mov o0, r0"},
	{"bits of a whole number", "dcl_literal l5, -0.5, 0, 0, 0; add r0, vWinCoord0.x, l5.x; ushr r0, r0, l0.y; itof r0, r0; mov o0, r0", "dcl_literal l5, -0.5, 0, 0, 0; add r0, vWinCoord0.x, l5.x; mov o0, r0"},
	{"maybe negative, a number without a sign",
		"dcl_literal l5, -4.5, 0, 0, 0; add r0, vWinCoord0.x, l5.x; ftoi r0, r0; utof r0, r0; mov o0, r0", "dcl_literal l5, -4.5, 0, 0, 0; add r0, vWinCoord0.x, l5.x; ftoi r0, r0; itof r0, r0; mov o0, r0"},
	{"an integer that wraps, as a number", "dcl_literal l5, 1048576, 1048576.0, 0, 0; ftoi r0, vWinCoord0.x; imul r0, r0, l5.x; itof r0, r0; mov o0, r0", "dcl_literal l5, 1048576, 1048576.0, 0, 0; ftoi r0, vWinCoord0.x; itof r0, r0; mul r0, r0, l5.y; mov o0, r0"},
	{"an integer that is no number", "dcl_literal l5, 16777217, 16777216, 0, 0; ftoi r0, vWinCoord0.x; iadd r0, r0, l5.x; itof r0, r0; mov o0, r0", "dcl_literal l5, 16777217, 16777216, 0, 0; ftoi r0, vWinCoord0.x; iadd r0, r0, l5.y; itof r0, r0; mov o0, r0"},
	{"store lost behind a discard", "discard_logicalnz cb0[0].x; mov g[r11.x], v0; mov o0, v0",
		"discard_logicalnz cb0[0].x; mov o0, v0"},
	{"store lost before a discard", "mov g[r11.x], v0; discard_logicalnz cb0[0].x; mov o0, v0",
		"discard_logicalnz cb0[0].x; mov o0, v0"},
	{"store lost beside a discard", "if_logicalnz cb0[0].y; discard_logicalnz cb0[0].x; else; mov g[r11.x], v0; endif; mov o0, v0", "if_logicalnz cb0[0].y; discard_logicalnz cb0[0].x; endif; mov o0, v0"},
	{"discard outside of its branch", "if_logicalnz cb0[0].x; discard_logicalnz cb0[0].y; endif; mov o0, v0",
		"discard_logicalnz cb0[0].y; mov o0, v0"},
}

func TestWrongKernelProofs(t *testing.T) {
	for _, c := range wrongKernels {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kernels := [2]*il.Kernel{parseKernel(t, psKernel(c.before)), parseKernel(t, psKernel(c.after))}
			for i, before := range kernels {
				after := kernels[1-i]
				for by := range 3 { // proofs alone, proofs with executions, and contradictions
					r := CheckKernel(before, after, Options{Numerics: Real, Seed: 1, Brief: true, Cheap: by < 2, Unconfirmed: by == 0})
					if r.Verdict.OK() || r.Contradicted {
						t.Errorf("%v (%s)", r.Verdict, r.Why)
					}
				}
			}
		})
	}
}

// TestUnconfirmed checks that a verdict by proofs alone states the proof, and that nothing was executed.
func TestUnconfirmed(t *testing.T) {
	before := parseKernel(t, psKernel("mad r0, v0, v1, v1; mov o0, r0"))
	for after, want := range map[string]Verdict{
		"mad r1, v0, v1, v1; mov o0, r1":             Proved,
		"mul r0, v0, v1; add r0, r0, v1; mov o0, r0": ProvedReal,
		"mad r0, v0, v1, v0; mov o0, r0":             Unknown,
	} {
		r := CheckKernel(before, parseKernel(t, psKernel(after)), Options{Numerics: Real, Cheap: true, Unconfirmed: true})
		if r.Verdict != want || r.draws > 0 || slices.Contains(r.Methods, ByExecution) {
			t.Errorf("%s: %+v", after, r)
		}
	}
}

// TestUnconfirmedLoops checks that a verdict by proofs alone does not sample trip counts, which proves
// nothing.
func TestUnconfirmedLoops(t *testing.T) {
	pixel := func(body string) Pair {
		return Pair{Pixel: parse(t, "ps_3_0\ndcl_texcoord v0\ndef c2, 1, 0, 0, 0\n"+body)}
	}
	before := pixel("mul r1, c0, c1\nmov r0, c2.x\nrep i0\nmul r0, r0, r1\nendrep\nmul oC0, r0, v0\n")
	after := pixel("mov r1, c2.x\nmov r0, c2.x\nrep i0\nmul r0, r0, c0\nmul r1, r1, c1\nendrep\nmul r0, r0, r1\nmul oC0, r0, v0\n")
	executed := Check(before, after, Options{Numerics: Real})
	if want := "loops were run for a few trips only"; executed.Verdict != Tested || executed.Why != want {
		t.Errorf("executed: %v (%s), want tested (%s)", executed.Verdict, executed.Why, want)
	}
	// Sampled trips support Tested at most, so that a caller who cannot use that verdict does without them.
	if r := Check(before, after, Options{Numerics: Real, Least: Tested}); r.Verdict != Tested {
		t.Errorf("tested is enough: %v (%s)", r.Verdict, r.Why)
	}
	proof := Check(before, after, Options{Numerics: Real, Least: Bounded})
	if want := "field: could not prove oC0.x equal; no execution shows a difference"; proof.Verdict != Unknown ||
		proof.Why != want {
		t.Errorf("a proof is required: %v (%s), want unknown (%s)", proof.Verdict, proof.Why, want)
	}
	byProofs := Check(before, after, Options{Numerics: Real, Cheap: true, Unconfirmed: true})
	if want := "field: could not prove oC0.x equal"; byProofs.Verdict != Unknown || byProofs.Why != want {
		t.Errorf("by proofs: %v (%s), want unknown (%s)", byProofs.Verdict, byProofs.Why, want)
	}
}
