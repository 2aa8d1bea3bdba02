package diag

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// used finds the constants of type asm.Code in the packages of this module, without tests, test
// packages and examples. It returns, by code, the packages that use it, and whether an error
// (asm.Errorf and its callers) or only remarks use it.
func used(t *testing.T) map[string][]string {
	t.Helper()
	type pkg struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
		Module                  *struct {
			Path string
			Main bool
		}
	}
	list := exec.Command("go", "list", "-buildvcs=false", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Module", "./...")
	list.Dir = ".."
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var own []pkg
	exports := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if p.Module != nil && p.Module.Main && !strings.Contains(p.ImportPath, "/examples/") &&
			!strings.Contains(p.ImportPath, "/internal/test/") {
			own = append(own, p)
		}
	}
	fset := token.NewFileSet()
	compiled := importer.ForCompiler(fset, "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	found := map[string][]string{}
	for _, p := range own {
		var files []*ast.File
		mentions := false
		for _, name := range p.GoFiles {
			src, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
			mentions = mentions || bytes.Contains(src, []byte(module+"/asm")) || bytes.Contains(src, []byte(module+"/passes"))
		}
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if !mentions || name == "diag" {
			continue
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		if _, err := (&types.Config{Importer: compiled}).Check(p.ImportPath, fset, files, info); err != nil {
			t.Fatal(err)
		}
		here := map[string]bool{}
		for _, v := range info.Types {
			if v.Value == nil || v.Type.String() != module+"/asm.Code" || v.Value.Kind() != constant.String {
				continue
			}
			if code := constant.StringVal(v.Value); code != "" && !here[code] {
				here[code] = true
				if name == "" {
					name = "."
				}
				found[code] = append(found[code], name)
			}
		}
	}
	return found
}

const module = "github.com/shaderlift/shaderlift"
