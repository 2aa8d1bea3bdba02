package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shaderlift/shaderlift/asm"
)

// maxExcerpt bounds the bytes of a line that is shown.
const maxExcerpt = 160

// sources returns the bytes of what a diagnostic calls a file, nil if it cannot be read again.
type sources func(file string) []byte

// source finds files, which are read once more: few diagnostics are printed, and of few files.
func (a *app) source(file string) []byte {
	switch file {
	case stdinName:
		return a.in.kept()
	case "<pipeline>":
		return []byte(a.pipeline)
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, _ := read(file, nil) // what there is of it
	return data
}

// excerpt is the line that d points to, with a caret below the place; empty if there is no such
// line, or none that can be shown.
func (s sources) excerpt(d *asm.Diag) string {
	if d.Pos.Line < 1 {
		return ""
	}
	lines := strings.SplitN(string(s(d.Pos.File)), "\n", d.Pos.Line+1)
	if len(lines) < d.Pos.Line {
		return ""
	}
	line := strings.TrimRight(lines[d.Pos.Line-1], "\r\n")
	// Col is in bytes from 1 on.
	at := d.Pos.Col - 1
	if at < 0 || at > len(line) || len(line) > maxExcerpt || strings.TrimSpace(line) == "" || !printable(line) {
		return ""
	}
	margin := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r // as wide as the one above
		}
		return ' '
	}, line[:at])
	return fmt.Sprintf("\n%5d | %s\n      | %s^", d.Pos.Line, line, margin)
}

func printable(line string) bool {
	return utf8.ValidString(line) && !strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) })
}

// maxDiags is how many diagnostics are printed for an input.
const maxDiags = 20

// told is ds as the user reads them: with the lines that they point to, and no more of them than
// anyone reads.
func (s sources) told(ds asm.Diags) string {
	var b strings.Builder
	for i, d := range ds {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == maxDiags {
			fmt.Fprintf(&b, "and %d more", len(ds)-i)
			break
		}
		b.WriteString(d.Error() + s.excerpt(d))
	}
	return b.String()
}

// message is err as told to the user: diagnostics as they are, anything else after
// the name of the command.
func (s sources) message(err error) string {
	if isDiag(err) {
		return s.brief(err)
	}
	return "shaderlift: " + s.brief(err)
}

// brief is the text of err with its diagnostics as told formats them. Errors wrap diagnostics in
// further text, which is kept around them.
func (s sources) brief(err error) string {
	text := strings.TrimSpace(err.Error()) // suggestions of cobra end with a blank line
	var ds asm.Diags
	var d *asm.Diag
	switch {
	case errors.As(err, &ds):
		return strings.Replace(text, ds.Error(), s.told(ds), 1)
	case errors.As(err, &d):
		return strings.Replace(text, d.Error(), s.told(asm.Diags{d}), 1)
	}
	return text
}
