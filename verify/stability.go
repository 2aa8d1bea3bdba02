package verify

import (
	"fmt"

	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/stability"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// proofWay records how rung 3 proved both versions equal, so that they can be executed in the same way again.
type proofWay struct {
	opt    loopOptions
	effort reals.Effort // where the reals are used
	known  reached      // trips of loops that others simulate
	pinned *pins        // values that decide in loops
}

// packedSlack is an error, in texels, that any value may have in a kernel with packed resources. At run time,
// the coordinates of its vectors are whole numbers, so that nothing is rounded. The points of package
// stability are not whole: near 0, 4*x/4 - 1/4 would seem to lose all digits.
const packedSlack = 1.0 / 1024

// unstable describes a value that after computes with a much larger rounding error than before, if both
// versions are equal over the reals. It returns "" if all errors are acceptable. Package stability has the
// rule. The versions are executed once more, in the way of the proof.
func (c *ladder) unstable(way proofWay) string {
	const salt = 0x57ab1e
	f := reals.NewField(symbolic.Mix(c.Seed^salt), c.sides[0].kernel != nil)
	var algebra stability.Algebra = f
	var r *reals.Reals
	if way.opt.reals {
		r = reals.New(f, way.effort)
		algebra = r
	}
	d := stability.New(algebra, symbolic.Mix(c.Seed+salt))
	if c.packed {
		d.Slack = packedSlack
	}
	views, err := c.recorded(f, d, way)
	if err == nil && r != nil && contrastViews(views[0], views[1], d.Same) != nil && r.Again() {
		views, err = c.recorded(f, d, way) // all quantities are known now
	}
	if err != nil {
		return "R3: roundings could not be compared: " + err.Error()
	}
	b, a := views[0].outs, views[1].outs
	var pairs [][2]stability.Value
	for i := range min(len(b), len(a)) {
		if b[i].key == a[i].key {
			pairs = append(pairs, [2]stability.Value{b[i].val, a[i].val})
		}
	}
	u := d.Unstable(pairs)
	if u == nil {
		return ""
	}
	what := "a value"
	for _, o := range a {
		if d.Within(u, o.val) {
			what = views[1].name(o.reg)
			break
		}
	}
	if u.In != nil && u.In.Pos.Line > 0 {
		c.report.UnstableAt = u.In.Pos
		what += fmt.Sprintf(" by the statement in line %d", u.In.Pos.Line)
	}
	if u.Overflows {
		return fmt.Sprintf("R3: rounding may change %s: it overflows, and was %.3g before", what, u.Value)
	}
	return fmt.Sprintf("R3: rounding may change %s: a value of %.3g has an error of up to %.2g, and of up to %.2g before", what, u.Value, u.After, u.Before)
}

// recorded executes both versions in d, on top of f.
func (c *ladder) recorded(f *reals.Field, d *stability.Domain, way proofWay) ([]*view[stability.Value], error) {
	var dom symbolic.Domain[stability.Value] = d
	if c.sides[0].kernel != nil {
		dom = words.New(dom)
	}
	return executeAgain(dom, c.sides, way, newBeliefs[stability.Value](), func(side int) {
		f.Begin()
		d.Begin(side)
	})
}

// executeAgain executes both versions in dom, in the way of a proof.
func executeAgain[T any](dom symbolic.Domain[T], of [2]*observation, way proofWay, assumed *beliefs[T], begin func(side int)) ([]*view[T], error) {
	sides := of[:]
	assumed.pins = way.pinned
	for i, o := range sides {
		if len(way.known.trips[i]) == 0 {
			continue
		}
		found, err := absorbed(dom, o, way.opt, nil, way.known.trips[i], way.known.pins)
		if err != nil {
			return nil, err
		}
		assumed.absorb(found)
	}
	if way.opt.batched {
		if err := assumed.matchLoops(dom, sides, way.opt); err != nil {
			return nil, err
		}
	}
	return converge(dom, sides, way.opt, assumed, begin)
}
