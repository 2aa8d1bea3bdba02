package verify

import "testing"

// A loop that never ends if cb0[0].x is 0, and one whose results nothing reads.
const (
	hangsAt0  = "whileloop; ine r1.x, cb0[0].x, l0.x; break_logicalnz r1.x; endloop;"
	countsToZ = "mov r5.x, l0.x; whileloop; ige r5.y, r5.x, r11.z; break_logicalnz r5.y; iadd r5.x, r5.x, l0.y; endloop;"
)

// TestTermination checks that after ends wherever before ends.
func TestTermination(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		name, before, after string
		want                Verdict
	}{
		{"endless loop added", "mov o0, cb0[0]", hangsAt0 + "mov o0, cb0[0]", Unknown},
		{"endless loop removed", hangsAt0 + "mov o0, cb0[0]", "mov o0, cb0[0]", Proved},
		{"endless loop kept", hangsAt0 + "mov o0, cb0[0]", "mov r2, cb0[0];" + hangsAt0 + "mov o0, r2", Proved},
		{"endless loop twice", hangsAt0 + "mov o0, cb0[0]", hangsAt0 + hangsAt0 + "mov o0, cb0[0]", Proved},
		{"test turned round", hangsAt0 + "mov o0, cb0[0]",
			"whileloop; ieq r1.x, cb0[0].x, l0.x; break_logicalnz r1.x; endloop; mov o0, cb0[0]", Refuted},
		{"bounded loop added", "mov o0, cb0[0]",
			"mov r1.x, l0.x; whileloop; ige r1.y, r1.x, l0.w; break_logicalnz r1.y; iadd r1.x, r1.x, l0.y; endloop; mov o0, cb0[0]", Proved},
		{"bounded loop with another exit added", "mov o0, cb0[0]",
			"mov r1.x, l0.x; whileloop; ige r1.y, r1.x, l1.z; break_logicalnz r1.y; ieq r1.z, r1.x, cb0[0].x; break_logicalnz r1.z; iadd r1.x, r1.x, l0.y; endloop; mov o0, cb0[0]", Proved},
		{"bounded but for a branch", "mov o0, cb0[0]",
			"mov r1.x, l0.x; whileloop; if_logicalz cb0[0].z; ige r1.y, r1.x, l1.z; break_logicalnz r1.y; endif; iadd r1.x, r1.x, l0.y; endloop; mov o0, cb0[0]", Unknown},
		{"never ends", "mov o0, cb0[0]", "if_logicalz cb0[0].x; whileloop; endloop; endif; mov o0, cb0[0]", Unknown},
		{"counter that misses its end", "mov r5.x, l0.x; whileloop; ieq r5.y, r5.x, l0.z; break_logicalnz r5.y; iadd r5.x, r5.x, l0.y; endloop; mov o0, v0",
			"mov r5.x, l0.y; whileloop; ieq r5.y, r5.x, l0.z; break_logicalnz r5.y; iadd r5.x, r5.x, l0.z; endloop; mov o0, v0", Refuted},
		{"counter that waits", countsToZ + "mov o0, v0",
			"mov r5.x, l0.x; whileloop; ige r5.y, r5.x, r11.z; break_logicalnz r5.y; iadd r5.x, r5.x, l0.x; endloop; mov o0, v0", Refuted},
		{"counter that starts elsewhere", countsToZ + "mov o0, v0",
			"mov r5.x, r11.x; whileloop; ige r5.y, r5.x, r11.z; break_logicalnz r5.y; iadd r5.x, r5.x, l0.y; endloop; mov o0, v0", Unknown},
		{"nested, the inner one longer", "mov r6.x, l0.x; whileloop; ige r6.y, r6.x, r11.w; break_logicalnz r6.y;" +
			countsToZ + "iadd r6.x, r6.x, l0.y; endloop; mov o0, v0",
			"mov r6.x, l0.x; whileloop; ige r6.y, r6.x, r11.w; break_logicalnz r6.y; mov r5.x, r6.x; whileloop; ige r5.y, r5.x, r11.z; break_logicalnz r5.y; iadd r5.x, r5.x, l0.y; endloop; iadd r6.x, r6.x, l0.y; endloop; mov o0, v0", Unknown},
		{"nested, taken out", "mov r6.x, l0.x; whileloop; ige r6.y, r6.x, r11.w; break_logicalnz r6.y;" + countsToZ +
			"iadd r6.x, r6.x, l0.y; endloop; mov o0, v0",
			countsToZ + "mov o0, v0", Unknown},
		{"under a branch", "if_logicalnz cb0[0].z;" + hangsAt0 + "endif; mov o0, v0", "mov o0, v0;" + hangsAt0, Unknown},
		{"into a branch", "mov o0, v0;" + hangsAt0, "mov o0, v0; if_logicalnz cb0[0].z;" + hangsAt0 + "endif", Proved},
		{"behind another exit", "mov o0, v0; ret_logicalnz cb0[0].z;" + hangsAt0,
			"mov o0, v0;" + hangsAt0 + "ret_logicalnz cb0[0].z", Unknown},
		{"before what drops invocations", "mov o0, v0; discard_logicalnz cb0[0].z;" + hangsAt0,
			"mov o0, v0;" + hangsAt0 + "discard_logicalnz cb0[0].z", Unknown},
		{"behind what drops invocations", "mov o0, v0;" + hangsAt0 + "discard_logicalnz cb0[0].z",
			"mov o0, v0; discard_logicalnz cb0[0].z;" + hangsAt0, Proved},
		{"part of the results dead", "mov r0, v0; mov r2, v1; mov r1.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; mul r0, r0, v1; mul r2, r2, v0; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0",
			"mov r0, v0; mov r1.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; mul r0, r0, v1; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0", Proved},
		{"continue before the count", countsToZ + "mov o0, v0",
			"mov r5.x, l0.x; whileloop; ige r5.y, r5.x, r11.z; break_logicalnz r5.y; ieq r5.z, r5.x, l1.x; continue_logicalnz r5.z; iadd r5.x, r5.x, l0.y; endloop; mov o0, v0", Unknown},
		{"ends for numbers", "mov o0, v0", "whileloop; eq r3.x, v0.x, v0.x; break_logicalnz r3.x; endloop; mov o0, v0",
			Unknown},
		{"ends for numbers, with another order", "add r0, v0, v1; add o0, r0, v0",
			"whileloop; eq r3.x, v0.x, v0.x; break_logicalnz r3.x; endloop; add r0, v0, v0; add o0, r0, v1", Unknown},
		{"in a case", "switch cb0[0].z; case 7; break; default; break; endswitch; mov o0, v0",
			"switch cb0[0].z; case 7;" + hangsAt0 + "break; default; break; endswitch; mov o0, v0", Unknown},
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

// TestTerminationOfGroups checks loops whose trip counts depend on memory, which other invocations write, and
// barriers.
func TestTerminationOfGroups(t *testing.T) {
	const waits = "whileloop; fence_memory; mov r5, g[l0.x]; break_logicalnz r5.x; endloop;"
	for _, c := range []struct {
		name, before, after string
		want                Verdict
	}{
		{"waiting", waits + "mov g[r10.x+1], r0", waits + "mov g[r10.x+1], r0", Proved},
		{"waiting for another word", waits + "mov g[r10.x+1], r0",
			"whileloop; fence_memory; mov r5, g[l0.x]; break_logicalnz r5.y; endloop; mov g[r10.x+1], r0", Unknown},
		{"waiting for oneself", "mov g[l0.x], l0.y;" + waits, waits + "mov g[l0.x], l0.y", Unknown},
		{"a barrier in a branch", "mov r2, r0; fence_threads", "mov r2, r0; if_logicalnz cb0[0].y; fence_threads; endif",
			Unknown},
		{"a barrier removed", "mov r2, r0; fence_threads", "mov r2, r0", Proved},
		{"a barrier added to a loop", "mov r2, r0",
			"mov r2.x, r11.x; whileloop; ige r2.y, r2.x, l1.z; break_logicalnz r2.y; fence_threads; iadd r2.x, r2.x, l0.y; endloop", Refuted},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := CheckKernel(parseKernel(t, csKernel(c.before)), parseKernel(t, csKernel(c.after)),
				Options{Numerics: Real, Seed: 1})
			if r.Verdict != c.want && !(c.want == Unknown && r.Verdict == Refuted) {
				t.Errorf("%v (%s), want %v", r.Verdict, r.Why, c.want)
			}
		})
	}
}
