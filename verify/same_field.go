package verify

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// outcome is what rung 3 found. undecided is the zero value.
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
	inducted bool // loops had to be matched, which can fail although the sides are equal
	values   bool // of different ones, that an output is what differs
	hangs    bool // of different ones, that after ends is all that is missing
	declared bool // of different ones, that precision is what differs
	eps      float64
	why      string
	unsure   string // why what differs as terms may not over the reals; empty if it does, or that was not asked
	steps    int    // instructions executed
	nothing  bool   // there was nothing to be tried
}

// maxEpsilon is the error probability that rung 3 must stay below. By the lemma of DeMillo, Lipton,
// Schwartz and Zippel a polynomial of degree d that is not zero vanishes at a random point of a field
// of p elements with probability at most d/p; package reals adds up what else can go wrong.
const maxEpsilon = 1.0 / (1 << 40)

// samples is how many random trip counts stand in for one that is not known. What is found equal for
// them is sampledEqual, which is no proof.
const samples = 6

// sameReals is rung 3 with what is known of real numbers, where opaque functions do not suffice, as the
// report plain says. That loops end has to hold on words, NaNs among them, and not over the reals
// alone: sameEndings asks for it again.
func sameReals(before, after *observation, plain fieldReport, seed uint64, keys int) fieldReport {
	r := sameFieldIn(before, after, true, seed, keys)
	switch {
	case r.outcome == equal && !sameEndings(before, after):
		return fieldReport{outcome: different, inducted: true, hangs: true, why: endingName}
	case r.outcome == equal, r.outcome == sampledEqual && plain.outcome != sampledEqual:
		return r
	case r.outcome == undecided:
		plain.unsure = r.why
	}
	return plain
}

// sameFieldIn is rung 3: both sides evaluated in the field under several keys, until the probability
// that different sides look equal is small. The ways to execute loops are tried in turn.
func sameFieldIn(before, after *observation, reals bool, seed uint64, keys int) fieldReport {
	opts := loopChoices(before, after)
	if len(opts) > 1 && before.kernel == nil {
		opts = append(opts, loopOptions{unroll: true, sampled: true})
	}
	var report fieldReport
	for _, opt := range opts {
		if opt.superfluous(before, after) {
			continue
		}
		opt.reals = reals
		r := sameFieldUnder(before, after, opt, seed, keys)
		if r.nothing {
			continue
		}
		if r.outcome == equal {
			return r
		}
		if r.outcome == different && (opt.sampled || before.kernel != nil && !r.inducted) {
			// Not even for a few trips.
			return r
		}
		if report.outcome == undecided || r.outcome == sampledEqual || r.hangs {
			report = r
		}
	}
	return report
}

// persistence is the part of what is left to rung 3 that normal forms may take before no more effort is
// made. Of large versions that are equal the first effort shows it as a rule: over the corpora it takes
// a third of this at most. Of those that differ all efforts take seven times as much as the first, and a
// search for the rewrite to blame judges a dozen of them.
const persistence = 1 << 6

// sameFieldUnder evaluates both sides with loops executed as opt says. Each key is another random
// point and other random functions, so that error probabilities multiply. A difference under one key
// is final for this opt, since equal functions are equal everywhere; but in the normal forms of reals
// it is tried again with more effort, as a form that was given up for its size says nothing, as long
// as that has not become too dear (persistence).
func sameFieldUnder(before, after *observation, opt loopOptions, seed uint64, keys int) fieldReport {
	eps := 1.0
	if opt.sampled {
		keys = samples
	}
	before.keepNames(after)
	sides := []*observation{before, after}
	var known [2]map[place]int
	if opt.batched {
		var err error
		if known, err = sameReaches(sides, opt); err != nil {
			return fieldReport{why: err.Error()}
		}
	}
	for k := range keys {
		key := symbolic.Mix(seed+uint64(k)*0x9e3779b97f4a7c15) ^ uint64(k)
		f := reals.NewField(key, before.kernel != nil)
		var dom symbolic.Domain[reals.Element] = f
		dropped := func(kills []reals.Element) []reals.Element { return kills }
		var rounded [2]map[reals.Image]bool
		var d fieldReport
		var b *view[reals.Element]
		var r *reals.Reals
		begun, _ := before.work.Used()
		patient := func() bool {
			now, _ := before.work.Used()
			return now-begun < before.work.Left()/persistence
		}
		for _, effort := range reals.Efforts {
			if opt.reals {
				r = reals.New(f, effort)
				dom, dropped = r, r.Dropped
			}
			d, b = sideBySide(f, dom, sides, opt, known, &rounded, dropped)
			if r != nil && d.outcome == different && patient() && r.Again() {
				d, b = sideBySide(f, dom, sides, opt, known, &rounded, dropped)
			}
			if r == nil || d.outcome != different || !patient() {
				break
			}
		}
		if b == nil || d.outcome == different {
			return d
		}
		// Partial precision, which the field does not see, is asked for once a way to execute loops.
		if (k == 0 || opt.sampled) && before.kernel == nil {
			if r != nil && len(rounded[1]) > 0 { // values as they are once all quantities are known
				r.Again()
				if d, b := sideBySide(f, dom, sides, opt, known, &rounded, dropped); b == nil || d.outcome == different {
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
		if eps *= f.Epsilon(outs, len(b.outs)+len(b.kills)+len(b.endings)); eps <= maxEpsilon && !opt.sampled {
			return fieldReport{outcome: equal, eps: eps}
		}
	}
	if opt.sampled {
		return fieldReport{outcome: sampledEqual, why: "loops were run for a few trips only"}
	}
	return fieldReport{why: fmt.Sprintf("the error probability %.1g is too high", eps)}
}

// sideBySide executes both sides in dom, which is f or made of it, and reports a difference or, without
// a view, why they cannot be compared. It leaves in rounded what either side rounds to partial
// precision. The infinities and NaNs that after computes with have to be some of before's.
func sideBySide(f *reals.Field, dom symbolic.Domain[reals.Element], sides []*observation, opt loopOptions, known [2]map[place]int,
	rounded *[2]map[reals.Image]bool, dropped func(kills []reals.Element) []reals.Element) (fieldReport, *view[reals.Element]) {
	if sides[0].kernel != nil {
		dom = words.New(dom)
	}
	assumed := newBeliefs[reals.Element]()
	for i, o := range sides {
		if len(known[i]) == 0 {
			continue
		}
		found, err := absorbed(dom, o, opt, nil, known[i])
		if err != nil {
			return fieldReport{why: err.Error()}, nil
		}
		assumed.absorb(found)
	}
	if opt.batched {
		if err := assumed.plan(dom, sides, opt); err != nil {
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
	differ := func(what string, hangs bool) (fieldReport, *view[reals.Element]) {
		return fieldReport{outcome: different, inducted: b.inducted, hangs: hangs, why: what}, b
	}
	if d := contrastViews(b, a, f.Same); d != nil {
		r, v := differ(d.what, false)
		r.values = true
		return r, v
	}
	if !slices.Equal(reals.Images(dropped(b.kills)), reals.Images(dropped(a.kills))) {
		return differ(killName(sides[0]), false)
	}
	for x := range met[1] {
		if !met[0][x] {
			return differ("what is done with infinities and NaNs that constants make", false)
		}
	}
	if d := contrastEndings(dom, b, a); d != nil {
		return differ(d.what, true)
	}
	return fieldReport{}, b
}

// sameReaches finds for each side for how many trips loops behind others are not left. That takes
// terms, where conditions have a structure; the field is then told the numbers.
func sameReaches(sides []*observation, opt loopOptions) (known [2]map[place]int, err error) {
	t := symbolic.NewTerms()
	for i, o := range sides {
		var dom symbolic.Domain[symbolic.Term] = t
		if o.kernel != nil {
			dom = words.New(dom)
		}
		found, err := reaches(t, dom, o, opt, true)
		if err != nil {
			return known, err
		}
		known[i] = map[place]int{}
		for _, f := range found {
			if f.reach > 0 {
				known[i][f.at] = f.reach
			}
		}
	}
	return known, nil
}
