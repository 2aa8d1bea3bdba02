package shaderlift_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/tools"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/verify"
)

const schemaFile = "docs/report.schema.json"

var updateSchema = flag.Bool("update-schema", false, "rewrite "+schemaFile)

// result has the fields of a Result. A schema made from the types needs two such types, one for the
// definition and one for references to it, since results have parts.
type result shaderlift.Result

// named returns the schema of a type whose values are names.
func named[T interface{ String() string }](values ...T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, v.String())
	}
	return s
}

// texts returns the types whose JSON form differs from their kind.
func texts() map[reflect.Type]*jsonschema.Schema {
	pattern := func(p string) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Pattern: p} }
	zero := 0.0
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[shaderlift.Assumption](): named(shaderlift.OneLevel, shaderlift.UnitColours),
		reflect.TypeFor[shaderlift.Kind](): named(shaderlift.KindProgram, shaderlift.KindPair,
			shaderlift.KindKernel, shaderlift.KindEffect, shaderlift.KindModule),
		reflect.TypeFor[shaderlift.Status](): named(shaderlift.Improved, shaderlift.Changed, shaderlift.Unchanged,
			shaderlift.Failed),
		reflect.TypeFor[shaderlift.RemarkKind]():   named(shaderlift.Passed, shaderlift.Missed, shaderlift.Analysis),
		reflect.TypeFor[verify.Verdict]():          named(verify.Verdicts()...),
		reflect.TypeFor[verify.Method]():           named(verify.ByForm, verify.ByTerms, verify.ByExecution, verify.ByField, verify.ByRounding),
		reflect.TypeFor[ir.Numerics]():             named(ir.Terms, ir.Bits, ir.Real, ir.Approx),
		reflect.TypeFor[d3d9.Stage]():              named(d3d9.Vertex, d3d9.Pixel),
		reflect.TypeFor[d3d9.Model]():              pattern(`^[vp]s_[1-3]_([0-4]|x|sw)$`),
		reflect.TypeFor[shaderlift.HostRegister](): pattern(`^[vp]s c[0-9]+$`),
		reflect.TypeFor[shaderlift.Constant]():     pattern(`=`),
		reflect.TypeFor[ir.Tile]():                 pattern(`^(x=[0-9]+,y|group|adjacent)=[0-9]+`),
		reflect.TypeFor[opt.Extent]():              {Types: []string{"number", "null"}, Minimum: &zero},
	}
}

// reportSchema returns the schema of reports, according to the types.
func reportSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	of := func(typ reflect.Type, types map[reflect.Type]*jsonschema.Schema) *jsonschema.Schema {
		s, err := jsonschema.ForType(typ, &jsonschema.ForOptions{TypeSchemas: types})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	types := texts()
	types[reflect.TypeFor[shaderlift.Result]()] = &jsonschema.Schema{Ref: "#/$defs/result"}
	s := of(reflect.TypeFor[shaderlift.Report](), types)
	one := of(reflect.TypeFor[result](), types)
	judged := of(reflect.TypeFor[shaderlift.Judgement](), types).Required
	one.Required = slices.DeleteFunc(one.Required, func(name string) bool { return slices.Contains(judged, name) })
	one.DependentRequired = map[string][]string{}
	for _, name := range judged { // all or none
		one.DependentRequired[name] = slices.DeleteFunc(slices.Clone(judged),
			func(other string) bool { return other == name })
	}
	s.Defs = map[string]*jsonschema.Schema{"result": one}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = fmt.Sprintf("A report of shaderlift, version %d", opt.Schema)
	var version any = opt.Schema
	s.Properties["schema"] = &jsonschema.Schema{Const: &version}
	comments := fieldComments(t, "codemotion", "opt", "opt/explain", "opt/fit", "opt/kernel", "opt/pair", "asm/d3d9", "opt/tune")
	describe(s, reflect.TypeFor[shaderlift.Report](), comments)
	describe(one, reflect.TypeFor[shaderlift.Result](), comments)
	withoutNull(s)
	return s
}

// withoutNull removes null from all types but numbers, since absent fields are omitted.
func withoutNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if !slices.Contains(s.Types, "number") && len(s.Types) > 0 {
		s.Types = slices.DeleteFunc(s.Types, func(name string) bool { return name == "null" })
		if len(s.Types) == 1 {
			s.Type, s.Types = s.Types[0], nil
		}
	}
	if s.Ref != "" {
		s.Type, s.Types = "", nil
	}
	withoutNull(s.Items)
	for _, p := range s.Properties {
		withoutNull(p)
	}
	for _, d := range s.Defs {
		withoutNull(d)
	}
}

// describe sets the descriptions of properties to the comments of their fields.
func describe(s *jsonschema.Schema, t reflect.Type, comments map[string]string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
		if s.Items != nil {
			s = s.Items
		}
	}
	if t.Kind() != reflect.Struct || s.Ref != "" {
		return
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.Properties[name]
		if p == nil || f.Anonymous {
			continue
		}
		owner := t
		if len(f.Index) > 1 {
			if owner = t.Field(f.Index[0]).Type; owner.Kind() == reflect.Pointer {
				owner = owner.Elem()
			}
		}
		p.Description = comments[owner.Name()+"."+f.Name]
		describe(p, f.Type, comments)
	}
}

// fieldComments returns the comments of the fields of all types in packages, by type and field.
func fieldComments(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	comments := map[string]string{}
	for _, dir := range dirs {
		for _, file := range sources(t, dir) {
			ast.Inspect(file, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				if list, ok := spec.Type.(*ast.StructType); ok {
					for _, f := range list.Fields.List {
						for _, name := range f.Names {
							comments[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
						}
					}
				}
				return false
			})
		}
	}
	return comments
}

// sources parses the files of a package without its tests.
func sources(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no sources: ", err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// TestSchemaIsUpToDate checks that the stored schema matches the types.
func TestSchemaIsUpToDate(t *testing.T) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(reportSchema(t)); err != nil {
		t.Fatal(err)
	}
	if *updateSchema {
		if err := os.WriteFile(schemaFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	stored, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(stored), b.String()); d != "" {
		t.Errorf("%s is out of date; -update-schema rewrites it:\n%s", schemaFile, d)
	}
}

// TestReportsObeySchema checks that reports of everything obey the schema, and malformed reports do
// not.
func TestReportsObeySchema(t *testing.T) {
	schema := tools.ReadSchema(t, schemaFile)
	var b bytes.Buffer
	if err := results(t).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	obeys := func(text string) error {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	if err := obeys(b.String()); err != nil {
		t.Error(err)
	}
	for _, wrong := range [][2]string{
		{`"schema": 2`, `"schema": 1`},
		{`"verdict": "proved"`, `"verdict": "sure"`},
		{`"epsilon": 0,`, ``},
		{`"kind": "pair"`, `"kind": "pair", "more": 1`},
		{`"slots": 16`, `"slots": "16"`},
	} {
		if text := strings.Replace(b.String(), wrong[0], wrong[1], 1); text == b.String() || obeys(text) == nil {
			t.Errorf("%s in place of %s passes", wrong[1], wrong[0])
		}
	}
}
