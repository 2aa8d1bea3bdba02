package walk

import "github.com/shaderlift/shaderlift/asm/d3d9"

// Difference names the first output, or other property, in which two views differ.
type Difference struct {
	What  string     // for reports: the output, or its change
	Stage d3d9.Stage // of the output
	Exact bool       // the output has to stay the same term
	Hangs bool       // all values are equal, but termination of after is not proved
}

func (d *Difference) String() string { return d.What }

// Contrast finds an output with different values, or one that only one version writes. It prefers the
// first output that has to stay the same term. Both lists are sorted by key, and are merged.
func Contrast[T any](before, after *View[T], equal func(b, a T) bool) (first *Difference) {
	b, a := before.Outs, after.Outs
	for len(b) > 0 || len(a) > 0 {
		var d *Difference
		switch {
		case len(a) == 0 || len(b) > 0 && b[0].Key < a[0].Key:
			d, b = &Difference{What: before.Name(b[0].Reg) + " is no longer written", Stage: b[0].stage,
				Exact: b[0].exact}, b[1:]
		case len(b) == 0 || a[0].Key < b[0].Key:
			d, a = &Difference{What: after.Name(a[0].Reg) + " was not written before", Stage: a[0].stage,
				Exact: a[0].exact}, a[1:]
		default:
			if !equal(b[0].Val, a[0].Val) {
				d = &Difference{What: before.Name(b[0].Reg), Stage: b[0].stage, Exact: b[0].exact}
			}
			b, a = b[1:], a[1:]
		}
		if d != nil && d.Exact {
			return d
		}
		if first == nil {
			first = d
		}
	}
	return first
}

// KillName returns the name of the instruction that drops fragments.
func KillName(o *Observation) string {
	if o.OnWords() {
		return "discard"
	}
	return "texkill"
}
