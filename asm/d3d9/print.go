package d3d9

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// Print writes p as text. A statement that still has its Text is copied with the
// Lead before it, so a program that nobody changed comes out as it was read; any
// other statement is written in canonical form. One with a Lead goes where the
// Lead ends; one without, as every statement decoded from bytecode, gets a line of
// its own.
//
// A constant table among the comment blocks is preceded by its contents as
// ordinary comments.
func Print(p *Program) []byte {
	w := printer{model: p.Model, newline: newlineOf(p), buf: make([]byte, 0, printedSize(p))}
	w.buf = append(w.buf, p.Head...)
	if p.Head == "" {
		w.buf = append(w.buf, p.Model.String()...)
		w.own = true
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Lead == "" && in.Text == "" {
			w.inserted(in, p.Insts[i+1:], p.Tail)
			continue
		}
		w.lead(in.Lead)
		if in.Text != "" {
			w.buf = append(w.buf, in.Text...)
		} else {
			w.buf = appendInst(w.buf, p.Model, in, w.newline)
		}
	}
	w.lead(p.Tail)
	return w.buf
}

// printer writes the text of one program. Its concern is statements without a place in
// the source (inserted) between those that have one: a Lead begins with the rest of the
// line of the statement before it, such as a comment, which has to stay there.
//
//	mov r0, c0 // colour      the Lead of add is " // colour\n"
//	add r0, r0, v0
//
// A statement inserted between them goes below the comment.
type printer struct {
	model   Model
	buf     []byte
	newline string // the input's
	indent  string // of the statement before
	own     bool   // the last line is ours, and nothing else may go on it
	taken   int    // bytes of the next lead that are written already
}

// inserted writes a statement that has no place in the source on a line of its own,
// indented like the one before. What the source has on the line of the statement before
// stays there: it is the beginning of the next lead, that of the first of rest to have
// one. That much of it is written now, and passed over later.
func (w *printer) inserted(in *Inst, rest []Inst, tail string) {
	// Nothing can stand behind a line that was inserted itself.
	if !w.own {
		lead := tail
		for i := range rest {
			if rest[i].Lead != "" || rest[i].Text != "" {
				lead = rest[i].Lead
				break
			}
		}
		w.taken = restOfLine(lead)
		w.buf = append(w.buf, lead[:w.taken]...)
	}
	w.buf = append(append(w.buf, w.newline...), w.indent...)
	if in.Op == OpComment {
		w.buf = appendTable(w.buf, in, w.newline)
	}
	w.buf = appendInst(w.buf, w.model, in, w.newline)
	w.own = true
}

// lead writes what the source has before a statement, or after the last, less what
// inserted has taken of it. Its last line, if blank, is the indent for what comes after
// it.
func (w *printer) lead(s string) {
	s = s[w.taken:]
	w.taken = 0
	// The last line was inserted, and has no end yet.
	if w.own && !strings.HasPrefix(s, "\n") && !strings.HasPrefix(s, "\r\n") {
		w.buf = append(w.buf, w.newline...)
	}
	w.own = false
	w.buf = append(w.buf, s...)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 && strings.Trim(s[i+1:], " \t") == "" {
		w.indent = s[i+1:]
	}
}

// restOfLine is how much of a lead belongs to the line of the statement before it:
// blanks and a comment up to the line's end, which is not included. Where a block
// comment begins it is none, for the comment may go on in further lines.
func restOfLine(lead string) int {
	end := lineEnd(lead, 0)
	if end == len(lead) || strings.Contains(lead[:end], "/*") {
		return 0
	}
	return len(strings.TrimSuffix(lead[:end], "\r"))
}

// newlineOf is how the source of p ends its lines, by the first that it has; \n where
// there is no source.
func newlineOf(p *Program) string {
	if nl := asm.NewlineStyle(p.Head); nl != "" {
		return nl
	}
	for i := range p.Insts {
		if nl := asm.NewlineStyle(p.Insts[i].Lead); nl != "" {
			return nl
		}
	}
	if nl := asm.NewlineStyle(p.Tail); nl != "" {
		return nl
	}
	return "\n"
}

// printedSize estimates the length of p's text, for one allocation.
func printedSize(p *Program) int {
	n := len(p.Head) + len(p.Tail) + 16
	for i := range p.Insts {
		in := &p.Insts[i]
		n += len(in.Lead) + len(in.Text)
		if in.Text == "" {
			n += 32 + 9*len(in.Comment)
		}
	}
	return n
}
