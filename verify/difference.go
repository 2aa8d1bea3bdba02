package verify

import "github.com/shaderlift/shaderlift/asm/d3d9"

// difference names the first output, or other property, in which two views differ.
type difference struct {
	what  string     // for reports: the output, or its change
	stage d3d9.Stage // of the output
	exact bool       // the output has to stay the same term
	hangs bool       // all values are equal, but termination of after is not proved
}

func (d *difference) String() string { return d.what }

// contrastViews finds an output with different values, or one that only one version writes. It prefers the
// first output that has to stay the same term. Both lists are sorted by key, and are merged.
func contrastViews[T any](before, after *view[T], equal func(b, a T) bool) (first *difference) {
	b, a := before.outs, after.outs
	for len(b) > 0 || len(a) > 0 {
		var d *difference
		switch {
		case len(a) == 0 || len(b) > 0 && b[0].key < a[0].key:
			d, b = &difference{what: before.name(b[0].reg) + " is no longer written", stage: b[0].stage, exact: b[0].exact}, b[1:]
		case len(b) == 0 || a[0].key < b[0].key:
			d, a = &difference{what: after.name(a[0].reg) + " was not written before", stage: a[0].stage, exact: a[0].exact}, a[1:]
		default:
			if !equal(b[0].val, a[0].val) {
				d = &difference{what: before.name(b[0].reg), stage: b[0].stage, exact: b[0].exact}
			}
			b, a = b[1:], a[1:]
		}
		if d != nil && d.exact {
			return d
		}
		if first == nil {
			first = d
		}
	}
	return first
}
