package verify

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// shot is a launch with a limit on the steps of before. A longer launch is not compared.
type shot struct {
	launch *kernel.Case
	steps  int
}

// Step limits of directed launches: for most, for trip counts from literals, and for numbers that wrap round.
// A step is one instruction in one lane.
const (
	shotSteps = 1 << 22
	longSteps = 1 << 26
	wrapSteps = 1 << 20
)

// manyTrips is the literal above which twice as many trips are tried. A change that begins at the literal
// then affects half of the trips.
const manyTrips = 1 << 10

// longestTrips is the largest trip count from a literal that is tried.
const longestTrips = 1 << 20

// wrapEdges are the numbers near the ends of signed and unsigned integers.
var wrapEdges = []uint32{0x7fffffff, 0x80000000, 0x80000001, 0x7ffffffe, 0xffffffff, 0xfffffffe}

// directed returns launches in which loops run for notable trip counts, or in which constants, inputs and
// fetch results make the kernels decide otherwise (see checker.directed). It also returns all assignments
// that were found, and the leaves of the kernels.
func (c *kernelChecker) directed() (list []shot, found []explore.Assignment, leaves []explore.Leaf) {
	if c.sides[0] == nil || c.sides[1] == nil {
		return nil, nil, nil
	}
	base := c.Constants.InLaunch(trial.WidenLaunch(c.launch(0), c.after, c.Seed))
	bases := []*kernel.Case{base}
	if c.differs() {
		for k := range uint64(moreBases) {
			bases = append(bases, c.Constants.InLaunch(trial.WidenLaunch(c.launch(k+1), c.after, c.Seed)))
		}
	}
	add := func(base *kernel.Case, a explore.Assignment, steps int) {
		list = append(list, shot{c.Constants.InLaunch(trial.AssignLaunch(base, a)), steps})
	}
	// Trip counts come first: they are few and reveal most faults of loops.
	c.trips(base, add)
	budget := c.directedBudget()
	// Branches follow: an explorer finds assignments that reverse them.
	x := explore.NewExplorer(budget.work, func(l explore.Leaf) uint32 { return trial.LaunchWord(base, l) })
	x.Evaluate = func(a explore.Assignment, brief bool) *explore.Survey { return c.survey(x, a, brief) }
	found = x.Explore()
	for k, a := range found[:min(len(found), budget.trials)] {
		for j, b := range bases {
			if j == 0 || k < min(x.First, firstOnMore) {
				add(b, a, shotSteps)
			}
		}
	}
	// Special numbers come last, leaf by leaf.
	for _, a := range c.wildAssignments(x.Leaves) {
		add(base, a, shotSteps)
	}
	return list, found, x.Leaves
}

// survey evaluates both versions once under an assignment with scouts: one invocation, in which each leaf has
// one value. It records the leaves that are read.
func (c *kernelChecker) survey(x *explore.Explorer, a explore.Assignment, brief bool) *explore.Survey {
	s := &explore.Survey{Holds: map[explore.Turn]bool{}, Trips: c.scouted(), Brief: brief}
	for i, o := range c.sides {
		s.After = i == 1
		s.Run(toScout(o.Kernel), func(kind ir.Kind, r ir.Reg) uint32 {
			l := explore.Leaf{Space: o.Kernel.Space(), Kind: kind, Reg: r}
			if amdil.IsState(r) && kind == ir.Input {
				return 0
			}
			if trial.Settable(l) && !slices.Contains(x.Leaves, l) {
				x.Leaves = append(x.Leaves, l)
			}
			if bits, ok := a.Lookup(l); ok {
				return bits
			}
			return x.Base(l)
		})
	}
	return s
}

// trips adds launches that vary the constants that decide trip counts (deciders), one at a time. The values
// are notable numbers, then literals of the program and their neighbours, then numbers near which integers
// wrap round. If there are several such constants, it also sets all of them near one edge.
func (c *kernelChecker) trips(base *kernel.Case, add func(base *kernel.Case, a explore.Assignment, steps int)) {
	if !c.sides[0].HasLoops() && !c.sides[1].HasLoops() {
		return
	}
	var leaves []explore.Leaf
	for _, r := range walk.Deciders(c.sides[:]) {
		if l := (explore.Leaf{Space: c.sides[0].Kernel.Space(), Kind: ir.Uniform, Reg: r}); il.File(r.File) == il.ConstBuf {
			leaves = append(leaves, l)
		}
	}
	each := func(base *kernel.Case, counts []uint32, steps int) {
		for _, n := range counts {
			for _, l := range leaves {
				w := n
				if old := trial.LaunchWord(base, l); old >= 1<<16 && old < 0xffff0000 { // a float
					w = math.Float32bits(float32(int32(n)))
				}
				add(base, explore.Assignment{{Leaf: l, Bits: w}}, steps)
			}
		}
	}
	each(base, explore.NotableTrips, shotSteps)
	long := explore.NextTo(c.counts(), explore.NotableTrips)
	for _, n := range c.counts() {
		if n > manyTrips {
			long = slices.Insert(long, 1+slices.Index(long, n+1), 2*n)
		}
	}
	// One invocation suffices for many trips.
	if lone := *base; len(long) > 0 && c.before.Stage == il.Pixel {
		lone.Width, lone.Height = 1, 1
		base = &lone
	}
	each(base, long, longSteps)
	each(base, wrapEdges, wrapSteps)
	if len(leaves) > 1 {
		r := symbolic.Stream(symbolic.Mix(c.Seed))
		edges := slices.Concat([]uint32{0, 1, 2, 5}, wrapEdges)
		for range 16 {
			var a explore.Assignment
			near := edges[r.Next()%uint64(len(edges))]
			for _, l := range leaves { // all near one edge, so that few trips lead across it
				a = append(a, explore.Setting{Leaf: l, Bits: near + uint32(r.Next()%9) - 4})
			}
			add(base, a, wrapSteps)
		}
	}
}

// counts returns up to eight literals of either version that may be trip counts, as integers or floats.
// Integers up to 8 are among the notable ones.
func (c *kernelChecker) counts() (list []uint32) {
	for _, o := range c.sides {
		o.Kernel.Function().Walk(func(in *ir.Instr) {
			in.EachUse(func(l *ir.Lane) {
				if l.V.Kind != ir.Literal {
					return
				}
				n := l.V.Bits
				// A whole number as a float.
				if x := symbolic.Double(n); n >= 1<<23 && x == math.Trunc(x) && x > 0 && x < longestTrips {
					n = uint32(x)
				}
				if n > 8 && n < longestTrips && !slices.Contains(list, n) && len(list) < 8 {
					list = append(list, n)
				}
			})
		})
	}
	return list
}

// bredSteps limits the steps of a fuzzed launch, so that many can be tried.
const bredSteps = 1 << 20

// search fuzzes launches until one shows a difference or the allowance is used up; see checker.search. It
// keeps launches that reach a new statement, or compute words of a new kind there. Launches with infinities
// or NaNs are kept too, but differences in them do not count.
func (c *kernelChecker) search(leaves []explore.Leaf, found []explore.Assignment) *execution {
	programs, err := c.compile()
	if err != nil {
		return nil
	}
	var bases []*kernel.Case
	for k := range uint64(4) {
		bases = append(bases, c.Constants.InLaunch(trial.WidenLaunch(c.launch(k), c.after, c.Seed)))
	}
	leaves = append(slices.Clip(leaves), trial.Memories(c.sides[0].Kernel.Space(), bases[0])...)
	b := &explore.Fuzzer{Stream: symbolic.Stream(symbolic.Mix(c.Seed + 1<<40)), Bases: len(bases), Leaves: leaves}
	b.Base = explore.Memoize(func(base int, l explore.Leaf) uint32 { return trial.LaunchWord(bases[base], l) })
	numbers := c.numbers()
	// Floats are replaced by floats and integers by integers, except one time in eight: constant buffers have
	// no types.
	b.Value = func(l explore.Leaf) uint32 {
		base := b.Base(0, l)
		// Small integers of either sign are denormals or NaNs as floats.
		isFloat := base >= 1<<16 && base < 0xffff0000
		if b.Below(8) == 0 {
			isFloat = !isFloat
		}
		if isFloat {
			return math.Float32bits(explore.Notable[b.Below(len(explore.Notable))])
		}
		return numbers[b.Below(len(numbers))]
	}
	for _, a := range found {
		b.Queue = append(b.Queue, explore.Seed{Set: a})
	}
	most, left := allowances[c.Effort].bred, allowances[c.Effort].breeds
	seen := [2]*kernel.Seen{kernel.NewSeen(), kernel.NewSeen()}
	for k := 0; k < most && left > 0 && c.runsBudget().Err() == nil; k++ {
		s := b.Generate()
		shot := shot{c.Constants.InLaunch(trial.AssignLaunch(bases[s.Base], s.Set)), bredSteps}
		run := c.runner(programs, shot, uint64(k))
		run.kinds = seen
		fresh := seen[0].Fresh + seen[1].Fresh
		var shown [2]*trial.Sample
		for i := range shown {
			seen[i].Forget()
			if shown[i], err = run.execute(i, 0); err != nil {
				break
			}
		}
		if left -= run.taken; err != nil {
			continue
		}
		s.Spread = explore.CountDiffering(seen[0].Left, seen[1].Left)
		b.Keep(s, seen[0].Fresh+seen[1].Fresh > fresh)
		if x := trial.Compare(shown[0], shown[1], trial.CloseEnough); x.Differing == 0 && x.Shape == "" ||
			seen[0].Wild || seen[1].Wild {
			continue
		}
		_, found, run, err := c.compareLaunch(programs, shot, uint64(k))
		if left -= run.taken; err == nil && found != nil {
			return found
		}
	}
	return nil
}

// numbers returns the notable integers and the literals of either version, with their neighbours.
func (c *kernelChecker) numbers() []uint32 {
	list := slices.Clone(trial.NotableWords)
	for _, k := range []*il.Kernel{c.before, c.after} {
		for i := range k.Insts {
			in := &k.Insts[i]
			if in.Op != il.OpDclLiteral && in.Op != il.OpCase {
				continue
			}
			for _, w := range in.Imm {
				for _, x := range []uint32{w, w + 1, w - 1} {
					if !slices.Contains(list, x) {
						list = append(list, x)
					}
				}
			}
		}
	}
	return list
}
