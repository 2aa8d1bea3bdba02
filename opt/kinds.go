package opt

import (
	"github.com/shaderlift/shaderlift/internal/naming"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

type (
	// Input is the unit of one optimization.
	Input = input.Input

	// File is a program as bytes.
	File = input.File
)

// Status is the outcome of an input. The zero value is for inputs that were only read.
type Status uint8

// The outcomes.
const (
	Improved  Status = iota + 1
	Changed          // changed on request, without a gain
	Unchanged        // the result is the input
	Failed           // the result has no programs
)

var statusNames = []string{"", "improved", "changed", "unchanged", "failed"}

// String returns the name of s in reports, empty for the zero value.
func (s Status) String() string { return naming.String(statusNames, s) }

// MarshalText writes the name of s.
func (s Status) MarshalText() ([]byte, error) { return naming.Marshal(statusNames, s) }

// UnmarshalText reads the name of a status.
func (s *Status) UnmarshalText(text []byte) error {
	return naming.Unmarshal(statusNames, s, text, "status")
}

// uploadsOf converts the uploads that passes request.
func uploadsOf(list []passes.Upload) (ups []input.Upload) {
	for _, u := range list {
		to := verify.Upload(u).Stage()
		ups = append(ups, input.Upload{From: input.HostRegister{Stage: to.Other(), Index: u.From},
			To: input.HostRegister{Stage: to, Index: u.To}})
	}
	return ups
}

// toVerify converts uploads for a check.
func toVerify(list []input.Upload) (ups []verify.Upload) {
	for _, u := range list {
		ups = append(ups, verify.Upload{From: u.From.Index, To: u.To.Index, Lowered: u.Lowered()})
	}
	return ups
}
