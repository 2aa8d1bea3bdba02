package asm

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shown is a name as it stands in a line that a person reads: quoted where it would leave the
// line, or tell a terminal something. Files and effects bring any names along.
func Shown(name string) string {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return name
	}
	return strconv.Quote(name)
}

// Pos is a place in an input: a line and a column (both from 1) of a text, or a
// byte offset of a binary, whose Line is 0. Where the offset is 0 too it is the
// input as a whole: what is wrong with the first word of a binary is wrong with that.
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

// Code tells what is wrong, or what is to be known, whatever the words around it. It is
// stable and kebab-cased ("unknown-opcode"); scripts may match on it. Package diag has the
// table of all codes.
type Code string

// Diag is one thing wrong with an input, told to its author: never a fault of
// this program.
type Diag struct {
	Pos  Pos
	Code Code
	Msg  string
}

// Error prints place: message [code].
func (d *Diag) Error() string { return fmt.Sprintf("%s: %s [%s]", d.Pos, d.Msg, d.Code) }

// Errorf makes a Diag.
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

// Err returns ds as an error, nil where the list is empty.
func (ds Diags) Err() error {
	if len(ds) == 0 {
		return nil
	}
	return ds
}

// Clip shortens what a message quotes.
func Clip(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
