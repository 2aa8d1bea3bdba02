package kernel

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/verify"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// varier generates variants of the typical launch of a kernel in which its loops make fewer or more
// trips.
type varier struct {
	*Settings
	kernel  *il.Kernel
	lifted  *ir.Func
	program *sched.Scheduled // the kernel, compiled
	typical *interpreter.Case
}

// Parameters of the variation, all chosen.
const (
	// fewerTrips is the ratio of the trips in the typical launch to the trips in the launch with few.
	// moreTrips is the ratio of the trips in the typical launch to the trips under kernel.DefaultCase.
	// It is also the ratio of the launch with many trips to the typical one. The constants of
	// kernel.DefaultCase are 1 to 16 and make eight trips on average. So the typical launch makes 32
	// trips of an unknown loop, as LLVM assumes (weights 124 and 4 in BranchProbabilityInfo).
	fewerTrips = 4
	moreTrips  = 4
	// mostDeciders limits the constants that are varied: each takes a few traces of a wavefront.
	mostDeciders = 16
	// emptyTrips replaces a constant that is 0.
	emptyTrips = 16
	// sideFactor is the factor between the sides of domains if no constant decides the trips.
	sideFactor = 2
)

// MaxDomain limits either side of a domain whose time is predicted.
const MaxDomain = 1 << 14

// varyTrips returns a launch with few trips and one with many. Their other constants are drawn again, so
// that the launches take other branches as well.
func (v *varier) varyTrips() (few, many *interpreter.Case) {
	few = v.variant(DefaultSeed+1, less, smaller, func(n int) int { return max(n/sideFactor, 1) })
	many = v.variant(DefaultSeed+2, more, larger, func(n int) int { return min(n*sideFactor, MaxDomain) })
	return few, many
}

func less(a, b float64) bool { return a < b }
func more(a, b float64) bool { return a > b }

// variant returns a launch in which a wavefront has less or more work than in the typical one,
// according to further. Its constants follow from seed, or else are those of the typical launch; the
// constants that decide trip counts are varied. If there are none, it scales the sides of the domain.
//
// A kernel without constants has nothing to vary. Generating other constants takes executions of the
// kernel, which are a tenth of the time of opt on some kernels.
func (v *varier) variant(seed uint64, further func(a, b float64) bool, values func(w uint32) []uint32,
	scale func(n int) int) *interpreter.Case {
	if c := v.typical; len(c.Immediate) == 0 && len(c.Ints) == 0 &&
		!slices.ContainsFunc(c.Constants[:], func(bank [][4]uint32) bool { return len(bank) > 0 }) {
		return v.scaled(c, scale)
	}
	typical, _ := v.wavefrontCycles(v.typical)
	redrawn := v.redrawn(seed)
	for _, r := range v.deciders() {
		redrawn = WithWord(redrawn, r, constantWord(v.typical, r))
	}
	for _, start := range []*interpreter.Case{redrawn, v.typical} {
		c := v.trips(start, further, values)
		if n, ends := v.wavefrontCycles(c); ends && !further(typical, n) {
			if c == start {
				c = v.scaled(start, scale)
			}
			return c
		}
	}
	return v.scaled(v.typical, scale)
}

// redrawn returns the typical launch with constants generated from seed.
func (v *varier) redrawn(seed uint64) *interpreter.Case {
	c, other := *v.typical, interpreter.DefaultCase(v.kernel, seed)
	c.Constants, c.Immediate, c.Ints = other.Constants, other.Immediate, other.Ints
	v.promised(&c)
	return &c
}

// trips varies the constants of c that decide trip counts, one by one. Each gets the first of some
// values with which a wavefront has less, or more, work and terminates.
func (v *varier) trips(c *interpreter.Case, further func(a, b float64) bool,
	values func(w uint32) []uint32) *interpreter.Case {
	cycles, _ := v.wavefrontCycles(c)
	for _, r := range v.deciders() {
		for _, w := range values(constantWord(c, r)) {
			other := WithWord(c, r, w)
			if n, ends := v.wavefrontCycles(other); ends && further(n, cycles) {
				c, cycles = other, n
				break
			}
		}
	}
	return c
}

// wavefrontCycles returns the cycles that the middle wavefront of launch c takes alone, and reports whether it
// terminates.
func (v *varier) wavefrontCycles(c *interpreter.Case) (cycles float64, ends bool) {
	l := SimLaunch(v.kernel, c)
	l.Budget, l.Inputs = v.Budget, v.program.Preloads()
	e, err := machine.Predict(v.program.Program, l, v.program.Target, machine.Measured{})
	return e.Alone, err == nil && !e.Cut
}

// scaled returns launch c with scaled sides of the domain and of the resources of that size. If the
// options set the domain, only the resources change.
func (v *varier) scaled(launch *interpreter.Case, scale func(n int) int) *interpreter.Case {
	c := *launch
	w, h := scale(c.Width), scale(c.Height)
	if v.Domain == [2]int{} && v.Only == [2]int{} {
		c.Width, c.Height = w, h
	}
	spread(&c, v.kernel, w, h)
	return &c
}

// smaller returns replacements for w that may lower a trip count: first the values for w as a bound,
// then the values for w as a start or a step.
func smaller(w uint32) []uint32 {
	return slices.Concat(divided(w, fewerTrips), multiplied(w, fewerTrips))
}

// larger returns replacements for w that may raise a trip count.
func larger(w uint32) []uint32 {
	if w == 0 {
		return []uint32{emptyTrips, math.Float32bits(emptyTrips)}
	}
	return slices.Concat(multiplied(w, moreTrips), divided(w, moreTrips))
}

// isWhole reports whether a word counts as an integer: its bits as a float are denormal.
func isWhole(w uint32) bool { return w < 1<<23 }

// divided returns w divided by a factor, rounded up if w is above one.
func divided(w uint32, by uint32) []uint32 {
	x := math.Float32frombits(w)
	switch {
	case isWhole(w) && w > 1:
		return []uint32{(w + by - 1) / by}
	case isWhole(w) || x != x:
		return nil
	case x > 1:
		return []uint32{math.Float32bits(float32(math.Ceil(float64(x) / float64(by))))}
	}
	return []uint32{math.Float32bits(x / float32(by))}
}

// multiplied returns w times a factor.
func multiplied(w uint32, by uint32) []uint32 {
	x := math.Float32frombits(w)
	switch {
	case w == 0 || x != x:
		return nil
	case isWhole(w):
		return []uint32{w * by}
	}
	return []uint32{math.Float32bits(x * float32(by))}
}

// deciders returns constants that the trip counts of the kernel's loops depend on, in order of
// registers. It omits promised constants.
func (v *varier) deciders() (list []ir.Reg) {
	handed := v.lifted.Handed()
	var work []*ir.Value
	seen := map[*ir.Value]bool{}
	need := func(u *ir.Value) {
		if !seen[u] {
			seen[u] = true
			work = append(work, u)
		}
	}
	sources := func(in *ir.Instr) {
		for s := range in.Src {
			in.Src[s].EachLane(func(_ int, l *ir.Lane) { need(l.V) })
		}
		for _, l := range in.Pred {
			if l.V != nil {
				need(l.V)
			}
		}
	}
	v.lifted.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpLoop {
			sources(in)
			exits(in.Sub[0], sources)
		}
	})
	for len(work) > 0 {
		u := work[len(work)-1]
		work = work[:len(work)-1]
		if u.Kind == ir.Uniform && !slices.ContainsFunc(v.Promised, func(k verify.Constant) bool { return k.Reg == u.Home }) {
			list = append(list, u.Home)
		}
		if u.Def != nil && u.Def.Op != ir.OpLoop {
			sources(u.Def)
		}
		for _, from := range handed[u] {
			need(from)
		}
	}
	slices.SortFunc(list, ir.Reg.Compare)
	return list[:min(len(list), mostDeciders)]
}

// exits visits the breaks of the loop with body r and the branches around them. It reports whether r
// has a break.
func exits(r *ir.Region, visit func(in *ir.Instr)) (some bool) {
	for _, in := range r.Code {
		leaves := in.Op == ir.OpBreak
		if in.Op == ir.OpIf {
			for _, sub := range in.Sub {
				leaves = exits(sub, visit) || leaves
			}
		}
		if leaves {
			visit(in)
		}
		some = some || leaves
	}
	return some
}
