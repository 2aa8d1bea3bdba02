package verify

import "fmt"

// Verdict is the outcome of a check. The zero value is Unknown, which never
// counts as success.
type Verdict uint8

const (
	// Unknown: neither shown equal nor shown different.
	Unknown Verdict = iota
	// Refuted: the interpreter computes different results; a counterexample is attached.
	Refuted
	// Tested: no difference was found by running both, and nothing more is known.
	Tested
	// Bounded: the results differ by no more than a stated bound.
	Bounded
	// ProvedReal: equal over the reals for every input, up to the error
	// probability in the report; rounding may differ.
	ProvedReal
	// Proved: the same terms, so equal for every input under any numerics.
	Proved
)

var verdictNames = [...]string{"unknown", "refuted", "tested", "bounded", "proved-real", "proved"}

func (v Verdict) String() string { return verdictNames[v] }

// OK reports whether v is a success.
func (v Verdict) OK() bool { return v >= Tested }

// Class says how strong a sameness is asked for; a stronger one has a smaller number.
type Class uint8

const (
	Terms  Class = iota // the same terms: holds under any numerics
	Bits                // the same float32 results
	Real                // the same over the reals: rounding may differ
	Approx              // the same within a bound
)

var classNames = [...]string{"terms", "bits", "real", "approx"}

func (c Class) String() string { return classNames[c] }

// Effort is how much a check may spend.
type Effort uint8

const (
	Quick Effort = iota // a few milliseconds a pair
	Full                // many draws under several numerics
)

// String is the name that ParseEffort reads.
func (e Effort) String() string {
	if e == Full {
		return "full"
	}
	return "quick"
}

// ParseEffort reads the name of an effort.
func ParseEffort(s string) (Effort, error) {
	switch s {
	case "quick":
		return Quick, nil
	case "full":
		return Full, nil
	}
	return 0, fmt.Errorf("unknown effort %q (want quick or full)", s)
}
