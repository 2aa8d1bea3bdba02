package verify

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// outcome is the result of rung 3. undecided is the zero value.
type outcome uint8

const (
	undecided outcome = iota
	equal
	sampledEqual // equal where loops run for a few random trips
	different
)

// fieldReport is the result of rung 3.
type fieldReport struct {
	outcome  outcome
	inducted bool // loops had to be matched, which can fail although the versions are equal
	values   bool // if different: an output differs
	hangs    bool // if different: only termination of after is unproved
	declared bool // if different: only precision differs
	eps      float64
	why      string
	unsure   string // why the difference in terms may be none over the reals; empty if it is one, or was not examined
	steps    int    // instructions executed
	nothing  bool   // there was nothing to try
	way      proofWay
	unstable string // if equal: why roundings make after much worse than before, or empty
}

// maxEpsilon is the error probability that rung 3 must stay below. A nonzero polynomial of degree d vanishes
// at a random point of a field of p elements with probability at most d/p. This is the lemma of DeMillo,
// Lipton, Schwartz and Zippel. Package reals adds the probabilities of other errors.
const maxEpsilon = 1.0 / (1 << 40)

// samples is the number of random trip counts that represent an unknown one. Equality for them is
// sampledEqual, which proves nothing.
const samples = 6

// fieldSearch has the settings of the search for a proof.
type fieldSearch struct {
	reals bool // apply the laws of real numbers, instead of opaque functions
	seed  uint64
	keys  int // evaluations with independent random points
}

// sameReals applies the laws of real numbers after opaque functions gave the report plain, which is not
// equal. It returns plain if the laws decide nothing more.
func sameReals(before, after *observation, plain fieldReport, search fieldSearch) fieldReport {
	search.reals = true
	r := sameField(before, after, search)
	switch {
	case r.outcome == equal:
		return r
	case r.outcome == undecided:
		plain.unsure = r.why
	}
	return plain
}

// sameField evaluates both versions in the field under several keys, until the probability that different
// versions look equal is small. It tries the ways to execute loops in turn.
func sameField(before, after *observation, search fieldSearch) fieldReport {
	var report fieldReport
	for _, opt := range loopChoices(before, after) {
		if opt.superfluous(before, after) {
			continue
		}
		opt.reals = search.reals
		r := sameFieldUnder(before, after, opt, search.seed, search.keys)
		if r.nothing {
			continue
		}
		if r.outcome == equal {
			return r
		}
		if r.outcome == different && before.kernel != nil && !r.inducted {
			return r
		}
		if report.outcome == undecided {
			report = r
		}
	}
	return report
}

// sampleLoops compares programs for a few random trip counts of their loops, with opaque functions and then
// with the laws of real numbers. It returns found, the outcome of the proofs, if that decides nothing.
func sampleLoops(before, after *observation, found fieldReport, search fieldSearch) fieldReport {
	if len(loopChoices(before, after)) == 1 {
		return found // there are no loops to sample
	}
	for _, laws := range []bool{false, true} {
		opt := loopOptions{unroll: true, sampled: true, reals: laws}
		if opt.superfluous(before, after) {
			return found
		}
		switch r := sameFieldUnder(before, after, opt, search.seed, search.keys); r.outcome {
		case sampledEqual:
			return r
		case different:
			found = r
		}
	}
	return found
}

// persistence is the divisor of the budget of normal forms that limits one effort before a larger effort is
// tried. The first effort proves all equal versions of the corpora. All efforts together take seven times as
// much as the first.
const persistence = 1 << 2

// sameFieldUnder evaluates both versions with loops executed as opt states. Each key is another random point
// with other random functions, so that error probabilities multiply. A difference under one key is final for
// this opt, since equal functions are equal everywhere. The normal forms of reals are an exception: a form
// that was given up for its size proves nothing. They are tried again with more effort, within persistence.
func sameFieldUnder(before, after *observation, opt loopOptions, seed uint64, keys int) fieldReport {
	eps := 1.0
	if opt.sampled {
		keys = samples
	}
	before.keepNames(after)
	sides := []*observation{before, after}
	var known reached
	if opt.batched {
		var err error
		if known, err = sameReaches(sides, opt); err != nil {
			return fieldReport{why: err.Error()}
		}
	}
	pinned := pinsUnder(before, after, opt)
	for k := range keys {
		key := symbolic.Mix(seed+uint64(k)*0x9e3779b97f4a7c15) ^ uint64(k)
		f := reals.NewField(key, before.kernel != nil)
		var rounded [2]map[reals.Image]bool
		var d fieldReport
		var b *view[reals.Element]
		var r *reals.Reals
		way := proofWay{opt: opt, known: known, pinned: pinned}
		begun, _ := before.work.Used()
		patient := func() bool {
			now, _ := before.work.Used()
			return before.work.Err() == nil && now-begun < before.work.StepsLeft()/persistence
		}
		for i, effort := range reals.Efforts {
			if i == 1 && r != nil && !r.Missed() {
				continue // the result would be the same
			}
			way.effort = effort
			if opt.reals {
				r = reals.New(f, effort)
			}
			d, b = sideBySide(f, r, sides, opt, known, pinned, &rounded)
			if r != nil && d.outcome == different && patient() && r.Again() {
				d, b = sideBySide(f, r, sides, opt, known, pinned, &rounded)
			}
			if r == nil || d.outcome != different || !patient() {
				break
			}
		}
		if b == nil || d.outcome == different {
			return d
		}
		// The field does not see partial precision. Check it once for each way to execute loops.
		if (k == 0 || opt.sampled) && before.kernel == nil {
			if r != nil && len(rounded[1]) > 0 { // values with all quantities known
				r.Again()
				if d, b := sideBySide(f, r, sides, opt, known, pinned, &rounded); b == nil || d.outcome == different {
					return d
				}
			}
			switch why, err := addsPartialPrecision(before, after, opt, key, r, rounded[0], rounded[1]); {
			case err != nil:
				return fieldReport{why: err.Error()}
			case why != "":
				return fieldReport{outcome: different, declared: true, why: why}
			}
		}
		var outs []reals.Element
		for _, o := range b.outs {
			outs = append(outs, o.val)
		}
		if eps *= f.Epsilon(outs, len(b.outs)+len(b.kills)); eps <= maxEpsilon && !opt.sampled {
			return fieldReport{outcome: equal, eps: eps, way: way}
		}
	}
	if opt.sampled {
		return fieldReport{outcome: sampledEqual, why: "loops were run for a few trips only"}
	}
	return fieldReport{why: fmt.Sprintf("the error probability %.1g is too high", eps)}
}

// domainOf returns the domain in which the versions are executed: f, or r if it is not nil. If floats become
// integers, the domain also tracks the bits of floats. For kernels it has the algebra of words.
func domainOf(f *reals.Field, r *reals.Reals, sides []*observation) symbolic.Domain[reals.Element] {
	switch {
	case sides[0].kernel != nil:
		return words.New(symbolic.Domain[reals.Element](reals.NewBitwise(f, r)))
	case sides[0].addresses() || sides[1].addresses():
		return reals.NewBitwise(f, r)
	case r != nil:
		return r
	}
	return f
}

// sideBySide executes both versions in f, or in r, which is built on f, if it is not nil. It returns a
// difference or, without a view, the reason why they cannot be compared. It stores in rounded the values that
// each version rounds to partial precision. After may compute only with infinities and NaNs that before
// computes with.
func sideBySide(f *reals.Field, r *reals.Reals, sides []*observation, opt loopOptions, known reached, pinned *pins,
	rounded *[2]map[reals.Image]bool) (fieldReport, *view[reals.Element]) {
	dom := domainOf(f, r, sides)
	dropped := func(kills []reals.Element) []reals.Element { return kills }
	if r != nil {
		dropped = r.Dropped
	}
	assumed := newBeliefs[reals.Element]()
	assumed.pins = pinned
	for i, o := range sides {
		if len(known.trips[i]) == 0 {
			continue
		}
		found, err := absorbed(dom, o, opt, nil, known.trips[i], known.pins)
		if err != nil {
			return fieldReport{why: err.Error()}, nil
		}
		assumed.absorb(found)
	}
	if opt.batched {
		if err := assumed.matchLoops(dom, sides, opt); err != nil {
			return fieldReport{why: err.Error(), nothing: err == errNothing}, nil
		}
	}
	var met [2]map[reals.Infinite]bool
	views, err := converge(dom, sides, opt, assumed, func(side int) {
		rounded[side], met[side] = f.Begin()
	})
	if err != nil {
		return fieldReport{why: err.Error()}, nil
	}
	b, a := refined(dom, views[0], views[1]), views[1]
	differ := func(what string) (fieldReport, *view[reals.Element]) {
		return fieldReport{outcome: different, inducted: b.inducted, why: what}, b
	}
	if d := contrastViews(b, a, f.Same); d != nil {
		r, v := differ(d.what)
		r.values = true
		return r, v
	}
	if !slices.Equal(reals.Images(dropped(b.kills)), reals.Images(dropped(a.kills))) {
		return differ(killName(sides[0]))
	}
	for x := range met[1] {
		if !met[0][x] {
			return differ("what is done with infinities and NaNs that constants make")
		}
	}
	return fieldReport{}, b
}

// reached is the knowledge of the field about remainder loops: the numbers of trips without an exit, by
// version, and the values pinned in these trips.
type reached struct {
	trips [2]map[place]int
	pins  *pins
}

// sameReaches finds, for each version, the number of trips during which remainder loops are not left. This
// needs terms, in which conditions have a structure.
func sameReaches(sides []*observation, opt loopOptions) (known reached, err error) {
	t := symbolic.NewTerms()
	known.pins = newPins()
	defer known.pins.record(t)()
	for i, o := range sides {
		var dom symbolic.Domain[symbolic.Term] = t
		if o.kernel != nil {
			dom = words.New(dom)
		}
		found, err := reaches(t, dom, o, opt, true, known.pins)
		if err != nil {
			return known, err
		}
		known.trips[i] = map[place]int{}
		for _, f := range found {
			if f.reach > 0 {
				known.trips[i][f.at] = f.reach
			}
		}
	}
	return known, nil
}
