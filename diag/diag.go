// Package diag has the table of all codes that diagnostics and remarks have: what each one
// means, how serious it is and which packages have it. Codes are stable: one that is in the
// table keeps its meaning, and no other code is used, which a test makes sure of.
// docs/diagnostics.md is made from it.
package diag

import (
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/enum"
)

// Severity says what a code keeps from happening.
type Severity uint8

const (
	// Note is something to know about a result: what was not done, and why.
	Note Severity = iota
	// Rewrite is something that a pass has done, and why it could.
	Rewrite
	// Limit is a program that is well formed and takes more than its model has: it is
	// refused, with exit status 2, unless it can be made to fit.
	Limit
	// Error is an input, a case or an option that is refused. Of what is well formed, and
	// only not understood by passes, it is a note: then the program is left as it is.
	Error
)

var severityNames = []string{"note", "rewrite", "limit", "error"}

// String is the name of s.
func (s Severity) String() string { return enum.String(severityNames, s) }

// MarshalText is the name of s.
func (s Severity) MarshalText() ([]byte, error) { return enum.Marshal(severityNames, s) }

// UnmarshalText reads the name of a severity.
func (s *Severity) UnmarshalText(text []byte) error {
	return enum.Unmarshal(severityNames, s, text, "severity")
}

// entry is a row of the table.
type entry struct {
	Code     asm.Code
	Severity Severity
	Meaning  string
	From     string // the packages that have it, separated by blanks; . is the root
}

// Lookup finds the row of a code, nil if there is none.
func Lookup(code asm.Code) *entry {
	at, ok := slices.BinarySearchFunc(table, code, func(e entry, c asm.Code) int { return strings.Compare(string(e.Code), string(c)) })
	if !ok {
		return nil
	}
	return &table[at]
}
