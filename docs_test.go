package shaderlift_test

import (
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/passes/suite"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite the example in docs/library.md")

var (
	libraryCode = regexp.MustCompile("(?s)```go\n(.*?)```\n")
	exampleBody = regexp.MustCompile(`(?s)\nfunc Example\(\) \{\n(.*?)\t// Output:\n`)
)

// TestLibraryExample checks that docs/library.md has the package's example.
func TestLibraryExample(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	body := exampleBody.FindSubmatch(source)
	if body == nil {
		t.Fatal("example_test.go has no Example with an output")
	}
	code := strings.ReplaceAll("\n"+string(body[1]), "\n\t", "\n")[1:]
	doc, err := os.ReadFile("docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	at := libraryCode.FindSubmatchIndex(doc)
	if at == nil {
		t.Fatal("docs/library.md has no example")
	}
	if *updateDocs {
		doc = append(append(doc[:at[2]:at[2]], code...), doc[at[3]:]...)
		if err := os.WriteFile("docs/library.md", doc, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(code, string(doc[at[2]:at[3]])); diff != "" {
		t.Errorf("the example in docs/library.md is not that of example_test.go (-example +document); -update-docs rewrites it:\n%s", diff)
	}
}

// TestArchitecture checks that the architecture document has a row for every package and every pass.
func TestArchitecture(t *testing.T) {
	doc, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	named := func(name string) bool { return strings.Contains(string(doc), "| `"+name+"` |") }
	seen := map[string]bool{".": true} // the root is the table's first row
	err = filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		pkg := path.Dir(filepath.ToSlash(file))
		if seen[pkg] || filepath.Ext(file) != ".go" {
			return nil
		}
		seen[pkg] = true
		if !named(pkg) {
			t.Errorf("docs/architecture.md has no row for package %s", pkg)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range suite.Passes {
		if !strings.Contains(string(doc), "`"+p.Name+"`") && !named("passes/"+p.Name) {
			t.Errorf("docs/architecture.md does not name the pass %s", p.Name)
		}
	}
}

// TestProgramsFit checks that the programs in documents are valid and fit their models.
func TestProgramsFit(t *testing.T) {
	paths, err := filepath.Glob("examples/programs/*.[vp]sh")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := shaderlift.Assemble(shaderlift.File{Name: path, Data: data}); err != nil {
			t.Error(err)
		}
	}
}
