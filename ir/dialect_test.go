package ir_test

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// Code reaches a dialect, or the stages of a pair, only through the methods of ir.Dialect and ir.Stages. A
// type assertion would compile, and ask for methods that a third dialect may lack.
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

// No language embeds ir.Abstract, which would hide missing methods.
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

// isDialect reports whether an expression has a name that dialects and stages have.
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
