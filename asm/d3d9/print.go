package d3d9

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// Print writes p as text. It copies a statement that still has its Text, with the Lead before it,
// so an unchanged program is written exactly as it was read. It writes other statements in
// canonical form: after the Lead if they have one, else on a separate line, as for every statement
// decoded from bytecode.
//
// Ordinary comments with the contents of a constant table precede its comment block.
func Print(p *Program) []byte {
	w := printer{model: p.Model, buf: make([]byte, 0, printedSize(p)),
		newline: asm.NewlineStyle(p.Head, len(p.Insts), func(i int) string { return p.Insts[i].Lead }, p.Tail)}
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
		w.writeLead(in.Lead)
		if in.Text != "" {
			w.buf = append(w.buf, in.Text...)
		} else {
			w.buf = appendInst(w.buf, p.Model, in, w.newline)
		}
	}
	w.writeLead(p.Tail)
	return w.buf
}

// printer writes the text of one program. It places inserted statements, which have no source
// position, between statements that have one. A Lead begins with the rest of the previous
// statement's line, such as a comment, which has to stay there.
//
//	mov r0, c0 // colour      the Lead of add is " // colour\n"
//	add r0, r0, v0
//
// A statement inserted between them goes below the comment.
type printer struct {
	model   Model
	buf     []byte
	newline string // of the input
	indent  string // of the previous statement
	own     bool   // the printer began the last line, and nothing else may follow on it
	taken   int    // bytes of the next lead that are already written
}

// inserted writes a statement without source position on a separate line, indented like the
// previous one. The source text on the previous statement's line stays there: it is the beginning
// of the next lead, which belongs to the first statement of rest that has one. inserted writes this
// part now, and lead skips it later.
func (w *printer) inserted(in *Inst, rest []Inst, tail string) {
	// No source text follows a line that was itself inserted.
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

// writeLead writes the source text before a statement, or after the last, without the part that inserted
// has written. Its last line, if blank, is the indent for the next statement.
func (w *printer) writeLead(s string) {
	s = s[w.taken:]
	w.taken = 0
	// The last line was inserted, and has no line end yet.
	if w.own && !strings.HasPrefix(s, "\n") && !strings.HasPrefix(s, "\r\n") {
		w.buf = append(w.buf, w.newline...)
	}
	w.own = false
	w.buf = append(w.buf, s...)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 && strings.Trim(s[i+1:], " \t") == "" {
		w.indent = s[i+1:]
	}
}

// restOfLine returns the length of the part of a lead that belongs to the previous statement's
// line: blanks and a comment, without the line end. It returns 0 if a block comment begins there,
// because that may span lines.
func restOfLine(lead string) int {
	end := lineEnd(lead, 0)
	if end == len(lead) || strings.Contains(lead[:end], "/*") {
		return 0
	}
	return len(strings.TrimSuffix(lead[:end], "\r"))
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
