package ir

import "github.com/shaderlift/shaderlift/internal/naming"

// Numerics is a class of equality. It defines how far a rewrite may change results: passes declare a class, a user
// admits one, and verification enforces it. A stronger class has a smaller number.
type Numerics uint8

const (
	Terms  Numerics = iota // the same terms: holds under any numerics
	Bits                   // the same float32 results
	Real                   // the same over the reals: rounding may differ
	Approx                 // the same within a stated bound
)

// DefaultNumerics is the class admitted by default: it permits interpolation identities and reassociation.
const DefaultNumerics = Real

var numericsNames = []string{"terms", "bits", "real", "approx"}

// String returns the name of c in the syntax of Parse.
func (c Numerics) String() string { return naming.String(numericsNames, c) }

// MarshalText writes the name of c.
func (c Numerics) MarshalText() ([]byte, error) { return naming.Marshal(numericsNames, c) }

// UnmarshalText reads the name of a class.
func (c *Numerics) UnmarshalText(text []byte) error {
	return naming.Unmarshal(numericsNames, c, text, "numerics")
}

// ParseNumerics reads the name of a class.
func ParseNumerics(s string) (c Numerics, err error) {
	err = c.UnmarshalText([]byte(s))
	return c, err
}
