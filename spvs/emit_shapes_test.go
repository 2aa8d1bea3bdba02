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
