package verify_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify"
)

// wrongCase is a case of testdata/modules.txt: two versions of a program, and how the check ends.
type wrongCase struct{ name, want, before, after string }

// readWrongCases reads the cases. The first line of a case has its name and the result. Lines with - and + are in one
// version only. The lines of a program come in any order of sections. The lines of the first case belong to every case.
func readWrongCases(t *testing.T) (list []wrongCase) {
	data, err := os.ReadFile("testdata/modules.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split("\n"+string(data), "\n== ")[1:]
	_, common, _ := strings.Cut(cases[0], "\n")
	for _, text := range cases[1:] {
		head, lines, _ := strings.Cut(text, "\n")
		name, want, _ := strings.Cut(head, ": ")
		version := func(mark, other string) string {
			var kept []string
			for _, line := range strings.Split(common+"\n"+lines, "\n") {
				if !strings.HasPrefix(line, other) {
					kept = append(kept, strings.TrimPrefix(line, mark))
				}
			}
			return moduleOfLines(kept)
		}
		list = append(list, wrongCase{name, want, version("-", "+"), version("+", "-")})
	}
	return list
}

// moduleOfLines sorts lines into the sections of a module, and adds the entry point.
func moduleOfLines(lines []string) string {
	var sections [6][]string // capabilities, modes, decorations, global definitions, local variables, body
	stage, ports := "Fragment", ""
	for _, line := range lines {
		id, op, defines := strings.Cut(line, " = ")
		if !defines {
			op = line
		}
		op = strings.TrimSpace(op)
		at := 5
		switch {
		case op == "Vertex":
			stage = op
			continue
		case op == "", strings.HasPrefix(op, "#"):
			continue
		case strings.HasPrefix(op, "OpCapability"), strings.HasPrefix(op, "OpExtension"):
			at = 0
		case strings.HasPrefix(op, "OpExecutionMode"):
			at = 1
		case strings.HasPrefix(op, "OpDecorate"), strings.HasPrefix(op, "OpMemberDecorate"):
			at = 2
		case strings.HasPrefix(op, "OpType"), strings.HasPrefix(op, "OpConstant"), strings.HasPrefix(op, "OpSpecConstant"),
			strings.HasPrefix(op, "OpVariable") && !strings.Contains(op, " Function"):
			at = 3
		case strings.HasPrefix(op, "OpVariable"):
			at = 4
		}
		if f := strings.Fields(op); len(f) > 2 && f[0] == "OpVariable" && (f[2] == "Input" || f[2] == "Output") {
			ports += " " + strings.TrimSpace(id)
		}
		sections[at] = append(sections[at], line)
	}
	if stage == "Fragment" {
		sections[1] = append(sections[1], "OpExecutionMode %main OriginUpperLeft")
	}
	part := func(k int) string { return strings.Join(sections[k], "\n") + "\n" }
	return "OpCapability Shader\n" + part(0) + "%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\n" +
		"OpEntryPoint " + stage + " %main \"main\"" + ports + "\n" + part(1) + part(2) + part(3) +
		"%main = OpFunction %void None %fn\n%entry = OpLabel\n" + part(4) + part(5) + "OpReturn\nOpFunctionEnd\n"
}

// TestWrongModules checks programs with one wrong change each, and some right twins.
func TestWrongModules(t *testing.T) {
	t.Parallel()
	count := map[verify.Verdict]int{}
	for _, c := range readWrongCases(t) {
		before, after := parseModule(t, c.before), parseModule(t, c.after)
		if testcorpus.Whole {
			validateModule(t, c.name, before.Encode())
			validateModule(t, c.name, after.Encode())
		}
		r := verify.CheckModules(verify.Modules{before}, verify.Modules{after}, verify.Options{Numerics: ir.Real})
		verdict, why, _ := strings.Cut(c.want, ", ")
		if count[r.Verdict]++; r.Verdict.String() != verdict || !strings.Contains(r.Why, why) || r.Contradicted {
			t.Errorf("%s: %v, want %s: %s", c.name, r.Verdict, c.want, r.Why)
		}
	}
	t.Log(count)
}

// validateModule checks the rules of SPIR-V, if the validator is installed.
func validateModule(t *testing.T, name string, data []byte) {
	t.Helper()
	tool, err := exec.LookPath("spirv-val")
	if err != nil {
		return
	}
	file := filepath.Join(t.TempDir(), "module.spv")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool, "--target-env", "vulkan1.2", file).CombinedOutput(); err != nil {
		t.Errorf("%s: %s", name, out)
	}
}
