package il

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// Print writes k as text. A statement that still has its Text is copied with the
// Lead before it, so a kernel that nobody changed comes out as it was read; any
// other statement is written in canonical form. One with a Lead goes where the Lead
// ends; one with neither gets a line of its own after the line of the statement
// before it, comment included.
func Print(k *Kernel) []byte {
	w := printer{newline: newlineOf(k), buf: make([]byte, 0, printedSize(k))}
	w.buf = append(w.buf, k.Head...)
	if k.Head == "" {
		w.header(k)
	}
	first := 0 // of the inserted statements that wait for the lead they follow
	for i := range k.Insts {
		in := &k.Insts[i]
		if in.Lead == "" && in.Text == "" {
			continue
		}
		w.lead(in.Lead, k.Insts[first:i])
		w.freshLine()
		if in.Text != "" {
			w.buf = append(w.buf, in.Text...)
		} else {
			w.buf = Append(w.buf, in)
		}
		first = i + 1
	}
	w.lead(k.Tail, k.Insts[first:])
	if k.Tail == "" && (k.Head == "" || first < len(k.Insts)) {
		w.buf = append(w.buf, w.newline...)
	}
	return w.buf
}

// printer writes the text of one kernel. A Lead begins with the rest of the line of the
// statement before it, such as a comment; statements without a place in the source go
// between that and the rest of the lead.
type printer struct {
	buf     []byte
	newline string // the input's
	indent  string // of the statement before
}

// header writes the header of a kernel that was not read.
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

// lead writes what the source has between two statements, with the statements
// inserted there after the end of the first one's line.
func (w *printer) lead(s string, inserted []Inst) {
	n := restOfLine(s)
	w.buf = append(w.buf, s[:n]...)
	for i := range inserted {
		w.buf = append(append(w.buf, w.newline...), w.indent...)
		w.buf = Append(w.buf, &inserted[i])
	}
	w.buf = append(w.buf, s[n:]...)
	// If the lead ends with the beginning of a line, that is the indent of the
	// statement after it.
	if i := strings.LastIndexByte(s, '\n'); i >= 0 && isAllBlank(s[i+1:]) {
		w.indent = s[i+1:]
	}
}

// freshLine begins a line, unless there is nothing on the current one. Leads that
// come from the source always end so.
func (w *printer) freshLine() {
	for i := len(w.buf) - 1; i >= 0 && w.buf[i] != '\n'; i-- {
		if !isBlank(w.buf[i]) {
			w.buf = append(append(w.buf, w.newline...), w.indent...)
			return
		}
	}
}

// restOfLine is how much of a lead belongs to the line of the statement before it, the
// newline excluded. IL has no comments over several lines.
func restOfLine(lead string) int {
	line, _, _ := strings.Cut(lead, "\n")
	return len(strings.TrimSuffix(line, "\r"))
}

// isAllBlank reports whether s is blanks.
func isAllBlank(s string) bool {
	for _, c := range []byte(s) {
		if !isBlank(c) {
			return false
		}
	}
	return true
}

// newlineOf is how the source of k ends its lines, by the first that it has.
func newlineOf(k *Kernel) string {
	if nl := asm.NewlineStyle(k.Head); nl != "" {
		return nl
	}
	for i := range k.Insts {
		if nl := asm.NewlineStyle(k.Insts[i].Lead); nl != "" {
			return nl
		}
	}
	if nl := asm.NewlineStyle(k.Tail); nl != "" {
		return nl
	}
	return "\n"
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
