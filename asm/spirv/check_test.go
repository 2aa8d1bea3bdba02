package spirv

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
)

// TestCheckCorpus checks the modules and texts of the corpus, which are valid.
func TestCheckCorpus(t *testing.T) {
	for _, path := range corpus(t) {
		m, err := Decode(path, read(t, path))
		if err == nil {
			err = m.Check()
		}
		if err != nil {
			t.Error(err)
		}
	}
	for _, path := range bugs(t) {
		m, err := Parse(path, read(t, path))
		if err == nil {
			err = m.Check()
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// valid is a module in lines. The tests of Check replace lines of it.
const valid = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpName %main "main"
OpDecorate %out Location 0
%void = OpTypeVoid
%bool = OpTypeBool
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%fn = OpTypeFunction %void
%fn1 = OpTypeFunction %float %float
%v4 = OpTypeVector %float 4
%po = OpTypePointer Output %v4
%pf = OpTypePointer Function %float
%true = OpConstantTrue %bool
%c1 = OpConstant %float 1
%i1 = OpConstant %int 1
%k = OpConstantComposite %v4 %c1 %c1 %c1 %c1
%out = OpVariable %po Output
%half = OpFunction %float None %fn1
%x = OpFunctionParameter %float
%l0 = OpLabel
%y = OpFMul %float %x %c1
OpReturnValue %y
OpFunctionEnd
%main = OpFunction %void None %fn
%l1 = OpLabel
%local = OpVariable %pf Function
%z = OpFunctionCall %float %half %c1
OpSelectionMerge %l3 None
OpBranchConditional %true %l2 %l3
%l2 = OpLabel
OpBranch %l3
%l3 = OpLabel
%p = OpPhi %float %z %l1 %c1 %l2
OpStore %out %k
OpReturn
OpFunctionEnd`

// TestCheck checks variants of a valid module. Each replaces the line that starts with the first text by the second
// text, and names the line and the code of the first diagnostic.
func TestCheck(t *testing.T) {
	for _, c := range []struct{ line, by, want string }{
		{"", "", ""},
		{"OpMemoryModel", "", "0 misplaced-instruction"},
		{"OpMemoryModel", "OpName %main \"a\"\nOpMemoryModel Logical GLSL450", "3 misplaced-instruction"},
		{"OpName", "OpBranch %l1", "4 misplaced-instruction"},
		{"%void", "%void = OpTypeVoid\n%void = OpTypeVoid", "7 duplicate-id"},
		{"%v4", "%v4 = OpTypeVector %l1 4", "12 undefined-id"},
		{"%v4", "%v4 = OpTypeVector %fn 4", "12 wrong-operand"},
		{"%v4", "%v4 = OpTypeVector %float 1", "12 wrong-operand"},
		{"%int", "%int = OpTypeInt 32 1\n%odd = OpTypeInt 31 1", "10 wrong-operand"},
		{"%po", "%po = OpTypePointer Output %other", "13 undefined-id"},
		{"%po", "OpTypeForwardPointer %s Uniform\n%s = OpTypeStruct %s\n%po = OpTypePointer Output %v4", "13 wrong-operand"},
		{"%po", "%s = OpTypeStruct %s\n%po = OpTypePointer Output %v4", "13 undefined-id"},
		{"%po", "%a = OpTypeArray %v4 %void\n%po = OpTypePointer Output %v4", "13 wrong-operand"},
		{"%y", "%y = OpFMul %c1 %x %c1", "23 wrong-operand"},
		{"%half", "%half = OpFunction %float None %fn", "20 wrong-operand"},
		{"%half", "%half = OpFunction %float None %v4", "20 wrong-operand"},
		{"%z", "%z = OpFunctionCall %float %half", "29 wrong-operand"},
		{"%z", "%z = OpFunctionCall %float %c1 %c1", "29 wrong-operand"},
		{"%y", "%y = OpFunctionCall %float %half %x", "23 recursion"},
		{"OpReturnValue", "", "22 unbalanced"},
		{"OpReturnValue", "OpReturnValue %y\nOpReturnValue %y", "25 misplaced-instruction"},
		{"%l0", "", "23 misplaced-instruction"},
		{"%local", "%d = OpFAdd %float %c1 %c1\n%local = OpVariable %pf Function", "29 misplaced-instruction"},
		{"%local", "%local = OpVariable %po Output", "28 wrong-operand"},
		{"OpSelectionMerge", "OpSelectionMerge %l3 None\nOpNoLine", "30 misplaced-instruction"},
		{"OpSelectionMerge", "OpSelectionMerge %c1 None", "30 branch-target"},
		{"OpBranchConditional", "OpBranchConditional %true %l2 %l0", "31 branch-target"},
		{"OpBranch %l3", "OpBranch %l1", "33 branch-target"},
		{"%p ", "%p = OpPhi %float %z %l1", "35 branch-target"},
		{"%p ", "%p = OpPhi %float %z %l1 %c1 %l2 %c1 %l3", "35 branch-target"},
		{"%p ", "OpStore %out %k\n%p = OpPhi %float %z %l1 %c1 %l2", "36 misplaced-instruction"},
		{"OpStore", "OpStore %out %undefined", "36 undefined-id"},
		{"OpStore", "%e = OpTypeVoid", "36 misplaced-instruction"},
		{"OpStore", "OpNoLine\n!0x0001ffff", ""}, // the opcode is unknown
	} {
		if diag := firstDiag(t, replaceLine(t, c.line, c.by)); diag != c.want {
			t.Errorf("%q: %s, want %s", c.by, diag, c.want)
		}
	}
}

// replaceLine replaces the line of the valid module that starts with a text.
func replaceLine(t *testing.T, start, by string) string {
	t.Helper()
	lines := strings.Split(valid, "\n")
	for i, line := range lines {
		if start != "" && strings.HasPrefix(line, start) {
			lines[i] = by
			return strings.Join(lines, "\n")
		}
	}
	if start != "" {
		t.Fatalf("no line starts with %s", start)
	}
	return valid
}

// firstDiag returns the line and the code of the first diagnostic of a text, or "".
func firstDiag(t *testing.T, text string) string {
	t.Helper()
	m, err := Parse("x", []byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var d *asm.Diag
	if err := m.Check(); errors.As(err, &d) {
		return fmt.Sprintf("%d %s", d.Pos.Line, d.Code)
	} else if err != nil {
		t.Fatal(err)
	}
	return ""
}

// TestBinaryPosition checks the position of a diagnostic in a binary, and the fields of its header.
func TestBinaryPosition(t *testing.T) {
	m, err := Parse("x", []byte(replaceLine(t, "%v4", "%v4 = OpTypeVector %float 1")))
	if err != nil {
		t.Fatal(err)
	}
	m, err = Decode("x.spv", m.Encode())
	if err != nil {
		t.Fatal(err)
	}
	const want = "x.spv:+0xa8: instruction 11, OpTypeVector: it has 1 components; the count must be from 2 to 16 [wrong-operand]"
	if err := m.Check(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for want, change := range map[string]func(*Module){
		"unknown-version": func(m *Module) { m.Version = 0x20000 }, "universal-limit": func(m *Module) { m.Bound = 1 << 22 },
		"id-range": func(m *Module) { m.Bound = 5 },
	} {
		m := *m
		change(&m)
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestLimits checks modules that exceed a universal limit by one, and modules at the limit.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit int
		text  func(n int) string // of a module with n of them
	}{
		{"members", maxMembers, func(n int) string {
			return replaceLine(t, "%po", "%s = OpTypeStruct"+strings.Repeat(" %float", n)+"\n%po = OpTypePointer Output %v4")
		}},
		{"nesting of structures", maxStructs, func(n int) string {
			text := "%s1 = OpTypeStruct %float\n"
			for i := 2; i <= n; i++ {
				text += fmt.Sprintf("%%s%d = OpTypeStruct %%s%d\n", i, i-1)
			}
			return replaceLine(t, "%po", text+"%po = OpTypePointer Output %v4")
		}},
		{"parameters", maxArguments, func(n int) string {
			return replaceLine(t, "%po", "%s = OpTypeFunction %void"+strings.Repeat(" %float", n)+"\n%po = OpTypePointer Output %v4")
		}},
		{"nesting of control flow", maxNesting, func(n int) string {
			text := "OpStore %out %k\n"
			for i := range n {
				text += fmt.Sprintf("OpSelectionMerge %%m%d None\nOpBranchConditional %%true %%b%d %%m%d\n%%b%d = OpLabel\n", i, i, i, i)
			}
			for i := n - 1; i >= 0; i-- {
				text += fmt.Sprintf("OpBranch %%m%d\n%%m%d = OpLabel\n", i, i)
			}
			return replaceLine(t, "OpStore", text)
		}},
	} {
		if got := firstDiag(t, c.text(c.limit)); got != "" {
			t.Errorf("%d %s: %s", c.limit, c.name, got)
		}
		if got := firstDiag(t, c.text(c.limit+1)); !strings.HasSuffix(got, "universal-limit") {
			t.Errorf("%d %s: %s", c.limit+1, c.name, got)
		}
	}
}
