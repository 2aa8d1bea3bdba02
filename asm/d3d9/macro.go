package d3d9

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// Bounds on macro expansion, far beyond any real program.
const (
	maxExpansionDepth = 64
	maxExpanded       = 1 << 20 // tokens in a program
)

// macros are the object-like macros defined so far and the expansions under way.
type macros struct {
	defined  map[string][]token
	stack    []expansion
	started  bool // the next token is the first of an outermost expansion
	expanded int
}

// expansion is a macro whose body is being read.
type expansion struct {
	name string
	call token // the outermost name in the source
	body []token
}

// pop takes the next token of the innermost expansion.
func (m *macros) pop() (token, bool) {
	for len(m.stack) > 0 {
		top := &m.stack[len(m.stack)-1]
		if len(top.body) == 0 {
			m.stack = m.stack[:len(m.stack)-1]
			continue
		}
		t := top.call
		t.kind, t.text = top.body[0].kind, top.body[0].text
		t.expanded = true
		top.body = top.body[1:]
		if t.kind != tokWord || !m.expands(t.text) {
			t.inner = !m.started
			m.started = false
		}
		m.expanded++
		return t, true
	}
	return token{}, false
}

// expands reports whether name is a macro that is not under expansion already.
func (m *macros) expands(name string) bool {
	if _, ok := m.defined[name]; !ok || len(m.stack) >= maxExpansionDepth || m.expanded > maxExpanded {
		return false
	}
	for i := range m.stack {
		if m.stack[i].name == name {
			return false
		}
	}
	return true
}

// push begins the expansion of the word t, if it is a macro.
func (m *macros) push(lx *lexer, t token) bool {
	if len(m.defined) == 0 {
		return false
	}
	if m.expanded > maxExpanded {
		lx.diags.add(asm.Errorf(asm.Pos{File: lx.file, Line: t.line, Col: t.col}, "macro-expansion",
			"macros expand to more than %d tokens", maxExpanded))
		m.defined = nil
		return false
	}
	if !m.expands(t.text) {
		return false
	}
	call := t
	if len(m.stack) == 0 {
		m.started = true
	} else {
		call = m.stack[0].call
	}
	m.stack = append(m.stack, expansion{name: t.text, call: call, body: m.defined[t.text]})
	return true
}

// directive carries out the preprocessor line that begins here and moves past it.
func (lx *lexer) directive() {
	start, at := lx.pos, lx.place(lx.pos)
	line := lx.logicalLine()
	name, rest := cutWord(strings.TrimLeft(line[1:], " \t"))
	switch name {
	case "define":
		lx.lastDirective = start
		lx.define(at, rest)
	case "undef":
		lx.lastDirective = start
		name, _ := cutWord(rest)
		delete(lx.macros.defined, name)
	case "line", "pragma", "":
	case "include", "if", "ifdef", "ifndef", "else", "elif", "endif":
		lx.diags.add(asm.Errorf(at, "unsupported-directive", "#%s is not supported: preprocess the file first", name))
	default:
		lx.diags.add(asm.Errorf(at, "unknown-directive", "unknown directive #%s", name))
	}
}

// logicalLine takes the line here with its continuations, spliced.
func (lx *lexer) logicalLine() string {
	var spliced []string
	for {
		start, end := lx.pos, lineEnd(lx.src, lx.pos)
		lx.pos = end
		part := strings.TrimSuffix(lx.src[start:end], "\r")
		if !strings.HasSuffix(part, "\\") || end == len(lx.src) {
			return strings.Join(append(spliced, part), " ")
		}
		spliced = append(spliced, strings.TrimSuffix(part, "\\"))
		lx.pos++
		lx.newline()
	}
}

// define enters the macro that the rest of a #define line describes.
func (lx *lexer) define(at asm.Pos, rest string) {
	name, body := cutWord(rest)
	switch {
	case name == "" || isDigit(name[0]):
		lx.diags.add(asm.Errorf(at, "macro", "#define needs a name"))
		return
	case strings.HasPrefix(body, "("):
		lx.diags.add(asm.Errorf(at, "macro", "macros with parameters are not supported: preprocess the file first"))
		return
	case reserved(name):
		// What the printer writes must mean what it says.
		lx.diags.add(asm.Errorf(at, "macro", "%s is a word of the language and cannot be a macro", name))
		return
	}
	sub := lexer{file: lx.file, src: body, diags: lx.diags, line: at.Line, lineStart: -at.Col}
	var tokens []token
	for t := sub.scan(); t.kind != tokEOF; t = sub.scan() {
		if t.kind != tokComment {
			tokens = append(tokens, t)
		}
	}
	if lx.macros.defined == nil {
		lx.macros.defined = map[string][]token{}
	}
	lx.macros.defined[name] = tokens
}

// reserved reports whether a word is a register, components or a mnemonic.
func reserved(name string) bool {
	word := lower(name)
	if _, _, suffix, ok := lookupReg(word); ok && suffix == "" || strings.Trim(word, "xyzw") == "" {
		return true
	}
	return len(opsByName[word]) > 0
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
