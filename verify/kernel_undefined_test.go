package verify

import "testing"

// TestUndefinedCounter checks a counter that after does not set. With some words it starts far below its end
// and runs for long; other words show the difference.
func TestUndefinedCounter(t *testing.T) {
	t.Parallel()
	const loop = "mov r2.x, l0.x; whileloop; ige r2.y, r1.x, r11.z; break_logicalnz r2.y; iadd r2.x, r2.x, r11.w; iadd r1.x, r1.x, l0.y; endloop; itof o0, r2.x"
	for _, seed := range []uint64{1, 2, 3, 4, 5, 6} {
		r := CheckKernel(parseKernel(t, psKernel("mov r1.x, l0.x;"+loop)), parseKernel(t, psKernel(loop)),
			Options{Numerics: Real, Seed: seed})
		if r.Verdict != Refuted {
			t.Errorf("seed %d: %v (%s)", seed, r.Verdict, r.Why)
		}
	}
}

// TestUndefined checks that unwritten registers may have any value, but always the same one.
func TestUndefined(t *testing.T) {
	t.Parallel()
	const loop = "mov r1.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y;"
	const end = "iadd r1.x, r1.x, l0.y; endloop;"
	for i, c := range []struct {
		name, before, after string
		want                Verdict
	}{
		{"two for one", "iadd r0, r5, r5; mov o0, r0", "iadd r0, r5, r6; mov o0, r0", Unknown},
		{"one for two", "iadd r0, r5, r6; mov o0, r0", "iadd r0, r5, r5; mov o0, r0", Proved},
		{"renamed", "iadd r0, r5, r6; imul o0, r0, r5", "iadd r0, r7, r8; imul o0, r7, r0", Proved},
		{"exchanged", "iadd r0, r5, r6_neg(xyzw); mov o0, r0", "iadd r0, r6, r5_neg(xyzw); mov o0, r0", Proved},
		{"exchanged once", "imul r0, r5, l0.z; iadd o0, r0, r6; mov o1, r5",
			"imul r0, r6, l0.z; iadd o0, r0, r5; mov o1, r5", Unknown},
		{"a component for another", "iadd r0, r5.x, r5.y; mov o0, r0", "iadd r0, r5.x, r5.x; mov o0, r0", Proved},
		{"components for one", "iadd r0, r5.x, r5.x; mov o0, r0", "iadd r0, r5.x, r5.y; mov o0, r0", Unknown},
		{"defined for undefined", "mov o0, r5", "mov o0, v0", Proved},
		{"a literal for undefined", "iadd r0, r5, v0; mov o0, r0", "iadd r0, l0.w, v0; mov o0, r0", Proved},
		{"undefined for defined", "mov o0, v0", "mov o0, r5", Unknown},
		{"undefined for zero", "mov o0, l0.x", "mov o0, r5", Unknown},
		{"undefined for zero, with a sign", "mov o0, l2.x", "mov o0, r5_neg(xyzw)", Unknown},
		{"undefined for zero, absolute", "mov o0, l2.x", "mov o0, r5_abs", Unknown},
		{"cancelled", "iadd r0, r5, r5_neg(xyzw); mov o0, r0", "mov o0, l0.x", Proved},
		{"cancelled although two", "mov o0, l0.x", "iadd r0, r5, r6_neg(xyzw); mov o0, r0", Unknown},
		{"one output for two", "mov o0, r5; mov o1, r5", "mov o0, v0; mov o1, v0", Proved},
		{"two outputs for one", "mov o0, r5; mov o1, r5", "mov o0, v0; mov o1, v1", Unknown},
		{"output and sum", "mov o0, r5; iadd o1, r5, v0", "mov o0, l0.y; iadd o1, l0.y, v0", Proved},
		{"output and another sum", "mov o0, r5; iadd o1, r5, v0", "mov o0, l0.y; iadd o1, l0.z, v0", Unknown},
		{"lanes that are not written", "mul r0.xy, v0, v1; mov o0, r0", "mul o0.xy, v0, v1; mov o0.zw, v1", Proved},
		{"lanes gone", "mul r0.xy, v0, v1; mov o0, r0", "mul o0.xy, v0, v1", Proved},
		{"written on one side", "if_logicalnz r11.x; mov r0, v0; endif; mov o0, r0", "mov o0, v0", Unknown},
		{"written on one side, renamed", "if_logicalnz r11.x; mov r0, v0; endif; mov o0, r0",
			"if_logicalnz r11.x; mov r3, v0; endif; mov o0, r3", Proved},
		{"written in a loop, renamed", loop + "add r0, r0, v0; mov r2.xy, v1;" + end + "add o0, r0, r2",
			loop + "add r8, r8, v0; mov r9.xy, v1;" + end + "add o0, r8, r9", Proved},
		{"written in a loop, two for one", loop + "add r0, r0, v0; add r2, r0, r2;" + end + "add o0, r0, r2",
			loop + "add r8, r8, v0; add r9, r8, r9;" + end + "add r9, r9, r7; add o0, r8, r9", Unknown},
		{"what a trip counts", "mov r0, l0.x;" + loop + "iadd r0, r0, r5;" + end + "mov o0, r0",
			"mov r0, l0.x;" + loop + "iadd r0, r0, r1.x;" + end + "mov o0, r0", Unknown},
		{"a choice made anew", loop + "mad r0, r0, v0, r5;" + end + "mov o0, r0; mov o1, r0",
			loop + "mad r0, r0, v0, v1;" + end + "mov o0, r0; mov o1, r0", Proved},
		{"another output that is not written", "mov o0, v0", "if_logicalnz r5.x; mov o0, v0; else; mov o0, v0; endif",
			Proved},
		{"which side", "mov o0, v0", "if_logicalnz r5.x; mov o0, v0; else; mov o0, v1; endif", Unknown},
		{"dropped", "mov o0, v0", "mov o0, v0; discard_logicalnz r5.x", Unknown},
		{"an address for two", "mov x0[r7.x], v0; mov x0[r7.x], v1; mov o0, x0[1]",
			"mov x0[r7.x], v0; mov x0[r8.x], v1; mov o0, x0[1]", Unknown},
		{"stops where before does not", "mov r1.x, r5.x; whileloop; break_logicalnz l0.y; endloop; mov o0, v0",
			"mov r1.x, r5.x; whileloop; break_logicalnz r1.x; endloop; mov o0, v0", Unknown},
		{"under reals", "mad r0, v0, v1, r5; mov o0, r0; mov o1, r6", "mul r0, v0, v1; add o0, r0, r7; mov o1, v0", Unknown},
		{"under reals, the same name", "mad r0, v0, v1, r5; mov o0, r0; mov o1, r6",
			"mul r0, v0, v1; add o0, r0, r5; mov o1, v0", ProvedReal},
		{"under reals, two for one", "mad r0, v0, v1, r5; add r0, r0, r5; mov o0, r0",
			"mul r0, v0, v1; add r0, r0, r5; add o0, r0, r6", Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, effort := range efforts(i) {
				r := CheckKernel(parseKernel(t, psKernel(c.before)), parseKernel(t, psKernel(c.after)),
					Options{Numerics: Real, Seed: 1, Effort: effort, Budget: allotted(effort),
						Brief: !long && i%8 > 0 && c.want == Unknown})
				if r.Verdict != c.want && !(c.want == Unknown && r.Verdict == Refuted) {
					t.Errorf("effort %d: %v (%s), want %v", effort, r.Verdict, r.Why, c.want)
				}
			}
		})
	}
}
