package rules

import (
	"go/ast"
	"strings"
	"sync"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Rule is one row: code that matches From may be replaced by To.
type Rule struct {
	From, To string
	Class    passes.Class // the class that it keeps
	Where    string       // condition that must hold in each lane; empty if there is none
	// Fused means that To rounds once where From rounds twice. If the dialect rounds products anyway, that
	// keeps bits, whatever Class states.
	Fused bool
	// Every means that the operation that From marks as shared has to die: the rule applies to all its
	// readers or to none.
	Every bool
}

// Keeps returns the class that r keeps in a dialect.
func (r *Rule) Keeps(d ir.Dialect) passes.Class {
	if r.Fused && d.RoundsProducts() {
		return passes.Bits
	}
	return r.Class
}

// RuleFamily returns r with each word of old in From, To and Where replaced by its counterpart: one rule for a
// family of operations.
func RuleFamily(old []string, counterparts [][]string, r Rule) (list []Rule) {
	for _, words := range counterparts {
		var pairs []string
		for i, w := range old {
			pairs = append(pairs, w, words[i])
		}
		text, x := strings.NewReplacer(pairs...), r
		x.From, x.To, x.Where = text.Replace(r.From), text.Replace(r.To), text.Replace(r.Where)
		list = append(list, x)
	}
	return list
}

// Compiled is a rule prepared for matching. It is immutable and shared by all matchers.
type Compiled struct {
	*Rule
	root    []node // the ways to read From
	slots   map[string]int
	signs   map[string]uint8
	to      []alternative // in the order they are tried
	where   ast.Expr      // nil if there is none
	onWords bool          // literals are words instead of numbers
}

// RootOps returns the root operations of r.
func (r *Compiled) RootOps() []ir.Op {
	if n := &r.root[0]; n.twin != n.op {
		return []ir.Op{n.op, n.twin}
	}
	return []ir.Op{r.root[0].op}
}

// Compile compiles a rule. It panics if the rule is malformed: rules are part of the program.
func Compile(r *Rule) *Compiled {
	c := &Compiled{Rule: r, slots: map[string]int{}, signs: map[string]uint8{}}
	e := parse(r.From, nil).(*ast.CallExpr)
	op, _ := operator(e.Fun.(*ast.Ident).Name)
	c.onWords = op.Has(ir.OnWords)
	from := c.compileNode(e)
	uses := c.slotCounts(from)
	if r.Where != "" {
		c.where = parse(r.Where, nil)
		c.countUses(c.where, &uses)
	}
	for _, root := range c.orders(from, uses) {
		c.settle(&root, new(uint32))
		c.root = append(c.root, root)
	}
	c.to = alternatives(parse(r.To, nil))
	return c
}

// countUses counts the names of operands in e.
func (c *Compiled) countUses(e ast.Expr, uses *[maxSlots]int) {
	if name, ok := e.(*ast.Ident); ok {
		if slot, ok := c.slots[name.Name]; ok {
			uses[slot]++
		}
	}
	for _, part := range parts(e) {
		c.countUses(part, uses)
	}
}

// alternative is one replacement of a pattern, with its condition. Alternatives are tried in order.
type alternative struct {
	call  *ast.CallExpr
	where ast.Expr // nil if there is none
}

// form lists the spellings of a value, cheapest first, so that a row need not list the cases where a literal
// is 0, 1 or -1.
type form struct {
	params string // a letter each
	ways   []struct{ to, where string }
}

var forms = map[string]form{
	// x*K + L, of numbers.
	"affine": {"xKL", []struct{ to, where string }{
		{"mov(x)", "K == 1 && L == 0"}, {"mov(-x)", "K == -1 && L == 0"}, {"add(x, L)", "K == 1"}, {"add(-x, L)", "K == -1"},
		{"mul(x, K)", "L == 0"}, {"mad(x, K, L)", ""},
	}},
	// x*y + L and x*K + y, of numbers.
	"product": {"xyL", []struct{ to, where string }{{"mul(x, y)", "L == 0"}, {"mad(x, y, L)", ""}}},
	"weighted": {"xKy", []struct{ to, where string }{{"add(x, y)", "K == 1"}, {"add(-x, y)", "K == -1"},
		{"mad(x, K, y)", ""}}},
	// x + L and L - x, of words.
	"plus":  {"xL", []struct{ to, where string }{{"mov(x)", "u32(L) == 0"}, {"iadd(x, L)", ""}}},
	"minus": {"Lx", []struct{ to, where string }{{"ineg(x)", "u32(L) == 0"}, {"isub(L, x)", ""}}},
}

// alternatives returns the parts of e between ||, with forms expanded.
func alternatives(e ast.Expr) (list []alternative) {
	if or, ok := e.(*ast.BinaryExpr); ok {
		return append(alternatives(or.X), alternatives(or.Y)...)
	}
	call := e.(*ast.CallExpr)
	f, ok := forms[call.Fun.(*ast.Ident).Name]
	if !ok {
		return []alternative{{call, nil}}
	}
	bound := map[string]ast.Expr{}
	for i, arg := range call.Args {
		bound[f.params[i:i+1]] = arg
	}
	for _, way := range f.ways {
		list = append(list, alternative{call: parse(way.to, bound).(*ast.CallExpr)})
		if way.where != "" {
			list[len(list)-1].where = parse(way.where, bound)
		}
	}
	return list
}

var opNamed = sync.OnceValue(func() map[string]ir.Op {
	m := map[string]ir.Op{}
	for op := ir.Op(1); int(op) < ir.NumOps; op++ {
		m[op.String()] = op
	}
	return m
})
