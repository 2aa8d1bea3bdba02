package d3d9

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// Bounds on #include. Each is far beyond any real program; they keep files that include
// each other from running forever and filling memory.
const (
	// files open at a time
	maxIncludeDepth = 32
	// files in all
	maxIncludes = 1 << 10
	// bytes in all
	maxIncluded = 16 << 20
)

// Opener opens the file that an #include names, as it is written in the file from. It
// returns what the file is called in diagnostics, and as from in turn, and what is in
// it. Where it looks for files is its own concern.
type Opener func(from, name string) (path string, data []byte, err error)

// preprocessor is the state that reaches beyond the text at hand: the files being read,
// macros, and the token queue. It is what the lexer embeds; the parser knows of flat,
// unfit and begun only.
type preprocessor struct {
	open Opener
	// the sources that include the one being read, the program first
	within []source

	// A program is read in place first: Lead and Text of its statements are cut from
	// its own text. Where its directives do more than define macros before the version,
	// that cannot be done, as a statement is no part of the text any more. Then unfit
	// is set, and ParsePart reads the program again with flat set: the text of
	// statements is put together from blank and from tokens.
	flat, unfit bool
	// the version has been read
	begun bool
	// blanks and comments since the last token, if flat
	blank []byte

	// nil until there is one, and once expansion has been given up
	macros map[string]*macro
	// tokens of an expansion, which come before those of the source
	pending []token
	// tokens that macros have come to so far
	expanded int

	// the paths of included files so far
	included []string
	// their bytes
	bytes int
}

// condition is an #if whose #endif is to come. Each source has its own list, as an
// included file closes those that it opens.
type condition struct {
	// the condition of one of its groups held; all further ones are skipped
	pos asm.Pos
	// #else has been there
	taken bool
	other bool // #else was there
}

// needFlat says that statements cannot be told apart in the source; the first reading
// ends at the next chance.
func (lx *lexer) needFlat() { lx.unfit = !lx.flat }

// directive carries out the preprocessor line that begins here and moves past it. The
// meaning of directives is that of C; MSDN's page "Preprocessor Directives" of HLSL
// lists them.
func (lx *lexer) directive() {
	at := lx.place(lx.pos)
	line := lx.logicalLine()
	if lx.flat && lx.pos < len(lx.src) { // nothing of the line stays
		lx.pos++
		lx.newline()
	}
	name, rest := cutWord(strings.TrimLeft(line[1:], " \t"))
	switch name {
	case "line", "pragma", "":
		// A # alone in its line is allowed, as in C.
		return
	case "define", "undef":
		if lx.begun {
			lx.needFlat() // the statement that it stands before may go
		}
	default:
		lx.needFlat()
	}
	switch name {
	case "define":
		lx.define(at, rest)
	case "undef":
		name, _ := cutWord(rest)
		delete(lx.macros, name)
	case "include":
		lx.include(at, strings.TrimSpace(rest))
	case "if", "ifdef", "ifndef":
		holds := lx.holds(at, name, rest)
		lx.conditions = append(lx.conditions, condition{pos: at, taken: holds})
		if !holds {
			lx.skipGroup()
		}
	case "elif", "else", "endif":
		lx.nextGroup(at, name, rest)
	case "error":
		lx.diags.add(asm.Errorf(at, "error-directive", "#error%s", rest))
	default:
		lx.diags.add(asm.Errorf(at, "unknown-directive", "unknown directive #%s", name))
	}
}

// logicalLine takes the line here, spliced with its continuations and with what follows
// comments that begin in it, and moves to its end. The parts are joined by blanks: a
// comment separates tokens, as in C; a continuation, unlike in C, does too.
func (lx *lexer) logicalLine() string {
	var spliced []string
	for {
		start, end := lx.pos, lineEnd(lx.src, lx.pos)
		lx.pos = end
		part := strings.TrimSuffix(lx.src[start:end], "\r")
		text, open := uncomment(part)
		if open >= 0 {
			lx.pos = start + open
			lx.skipComment()
			spliced = append(spliced, text)
			continue
		}
		if !strings.HasSuffix(part, "\\") || end == len(lx.src) {
			return strings.Join(append(spliced, text), " ")
		}
		spliced = append(spliced, strings.TrimSuffix(text, "\\"))
		lx.pos++
		lx.newline()
	}
}

// uncomment is a line without its comments; what is in quotes stays. open is where a
// comment begins that goes on in the next line, or -1.
func uncomment(line string) (text string, open int) {
	var b strings.Builder
	from := 0
	for i := 0; i+1 < len(line); i++ {
		switch {
		case line[i] == '"':
			// Past the closing quote. Without one nothing is skipped.
			i += max(strings.IndexByte(line[i+1:], '"')+1, 0)
		case strings.HasPrefix(line[i:], "//"):
			return b.String() + line[from:i], -1
		case strings.HasPrefix(line[i:], "/*"):
			b.WriteString(line[from:i] + " ")
			n := strings.Index(line[i+2:], "*/")
			if n < 0 {
				return b.String(), i
			}
			from, i = i+n+4, i+n+3
		}
	}
	return b.String() + line[from:], -1
}

// holds decides the condition of a directive. #ifdef wants the name defined, #ifndef
// the contrary.
func (lx *lexer) holds(at asm.Pos, name, rest string) bool {
	if name == "if" || name == "elif" {
		return lx.condition(at, rest)
	}
	word, _ := cutWord(rest)
	if word == "" {
		lx.diags.add(asm.Errorf(at, "condition", "#%s needs a name", name))
	}
	return (lx.macros[word] != nil) == (name == "ifdef")
}

// nextGroup goes on after #elif, #else or #endif, which is met after a group that was
// read, or at the end of one that was skipped. An #else always holds. The condition of
// an #elif after a group that held is not looked at, as in C, and may be nonsense.
func (lx *lexer) nextGroup(at asm.Pos, name, rest string) {
	if len(lx.conditions) == 0 {
		lx.diags.add(asm.Errorf(at, "condition", "#%s without #if", name))
		return
	}
	c := &lx.conditions[len(lx.conditions)-1]
	if name == "endif" {
		lx.conditions = lx.conditions[:len(lx.conditions)-1]
		return
	}
	if c.other {
		lx.diags.add(asm.Errorf(at, "condition", "#%s after #else", name))
	}
	c.other = c.other || name == "else"
	if c.taken || name == "elif" && !lx.holds(at, name, rest) {
		lx.skipGroup()
		return
	}
	c.taken = true
}

// skipGroup moves to the #elif, #else or #endif that ends the group here, and leaves it
// to be read as a directive. #if inside the group nest. Lines in comments are no
// directives. Nothing in the group but its lines and comments is looked at, so an
// unfinished number there is no error. The end of the file ends the group, too.
func (lx *lexer) skipGroup() {
	kept := len(lx.blank)
	for depth := 0; ; {
		lx.skipBlank()
		lx.blank = lx.blank[:kept]
		switch {
		case lx.pos >= len(lx.src):
			return
		case lx.src[lx.pos] == ';' || lx.src[lx.pos] == '/': // of a comment block, too
			lx.skipToken()
		case !lx.fresh || lx.src[lx.pos] != '#':
			lx.skipToken()
		default:
			// The line is left to directive if it ends the group, by going back to
			// here.
			old := lx.source
			name, _ := cutWord(strings.TrimLeft(lx.logicalLine()[1:], " \t"))
			switch {
			case strings.HasPrefix(name, "if"):
				depth++
			case depth == 0 && (name == "elif" || name == "else" || name == "endif"):
				lx.source = old
				return
			case name == "endif":
				depth--
			}
		}
	}
}

// skipToken moves past the token here, or past a line of a comment block.
func (lx *lexer) skipToken() {
	lx.fresh = false
	if lx.atCommentBlock() {
		lx.skipLine()
		return
	}
	_, lx.pos = lexeme(lx.src, lx.pos)
}

// include begins to read the file that a directive names: it is put on top of the stack
// of sources, and leave takes it off. Only a flat reading opens files; the first
// reading ends here, so that each file is opened once.
func (lx *lexer) include(at asm.Pos, rest string) {
	if !lx.flat {
		return // all is read once more
	}
	fail := func(format string, args ...any) {
		lx.diags.add(asm.Errorf(at, "include", format, args...))
	}
	closing := map[byte]string{'"': `"`, '<': ">"}
	if rest == "" || closing[rest[0]] == "" {
		fail("#include needs a name in quotes or angle brackets")
		return
	}
	name, _, ok := strings.Cut(rest[1:], closing[rest[0]])
	switch {
	case !ok || name == "":
		fail("#include needs a name in quotes or angle brackets")
	case lx.open == nil:
		fail("%q cannot be included: only this text was given", asm.Clip(name))
	case len(lx.within) >= maxIncludeDepth:
		fail("files include each other more than %d deep", maxIncludeDepth)
		lx.abandon()
	case len(lx.included) >= maxIncludes:
		fail("more than %d files are included", maxIncludes)
		lx.abandon()
	default:
		path, data, err := lx.open(lx.file, name)
		if err != nil {
			fail("%q cannot be included: %v", asm.Clip(name), err)
			return
		}
		lx.included = append(lx.included, path)
		if lx.bytes += len(data); lx.bytes > maxIncluded {
			fail("more than %d MiB are included", maxIncluded>>20)
			lx.abandon()
			return
		}
		lx.within = append(lx.within, lx.source)
		text := string(data)
		lx.source = newSource(path, strings.TrimPrefix(text[:asm.TextEnd(text)], bom))
	}
}

// leave goes back from an included file that is read; false is the end of all.
// Conditions that the file left open are errors, as in C: they cannot be closed from
// outside.
func (lx *lexer) leave() bool {
	for _, c := range lx.conditions {
		lx.diags.add(asm.Errorf(c.pos, "condition", "this has no #endif"))
	}
	lx.conditions = nil
	n := len(lx.within)
	if n == 0 {
		return false
	}
	if !strings.HasSuffix(lx.src, "\n") { // a comment at its end goes no further
		lx.blank = append(lx.blank, '\n')
	}
	lx.source, lx.within = lx.within[n-1], lx.within[:n-1]
	return true
}

// abandon reads nothing more. Sources that are left unread do not report their open
// conditions.
func (lx *lexer) abandon() {
	lx.within, lx.conditions, lx.pending = nil, nil, nil
	lx.pos = len(lx.src)
}
