package shaderlift

import (
	"fmt"
	"strconv"
	"strings"

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

// PixelConstant and VertexConstant are float constant registers of a stage, by number.
type (
	PixelConstant  uint16
	VertexConstant uint16
)

// String spells c with its stage, as in ps c0.
func (c PixelConstant) String() string { return fmt.Sprintf("%s%d", pixelConstant, uint16(c)) }

// MarshalText is String.
func (c PixelConstant) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what String writes.
func (c *PixelConstant) UnmarshalText(text []byte) error {
	n, err := register(pixelConstant, string(text))
	*c = PixelConstant(n)
	return err
}

// String spells c with its stage, as in vs c5.
func (c VertexConstant) String() string { return fmt.Sprintf("%s%d", vertexConstant, uint16(c)) }

// MarshalText is String.
func (c VertexConstant) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what String writes.
func (c *VertexConstant) UnmarshalText(text []byte) error {
	n, err := register(vertexConstant, string(text))
	*c = VertexConstant(n)
	return err
}

const pixelConstant, vertexConstant = "ps c", "vs c"

// register is the number behind a prefix.
func register(prefix, text string) (uint16, error) {
	digits, ok := strings.CutPrefix(text, prefix)
	n, err := strconv.ParseUint(digits, 10, 16)
	if !ok || err != nil {
		return 0, fmt.Errorf("%q is no register like %s0", text, prefix)
	}
	return uint16(n), nil
}

// Upload is a constant that the application has to set once more: vertex register
// To to what it sets pixel register From to.
type Upload struct {
	From PixelConstant  `json:"from"`
	To   VertexConstant `json:"to"`
}

// String spells u as --upload does, vertex constant first.
func (u Upload) String() string { return fmt.Sprintf("c%d=c%d", uint16(u.To), uint16(u.From)) }

// uploadsOf are uploads that passes ask for.
func uploadsOf(list []passes.Upload) (ups []Upload) {
	for _, u := range list {
		ups = append(ups, Upload{PixelConstant(u.From), VertexConstant(u.To)})
	}
	return ups
}

// toVerify are uploads as a check takes them.
func toVerify(list []Upload) (ups []verify.Upload) {
	for _, u := range list {
		ups = append(ups, verify.Upload{From: uint16(u.From), To: uint16(u.To)})
	}
	return ups
}
