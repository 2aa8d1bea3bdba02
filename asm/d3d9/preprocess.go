package d3d9

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// Bounds on #include, far beyond any real program. They stop files that include each other from
// running forever and filling memory.
const (
	// files open at a time
	maxIncludeDepth = 32
	// files in all
	maxIncludes = 1 << 10
	// bytes in all
	maxIncluded = 16 << 20
)

// Opener opens the file that an #include in the file from names. It returns the name of the file
// for diagnostics and nested includes, and its content. The Opener defines the search path.
type Opener func(from, name string) (path string, data []byte, err error)

// preprocessor is the state that outlives the current source: the files being read, macros, and the
// token queue. The lexer embeds it; the parser uses only flat, unfit and begun.
type preprocessor struct {
	open Opener
	// the sources that include the one being read, the program first
	within []source

	// The parser reads a program in place first: Lead and Text of its statements are cut from its
	// own text. This is impossible if its directives do more than define macros before the version,
	// because then a statement is no longer a part of the text. The parser then sets unfit, and
	// ParsePart reads the program again with flat set, which builds the text of statements from
	// blank and from tokens.
	flat, unfit bool
	// the version has been read
	begun bool
	// blanks and comments since the last token, if flat
	blank []byte

	// nil before the first definition, and after expansion has been given up
	macros map[string]*macro
	// tokens of an expansion, which precede those of the source
	pending []token
	// tokens of macro expansions so far
	expanded int
	// tokens in directives so far
	directed int

	// the paths of included files so far
	included []string
	// their bytes
	bytes int
}

// condition is an open #if. Each source has a list of them, because an included file has to close
// its own.
type condition struct {
	// the place of the #if
	pos asm.Pos
	// one of its groups was read; all further ones are skipped
	taken bool
	other bool // #else was there
}

// needFlat records that the source does not delimit statements. The first reading then ends at the
// next opportunity.
func (lx *lexer) needFlat() { lx.unfit = !lx.flat }

// directive executes the preprocessor line at pos and moves past it. Directives have the meaning of
// C; MSDN's page "Preprocessor Directives" of HLSL lists them.
func (lx *lexer) directive() {
	at := lx.place(lx.pos)
	line := lx.logicalLine()
	if lx.flat && lx.pos < len(lx.src) { // the line leaves no text
		lx.pos++
		lx.newline()
	}
	name, rest := cutWord(strings.TrimLeft(line[1:], " \t"))
	switch name {
	case "line", "pragma", "":
		// A # alone on its line is allowed, as in C.
		return
	case "define", "undef":
		if lx.begun {
			lx.needFlat() // a pass may remove the statement after it
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
		if lx.directed > maxDirected { // reading has ended
			return
		}
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

// logicalLine takes the line at pos, spliced with its continuations and with the text after
// comments that begin in it, and moves to its end. Blanks join the parts: a comment separates
// tokens, as in C; a continuation, unlike in C, does too.
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

// uncomment returns a line without its comments, and keeps quoted text. open is the start of a
// comment that continues on the next line, or -1.
func uncomment(line string) (text string, open int) {
	var b strings.Builder
	from := 0
	for i := 0; i+1 < len(line); i++ {
		switch {
		case line[i] == '"':
			// Skip to the closing quote, if there is one.
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

// holds evaluates the condition of a directive. #ifdef requires the name to be defined, #ifndef the
// opposite.
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

// nextGroup handles #elif, #else or #endif, after a group that was read or at the end of a skipped
// one. An #else always holds. It ignores the condition of an #elif after a group that held, as in
// C, so that condition may be invalid.
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

// skipGroup moves to the #elif, #else or #endif that ends the group at pos, and leaves that line
// for directive. Nested #if are skipped with their groups. Lines in comments are not directives.
// skipGroup reads only lines and comments, so an unfinished number in the group is not an error.
// The end of the file ends the group, too.
func (lx *lexer) skipGroup() {
	kept := len(lx.blank)
	for depth := 0; ; {
		lx.skipBlank()
		lx.blank = lx.blank[:kept]
		switch {
		case lx.pos >= len(lx.src):
			return
		case lx.src[lx.pos] == ';' || lx.src[lx.pos] == '/': // or of a comment block
			lx.skipToken()
		case !lx.fresh || lx.src[lx.pos] != '#':
			lx.skipToken()
		default:
			// Rewind if the line ends the group, so that directive reads it.
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

// skipToken moves past the token at pos, or past a line of a comment block.
func (lx *lexer) skipToken() {
	lx.fresh = false
	if lx.atCommentBlock() {
		lx.skipLine()
		return
	}
	_, lx.pos = lexeme(lx.src, lx.pos)
}

// include pushes the file that a directive names on the stack of sources; leave pops it. Only a
// flat reading opens files; the first reading ends here, so that each file is opened once.
func (lx *lexer) include(at asm.Pos, rest string) {
	if !lx.flat {
		return // the text is read once more
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
		fail("%q cannot be included, because only this text was given", asm.Clip(name))
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

// leave returns from an included file at its end, and reports false at the end of the program.
// Conditions that the file left open are errors, as in C: the including file cannot close them.
func (lx *lexer) leave() bool {
	for _, c := range lx.conditions {
		lx.diags.add(asm.Errorf(c.pos, "condition", "this has no #endif"))
	}
	lx.conditions = nil
	n := len(lx.within)
	if n == 0 {
		return false
	}
	if !strings.HasSuffix(lx.src, "\n") { // so that a comment at its end stops there
		lx.blank = append(lx.blank, '\n')
	}
	lx.source, lx.within = lx.within[n-1], lx.within[:n-1]
	return true
}

// abandon stops reading. Unread sources do not report their open conditions.
func (lx *lexer) abandon() {
	lx.within, lx.conditions, lx.pending = nil, nil, nil
	lx.pos = len(lx.src)
}
