package shaderlift_test

import (
	"go/ast"
	"testing"
)

// TestExportedIsDocumented checks that every exported name has a comment. In a group of constants or
// fields, a trailing comment or one before the group suffices.
func TestExportedIsDocumented(t *testing.T) {
	var files []*ast.File
	for _, dir := range []string{".", "opt", "opt/effect", "opt/explain", "opt/fit", "opt/input", "opt/kernel", "opt/pair",
		"opt/replay"} {
		files = append(files, sources(t, dir)...)
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
					t.Errorf("%s has no comment", d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
							t.Errorf("%s has no comment", s.Name.Name)
						}
					case *ast.ValueSpec:
						for _, n := range s.Names {
							if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil && !typed(d) {
								t.Errorf("%s has no comment", n.Name)
							}
						}
					}
				}
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	name, ok := t.(*ast.Ident)
	return ok && name.IsExported()
}

// typed reports whether constants are values of a type, whose comment covers them.
func typed(d *ast.GenDecl) bool {
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && v.Type != nil {
			return true
		}
	}
	return false
}
