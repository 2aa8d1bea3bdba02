package ir_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Nothing is reached of a dialect, or of the stages of a pair, but by the methods that
// ir.Dialect and ir.Stages state: a type assertion would ask for what a third dialect
// need not have, and compile.
func TestDialectsAreNotAsserted(t *testing.T) {
	fset, files := token.NewFileSet(), 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files++
		ast.Inspect(f, func(n ast.Node) bool {
			if a, ok := n.(*ast.TypeAssertExpr); ok && isDialect(a.X) {
				t.Errorf("%v: a type assertion on a dialect", fset.Position(a.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files: %v", files, err)
	}
}

// isDialect reports whether an expression is called as dialects and stages are.
func isDialect(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name == "Dialect" || x.Sel.Name == "Stages" || x.Sel.Name == "dialect"
	case *ast.Ident:
		return x.Name == "dialect" || x.Name == "stages"
	case *ast.ParenExpr:
		return isDialect(x.X)
	}
	return false
}
