package kernel

import (
	"github.com/shaderlift/shaderlift/asm"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
)

// DefaultCase generates a launch of a small domain, with random resources and memory. Constants are small
// positive numbers, so that loops bounded by a constant end. Constants are integers if the kernel uses them
// as integers, and a constant in a switch is one of its cases. Among several launches whose outputs are not
// uniform, DefaultCase returns the one that executes most of the kernel. The result depends on the kernel
// and the seed alone, and takes about defaultSteps at most.
func DefaultCase(k *il.Kernel, seed uint64) *Case {
	p, err := Compile(k)
	g := newGuess(k)
	var best *Case
	// Several launches are needed: constants that let a loop run may send a branch only one way.
	most, left := -1, defaultSteps
	// Each style gives one launch. The best one covers all instructions and has varying outputs.
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
		if err != nil { // charge all steps, though it may have taken fewer
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

// Statements returns the number of statements for [Options.Seen], which are numbered from 0. A run of
// instructions between statements of control flow is one statement.
func (p *Program) Statements() int { return p.stmts }

// Unseen returns the position of the first nonempty statement that no execution reached.
func (p *Program) Unseen(seen []bool) (at asm.Pos, found bool) {
	p.eachStatement(func(s *stmt) {
		if s.count > 0 && !seen[s.id] && !found {
			at, found = s.pos, true
		}
	})
	return at, found
}

// coverage returns the number of instructions in a program, and the number in executed statements.
func (p *Program) coverage(seen []bool) (all, n int) {
	p.eachStatement(func(s *stmt) {
		all += s.count
		if seen[s.id] {
			n += s.count
		}
	})
	return all, n
}

// eachStatement calls f for all statements in the order of the text.
func (p *Program) eachStatement(f func(s *stmt)) {
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

// varies reports whether outputs differ between elements, or are absent (a compute kernel).
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

// launch generates one launch, with data for everything that the kernel declares or reads.
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

// memory returns random numbers from -1 to 1.
func (g *guess) memory() Data { return Data{Kind: Random, Seed: g.randomWord() >> 1, Lo: -1, Hi: 1} }

// resource returns a small resource of the declared shape, with floats or small integers.
func (g *guess) resource(in *il.Inst) Resource {
	r := Resource{ID: int(in.Ctl.ID), Width: defaultTexels, Height: defaultTexels, Depth: 1, Format: Float4,
		Data: g.memory()}
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
	defaultTexels   = 32   // length of an edge
	defaultElements = 4096 // of memory
	defaultReach    = 64   // elements of a buffer that a typical index reaches
	defaultSteps    = 1 << 24
)

// defaultStyles holds the sizes of generated numbers. Constants range from 1, or from 0 if zero is set, to
// largest; inputs grow by about scale across the domain. They were chosen by hand, so that in one of them
// loops run and branches go either way.
var defaultStyles = [...]struct {
	largest uint32
	zero    bool
	scale   float32
}{
	{16, false, 1}, {4, true, 1024}, {16, true, 16}, {64, false, 1}, {2, true, 4}, {8, false, 64}, {32, true, 256},
	{16, false, 16}, {3, true, 2}, {64, true, 1024}, {12, false, 0.25}, {5, true, 32},
}
