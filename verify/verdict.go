package verify

import (
	"github.com/shaderlift/shaderlift/internal/naming"
	"github.com/shaderlift/shaderlift/ir"
)

// Verdict is the outcome of a check, ordered by strength: a larger one claims more. The zero
// value is Unknown, which never counts as success.
type Verdict uint8

const (
	// Unknown: neither equality nor a difference was shown.
	Unknown Verdict = iota
	// Refuted: the interpreter computes different results; a counterexample is attached.
	Refuted
	// Tested: executing both found no difference; nothing more is known.
	Tested
	// Bounded: the results differ by no more than a stated bound.
	Bounded
	// ProvedReal: equal over the reals for every input, up to the error
	// probability in the report; rounding may differ.
	ProvedReal
	// Proved: the same terms, so equal for every input under any numerics.
	Proved
)

var verdictNames = []string{"unknown", "refuted", "tested", "bounded", "proved-real", "proved"}

// String returns the name of v in reports and in --require.
func (v Verdict) String() string { return naming.String(verdictNames, v) }

// MarshalText returns the name of v.
func (v Verdict) MarshalText() ([]byte, error) { return naming.Marshal(verdictNames, v) }

// UnmarshalText reads the name of a verdict.
func (v *Verdict) UnmarshalText(text []byte) error {
	return naming.Unmarshal(verdictNames, v, text, "verdict")
}

// Verdicts lists all verdicts, the weakest first.
func Verdicts() []Verdict { return []Verdict{Unknown, Refuted, Tested, Bounded, ProvedReal, Proved} }

// Rung is a step of the ladder that leads to a verdict. The numbers are those of docs/verification.md and
// name methods, not an order of strength: R1 claims the most.
type Rung uint8

const (
	R0 Rung = iota // form
	R1             // terms
	R2             // runs
	R3             // a proof in a finite field
	R4             // a bound of roundings
)

var rungNames = []string{"R0", "R1", "R2", "R3", "R4"}

// String returns the name of r in reports.
func (r Rung) String() string { return naming.String(rungNames, r) }

// MarshalText returns the name of r.
func (r Rung) MarshalText() ([]byte, error) { return naming.Marshal(rungNames, r) }

// UnmarshalText reads the name of a rung.
func (r *Rung) UnmarshalText(text []byte) error { return naming.Unmarshal(rungNames, r, text, "rung") }

// OK reports whether v is a success.
func (v Verdict) OK() bool { return v >= Tested }

// The required strengths of the equality; a stronger one has a smaller number.
const (
	Terms  = ir.Terms
	Bits   = ir.Bits
	Real   = ir.Real
	Approx = ir.Approx
)

// Effort is the amount of work that a check may do.
type Effort uint8

const (
	Quick Effort = iota // a few milliseconds a pair
	Full                // many draws under several numerics
)

var effortNames = []string{"quick", "full"}

// String returns the name that ParseEffort reads.
func (e Effort) String() string { return naming.String(effortNames, e) }

// MarshalText returns the name of e.
func (e Effort) MarshalText() ([]byte, error) { return naming.Marshal(effortNames, e) }

// UnmarshalText reads the name of an effort.
func (e *Effort) UnmarshalText(text []byte) error {
	return naming.Unmarshal(effortNames, e, text, "effort")
}

// ParseEffort reads the name of an effort.
func ParseEffort(s string) (e Effort, err error) {
	err = e.UnmarshalText([]byte(s))
	return e, err
}
