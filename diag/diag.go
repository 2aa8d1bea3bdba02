// Package diag has the table of all codes of diagnostics and remarks: their meaning, severity and
// packages. Codes are stable: a code in the table keeps its meaning. A test checks that no other code
// is used. docs/diagnostics.md is generated from the table.
package diag

import (
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/naming"
)

// Severity is the severity of a code.
type Severity uint8

const (
	// Note is information about a result: a rewrite that was not made, and the reason.
	Note Severity = iota
	// Rewrite is a rewrite by a pass, and the reason.
	Rewrite
	// Limit is a well-formed program that exceeds a limit of its model. It is rejected, with exit
	// status 2, unless it can be made to fit.
	Limit
	// Error is a rejected input, case or option. For a well-formed program that cannot be lifted it is
	// a note, and the program stays unchanged.
	Error
)

var severityNames = []string{"note", "rewrite", "limit", "error"}

// String returns the name of s.
func (s Severity) String() string { return naming.String(severityNames, s) }

// entry is a row of the table.
type entry struct {
	Code     asm.Code
	Severity Severity
	Meaning  string
	From     string // the packages that use it, separated by blanks; . is the root
}

// Lookup returns the row of a code, or nil.
func Lookup(code asm.Code) *entry {
	if e := LookupChange(code); e != nil {
		return e
	}
	return find(table, code)
}

// LookupChange returns the row of a rewrite or a limit, or nil. Programs that use it alone omit the other rows.
func LookupChange(code asm.Code) *entry { return find(changes, code) }

func find(rows []entry, code asm.Code) *entry {
	at, ok := slices.BinarySearchFunc(rows, code,
		func(e entry, c asm.Code) int { return strings.Compare(string(e.Code), string(c)) })
	if !ok {
		return nil
	}
	return &rows[at]
}
