package d3d9

import (
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// maxConditionDepth bounds how deep the expression of an #if nests, so that the
// evaluator's recursion is bounded for any input.
const maxConditionDepth = 64

// evaluator computes the expression of an #if by recursive descent, one method a level:
// choice, binary (with a level of precedence), unary. Numbers are unsigned words, names
// that are no macros 0, and a division by zero one by 1, as vkd3d has it. Nothing is
// left out: both sides of && and || are evaluated, which has no effects.
type evaluator struct {
	tokens []token // what is left to read
	depth  int     // how many calls of unary are open
	failed bool    // there is no expression, and what the methods return means nothing
}

// condition decides the expression of an #if or #elif. It settles defined() before
// macros expand, as the C standard demands (6.10.1), for "defined FOO" asks for FOO's
// name. An expression that is none, or goes on after its end, is reported and counts as
// false.
func (lx *lexer) condition(at asm.Pos, text string) bool {
	call := token{file: at.File, line: at.Line, col: at.Col}
	x := expander{lx: lx, macros: lx.macros, call: call}
	tokens := lx.settleDefined(lx.tokensOf(at, text))
	// Without macros nothing can expand, and the expander takes nil for "given up".
	if lx.macros != nil {
		tokens = x.expand(nil, tokens, nil)
	}
	e := evaluator{tokens: tokens}
	value := e.choice()
	if len(e.tokens) > 0 || e.failed {
		lx.diags.add(asm.Errorf(at, "condition", "%q is no condition", asm.Clip(strings.TrimSpace(text))))
		return false
	}
	return value != 0
}

// settleDefined puts 1 and 0 in the place of defined NAME and defined(NAME). Whatever
// else follows the word defined leaves it as it is; the evaluator then finds a name,
// then something unexpected.
func (lx *lexer) settleDefined(tokens []token) (out []token) {
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.kind == tokWord && t.text == "defined" {
			name := i + 1
			end := name
			if name+2 < len(tokens) && tokens[name].is('(') && tokens[name+2].is(')') {
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

// precedences are the binary operators, from those that bind least: those of C without
// shifts, as in vkd3d's preprocessor.
var precedences = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"+", "-"}, {"*", "/"}}

// word is a truth value as C has it.
func word(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// apply computes one operation on unsigned words; what is not in the switch is a
// division.
func apply(op string, a, b uint32) uint32 {
	switch op {
	case "||":
		return word(a != 0 || b != 0)
	case "&&":
		return word(a != 0 && b != 0)
	case "|":
		return a | b
	case "^":
		return a ^ b
	case "&":
		return a & b
	case "==":
		return word(a == b)
	case "!=":
		return word(a != b)
	case "<":
		return word(a < b)
	case ">":
		return word(a > b)
	case "<=":
		return word(a <= b)
	case ">=":
		return word(a >= b)
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	}
	return a / max(b, 1)
}

// operator takes the next token if it is one of these, and says which.
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

// choice reads a ? b : c, or anything that binds closer. It groups from the left: in
// vkd3d's grammar, an expression is "expr ? logicor : logicor", so a ? b : c ? d : e is
// (a ? b : c) ? d : e, unlike C.
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

// unary reads a number, a name, an expression in parentheses, or a prefix operator with
// its operand. Every nesting passes through here, so this is where the depth is
// counted.
func (e *evaluator) unary() uint32 {
	if e.depth++; e.depth > maxConditionDepth {
		e.failed = true
	}
	defer func() { e.depth-- }()
	if e.failed || len(e.tokens) == 0 {
		e.failed = true
		return 0
	}
	// An operator that is not there is "", which no case takes.
	switch op, _ := e.operator("-", "+", "!", "("); op {
	case "-":
		return -e.unary()
	case "+":
		return e.unary()
	case "!":
		return word(e.unary() == 0)
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
	// The lexer reads 1u as a number and a word; they belong together if nothing stands
	// between them.
	if len(e.tokens) > 0 && e.tokens[0].kind == tokWord && e.tokens[0].start == t.end && strings.Trim(e.tokens[0].text, "uUlL") == "" {
		e.tokens = e.tokens[1:] // the suffix of an integer
	}
	return uint32(value)
}
