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

// Method is a way to compare two versions; docs/verification.md describes each. Verify uses them in the order of
// cost, which is not their order of strength: a proof by terms claims the most.
type Method uint8

const (
	ByForm      Method = iota // the form and the interface of the result
	ByTerms                   // equal graphs of operations
	ByExecution               // equal results of draws and launches
	ByField                   // equal polynomials over a finite field
	ByRounding                // a bound of rounding errors
)

var methodNames = []string{"form", "terms", "execution", "field", "rounding"}

// String returns the name of r in reports.
func (r Method) String() string { return naming.String(methodNames, r) }

// MarshalText returns the name of r.
func (r Method) MarshalText() ([]byte, error) { return naming.Marshal(methodNames, r) }

// UnmarshalText reads the name of a method.
func (r *Method) UnmarshalText(text []byte) error {
	return naming.Unmarshal(methodNames, r, text, "method")
}

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
