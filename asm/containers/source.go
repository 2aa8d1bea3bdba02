package containers

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// source is a text in C, C++ or HLSL. code has the same length; comments, strings, directives and the parts that
// #if 0 removes are blanks there.
type source struct {
	*Container
	code []byte
	off  [][2]int // the lines between #if 0 and #endif
}

// readSource reads the arrays and asm blocks of c.data.
func (c *Container) readSource() {
	if !arrayHead.Match(c.data) && !asmBlock.Match(c.data) {
		return
	}
	s := &source{Container: c}
	s.blank()
	s.readArrays()
	s.readBlocks()
}

// skipped matches comments, strings, and directives with their first words.
var skipped = regexp.MustCompile(`(?m)//[^\n]*|/\*(?s:.*?)(?:\*/|\z)|"(?:\\.|[^"\\\n])*"?|` +
	`^[ \t]*#[ \t]*(\w*)[ \t]*(\w*)(?:\\\r?\n|[^\n])*`)

// blank sets s.code and s.off.
func (s *source) blank() {
	s.code = bytes.Clone(s.data)
	depth, begin := 0, 0 // of the outermost #if 0
	for _, m := range skipped.FindAllSubmatchIndex(s.data, -1) {
		if m[2] >= 0 {
			switch word := string(s.data[m[2]:m[3]]); {
			case strings.HasPrefix(word, "if") && (depth > 0 || word == "if" && string(s.data[m[4]:m[5]]) == "0"):
				if depth++; depth == 1 {
					begin = min(m[1]+1, len(s.data))
				}
			case depth == 1 && (word == "endif" || strings.HasPrefix(word, "el")):
				s.off = append(s.off, [2]int{begin, m[0]})
				blanks(s.code[begin:m[0]])
				depth = 0
			case depth > 1 && word == "endif":
				depth--
			}
		}
		blanks(s.code[m[0]:m[1]])
	}
	if depth > 0 {
		blanks(s.code[begin:])
	}
}

// blanks replaces text by blanks and keeps its lines.
func blanks(text []byte) {
	for i, b := range text {
		if b != '\n' && b != '\r' {
			text[i] = ' '
		}
	}
}

// asmBlock matches the beginning of an assembly block: the variable or state that it defines.
var asmBlock = regexp.MustCompile(`(?i)\b(\w+)\s*(?:\[\s*\d*\s*\])?\s*=\s*asm\s*\{`)

var (
	fxTechnique = regexp.MustCompile(`(?i)\btechnique\s*(\w*)\s*(?:<[^<>]*>\s*)?\{`)
	fxPass      = regexp.MustCompile(`(?i)\bpass\s*(\w*)\s*(?:<[^<>]*>\s*)?\{`)
	fxShader    = regexp.MustCompile(`(?i)\b(?:vertex|pixel)shader\s*=`)
)

// readBlocks reads the asm blocks of an effect's source. A block ends at the next brace: assembly has none.
func (s *source) readBlocks() {
	found := asmBlock.FindAllSubmatchIndex(s.code, -1)
	if len(found) == 0 {
		return
	}
	s.Form = "the source of an effect with asm blocks"
	last, isPair := -1, false // whether the last pass has two programs
	techniques, passes := fxTechnique.FindAllSubmatchIndex(s.code, -1), fxPass.FindAllSubmatchIndex(s.code, -1)
	for i, m := range found {
		from, limit := m[1], len(s.code)
		if i+1 < len(found) {
			limit = found[i+1][0]
		}
		size := bytes.IndexByte(s.code[from:limit], '}')
		if size < 0 {
			s.note(s.position(m[0]), "truncated", "the asm block has no end")
			continue
		}
		body := s.data[from : from+size : from+size]
		pos := s.position(from)
		model, ok := d3d9.PeekModel(body)
		switch {
		case bytes.ContainsAny(body, `#\`):
			s.note(pos, "foreign-format", "the asm block has directives or macros: preprocess the file first (fxc /P)")
			continue
		case !ok:
			s.note(pos, "no-version", "the asm block has no version of a vertex or pixel program as its first line")
			continue
		}
		name, group := string(s.data[m[2]:m[3]]), ""
		if state := strings.ToLower(name); state == "pixelshader" || state == "vertexshader" {
			for len(techniques) > 1 && techniques[1][0] < from {
				techniques = techniques[1:]
			}
			for len(passes) > 1 && passes[1][0] < from {
				passes = passes[1:]
			}
			name = model.Stage.String()
			if len(passes) > 0 && passes[0][0] < from {
				if pass := passes[0][0]; pass != last {
					last, isPair = pass, s.isPair(passes)
				}
				if isPair {
					group = fmt.Sprint(last)
				}
				name = label(s.code, passes[0], "pass") + "." + name
			}
			if len(techniques) > 0 && techniques[0][0] < from {
				name = label(s.code, techniques[0], "technique") + "." + name
			}
		}
		p := s.add(name, body, pos)
		p.group = group
		s.edits = append(s.edits, edit{from, from + size, p, func(text []byte) ([]byte, error) {
			return append(bytes.TrimRight(text, " \t\r\n"), body[len(bytes.TrimRight(body, " \t\r\n")):]...), nil
		}})
	}
}

// isPair reports whether the first of passes sets two programs, without a condition of the preprocessor.
func (s *source) isPair(passes [][]int) bool {
	from, to := passes[0][0], len(s.code)
	if len(passes) > 1 {
		to = passes[1][0]
	}
	return len(fxShader.FindAllIndex(s.code[from:to], 3)) == 2 && !directive.Match(s.data[from:to])
}

// label returns the first group of a match, or another word if that is empty.
func label(code []byte, m []int, other string) string {
	if m[2] == m[3] {
		return other
	}
	return string(code[m[2]:m[3]])
}
