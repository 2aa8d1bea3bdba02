package d3d9

import (
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// tokenKind distinguishes the tokens that the grammar distinguishes: mnemonics and registers are
// both words.
type tokenKind uint8

const (
	tokEOF     tokenKind = iota
	tokWord              // a name, with the digits and underscores in it
	tokNumber            // 12, -less decimal or 0x form, with its suffix f
	tokPunct             // any other character, or an operator of two that #if or #define know
	tokComment           // a comment block directive with its words
)

// token is one lexical element. A token from a macro body has the place of the macro's name in the
// source, so that errors point to text that the user wrote. A token from an argument has its own
// place.
type token struct {
	kind     tokenKind
	expanded bool // came out of a macro
	inner    bool // not the first token of its expansion
	painted  bool // name of a macro within that macro, which is not expanded again
	text     string
	// byte offsets in src; tokens of a macro have those of the whole call
	start, end int
	// the file's name and text
	file, src string
	line, col int
	macro     *macro // in whose body it was written
	// blanks and comments before it, where the program is read flat (see preprocessor)
	blank string
}

func (t *token) pos() asm.Pos { return asm.Pos{File: t.file, Line: t.line, Col: t.col} }

// sameLine reports whether t and o are on one line.
func (t *token) sameLine(o *token) bool { return t.line == o.line && t.file == o.file }

func (t *token) isPunct(punct byte) bool {
	return t.kind == tokPunct && len(t.text) == 1 && t.text[0] == punct
}

// source is a text being read: the program's or an included one. It is a value: assigning back an
// earlier copy rewinds the lexer (see arguments and skipGroup).
type source struct {
	file string
	// the text, and the offset of the next character
	src string
	pos int
	// the end of its last line
	end int
	// from 1
	line int
	// the offset of the line's first character
	lineStart  int
	fresh      bool        // nothing but blanks on this line so far
	conditions []condition // open #if directives
}

func newSource(file, src string) source {
	return source{file: file, src: src, end: asm.TextEnd(src), line: 1, fresh: true}
}

// place returns the position of an offset in the line being read.
func (s *source) place(at int) asm.Pos {
	return asm.Pos{File: s.file, Line: s.line, Col: at - s.lineStart + 1}
}

// lexer splits a source into tokens. It executes the directives it meets and expands macros. The
// layers, from the bottom:
//
//	lexeme   the end of a word, number or operator
//	scan     tokens of the sources; it handles directives, includes and comments
//	next     tokens after macro expansion, from pending first
type lexer struct {
	source
	preprocessor
	// the words of the last tokComment
	words []uint32
	diags *diagList
}

// next returns the next token after macro expansion. The tokens of an expansion wait in pending.
// They are not expanded again, because the expander has already done so with the right macros
// painted.
func (lx *lexer) next() token {
	// Blanks before macros that expand to nothing are prepended to the next token.
	carried := ""
	for {
		if len(lx.pending) > 0 {
			t := lx.pending[0]
			lx.pending = lx.pending[1:]
			return t
		}
		t := lx.scan()
		t.blank = carried + t.blank
		if t.kind != tokWord || !lx.expandAt(t) {
			return t
		}
		carried = ""
		if len(lx.pending) == 0 {
			carried = t.blank
		}
	}
}

// scan returns the next token of the sources themselves, and tokEOF at and after their end.
func (lx *lexer) scan() token {
	lx.toToken()
	lx.fresh = false
	t := token{start: lx.pos, file: lx.file, src: lx.src, line: lx.line, col: lx.pos - lx.lineStart + 1}
	switch {
	case lx.pos >= len(lx.src):
		t.kind = tokEOF
	case lx.atCommentBlock():
		t.kind = tokComment
		lx.commentBlock()
	default:
		t.kind, lx.pos = lexeme(lx.src, lx.pos)
	}
	t.end = lx.pos
	t.text = lx.src[t.start:t.end]
	t.blank = string(lx.blank)
	lx.blank = lx.blank[:0]
	return t
}

// toToken moves to where the next token begins, past directives and ends of included files. A
// directive is a # that only blanks and comments precede in its line.
func (lx *lexer) toToken() {
	for {
		lx.skipBlank()
		switch {
		case lx.pos >= len(lx.src):
			if !lx.leave() {
				return
			}
		case lx.fresh && lx.src[lx.pos] == '#':
			lx.directive()
		default:
			return
		}
	}
}

// skipBlank moves to the next character that is neither blank nor in a comment. It keeps the
// skipped text if the program is read flat.
func (lx *lexer) skipBlank() {
	start := lx.pos
	lx.skipBlanks()
	if lx.flat {
		lx.blank = append(lx.blank, lx.src[start:lx.pos]...)
	}
}

// skipBlanks moves past blanks, comments and line continuations. Comments are those of C and C++
// and, as in other assemblers, text after a semicolon. A comment block line ("//!") is a token, not
// a comment.
func (lx *lexer) skipBlanks() {
	for lx.pos < len(lx.src) {
		switch c := lx.src[lx.pos]; {
		case lx.pos == lx.end:
			lx.pos = len(lx.src)
		case c == '\n':
			lx.pos++
			lx.newline()
		case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
			lx.pos++
		case c == ';' || c == '/' && lx.hasPrefix("//"):
			if lx.atCommentBlock() {
				return
			}
			lx.skipLine()
		case c == '/' && lx.hasPrefix("/*"):
			lx.skipComment()
		// A spliced line does not start a new line: a # at its beginning is not a directive.
		case c == '\\' && lx.continued() > 0:
			lx.pos += lx.continued()
			lx.newline()
			lx.fresh = false
		default:
			return
		}
	}
}

// newline records that pos is the first character of a line.
func (lx *lexer) newline() {
	lx.line++
	lx.lineStart = lx.pos
	lx.fresh = true
}

func (lx *lexer) hasPrefix(prefix string) bool { return strings.HasPrefix(lx.src[lx.pos:], prefix) }

// continued returns the length of the line continuation at pos, or 0.
func (lx *lexer) continued() int {
	switch {
	case lx.hasPrefix("\\\n"):
		return 2
	case lx.hasPrefix("\\\r\n"):
		return 3
	}
	return 0
}

// skipLine moves to the end of the line.
func (lx *lexer) skipLine() { lx.pos = lineEnd(lx.src, lx.pos) }

// skipComment moves past the block comment at pos. Text after it on its last line counts as the
// beginning of a line only if the comment began a line.
func (lx *lexer) skipComment() {
	at := lx.place(lx.pos)
	for lx.pos += 2; lx.pos < len(lx.src); {
		switch {
		case lx.hasPrefix("*/"):
			lx.pos += 2
			return
		case lx.src[lx.pos] == '\n':
			lx.pos++
			fresh := lx.fresh
			lx.newline()
			lx.fresh = fresh
		default:
			lx.pos++
		}
	}
	lx.diags.add(asm.Errorf(at, "unterminated-comment", "this comment has no end"))
}

// lineEnd returns the end of the line of offset at, before its newline.
func lineEnd(s string, at int) int {
	if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(s)
}

// lexeme returns the kind and the end of the word, number or character at offset at. A minus never
// belongs to a number, because r0-1 would be ambiguous.
func lexeme(s string, at int) (tokenKind, int) {
	c := s[at]
	switch {
	case isWord(c) && !isDigit(c):
		for at < len(s) && isWord(s[at]) {
			at++
		}
		return tokWord, at
	case isDigit(c) || c == '.' && at+1 < len(s) && isDigit(s[at+1]):
		return tokNumber, numberEnd(s, at)
	}
	if at+1 < len(s) && slices.Contains(operators, s[at:at+2]) {
		return tokPunct, at + 2
	}
	return tokPunct, at + 1
}

// operators are those of two characters.
var operators = []string{"&&", "||", "==", "!=", "<=", ">=", "##"}

// numberEnd returns the end of the number at offset at. A number is decimal digits with fraction,
// exponent and suffix f, or 0x and hexadecimal digits. It may also be 1.#INF or similar, as
// Microsoft's C library prints non-finite numbers. An e without digits is left to the next token.
func numberEnd(s string, at int) int {
	digits := func() {
		for at < len(s) && isDigit(s[at]) {
			at++
		}
	}
	// Letters that are not digits are taken too, so that the diagnostic quotes the whole number.
	if strings.HasPrefix(s[at:], "0x") || strings.HasPrefix(s[at:], "0X") {
		for at += 2; at < len(s) && isWord(s[at]); at++ {
		}
		return at
	}
	digits()
	if at < len(s) && s[at] == '.' {
		at++
		if strings.HasPrefix(s[at:], "#") && at+1 < len(s) && isWord(s[at+1]) && !isDigit(s[at+1]) { // 1.#INF
			for at++; at < len(s) && isWord(s[at]); at++ {
			}
			return at
		}
		digits()
	}
	if at < len(s) && lowerByte(s[at]) == 'e' {
		exp := at + 1
		if exp < len(s) && (s[exp] == '-' || s[exp] == '+') {
			exp++
		}
		if exp < len(s) && isDigit(s[exp]) {
			at = exp
			digits()
		}
	}
	if at < len(s) && lowerByte(s[at]) == 'f' {
		at++
	}
	return at
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWord reports whether c can occur in a name. A word begins with any of these except a digit.
func isWord(c byte) bool {
	return isDigit(c) || c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// lower is strings.ToLower for ASCII, with a fast path for words in lower case.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			return strings.ToLower(s)
		}
	}
	return s
}
