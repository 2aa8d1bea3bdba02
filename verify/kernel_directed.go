package verify

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// shot is a launch and what before may take on it. One that takes longer shows nothing.
type shot struct {
	launch *kernel.Case
	steps  int
}

// The steps that directed launches may take: one of them, one that makes as many trips as
// a literal says, one whose numbers wrap round, and all of a quick and a full check.
const (
	shotSteps  = 1 << 22
	longSteps  = 1 << 26
	wrapSteps  = 1 << 20
	quickShots = 1 << 26
	fullShots  = 1 << 30
)

// What begins after more trips than these shows better if there are twice as many.
const manyTrips = 1 << 10

// The most trips that a literal makes a loop be tried with.
const longestTrips = 1 << 20

// wrapEdges are numbers next to which integers end, with a sign and without.
var wrapEdges = []uint32{0x7fffffff, 0x80000000, 0x80000001, 0x7ffffffe, 0xffffffff, 0xfffffffe}

// directed makes launches in which loops run for notable numbers of trips, and constants,
// inputs and what is fetched are such that the kernels decide otherwise.
// It tells all such assignments, and which leaves the kernels have.
func (c *kernelChecker) directed() (list []shot, found []assignment, leaves []leafID) {
	if c.sides[0] == nil || c.sides[1] == nil {
		return nil, nil, nil
	}
	base := promise(c.Constants).launch(c.widened(c.launch(0)))
	bases := []*kernel.Case{base}
	if c.differs() {
		for k := range uint64(moreBases) {
			bases = append(bases, promise(c.Constants).launch(c.widened(c.launch(k+1))))
		}
	}
	add := func(base *kernel.Case, a assignment, steps int) {
		list = append(list, shot{promise(c.Constants).launch(assigned(base, a)), steps})
	}
	c.trips(base, add)
	budget := c.directedBudget()
	x := &explorer{work: budget.work}
	words := map[leafID]uint32{}
	x.base = func(l leafID) uint32 {
		w, ok := words[l]
		if !ok {
			w = launchWord(base, l)
			words[l] = w
		}
		return w
	}
	x.evaluate = func(a assignment) *survey { return c.survey(x, a) }
	found = x.explore()
	for k, a := range found[:min(len(found), budget.trials)] {
		for j, b := range bases {
			if j == 0 || k < min(x.first, firstOnMore) {
				add(b, a, shotSteps)
			}
		}
	}
	return list, found, x.leaves
}

// widened is a launch of before that has what only after asks its host for, too.
func (c *kernelChecker) widened(launch *kernel.Case) *kernel.Case {
	d, more := *launch, kernel.DefaultCase(c.after, symbolic.Mix(c.Seed))
	for b := range d.Constants {
		if n := len(d.Constants[b]); n < len(more.Constants[b]) {
			d.Constants[b] = append(slices.Clip(d.Constants[b]), more.Constants[b][n:]...)
		}
	}
	for _, in := range more.Inputs {
		if in.Data.Kind == kernel.Words || in.Data.Kind == kernel.File { // of another domain
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
	if d.Global == nil {
		d.Global = more.Global
	}
	return &d
}

// survey lets scouts evaluate both sides.
func (c *kernelChecker) survey(x *explorer, a assignment) *survey {
	s := &survey{holds: map[turn]bool{}, trips: c.scouted()}
	for i, o := range c.sides {
		s.after = i == 1
		s.run(toScout(o.kernel), func(kind ir.Kind, r ir.Reg) uint32 {
			l := leafID{o.kernel.space(), kind, r}
			if amdil.IsState(r) && kind == ir.Input {
				return 0
			}
			if settable(l) && !slices.Contains(x.leaves, l) {
				x.leaves = append(x.leaves, l)
			}
			if bits, ok := a.lookup(l); ok {
				return bits
			}
			return x.base(l)
		})
	}
	return s
}

// settable reports whether a launch can give a leaf any value.
func settable(l leafID) bool {
	file := il.File(l.reg.File)
	return l.kind == ir.Result || file == il.Input || file == il.ConstBuf
}

// launchWord is what a launch gives a leaf in its first element.
func launchWord(c *kernel.Case, l leafID) (word uint32) {
	n, comp := int(l.reg.Index), int(l.reg.Comp)
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
	case l.kind == ir.Result:
		for _, r := range c.Resources {
			if r.ID == n && l.reg.File == fetched {
				return read(r.Data, r.Format.Components(), r.Format.Components())
			}
		}
	case il.File(l.reg.File) == il.ConstBuf:
		if buffer, i := amdil.Constant(l.reg); buffer < kernel.Banks && i < len(c.Constants[buffer]) {
			return c.Constants[buffer][i][comp]
		}
	case il.File(l.reg.File) == il.Input:
		for _, in := range c.Inputs {
			if in.Reg == n {
				return read(in.Data, 4, 4)
			}
		}
	case il.File(l.reg.File) == il.WinCoord:
		return math.Float32bits(0.5)
	}
	return 0
}

// assigned is a launch with an assignment: inputs and resources hold the same everywhere
// where they are set.
func assigned(c *kernel.Case, a assignment) *kernel.Case {
	d := *c
	d.Inputs, d.Resources = slices.Clone(c.Inputs), slices.Clone(c.Resources)
	for b := range d.Constants {
		d.Constants[b] = slices.Clone(d.Constants[b])
	}
	fill := func(data *kernel.Data, size, per int, s setting) {
		if data.Kind == kernel.Zero {
			*data = kernel.Data{Kind: kernel.Words, Words: make([]uint32, size)}
		}
		i := 0
		change(data, size, c.Width, func(w uint32) uint32 {
			if i++; (i-1)%per == int(s.leaf.reg.Comp)%per {
				return s.bits
			}
			return w
		})
	}
	for _, s := range a {
		n := int(s.leaf.reg.Index)
		switch {
		case s.leaf.reg.Comp == wholly:
			speckle(&d, s)
		case s.leaf.kind == ir.Result:
			for i := range d.Resources {
				if r := &d.Resources[i]; r.ID == n && s.leaf.reg.File == fetched {
					fill(&r.Data, r.Width*r.Height*r.Depth*r.Format.Components(), r.Format.Components(), s)
				}
			}
		case il.File(s.leaf.reg.File) == il.ConstBuf:
			if buffer, i := amdil.Constant(s.leaf.reg); buffer < kernel.Banks && i < len(d.Constants[buffer]) {
				d.Constants[buffer][i][s.leaf.reg.Comp] = s.bits
			}
		case il.File(s.leaf.reg.File) == il.Input:
			for i := range d.Inputs {
				if d.Inputs[i].Reg == n {
					fill(&d.Inputs[i].Data, 4*c.Width*c.Height, 4, s)
				}
			}
		}
	}
	return &d
}

// trips adds launches in which the constants that decide how often loops run are notable
// numbers, one of them at a time, and where there are several all of them near an edge.
func (c *kernelChecker) trips(base *kernel.Case, add func(base *kernel.Case, a assignment, steps int)) {
	if !c.sides[0].hasLoops() && !c.sides[1].hasLoops() {
		return
	}
	var leaves []leafID
	for _, r := range deciders(c.sides[:]) {
		if l := (leafID{c.sides[0].kernel.space(), ir.Uniform, r}); il.File(r.File) == il.ConstBuf {
			leaves = append(leaves, l)
		}
	}
	each := func(base *kernel.Case, counts []uint32, steps int) {
		for _, n := range counts {
			for _, l := range leaves {
				w := n
				if old := launchWord(base, l); old >= 1<<16 && old < 0xffff0000 { // it holds a float
					w = math.Float32bits(float32(int32(n)))
				}
				add(base, assignment{{l, w}}, steps)
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
	if lone := *base; len(long) > 0 && c.before.Stage == il.Pixel { // one invocation does as well
		lone.Width, lone.Height = 1, 1
		base = &lone
	}
	each(base, long, longSteps)
	each(base, wrapEdges, wrapSteps)
	if len(leaves) > 1 {
		r := symbolic.Stream(symbolic.Mix(c.Seed))
		edges := slices.Concat([]uint32{0, 1, 2, 5}, wrapEdges)
		for range 16 {
			var a assignment
			near := edges[r.Next()%uint64(len(edges))]
			for _, l := range leaves { // all near one edge, so that few trips lead across it
				a = append(a, setting{l, near + uint32(r.Next()%9) - 4})
			}
			add(base, a, wrapSteps)
		}
	}
}

// counts are the literals of either side that may be numbers of trips.
func (c *kernelChecker) counts() (list []uint32) {
	for _, o := range c.sides {
		o.kernel.function().Walk(func(in *ir.Instr) {
			in.EachUse(func(l *ir.Lane) {
				if l.V.Kind != ir.Literal {
					return
				}
				n := l.V.Bits
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
