package spvs

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// prelude declares a fragment program with an integer input %i, a float input %a, a vector input %v, a block %u and an
// output %out. A test adds decorations and types, and the code.
const prelude = `
OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %i %a %v %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %i Location 0
OpDecorate %i Flat
OpDecorate %a Location 1
OpDecorate %v Location 2
OpDecorate %out Location 0
OpDecorate %u DescriptorSet 0
OpDecorate %u Binding 3
OpDecorate %Block Block
OpMemberDecorate %Block 0 Offset 0
OpMemberDecorate %Block 1 Offset 16
OpMemberDecorate %Block 1 RowMajor
OpMemberDecorate %Block 1 MatrixStride 16
OpMemberDecorate %Block 2 Offset 64
OpMemberDecorate %Block 2 ColMajor
OpMemberDecorate %Block 2 MatrixStride 16
OpMemberDecorate %Block 3 Offset 128
OpDecorate %floats ArrayStride 16
DECORATIONS
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v3 = OpTypeVector %float 3
%v4 = OpTypeVector %float 4
%m23 = OpTypeMatrix %v3 2
%m32 = OpTypeMatrix %v2 3
%n0 = OpConstant %int 0
%n1 = OpConstant %int 1
%n2 = OpConstant %int 2
%n3 = OpConstant %int 3
%n4 = OpConstant %int 4
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f2 = OpConstant %float 2
%f3 = OpConstant %float 3
%floats = OpTypeArray %float %n4
%Block = OpTypeStruct %v4 %m23 %m32 %floats
%uni = OpTypePointer Uniform %Block
%uf = OpTypePointer Uniform %float
%uv2 = OpTypePointer Uniform %v2
%uv3 = OpTypePointer Uniform %v3
%um23 = OpTypePointer Uniform %m23
%um32 = OpTypePointer Uniform %m32
%u = OpVariable %uni Uniform
%ii = OpTypePointer Input %int
%if = OpTypePointer Input %float
%iv = OpTypePointer Input %v4
%of = OpTypePointer Output %float
%ff = OpTypePointer Function %float
%fi = OpTypePointer Function %int
%fv3 = OpTypePointer Function %v3
%ffs = OpTypePointer Function %floats
%pf = OpTypePointer Private %float
%i = OpVariable %ii Input
%a = OpVariable %if Input
%v = OpVariable %iv Input
%out = OpVariable %of Output
TYPES
%main = OpFunction %void None %fn
%entry = OpLabel
`

// parts are the texts that a test adds to the prelude.
type parts struct{ decorations, types, code string }

// module assembles a test program.
func module(t *testing.T, p parts) *spirv.Module {
	t.Helper()
	m := unchecked(t, p)
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	return m
}

// unchecked assembles a test program that may exceed the limits of the language.
func unchecked(t *testing.T, p parts) *spirv.Module {
	t.Helper()
	text := strings.Replace(strings.Replace(prelude, "DECORATIONS", p.decorations, 1), "TYPES", p.types, 1) + p.code
	if !strings.Contains(p.code, "OpFunctionEnd") {
		text += "\nOpReturn\nOpFunctionEnd\n"
	}
	m, err := spirv.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// lifted lifts a test program, and compares its results with the interpreter.
func lifted(t *testing.T, p parts) *Program {
	t.Helper()
	m := module(t, p)
	if err := compareRuns(m.Encode(), "test", 16); err != nil {
		t.Error(err)
	}
	program, err := Lift(m, "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Func.Check(); err != nil {
		t.Error(err)
	}
	return program
}

// TestRules lifts small programs, each about one rule, and executes them.
func TestRules(t *testing.T) {
	for name, p := range map[string]parts{
		"phis are read at the same moment": {code: `
%n = OpLoad %int %i
OpBranch %head
%head = OpLabel
%k = OpPhi %int %n0 %entry %k1 %next
%x = OpPhi %float %f1 %entry %y %next
%y = OpPhi %float %f2 %entry %x %next
%more = OpSLessThan %bool %k %n
OpLoopMerge %done %next None
OpBranchConditional %more %next %done
%next = OpLabel
%k1 = OpIAdd %int %k %n1
OpBranch %head
%done = OpLabel
OpStore %out %x`},
		"values leave a loop, with continue and break": {code: `
%sum = OpVariable %ff Function %f0
%n = OpLoad %int %i
%s = OpLoad %float %a
OpBranch %head
%head = OpLabel
%k = OpPhi %int %n0 %entry %k1 %next
OpLoopMerge %done %next None
OpBranch %body
%body = OpLabel
%w = OpConvertSToF %float %k
%odd = OpBitwiseAnd %int %k %n1
%isOdd = OpIEqual %bool %odd %n1
OpSelectionMerge %even None
OpBranchConditional %isOdd %skip %even
%skip = OpLabel
OpBranch %next
%even = OpLabel
%old = OpLoad %float %sum
%new = OpFAdd %float %old %s
OpStore %sum %new
%enough = OpSGreaterThan %bool %k %n
OpSelectionMerge %on None
OpBranchConditional %enough %leave %on
%leave = OpLabel
OpBranch %done
%on = OpLabel
OpBranch %next
%next = OpLabel
%k1 = OpIAdd %int %k %n1
OpBranch %head
%done = OpLabel
%total = OpLoad %float %sum
%r = OpFAdd %float %total %w
OpStore %out %r`},
		"cases fall through, the default between them": {code: `
%x = OpVariable %ff Function %f1
%n = OpLoad %int %i
OpSelectionMerge %done None
OpSwitch %n %other 0 %zero 1 %one 2 %two
%zero = OpLabel
OpStore %x %f2
OpBranch %other
%other = OpLabel
%o = OpLoad %float %x
%o1 = OpFAdd %float %o %f3
OpStore %x %o1
OpBranch %one
%one = OpLabel
%y = OpLoad %float %x
%y1 = OpFMul %float %y %f2
OpStore %x %y1
OpBranch %done
%two = OpLabel
OpStore %x %f0
OpBranch %done
%done = OpLabel
%r = OpLoad %float %x
OpStore %out %r`},
		"functions return early, also out of loops": {types: `
%fnf = OpTypeFunction %float %int %ff`, code: `
%p = OpVariable %ff Function %f1
%n = OpLoad %int %i
%x = OpFunctionCall %float %f %n %p
%y = OpFunctionCall %float %f %n1 %p
%z = OpLoad %float %p
%xy = OpFSub %float %x %y
%r = OpFAdd %float %xy %z
OpStore %out %r
OpReturn
OpFunctionEnd
%f = OpFunction %float None %fnf
%fn1 = OpFunctionParameter %int
%fp = OpFunctionParameter %ff
%l0 = OpLabel
OpBranch %head
%head = OpLabel
%k = OpPhi %int %n0 %l0 %k1 %next
OpLoopMerge %done %next None
OpBranch %body
%body = OpLabel
%ov = OpLoad %float %fp
%ov1 = OpFAdd %float %ov %f2
OpStore %fp %ov1
%hit = OpIEqual %bool %k %fn1
OpSelectionMerge %on None
OpBranchConditional %hit %ret %on
%ret = OpLabel
%kf = OpConvertSToF %float %k
OpReturnValue %kf
%on = OpLabel
%more = OpSLessThan %bool %k %n2
OpBranch %next
%next = OpLabel
%k1 = OpIAdd %int %k %n1
OpBranchConditional %more %head %done
%done = OpLabel
OpReturnValue %f3
OpFunctionEnd`},
		"a callee discards": {types: `
%fnv = OpTypeFunction %void %float`, code: `
%s = OpLoad %float %a
%none = OpFunctionCall %void %f %s
OpStore %out %s
OpReturn
OpFunctionEnd
%f = OpFunction %void None %fnv
%x = OpFunctionParameter %float
%l0 = OpLabel
%low = OpFOrdLessThan %bool %x %f0
OpSelectionMerge %on None
OpBranchConditional %low %kill %on
%kill = OpLabel
OpKill
%on = OpLabel
OpReturn
OpFunctionEnd`},
		"constant arrays have dynamic indices": {types: `
%table = OpConstantComposite %floats %f3 %f1 %f0 %f2`, code: `
%t = OpVariable %ffs Function %table
%n = OpLoad %int %i
%e = OpAccessChain %ff %t %n
%x = OpLoad %float %e
OpStore %e %f1
%e0 = OpAccessChain %ff %t %n2
%y = OpLoad %float %e0
%r = OpFSub %float %x %y
OpStore %out %r`},
		"components have dynamic indices": {code: `
%t = OpVariable %fv3 Function
%n = OpLoad %int %i
%k = OpBitwiseAnd %int %n %n1
%w = OpLoad %v4 %v
%w3 = OpVectorShuffle %v3 %w %w 0 1 3
OpStore %t %w3
%e = OpAccessChain %ff %t %k
OpStore %e %f3
%whole = OpLoad %v3 %t
%x = OpVectorExtractDynamic %float %whole %k
%ins = OpVectorInsertDynamic %v3 %whole %f2 %k
%y = OpDot %float %ins %whole
%r = OpFAdd %float %x %y
OpStore %out %r`},
		"matrices of rows and of columns": {code: `
%n = OpLoad %int %i
%k = OpBitwiseAnd %int %n %n1
%rows = OpAccessChain %um23 %u %n1
%m = OpLoad %m23 %rows
%cols = OpAccessChain %um32 %u %n2
%q = OpLoad %m32 %cols
%w = OpLoad %v4 %v
%w2 = OpVectorShuffle %v2 %w %w 0 1
%w3 = OpVectorShuffle %v3 %w %w 3 1 2
%mw = OpMatrixTimesVector %v3 %m %w2
%wm = OpVectorTimesMatrix %v2 %w3 %m
%qw = OpMatrixTimesVector %v2 %q %w3
%tq = OpTranspose %m23 %q
%c0 = OpAccessChain %uf %u %n1 %k %n2
%x0 = OpLoad %float %c0
%c1 = OpAccessChain %uv2 %u %n2 %k
%x1 = OpLoad %v2 %c1
%d0 = OpDot %float %mw %w3
%d1 = OpDot %float %wm %qw
%d2 = OpCompositeExtract %float %tq 1 2
%d3 = OpDot %float %x1 %wm
%s0 = OpFAdd %float %d0 %d1
%s1 = OpFAdd %float %d2 %d3
%s2 = OpFAdd %float %s0 %s1
%r = OpFAdd %float %s2 %x0
OpStore %out %r`},
		"dynamic indices of a block": {code: `
%n = OpLoad %int %i
%e = OpAccessChain %uf %u %n3 %n
%x = OpLoad %float %e
%c = OpAccessChain %uf %u %n0 %n
%y = OpLoad %float %c
%r = OpFSub %float %x %y
OpStore %out %r`},
		"values of one side": {code: `
%s = OpLoad %float %a
%low = OpFOrdLessThan %bool %s %f0
OpSelectionMerge %done None
OpBranchConditional %low %kill %good
%kill = OpLabel
OpKill
%good = OpLabel
%x = OpFMul %float %s %f2
OpBranch %done
%done = OpLabel
%r = OpFAdd %float %x %f1
OpStore %out %r`},
		"remainders": {code: `
%n = OpLoad %int %i
%k = OpISub %int %n %n2
%three = OpIMul %int %n3 %n1
%q = OpSDiv %int %k %n2
%r0 = OpSRem %int %k %three
%r1 = OpSMod %int %k %three
%q1 = OpIMul %int %q %n4
%q2 = OpIAdd %int %q1 %r0
%q3 = OpIMul %int %q2 %n4
%q4 = OpIAdd %int %q3 %r1
%f = OpConvertSToF %float %q4
%s = OpLoad %float %a
%fm = OpFMod %float %s %f2
%fr = OpFRem %float %s %f3
%fs = OpFAdd %float %fm %fr
%r = OpFAdd %float %f %fs
OpStore %out %r`},
	} {
		t.Run(name, func(t *testing.T) { lifted(t, p) })
	}
}

// TestUndefined checks that reads of variables before a write are undefined, not zero, and different.
func TestUndefined(t *testing.T) {
	m := module(t, parts{code: `
%x = OpVariable %ff Function
%y = OpVariable %ff Function
%p = OpLoad %float %x
%q = OpLoad %float %y
%r = OpFSub %float %p %q
OpStore %out %r`})
	p, err := Lift(m, "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := p.Func.Outs[0].V.Def
	a, b := in.Src[0][0].V, in.Src[1][0].V
	if a.Kind != ir.Undef || b.Kind != ir.Undef || a == b {
		t.Errorf("the operands are %v and %v", a, b)
	}
}

// TestDecorations checks that decorations of results become marks of instructions.
func TestDecorations(t *testing.T) {
	m := module(t, parts{decorations: "OpDecorate %x NoContraction\nOpDecorate %r RelaxedPrecision", code: `
%s = OpLoad %float %a
%x = OpFMul %float %s %s
%r = OpFAdd %float %x %s
OpStore %out %r`})
	p, err := Lift(m, "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	sum := p.Func.Outs[0].V.Def
	product := sum.Src[0][0].V.Def
	if sum.Mods != ir.Half || sum.Precise || product.Mods != 0 || !product.Precise {
		t.Errorf("the sum has %v and %v, the product %v and %v", sum.Mods, sum.Precise, product.Mods, product.Precise)
	}
}

// TestVolatile checks that accesses to volatile memory are refused: two loads must not become one.
func TestVolatile(t *testing.T) {
	m := module(t, parts{code: `
%p = OpAccessChain %uf %u %n0 %n1
%x = OpLoad %float %p Volatile
OpStore %out %x`})
	if _, err := Lift(m, "", Options{}); err == nil || !strings.Contains(err.Error(), "volatile") {
		t.Errorf("the error is %v", err)
	}
}

// TestConstants checks specialization constants: they are constants of the draw unless a value replaces them.
func TestConstants(t *testing.T) {
	m := module(t, parts{decorations: "OpDecorate %c SpecId 7", types: `
%c = OpSpecConstant %int 3
%d = OpSpecConstantOp %int IMul %c %n2`, code: `
%f = OpConvertSToF %float %d
OpStore %out %f`})
	list := m.SpecConstants()
	if len(list) != 1 || list[0].SpecID != 7 || list[0].Type != spirv.OpTypeInt || list[0].Width != 32 {
		t.Fatalf("the module has the specialization constants %v", list)
	}
	for _, given := range []map[spirv.ID]uint32{nil, {list[0].ID: 5}} {
		m := m.Specialize(given)
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		p, err := Lift(m, "", Options{})
		if err != nil {
			t.Fatal(err)
		}
		product := p.Func.Outs[0].V.Def.Src[0][0].V.Def
		c := product.Src[0][0].V
		if given == nil && (c.Kind != ir.Uniform || c.Home.File != SpecConst) {
			t.Errorf("the constant is %v of %v", c.Kind, c.Home)
		} else if given != nil && (c.Kind != ir.Literal || c.Bits != 5) {
			t.Errorf("the constant is %v %d", c.Kind, c.Bits)
		}
	}
}

// TestLeaves checks the registers of a block: equal for both stages, and by byte offset.
func TestLeaves(t *testing.T) {
	m := module(t, parts{code: `
%p = OpAccessChain %uf %u %n1 %n1 %n2
%x = OpLoad %float %p
OpStore %out %x`})
	p, err := Lift(m, "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Column 1 of row 2: 16 bytes to the member, 32 to the row, and 4 to the column.
	want := ir.Reg{File: firstBlock, Index: 3, Comp: 1}
	if v := p.Func.Outs[0].V; v.Kind != ir.Uniform || v.Home != want {
		t.Errorf("the leaf is %v of %v, not of %v", v.Kind, v.Home, want)
	}
}
