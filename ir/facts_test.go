package ir_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
)

// sources calls visit with every file of the tree.
func sources(t *testing.T, visit func(fset *token.FileSet, path string, f *ast.File)) {
	t.Helper()
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
		visit(fset, path, f)
		return nil
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files: %v", files, err)
	}
}

// opNamed returns the op of the table that an expression names, or OpInvalid.
func opNamed(x ast.Expr) ir.Op {
	s, ok := x.(*ast.SelectorExpr)
	if !ok {
		return ir.OpInvalid
	}
	if p, ok := s.X.(*ast.Ident); !ok || p.Name != "ir" || !strings.HasPrefix(s.Sel.Name, "Op") {
		return ir.OpInvalid
	}
	for op := range ir.Op(ir.NumOps) {
		if strings.EqualFold(s.Sel.Name[2:], op.String()) {
			return op
		}
	}
	return ir.OpInvalid
}

// listed returns the ops that a condition compares with (joined by or), or that a case lists.
func listed(n ast.Node) (ops []ir.Op) {
	switch n := n.(type) {
	case *ast.CaseClause:
		for _, x := range n.List {
			ops = append(ops, opNamed(x))
		}
	case *ast.BinaryExpr:
		switch n.Op {
		case token.LOR, token.LAND:
			ops = append(listed(n.X), listed(n.Y)...)
		case token.EQL, token.NEQ:
			ops = append(ops, opNamed(n.X), opNamed(n.Y))
		}
	}
	return slices.DeleteFunc(ops, func(op ir.Op) bool { return op == ir.OpInvalid })
}

// Only the table states facts about ops. No code depends on the order of the constants, and no code lists ops
// that share a flag, or an op together with its IEEE 754 form.
func TestFactsLiveOnce(t *testing.T) {
	sources(t, func(fset *token.FileSet, path string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			if b, ok := n.(*ast.BinaryExpr); ok && (opNamed(b.X) != ir.OpInvalid || opNamed(b.Y) != ir.OpInvalid) {
				switch b.Op {
				case token.LSS, token.LEQ, token.GTR, token.GEQ:
					t.Errorf("%v: the order of ops", fset.Position(b.Pos()))
				}
			}
			if strings.HasSuffix(path, "_test.go") || n == nil {
				return true
			}
			ops := listed(n)
			special := 0
			for _, op := range ops {
				if op.Has(ir.Special) {
					special++
				}
				if op.Legacy() != op && slices.Contains(ops, op.Legacy()) {
					t.Errorf("%v: %v is listed beside %v; ask for Legacy", fset.Position(n.Pos()), op, op.Legacy())
				}
			}
			if special > 1 {
				t.Errorf("%v: %v: ask for the flag Special", fset.Position(n.Pos()), ops)
			}
			return true
		})
	})
}

// An op equals its legacy form in every field of the table, except the name and the rules for zeros and NaN.
func TestLegacy(t *testing.T) {
	pairs := 0
	for op := range ir.Op(ir.NumOps) {
		l := op.Legacy()
		if l == op {
			continue
		}
		pairs++
		a, b := op.Info(), l.Info()
		if l.Legacy() != l || a.NSrc != b.NSrc || a.Flags&^ir.IEEE != b.Flags || a.Shape != b.Shape || op.Has(ir.OnWords) {
			t.Errorf("%v and %v differ", op, l)
		}
	}
	if pairs == 0 {
		t.Error("no op has a legacy form")
	}
}
