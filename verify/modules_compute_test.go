package verify_test

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify"
)

// computeModule returns a compute module for work groups of 64 invocations, with the buffer buf of integers, the shared
// array s, the number n of the invocation, pointers p and q to elements n of these, and the element e of buf.
func computeModule(t *testing.T, body string) verify.Modules {
	t.Helper()
	return verify.Modules{parseModule(t, `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn LocalInvocationId
OpDecorate %list ArrayStride 4
OpDecorate %blk BufferBlock
OpMemberDecorate %blk 0 Offset 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%uv3 = OpTypeVector %uint 3
%pid = OpTypePointer Input %uv3
%id = OpVariable %pid Input
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u63 = OpConstant %uint 63
%u64 = OpConstant %uint 64
%acquire = OpConstant %uint 264
%list = OpTypeRuntimeArray %uint
%blk = OpTypeStruct %list
%pub = OpTypePointer Uniform %blk
%puu = OpTypePointer Uniform %uint
%buf = OpVariable %pub Uniform
%array = OpTypeArray %uint %u64
%pwa = OpTypePointer Workgroup %array
%pwu = OpTypePointer Workgroup %uint
%s = OpVariable %pwa Workgroup
%main = OpFunction %void None %fn
%entry = OpLabel
%ids = OpLoad %uv3 %id
%n = OpCompositeExtract %uint %ids 0
%m = OpISub %uint %u63 %n
%p = OpAccessChain %puu %buf %u0 %n
%q = OpAccessChain %pwu %s %n
%r = OpAccessChain %pwu %s %m
%e = OpLoad %uint %p
`+body+"\nOpReturn\nOpFunctionEnd\n")}
}

// TestCheckComputeModules compares compute programs, with shared memory and barriers.
func TestCheckComputeModules(t *testing.T) {
	const barrier = "OpControlBarrier %u2 %u2 %acquire\n"
	const reverse = "OpStore %q %e\n" + barrier + "%x = OpLoad %uint %r\n"
	for _, c := range []struct {
		name, before, after string
		want                verify.Verdict
	}{
		{"swapped operands", reverse + "%y = OpIAdd %uint %x %e\nOpStore %p %y", reverse + "%y = OpIAdd %uint %e %x\nOpStore %p %y",
			verify.Proved},
		{"a load of the stored word", reverse + "%y = OpLoad %uint %p\nOpStore %p %y", reverse + "OpStore %p %e", verify.Unknown},
		{"another element", reverse + "OpStore %p %x", "OpStore %q %e\n" + barrier + "%x = OpLoad %uint %q\nOpStore %p %x", verify.Refuted},
		{"no barrier", reverse + "OpStore %p %x", "OpStore %q %e\n%x = OpLoad %uint %r\nOpStore %p %x", verify.Unknown},
		{"no barrier at the end", reverse + "OpStore %p %x\n" + barrier, reverse + "OpStore %p %x", verify.Unknown},
		{"a load before the barrier", reverse + "OpStore %p %x", "OpStore %q %e\n%x = OpLoad %uint %r\n" + barrier + "OpStore %p %x",
			verify.Unknown},
		{"a store behind the barrier", reverse + "OpStore %p %x", barrier + "OpStore %q %e\n%x = OpLoad %uint %r\nOpStore %p %x",
			verify.Unknown},
		{"other semantics", reverse + "OpStore %p %x", "OpStore %q %e\nOpControlBarrier %u2 %u2 %u0\n%x = OpLoad %uint %r\nOpStore %p %x",
			verify.Unknown},
		{"a barrier under a branch", barrier + "OpStore %p %n", "%l = OpULessThan %bool %n %u2\nOpSelectionMerge %end None\n" +
			"OpBranchConditional %l %then %end\n%then = OpLabel\n" + barrier + "OpBranch %end\n%end = OpLabel\nOpStore %p %n", verify.Unknown},
		{"another operation", "%x = OpAtomicIAdd %uint %q %u2 %u0 %e\nOpStore %p %x", "%x = OpAtomicIAdd %uint %q %u2 %u0 %n\nOpStore %p %x",
			verify.Unknown},
	} {
		r := verify.CheckModules(computeModule(t, c.before), computeModule(t, c.after), verify.Options{Numerics: ir.Real})
		if r.Verdict != c.want || strings.Contains(r.Why, "lift") {
			t.Errorf("%s: %v, want %v: %s", c.name, r.Verdict, c.want, r.Why)
		}
	}
}

// TestAcquire checks that a load behind an atomic with acquire semantics is not proved to equal one before it. Executions
// do not show the difference.
func TestAcquire(t *testing.T) {
	const atomic = "%x = OpAtomicIAdd %uint %q %u2 %acquire %n\n"
	r := verify.CheckModules(computeModule(t, atomic+"%y = OpLoad %uint %p\nOpStore %p %y"), computeModule(t, atomic+"OpStore %p %e"),
		verify.Options{Numerics: ir.Real})
	if r.Verdict != verify.Unknown || !strings.Contains(r.Why, "its semantics order accesses") {
		t.Errorf("%v: %s", r.Verdict, r.Why)
	}
}

// TestWorkgroupSize checks that a constant with the size of work groups stays.
func TestWorkgroupSize(t *testing.T) {
	sized := func(y string) verify.Modules {
		m := computeModule(t, "OpStore %p %n")[0]
		text := strings.Replace(string(m.Format()), "OpDecorate", "OpDecorate %wgs BuiltIn WorkgroupSize\nOpDecorate", 1)
		at := strings.Index(text, "= OpFunction ")
		at = strings.LastIndex(text[:at], "\n") + 1
		return verify.Modules{parseModule(t, text[:at]+"%wgs = OpConstantComposite %v3uint %uint_1 "+y+" %uint_1\n"+text[at:])}
	}
	r := verify.CheckModules(sized("%uint_1"), sized("%uint_2"), verify.Options{Numerics: ir.Real})
	if r.Verdict.OK() || !strings.Contains(r.Why, "WorkgroupSize") {
		t.Errorf("%v: %s", r.Verdict, r.Why)
	}
}

// TestModulePairStages checks that two fragment modules are no pair.
func TestModulePairStages(t *testing.T) {
	a, b := fragmentModule(t, "", "OpStore %of %f1"), fragmentModule(t, "", "OpStore %of %f2")
	r := verify.CheckModules(verify.Modules{a, a}, verify.Modules{b, a}, verify.Options{Numerics: ir.Real})
	if r.Verdict.OK() || !strings.Contains(r.Why, "a pair has") {
		t.Errorf("%v: %s", r.Verdict, r.Why)
	}
}
