package verify

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/fuzz"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
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
	base := c.Constants.InLaunch(c.widened(c.launch(0)))
	bases := []*kernel.Case{base}
	if c.differs() {
		for k := range uint64(moreBases) {
			bases = append(bases, c.Constants.InLaunch(c.widened(c.launch(k+1))))
		}
	}
	add := func(base *kernel.Case, a explore.Assignment, steps int) {
		list = append(list, shot{c.Constants.InLaunch(assigned(base, a)), steps})
	}
	// Trip counts come first: they are few and reveal most faults of loops.
	c.trips(base, add)
	budget := c.directedBudget()
	// Branches follow: an explorer finds assignments that reverse them.
	x := &explore.Explorer{Work: budget.work}
	words := map[explore.Leaf]uint32{}
	x.Base = func(l explore.Leaf) uint32 {
		w, ok := words[l]
		if !ok {
			w = launchWord(base, l)
			words[l] = w
		}
		return w
	}
	x.Evaluate = func(a explore.Assignment) *explore.Survey { return c.survey(x, a) }
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

// widened returns a copy of a launch of before with the inputs that only after reads, such as a resource that
// before binds and never reads. Their data come from after's default launch.
func (c *kernelChecker) widened(launch *kernel.Case) *kernel.Case {
	d, more := *launch, kernel.DefaultCase(c.after, symbolic.Mix(c.Seed))
	for b := range d.Constants {
		if n := len(d.Constants[b]); n < len(more.Constants[b]) {
			d.Constants[b] = append(slices.Clip(d.Constants[b]), more.Constants[b][n:]...)
		}
	}
	for _, in := range more.Inputs {
		// Explicit data belong to another domain, whose size may differ.
		if in.Data.Kind == kernel.Words || in.Data.Kind == kernel.File {
			continue
		}
		if !slices.ContainsFunc(d.Inputs, func(x kernel.Input) bool { return x.Reg == in.Reg }) {
			d.Inputs = append(slices.Clip(d.Inputs), in)
		}
	}
	for _, r := range more.Resources {
		if !slices.ContainsFunc(d.Resources, func(x kernel.Resource) bool { return x.ID == r.ID }) {
			d.Resources = append(slices.Clip(d.Resources), r)
		}
	}
	for _, v := range more.Views {
		if !slices.ContainsFunc(d.Views, func(x kernel.View) bool { return x.ID == v.ID }) {
			d.Views = append(slices.Clip(d.Views), v)
		}
	}
	for _, s := range more.Shares {
		if !slices.ContainsFunc(d.Shares, func(x kernel.Share) bool { return x.ID == s.ID }) {
			d.Shares = append(slices.Clip(d.Shares), s)
		}
	}
	if d.Global == nil {
		d.Global = more.Global
	}
	return &d
}

// survey evaluates both versions once under an assignment with scouts: one invocation, in which each leaf has
// one value. It records the leaves that are read.
func (c *kernelChecker) survey(x *explore.Explorer, a explore.Assignment) *explore.Survey {
	s := &explore.Survey{Holds: map[explore.Turn]bool{}, Trips: c.scouted()}
	for i, o := range c.sides {
		s.After = i == 1
		s.Run(toScout(o.kernel), func(kind ir.Kind, r ir.Reg) uint32 {
			l := explore.Leaf{Space: o.kernel.Space(), Kind: kind, Reg: r}
			if amdil.IsState(r) && kind == ir.Input {
				return 0
			}
			if settable(l) && !slices.Contains(x.Leaves, l) {
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

// settable reports whether a launch can set a leaf to any value. This holds for fetch results, inputs and
// constant buffers, but not for positions or thread numbers.
func settable(l explore.Leaf) bool {
	file := il.File(l.Reg.File)
	return l.Kind == ir.Result || file == il.Input || file == il.ConstBuf
}

// launchWord returns the word that a launch gives a leaf in its first element, or 0 without one. A scout uses
// it as the value of the leaf.
func launchWord(c *kernel.Case, l explore.Leaf) (word uint32) {
	n, comp := int(l.Reg.Index), int(l.Reg.Comp)
	read := func(d kernel.Data, size, per int) uint32 {
		first := uint32(0)
		i := 0
		change(&d, size, c.Width, func(w uint32) uint32 {
			if i == comp%per {
				first = w
			}
			i++
			return w
		})
		return first
	}
	switch {
	case l.Kind == ir.Result:
		for _, r := range c.Resources {
			if r.ID == n && l.Reg.File == explore.Fetched {
				return read(r.Data, r.Format.Components(), r.Format.Components())
			}
		}
	case il.File(l.Reg.File) == il.ConstBuf:
		if buffer, i := amdil.Constant(l.Reg); buffer < kernel.Banks && i < len(c.Constants[buffer]) {
			return c.Constants[buffer][i][comp]
		}
	case il.File(l.Reg.File) == il.Input:
		for _, in := range c.Inputs {
			if in.Reg == n {
				return read(in.Data, 4, 4)
			}
		}
	case il.File(l.Reg.File) == il.WinCoord:
		// The centre of the first pixel.
		return math.Float32bits(0.5)
	}
	return 0
}

// assigned returns a launch with an assignment. Inputs and resources that it sets hold the same value
// everywhere. Changed parts of c are copied.
func assigned(c *kernel.Case, a explore.Assignment) *kernel.Case {
	d := *c
	d.Inputs, d.Resources = slices.Clone(c.Inputs), slices.Clone(c.Resources)
	for b := range d.Constants {
		d.Constants[b] = slices.Clone(d.Constants[b])
	}
	fill := func(data *kernel.Data, size, per int, s explore.Setting) {
		// change does not visit zeros.
		if data.Kind == kernel.Zero {
			*data = kernel.Data{Kind: kernel.Words, Words: make([]uint32, size)}
		}
		i := 0
		change(data, size, c.Width, func(w uint32) uint32 {
			if i++; (i-1)%per == int(s.Leaf.Reg.Comp)%per {
				return s.Bits
			}
			return w
		})
	}
	for _, s := range a {
		n := int(s.Leaf.Reg.Index)
		switch {
		case s.Leaf.Reg.Comp == fuzz.Whole:
			speckle(&d, s)
		case s.Leaf.Kind == ir.Result:
			for i := range d.Resources {
				if r := &d.Resources[i]; r.ID == n && s.Leaf.Reg.File == explore.Fetched {
					fill(&r.Data, r.Width*r.Height*r.Depth*r.Format.Components(), r.Format.Components(), s)
				}
			}
		case il.File(s.Leaf.Reg.File) == il.ConstBuf:
			if buffer, i := amdil.Constant(s.Leaf.Reg); buffer < kernel.Banks && i < len(d.Constants[buffer]) {
				d.Constants[buffer][i][s.Leaf.Reg.Comp] = s.Bits
			}
		case il.File(s.Leaf.Reg.File) == il.Input:
			for i := range d.Inputs {
				if d.Inputs[i].Reg == n {
					fill(&d.Inputs[i].Data, 4*c.Width*c.Height, 4, s)
				}
			}
		}
	}
	return &d
}

// trips adds launches that vary the constants that decide trip counts (deciders), one at a time. The values
// are notable numbers, then literals of the program and their neighbours, then numbers near which integers
// wrap round. If there are several such constants, it also sets all of them near one edge.
func (c *kernelChecker) trips(base *kernel.Case, add func(base *kernel.Case, a explore.Assignment, steps int)) {
	if !c.sides[0].hasLoops() && !c.sides[1].hasLoops() {
		return
	}
	var leaves []explore.Leaf
	for _, r := range deciders(c.sides[:]) {
		if l := (explore.Leaf{Space: c.sides[0].kernel.Space(), Kind: ir.Uniform, Reg: r}); il.File(r.File) == il.ConstBuf {
			leaves = append(leaves, l)
		}
	}
	each := func(base *kernel.Case, counts []uint32, steps int) {
		for _, n := range counts {
			for _, l := range leaves {
				w := n
				if old := launchWord(base, l); old >= 1<<16 && old < 0xffff0000 { // a float
					w = math.Float32bits(float32(int32(n)))
				}
				add(base, explore.Assignment{{Leaf: l, Bits: w}}, steps)
			}
		}
	}
	each(base, notableTrips, shotSteps)
	long := nextTo(c.counts(), notableTrips)
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
		o.kernel.function().Walk(func(in *ir.Instr) {
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
