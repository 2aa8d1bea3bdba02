package kernel

import (
	"github.com/shaderlift/shaderlift/asm"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
)

// DefaultCase makes up a launch of a small domain: random resources and memory, and constants that are
// small positive numbers, so that loops up to a constant end. They are integers where the kernel uses
// them as such; what decides a switch is one of its cases. Of several launches it takes the one that
// executes most of the kernel among those whose outputs are not the same everywhere. It depends on the
// kernel and the seed alone, and takes at most about defaultSteps.
func DefaultCase(k *il.Kernel, seed uint64) *Case {
	p, err := Compile(k)
	g := newGuess(k)
	var best *Case
	// Several launches are tried: constants that make a loop run may make a branch go one way only.
	most, left := -1, defaultSteps
	// Each style makes one launch. The best covers all instructions and varies.
	for trial := range len(defaultStyles) {
		g.begin(seed, trial)
		c := g.launch()
		if best == nil {
			best = c
		}
		if err != nil || left <= 0 {
			break
		}
		seen := make([]bool, p.stmts)
		steps := min(left, defaultSteps/4)
		r, err := p.Run(c, Options{Steps: steps, Seen: seen})
		if err != nil { // not that it had to take all of them
			left -= steps
			continue
		}
		left -= r.Steps
		all, n := p.coverage(seen)
		if r.varies() {
			n += all
		}
		if n > most {
			best, most = c, n
		}
		if n == 2*all {
			break
		}
	}
	return best
}

// Statements is how many statements, numbered from 0 on, executions tell apart. A run of
// instructions between statements of control flow is one.
func (p *Program) Statements() int { return p.stmts }

// Unseen is the first statement that computes something and that no execution reached.
func (p *Program) Unseen(seen []bool) (at asm.Pos, found bool) {
	p.each(func(s *stmt) {
		if s.count > 0 && !seen[s.id] && !found {
			at, found = s.pos, true
		}
	})
	return at, found
}

// coverage is how many instructions a program has, and how many of them are in statements that were
// executed.
func (p *Program) coverage(seen []bool) (all, n int) {
	p.each(func(s *stmt) {
		all += s.count
		if seen[s.id] {
			n += s.count
		}
	})
	return all, n
}

// each calls f for all statements, in the order of the text.
func (p *Program) each(f func(s *stmt)) {
	var walk func(code []stmt)
	walk = func(code []stmt) {
		for i := range code {
			s := &code[i]
			f(s)
			walk(s.body)
			walk(s.other)
			for k := range s.cases {
				walk(s.cases[k].body)
			}
		}
	}
	walk(p.main)
	for _, body := range p.funcs {
		walk(body)
	}
}

// varies reports whether outputs differ between elements, or there are none (a compute kernel).
func (r *Result) varies() bool {
	any := false
	for _, words := range r.Out {
		any = any || words != nil
		for i, w := range words {
			if w != words[i%4] {
				return true
			}
		}
	}
	return !any
}

// launch makes up one launch: data for whatever the kernel declares or reads.
func (g *guess) launch() *Case {
	c := &Case{Width: defaultEdge, Height: defaultEdge}
	g.constants(c)
	seen := map[il.Reg]bool{}
	global := false
	for i := range g.k.Insts {
		in := &g.k.Insts[i]
		switch in.Op {
		case il.OpDclInput:
			if in.Ctl.Usage == il.UsagePosition {
				seen[in.Dst.Reg] = true // the domain decides
			}
		case il.OpDclResource:
			c.Resources = append(c.Resources, g.resource(in))
		case il.OpDclRawUav, il.OpDclArenaUav, il.OpDclUav, il.OpDclStructUav:
			v := View{ID: int(in.Ctl.ID), Width: defaultElements, Height: 1, Depth: 1, Data: g.memory()}
			if n := dimensions(in.Ctl.Tex); in.Op == il.OpDclUav && n > 1 {
				v.Width, v.Height = 64, defaultElements/64
			}
			if !slices.ContainsFunc(c.Views, func(o View) bool { return o.ID == v.ID }) {
				c.Views = append(c.Views, v)
			}
		case il.OpDclGds, il.OpDclStructGds:
			if id, size := int(in.Ctl.ID), localBytes(in); size <= maxLocal && c.share(id) == nil {
				c.Shares = append(c.Shares, Share{id, int(size+3) / 4, g.memory()})
			}
		}
		global = global || in.HasDst && in.Dst.File == il.Global
		for s := range in.Sources() {
			r := in.Src[s].Reg
			global = global || r.File == il.Global
			if r.File == il.Input && !seen[r] {
				seen[r] = true
				c.Inputs = append(c.Inputs, Input{int(r.Num), g.plane()})
			}
		}
	}
	if global {
		c.Global = &Buffer{defaultElements, g.memory()}
	}
	slices.SortFunc(c.Inputs, func(a, b Input) int { return a.Reg - b.Reg })
	return c
}

// memory is random numbers from -1 to 1.
func (g *guess) memory() Data { return Data{Kind: Random, Seed: g.next() >> 1, Lo: -1, Hi: 1} }

// resource is a small resource of the declared shape, of floats or small integers.
func (g *guess) resource(in *il.Inst) Resource {
	r := Resource{ID: int(in.Ctl.ID), Width: defaultTexels, Height: defaultTexels, Depth: 1, Format: Float4, Data: g.memory()}
	switch dimensions(in.Ctl.Tex) {
	case 1:
		r.Width, r.Height, r.Format = defaultTexels*defaultTexels, 1, Float1
	case 3:
		r.Depth = 4
	}
	if f := in.Ctl.Format[0]; f == il.FormatUInt || f == il.FormatSInt {
		r.Format, r.Data.Lo, r.Data.Hi = Uint4, 0, 16
	}
	return r
}

const (
	defaultTexels   = 32   // along an edge
	defaultElements = 4096 // of memory
	defaultReach    = 64   // elements of a buffer that an index can be expected to reach
	defaultSteps    = 1 << 24
)

// defaultStyles are how large made-up numbers are: constants are up to largest, from 1 or, if zero is
// set, 0 on, and inputs grow by about scale across the domain. Chosen by hand, so that loops run and
// branches go either way in one of them.
var defaultStyles = [...]struct {
	largest uint32
	zero    bool
	scale   float32
}{
	{16, false, 1}, {4, true, 1024}, {16, true, 16}, {64, false, 1}, {2, true, 4}, {8, false, 64}, {32, true, 256},
	{16, false, 16}, {3, true, 2}, {64, true, 1024}, {12, false, 0.25}, {5, true, 32},
}
