package il

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// Print writes k as text. It copies a statement that still has its Text, with the Lead before it,
// so an unchanged kernel is written exactly as it was read. It writes other statements in canonical
// form: after the Lead if they have one, else on a separate line after the previous statement's
// line with its comment.
func Print(k *Kernel) []byte {
	w := printer{buf: make([]byte, 0, printedSize(k)),
		newline: asm.NewlineStyle(k.Head, len(k.Insts), func(i int) string { return k.Insts[i].Lead }, k.Tail)}
	w.buf = append(w.buf, k.Head...)
	if k.Head == "" {
		w.header(k)
	}
	first := 0 // the first inserted statement that waits for the lead before it
	for i := range k.Insts {
		in := &k.Insts[i]
		if in.Lead == "" && in.Text == "" {
			continue
		}
		w.writeLead(in.Lead, k.Insts[first:i])
		w.freshLine()
		if in.Text != "" {
			w.buf = append(w.buf, in.Text...)
		} else {
			w.buf = Append(w.buf, in)
		}
		first = i + 1
	}
	w.writeLead(k.Tail, k.Insts[first:])
	if k.Tail == "" && (k.Head == "" || first < len(k.Insts)) {
		w.buf = append(w.buf, w.newline...)
	}
	return w.buf
}

// printer writes the text of one kernel. A Lead begins with the rest of the previous statement's
// line, such as a comment. Statements without source position are inserted between that and the
// rest of the lead.
type printer struct {
	buf     []byte
	newline string // of the input
	indent  string // of the previous statement
}

// header writes the header of a generated kernel.
func (w *printer) header(k *Kernel) {
	if k.Client != "" {
		w.buf = append(append(w.buf, k.Client...), w.newline...)
	}
	w.buf = append(append(append(w.buf, "il_"...), k.Stage.String()...), "_2_0"...)
	if k.MultiPass {
		w.buf = append(w.buf, "_mp"...)
	}
	if k.RealTime {
		w.buf = append(w.buf, "_rt"...)
	}
}

// writeLead writes the source text between two statements, with the inserted statements after the end of
// the first one's line.
func (w *printer) writeLead(s string, inserted []Inst) {
	n := restOfLine(s)
	w.buf = append(w.buf, s[:n]...)
	for i := range inserted {
		w.buf = append(append(w.buf, w.newline...), w.indent...)
		w.buf = Append(w.buf, &inserted[i])
	}
	w.buf = append(w.buf, s[n:]...)
	// If the lead ends with the beginning of a line, that is the indent of the next statement.
	if i := strings.LastIndexByte(s, '\n'); i >= 0 && isAllBlank(s[i+1:]) {
		w.indent = s[i+1:]
	}
}

// freshLine begins a line, unless the current one is empty. Leads from the source always end with
// an empty line.
func (w *printer) freshLine() {
	for i := len(w.buf) - 1; i >= 0 && w.buf[i] != '\n'; i-- {
		if !isBlank(w.buf[i]) {
			w.buf = append(append(w.buf, w.newline...), w.indent...)
			return
		}
	}
}

// restOfLine returns the length of the part of a lead that belongs to the previous statement's
// line, without the newline. IL has no multi-line comments.
func restOfLine(lead string) int {
	line, _, _ := strings.Cut(lead, "\n")
	return len(strings.TrimSuffix(line, "\r"))
}

// isAllBlank reports whether s consists of blanks.
func isAllBlank(s string) bool {
	for _, c := range []byte(s) {
		if !isBlank(c) {
			return false
		}
	}
	return true
}

// printedSize estimates the length of k's text, for one allocation.
func printedSize(k *Kernel) int {
	n := len(k.Head) + len(k.Tail) + 32
	for i := range k.Insts {
		in := &k.Insts[i]
		n += len(in.Lead) + len(in.Text)
		if in.Text == "" {
			n += 40
		}
	}
	return n
}
