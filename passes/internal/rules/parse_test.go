package rules

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The parser builds the same trees as Go's parser, except for positions.
func TestParse(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var b strings.Builder
		write(&b, random, 4)
		want, err := goparser.ParseExpr(b.String())
		if err != nil {
			t.Fatalf("%s: %v", &b, err)
		}
		if diff := cmp.Diff(want, parse(b.String(), nil), placeless); diff != "" {
			t.Fatalf("%s: -want +got\n%s", &b, diff)
		}
	}
}

// The transitive parts of an expression are all names except functions and fields.
func TestParts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		var b strings.Builder
		write(&b, random, 4)
		e := parse(b.String(), nil)
		var want, got []*ast.Ident
		other := map[*ast.Ident]bool{} // functions and fields
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				other[n.Fun.(*ast.Ident)] = true
			case *ast.SelectorExpr:
				other[n.Sel] = true
			case *ast.Ident:
				if !other[n] {
					want = append(want, n)
				}
			}
			return true
		})
		var walk func(ast.Expr)
		walk = func(e ast.Expr) {
			if name, ok := e.(*ast.Ident); ok {
				got = append(got, name)
			}
			for _, part := range parts(e) {
				walk(part)
			}
		}
		walk(e)
		if !slices.Equal(want, got) {
			t.Fatalf("%s: %d names, want %d", &b, len(got), len(want))
		}
	}
}

// placeless compares trees without positions.
var placeless = cmp.FilterPath(func(p cmp.Path) bool {
	return p.Last().Type() == reflect.TypeFor[token.Pos]() || p.Last().String() == ".Obj" // where a name is declared
}, cmp.Ignore())

// write writes an expression of a given depth. Blanks keep two operators from becoming one, as in x- -y and x
// & ^y.
func write(b *strings.Builder, random *rand.Rand, depth int) {
	blank := []string{"", " "}[random.IntN(2)]
	if depth == 0 {
		b.WriteString([]string{"x", "K", "lanes", "u32", "1", "0.5", "1e38", "2.5e-3", "0xfffffffe",
			"mad_sat"}[random.IntN(10)])
		return
	}
	switch random.IntN(6) {
	case 0:
		b.WriteString(blank + "(")
		write(b, random, depth-1)
		b.WriteString(blank + ")")
	case 1:
		b.WriteString("mad(")
		for i := range random.IntN(4) {
			if i > 0 {
				b.WriteString("," + blank)
			}
			write(b, random, depth-1)
		}
		b.WriteString(")" + []string{"", ".x"}[random.IntN(2)])
	case 2:
		b.WriteString([]string{"-", "!", "^", "+"}[random.IntN(4)] + " ")
		write(b, random, depth-1)
	default:
		write(b, random, depth-1)
		op := token.NOT
		for op == token.NOT {
			op = operators[random.IntN(len(operators))]
		}
		b.WriteString(blank + op.String() + " ")
		write(b, random, depth-1)
	}
}

// A bound expression replaces a name, in parentheses; longer names are different names.
func TestParseBound(t *testing.T) {
	got := parse("mad(x, -K, xK)", map[string]ast.Expr{"x": parse("a + b", nil), "K": parse("L", nil)})
	want, err := goparser.ParseExpr("mad((a + b), -(L), xK)")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, placeless); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestParsePanics(t *testing.T) {
	for _, text := range []string{"", "mad(", "mad(x y)", "x +", "(x", "x)", "x $ y", "mad(,x)", "."} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is an expression", text)
				}
			}()
			parse(text, nil)
		}()
	}
}
