package asm

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shown returns a name in the form that messages print. It quotes names, as they occur in files and
// effects, that would break the line or contain terminal controls.
func Shown(name string) string {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return name
	}
	return strconv.Quote(name)
}

// Pos is a place in an input. A text has a line and a column (both from 1), a binary has a byte
// offset and Line 0. If Line and Offset are both 0, Pos is the input as a whole: an error in the
// first word of a binary concerns all of it.
type Pos struct {
	File      string
	Line, Col int
	Offset    int
}

// IsValid reports whether p names a place at all.
func (p Pos) IsValid() bool { return p.Line > 0 || p.Offset > 0 || p.File != "" }

// String prints file:line:col, file:+0xoffset for a place in a binary, or just the
// file for an input as a whole.
func (p Pos) String() string {
	file := Shown(p.File)
	if file == "" {
		file = "<input>"
	}
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%s:%d:%d", file, p.Line, p.Col)
	case p.Offset > 0:
		return fmt.Sprintf("%s:+%#x", file, p.Offset)
	}
	return file
}

// Code identifies the kind of a diagnostic, whatever its wording. It is stable and kebab-cased
// ("unknown-opcode"), so scripts may match on it. Package diag has the table of all codes.
type Code string

// Diag is an error in an input, addressed to the input's author. It never reports a fault of this
// program.
type Diag struct {
	Pos  Pos
	Code Code
	Msg  string
}

// Error prints place: message [code].
func (d *Diag) Error() string { return fmt.Sprintf("%s: %s [%s]", d.Pos, d.Msg, d.Code) }

// Errorf returns a Diag with a formatted message.
func Errorf(pos Pos, code Code, format string, args ...any) *Diag {
	return &Diag{Pos: pos, Code: code, Msg: fmt.Sprintf(format, args...)}
}

// Diags is a list of diagnostics in source order. As an error it prints one a line.
type Diags []*Diag

func (ds Diags) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap makes errors.As find the first diagnostic of the list.
func (ds Diags) Unwrap() []error {
	errs := make([]error, len(ds))
	for i, d := range ds {
		errs[i] = d
	}
	return errs
}

// In sets the file of the diagnostics that have no position, such as those of a program without statements. It returns
// ds.
func (ds Diags) In(file string) Diags {
	for _, d := range ds {
		if !d.Pos.IsValid() {
			d.Pos.File = file
		}
	}
	return ds
}

// Err returns ds as an error, or nil if the list is empty.
func (ds Diags) Err() error {
	if len(ds) == 0 {
		return nil
	}
	return ds
}

// Clip shortens a text that a message quotes to 40 bytes.
func Clip(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
