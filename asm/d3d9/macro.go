package d3d9

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// Bounds on macro expansion, far beyond any real program. Ten macros that name the one
// before them ten times come to 10^10 tokens, in eleven lines.
const (
	// macros within macros
	maxExpansionDepth = 64
	// tokens that one name in the source comes to, those on the way to them included
	maxExpansion = 1 << 17
	// tokens that all macros of a program come to
	maxExpanded = 1 << 20
)

// macro is what a #define says. It does not change; a second #define of the name makes
// another one, which is no error (vkd3d warns).
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

// define enters the macro that the rest of a #define line describes. As in C, it has
// parameters if a parenthesis follows its name without a blank:
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
		// The printer keeps a text's #defines and spells changed statements in
		// canonical form below them. If r0 were a macro, what it prints would mean
		// something else.
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
			// cutWord leaves one blank where nothing follows.
			ok = ok && word != "" && !isDigit(word[0]) && after == " " && !taken
			m.params[word] = i
		}
		if !ok {
			lx.diags.add(asm.Errorf(at, "macro", "the parameters of a macro are different names with commas between them, in parentheses"))
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

// tokensOf splits the rest of a directive, which has been spliced to one line: a lexer
// of its own reads it, that knows no macros. Comment blocks in it are dropped.
// Positions are those of the directive's line.
func (lx *lexer) tokensOf(at asm.Pos, text string) (tokens []token) {
	sub := lexer{source: newSource(lx.file, text), diags: lx.diags}
	sub.line, sub.lineStart, sub.fresh = at.Line, -at.Col, false
	for t := sub.scan(); t.kind != tokEOF; t = sub.scan() {
		if t.kind != tokComment {
			tokens = append(tokens, t)
		}
	}
	return tokens
}

// reserved reports whether a word is a register, components, a mnemonic with or without
// suffixes, or a boolean, which the printer may write.
func reserved(name string) bool {
	word := lower(name)
	if _, _, suffix, ok := lookupReg(word); ok && suffix == "" || strings.Trim(word, "xyzw") == "" {
		return true
	}
	base, _, _ := strings.Cut(word, "_")
	return len(opsByName[base]) > 0 || word == "true" || word == "false"
}

// cutWord splits off the word that s begins with; blanks before the rest go.
// A parenthesis right after the word stays in front of the rest.
func cutWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t")
	n := 0
	for n < len(s) && isWord(s[n]) {
		n++
	}
	return s[:n], trimAfterWord(s[n:])
}

// trimAfterWord drops the blanks between a macro's name and its body; where
// there are some, a parenthesis does not open a parameter list.
func trimAfterWord(s string) string {
	if strings.HasPrefix(s, "(") {
		return s
	}
	return " " + strings.TrimLeft(s, " \t")
}

// expandAt expands the word t of the source, if it is a macro, into the tokens that are
// pending. The algorithm is Prosser's for C, with painted tokens: the name of a macro
// that comes out of its own expansion is marked and never expanded again (C standard,
// 6.10.3.4).
//
// A function macro whose name no parenthesis follows stays a plain word, as in C.
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
	// The last token may be the name of a function macro whose arguments stand behind
	// the call:
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
	// Every token has the place of the whole call, for the parser cuts a statement's
	// text from where its first token starts to where its last one ends.
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

// arguments reads those of a call of m from the source; ok is false where there are
// none, though m wants some. end is where the call ends. If no parenthesis follows, the
// source is rewound to right after the name, so that blanks belong to the next token.
// The arguments are not expanded yet.
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
		list = append(list, t)
		if depth += bracket(t); depth == 0 {
			args, _ = callOf(list)
			return args, t.end, lx.arity(m, args, name)
		}
	}
}

// arity reports whether a call of m has the right number of arguments, and says if not.
// F() has one empty argument by its commas, which is right for a macro without
// parameters as well as for one with one.
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

// bracket is by how much a token nests what follows it: commas separate arguments
// outside brackets of any kind. C knows parentheses only; here c[a0.x, 1] would not be
// split either.
func bracket(t token) int {
	switch {
	case t.is('('), t.is('['), t.is('{'):
		return 1
	case t.is(')'), t.is(']'), t.is('}'):
		return -1
	}
	return 0
}

// callOf splits the arguments of the call that tokens begin with, after the name. n is
// how many tokens they take with their parentheses, 0 where there is no call or it has
// no end. The arguments are parts of tokens and must not be appended to.
func callOf(tokens []token) (args [][]token, n int) {
	if len(tokens) == 0 || !tokens[0].is('(') {
		return nil, 0
	}
	depth, from := 0, 1
	for i, t := range tokens {
		depth += bracket(t)
		if depth == 0 || depth == 1 && t.is(',') {
			args = append(args, tokens[from:i])
			from = i + 1
		}
		if depth == 0 {
			return args, i + 1
		}
	}
	return nil, 0
}

// expander expands what one name in the source stands for. The zero value of depth and
// made is right; macros is the lexer's, or nil once a bound has been met, which ends
// everything quickly.
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

// scope is the macros being expanded, the innermost first: a list that the calls of
// expand share.
type scope struct {
	macro *macro
	outer *scope
}

// has reports whether m is being expanded.
func (s *scope) has(m *macro) bool {
	for ; s != nil; s = s.outer {
		if s.macro == m {
			return true
		}
	}
	return false
}

// add counts a token, and gives up where there are too many. Every token passes through
// here at every level, so the work is bounded too, not only the result.
func (x *expander) add(out []token, t token) []token {
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

// giveUp reports the bound and turns off macros for the rest of the program: names stay
// as they are. One diagnostic is enough.
func (x *expander) giveUp(format string, args ...any) {
	x.lx.reportMacro(x.call, "macro-expansion", format, args...)
	x.macros, x.lx.macros = nil, nil
}

// expand appends what tokens stand for to out. Macros of within are those that tokens
// came out of; their names stay, painted.
func (x *expander) expand(out, tokens []token, within *scope) []token {
	if x.depth++; x.depth > maxExpansionDepth && x.macros != nil {
		x.giveUp("macros nest more than %d deep", maxExpansionDepth)
	}
	defer func() { x.depth-- }()
	for i := 0; i < len(tokens) && x.macros != nil; i++ {
		t := tokens[i]
		m := x.macros[t.text]
		if t.kind != tokWord || t.painted || m == nil {
			out = x.add(out, t)
			continue
		}
		// painted stays with the token, for it may be scanned again at an outer level,
		// where within does not have m any more.
		if within.has(m) {
			t.painted = true
			out = x.add(out, t)
			continue
		}
		var args [][]token
		if m.function {
			// Unlike at expandAt, the arguments have to be among these tokens.
			var n int
			if args, n = callOf(tokens[i+1:]); n == 0 || !x.lx.arity(m, args, t) {
				out = x.add(out, t)
				continue
			}
			i += n
		}
		out = x.expand(out, x.substitute(m, args, t, within), &scope{m, within})
	}
	return out
}

// substitute is the body of m with arguments in the place of parameters. They are
// expanded first, whatever stands beside them, while in C operands of ## are not;
// tokens are joined at ## where there are parameters. So does vkd3d, whose tests were
// held against Microsoft's. A # makes a string, which the assembler has none of, and is
// left to it.
//
// Joining is textual: the last token of out and the next one are put together and split
// again, so that r ## 1 is the word r1, and 1 ## r0 is a number and a word.
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
			out = x.add(out, t)
		}
		join = false
	}
	for _, t := range m.body {
		if m.function && t.is2("##") {
			join = true
			continue
		}
		if i, ok := m.params[t.text]; ok && t.kind == tokWord {
			for _, v := range values[i] {
				put(v)
			}
			join = false // the ## before an empty argument has nothing to join
			continue
		}
		t.file, t.line, t.col, t.macro = at.file, at.line, at.col, m
		put(t)
	}
	return out
}

// split appends the tokens of a text that was joined, with the place of t.
func (x *expander) split(out []token, t token, text string) []token {
	for at := 0; at < len(text); {
		from := at
		t.kind, at = lexeme(text, at)
		t.text = text[from:at]
		out = x.add(out, t)
	}
	return out
}

// is2 reports whether t is an operator of two characters.
func (t *token) is2(operator string) bool { return t.kind == tokPunct && t.text == operator }
