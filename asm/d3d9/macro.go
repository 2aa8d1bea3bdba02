package d3d9

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// Bounds on macro expansion, far beyond any real program. Ten macros that each name the previous
// one ten times expand to 10^10 tokens, in eleven lines.
const (
	// macros within macros
	maxExpansionDepth = 64
	// tokens of the expansion of one name in the source, including intermediate ones
	maxExpansion = 1 << 16
	// tokens of the expansions of all macros of a program
	maxExpanded = 1 << 20
	// tokens in the directives of a program, or in the arguments of one call. A token takes over a
	// hundred bytes of memory, but its text may be one byte.
	maxDirected = 1 << 16
)

// macro is the definition in a #define. It is immutable; a second #define of the name makes another
// macro, without an error (vkd3d warns).
type macro struct {
	name string
	pos  asm.Pos
	// it has a parameter list, which may be empty
	function bool
	// the parameters' places in the list, by name
	params map[string]int
	// its tokens, unexpanded
	body []token
}

// define enters the macro in the rest of a #define line. As in C, it has parameters if a
// parenthesis follows its name without a blank:
//
//	#define F(x) x    // function, F(1) is 1
//	#define G (x)     // no function, G(1) is (x)(1)
func (lx *lexer) define(at asm.Pos, rest string) {
	name, body := cutWord(rest)
	m := &macro{name: name, pos: at}
	switch {
	case name == "" || isDigit(name[0]):
		lx.diags.add(asm.Errorf(at, "macro", "#define needs a name"))
		return
	case reserved(name):
		// The printer keeps a text's #defines and writes changed statements in canonical form below
		// them. If r0 were a macro, the printed statement would change its meaning.
		lx.needFlat()
	}
	if list, ok := strings.CutPrefix(body, "("); ok {
		m.function = true
		params, rest, ok := strings.Cut(list, ")")
		names := strings.Split(params, ",")
		if len(names) == 1 && strings.TrimSpace(params) == "" {
			names = nil
		}
		m.params = make(map[string]int, len(names))
		for i, p := range names {
			word, after := cutWord(p)
			_, taken := m.params[word]
			// cutWord leaves one blank if nothing follows.
			ok = ok && word != "" && !isDigit(word[0]) && after == " " && !taken
			m.params[word] = i
		}
		if !ok {
			lx.diags.add(asm.Errorf(at, "macro", "the parameters of a macro must be different names, separated by commas, in parentheses"))
			return
		}
		body = rest
	}
	m.body = lx.tokensOf(at, body)
	if lx.macros == nil {
		lx.macros = map[string]*macro{}
	}
	lx.macros[name] = m
}

// tokensOf splits the rest of a directive, which has been spliced to one line. It uses a separate
// lexer without macros and drops comment blocks. Positions are those of the directive's line.
func (lx *lexer) tokensOf(at asm.Pos, text string) (tokens []token) {
	sub := lexer{source: newSource(lx.file, text), diags: lx.diags}
	sub.line, sub.lineStart, sub.fresh = at.Line, -at.Col, false
	// The tokens are counted first, so that their list is allocated once.
	counter, n := sub, 0
	for counter.diags = new(diagList); counter.scan().kind != tokEOF; n++ {
		if lx.directed++; lx.directed > maxDirected {
			lx.diags.add(asm.Errorf(at, "macro-expansion", "directives have more than %d tokens", maxDirected))
			lx.abandon()
			return nil
		}
	}
	tokens = make([]token, 0, n)
	for t := sub.scan(); t.kind != tokEOF; t = sub.scan() {
		if t.kind != tokComment {
			tokens = append(tokens, t)
		}
	}
	return tokens
}

// reserved reports whether the printer may write the word: a register, components, a mnemonic with
// or without suffixes, or a boolean.
func reserved(name string) bool {
	word := lower(name)
	if _, _, suffix, ok := lookupReg(word); ok && suffix == "" || strings.Trim(word, "xyzw") == "" {
		return true
	}
	base, _, _ := strings.Cut(word, "_")
	return len(opsByName[base]) > 0 || word == "true" || word == "false"
}

// cutWord splits off the first word of s and removes the blanks before the rest. A parenthesis
// directly after the word stays at the start of the rest.
func cutWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t")
	n := 0
	for n < len(s) && isWord(s[n]) {
		n++
	}
	return s[:n], trimAfterWord(s[n:])
}

// trimAfterWord replaces the blanks between a macro's name and its body by one. A parenthesis after
// a blank does not open a parameter list.
func trimAfterWord(s string) string {
	if strings.HasPrefix(s, "(") {
		return s
	}
	return " " + strings.TrimLeft(s, " \t")
}

// expandAt expands the word t of the source, if it is a macro, and puts its tokens into pending.
// The algorithm is Prosser's for C, with painted tokens (C standard, 6.10.3.4). The name of a macro
// that comes out of its own expansion is marked and never expanded again.
//
// The name of a function macro without a parenthesis after it stays a plain word, as in C.
func (lx *lexer) expandAt(t token) bool {
	m := lx.macros[t.text]
	if m == nil {
		return false
	}
	args, end, ok := lx.arguments(m, t)
	if !ok {
		return false
	}
	x := expander{lx: lx, macros: lx.macros, call: t}
	list := x.expand(nil, x.substitute(m, args, t, nil), &scope{m, nil})
	// The last token may be the name of a function macro whose arguments follow the call:
	//
	//	#define F(x) mov r0, x
	//	#define G F
	//	G(c0)  ->  F(c0)  ->  mov r0, c0
	for len(list) > 0 {
		last := list[len(list)-1]
		m := lx.macros[last.text]
		if last.kind != tokWord || last.painted || m == nil || !m.function {
			break
		}
		args, to, ok := lx.arguments(m, last)
		if !ok {
			break
		}
		end = to
		list = x.expand(list[:len(list)-1], x.substitute(m, args, last, nil), &scope{m, nil})
	}
	// Every token has the place of the whole call. The parser takes a statement's text from the
	// start of its first token to the end of its last one.
	for i := range list {
		list[i].start, list[i].end = t.start, max(t.end, end)
		list[i].expanded, list[i].inner, list[i].blank = true, i > 0, ""
	}
	if len(list) > 0 {
		list[0].blank = t.blank
	}
	lx.pending = list
	return true
}

// arguments reads the arguments of a call of m from the source, unexpanded, and the end of the
// call. ok is false if m needs arguments and there are none. If no parenthesis follows, arguments
// rewinds the source to right after the name, so that blanks belong to the next token.
func (lx *lexer) arguments(m *macro, name token) (args [][]token, end int, ok bool) {
	if !m.function {
		return nil, 0, true
	}
	old, blank := lx.source, len(lx.blank)
	lx.skipBlank()
	if lx.pos >= len(lx.src) || lx.src[lx.pos] != '(' {
		lx.source, lx.blank = old, lx.blank[:blank]
		return nil, 0, false
	}
	var list []token
	for depth := 0; ; {
		t := lx.scan()
		if t.kind == tokEOF {
			lx.reportMacro(name, "macro", "the call of macro %s has no end", m.name)
			return nil, 0, false
		}
		if len(list) == maxDirected {
			lx.reportMacro(name, "macro-expansion", "the call of macro %s has more than %d tokens", m.name, maxDirected)
			lx.abandon()
			return nil, 0, false
		}
		list = append(list, t)
		if depth += bracket(t); depth == 0 {
			args, _ = callOf(list)
			return args, t.end, lx.arity(m, args, name)
		}
	}
}

// arity reports whether a call of m has the right number of arguments, and emits a diagnostic if
// not. F() has one empty argument by its commas, which is right for macros with zero or one
// parameter.
func (lx *lexer) arity(m *macro, args [][]token, name token) bool {
	if len(args) == len(m.params) || len(m.params) == 0 && len(args) == 1 && len(args[0]) == 0 {
		return true
	}
	lx.reportMacro(name, "macro", "macro %s has %d parameters, not %d", m.name, len(m.params), len(args))
	return false
}

func (lx *lexer) reportMacro(at token, code asm.Code, format string, args ...any) {
	lx.diags.add(asm.Errorf(asm.Pos{File: at.file, Line: at.line, Col: at.col}, code, format, args...))
}

// bracket returns the change of nesting depth at a token: commas separate arguments outside
// brackets of any kind. C counts only parentheses; here c[a0.x, 1] is not split either.
func bracket(t token) int {
	switch {
	case t.isPunct('('), t.isPunct('['), t.isPunct('{'):
		return 1
	case t.isPunct(')'), t.isPunct(']'), t.isPunct('}'):
		return -1
	}
	return 0
}

// callOf splits the arguments of the call at the start of tokens, after the name. n is the number
// of their tokens with the parentheses, or 0 if there is no complete call. The arguments alias
// tokens and must not be appended to.
func callOf(tokens []token) (args [][]token, n int) {
	if len(tokens) == 0 || !tokens[0].isPunct('(') {
		return nil, 0
	}
	depth, from := 0, 1
	for i, t := range tokens {
		depth += bracket(t)
		if depth == 0 || depth == 1 && t.isPunct(',') {
			args = append(args, tokens[from:i])
			from = i + 1
		}
		if depth == 0 {
			return args, i + 1
		}
	}
	return nil, 0
}

// expander expands one name in the source. The zero values of depth and made are right. macros is
// the lexer's, or nil once a bound is exceeded, which ends the expansion quickly.
type expander struct {
	lx *lexer
	// nil if expansion has been given up
	macros map[string]*macro
	// the name in the source, for diagnostics
	call token
	// open calls of expand
	depth int
	// tokens so far
	made int
}

// scope is the list of macros being expanded, innermost first, which the calls of expand share.
type scope struct {
	macro *macro
	outer *scope
}

// isExpanding reports whether m is being expanded.
func (s *scope) isExpanding(m *macro) bool {
	for ; s != nil; s = s.outer {
		if s.macro == m {
			return true
		}
	}
	return false
}

// appendToken appends and counts a token, and gives up at the bound. Every token passes through here at
// every level, so the bound limits the work as well as the result.
func (x *expander) appendToken(out []token, t token) []token {
	x.made++
	x.lx.expanded++
	switch {
	case x.macros == nil:
		return out
	case x.made > maxExpansion:
		x.giveUp("macros expand to more than %d tokens here", maxExpansion)
	case x.lx.expanded > maxExpanded:
		x.giveUp("macros expand to more than %d tokens", maxExpanded)
	}
	return append(out, t)
}

// giveUp reports the bound and disables macros for the rest of the program, so that there is one
// diagnostic.
func (x *expander) giveUp(format string, args ...any) {
	x.lx.reportMacro(x.call, "macro-expansion", format, args...)
	x.macros, x.lx.macros = nil, nil
}

// expand appends the expansion of tokens to out. The tokens come from the macros in within, whose
// names stay, painted.
func (x *expander) expand(out, tokens []token, within *scope) []token {
	if x.depth++; x.depth > maxExpansionDepth && x.macros != nil {
		x.giveUp("macros nest more than %d deep", maxExpansionDepth)
	}
	defer func() { x.depth-- }()
	for i := 0; i < len(tokens) && x.macros != nil; i++ {
		t := tokens[i]
		m := x.macros[t.text]
		if t.kind != tokWord || t.painted || m == nil {
			out = x.appendToken(out, t)
			continue
		}
		// painted stays with the token, because an outer level may scan it again, where within no
		// longer has m.
		if within.isExpanding(m) {
			t.painted = true
			out = x.appendToken(out, t)
			continue
		}
		var args [][]token
		if m.function {
			// Unlike in expandAt, the arguments have to be among these tokens.
			var n int
			if args, n = callOf(tokens[i+1:]); n == 0 || !x.lx.arity(m, args, t) {
				out = x.appendToken(out, t)
				continue
			}
			i += n
		}
		out = x.expand(out, x.substitute(m, args, t, within), &scope{m, within})
	}
	return out
}

// substitute returns the body of m with arguments in place of parameters. It expands arguments
// first, even next to ##, while C does not expand operands of ##. It joins tokens at ## in bodies
// of macros with parameters. vkd3d, whose tests agree with Microsoft's assembler, does the same. A
// # would make a string, which the assembler does not have, and stays.
//
// Joining is textual: the last token of out and the next one are concatenated and split again. So r
// ## 1 is the word r1, and 1 ## r0 is a number and a word.
func (x *expander) substitute(m *macro, args [][]token, at token, within *scope) (out []token) {
	values := make([][]token, len(m.params))
	for i := range values {
		values[i] = x.expand(nil, args[i], within)
	}
	join := false
	put := func(t token) {
		if join && len(out) > 0 {
			last := out[len(out)-1]
			out = x.split(out[:len(out)-1], last, last.text+t.text)
		} else {
			out = x.appendToken(out, t)
		}
		join = false
	}
	for _, t := range m.body {
		if m.function && t.isOperator("##") {
			join = true
			continue
		}
		if i, ok := m.params[t.text]; ok && t.kind == tokWord {
			for _, v := range values[i] {
				put(v)
			}
			join = false // the ## before an empty argument joins nothing
			continue
		}
		t.file, t.line, t.col, t.macro = at.file, at.line, at.col, m
		put(t)
	}
	return out
}

// split appends the tokens of a joined text, with the place of t.
func (x *expander) split(out []token, t token, text string) []token {
	for at := 0; at < len(text); {
		from := at
		t.kind, at = lexeme(text, at)
		t.text = text[from:at]
		out = x.appendToken(out, t)
	}
	return out
}

// isOperator reports whether t is an operator of two characters.
func (t *token) isOperator(operator string) bool { return t.kind == tokPunct && t.text == operator }
