package shaderlift_test

import (
	"flag"
	"go/parser"
	"go/token"
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

var updateDocs = flag.Bool("update-docs", false, "rewrite the code in docs/library.md and the recorded walk")

var (
	libraryCode = regexp.MustCompile("(?s)```go\n(.*?)```\n")
	declared    = regexp.MustCompile(`^(?:func|var) (\w+)`)
	exampleBody = regexp.MustCompile(`(?s)\nfunc Example\(\) \{\n(.*?)\t// Output:\n`)
)

// TestLibraryExample checks that each block of code in docs/library.md is a declaration in the examples of the package,
// or the statements of its first example.
func TestLibraryExample(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	body := exampleBody.FindSubmatch(source)
	if body == nil {
		t.Fatal("example_test.go has no Example with an output")
	}
	doc, err := os.ReadFile("docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	updated := libraryCode.ReplaceAllFunc(doc, func(block []byte) []byte {
		blocks++
		text := strings.ReplaceAll("\n"+string(body[1]), "\n\t", "\n")[1:]
		if name := declared.FindSubmatch(libraryCode.FindSubmatch(block)[1]); name != nil {
			text = exampleDeclaration(t, string(name[1]))
		}
		return []byte("```go\n" + text + "```\n")
	})
	if diff := cmp.Diff(string(updated), string(doc)); diff != "" && !*updateDocs {
		t.Errorf("the code in docs/library.md is not that of the examples (-example +document); -update-docs rewrites it:\n%s", diff)
	}
	if blocks < 5 {
		t.Errorf("docs/library.md has %d blocks of code", blocks)
	}
	if *updateDocs {
		if err := os.WriteFile("docs/library.md", updated, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// exampleDeclaration returns the text of a declaration of the example files, without its comment.
func exampleDeclaration(t *testing.T, name string) string {
	t.Helper()
	files, err := filepath.Glob("example_*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			text := source[d.Pos()-file.FileStart : d.End()-file.FileStart]
			if m := declared.FindSubmatch(text); m != nil && string(m[1]) == name {
				return string(text) + "\n"
			}
		}
	}
	t.Fatalf("no example declares %s", name)
	return ""
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
