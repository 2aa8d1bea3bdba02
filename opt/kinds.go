package opt

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
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

// HostConstants states the stages for which the application sets the constants of the pixel program.
type HostConstants uint8

// The stages for which constants may be set.
const (
	Separate HostConstants = iota // the pixel stage alone
	Mirrored                      // the vertex stage too, if a result requires it
)

var hostNames = []string{"separate", "mirrored"}

// String returns the name of h in --host-constants.
func (h HostConstants) String() string { return naming.String(hostNames, h) }

// MarshalText writes the name of h.
func (h HostConstants) MarshalText() ([]byte, error) { return naming.Marshal(hostNames, h) }

// UnmarshalText reads the name of a HostConstants value.
func (h *HostConstants) UnmarshalText(text []byte) error {
	return naming.Unmarshal(hostNames, h, text, "host constants")
}

// HostRegister is a float constant register of a stage, which the application sets.
type HostRegister struct {
	Stage d3d9.Stage
	Index uint16
}

var hostPrefixes = [...]string{d3d9.Vertex: "vs c", d3d9.Pixel: "ps c"}

// String returns r with its stage, as in vs c5.
func (r HostRegister) String() string { return fmt.Sprint(hostPrefixes[r.Stage], r.Index) }

// MarshalText writes the text of String.
func (r HostRegister) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the text of String.
func (r *HostRegister) UnmarshalText(text []byte) error {
	for stage, prefix := range hostPrefixes {
		digits, ok := strings.CutPrefix(string(text), prefix)
		if n, err := strconv.ParseUint(digits, 10, 16); ok && err == nil {
			*r = HostRegister{d3d9.Stage(stage), uint16(n)}
			return nil
		}
	}
	return fmt.Errorf("%q is not a register such as ps c0 or vs c0", text)
}

// Upload is a constant that the application must set a second time: register To of a stage gets the
// value of register From of the other stage.
type Upload struct {
	From HostRegister `json:"from"`
	To   HostRegister `json:"to"`
}

// Lowered reports whether u sets a pixel constant to a vertex constant.
func (u Upload) Lowered() bool { return u.To.Stage == d3d9.Pixel }

// String returns u in the syntax of --upload, where the default stage of To is vertex.
func (u Upload) String() string {
	if u.Lowered() {
		return fmt.Sprintf("ps:c%d=vs:c%d", u.To.Index, u.From.Index)
	}
	return fmt.Sprintf("c%d=c%d", u.To.Index, u.From.Index)
}

// uploadsOf converts the uploads that passes request.
func uploadsOf(list []passes.Upload) (ups []Upload) {
	for _, u := range list {
		to := verify.Upload(u).Stage()
		ups = append(ups, Upload{HostRegister{to.Other(), u.From}, HostRegister{to, u.To}})
	}
	return ups
}

// toVerify converts uploads for a check.
func toVerify(list []Upload) (ups []verify.Upload) {
	for _, u := range list {
		ups = append(ups, verify.Upload{From: u.From.Index, To: u.To.Index, Lowered: u.Lowered()})
	}
	return ups
}
