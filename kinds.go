package shaderlift

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/enum"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// Kind is what an input is.
type Kind uint8

// The kinds of inputs.
const (
	KindProgram Kind = iota // one Direct3D 9 program
	KindPair                // the vertex and the pixel program of a draw
	KindKernel              // an AMD IL kernel
	KindEffect              // a compiled effect
)

var kindNames = []string{"program", "pair", "kernel", "effect"}

// String is the name that reports have for k.
func (k Kind) String() string { return enum.String(kindNames, k) }

// MarshalText is the name of k.
func (k Kind) MarshalText() ([]byte, error) { return enum.Marshal(kindNames, k) }

// UnmarshalText reads the name of a kind.
func (k *Kind) UnmarshalText(text []byte) error { return enum.Unmarshal(kindNames, k, text, "kind") }

// Status is what became of an input. The zero value is that of one that was only read.
type Status uint8

// What may become of an input.
const (
	Improved  Status = iota + 1
	Changed          // as asked, for no gain
	Unchanged        // what is returned is the input
	Failed           // there is nothing to use
)

var statusNames = []string{"", "improved", "changed", "unchanged", "failed"}

// String is the name that reports have for s, empty for the zero value.
func (s Status) String() string { return enum.String(statusNames, s) }

// MarshalText is the name of s.
func (s Status) MarshalText() ([]byte, error) { return enum.Marshal(statusNames, s) }

// UnmarshalText reads the name of a status.
func (s *Status) UnmarshalText(text []byte) error {
	return enum.Unmarshal(statusNames, s, text, "status")
}

// HostConstants says where the application sets the constants of the pixel program.
type HostConstants uint8

// Where constants may be set.
const (
	Separate HostConstants = iota // there alone
	Mirrored                      // in the vertex stage too, where a result asks for it
)

var hostNames = []string{"separate", "mirrored"}

// String is the name that --host-constants has for h.
func (h HostConstants) String() string { return enum.String(hostNames, h) }

// MarshalText is the name of h.
func (h HostConstants) MarshalText() ([]byte, error) { return enum.Marshal(hostNames, h) }

// UnmarshalText reads the name of a way to set constants.
func (h *HostConstants) UnmarshalText(text []byte) error {
	return enum.Unmarshal(hostNames, h, text, "host constants")
}

// HostRegister is a float constant register of a stage, which the application sets.
type HostRegister struct {
	Stage d3d9.Stage
	Index uint16
}

var hostPrefixes = [...]string{d3d9.Vertex: "vs c", d3d9.Pixel: "ps c"}

// String spells r with its stage, as in vs c5.
func (r HostRegister) String() string { return fmt.Sprint(hostPrefixes[r.Stage], r.Index) }

// MarshalText is String.
func (r HostRegister) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what String writes.
func (r *HostRegister) UnmarshalText(text []byte) error {
	for stage, prefix := range hostPrefixes {
		digits, ok := strings.CutPrefix(string(text), prefix)
		if n, err := strconv.ParseUint(digits, 10, 16); ok && err == nil {
			*r = HostRegister{d3d9.Stage(stage), uint16(n)}
			return nil
		}
	}
	return fmt.Errorf("%q is no register like ps c0 or vs c0", text)
}

// Upload is a constant that the application has to set once more: register To of a stage
// to what it sets register From of the other stage to.
type Upload struct {
	From HostRegister `json:"from"`
	To   HostRegister `json:"to"`
}

// Lowered reports whether it is a pixel constant that is set to a vertex constant.
func (u Upload) Lowered() bool { return u.To.Stage == d3d9.Pixel }

// String spells u as --upload does: a vertex constant is set unless something else is said.
func (u Upload) String() string {
	if u.Lowered() {
		return fmt.Sprintf("ps:c%d=vs:c%d", u.To.Index, u.From.Index)
	}
	return fmt.Sprintf("c%d=c%d", u.To.Index, u.From.Index)
}

// uploadsOf are uploads that passes ask for.
func uploadsOf(list []passes.Upload) (ups []Upload) {
	for _, u := range list {
		to := verify.Upload(u).Stage()
		ups = append(ups, Upload{HostRegister{to.Other(), u.From}, HostRegister{to, u.To}})
	}
	return ups
}

// toVerify are uploads as a check takes them.
func toVerify(list []Upload) (ups []verify.Upload) {
	for _, u := range list {
		ups = append(ups, verify.Upload{From: u.From.Index, To: u.To.Index, Lowered: u.Lowered()})
	}
	return ups
}
