package d3d9

import (
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// maxConditionDepth bounds how deep an #if nests.
const maxConditionDepth = 64

// evaluator computes the expression of an #if. Numbers are unsigned words, names that are
// no macros 0, and a division by zero one by 1, as vkd3d has it.
type evaluator struct {
	tokens []token
	depth  int
	failed bool
}

// condition decides the expression of an #if or #elif.
func (lx *lexer) condition(at asm.Pos, text string) bool {
	call := token{file: at.File, line: at.Line, col: at.Col}
	x := expander{lx: lx, macros: lx.macros, call: call}
	tokens := lx.settleDefined(lx.tokensOf(at, text))
	if lx.macros != nil {
		tokens = x.expand(nil, tokens, nil)
	}
	e := evaluator{tokens: tokens}
	value := e.choice()
	if len(e.tokens) > 0 || e.failed {
		lx.diags.add(asm.Errorf(at, "condition", "%q is no condition", clip(strings.TrimSpace(text))))
		return false
	}
	return value != 0
}

// settleDefined puts 1 and 0 in the place of defined NAME and defined(NAME).
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

// precedences are the binary operators, from those that bind least.
var precedences = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"+", "-"}, {"*", "/"}}

func word(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

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

// operator takes the next token if it is one of these.
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

// choice reads a ? b : c, or anything that binds closer.
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

func (e *evaluator) unary() uint32 {
	if e.depth++; e.depth > maxConditionDepth {
		e.failed = true
	}
	defer func() { e.depth-- }()
	if e.failed || len(e.tokens) == 0 {
		e.failed = true
		return 0
	}
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
	if len(e.tokens) > 0 && e.tokens[0].kind == tokWord && e.tokens[0].start == t.end && strings.Trim(e.tokens[0].text, "uUlL") == "" {
		e.tokens = e.tokens[1:] // the suffix of an integer
	}
	return uint32(value)
}
