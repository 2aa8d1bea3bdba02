package verify

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
)

// parseKernel reads a kernel; statements may be separated by semicolons.
func parseKernel(t testing.TB, src string) *il.Kernel {
	t.Helper()
	lines := strings.FieldsFunc(src, func(r rune) bool { return r == ';' || r == '\n' })
	k, err := il.Parse("test", []byte(strings.Join(lines, "\n")+"\n"))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return k
}

const (
	psHead = `il_ps_2_0; dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__; dcl_input_generic_interp(linear) v0; dcl_input_generic_interp(linear) v1
		dcl_output_generic o0; dcl_output_generic o1; dcl_cb cb0[8]; dcl_indexed_temp_array x0[4]
		dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
		dcl_resource_id(1)_type(2d)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
		dcl_literal l0, 0, 1, 2, 3; dcl_literal l1, 4, 5, 8, 0xffffffff; dcl_literal l2, 0.0, 1.0, 2.0, 0.5; dcl_literal l3, 0x3f000000, 0x80000000, 10, 64
		mov r10, l0; mov r10.x, vWinCoord0.x; ftoi r11.x, vWinCoord0.x; ftoi r11.y, vWinCoord0.y; ftoi r11.z, cb0[0].x; ftoi r11.w, cb0[0].y;`
	csHead = `il_cs_2_0; dcl_num_thread_per_group 64; dcl_cb cb0[8]; dcl_raw_uav_id(0); dcl_lds_id(1) 1024; dcl_indexed_temp_array x0[4]
		dcl_literal l0, 0, 1, 2, 3; dcl_literal l1, 4, 5, 8, 0xffffffff; dcl_literal l2, 0.0, 1.0, 2.0, 0.5; dcl_literal l3, 16, 0x80000000, 10, 64
		mov r10, vaTidFlat.x; mov r11, vTidInGrpFlat.x; mov r0, r10; utof r1, r10;`
)

func psKernel(body string) string { return psHead + body + "; end" }
func csKernel(body string) string { return csHead + body + "; end" }

type kernelCase struct {
	name          string
	before, after string
	numerics      string // real if empty
	want          Verdict
	why           string // part of Report.Why
}

// A loop that adds v0 to r0 r11.z times, and one that does so twice at a time.
const (
	loopByOne = "whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; mad r0, r0, v1, v0; iadd r1.x, r1.x, l0.y; endloop;"
	loopByTwo = "whileloop; iadd r1.y, r1.x, l0.y; ige r1.y, r1.y, r11.z; break_logicalnz r1.y; mad r0, r0, v1, v0; mad r0, r0, v1, v0; iadd r1.x, r1.x, l0.z; endloop;"
)

// Two successive loops that start with the same r2.x, and the same with the steps of the first loop summed
// up.
const (
	stepsByOne = "mov r0, v0; mov r2.x, v1.x; sub r2.x, r2.x, l2.y; mov r1.x, l0.x;" +
		"whileloop; add r2.x, r2.x, l2.y; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; add r2.x, r2.x, l2.y; add r0.x, r0.x, r2.x; iadd r1.x, r1.x, l0.y; endloop;" + stepsOn
	stepsByTwo = "mov r0, v0; mov r2.x, v1.x; sub r2.y, r2.x, l2.y; mov r1.x, l0.x;" +
		"whileloop; add r2.x, r2.y, l2.y; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; add r2.y, r2.y, l2.z; add r0.x, r0.x, r2.y; iadd r1.x, r1.x, l0.y; endloop;" + stepsOn
	stepsOn = "whileloop; ige r1.y, r1.x, r11.w; break_logicalnz r1.y; add r2.x, r2.x, l2.y; mad r0.y, r0.y, v1.y, r2.x; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"
)

// The same for a compute kernel, on integers in r2 and r3, and a branch that is never taken.
const (
	groupByOne = "whileloop; ige r3.y, r3.x, cb0[0].x; break_logicalnz r3.y; imad r2, r2, r11, r10; iadd r3.x, r3.x, l0.y; endloop;"
	groupByTwo = "whileloop; iadd r3.y, r3.x, l0.y; ige r3.y, r3.y, cb0[0].x; break_logicalnz r3.y; imad r2, r2, r11, r10; imad r2, r2, r11, r10; iadd r3.x, r3.x, l0.z; endloop;"
	never      = "ilt r5.x, r11.x, l0.x; ilt r5.y, r11.x, r5.x; iand r5.x, r5.x, r5.y;"
	neverTaken = never + "if_logicalnz r5.x; mul r0, r0, v0; endif;"
)

var kernelCases = []kernelCase{
	// The proof by terms: dataflow.
	{name: "registers renamed", before: psKernel("mul r0, v0, v1; add r0, r0, v0; mov o0, r0"),
		after: psKernel("mul r7, v0, v1; add r8, r7, v0; mov o0, r8"), want: Proved},
	{name: "statements exchanged", before: psKernel("mul r0, v0, v1; add r1, v1, v0; sub o0, r0, r1"),
		after: psKernel("add r1, v0, v1; mul r0, v1, v0; sub o0, r0, r1"), want: Proved},
	{name: "copies propagated", before: psKernel("mov r0.xy, v0.yx; mov r0.zw, v1.xy; mov r1, r0.wzyx; mov o0, r1"),
		after: psKernel("mov o0.xy, v1.yx; mov o0.zw, v0.xy"), want: Proved},
	{name: "literal through a mask", before: psKernel("mov o0.xy, v0; mov o0.z, l0.x; mov o0.w, l2.y"),
		after: psKernel("mov o0.xy01, v0"), want: Proved},
	{name: "dead code", before: psKernel("mul r0, v0, v1; mov r1, r0; mov x0[1], r0; mov o0, v0"),
		after: psKernel("mov o0, v0"), want: Proved},
	{name: "branch to choice", before: psKernel("lt r0.x, v0.x, v1.x; mov r1, v1; if_logicalnz r0.x; mul r1, v0, v1; endif; mov o0, r1"),
		after: psKernel("lt r0.x, v0.x, v1.x; mul r1, v0, v1; cmov_logical o0, r0.x, r1, v1"), want: Proved},
	{name: "branch turned round", before: psKernel("ilt r0.x, r11.x, r11.z; if_logicalnz r0.x; mov r1, v0; else; mov r1, v1; endif; mov o0, r1"),
		after: psKernel("ige r0.x, r11.x, r11.z; if_logicalz r0.x; mov r1, v0; else; mov r1, v1; endif; mov o0, r1"), want: Proved},
	{name: "mask taken as bits", before: psKernel("lt r0.x, v0.x, v1.x; iand r0.x, r0.x, l2.y; mov o0, r0.x"),
		after: psKernel("lt r0.x, v0.x, v1.x; cmov_logical r0.x, r0.x, l2.y, l0.x; mov o0, r0.x"), want: Proved},
	{name: "conditions joined", before: psKernel("lt r0.x, v0.x, v1.x; lt r0.y, v0.y, v1.y; mov r1, v1; if_logicalnz r0.x; if_logicalnz r0.y; mov r1, v0; endif; endif; mov o0, r1"),
		after: psKernel("lt r0.x, v0.x, v1.x; lt r0.y, v0.y, v1.y; iand r0.x, r0.x, r0.y; cmov_logical o0, r0.x, v0, v1"), want: Proved},
	{name: "fetches exchanged", before: psKernel("sample_resource(0)_sampler(0) r0, v0.xy; sample_resource(1)_sampler(1) r1, v1.xy; sub o0, r0, r1"),
		after: psKernel("sample_resource(1)_sampler(1) r1, v1.xy; sample_resource(0)_sampler(0) r0, v0.xy; sub o0, r0, r1"), want: Proved},
	{name: "fetch without levels taken into a branch",
		before: psKernel("sample_resource(0)_sampler(0) r0, v0.xy; mov r1, v1; if_logicalnz r11.x; mov r1, r0; endif; mov o0, r1"),
		after:  psKernel("mov r1, v1; if_logicalnz r11.x; sample_resource(0)_sampler(0) r1, v0.xy; endif; mov o0, r1"), want: Proved},
	{name: "function inlined", before: psKernel("mov r0, v0; call 1; call 1; mov o0, r0; ret; func 1; mul r0, r0, v1; ret; endfunc"), after: psKernel("mul r0, v0, v1; mul o0, r0, v1"), want: Proved},
	{name: "double operands exchanged", before: psKernel("mov r0, v0; mov r1, v1; dadd r2.xy, r0.xy, r1.zw; mov o0, r2.xyxy"), after: psKernel("mov r0, v0; mov r1, v1; dadd r2.xy, r1.zw, r0.xy; mov o0, r2.xyxy"), want: Proved},

	// The proof by terms: integers.
	{name: "chain of increments", before: psKernel("iadd r0.x, r11.x, l0.y; iadd r0.y, r0.x, l0.y; iadd r0.z, r0.y, l0.y; mov o0, r0.xyzx"),
		after: psKernel("iadd r0.xyz, r11.x, l0.yzw; mov o0, r0.xyzx"), want: Proved},
	{name: "scaled index", before: psKernel("iadd r0.x, r11.x, l0.y; ishl r0.x, r0.x, l0.z; mov o0, r0.x"),
		after: psKernel("imad r0.x, r11.x, l1.x, l1.x; mov o0, r0.x"), want: Proved},
	{name: "difference by complement", before: psKernel("iadd r0.x, r11.x, r11.y_neg(x); mov o0, r0.x"),
		after: psKernel("inot r0.x, r11.y; iadd r0.x, r0.x, r11.x; iadd r0.x, r0.x, l0.y; mov o0, r0.x"), want: Proved},
	{name: "row and column", before: psKernel("iadd r0.x, r11.y, l0.y; imad r0.x, r0.x, r11.z, r11.x; mov o0, r0.x"),
		after: psKernel("imul r0.x, r11.y, r11.z; iadd r0.y, r11.z, r11.x; iadd r0.x, r0.y, r0.x; mov o0, r0.x"), want: Proved},
	{name: "equality moved", before: psKernel("iadd r0.x, r11.x, l0.y; ieq r0.x, r0.x, r11.y; mov o0, r0.x"),
		after: psKernel("iadd r0.x, r11.y, r11.x_neg(x); ine r0.x, r0.x, l0.y; inot r0.x, r0.x; mov o0, r0.x"), want: Proved},
	{name: "offset in the index", before: psKernel("iadd r0.x, r11.x, l0.z; mov o0, cb0[r0.x]"),
		after: psKernel("mov r0.x, r11.x; mov o0, cb0[r0.x+2]"), want: Proved},
	{name: "wrap round", before: psKernel("imul r0.x, r11.x, l3.y; imul r0.x, r0.x, l0.z; mov o0, r0.x"),
		after: psKernel("mov o0, l0.x"), want: Proved},

	// The proof by terms: loops.
	{name: "counted loop unrolled", before: psKernel("mov r0, v0; mov r1.x, l0.x; whileloop; ige r1.y, r1.x, l0.w; break_logicalnz r1.y; mad r0, r0, v1, v0; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"),
		after: psKernel("mov r0, v0; mad r0, r0, v1, v0; mad r0, r0, v1, v0; mad r0, r0, v1, v0; mov o0, r0"), want: Proved},
	{name: "float counter unrolled", before: psKernel("mov r0, v0; mov r1.x, l2.x; whileloop; breakc_relop(ge) r1.x, l2.z; mul r0, r0, v1; add r1.x, r1.x, l2.w; endloop; mov o0, r0"),
		after: psKernel("mul r0, v0, v1; mul r0, r0, v1; mul r0, r0, v1; mul o0, r0, v1"), want: Proved},
	{name: "loop with unknown trips", before: psKernel("mov r0, v0; mov r1.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; mul r0, r0, v1; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"),
		after: psKernel("mov r5, l0.x; mov r6, v0; whileloop; ilt r5.w, r5.y, r11.z; break_logicalz r5.w; mul r6, v1, r6; iadd r5.y, l0.y, r5.y; endloop; mov o0, r6"), want: Proved},
	{name: "index chain in a loop", before: psKernel("mov r0, v0; mov r1.x, l0.x; mov r2.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; iadd r3.x, r2.x, l0.y; iadd r3.y, r3.x, l0.y; add r0, r0, cb0[r3.y]; iadd r2.x, r2.x, l1.x; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"),
		after: psKernel("mov r0, v0; mov r1.x, l0.x; mov r2.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; mov r3.x, r2.x; add r0, r0, cb0[r3.x+2]; iadd r2.x, r2.x, l0.w; iadd r2.x, r2.x, l0.y; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"), want: Proved},
	{name: "invariant hoisted", before: psKernel("mov r0, v0; mov r1.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; mul r2, v0, v1; add r0, r0, r2; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"),
		after: psKernel("mov r0, v0; mov r1.x, l0.x; mul r2, v0, v1; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; add r0, r0, r2; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"), want: Proved},
	{name: "nested loops renamed", before: psKernel("mov r0, v0; mov r1, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; mov r2.x, l0.x; whileloop; ige r2.y, r2.x, r1.x; break_logicalnz r2.y; mad r0, r0, v1, v0; iadd r2.x, r2.x, l0.y; endloop; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"),
		after: psKernel("mov r7, v0; mov r5, l0.x; whileloop; ige r6.y, r5.x, r11.z; break_logicalnz r6.y; mov r6.x, l0.x; whileloop; ilt r6.y, r6.x, r5.x; break_logicalz r6.y; mad r7, r7, v1, v0; iadd r6.x, r6.x, l0.y; endloop; iadd r5.x, r5.x, l0.y; endloop; mov o0, r7"), want: Proved},
	{name: "loop that runs once", before: psKernel("mov r0, v0; whileloop; mul r0, r0, v1; break; endloop; mov o0, r0"),
		after: psKernel("mul o0, v0, v1"), want: Proved},
	{name: "breaks joined", before: psKernel("mov r0, v0; mov r1.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; lt r1.z, r0.x, v1.x; break_logicalnz r1.z; mul r0, r0, v1; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"),
		after: psKernel("mov r0, v0; mov r1.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; lt r1.z, r0.x, v1.x; ior r1.y, r1.z, r1.y; break_logicalnz r1.y; mul r0, r0, v1; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"), want: Proved},
	{name: "continue", before: psKernel("mov r0, v0; mov r1.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; iadd r1.x, r1.x, l0.y; lt r1.z, r0.x, v1.x; continue_logicalnz r1.z; mul r0, r0, v1; endloop; mov o0, r0"),
		after: psKernel("mov r0, v0; mov r1.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; iadd r1.x, r1.x, l0.y; lt r1.z, r0.x, v1.x; if_logicalz r1.z; mul r0, r0, v1; endif; endloop; mov o0, r0"), want: Proved},

	// The proof by terms: memory.
	{name: "loads exchanged", before: csKernel("mov r2, g[r10.x]; mov r3, g[r10.x+1]; sub r2, r2, r3; mov g[r10.x], r2"),
		after: csKernel("mov r3, g[r10.x+1]; mov r2, g[r10.x]; sub r2, r2, r3; mov g[r10.x], r2"), want: Proved},
	{name: "stores to different memories exchanged", before: csKernel("mov g[r10.x], r0; lds_store_id(1) r10.x, r1.x"),
		after: csKernel("lds_store_id(1) r10.x, r1.x; mov g[r10.x], r0"), want: Proved},
	{name: "array of temporaries resolved",
		before: csKernel("mov x0[0], r0; mov x0[1].xy, r1; mov x0[1].zw, r0; mov r2, x0[1]; add r2, r2, x0[0]; mov g[r10.x], r2"),
		after:  csKernel("mov r2.xy, r1; mov r2.zw, r0; add r2, r2, r0; mov g[r10.x], r2"), want: Proved},
	{name: "address by offset", before: csKernel("ishl r2.x, r10.x, l0.z; iadd r2.x, r2.x, l0.y; mov g[r2.x], r0"),
		after: csKernel("imul r2.x, r10.x, l1.x; mov g[r2.x+1], r0"), want: Proved},
	{name: "barriers kept", before: csKernel("ishl r2.x, r11.x, l0.z; lds_store_id(1) r2.x, r0.x; fence_threads_lds; ixor r3.x, r2.x, l1.x; lds_load_id(1) r4.x, r3.x; mov g[r10.x], r4.x"),
		after: csKernel("imul r2.x, r11.x, l1.x; lds_store_id(1) r2.x, r0.x; fence_threads_lds; ixor r3.x, l1.x, r2.x; lds_load_id(1) r5.x, r3.x; mov g[r10.x], r5.x"), want: Proved},
	{name: "store that nothing comes to", before: psKernel("mov r2, l0; if_logicalnz r2.y; discard_logicalnz cb0[0].x; else; mov g[r11.x], v0; endif; mov o0, v0"),
		after: psKernel("discard_logicalnz cb0[0].x; mov o0, v0"), want: Proved},
	{name: "store that no path comes to", before: psKernel("mov r2, l0; if_logicalnz cb0[0].y; if_logicalnz r2.y; discard_logicalnz cb0[0].x; else; mov g[r11.x], v0; endif; endif; mov o0, v0"),
		after: psKernel("if_logicalnz cb0[0].y; discard_logicalnz cb0[0].x; endif; mov o0, v0"), want: Proved},
	{name: "discards joined", before: psKernel("lt r0.x, v0.x, v1.x; lt r0.y, v0.y, v1.y; discard_logicalnz r0.x; discard_logicalnz r0.y; mov o0, v0"),
		after: psKernel("lt r0.y, v0.y, v1.y; lt r0.x, v0.x, v1.x; discard_logicalnz r0.y; discard_logicalnz r0.x; mov o0, v0"), want: Proved},

	// The field proof.
	{name: "mad split", before: psKernel("mad o0, v0, v1, v0"), after: psKernel("mul r0, v0, v1; add o0, r0, v0"),
		want: ProvedReal},
	{name: "minus zero is added", before: psKernel("mov r0.x, l0.x; add o0, v0, r0.x_neg(xyzw)"),
		after: psKernel("add o0, v0, l0.x"), want: ProvedReal},
	{name: "mad fused", before: psKernel("mad o0, v0, v1, v0"), after: psKernel("fma o0, v0, v1, v0"), want: ProvedReal},
	{name: "sum reassociated in a loop", before: psKernel("mov r0, v0; mov r1.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; add r0, r0, v0; add r0, r0, v1; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"),
		after: psKernel("mov r0, v0; mov r1.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; add r2, v0, v1; add r0, r0, r2; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"), want: ProvedReal},
	{name: "float and integer chains", before: psKernel("iadd r0.x, r11.x, l0.y; iadd r0.x, r0.x, l0.y; add r1, v0, cb0[r0.x]; add o0, r1, v1"), after: psKernel("mov r0.x, r11.x; add r1, v1, cb0[r0.x+2]; add o0, r1, v0"), want: ProvedReal},
	// Until r2.x is found to vary, one version leaves the first loop with the value with which the other one
	// entered it.
	{name: "loop that begins where another one ends", before: psKernel(stepsByOne), after: psKernel(stepsByTwo),
		want: ProvedReal},
	{name: "loop that begins where another one ends, a step too far", before: psKernel(stepsByOne),
		after: psKernel(strings.Replace(stepsByTwo, "add r2.x, r2.y, l2.y; ige r1.y, r1.x, r11.z; break_logicalnz r1.y;",
			"ige r1.y, r1.x, r11.z; break_logicalnz r1.y; add r2.x, r2.y, l2.y;", 1)), want: Refuted},

	// Loops that do not match.
	{name: "unrolled with a rest", before: psKernel("mov r0, v0; mov r1.x, l0.x;" + loopByOne + "mov o0, r0"),
		after: psKernel("mov r0, v0; mov r1.x, l0.x;" + loopByTwo + loopByOne + "mov o0, r0"),
		want:  Tested, why: "few trips"},
	{name: "unrolled without a rest", before: psKernel("mov r0, v0; mov r1.x, l0.x;" + loopByOne + "mov o0, r0"),
		after: psKernel("mov r0, v0; mov r1.x, l0.x;" + loopByTwo + "mov o0, r0"),
		want:  Refuted},
	{name: "trips that depend on data", before: psKernel("mov r0, v0; whileloop; lt r1.x, r0.x, l2.y; break_logicalz r1.x; add r0, r0, l2.w; endloop; mov o0, r0"),
		after: psKernel("mov r0, v0; whileloop; lt r1.x, r0.x, l2.y; break_logicalz r1.x; add r0, r0, l2.w; lt r1.x, r0.x, l2.y; break_logicalz r1.x; add r0, r0, l2.w; endloop; mov o0, r0"), want: Proved},

	// Changes that executions do not show are not tested.
	{name: "a statement that no execution reaches",
		before: psKernel("mov r0, v0; mov r1.x, l0.x;" + loopByOne + neverTaken +
			"mov o0, r0"), after: psKernel("mov r0, v0; mov r1.x, l0.x;" + loopByTwo + loopByOne + neverTaken + "mov o0, r0"),
		want: Unknown, why: "no execution reached"},
	{name: "unrolled with a rest, a fence less",
		before: csKernel("mov r2, r0; mov r3.x, l0.x; fence_lds; fence_memory;" + groupByOne + "mov g[r10.x], r2"),
		after: csKernel("mov r2, r0; mov r3.x, l0.x; fence_lds;" + groupByTwo + groupByOne +
			"mov g[r10.x], r2"), want: Unknown},
	{name: "unrolled with a rest, fences", before: csKernel("mov r2, r0; mov r3.x, l0.x; fence_lds; fence_memory;" +
		groupByOne + "mov g[r10.x], r2"),
		after: csKernel("mov r2, r0; mov r3.x, l0.x; fence_lds; fence_memory;" + groupByTwo + groupByOne +
			"mov g[r10.x], r2"), want: Tested},
	{name: "unrolled with a rest, a load from a cache",
		before: csKernel("mov r2, r0; mov r3.x, l0.x; uav_raw_load_id(0) r4, r10.x;" + groupByOne +
			"mov g[r10.x], r2; mov g[r10.x+64], r4"),
		after: csKernel("mov r2, r0; mov r3.x, l0.x; uav_raw_load_id(0)_cached r4, r10.x;" + groupByTwo + groupByOne +
			"mov g[r10.x], r2; mov g[r10.x+64], r4"), want: Unknown},
	{name: "unrolled with a rest, another sampler",
		before: psKernel("mov r0, v0; mov r1.x, l0.x; sample_resource(1)_sampler(0) r2, v0.xy;" + loopByOne +
			"add o0, r0, r2"),
		after: psKernel("mov r0, v0; mov r1.x, l0.x; sample_resource(1)_sampler(1) r2, v0.xy;" + loopByTwo + loopByOne +
			"add o0, r0, r2"), want: Unknown},
	{name: "an exit that is never taken", before: psKernel("mov r0, v0; mov r1.x, l0.x;" + never + loopByOne +
		"mov o0, r0"),
		after: psKernel("mov r0, v0; mov r1.x, l0.x;" + never +
			strings.Replace(loopByTwo, "mad", "break_logicalnz r5.x; mad", 1) + loopByOne +
			"mov o0, r0"), want: Unknown, why: "if statement 30:2 of after were one whose condition never holds"},
	{name: "a choice that falls one way", before: psKernel("mov r0, v0; mov r1.x, l0.x;" + never + loopByOne +
		"cmov_logical o0, r5.x, v1, r0"),
		after: psKernel("mov r0, v0; mov r1.x, l0.x;" + never + loopByTwo + loopByOne +
			"cmov_logical o0, r5.x, v1, r0"), want: Unknown, why: "of before were one whose condition never holds"},
	{name: "a choice that falls both ways",
		before: psKernel("mov r0, v0; mov r1.x, l0.x; lt r5.x, v0.x, v1.x;" + loopByOne + "cmov_logical o0, r5.x, v1, r0"),
		after: psKernel("mov r0, v0; mov r1.x, l0.x; lt r5.x, v0.x, v1.x;" + loopByTwo + loopByOne +
			"cmov_logical o0, r5.x, v1, r0"), want: Tested, why: "few trips"},

	// Refusals.
	{name: "literal changed", before: psKernel("mul o0, v0, l2.z"), after: psKernel("mul o0, v0, l2.w"), want: Refuted},
	{name: "difference turned round", before: psKernel("sub o0, v0, v1"), after: psKernel("sub o0, v1, v0"),
		want: Refuted},
	{name: "lane lost", before: psKernel("mov o0, v0; mov o0.z, v1"), after: psKernel("mov o0, v0"), want: Refuted},
	{name: "output gone", before: psKernel("mov o0, v0; mov o1, v1"), after: psKernel("mov o0, v0"), want: Refuted},
	{name: "store lost", before: csKernel("mov g[r10.x], r0"), after: csKernel("mov r0, r10"), want: Refuted},
	{name: "store elsewhere", before: csKernel("mov g[r10.x], r0"), after: csKernel("mov g[r10.x+1], r0"), want: Refuted},
	{name: "stores to one element exchanged", before: csKernel("mov g[r10.x], r0; mov g[r10.x], r1"),
		after: csKernel("mov g[r10.x], r1; mov g[r10.x], r0"), want: Refuted},
	{name: "load before the store", before: csKernel("mov g[r10.x], r0; mov r2, g[r10.x]; mov g[r10.x+64], r2"),
		after: csKernel("mov r2, g[r10.x]; mov g[r10.x], r0; mov g[r10.x+64], r2"), want: Refuted},
	{name: "barrier lost", before: csKernel("ishl r2.x, r11.x, l0.z; lds_store_id(1) r2.x, r0.x; fence_threads_lds; ixor r3.x, r2.x, l0.z; lds_load_id(1) r4.x, r3.x; mov g[r10.x], r4.x"),
		after: csKernel("ishl r2.x, r11.x, l0.z; lds_store_id(1) r2.x, r0.x; ixor r3.x, r2.x, l0.z; lds_load_id(1) r4.x, r3.x; mov g[r10.x], r4.x"), want: Unknown},
	{name: "barrier that separates nothing", before: csKernel("ishl r2.x, r11.x, l0.z; lds_store_id(1) r2.x, r0.x; fence_threads_lds; lds_load_id(1) r4.x, r2.x; mov g[r10.x], r4.x"),
		after: csKernel("ishl r2.x, r11.x, l0.z; lds_store_id(1) r2.x, r0.x; lds_load_id(1) r4.x, r2.x; mov g[r10.x], r4.x"), want: Proved},
	{name: "barrier taken into a branch", before: csKernel("ishl r2.x, r11.x, l0.z; lds_store_id(1) r2.x, r0.x; fence_threads_lds; lds_load_id(1) r4.x, r2.x; mov g[r10.x], r4.x"),
		after: csKernel("ishl r2.x, r11.x, l0.z; lds_store_id(1) r2.x, r0.x; ult r5.x, r11.x, l3.w; if_logicalnz r5.x; fence_threads_lds; endif; lds_load_id(1) r4.x, r2.x; mov g[r10.x], r4.x"), want: Unknown},
	{name: "atomic repeated", before: csKernel("uav_add_id(0) l0.x, l0.y"),
		after: csKernel("uav_add_id(0) l0.x, l0.y; uav_add_id(0) l0.x, l0.y"), numerics: "bits", want: Refuted},
	{name: "discard turned round", before: psKernel("lt r0.x, v0.x, v1.x; discard_logicalnz r0.x; mov o0, v0"),
		after: psKernel("lt r0.x, v0.x, v1.x; discard_logicalz r0.x; mov o0, v0"), want: Refuted},
	{name: "discard lost", before: psKernel("lt r0.x, v0.x, l2.w; discard_logicalnz r0.x; mov o0, v0"),
		after: psKernel("mov o0, v0"), want: Refuted},
	{name: "condition not a number", before: psKernel("lt r0.x, v0.x, v1.x; cmov_logical o0, r0.x, v0, v1"),
		after: psKernel("ge r0.x, v0.x, v1.x; cmov_logical o0, r0.x, v1, v0"), numerics: "bits", want: Refuted},
	{name: "signed for unsigned", before: psKernel("iadd r0.x, r11.x, l1.w; ilt r0.x, r0.x, l0.z; mov o0, r0.x"),
		after: psKernel("iadd r0.x, r11.x, l1.w; ult r0.x, r0.x, l0.z; mov o0, r0.x"), want: Refuted},
	{name: "one trip more", before: psKernel("mov r0, v0; mov r1.x, l0.x;" + loopByOne + "mov o0, r0"),
		after: psKernel("mov r0, v0; mov r1.x, l1.w;" + loopByOne + "mov o0, r0"), want: Refuted},
	{name: "tested after the first trip", before: psKernel("mov r0, v0; mov r1.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; mul r0, r0, v1; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"),
		after: psKernel("mov r0, v0; mov r1.x, l0.x; whileloop; mul r0, r0, v1; iadd r1.x, r1.x, l0.y; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; endloop; mov o0, r0"), want: Refuted},
	{name: "parameters drift apart", before: psKernel("mov r0, v0; mov r2, v0; mov r1.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; mul r0, r0, v1; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"),
		after: psKernel("mov r0, v0; mov r2, v0; mov r1.x, l0.x; whileloop; ige r1.y, r1.x, r11.z; break_logicalnz r1.y; mul r0, r2, v1; add r2, r2, v1; iadd r1.x, r1.x, l0.y; endloop; mov o0, r0"), want: Refuted},
	{name: "halves of doubles mixed", before: psKernel("mov r0, v0; mov r1, v1; dadd r2.xy, r0.xy, r1.xy; mov o0, r2.xyxy"),
		after: psKernel("mov r0, v0; mov r1, v1; mov r3.x, r0.x; mov r3.y, r1.y; mov r4.x, r1.x; mov r4.y, r0.y; dadd r2.xy, r3.xy, r4.xy; mov o0, r2.xyxy"), numerics: "bits", want: Refuted},
	{name: "integer that is no float", before: psKernel("mov o0, l3.y"), after: psKernel("mov o0, l0.x"), want: Unknown},
	{name: "integer that is no float, bit by bit", before: psKernel("mov o0, l3.y"), after: psKernel("mov o0, l0.x"),
		numerics: "bits", want: Refuted},
	{name: "integers far apart that look alike in the field", before: psKernel("mov o0, l0.y"),
		after: psKernel("dcl_literal l9, 0x13800000, 0, 0, 0; mov o0, l9.x"), want: Refuted},
	{name: "doubled and halved", before: psKernel("ishl r0.x, r11.x, l0.y; ushr r0.x, r0.x, l0.y; mov o0, r0.x"),
		after: psKernel("mov o0, r11.x"), want: Unknown},
	{name: "equality of doubles", before: psKernel("ishl r0.xy, r11, l0.y; ieq r0.x, r0.x, r0.y; mov o0, r0.x"),
		after: psKernel("ieq r0.x, r11.x, r11.y; mov o0, r0.x"), want: Unknown},
	{name: "sampled with levels in a branch",
		before: psKernel("sample_resource(1)_sampler(1) r0, v0.xy; mov r1, v1; if_logicalnz r11.x; mov r1, r0; endif; mov o0, r1"),
		after:  psKernel("mov r1, v1; if_logicalnz r11.x; sample_resource(1)_sampler(1) r1, v0.xy; endif; mov o0, r1"), want: Unknown},
	{name: "work group changed", before: csKernel("mov g[r10.x], r0"),
		after: strings.Replace(csKernel("mov g[r10.x], r0"), "group 64", "group 32",
			1), want: Unknown, why: "form: dcl_num_thread_per_group"},
	{name: "resource changed", before: psKernel("sample_resource(0)_sampler(0) o0, v0.xy"),
		after: strings.Replace(psKernel("sample_resource(0)_sampler(0) o0, v0.xy"), "2d,unnorm", "2d",
			1), want: Unknown, why: "form: dcl_resource"},
	{name: "other kind of kernel", before: csKernel("mov g[r10.x], r0"), after: psKernel("mov o0, v0"), want: Unknown,
		why: "kinds"},

	// The verdict depends on the class.
	{name: "mad split under terms", before: psKernel("mad o0, v0, v1, v0"),
		after: psKernel("mul r0, v0, v1; add o0, r0, v0"), numerics: "terms", want: Unknown, why: "terms"},
	{name: "mad split under bits", before: psKernel("mad o0, v0, v1, v0"),
		after: psKernel("mul r0, v0, v1; add o0, r0, v0"), numerics: "bits", want: Tested},
	{name: "mad split under bits, a choice that falls one way",
		before: psKernel(never + "mad r0, v0, v1, v0; cmov_logical o0, r5.x, v1, r0"), after: psKernel(never +
			"mul r0, v0, v1; add r0, r0, v0; cmov_logical o0, r5.x, v1, r0"), numerics: "bits", want: Tested},
	{name: "mad fused under bits", before: psKernel("mad o0, v0, v1, v0"), after: psKernel("fma o0, v0, v1, v0"),
		numerics: "bits", want: Refuted},

	// Kernels that cannot be lifted are executed.
	{name: "not understood", before: csKernel("memexport_stream(0)_offset(0) r10.x, r0; mov g[r10.x], r0"),
		after: csKernel("memexport_stream(0)_offset(0) r10.x, r0; mov r2, r0; mov g[r10.x], r2"), want: Unknown},
}

func TestCheckKernel(t *testing.T) {
	t.Parallel()
	for i, c := range kernelCases {
		t.Run(c.name, func(t *testing.T) {
			before, after := parseKernel(t, c.before), parseKernel(t, c.after)
			o := optionsOf(t, c.numerics)
			for _, o.Effort = range efforts(i) {
				o.Budget = allotted(o.Effort)
				checkReport(t, CheckKernel(before, after, o), o.Effort, c.want, c.why)
			}
		})
	}
}

// TestUnrun checks that Unrun is set if before has a statement that cannot be executed, so that no other
// after would do better. It is not set if only after has one.
func TestUnrun(t *testing.T) {
	t.Parallel()
	const head = "il_cs_2_0; dcl_num_thread_per_group 64; dcl_lds_size_per_thread 4; dcl_lds_sharing_mode _wavefrontRel; mov r0, vaTid.x; lds_write_vec mem, r0;"
	exchanged := parseKernel(t, head+"lds_read_vec_neighborExch r2, r0.xyxy; mov g[r0.x], r2; end")
	moved := parseKernel(t, head+"mov r1, r0; lds_read_vec_neighborExch r2, r1.xyxy; mov g[r0.x], r2; end")
	plain := parseKernel(t, head+"lds_read_vec r2, r0.xyxy; mov g[r0.x], r2; end")
	for _, c := range []struct {
		before, after *il.Kernel
		want          bool
	}{{exchanged, moved, true}, {plain, moved, false}} {
		if r := CheckKernel(c.before, c.after, Options{Numerics: Real, Seed: 1}); r.Verdict != Unknown || r.Unrun != c.want {
			t.Errorf("%v (%s), unrun %t, want %t", r.Verdict, r.Why, r.Unrun, c.want)
		}
	}
}
