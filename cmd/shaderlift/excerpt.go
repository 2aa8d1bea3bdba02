package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/regular"
	"github.com/shaderlift/shaderlift/opt/input"
)

// maxExcerpt bounds the length of a line that is shown, in bytes.
const maxExcerpt = 160

// sources returns the content of a file named in a diagnostic, or nil if it cannot be read again.
type sources func(file string) []byte

// source reads a file again for an excerpt, as few diagnostics are printed. It does not quote a
// file that is not a program, whose lines may be secret.
func (a *app) source(file string) []byte {
	var data []byte
	switch file {
	case stdinName:
		data = a.in.kept()
	case "<pipeline>":
		return []byte(a.pipeline)
	default:
		if _, p := a.containerOf(file); p != nil {
			data = p.Data
			break
		}
		f, err := regular.Open(file)
		if err != nil {
			return nil
		}
		defer f.Close()
		data, _ = io.ReadAll(io.LimitReader(f, maxInput)) // keep the part that can be read
	}
	if format := shaderlift.Recognize(data); format != input.Assembly && format != input.IL {
		return nil
	}
	return data
}

// excerpt returns the line that d points to, with a caret below the position. It returns the empty
// string if the line does not exist or cannot be shown.
func (s sources) excerpt(d *asm.Diag) string {
	if d.Pos.Line < 1 {
		return ""
	}
	lines := strings.SplitN(string(s(d.Pos.File)), "\n", d.Pos.Line+1)
	if len(lines) < d.Pos.Line {
		return ""
	}
	line := strings.TrimRight(lines[d.Pos.Line-1], "\r\n")
	// Col is in bytes, from 1.
	at := d.Pos.Col - 1
	if at < 0 || at > len(line) || len(line) > maxExcerpt || strings.TrimSpace(line) == "" || !printable(line) {
		return ""
	}
	margin := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r // same width as in the line above
		}
		return ' '
	}, line[:at])
	return fmt.Sprintf("\n%5d | %s\n      | %s^", d.Pos.Line, line, margin)
}

func printable(line string) bool {
	return utf8.ValidString(line) && !strings.ContainsFunc(line,
		func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) })
}

// maxDiags is the number of diagnostics that are printed for an input.
const maxDiags = 20

// renderDiags returns the text of the first maxDiags diagnostics with their source lines.
func (s sources) renderDiags(ds asm.Diags) string {
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

// message returns the text of err for the user: diagnostics without, other errors with the name of
// the command.
func (s sources) message(err error) string {
	if isDiag(err) {
		return s.brief(err)
	}
	return "shaderlift: " + s.brief(err)
}

// brief returns the text of err with its diagnostics formatted by told. It keeps text that wraps
// the diagnostics.
func (s sources) brief(err error) string {
	text := strings.TrimSpace(err.Error()) // suggestions of cobra end with a blank line
	var ds asm.Diags
	var d *asm.Diag
	switch {
	case errors.As(err, &ds):
		return strings.Replace(text, ds.Error(), s.renderDiags(ds), 1)
	case errors.As(err, &d):
		return strings.Replace(text, d.Error(), s.renderDiags(asm.Diags{d}), 1)
	}
	return text
}
