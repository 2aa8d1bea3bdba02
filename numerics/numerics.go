// Package numerics has the classes of what a rewrite may change of results: what passes
// declare, a user admits and a check holds a result to.
package numerics

import "github.com/shaderlift/shaderlift/internal/enum"

// Class says how strong a sameness is. A stronger one has a smaller number.
type Class uint8

const (
	Terms  Class = iota // the same terms: holds under any numerics
	Bits                // the same float32 results
	Real                // the same over the reals: rounding may differ
	Approx              // the same within a stated bound
)

// Default is the class that is admitted where none is asked for: it has room for
// interpolation identities and for reassociation.
const Default = Real

var names = []string{"terms", "bits", "real", "approx"}

// String is the name that Parse reads.
func (c Class) String() string { return enum.String(names, c) }

// MarshalText is the name of c.
func (c Class) MarshalText() ([]byte, error) { return enum.Marshal(names, c) }

// UnmarshalText reads the name of a class.
func (c *Class) UnmarshalText(text []byte) error { return enum.Unmarshal(names, c, text, "numerics") }

// Parse reads the name of a class.
func Parse(s string) (c Class, err error) {
	err = c.UnmarshalText([]byte(s))
	return c, err
}

// Names lists the names of all classes, the strongest first.
func Names() []string { return append([]string(nil), names...) }
