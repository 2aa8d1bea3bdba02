package verify_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify"
)

// TestModuleBugs judges rewrites that compilers got wrong, and their correct variants.
func TestModuleBugs(t *testing.T) {
	t.Parallel()
	dir := testcorpus.Path(t, "corpus/spirv/bugs")
	accepted, right := 0, 0
	for _, set := range []string{"wrong", "right", "pairs/wrong", "pairs/right"} {
		files, _ := filepath.Glob(filepath.Join(dir, set, "*.before*.spvasm"))
		for _, file := range files {
			version := func(stage, when string) *spirv.Module {
				name := strings.Split(file, ".before.")[0] + "." + when + stage + ".spvasm"
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				m, err := spirv.Parse(name, data)
				if err != nil {
					t.Fatal(err)
				}
				return m
			}
			var before, after verify.Modules
			switch {
			case strings.HasSuffix(file, ".frag.spvasm"):
				continue
			case strings.HasSuffix(file, ".vert.spvasm"):
				before = verify.Modules{version(".vert", "before"), version(".frag", "before")}
				after = verify.Modules{version(".vert", "after"), version(".frag", "after")}
			default:
				before, after = verify.Modules{version("", "before")}, verify.Modules{version("", "after")}
			}
			r := verify.CheckModules(before, after, verify.Options{Numerics: ir.Real, Visible: true})
			name := filepath.Base(strings.Split(file, ".before.")[0])
			t.Logf("%s/%s: %v %v %s", set, name, r.Verdict, r.Methods, r.Why)
			switch wrong := strings.HasSuffix(set, "wrong"); {
			case wrong && r.Verdict.OK() || r.Contradicted:
				t.Errorf("%s/%s: %v %v, but it is wrong", set, name, r.Verdict, r.Methods)
			case !wrong && r.Verdict.OK():
				accepted++
				right++
			case !wrong:
				right++
			}
		}
	}
	if t.Logf("%d of %d right ones accepted", accepted, right); accepted*32 < right*29 {
		t.Errorf("%d of %d right ones are accepted", accepted, right)
	}
}

// TestModuleEquivalences judges the results of spirv-opt, as a table of the corpus lists them.
func TestModuleEquivalences(t *testing.T) {
	t.Parallel()
	dir := testcorpus.Path(t, "corpus/spirv")
	tool, err := exec.LookPath("spirv-opt")
	if err != nil {
		t.Skip("spirv-opt is not installed")
	}
	table, err := os.ReadFile(filepath.Join(dir, "EQUIV.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	proved, changed := 0, 0
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		f := strings.Split(line, "\t")
		if f[5] != "no" {
			continue
		}
		args := strings.Fields(f[7])[1:]
		after := filepath.Join(t.TempDir(), "after.spv")
		for i, a := range args {
			switch a {
			case f[0]:
				args[i] = filepath.Join(dir, f[0])
			case "after.spv":
				args[i] = after
			}
		}
		if err := exec.Command(tool, args...).Run(); err != nil {
			continue
		}
		read := func(name string) verify.Modules {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			m, err := spirv.Decode(name, data)
			if err != nil {
				t.Fatal(err)
			}
			return verify.Modules{m}
		}
		r := verify.CheckModules(read(filepath.Join(dir, f[0])), read(after), verify.Options{Numerics: ir.Real})
		relaxed := strings.HasPrefix(f[2], "relaxed")
		switch ok := r.Verdict >= verify.Bounded; {
		case relaxed && r.Verdict.OK():
			t.Errorf("%s %s: %v, but its precision differs", f[0], f[1], r.Verdict)
		case relaxed:
		case ok:
			proved++
			changed++
		default:
			changed++
			t.Logf("%s %s: %v %s", f[0], f[1], r.Verdict, r.Why)
		}
	}
	if t.Logf("%d of %d proved", proved, changed); proved*86 < changed*75 {
		t.Errorf("%d of %d proved", proved, changed)
	}
}
