package shaderlift_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// walkMain is the program of a new user, with the code of docs/library.md before it.
const walkMain = `func main() {
	report, err := optimizeFolder(context.Background(), "shaders", shaderlift.Options{
		Target: shaderlift.SlotTarget, Pipeline: "same-min,copyprop,combine-alu,dce", Strict: true,
		Hooks: shaderlift.Hooks{Passes: []*passes.Pass{sameMin}}})
	if err != nil {
		fmt.Println(errorText(err))
		return
	}
	for _, res := range report.Results {
		fmt.Println(res.Name, res.Status, res.Verdict(), res.Costs())
	}
}
`

// walkImports are the packages that the code of docs/library.md names.
var walkImports = []string{"context", "errors", "fmt", "math/rand/v2", "path/filepath", "runtime", "sync", "testing",
	"github.com/shaderlift/shaderlift", "github.com/shaderlift/shaderlift/asm", "github.com/shaderlift/shaderlift/asm/d3d9",
	"github.com/shaderlift/shaderlift/ir", "github.com/shaderlift/shaderlift/passes"}

// walk is a folder outside the module, and the record of the steps of a user in it.
type walk struct {
	t                *testing.T
	folder, checkout string
	record           strings.Builder
}

// write writes a file with the needed imports, and records the declarations in it.
func (w *walk) write(name string, code ...string) {
	text, imports := strings.Join(code, "\n"), ""
	fmt.Fprintf(&w.record, "%s: %s\n", name, strings.Join(regexp.MustCompile(`(?m)^(?:func|var) \w+`).FindAllString(text, -1), ", "))
	for _, path := range walkImports {
		name := filepath.Base(strings.TrimSuffix(path, "/v2"))
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(text) {
			imports += fmt.Sprintf("\t%q\n", path)
		}
	}
	if err := os.WriteFile(filepath.Join(w.folder, name), []byte("package main\n\nimport (\n"+imports+")\n\n"+text), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

// run runs a go command without a network and records it, without times.
func (w *walk) run(args ...string) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = w.folder, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	fmt.Fprintln(&w.record, "$ go", strings.ReplaceAll(strings.Join(args, " "), w.checkout, "CHECKOUT"))
	switch {
	case args[0] != "mod":
		w.record.Write(regexp.MustCompile(`(?m)\t\d+\.\d+s$| \(\d+\.\d+s\)`).ReplaceAll(out, nil))
	case err != nil:
		w.t.Fatalf("%v: %s", err, out)
	}
}

// TestLibraryWalk is a new user with nothing but the module and docs/library.md: a folder outside the checkout with a
// batch, a pass and a property test, and then a mistake in the pass. The record is testdata/library/walk.txt.
func TestLibraryWalk(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds several programs")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	w := &walk{t: t, folder: t.TempDir(), checkout: here}
	sums, err := os.ReadFile("go.sum") // the network would have them
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.folder, "go.sum"), sums, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(w.folder, "shaders"), os.DirFS("testdata/library")); err != nil {
		t.Fatal(err)
	}
	pass := exampleDeclaration(t, "sameMin")
	w.run("mod", "init", "example.com/shaders")
	w.run("mod", "edit", "-replace", "github.com/shaderlift/shaderlift="+here)
	w.write("main.go", exampleDeclaration(t, "optimizeFolder"), exampleDeclaration(t, "errorText"), walkMain)
	w.write("pass.go", pass)
	w.write("pass_test.go", exampleDeclaration(t, "TestSameMin"))
	w.run("mod", "tidy")
	w.run("vet", "./...")
	w.run("run", ".")
	w.run("test", "./...")
	wrong := strings.Replace(pass, " && in.Src[0] == in.Src[1]", "", 1)
	w.record.WriteString("\nThe pass without the condition on its operands:\n\n")
	w.write("pass.go", wrong)
	w.run("test", "./...")
	const record = "testdata/library/walk.txt"
	if *updateDocs {
		if err := os.WriteFile(record, []byte(w.record.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), w.record.String()); diff != "" || wrong == pass {
		t.Errorf("the walk is not as recorded (-record +now); -update-docs records it again:\n%s", diff)
	}
}
