package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// A formula states the value of one lane of an op, over the sources a, b, c, d:
//
//	a*b + c                 the same lane of every source
//	a.x*b.x + a.y*b.y       fixed lanes
//	max(a, b)               a primitive, see prim.go
//
// The grammar, with the usual precedences, all operators associating to the left:
//
//	sum     = product { ("+" | "-") product }
//	product = factor { "*" factor }
//	factor  = "(" sum ")" | "-" factor | number | name "(" sum { "," sum } ")" | operand
//	operand = ("a" | "b" | "c" | "d") [ "." ("x" | "y" | "z" | "w") ]
//
// It is parsed once, at start-up, into nodes in evaluation order (postfix). Operands precede their users, and
// the last node is the value.
type formula []node

// nodeKind is the operation of a node.
type nodeKind uint8

const (
	nodeArg nodeKind = iota
	nodeConst
	nodeAdd
	nodeSub
	nodeMul
	nodeNeg
	nodeCall
)

// node is one step of a formula. kids index earlier nodes; a primitive takes eight at most.
type node struct {
	kind nodeKind
	arg  uint8 // of nodeArg: which source
	lane int8  // of nodeArg: which lane, -1 for the lane written
	prim Prim
	num  float32
	kids [8]uint8 // indices of operands, all smaller than the node's own
	nkid uint8
}

// formulaParser is a recursive descent parser; s is the unread text.
type formulaParser struct {
	s   string
	out formula
}

// mustFormula parses a formula of the op table. A syntax error is a mistake in this program, so it panics at
// start-up.
func mustFormula(s string) formula {
	p := &formulaParser{s: s}
	p.sum()
	p.space()
	if p.s != "" {
		panic("ir: formula " + s + ": left over " + p.s)
	}
	return p.out
}

func (p *formulaParser) space() { p.s = strings.TrimLeft(p.s, " ") }

func (p *formulaParser) accept(c byte) bool {
	p.space()
	if p.s != "" && p.s[0] == c {
		p.s = p.s[1:]
		return true
	}
	return false
}

// appendNode appends a node and returns its index. Equal nodes are not shared: formulas are
// short.
func (p *formulaParser) appendNode(n node) uint8 {
	p.out = append(p.out, n)
	return uint8(len(p.out) - 1)
}

func (p *formulaParser) binary(kind nodeKind, l, r uint8) uint8 {
	return p.appendNode(node{kind: kind, kids: [8]uint8{l, r}, nkid: 2})
}

func (p *formulaParser) sum() uint8 {
	l := p.product()
	for {
		switch {
		case p.accept('+'):
			l = p.binary(nodeAdd, l, p.product())
		case p.accept('-'):
			l = p.binary(nodeSub, l, p.product())
		default:
			return l
		}
	}
}

func (p *formulaParser) product() uint8 {
	l := p.factor()
	for p.accept('*') {
		l = p.binary(nodeMul, l, p.factor())
	}
	return l
}

func (p *formulaParser) factor() uint8 {
	if p.accept('(') {
		n := p.sum()
		if !p.accept(')') {
			panic("ir: formula: missing )")
		}
		return n
	}
	if p.accept('-') {
		return p.appendNode(node{kind: nodeNeg, kids: [8]uint8{p.factor()}, nkid: 1})
	}
	p.space()
	end := strings.IndexFunc(p.s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.')
	})
	if end < 0 {
		end = len(p.s)
	}
	word := p.s[:end]
	p.s = p.s[end:]
	if word == "" {
		panic("ir: formula: operand expected before " + p.s)
	}
	if word[0] >= '0' && word[0] <= '9' {
		f, err := strconv.ParseFloat(word, 32)
		if err != nil {
			panic(err)
		}
		return p.appendNode(node{kind: nodeConst, num: float32(f)})
	}
	if p.accept('(') {
		n := node{kind: nodeCall, prim: primNamed(word)}
		for {
			n.kids[n.nkid] = p.sum()
			n.nkid++
			if !p.accept(',') {
				break
			}
		}
		if !p.accept(')') {
			panic("ir: formula: missing ) after " + word)
		}
		return p.appendNode(n)
	}
	n := node{kind: nodeArg, arg: word[0] - 'a', lane: -1}
	if len(word) == 3 && word[1] == '.' && strings.IndexByte("xyzw", word[2]) >= 0 {
		n.lane = int8(strings.IndexByte("xyzw", word[2]))
	} else if len(word) != 1 || n.arg > 3 {
		panic(fmt.Sprintf("ir: formula: bad operand %q", word))
	}
	return p.appendNode(n)
}

// Algebra is a domain in which formulas are evaluated. Here the domains are float32 words for folding
// ([Words]), classes of linearity, and residues. In package verify they are terms, elements of a finite field
// and error bounds. Sub is Add of Neg, which is exact in all of them.
type Algebra[T any] interface {
	Const(f float32) T // a literal of the formula
	Add(a, b T) T      // a+b
	Mul(a, b T) T      // a*b
	Neg(a T) T         // -a
	// Call applies a primitive: any function that is not plus, minus or times.
	Call(p Prim, args []T) T
}

// Eval computes lane of op in alg, where arg returns the sources' lanes, source modifiers included. The
// caller applies result modifiers (saturation). op must have a formula ([Op.HasFormula]) and be able to write
// lane. Eval calls arg once for each mention of a source in the formula, so arg should be cheap. The cost is
// linear in the formula.
func Eval[T any](alg Algebra[T], op Op, lane int, arg func(src, lane int) T) T {
	f := ops[op].lanes[lane]
	var few [12]T // nearly all formulas fit
	vals := few[:min(len(f), len(few))]
	if len(f) > len(few) {
		vals = make([]T, len(f))
	}
	for i := range f {
		n := &f[i]
		switch n.kind {
		case nodeArg:
			l := lane
			if n.lane >= 0 {
				l = int(n.lane)
			}
			vals[i] = arg(int(n.arg), l)
		case nodeConst:
			vals[i] = alg.Const(n.num)
		case nodeAdd:
			vals[i] = alg.Add(vals[n.kids[0]], vals[n.kids[1]])
		case nodeSub:
			vals[i] = alg.Add(vals[n.kids[0]], alg.Neg(vals[n.kids[1]]))
		case nodeMul:
			vals[i] = alg.Mul(vals[n.kids[0]], vals[n.kids[1]])
		case nodeNeg:
			vals[i] = alg.Neg(vals[n.kids[0]])
		case nodeCall:
			args := make([]T, n.nkid)
			for k := range args {
				args[k] = vals[n.kids[k]]
			}
			vals[i] = alg.Call(n.prim, args)
		}
	}
	return vals[len(f)-1]
}
