package spvs_test

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/spvs"
)

const header = `OpCapability Shader
OpMemoryModel Logical GLSL450
`

// sender writes four components at location 0, flat words at 1, a matrix at 2 and 3, and reads the uniform block 0.0.
const sender = header + `OpEntryPoint Vertex %main "main" %in %a %b %m %pos
OpName %a "texcoord"
OpDecorate %in Location 0
OpDecorate %a Location 0
OpDecorate %b Location 1
OpDecorate %b Flat
OpDecorate %m Location 2
OpDecorate %pos BuiltIn Position
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%m2 = OpTypeMatrix %v2 2
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 7
%pin = OpTypePointer Input %v4
%pout = OpTypePointer Output %v4
%puint = OpTypePointer Output %uint
%pm = OpTypePointer Output %m2
%in = OpVariable %pin Input
%a = OpVariable %pout Output
%b = OpVariable %puint Output
%m = OpVariable %pm Output
%pos = OpVariable %pout Output
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpLoad %v4 %in
%half = OpFMul %v4 %x %x
%xy = OpVectorShuffle %v2 %x %x 0 1
%zw = OpVectorShuffle %v2 %half %x 2 3
%mm = OpCompositeConstruct %m2 %xy %zw
OpStore %a %half
OpStore %b %zero
OpStore %m %mm
OpStore %pos %x
OpReturn
OpFunctionEnd
`

// receiver reads components y and w at location 0, nothing at 1, and the second column of the matrix.
const receiver = header + `OpEntryPoint Fragment %main "main" %a %b %m %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %a Location 0
OpDecorate %b Location 1
OpDecorate %b Flat
OpDecorate %m Location 2
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%m2 = OpTypeMatrix %v2 2
%uint = OpTypeInt 32 0
%pin = OpTypePointer Input %v4
%pout = OpTypePointer Output %v4
%puint = OpTypePointer Input %uint
%pm = OpTypePointer Input %m2
%a = OpVariable %pin Input
%b = OpVariable %puint Input
%m = OpVariable %pm Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpLoad %v4 %a
%y = OpCompositeExtract %float %x 1
%w = OpCompositeExtract %float %x 3
%mm = OpLoad %m2 %m
%c = OpCompositeExtract %v2 %mm 1
%color = OpCompositeConstruct %v4 %y %w %c
OpStore %out %color
OpReturn
OpFunctionEnd
`

// parsePair lifts a vertex and a fragment module.
func parsePair(t *testing.T, vertex, fragment string) *spvs.Pair {
	t.Helper()
	var list []*spvs.Program
	names := spvs.NewNames()
	for i, text := range []string{vertex, fragment} {
		m, err := spirv.Parse([]string{"vertex", "fragment"}[i], []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := spvs.Lift(m, "", spvs.Options{Names: names})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return spvs.NewPair(list[0], list[1], false)
}

// TestRewrittenInterface checks that both modules of a pair get new variables where components went, and that all names
// and decorations of the others stay.
func TestRewrittenInterface(t *testing.T) {
	p := parsePair(t, sender, receiver)
	u := &passes.Unit{Vertex: p.Vertex.Func, Pixel: p.Fragment.Func, Stages: p}
	u = u.Clone()
	if _, err := passes.Run(u, passes.Pipeline{{Pass: codemotion.Varyings}}, passes.Config{}); err != nil {
		t.Fatal(err)
	}
	v, f, relinked := p.Rewritten(u.Vertex, u.Pixel)
	if !relinked {
		t.Fatal("the interface did not change")
	}
	for i, program := range []*spvs.Program{v, f} {
		m := mustEmit(t, program)
		text := string(m.Format())
		if back, err := spirv.Decode("out", m.Encode()); err != nil || back.Check() != nil {
			t.Fatalf("%v, %v\n%s", err, back.Check(), text)
		}
		for what, n := range map[string]int{" Location 0\n": 1 + i, " Location 1\n": 0, " Location 2\n": 0, " Location 3\n": 1, " Flat\n": 0} {
			if i == 0 && what == " Location 0\n" {
				n = 2 // and the attribute
			}
			if got := strings.Count(text, what); got != n {
				t.Errorf("stage %d has %d of %q, want %d:\n%s", i, got, what, n, text)
			}
		}
	}
	if !strings.Contains(string(mustEmit(t, v).Format()), `"texcoord"`) {
		t.Error("the vertex module lost the name of a variable")
	}
}

func mustEmit(t *testing.T, p *spvs.Program) *spirv.Module {
	t.Helper()
	m, err := spvs.Emit(p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLink checks which locations may change: not those that transform feedback observes, or with several variables.
func TestLink(t *testing.T) {
	for _, test := range []struct {
		from, to string
		outputs  int
	}{
		{"", "", 4},
		{"OpDecorate %a Location 0\n", "OpDecorate %a Location 0\nOpDecorate %a XfbBuffer 0\n", 3},
		{"OpDecorate %a Location 0\n", "OpDecorate %a Location 0\nOpDecorate %a Invariant\n", 3},
		{"OpDecorate %b Location 1\nOpDecorate %b Flat\n", "OpDecorate %b Location 2\nOpDecorate %b Component 2\n", 2},
	} {
		p := parsePair(t, strings.Replace(sender, test.from, test.to, 1), strings.Replace(receiver, test.from, test.to, 1))
		l, err := p.Link()
		if err != nil || len(l.Outputs) != test.outputs {
			t.Errorf("with %q: %d outputs may change (%v), want %d", test.to, len(l.Outputs), err, test.outputs)
		}
		for _, k := range l.Links {
			if !k.Shared && k.Linear != (k.In.Index != 1) {
				t.Errorf("location %d: linear is %v", k.In.Index, k.Linear)
			}
		}
		if slots := len(l.Free); slots == 0 || l.Free[0].Out == (ir.Reg{}) {
			t.Errorf("%d free locations", slots)
		}
	}
}

// blockReceiver reads the components x and y at location 0 and the flat word at 1 from a block.
const blockReceiver = header + `OpEntryPoint Fragment %main "main" %in %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %block Block
OpMemberDecorate %block 0 NoPerspective
OpMemberDecorate %block 1 Flat
OpDecorate %in Location 0
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%uint = OpTypeInt 32 0
%block = OpTypeStruct %v4 %uint
%pin = OpTypePointer Input %block
%pout = OpTypePointer Output %v4
%in = OpVariable %pin Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpLoad %block %in
%xy = OpCompositeExtract %v4 %x 0
%n = OpCompositeExtract %uint %x 1
%f = OpConvertUToF %float %n
%v = OpVectorShuffle %v2 %xy %xy 0 1
%color = OpCompositeConstruct %v4 %v %f %f
OpStore %out %color
OpReturn
OpFunctionEnd
`

// TestRewrittenBlock checks that variables in place of a block get the decorations of its members, and that an output
// with another observer stays as it is.
func TestRewrittenBlock(t *testing.T) {
	narrow := strings.Replace(sender, "OpStore %a %half\n", "", 1)
	p := parsePair(t, narrow, blockReceiver)
	_, f, relinked := p.Rewritten(p.Vertex.Func, p.Fragment.Func)
	text := string(mustEmit(t, f).Format())
	if !relinked || !strings.Contains(text, " NoPerspective\n") || !strings.Contains(text, " Flat\n") || strings.Contains(text, " Block\n") {
		t.Errorf("relinked is %v, and the fragment module is\n%s", relinked, text)
	}
	narrow = strings.Replace(narrow, "OpDecorate %a Location 0\n", "OpDecorate %a Location 0\nOpDecorate %a Invariant\n", 1)
	p = parsePair(t, narrow, blockReceiver)
	v, _, _ := p.Rewritten(p.Vertex.Func, p.Fragment.Func)
	if text := string(mustEmit(t, v).Format()); !strings.Contains(text, " Invariant\n") {
		t.Errorf("the output is no longer invariant:\n%s", text)
	}
}
