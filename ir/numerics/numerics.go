// Package numerics defines how far a rewrite may change results: passes declare a class, a user admits
// one, and verification enforces it.
package numerics

import "github.com/shaderlift/shaderlift/internal/naming"

// Class is a class of equality. A stronger class has a smaller number.
type Class uint8

const (
	Terms  Class = iota // the same terms: holds under any numerics
	Bits                // the same float32 results
	Real                // the same over the reals: rounding may differ
	Approx              // the same within a stated bound
)

// Default is the class admitted by default: it permits interpolation identities and reassociation.
const Default = Real

var names = []string{"terms", "bits", "real", "approx"}

// String returns the name of c in the syntax of Parse.
func (c Class) String() string { return naming.String(names, c) }

// MarshalText writes the name of c.
func (c Class) MarshalText() ([]byte, error) { return naming.Marshal(names, c) }

// UnmarshalText reads the name of a class.
func (c *Class) UnmarshalText(text []byte) error { return naming.Unmarshal(names, c, text, "numerics") }

// Parse reads the name of a class.
func Parse(s string) (c Class, err error) {
	err = c.UnmarshalText([]byte(s))
	return c, err
}
