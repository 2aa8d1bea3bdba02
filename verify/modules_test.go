package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify"
)

// fragmentModule returns a fragment module with the inputs a, b (floats), t (two floats), i (integer), a uniform block
// and a texture, and the outputs of and oi.
func fragmentModule(t *testing.T, decorations, body string) *spirv.Module {
	t.Helper()
	return parseModule(t, fragmentText(decorations, body))
}

func fragmentText(decorations, body string) string {
	return `OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %a %b %t %i %of %oi
OpExecutionMode %main OriginUpperLeft
OpDecorate %a Location 0
OpDecorate %b Location 1
OpDecorate %t Location 2
OpDecorate %i Location 3
OpDecorate %i Flat
OpDecorate %of Location 0
OpDecorate %oi Location 1
OpDecorate %Blk Block
OpMemberDecorate %Blk 0 Offset 0
OpDecorate %ub DescriptorSet 0
OpDecorate %ub Binding 0
OpDecorate %tex DescriptorSet 0
OpDecorate %tex Binding 1
` + decorations + moduleTypes + `
%a = OpVariable %pif Input
%b = OpVariable %pif Input
%t = OpVariable %piv2 Input
%i = OpVariable %pii Input
%of = OpVariable %pof Output
%oi = OpVariable %poi Output
%main = OpFunction %void None %fn
%entry = OpLabel
` + body + `
OpReturn
OpFunctionEnd
`
}

// vertexModule returns a vertex module with the input p and the varying q, which has the given type.
func vertexModule(t *testing.T, decorations, varying, body string) *spirv.Module {
	t.Helper()
	return parseModule(t, `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %p %pos %q
OpDecorate %p Location 0
OpDecorate %pos BuiltIn Position
OpDecorate %q Location 0
OpDecorate %Blk Block
OpMemberDecorate %Blk 0 Offset 0
OpDecorate %ub DescriptorSet 0
OpDecorate %ub Binding 0
OpDecorate %tex DescriptorSet 0
OpDecorate %tex Binding 1
`+decorations+moduleTypes+`
%p = OpVariable %piv4 Input
%pos = OpVariable %pov4 Output
%q = OpVariable `+varying+` Output
%main = OpFunction %void None %fn
%entry = OpLabel
%pp = OpLoad %v4 %p
OpStore %pos %pp
%px = OpCompositeExtract %float %pp 0
%py = OpCompositeExtract %float %pp 1
`+body+`
OpReturn
OpFunctionEnd
`)
}

const moduleTypes = `%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%bool = OpTypeBool
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%pif = OpTypePointer Input %float
%pii = OpTypePointer Input %int
%piv2 = OpTypePointer Input %v2
%piv4 = OpTypePointer Input %v4
%pof = OpTypePointer Output %float
%poi = OpTypePointer Output %int
%pov2 = OpTypePointer Output %v2
%pov4 = OpTypePointer Output %v4
%pff = OpTypePointer Function %float
%img = OpTypeImage %float 2D 0 0 0 1 Unknown
%simg = OpTypeSampledImage %img
%puc = OpTypePointer UniformConstant %simg
%tex = OpVariable %puc UniformConstant
%Blk = OpTypeStruct %float
%puB = OpTypePointer Uniform %Blk
%poB = OpTypePointer Output %Blk
%puf = OpTypePointer Uniform %float
%ub = OpVariable %puB Uniform
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f2 = OpConstant %float 2
%f3 = OpConstant %float 3
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%i2 = OpConstant %int 2
%i3 = OpConstant %int 3
`

func parseModule(t *testing.T, text string) *spirv.Module {
	t.Helper()
	m, err := spirv.Parse("module.spvasm", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const (
	loadFloats = "%x = OpLoad %float %a\n%y = OpLoad %float %b\n"
	loadInt    = "%n = OpLoad %int %i\n"
)

// TestCheckModules compares two bodies of a fragment program.
func TestCheckModules(t *testing.T) {
	for _, c := range []struct {
		name, decorations, before, after string
		want                             verify.Verdict
	}{
		{"swapped operands", "", loadFloats + "%s = OpFAdd %float %x %y\nOpStore %of %s", loadFloats + "%s = OpFAdd %float %y %x\nOpStore %of %s", verify.Proved},
		{"distributed product", "", loadFloats + `%s = OpFAdd %float %x %y
%r = OpFMul %float %s %f2
OpStore %of %r`, loadFloats + `%u = OpFMul %float %x %f2
%v = OpFMul %float %y %f2
%r = OpFAdd %float %u %v
OpStore %of %r`, verify.ProvedReal},
		{"contracted product", "OpDecorate %u NoContraction\n", loadFloats + `%u = OpFMul %float %x %y
%r = OpFAdd %float %u %y
OpStore %of %r`, loadFloats + `%u = OpExtInst %float %glsl Fma %x %y %y
OpStore %of %u`, verify.Unknown},
		{"other sum", "", loadFloats + "%s = OpFAdd %float %x %y\nOpStore %of %s", loadFloats + "%s = OpFSub %float %x %y\nOpStore %of %s", verify.Refuted},
		{"complements", "", loadInt + "%r = OpIAdd %int %n %i3\nOpStore %oi %r", loadInt + `%m = OpNot %int %n
%k = OpISub %int %m %i3
%r = OpNot %int %k
OpStore %oi %r`, verify.Proved},
		{"constant off by one", "", loadInt + "%r = OpIAdd %int %n %i3\nOpStore %oi %r", loadInt + "%r = OpIAdd %int %n %i2\nOpStore %oi %r", verify.Refuted},
		{"undefined value refined", "", "%u = OpUndef %float\nOpStore %of %u", "OpStore %of %f1", verify.Proved},
		{"undefined value added", "", "OpStore %of %f1", "%u = OpUndef %float\nOpStore %of %u", verify.Refuted},
		{"uninitialized variable", "", "%v = OpVariable %pff Function\n%x = OpLoad %float %v\nOpStore %of %x", "OpStore %of %f0", verify.Proved},
		{"dropped kill", "", loadFloats + `%c = OpFOrdLessThan %bool %x %y
OpSelectionMerge %m None
OpBranchConditional %c %k %m
%k = OpLabel
OpKill
%m = OpLabel
OpStore %of %x`, loadFloats + "OpStore %of %x", verify.Refuted},
		{"reached OpUnreachable", "", loadFloats + "%c = OpFOrdLessThan %bool %x %y\nOpSelectionMerge %m None\n" +
			"OpBranchConditional %c %k %m\n%k = OpLabel\nOpBranch %m\n%m = OpLabel", loadFloats +
			"%c = OpFOrdLessThan %bool %x %y\nOpSelectionMerge %m None\nOpBranchConditional %c %k %m\n%k = OpLabel\n" +
			"OpUnreachable\n%m = OpLabel", verify.Unknown},
		{"uniform word", "", `%q = OpAccessChain %puf %ub %i0
%u = OpLoad %float %q
OpStore %of %u`, `%w = OpLoad %Blk %ub
%u = OpCompositeExtract %float %w 0
OpStore %of %u`, verify.Proved},
	} {
		before, after := fragmentModule(t, c.decorations, c.before), fragmentModule(t, c.decorations, c.after)
		r := verify.CheckModules(verify.Modules{before}, verify.Modules{after}, verify.Options{Numerics: ir.Real})
		if r.Verdict != c.want {
			t.Errorf("%s: %v, want %v: %s", c.name, r.Verdict, c.want, r.Why)
		}
	}
}

// TestCheckModulePairs compares pairs whose vertex program changes its varying q.
func TestCheckModulePairs(t *testing.T) {
	uniform := "%g = OpAccessChain %puf %ub %i0\n%u = OpLoad %float %g\n"
	send := func(what string) string { return "OpStore %q " + what }
	for _, c := range []struct {
		name, varying                    string
		vertex, fragment, vertex2, after string
		decorations                      string // of the fragment modules
		want                             verify.Verdict
	}{
		{"affine", "%pof", send("%px"), loadFloats + "%r = OpFMul %float %x %f2\nOpStore %of %r",
			"%r = OpFMul %float %px %f2\n" + send("%r"), loadFloats + "OpStore %of %x", "", verify.ProvedReal},
		{"square", "%pof", send("%px"), loadFloats + "%r = OpFMul %float %x %x\nOpStore %of %r",
			"%r = OpFMul %float %px %px\n" + send("%r"), loadFloats + "OpStore %of %x", "", verify.Refuted},
		{"uniform factor", "%pof", uniform + send("%px"), uniform + loadFloats + "%r = OpFMul %float %x %u\nOpStore %of %r",
			uniform + "%r = OpFMul %float %px %u\n" + send("%r"), loadFloats + "OpStore %of %x", "", verify.ProvedReal},
		{"other component", "%pof", send("%px"), loadFloats + "OpStore %of %x",
			send("%py"), loadFloats + "OpStore %of %x", "", verify.Refuted},
		{"narrowed", "%pov2", "%w = OpCompositeConstruct %v2 %px %py\nOpStore %q %w", "%w = OpLoad %v2 %t\n%x = OpCompositeExtract %float %w 0\nOpStore %of %x",
			send("%px"), "%x = OpLoad %float %a\nOpStore %of %x", "", verify.Unknown},
	} {
		version := func(vertex, fragment, varying string) verify.Modules {
			return verify.Modules{vertexModule(t, "", varying, vertex), fragmentModule(t, c.decorations, fragment)}
		}
		r := verify.CheckModules(version(c.vertex, c.fragment, c.varying), version(c.vertex2, c.after, c.varying),
			verify.Options{Numerics: ir.Real})
		if r.Verdict != c.want {
			t.Errorf("%s: %v, want %v: %s", c.name, r.Verdict, c.want, r.Why)
		}
	}
}

// TestModuleInterface checks that changes of the interface are found, whatever the function does.
func TestModuleInterface(t *testing.T) {
	body := loadFloats + "%s = OpFAdd %float %x %y\nOpStore %of %s"
	before, text := fragmentModule(t, "", body), fragmentText("", body)
	for _, c := range []struct{ what, old, new, want string }{
		{"capability", "OpCapability Shader", "OpCapability Shader\nOpCapability Float16", "capability Float16"},
		{"mode", "OriginUpperLeft", "OriginUpperLeft\nOpExecutionMode %main EarlyFragmentTests", "execution modes"},
		{"location", "Location 1\n", "Location 5\n", "location 5"},
		{"binding", "Binding 0", "Binding 7", ""},
		{"precision", "OpMemberDecorate", "OpDecorate %main RelaxedPrecision\nOpMemberDecorate", "RelaxedPrecision"},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Fatalf("%s: %q is not in the text", c.what, c.old)
		}
		r := verify.CheckModules(verify.Modules{before}, verify.Modules{parseModule(t, changed)}, verify.Options{Numerics: ir.Real})
		if c.want == "" && !r.Verdict.OK() || c.want != "" && (r.Verdict.OK() || !strings.Contains(r.Why, c.want)) {
			t.Errorf("%s: %v: %s", c.what, r.Verdict, fmt.Sprint(r.Why))
		}
	}
}
