package input

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/naming"
)

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

// Assumption is a property of the state of a draw that programs do not show and the application
// promises.
type Assumption uint8

const (
	// OneLevel promises that each texture of the pixel program has one mip level and uses the same
	// filter for magnification and minification. The choice of the level then has no effect, so texldl,
	// texldb and texldd read the same texels as texld.
	OneLevel Assumption = iota + 1
	// UnitColours promises that vertex programs output colours between 0 and 1. The clamp of models
	// below 3.0 then has no effect.
	UnitColours
)

var assumptionNames = []string{"", "one-level", "unit-colours"}

// String returns the name of a in --assume.
func (a Assumption) String() string { return naming.String(assumptionNames, a) }

// MarshalText writes the name of a.
func (a Assumption) MarshalText() ([]byte, error) { return naming.Marshal(assumptionNames, a) }

// UnmarshalText reads the name of an assumption.
func (a *Assumption) UnmarshalText(text []byte) error {
	return naming.Unmarshal(assumptionNames, a, text, "assumption")
}

// Valid reports whether a is one of the constants above.
func (a Assumption) Valid() bool { return a > 0 && int(a) < len(assumptionNames) }
