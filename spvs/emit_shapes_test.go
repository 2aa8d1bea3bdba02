package spvs

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/spirv"
)

// shapes are code in a fragment program, and the code that emission writes for it. A case ends with the expected body.
const shapes = "testdata/shapes.txt"

// bodyOf returns the code of the last function of a module as text, with single spaces.
func bodyOf(m *spirv.Module) string {
	text := string(m.Format())
	text = text[strings.LastIndex(text, "OpFunction %void"):]
	var out []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, ";") {
			continue
		}
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(out[1:], "\n") + "\n"
}

// TestEmitShapes emits one program for each construct, and compares the code. If UPDATE is set, it writes the file again.
func TestEmitShapes(t *testing.T) {
	data, err := os.ReadFile(shapes)
	if err != nil {
		t.Fatal(err)
	}
	validator, _ := exec.LookPath("spirv-val")
	var file strings.Builder
	for _, c := range strings.Split(string(data), "== ")[1:] {
		head, want, _ := strings.Cut(c, "--\n")
		title, code, _ := strings.Cut(head, "\n")
		m := module(t, parts{code: code})
		p, err := Lift(m, "", Options{})
		if err != nil {
			t.Fatalf("%s: %v", title, err)
		}
		out, err := Emit(p)
		if err != nil {
			t.Fatalf("%s: %v", title, err)
		}
		got := bodyOf(out)
		if got != want && os.Getenv("UPDATE") == "" {
			t.Errorf("%s: the code is\n%s", title, got)
		}
		file.WriteString("== " + title + "\n" + code + "--\n" + got)
		if validator != "" {
			cmd := exec.Command(validator, "--target-env", "vulkan1.0")
			cmd.Stdin = strings.NewReader(string(out.Encode()))
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %s", title, text)
			}
		}
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(shapes, []byte(file.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEmitUndefinedComponent checks that a component of an output that the input does not write stays unwritten.
func TestEmitUndefinedComponent(t *testing.T) {
	const text = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location 0
OpDecorate %out Location 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%v4 = OpTypeVector %float 4
%pi = OpTypePointer Input %v4
%po = OpTypePointer Output %v4
%pf = OpTypePointer Output %float
%n0 = OpConstant %int 0
%n1 = OpConstant %int 1
%in = OpVariable %pi Input
%out = OpVariable %po Output
%main = OpFunction %void None %function
%entry = OpLabel
%x = OpLoad %v4 %in
%s = OpFAdd %v4 %x %x
%a = OpCompositeExtract %float %s 0
%b = OpCompositeExtract %float %s 1
%p = OpAccessChain %pf %out %n0
%q = OpAccessChain %pf %out %n1
OpStore %p %a
OpStore %q %b
OpReturn
OpFunctionEnd
`
	m, err := spirv.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Lift(m, "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := Emit(p)
	if err != nil {
		t.Fatal(err)
	}
	if got := bodyOf(out); strings.Count(got, "OpStore") != 2 || strings.Contains(got, "OpCompositeConstruct") {
		t.Errorf("the code is\n%s", got)
	}
}
