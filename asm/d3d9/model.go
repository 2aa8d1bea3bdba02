package d3d9

import (
	"fmt"

	"github.com/shaderlift/shaderlift/internal/naming"
)

// Stage is the pipeline stage in which a program runs.
type Stage uint8

// The stages.
const (
	Vertex Stage = iota
	Pixel
)

// Other returns the other stage of a draw.
func (s Stage) Other() Stage { return Vertex + Pixel - s }

var stageNames = []string{"vertex", "pixel"}

func (s Stage) String() string { return naming.String(stageNames, s) }

// MarshalText returns the name of s.
func (s Stage) MarshalText() ([]byte, error) { return naming.Marshal(stageNames, s) }

// UnmarshalText reads the name of a stage.
func (s *Stage) UnmarshalText(text []byte) error {
	return naming.Unmarshal(stageNames, s, text, "stage")
}

// Model is a shader model, as named by a version line or version token. Minor 1 of major 2 is the
// extended profile (vs_2_x, ps_2_x, ps_2_a, ps_2_b); Minor 0xff is the software profile of a major
// version (vs_2_sw, ps_3_sw).
type Model struct {
	Stage        Stage
	Major, Minor uint8
}

// The models in common use.
var (
	VS11 = Model{Vertex, 1, 1}
	VS20 = Model{Vertex, 2, 0}
	VS2X = Model{Vertex, 2, 1}
	VS30 = Model{Vertex, 3, 0}
	PS11 = Model{Pixel, 1, 1}
	PS12 = Model{Pixel, 1, 2}
	PS13 = Model{Pixel, 1, 3}
	PS14 = Model{Pixel, 1, 4}
	PS20 = Model{Pixel, 2, 0}
	PS2X = Model{Pixel, 2, 1}
	PS30 = Model{Pixel, 3, 0}
)

// Software reports whether m is one of the unlimited software profiles.
func (m Model) Software() bool { return m.Minor == 0xff }

// fixedPoint reports whether m is one of ps_1_1 to ps_1_4, whose numbers have a range.
func (m Model) fixedPoint() bool { return m.Stage == Pixel && m.Major == 1 }

// Extended reports whether m is vs_2_x or ps_2_x.
func (m Model) Extended() bool { return m.Major == 2 && m.Minor == 1 }

// AtLeast reports whether m is major.minor or later.
func (m Model) AtLeast(major, minor uint8) bool {
	return m.Major > major || m.Major == major && m.Minor >= minor
}

// Token returns the version token of the bytecode.
func (m Model) Token() uint32 {
	hi := uint32(0xfffe0000)
	if m.Stage == Pixel {
		hi = 0xffff0000
	}
	return hi | uint32(m.Major)<<8 | uint32(m.Minor)
}

// String spells m as its version line does: ps_2_0, vs_2_x, ps_3_sw.
func (m Model) String() string {
	stage := "vs"
	if m.Stage == Pixel {
		stage = "ps"
	}
	switch {
	case m.Software():
		return fmt.Sprintf("%s_%d_sw", stage, m.Major)
	case m.Extended():
		return fmt.Sprintf("%s_%d_x", stage, m.Major)
	}
	return fmt.Sprintf("%s_%d_%d", stage, m.Major, m.Minor)
}

// MarshalText spells m as String does.
func (m Model) MarshalText() ([]byte, error) {
	if !m.known() {
		return nil, fmt.Errorf("%s is not a shader model", m)
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads the spelling of a model.
func (m *Model) UnmarshalText(text []byte) error {
	read, n, ok := scanVersion(string(text))
	if !ok || n != len(text) {
		return fmt.Errorf("%q is not a shader model", text)
	}
	*m = read
	return nil
}
