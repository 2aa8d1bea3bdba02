package proof

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// Way records how the field proof proved both versions equal, so that they can be executed in the same way again.
type Way struct {
	opt    walk.Options
	effort reals.Effort // where the reals are used
	known  reached      // trips of loops that others simulate
	pinned *walk.Pins   // values that decide in loops
}

// packedSlack is an error, in texels, that any value may have in a kernel with packed resources. At run time,
// the coordinates of its vectors are whole numbers, so that nothing is rounded. The points of Unstable
// are not whole: near 0, 4*x/4 - 1/4 would seem to lose all digits.
const packedSlack = 1.0 / 1024

// Unstable describes a value that after computes with a much larger rounding error than before, if both
// versions are equal over the reals. It returns "" if all errors are acceptable. The package comment has the
// rule. The versions are executed once more, in the way of the proof. The result at is the statement of after
// that computes the value, if it is known. Packed kernels fetch from packed resources.
func Unstable(sides [2]*walk.Observation, way Way, seed uint64, packed bool) (why string, at asm.Pos) {
	const salt = 0x57ab1e
	f := reals.NewField(symbolic.Mix(seed^salt), sides[0].OnWords())
	var base algebra = f
	var r *reals.Reals
	if way.opt.Reals {
		r = reals.New(f, way.effort)
		base = r
	}
	d := newStability(base, symbolic.Mix(seed+salt))
	if packed {
		d.Slack = packedSlack
	}
	views, err := recorded(sides, f, d, way)
	if err == nil && r != nil && walk.Contrast(views[0], views[1], d.Same) != nil && r.Again() {
		views, err = recorded(sides, f, d, way) // all quantities are known now
	}
	if err != nil {
		return "stability: roundings could not be compared: " + err.Error(), at
	}
	b, a := views[0].Outs, views[1].Outs
	var pairs [][2]stabilityValue
	for i := range min(len(b), len(a)) {
		if b[i].Key == a[i].Key {
			pairs = append(pairs, [2]stabilityValue{b[i].Val, a[i].Val})
		}
	}
	u := d.Unstable(pairs)
	if u == nil {
		return "", at
	}
	what := "a value"
	for _, o := range a {
		if d.Within(u, o.Val) {
			what = views[1].Name(o.Reg)
			break
		}
	}
	if u.In != nil && u.In.Pos.Line > 0 {
		at = u.In.Pos
		what += fmt.Sprintf(" by the statement in line %d", u.In.Pos.Line)
	}
	if u.Overflows {
		return fmt.Sprintf("stability: rounding may change %s: it overflows, and was %.3g before", what, u.Value), at
	}
	return fmt.Sprintf("stability: rounding may change %s: a value of %.3g has an error of up to %.2g, and of up to %.2g before", what, u.Value, u.After, u.Before), at
}

// recorded executes both versions in d, on top of f.
func recorded(sides [2]*walk.Observation, f *reals.Field, d *domain,
	way Way) ([]*walk.View[stabilityValue], error) {
	var dom symbolic.Domain[stabilityValue] = d
	if sides[0].OnWords() {
		dom = words.New(dom)
	}
	return executeAgain(dom, sides, way, walk.NewBeliefs[stabilityValue](), func(side int) {
		f.Begin()
		d.Begin(side)
	})
}

// executeAgain executes both versions in dom, in the way of a proof.
func executeAgain[T any](dom symbolic.Domain[T], of [2]*walk.Observation, way Way, assumed *walk.Beliefs[T],
	begin func(side int)) ([]*walk.View[T], error) {
	sides := of[:]
	assumed.Pins = way.pinned
	for i, o := range sides {
		if len(way.known.trips[i]) == 0 {
			continue
		}
		found, err := walk.Absorbed(dom, o, way.opt, nil, way.known.trips[i], way.known.pins)
		if err != nil {
			return nil, err
		}
		assumed.Absorb(found)
	}
	if way.opt.Batched {
		if err := assumed.MatchLoops(dom, sides, way.opt); err != nil {
			return nil, err
		}
	}
	return walk.Run(dom, sides, way.opt, assumed, begin)
}
