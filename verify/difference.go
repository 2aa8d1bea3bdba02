package verify

import "github.com/shaderlift/shaderlift/asm/d3d9"

// difference names the first output in which two views differ.
type difference struct {
	what  string
	exact bool // the output has to stay the same term
}

func (d *difference) String() string { return d.what }

// name spells an output component as a program writes it.
func (o *observed[T]) name() string {
	r := d3d9.Reg{File: d3d9.File(o.reg.File), Index: o.reg.Index}
	return r.String() + "." + string("xyzw"[o.reg.Comp])
}

// contrastViews finds an output whose values are not equal: the first one that has
// to stay the same term, or else the first of the others.
func contrastViews[T any](before, after *view[T], equal func(b, a T) bool) (first *difference) {
	b, a := before.outs, after.outs
	for len(b) > 0 || len(a) > 0 {
		var d *difference
		switch {
		case len(a) == 0 || len(b) > 0 && b[0].key < a[0].key:
			d, b = &difference{b[0].name() + " is no longer written", b[0].exact}, b[1:]
		case len(b) == 0 || a[0].key < b[0].key:
			d, a = &difference{a[0].name() + " was not written before", a[0].exact}, a[1:]
		default:
			if !equal(b[0].val, a[0].val) {
				d = &difference{b[0].name(), b[0].exact}
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
