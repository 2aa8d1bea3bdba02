package proof

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// Outcome is the result of the field proof. undecided is the zero value.
type Outcome uint8

const (
	undecided Outcome = iota
	Equal
	SampledEqual // equal where loops run for a few random trips
	Different
)

// Report is the result of the field proof.
type Report struct {
	Outcome  Outcome
	Inducted bool // loops had to be matched, which can fail although the versions are equal
	Values   bool // if different: an output differs
	Hangs    bool // if different: only termination of after is unproved
	Declared bool // if different: only precision differs
	Epsilon  float64
	Why      string
	Unsure   string // why the difference in terms may be none over the reals; empty if it is one, or was not examined
	Steps    int    // instructions executed
	nothing  bool   // there was nothing to try
	Way      Way
	Unstable string // if equal: why roundings make after much worse than before, or empty
}

// MaxEpsilon is the error probability that the field proof must stay below. A nonzero polynomial of degree d vanishes
// at a random point of a field of p elements with probability at most d/p. This is the lemma of DeMillo,
// Lipton, Schwartz and Zippel. Package reals adds the probabilities of other errors.
const MaxEpsilon = 1.0 / (1 << 40)

// samples is the number of random trip counts that represent an unknown one. Equality for them is
// SampledEqual, which proves nothing.
const samples = 6

// Search has the settings of the search for a proof.
type Search struct {
	reals bool // apply the laws of real numbers, instead of opaque functions
	Seed  uint64
	Keys  int // evaluations with independent random points
}

// Reals applies the laws of real numbers after opaque functions gave the report plain, which is not
// equal. It returns plain if the laws decide nothing more.
func Reals(before, after *walk.Observation, plain Report, search Search) Report {
	search.reals = true
	r := Field(before, after, search)
	switch {
	case r.Outcome == Equal:
		return r
	case r.Outcome == undecided:
		plain.Unsure = r.Why
	}
	return plain
}

// Field evaluates both versions in the field under several keys, until the probability that different
// versions look equal is small. It tries the ways to execute loops in turn.
func Field(before, after *walk.Observation, search Search) Report {
	var report Report
	for _, opt := range walk.Choices(before, after) {
		if opt.Superfluous(before, after) {
			continue
		}
		opt.Reals = search.reals
		r := FieldUnder(before, after, opt, search.Seed, search.Keys)
		if r.nothing {
			continue
		}
		if r.Outcome == Equal {
			return r
		}
		if r.Outcome == Different && before.OnWords() && !r.Inducted {
			return r
		}
		if report.Outcome == undecided {
			report = r
		}
	}
	return report
}

// SampleLoops compares programs for a few random trip counts of their loops, with opaque functions and then
// with the laws of real numbers. It returns found, the outcome of the proofs, if that decides nothing.
func SampleLoops(before, after *walk.Observation, found Report, search Search) Report {
	if len(walk.Choices(before, after)) == 1 {
		return found // there are no loops to sample
	}
	for _, laws := range []bool{false, true} {
		opt := walk.Options{Unroll: true, Sampled: true, Reals: laws}
		if opt.Superfluous(before, after) {
			return found
		}
		switch r := FieldUnder(before, after, opt, search.Seed, search.Keys); r.Outcome {
		case SampledEqual:
			return r
		case Different:
			found = r
		}
	}
	return found
}

// persistence is the divisor of the budget of normal forms that limits one effort before a larger effort is
// tried. The first effort proves all equal versions of the corpora. All efforts together take seven times as
// much as the first.
const persistence = 1 << 2

// FieldUnder evaluates both versions with loops executed as opt states. Each key is another random point
// with other random functions, so that error probabilities multiply. A difference under one key is final for
// this opt, since equal functions are equal everywhere. The normal forms of reals are an exception: a form
// that was given up for its size proves nothing. They are tried again with more effort, within persistence.
func FieldUnder(before, after *walk.Observation, opt walk.Options, seed uint64, keys int) Report {
	eps := 1.0
	if opt.Sampled {
		keys = samples
	}
	before.KeepNames(after)
	sides := []*walk.Observation{before, after}
	var known reached
	if opt.Batched {
		var err error
		if known, err = sameReaches(sides, opt); err != nil {
			return Report{Why: err.Error()}
		}
	}
	pinned := pinsUnder(before, after, opt)
	for k := range keys {
		key := symbolic.Mix(seed+uint64(k)*0x9e3779b97f4a7c15) ^ uint64(k)
		f := reals.NewField(key, before.OnWords())
		var rounded [2]map[reals.Image]bool
		var d Report
		var b *walk.View[reals.Element]
		var r *reals.Reals
		way := Way{opt: opt, known: known, pinned: pinned}
		begun, _ := before.Work.Used()
		patient := func() bool {
			now, _ := before.Work.Used()
			return before.Work.Err() == nil && now-begun < before.Work.StepsLeft()/persistence
		}
		for i, effort := range reals.Efforts {
			if i == 1 && r != nil && !r.Missed() {
				continue // the result would be the same
			}
			way.effort = effort
			if opt.Reals {
				r = reals.New(f, effort)
			}
			d, b = sideBySide(f, r, sides, opt, known, pinned, &rounded)
			if r != nil && d.Outcome == Different && patient() && r.Again() {
				d, b = sideBySide(f, r, sides, opt, known, pinned, &rounded)
			}
			if r == nil || d.Outcome != Different || !patient() {
				break
			}
		}
		if b == nil || d.Outcome == Different {
			return d
		}
		// The field does not see partial precision. Check it once for each way to execute loops.
		if (k == 0 || opt.Sampled) && before.Kernel == nil {
			if r != nil && len(rounded[1]) > 0 { // values with all quantities known
				r.Again()
				if d, b := sideBySide(f, r, sides, opt, known, pinned, &rounded); b == nil || d.Outcome == Different {
					return d
				}
			}
			switch why, err := addsPartialPrecision(before, after, opt, key, r, rounded[0], rounded[1]); {
			case err != nil:
				return Report{Why: err.Error()}
			case why != "":
				return Report{Outcome: Different, Declared: true, Why: why}
			}
		}
		var outs []reals.Element
		for _, o := range b.Outs {
			outs = append(outs, o.Val)
		}
		if eps *= f.Epsilon(outs, len(b.Outs)+len(b.Kills)); eps <= MaxEpsilon && !opt.Sampled {
			return Report{Outcome: Equal, Epsilon: eps, Way: way}
		}
	}
	if opt.Sampled {
		return Report{Outcome: SampledEqual, Why: "loops were run for a few trips only"}
	}
	return Report{Why: fmt.Sprintf("the error probability %.1g is too high", eps)}
}

// domainOf returns the domain in which the versions are executed: f, or r if it is not nil. If floats become
// integers, the domain also tracks the bits of floats. For kernels it has the algebra of words.
func domainOf(f *reals.Field, r *reals.Reals, sides []*walk.Observation) symbolic.Domain[reals.Element] {
	switch {
	case sides[0].OnWords():
		return words.New(symbolic.Domain[reals.Element](reals.NewBitwise(f, r)))
	case sides[0].Addresses() || sides[1].Addresses():
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
func sideBySide(f *reals.Field, r *reals.Reals, sides []*walk.Observation, opt walk.Options, known reached,
	pinned *walk.Pins,
	rounded *[2]map[reals.Image]bool) (Report, *walk.View[reals.Element]) {
	dom := domainOf(f, r, sides)
	dropped := func(kills []reals.Element) []reals.Element { return kills }
	if r != nil {
		dropped = r.Dropped
	}
	assumed := walk.NewBeliefs[reals.Element]()
	assumed.Pins = pinned
	for i, o := range sides {
		if len(known.trips[i]) == 0 {
			continue
		}
		found, err := walk.Absorbed(dom, o, opt, nil, known.trips[i], known.pins)
		if err != nil {
			return Report{Why: err.Error()}, nil
		}
		assumed.Absorb(found)
	}
	if opt.Batched {
		if err := assumed.MatchLoops(dom, sides, opt); err != nil {
			return Report{Why: err.Error(), nothing: err == walk.ErrNothing}, nil
		}
	}
	var met [2]map[reals.Infinite]bool
	views, err := walk.Run(dom, sides, opt, assumed, func(side int) {
		rounded[side], met[side] = f.Begin()
	})
	if err != nil {
		return Report{Why: err.Error()}, nil
	}
	b, a := walk.Refined(dom, views[0], views[1]), views[1]
	differ := func(what string) (Report, *walk.View[reals.Element]) {
		return Report{Outcome: Different, Inducted: b.Inducted, Why: what}, b
	}
	if d := walk.Contrast(b, a, f.Same); d != nil {
		r, v := differ(d.What)
		r.Values = true
		return r, v
	}
	if !slices.Equal(reals.Images(dropped(b.Kills)), reals.Images(dropped(a.Kills))) {
		return differ(walk.KillName(sides[0]))
	}
	for x := range met[1] {
		if !met[0][x] {
			return differ("what is done with infinities and NaNs that constants make")
		}
	}
	return Report{}, b
}

// reached is the knowledge of the field about remainder loops: the numbers of trips without an exit, by
// version, and the values pinned in these trips.
type reached struct {
	trips [2]map[walk.Place]int
	pins  *walk.Pins
}

// sameReaches finds, for each version, the number of trips during which remainder loops are not left. This
// needs terms, in which conditions have a structure.
func sameReaches(sides []*walk.Observation, opt walk.Options) (known reached, err error) {
	t := symbolic.NewTerms()
	known.pins = walk.NewPins()
	defer known.pins.Record(t)()
	for i, o := range sides {
		var dom symbolic.Domain[symbolic.Term] = t
		if o.OnWords() {
			dom = words.New(dom)
		}
		found, err := walk.Reaches(t, dom, o, opt, true, known.pins)
		if err != nil {
			return known, err
		}
		known.trips[i] = map[walk.Place]int{}
		for _, f := range found {
			if f.Reach > 0 {
				known.trips[i][f.At] = f.Reach
			}
		}
	}
	return known, nil
}

// pinsUnder records the pinned values of both versions with loops executed as opt states, up to the point
// where that walk stops. It returns nil if no value is pinned, or if loops are only sampled, which proves
// nothing.
func pinsUnder(before, after *walk.Observation, opt walk.Options) *walk.Pins {
	if opt.Sampled || opt.Unpinned || !before.HasPins() && !after.HasPins() {
		return nil
	}
	p := walk.NewPins()
	opt.Reals = false
	_, _, _, _ = walk.Terms(before.Deciding(), after.Deciding(), opt, p, nil)
	return p
}

// Unpinned names a pinned value that differs, if nothing else differs over the reals.
func Unpinned(before, after *walk.Observation, seed uint64, keys int) string {
	for _, opt := range walk.Choices(before, after) {
		if opt.Superfluous(before, after) {
			continue
		}
		b, a, what := pinsUnder(before, after, opt).Differs()
		if a == nil {
			continue
		}
		opt.Reals, opt.Unpinned = true, true
		if FieldUnder(before, after, opt, seed, keys).Outcome == Equal {
			return fmt.Sprintf("field: %s at %s must keep its bits", what, walk.Positions(b, a))
		}
	}
	return ""
}

// Sample compares the versions with their fixed values, as terms or, if the bits of floats do not
// matter, in the field.
func Sample(sides [2]*walk.Observation, seed uint64) Report {
	opt := walk.Options{Unroll: true}
	t := symbolic.NewTerms()
	dom := symbolic.Domain[symbolic.Term](words.New(symbolic.Domain[symbolic.Term](t)))
	views, err := walk.Run(dom, sides[:], opt, walk.NewBeliefs[symbolic.Term](), func(int) {})
	if err != nil {
		return Report{Why: err.Error()}
	}
	b, a := views[0], views[1]
	r := Report{Outcome: Equal, Steps: b.Steps + a.Steps}
	if sameViews(t, dom, b, a, sides[0]) != nil {
		steps := r.Steps
		r = FieldUnder(sides[0], sides[1], opt, seed, 2)
		r.Steps = 2 * steps
	}
	return r
}
