package rules

import (
	"go/ast"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// kind is the kind of operand that a part of a pattern matches.
type kind uint8

const (
	variable  kind = iota // any operand
	literal               // an operand whose lanes are known
	number                // one whose lanes are a given number
	operation             // one that an operation computes
)

// node is a part of a pattern.
type node struct {
	kind  kind
	slot  int    // of a variable or literal
	again bool   // the slot is already bound here
	neg   bool   // it is read negated
	signs uint8  // signs that it is multiplied by, bit by bit
	bits  uint32 // of a number

	op, twin ir.Op // of an operation: either matches
	sat      bool  // it saturates
	shared   bool  // it may have other readers
	scalar   uint8 // bit s: of source s it reads lane x, for any mask
	kids     []node
}

const maxSlots = 8

// compileNode converts the expression of a pattern.
func (c *Compiled) compileNode(e ast.Expr) (n node) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.compileNode(e.X)
	case *ast.UnaryExpr:
		n = c.compileNode(e.X)
		if n.kind == number {
			n.bits = Number("-"+e.X.(*ast.BasicLit).Value, c.onWords)
		} else {
			n.neg = !n.neg
		}
	case *ast.BinaryExpr:
		n = c.compileNode(e.Y)
		sign := e.X
		if minus, ok := sign.(*ast.UnaryExpr); ok {
			sign, n.neg = minus.X, !n.neg
		}
		name := sign.(*ast.Ident).Name
		if c.signs[name] == 0 {
			c.signs[name] = 1 << len(c.signs)
		}
		n.signs |= c.signs[name]
	case *ast.BasicLit:
		n.kind, n.bits = number, Number(e.Value, c.onWords)
	case *ast.Ident:
		n.kind, n.slot = variable, c.slotNumber(e.Name)
		if isUpper(e.Name) {
			n.kind = literal
		}
	case *ast.CallExpr:
		name := e.Fun.(*ast.Ident).Name
		if name == "shared" {
			n = c.compileNode(e.Args[0])
			n.shared = true
			return n
		}
		n.kind = operation
		n.op, n.sat = operator(name)
		n.twin = n.op.IEEE()
		for s, arg := range e.Args {
			n.kids = append(n.kids, c.compileNode(arg))
			if n.op.Info().Shape == ir.Replicated && (&ir.Instr{Op: n.op}).ReadsFor(s, 1) == 1 {
				n.scalar |= 1 << s
			}
		}
	}
	return n
}

// operator returns the op of a name, which may end in _sat.
func operator(name string) (op ir.Op, sat bool) {
	name, sat = strings.CutSuffix(name, "_sat")
	op = opNamed()[name]
	if op == ir.OpInvalid {
		panic("rules: no operation " + name)
	}
	return op, sat
}

// isUpper distinguishes literals from variables.
func isUpper(name string) bool { return name[0] >= 'A' && name[0] <= 'Z' }

func (c *Compiled) slotNumber(name string) int {
	if _, ok := c.slots[name]; !ok {
		c.slots[name] = len(c.slots)
	}
	return c.slots[name]
}

// Number returns the bits of a number of a rule, as a word or as a float32.
func Number(s string, word bool) uint32 {
	if word {
		w, err := strconv.ParseInt(s, 0, 64)
		if err != nil {
			panic(err)
		}
		return uint32(w)
	}
	f, err := strconv.ParseFloat(s, 32)
	if err != nil {
		panic(err)
	}
	return math.Float32bits(float32(f))
}

// slotCounts returns how often a pattern names each slot.
func (c *Compiled) slotCounts(n node) (count [maxSlots]int) {
	if n.kind == variable || n.kind == literal {
		count[n.slot]++
	}
	for _, k := range n.kids {
		for i, m := range c.slotCounts(k) {
			count[i] += m
		}
	}
	return count
}

// orders lists n with the operands of commuting operations in every order, except where the order makes no
// difference. Over the reals minima and maxima commute, except for NaN and the sign of zero.
func (c *Compiled) orders(n node, uses [maxSlots]int) []node {
	if n.kind != operation {
		return []node{n}
	}
	list := []node{n}
	for s := range n.kids {
		var longer []node
		for _, k := range c.orders(n.kids[s], uses) {
			for _, m := range list {
				m.kids = slices.Clone(m.kids)
				m.kids[s] = k
				longer = append(longer, m)
			}
		}
		list = longer
	}
	commutes := n.op.Has(ir.Commutes) || c.Class >= passes.Real && (n.op == ir.OpMin || n.op == ir.OpMax)
	if !commutes || matchesAnything(n.kids[0], uses) && matchesAnything(n.kids[1], uses) {
		return list
	}
	for _, m := range list {
		m.kids = slices.Clone(m.kids)
		m.kids[0], m.kids[1] = m.kids[1], m.kids[0]
		list = append(list, m)
	}
	return list
}

// matchesAnything reports whether n matches anything, and the rest of the pattern does not depend on it.
func matchesAnything(n node, uses [maxSlots]int) bool { return n.kind == variable && uses[n.slot] == 1 }

// settle marks the slots that are already bound when matching, in order, reaches them.
func (c *Compiled) settle(n *node, bound *uint32) {
	if n.kind == variable || n.kind == literal {
		n.again = *bound>>n.slot&1 != 0
		*bound |= 1 << n.slot
	}
	n.kids = slices.Clone(n.kids) // orders share them
	for i := range n.kids {
		c.settle(&n.kids[i], bound)
	}
}
