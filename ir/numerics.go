package ir

import "github.com/shaderlift/shaderlift/internal/naming"

// Numerics is a class of equality. It defines how far a rewrite may change results: passes declare a class, a user
// admits one, and verification enforces it. A stronger class has a smaller number. The zero value is Real, the
// default: it permits interpolation identities and reassociation.
type Numerics int8

const (
	Terms  Numerics = iota - 2 // the same terms: holds under any numerics
	Bits                       // the same float32 results
	Real                       // the same over the reals: rounding may differ
	Approx                     // the same within a stated bound
)

var numericsNames = []string{"terms", "bits", "real", "approx"}

// Valid reports whether c is one of the classes.
func (c Numerics) Valid() bool { return c >= Terms && c <= Approx }

// String returns the name of c in the syntax of Parse.
func (c Numerics) String() string { return naming.String(numericsNames, uint8(c-Terms)) }

// MarshalText writes the name of c.
func (c Numerics) MarshalText() ([]byte, error) { return naming.Marshal(numericsNames, uint8(c-Terms)) }

// UnmarshalText reads the name of a class. An empty text is the default.
func (c *Numerics) UnmarshalText(text []byte) error {
	if *c = 0; len(text) == 0 {
		return nil
	}
	var index uint8
	if err := naming.Unmarshal(numericsNames, &index, text, "numerics"); err != nil {
		return err
	}
	*c = Terms + Numerics(index)
	return nil
}

// ParseNumerics reads the name of a class.
func ParseNumerics(s string) (c Numerics, err error) {
	err = c.UnmarshalText([]byte(s))
	return c, err
}
