package d3d9

import (
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// maxConditionDepth bounds how deep the expression of an #if nests, so that the
// evaluator's recursion is bounded for any input.
const maxConditionDepth = 64

// evaluator computes the expression of an #if by recursive descent, one method a level: choice,
// binary (with a level of precedence), unary. As in vkd3d, numbers are unsigned words, names that
// are not macros are 0, and a division by zero divides by 1. There is no short circuit: the
// evaluator computes both sides of && and ||, which have no effects.
type evaluator struct {
	tokens []token // not read yet
	depth  int     // open calls of unary
	failed bool    // there is no valid expression; results of the methods are meaningless
}

// condition evaluates the expression of an #if or #elif. It resolves defined() before macros
// expand, as the C standard demands (6.10.1), because "defined FOO" asks for the name FOO. It
// reports an invalid expression, or text after its end, and returns false for it.
func (lx *lexer) condition(at asm.Pos, text string) bool {
	call := token{file: at.File, line: at.Line, col: at.Col}
	x := expander{lx: lx, macros: lx.macros, call: call}
	tokens := lx.settleDefined(lx.tokensOf(at, text))
	if lx.directed > maxDirected { // already reported
		return true
	}
	// Without macros nothing can expand, and the expander takes nil for "given up".
	if lx.macros != nil {
		tokens = x.expand(nil, tokens, nil)
	}
	e := evaluator{tokens: tokens}
	value := e.choice()
	if len(e.tokens) > 0 || e.failed {
		lx.diags.add(asm.Errorf(at, "condition", "%q is not a condition", asm.Clip(strings.TrimSpace(text))))
		return false
	}
	return value != 0
}

// settleDefined replaces defined NAME and defined(NAME) by 1 or 0. It keeps any other use of the
// word; the evaluator then reads a name and fails at the next token.
func (lx *lexer) settleDefined(tokens []token) (out []token) {
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.kind == tokWord && t.text == "defined" {
			name := i + 1
			end := name
			if name+2 < len(tokens) && tokens[name].isPunct('(') && tokens[name+2].isPunct(')') {
				name, end = name+1, name+2
			}
			if name < len(tokens) && tokens[name].kind == tokWord {
				t.kind, t.text = tokNumber, "0"
				if lx.macros[tokens[name].text] != nil {
					t.text = "1"
				}
				i = end
			}
		}
		out = append(out, t)
	}
	return out
}

// precedences lists the binary operators, lowest precedence first: those of C without shifts, as in
// vkd3d's preprocessor.
var precedences = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"+", "-"},
	{"*", "/"}}

// truthWord returns a truth value as in C: 1 or 0.
func truthWord(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// apply computes one operation on unsigned words. The default case is division.
func apply(op string, a, b uint32) uint32 {
	switch op {
	case "||":
		return truthWord(a != 0 || b != 0)
	case "&&":
		return truthWord(a != 0 && b != 0)
	case "|":
		return a | b
	case "^":
		return a ^ b
	case "&":
		return a & b
	case "==":
		return truthWord(a == b)
	case "!=":
		return truthWord(a != b)
	case "<":
		return truthWord(a < b)
	case ">":
		return truthWord(a > b)
	case "<=":
		return truthWord(a <= b)
	case ">=":
		return truthWord(a >= b)
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	}
	return a / max(b, 1)
}

// operator takes the next token if it is one of the given operators, and returns it.
func (e *evaluator) operator(any ...string) (string, bool) {
	if len(e.tokens) > 0 && e.tokens[0].kind == tokPunct {
		for _, op := range any {
			if e.tokens[0].text == op {
				e.tokens = e.tokens[1:]
				return op, true
			}
		}
	}
	return "", false
}

// choice reads a ? b : c, or anything that binds closer. Unlike C, it groups from the left, because
// an expression in vkd3d's grammar is "expr ? logicor : logicor". So a ? b : c ? d : e is (a ? b :
// c) ? d : e.
func (e *evaluator) choice() uint32 {
	value := e.binary(0)
	for {
		if _, ok := e.operator("?"); !ok {
			return value
		}
		a := e.binary(0)
		if _, ok := e.operator(":"); !ok {
			e.failed = true
			return 0
		}
		b := e.binary(0)
		if value != 0 {
			value = a
		} else {
			value = b
		}
	}
}

// binary reads operators of the given level of precedences and those that bind closer,
// from left to right.
func (e *evaluator) binary(level int) uint32 {
	if level == len(precedences) {
		return e.unary()
	}
	value := e.binary(level + 1)
	for {
		op, ok := e.operator(precedences[level]...)
		if !ok {
			return value
		}
		value = apply(op, value, e.binary(level+1))
	}
}

// unary reads a number, a name, an expression in parentheses, or a prefix operator with its
// operand. It counts the depth because every nesting passes through it.
func (e *evaluator) unary() uint32 {
	if e.depth++; e.depth > maxConditionDepth {
		e.failed = true
	}
	defer func() { e.depth-- }()
	if e.failed || len(e.tokens) == 0 {
		e.failed = true
		return 0
	}
	// A missing operator is "", which no case matches.
	switch op, _ := e.operator("-", "+", "!", "("); op {
	case "-":
		return -e.unary()
	case "+":
		return e.unary()
	case "!":
		return truthWord(e.unary() == 0)
	case "(":
		value := e.choice()
		if _, ok := e.operator(")"); !ok {
			e.failed = true
		}
		return value
	}
	t := e.tokens[0]
	e.tokens = e.tokens[1:]
	if t.kind == tokWord {
		return 0
	}
	value, err := strconv.ParseUint(t.text, 0, 32)
	if t.kind != tokNumber || err != nil {
		e.failed = true
	}
	// The lexer reads 1u as a number and a word; they belong together if they are adjacent.
	if len(e.tokens) > 0 && e.tokens[0].kind == tokWord && e.tokens[0].start == t.end &&
		strings.Trim(e.tokens[0].text, "uUlL") == "" {
		e.tokens = e.tokens[1:] // the suffix of an integer
	}
	return uint32(value)
}
