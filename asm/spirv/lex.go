package spirv

import "strings"

// token is a word of a text, or a string in quotation marks without them.
type token struct {
	text      string
	quoted    bool
	open      bool // a string without end
	end       bool // the end of the text
	line, col int
}

// lexer divides a text into tokens.
type lexer struct {
	src   string
	at    int
	line  int
	start int // offset of the line
	// comment, if it is not nil, gets each comment with the semicolon.
	comment func(text string)
}

func newLexer(src string) lexer { return lexer{src: src, line: 1} }

// next returns the next token.
func (l *lexer) next() token {
	l.skip()
	t := token{line: l.line, col: l.at - l.start + 1}
	if l.at == len(l.src) {
		t.end = true
		return t
	}
	if l.src[l.at] == '"' {
		l.at++
		t.text, t.open = l.quoted()
		t.quoted = true
		return t
	}
	start := l.at
	for l.at < len(l.src) && !isBlank(l.src[l.at]) && l.src[l.at] != ';' {
		l.at++
	}
	t.text = l.src[start:l.at]
	return t
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'
}

// skip skips blanks and comments.
func (l *lexer) skip() {
	for l.at < len(l.src) {
		switch c := l.src[l.at]; {
		case c == '\n':
			l.at++
			l.line, l.start = l.line+1, l.at
		case isBlank(c):
			l.at++
		case c == ';':
			end := strings.IndexByte(l.src[l.at:], '\n')
			if end < 0 {
				end = len(l.src) - l.at
			}
			if l.comment != nil {
				l.comment(strings.TrimRight(l.src[l.at:l.at+end], "\r"))
			}
			l.at += end
		default:
			return
		}
	}
}

// quoted reads a string behind its opening quotation mark. A backslash stands for the next character.
func (l *lexer) quoted() (text string, open bool) {
	var b strings.Builder
	from := l.at
	for ; l.at < len(l.src); l.at++ {
		switch l.src[l.at] {
		case '"':
			b.WriteString(l.src[from:l.at])
			l.at++
			return b.String(), false
		case '\\':
			b.WriteString(l.src[from:l.at])
			if l.at++; l.at == len(l.src) {
				return b.String(), true
			}
			from = l.at
		}
		if l.src[l.at] == '\n' {
			l.line, l.start = l.line+1, l.at+1
		}
	}
	return b.String(), true
}

// isOpcode reports whether a token is the name of an opcode: Op and an upper-case letter.
func (t token) isOpcode() bool {
	return !t.quoted && len(t.text) > 2 && t.text[:2] == "Op" && 'A' <= t.text[2] && t.text[2] <= 'Z'
}

// isID reports whether a token is an id: a percent sign and a name.
func (t token) isID() bool {
	if t.quoted || len(t.text) < 2 || t.text[0] != '%' {
		return false
	}
	for i := 1; i < len(t.text); i++ {
		if !isNameByte(t.text[i]) {
			return false
		}
	}
	return true
}

// isWord reports whether a token is a word by number: an exclamation mark and a number.
func (t token) isWord() bool { return !t.quoted && strings.HasPrefix(t.text, "!") }

// IsText reports whether a text looks like that of a module: its first token is the name of an opcode, or an id and an
// equals sign.
func IsText(text []byte) bool {
	const most = 1 << 16 // covers any comment at the start
	l := newLexer(string(text[:min(len(text), most)]))
	first := l.next()
	return first.isOpcode() || first.isID() && l.next().text == "="
}
