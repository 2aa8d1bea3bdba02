package verify

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
)

// Loops over r1.x, up to r11.z or below r11.w. The first of two makes two trips at a time where that is safe.
// Cases replace %s.
const (
	aTrip   = "mad r0, r0, v1, v0; sample_resource(0)_sampler(0) r4, r0.xy; add r5, r5, r4;"
	guarded = "dcl_literal l8, 0x7ffffffd, 0x80000000, 0, 0; ige r6.x, l8.x, r11.z; cmov_logical r6.x, r6.x, r11.z, l8.y;"
	byTwo   = "whileloop; iadd r1.y, r1.x, l0.y; ige r1.y, r1.y, r6.x; break_logicalnz r1.y;" + aTrip + aTrip +
		"iadd r1.x, r1.x, l0.z; endloop;"
	byOne      = "whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y;" + aTrip + "iadd r1.x, r1.x, l0.y; endloop;"
	batchBegin = "mov r0, v0; mov r5, v1; mov r1.x, l0.x;"
	batchEnd   = "add o0, r0, r5"
)

// altered replaces the first occurrence of from, which must exist.
func altered(s, from, to string) string {
	if !strings.Contains(s, from) {
		panic("nothing to change: " + from)
	}
	return strings.Replace(s, from, to, 1)
}

const (
	// Adds a float up to a limit.
	floats  = "whileloop; ge r2.x, r1.x, cb0[0].x; break_logicalnz r2.x;" + aTrip + "add r1.x, r1.x, l2.y; endloop;"
	floats2 = "whileloop; add r2.y, r1.x, l2.y; ge r2.x, r2.y, cb0[0].x; break_logicalnz r2.x;" + aTrip + aTrip +
		"add r1.x, r2.y, l2.y; endloop;"
	// Needs neighbours.
	lockstep  = "whileloop; ige r1.y, r3.x, cb0[0].x; break_logicalnz r1.y; sample_resource(1)_sampler(1) r4, v0.xy; add r5, r5, r4; iadd r3.x, r3.x, l0.y; endloop;"
	lockstep2 = "ige r6.x, l8.x, cb0[0].x; cmov_logical r6.x, r6.x, cb0[0].x, l8.y; whileloop; iadd r3.y, r3.x, l0.y; ige r1.y, r3.y, r6.x; break_logicalnz r1.y;" +
		"sample_resource(1)_sampler(1) r4, v0.xy; add r5, r5, r4; sample_resource(1)_sampler(1) r4, v0.xy; add r5, r5, r4; iadd r3.x, r3.x, l0.z; endloop;"
	limits8 = "dcl_literal l8, 0x7ffffffd, 0x80000000, 0, 0;"
	// Counts until equality.
	until = "whileloop; ieq r1.y, r1.x, r11.z; break_logicalnz r1.y;" + aTrip + "iadd r1.x, r1.x, l0.y; endloop;"
	left2 = "whileloop; inegate r1.y, r1.x; iadd r1.y, r11.z, r1.y; ult r1.y, l0.y, r1.y; break_logicalz r1.y;" + aTrip +
		aTrip + "iadd r1.x, r1.x, l0.z; endloop;"
	// Invariant values are computed before each loop.
	late    = "mul r9, v0, cb0[1];"
	byOne9  = late + "whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; mad r0, r0, v1, r9; iadd r1.x, r1.x, l0.y; endloop;"
	byTwo9  = "whileloop; iadd r1.y, r1.x, l0.y; ige r1.y, r1.y, r6.x; break_logicalnz r1.y; mad r0, r0, v1, r9; mad r0, r0, v1, r9; iadd r1.x, r1.x, l0.z; endloop;"
	thrice  = "mov r3.x, l0.x; whileloop; ige r3.y, r3.x, l0.w; break_logicalnz r3.y; itof r8, r3.x; mov r1.x, l0.x;"
	thrice9 = "iadd r3.x, r3.x, l0.y; endloop;"
	until2  = "dcl_literal l8, 0xfffffffe, 0, 0, 0; inot r6.x, r11.z; whileloop; iadd r1.y, r1.x, r6.x; uge r1.y, r1.y, l8.x; break_logicalnz r1.y;" + aTrip + aTrip + "iadd r1.x, r1.x, l0.z; endloop;"
)

// TestBatches proves that a pair of loops equals the second of them, in exactly the cases where it does.
func TestBatches(t *testing.T) {
	both := guarded + byTwo + byOne
	cases := []struct {
		name          string
		before, after string
		want          Verdict // Tested without a proof
	}{
		{"guarded", byOne, both, Proved},
		{"the other loop as well", both, both + "mov r8, r0;", Proved},
		{"three times two", byOne, guarded + byTwo + byTwo + byOne, Proved},
		{"not guarded", byOne, altered(both, "cmov_logical r6.x, r6.x, r11.z, l8.y", "mov r6.x, r11.z"), Tested},
		{"guarded the wrong way", byOne, altered(both, "r6.x, r11.z, l8.y", "r6.x, l8.y, r11.z"), Tested},
		{"guarded too late", byOne, altered(both, "0x7ffffffd", "0x7fffffff"), Tested},
		{"guarded elsewhere", byOne, altered(both, "l8.x, r11.z", "l8.x, r11.w"), Tested},
		{"a bound that is met late", byOne, altered(both, "0x80000000, 0, 0", "0x80000002, 0, 0"), Proved},
		{"a bound that is not always met", "ftoi r1.x, v1.x;" + byOne,
			"ftoi r1.x, v1.x;" + altered(altered(both, "0x80000000, 0, 0", "0x80000002, 0, 0"), "cmov_logical",
				"ige r6.y, l8.x, r1.x; iand r6.x, r6.x, r6.y; cmov_logical"), Tested},
		{"another bound", byOne, altered(both, "r6.x, r11.z, l8.y", "r6.x, r11.w, l8.y"), Tested},
		{"tested at the first of two", byOne, altered(both, "iadd r1.y, r1.x, l0.y", "mov r1.y, r1.x"), Tested},
		{"tested behind the last", byOne, altered(both, "iadd r1.y, r1.x, l0.y", "iadd r1.y, r1.x, l0.z"), Proved},
		{"equal is not met", byOne, altered(both, "ige r1.y, r1.y, r6.x", "ilt r1.y, r6.x, r1.y"), Tested},
		{"three trips for two", byOne, altered(both, aTrip+aTrip, aTrip+aTrip+aTrip), Tested},
		{"one trip for two", byOne, altered(both, aTrip+aTrip, aTrip), Tested},
		{"counted by one", byOne, altered(both, "iadd r1.x, r1.x, l0.z", "iadd r1.x, r1.x, l0.y"), Tested},
		{"counted before it is left", byOne, altered(both, "ige r1.y, r1.y, r6.x",
			"ige r1.y, r1.y, r6.x; iadd r1.x, r1.x, l0.y"), Tested},
		{"values exchanged", byOne, guarded + byTwo + "mov r7, r0; mov r0, r5; mov r5, r7;" + byOne, Tested},
		{"values moved", byOne, guarded + byTwo + "mov r7, r0; mov r5.xy, r5; mov r0, r7;" + byOne, Proved},
		{"something in between", byOne, guarded + byTwo + "add r0, r0, v0;" + byOne, Tested},
		{"a count that is read", byOne + "itof r1.w, r1.x; add r0, r0, r1.w;",
			guarded + byTwo + "mov r1.w, r1.x;" + byOne + "itof r1.w, r1.w; add r0, r0, r1.w;", Tested},
		{"another rest", byOne, guarded + byTwo + altered(byOne, "mad r0, r0, v1, v0", "mad r0, r0, v0, v0"), Tested},
		{"no rest", byOne, guarded + byTwo, Tested},
		{"computed between the loops", byOne9, guarded + late + byTwo9 + altered(byOne9, "cb0[1]", "cb0[2]"), Tested},
		{"computed between the loops, of what is on another trip", thrice + altered(byOne9, "v0, cb0[1]", "v0, r8") + thrice9,
			guarded + "mov r9, v0;" + thrice + byTwo9 + altered(byOne9, "v0, cb0[1]", "v0, r8") + thrice9, Tested},
		{"both ways round", byOne, guarded + byOne + byTwo, Tested},
		{"started near the end", "mov r1.x, l8.z;" + byOne,
			altered(both, "0, 0; ige", "0x7ffffffe, 0; mov r1.x, l8.z; ige"), Tested},
		{"started anywhere", "ftoi r1.x, v1.x;" + byOne, "ftoi r1.x, v1.x;" + both, Tested},
		{"started anywhere, guarded", "ftoi r1.x, v1.x;" + byOne,
			"ftoi r1.x, v1.x;" + altered(both, "cmov_logical",
				"ige r6.y, l8.x, r1.x; iand r6.x, r6.x, r6.y; cmov_logical"), Proved},
		{"nested", "mov r3.x, l0.x; whileloop; ige r3.y, r3.x, r11.w; break_logicalnz r3.y; mov r1.x, l0.x;" + byOne +
			"iadd r3.x, r3.x, l0.y; endloop;",
			guarded + "mov r3.x, l0.x; whileloop; ige r3.y, r3.x, r11.w; break_logicalnz r3.y; mov r1.x, l0.x;" + byTwo +
				byOne + "iadd r3.x, r3.x, l0.y; endloop;", Proved},
		{"in a branch", "if_logicalnz r11.x;" + byOne + "endif;",
			guarded + "if_logicalnz r11.x;" + byTwo + byOne + "endif;", Proved},
		{"started by a loop around", "mov r3.x, l0.x; whileloop; ige r3.y, r3.x, r11.w; break_logicalnz r3.y; mov r1.x, r3.x;" + byOne + "iadd r3.x, r3.x, l0.y; endloop;",
			guarded + "mov r3.x, l0.x; whileloop; ige r3.y, r3.x, r11.w; break_logicalnz r3.y; mov r1.x, r3.x;" + byTwo +
				byOne + "iadd r3.x, r3.x, l0.y; endloop;", Tested},
		{"branches within", altered(byOne, aTrip, "if_logicalnz r11.y;"+aTrip+"endif;"),
			guarded + altered(byTwo, aTrip+aTrip, "if_logicalnz r11.y;"+aTrip+"endif; if_logicalnz r11.y;"+aTrip+"endif;") +
				altered(byOne, aTrip, "if_logicalnz r11.y;"+aTrip+"endif;"), Proved},

		{"floats", "mov r1.x, l2.x;" + floats, "mov r1.x, l2.x;" + floats2 + floats, Proved},
		{"floats that may stand still", "mov r1.x, l2.x;" + floats,
			"mov r1.x, l2.x;" + altered(floats2, "add r1.x, r2.y, l2.y", "add r1.x, r1.x, l2.z") + floats, Tested},
		{"floats that are no numbers", "mov r1.x, l2.x;" +
			altered(floats, "ge r2.x, r1.x, cb0[0].x; break_logicalnz", "lt r2.x, r1.x, cb0[0].x; break_logicalz"),
			"mov r1.x, l2.x;" + floats2 + altered(floats, "ge r2.x, r1.x, cb0[0].x; break_logicalnz",
				"lt r2.x, r1.x, cb0[0].x; break_logicalz"), Tested},
		{"floats the other way", "mov r1.x, l2.x;" + altered(floats, "add r1.x, r1.x, l2.y", "sub r1.x, r1.x, l2.y"),
			"mov r1.x, l2.x;" + strings.ReplaceAll(strings.ReplaceAll(floats2, "add r1.x", "sub r1.x"), "add r2.y",
				"sub r2.y") + altered(floats, "add r1.x, r1.x, l2.y", "sub r1.x, r1.x, l2.y"), Tested},

		{"until equal", until, until2 + until, Proved},
		{"until equal, three for two", until, altered(until2, aTrip+aTrip+"iadd r1.x, r1.x, l0.z",
			aTrip+aTrip+aTrip+"iadd r1.x, r1.x, l0.w") + until, Tested},
		{"until equal, one too few", until, altered(until2, "0xfffffffe", "0xffffffff") + until, Tested},
		{"until equal, one more", until, altered(until2, "0xfffffffe", "0xfffffffd") + until, Proved},
		{"until nothing is left", until, left2 + until, Proved},
		{"until nothing is left, one too few", until, altered(left2, "l0.y, r1.y", "l0.x, r1.y") + until, Tested},
		{"until greater", byOne, until2 + byOne, Tested},

		{"neighbours, uniform", "mov r3.x, l0.x;" + lockstep, "mov r3.x, l0.x;" + limits8 + lockstep2 + lockstep, Proved},
		{"neighbours, not uniform", "mov r3.x, l0.x;" + strings.ReplaceAll(lockstep, "cb0[0].x", "r11.x"),
			"mov r3.x, l0.x;" + limits8 + strings.ReplaceAll(lockstep2+lockstep, "cb0[0].x", "r11.x"), Tested},
		{"neighbours, uniform bound, start not", "mov r3.x, r11.x;" + lockstep,
			"mov r3.x, r11.x;" + limits8 + altered(lockstep2, "cmov_logical",
				"ige r6.y, l8.x, r3.x; iand r6.x, r6.x, r6.y; cmov_logical") + lockstep, Tested},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			wrap := func(s string) *il.Kernel { return parseKernel(t, psKernel(batchBegin+s+batchEnd)) }
			if v := proofOf(t, wrap(c.before), wrap(c.after)); v != c.want {
				t.Errorf("%v, want %v", v, c.want)
			}
		})
	}
}
