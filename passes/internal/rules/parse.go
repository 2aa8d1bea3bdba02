package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// parser reads what rules are written in: of the expressions of Go calls, fields, names, decimal and
// hexadecimal numbers, parentheses and operators. The parser of Go itself is a fortieth of a program
// that links this package, and rules are made of little.
type parser struct {
	text string
	at   int
	// bound is what stands for names.
	bound map[string]ast.Expr
}

// operators are spelt so that none before one is its beginning.
var operators = []token.Token{
	token.LAND, token.LOR, token.EQL, token.NEQ, token.LEQ, token.GEQ, token.SHL, token.SHR, token.LSS, token.GTR, token.NOT,
	token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR,
}

// parse reads an expression in which names stand for others. It panics where there is none: rules are
// part of the program.
func parse(text string, bound map[string]ast.Expr) ast.Expr {
	p := parser{text: text, bound: bound}
	e := p.binary(token.LowestPrec + 1)
	if p.at < len(p.text) {
		p.fail()
	}
	return e
}

func (p *parser) fail() { panic(fmt.Sprintf("rules: %s: no expression at %q", p.text, p.text[p.at:])) }

// binary reads operations that bind at least so strongly.
func (p *parser) binary(least int) ast.Expr {
	x := p.unary()
	for {
		op := p.operator()
		if op.Precedence() < least {
			return x
		}
		p.take(op.String())
		x = &ast.BinaryExpr{X: x, Op: op, Y: p.binary(op.Precedence() + 1)}
	}
}

func (p *parser) unary() ast.Expr {
	switch op := p.operator(); op {
	case token.ADD, token.SUB, token.NOT, token.XOR:
		p.take(op.String())
		return &ast.UnaryExpr{Op: op, X: p.unary()}
	}
	return p.operand()
}

// operand reads what is no operation.
func (p *parser) operand() (e ast.Expr) {
	switch name := p.word(); {
	case name == "" && p.take("("):
		e = &ast.ParenExpr{X: p.binary(token.LowestPrec + 1)}
		p.need(")")
	case name == "":
		p.fail()
	case name[0] >= '0' && name[0] <= '9':
		e = p.number(name)
	case p.bound[name] != nil:
		e = &ast.ParenExpr{X: p.bound[name]}
	default:
		e = &ast.Ident{Name: name}
	}
	for {
		switch {
		case p.take("("):
			e = p.call(e)
		case p.take("."):
			e = &ast.SelectorExpr{X: e, Sel: &ast.Ident{Name: p.word()}}
		default:
			return e
		}
	}
}

// number reads the rest of a number that begins with these digits: as they are, with a fraction, or
// with an exponent.
func (p *parser) number(digits string) ast.Expr {
	lit := &ast.BasicLit{Kind: token.INT, Value: digits}
	if strings.HasPrefix(digits, "0x") {
		return lit
	}
	if p.take(".") {
		lit.Value += "." + p.word()
	}
	if strings.HasSuffix(lit.Value, "e") {
		for _, sign := range [...]string{"-", "+"} {
			if p.take(sign) {
				lit.Value += sign
				break
			}
		}
		lit.Value += p.word()
	}
	if strings.ContainsAny(lit.Value, ".e") {
		lit.Kind = token.FLOAT
	}
	return lit
}

// call reads operands up to the parenthesis that closes them.
func (p *parser) call(f ast.Expr) ast.Expr {
	call := &ast.CallExpr{Fun: f}
	for !p.take(")") {
		if len(call.Args) > 0 {
			p.need(",")
		}
		call.Args = append(call.Args, p.binary(token.LowestPrec+1))
	}
	return call
}

// parts are the expressions that e computes with: neither the function that it calls nor the field that it takes.
func parts(e ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return []ast.Expr{e.X}
	case *ast.UnaryExpr:
		return []ast.Expr{e.X}
	case *ast.BinaryExpr:
		return []ast.Expr{e.X, e.Y}
	case *ast.SelectorExpr:
		return []ast.Expr{e.X}
	case *ast.CallExpr:
		return e.Args
	}
	return nil
}

// operator is the operator that comes next, ILLEGAL if none does.
func (p *parser) operator() token.Token {
	p.take("")
	for _, op := range operators {
		if strings.HasPrefix(p.text[p.at:], op.String()) {
			return op
		}
	}
	return token.ILLEGAL
}

// word is the name or the digits that come next, empty if there are none.
func (p *parser) word() string {
	p.take("")
	rest := p.text[p.at:]
	n := strings.IndexFunc(rest+" ", func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	p.at += n
	return rest[:n]
}

// take reads s, if it comes next after blanks.
func (p *parser) take(s string) bool {
	rest := strings.TrimLeft(p.text[p.at:], " \t\n")
	p.at = len(p.text) - len(rest)
	if !strings.HasPrefix(rest, s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *parser) need(s string) {
	if !p.take(s) {
		p.fail()
	}
}
