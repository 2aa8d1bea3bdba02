package spvs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/spvs"
)

// emitted lifts and emits a module. The result is nil if the module does not lift.
func emitted(t *testing.T, m *spirv.Module) *spirv.Module {
	t.Helper()
	p, err := spvs.Lift(m, "", spvs.Options{})
	if err != nil {
		return nil
	}
	out, err := spvs.Emit(p)
	if err != nil {
		t.Errorf("%s: %v", m.Name, err)
		return nil
	}
	return out
}

// validate runs spirv-val on a module. It returns the messages, or "" if the module is valid.
func validate(t *testing.T, tool, environment string, m *spirv.Module) string {
	t.Helper()
	cmd := exec.Command(tool, "--target-env", environment)
	cmd.Stdin = strings.NewReader(string(m.Encode()))
	if out, err := cmd.CombinedOutput(); err != nil {
		return string(out) + err.Error()
	}
	return ""
}

// TestEmitCorpus emits the modules of the corpus without changes. The validator accepts each result if it accepts the
// module, and both have the same outputs.
func TestEmitCorpus(t *testing.T) {
	tool, err := exec.LookPath("spirv-val")
	if err != nil {
		t.Skip("spirv-val (package spirv-tools) is not installed")
	}
	root := testcorpus.Path(t, "corpus/spirv")
	list, err := os.ReadFile(filepath.Join(root, "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(list)), "\n")[1:]
	for _, line := range testcorpus.EveryNth(lines, 10) {
		fields := strings.Split(line, "\t")
		data, err := os.ReadFile(filepath.Join(root, fields[0]))
		if err != nil {
			t.Fatal(err)
		}
		m, err := spirv.Decode(fields[0], data)
		if err != nil {
			t.Fatal(err)
		}
		environment, _, _ := strings.Cut(fields[6], "/")
		if out := emitted(t, m); out != nil {
			if bad := validate(t, tool, environment, out); bad != "" && validate(t, tool, environment, m) == "" {
				t.Errorf("%s: %s", fields[0], bad)
			}
			if bad := difference(t, m, out); bad != "" {
				t.Errorf("%s: %s", fields[0], bad)
			}
		}
	}
}

// TestEmitFiles emits the committed modules. The validator accepts them.
func TestEmitFiles(t *testing.T) {
	files, err := filepath.Glob("../testdata/spirv/*.spv")
	if err != nil || len(files) == 0 {
		t.Fatal("no modules", err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := spirv.Decode(path, data)
		if err != nil {
			t.Fatal(err)
		}
		out := emitted(t, m)
		if out == nil {
			t.Fatalf("%s does not lift", path)
		}
		if err := out.Check(); err != nil {
			t.Error(err)
		}
		if len(out.Insts) > len(m.Insts) {
			t.Errorf("%s: %d instructions instead of %d", path, len(out.Insts), len(m.Insts))
		}
	}
}
