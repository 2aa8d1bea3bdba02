package ir_test

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// Nothing is reached of a dialect, or of the stages of a pair, but by the methods that
// ir.Dialect and ir.Stages state: a type assertion would ask for what a third dialect
// need not have, and compile.
func TestDialectsAreNotAsserted(t *testing.T) {
	sources(t, func(fset *token.FileSet, _ string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			if a, ok := n.(*ast.TypeAssertExpr); ok && isDialect(a.X) {
				t.Errorf("%v: a type assertion on a dialect", fset.Position(a.Pos()))
			}
			return true
		})
	})
}

// No language answers by embedding ir.Abstract, which would hide what it leaves out.
func TestDialectsAnswerThemselves(t *testing.T) {
	sources(t, func(fset *token.FileSet, path string, f *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					if x, ok := field.Type.(*ast.SelectorExpr); ok && len(field.Names) == 0 && x.Sel.Name == "Abstract" {
						t.Errorf("%v: a dialect embeds ir.Abstract", fset.Position(x.Pos()))
					}
				}
			}
			return true
		})
	})
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
