package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// parser reads the expressions of rules: calls, fields, names, decimal and hexadecimal numbers, parentheses
// and operators of Go. Go's own parser would add a fortieth to a program that links this package, and rules
// need little of it.
type parser struct {
	text string
	at   int
	// bound maps names to the expressions that replace them.
	bound map[string]ast.Expr
}

// operators are ordered so that none is a prefix of a later one.
var operators = []token.Token{
	token.LAND, token.LOR, token.EQL, token.NEQ, token.LEQ, token.GEQ, token.SHL, token.SHR, token.LSS, token.GTR, token.NOT,
	token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR,
}

// parse reads an expression and replaces bound names. It panics on an error: rules are part of the program.
func parse(text string, bound map[string]ast.Expr) ast.Expr {
	p := parser{text: text, bound: bound}
	e := p.binary(token.LowestPrec + 1)
	if p.at < len(p.text) {
		p.fail()
	}
	return e
}

func (p *parser) fail() { panic(fmt.Sprintf("rules: %s: no expression at %q", p.text, p.text[p.at:])) }

// binary reads operations of at least the given precedence.
func (p *parser) binary(least int) ast.Expr {
	x := p.unary()
	for {
		op := p.operator()
		if op.Precedence() < least {
			return x
		}
		p.acceptText(op.String())
		x = &ast.BinaryExpr{X: x, Op: op, Y: p.binary(op.Precedence() + 1)}
	}
}

func (p *parser) unary() ast.Expr {
	switch op := p.operator(); op {
	case token.ADD, token.SUB, token.NOT, token.XOR:
		p.acceptText(op.String())
		return &ast.UnaryExpr{Op: op, X: p.unary()}
	}
	return p.operand()
}

// operand reads an expression without a top-level operator.
func (p *parser) operand() (e ast.Expr) {
	switch name := p.nextWord(); {
	case name == "" && p.acceptText("("):
		e = &ast.ParenExpr{X: p.binary(token.LowestPrec + 1)}
		p.expectText(")")
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
		case p.acceptText("("):
			e = p.call(e)
		case p.acceptText("."):
			e = &ast.SelectorExpr{X: e, Sel: &ast.Ident{Name: p.nextWord()}}
		default:
			return e
		}
	}
}

// number reads the rest of a number that begins with these digits: an integer, or one with a fraction or an
// exponent.
func (p *parser) number(digits string) ast.Expr {
	lit := &ast.BasicLit{Kind: token.INT, Value: digits}
	if strings.HasPrefix(digits, "0x") {
		return lit
	}
	if p.acceptText(".") {
		lit.Value += "." + p.nextWord()
	}
	if strings.HasSuffix(lit.Value, "e") {
		for _, sign := range [...]string{"-", "+"} {
			if p.acceptText(sign) {
				lit.Value += sign
				break
			}
		}
		lit.Value += p.nextWord()
	}
	if strings.ContainsAny(lit.Value, ".e") {
		lit.Kind = token.FLOAT
	}
	return lit
}

// call reads operands up to the closing parenthesis.
func (p *parser) call(f ast.Expr) ast.Expr {
	call := &ast.CallExpr{Fun: f}
	for !p.acceptText(")") {
		if len(call.Args) > 0 {
			p.expectText(",")
		}
		call.Args = append(call.Args, p.binary(token.LowestPrec+1))
	}
	return call
}

// parts returns the subexpressions of e that are values: neither the called function nor the selected field.
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

// operator returns the next operator, or ILLEGAL.
func (p *parser) operator() token.Token {
	p.acceptText("")
	for _, op := range operators {
		if strings.HasPrefix(p.text[p.at:], op.String()) {
			return op
		}
	}
	return token.ILLEGAL
}

// nextWord returns the next name or digits, or "".
func (p *parser) nextWord() string {
	p.acceptText("")
	rest := p.text[p.at:]
	n := strings.IndexFunc(rest+" ", func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	p.at += n
	return rest[:n]
}

// acceptText consumes s, if it comes next after blanks.
func (p *parser) acceptText(s string) bool {
	rest := strings.TrimLeft(p.text[p.at:], " \t\n")
	p.at = len(p.text) - len(rest)
	if !strings.HasPrefix(rest, s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *parser) expectText(s string) {
	if !p.acceptText(s) {
		p.fail()
	}
}
