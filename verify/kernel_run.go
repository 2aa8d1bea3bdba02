package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
	"github.com/shaderlift/shaderlift/verify/special"
)

// launchSteps bounds what before may take on one launch. A launch that takes longer, or
// more than its share of the budget, shows nothing.
const launchSteps = 1 << 24

// patience is how many times as long as before after may take. An after that takes longer is as good as
// endless, and counts as a difference. Assumed.
const patience = 16

// execute is rung 2 for kernels: both sides launched over a small domain, as they are written.
func (c *kernelChecker) execute() execution {
	c.total, c.doubt, c.report.Draws, c.shown = contrast{}, "", 0, nil
	var shots []shot
	for _, l := range c.launches() {
		shots = append(shots, shot{l, launchSteps})
	}
	return c.runAll(shots, len(shots))
}

// pursue goes on with rung 2 where neither proofs nor launches have decided: on more launches, if rung
// 3 found a difference; on those that are directed to where the kernels decide; and at last by a
// search.
func (c *kernelChecker) pursue() execution {
	var shots []shot
	if c.differs() {
		for k := range uint64(moreLaunches) {
			shots = append(shots, shot{promise(c.Constants).launch(c.launch(1<<32 + k)), launchSteps})
		}
	}
	directed, found, leaves := c.directed()
	run := c.runAll(append(shots, directed...), len(shots))
	// What unwritten registers hold has every launch repeated, which is too dear for a search.
	if !run.different && len(leaves) > 0 && c.differs() && !c.loosely {
		if found := c.search(leaves, found); found != nil {
			return *found
		}
	}
	return run
}

// moreLaunches is how many more launches are made where rung 3 found a difference that the
// first do not show.
const moreLaunches = 4

// runAll executes both sides on launches until they differ. Those but the first usual ones share an
// allowance of steps. A launch on which before fails or takes too long shows nothing and is skipped.
func (c *kernelChecker) runAll(shots []shot, usual int) execution {
	var failed error
	programs, err := c.compile()
	if err != nil {
		return execution{why: "R2: " + err.Error(), unrun: true, before: programs[0] == nil}
	}
	left := allowances[c.Effort].shots
	for i, s := range shots {
		if err := c.runs().Err(); err != nil {
			failed = asm.Errorf(asm.Pos{}, "step-limit", "%v", err)
			break
		}
		if i >= usual {
			if s.steps = min(s.steps, left); s.steps <= 0 {
				break
			}
		}
		x, found, run, err := c.meet(programs, s, uint64(i))
		if i >= usual {
			left -= run.taken
		}
		if err != nil {
			failed = err
			continue
		}
		if x.points > 0 {
			c.report.Draws++
			c.total.add(x)
			c.reached(run.seen)
			c.shown = append(c.shown, &showing{shot: s, taken: run.taken})
		}
		if found != nil {
			return *found
		}
	}
	c.measure(&c.total)
	switch {
	case c.report.Draws > 0:
		return execution{}
	case failed != nil:
		return execution{why: "R2: " + failed.Error(), unrun: true, before: true}
	}
	return execution{why: "R2: the launches show nothing"}
}

// meet executes both sides on launch number k and weighs a difference; found is nil unless they differ,
// and the difference is replayed. Where before reads registers that nothing has written, a difference
// counts only in what does not depend on them (loosely, see undefined_run.go).
func (c *kernelChecker) meet(programs [2]*kernel.Program, s shot, k uint64) (x *contrast, found *execution, run *launchRun, err error) {
	c.loosely = false
	run = c.runner(programs, s, k)
	differ, x, err := c.weigh(ordinarily, run.execute)
	if differ && c.unwritten(0) != 0 {
		c.loosely = true
		run = c.runner(programs, s, k)
		differ, x, err = c.weigh(ordinarily, run.execute)
	}
	if err != nil {
		return nil, nil, run, err
	}
	if x.doubtful {
		c.doubts(x)
	}
	if differ {
		if cex := c.replayLaunch(s, k, x); cex != nil {
			found = &execution{different: true, cex: cex, loose: x.loose, why: x.says(cex.Output)}
		}
	}
	return x, found, run, nil
}

// short is a launch in which loops make one trip: something that can be executed where
// no other launch ends within its steps.
func (c *kernelChecker) short() *kernel.Case {
	fixed := map[ir.Reg]uint32{}
	for _, r := range deciders(c.sides[:]) {
		fixed[r] = 1
	}
	return varied(c.launch(0), fixed)
}

// quickEdge is the edge of the domain of a pixel kernel that a quick check executes.
const quickEdge = 8

// mostCopies bounds how many invocations of a kernel a launch of tiles of them stands for: it is
// not to take longer because tiles are large.
const mostCopies = 256

// launches makes up the launches to execute: the given ones, random ones, random ones in which the
// constants that decide trip counts are varied, a short one, and special numbers where bits are asked
// for. Promised constants hold in all of them.
func (c *kernelChecker) launches() []*kernel.Case {
	list := slices.Clone(c.KernelCases)
	n := 2
	switch {
	case c.Effort == Full:
		n = 16
	case c.sameTerms(): // they only confirm reading and lift; laws of the reals are tried twice
		n = 1
	}
	for k := range n {
		list = append(list, c.launch(uint64(k)))
	}
	if c.terms.diff != nil && c.sides[0].hasLoops() {
		// Every fifth sample: all of them 0, 5, 10 and so on, or numbers of their kind.
		regs := deciders(c.sides[:])
		for s := range 4 * n {
			list = append(list, varied(c.launch(uint64(s%n)), c.decisions(regs, 5*s+1)))
		}
	}
	if c.sides[0] != nil && c.sides[1] != nil && c.sides[0].hasLoops() {
		list = append(list, c.short())
	}
	if c.exactly() {
		list = append(list, specialCase(c.launch(0), c.Seed))
	}
	for i, l := range list {
		list[i] = promise(c.Constants).launch(l)
	}
	return list
}

// launch is the k-th launch made up, which is made but once. Domains are small: of a pixel kernel a
// quick check executes one batch of 64 invocations, of tiles about
// mostCopies invocations of before.
func (c *kernelChecker) launch(k uint64) *kernel.Case {
	if l := c.made[k]; l != nil {
		return l
	}
	l := kernel.DefaultCase(c.before, symbolic.Mix(c.Seed+k))
	if c.Effort == Quick && c.before.Stage == il.Pixel {
		l.Width, l.Height = min(l.Width, quickEdge), min(l.Height, quickEdge)
	}
	for c.before.Stage == il.Pixel && l.Width*l.Height*c.copies > mostCopies && l.Width > 2 {
		l.Width, l.Height = l.Width/2, max(l.Height/2, 1)
	}
	if k%2 == 1 {
		l.Shares = nil // which hosts clear: atomics on what is random tell less
	}
	if c.made == nil {
		c.made = map[uint64]*kernel.Case{}
	}
	c.made[k] = l
	return l
}

// compile compiles both sides.
func (c *kernelChecker) compile() (programs [2]*kernel.Program, err error) {
	for i, source := range []*il.Kernel{c.before, c.after} {
		if programs[i], err = kernel.Compile(source); err != nil {
			return programs, err
		}
	}
	return programs, nil
}

// launchRun executes the sides on a launch, before first: what after may take follows from what before
// has taken.
type launchRun struct {
	c        *kernelChecker
	programs [2]*kernel.Program
	shot     shot
	k        uint64
	// cut: the budget, and not what before took, bounds the steps of after, so that running out of them
	// says nothing against after.
	cut bool
	// near is how many steps an execution may take that starts with other words in registers.
	near  int
	taken int // steps
	seen  [2][]bool
	kinds [2]*kernel.Seen // nil unless wanted
}

// runner makes a run of which a launch takes no more than its share of the budget.
func (c *kernelChecker) runner(programs [2]*kernel.Program, s shot, k uint64) *launchRun {
	s.steps = int(min(int64(s.steps), c.runs().Left()/share*kernel.Lanes))
	return &launchRun{c: c, programs: programs, shot: s, k: k, cut: true, near: s.steps}
}

// execute runs a side; shaken, if not 0, tells how its input is perturbed.
func (r *launchRun) execute(side, shaken int) (*sample, error) {
	c, input := r.c, r.shot.launch
	if shaken > 0 {
		input = promise(c.Constants).launch(shake(input, c.Seed+r.k+uint64(shaken)<<32))
	}
	// An after that fails, or takes much longer than before, where before ends, is broken: that is a
	// difference and no error.
	o := kernel.Options{Steps: r.shot.steps, Budget: c.runs(), Kinds: r.kinds[side]}
	if shaken == 0 {
		o.Seen = make([]bool, r.programs[side].Statements())
		r.seen[side] = o.Seen
	}
	// What after reads of registers that nothing writes is filled with other words than zero.
	res, err := c.filled(side, r.programs[side], input, o, r.near)
	if err != nil {
		r.taken += r.shot.steps
		if side == 1 && !(stopped(err) && (r.cut || c.runs().Err() != nil)) {
			return &sample{broken: err.Error()}, nil
		}
		return nil, err
	}
	r.taken += res.Steps
	s := launched(res, input)
	if c.loosely && side == 0 {
		o.Steps = min(r.shot.steps, nearly(res.Steps))
		if err := c.loosen(r.programs[0], input, s, o); err != nil {
			return nil, err
		}
	}
	if side == 0 && shaken == 0 {
		r.near = nearly(res.Steps)
		once := len(c.after.Insts) * max(input.Width*input.Height, kernel.Lanes) // every statement of after
		// After gets patience times as much, or twice and a fixed amount if that is less, and in any
		// case enough to begin.
		r.shot.steps, r.cut = min(patience*res.Steps, 2*res.Steps+launchSteps)+1<<16+once, false
		if left := c.runs().Left() * kernel.Lanes; left < int64(r.shot.steps) {
			r.shot.steps, r.cut = int(left), true
		}
	}
	return s, nil
}

// replayLaunch executes the sides again, compiled afresh, and returns the
// counterexample if the difference is there again.
func (c *kernelChecker) replayLaunch(shot shot, k uint64, x *contrast) *Counterexample {
	programs, err := c.compile()
	if err != nil {
		return nil
	}
	run, l := c.runner(programs, shot, k), shot.launch
	var s [2]*sample
	for i := range s {
		if s[i], err = run.execute(i, 0); err != nil {
			return nil
		}
	}
	cex := c.again(x, s)
	if cex == nil {
		return nil
	}
	cex.Input = string(l.Format())
	if i := x.first.index; x.shape == "" {
		if cex.Where = fmt.Sprintf("element %d", i); x.first.output[0] == 'o' || x.first.output == coverage {
			cex.Where = fmt.Sprintf("element (%d, %d)", i%l.Width, i/l.Width)
		}
	}
	cex.Case = caseText(cex, interp.Numerics{}, []byte(cex.Input))
	if x.shape == "" {
		cex.First = c.divergence(l, run.shot.steps, &x.first)
	}
	return cex
}

// divergence finds where the invocation that computes what differs at p goes another way. Of a memory
// that is the invocation that wrote the word last, which a run finds out first.
func (c *kernelChecker) divergence(l *kernel.Case, steps int, p *point) (first [2]asm.Pos) {
	name, comp, _ := strings.Cut(p.output, ".")
	if strings.HasPrefix(name, "gds") {
		return first // who wrote it last is not traced
	}
	var traces [2]*interp.Trace
	for i, source := range []*il.Kernel{c.before, c.after} {
		program, err := kernel.CompileTraced(source)
		if err != nil {
			return first
		}
		o := kernel.Options{Steps: steps, Budget: c.runs()}
		t := &kernel.Trace{At: p.index}
		if name[0] == 'g' || name[0] == 'u' {
			t.At, err = program.Writer(l, o, name, 4*p.index+strings.Index("xyzw", comp))
			if err != nil || t.At < 0 {
				return first
			}
		}
		o.Trace = t
		if _, err := c.filled(i, program, l, o, steps); err != nil || len(t.Steps) == 0 {
			return first
		}
		traces[i] = &interp.Trace{}
		for _, w := range t.Known {
			traces[i].Known = append(traces[i].Known, math.Float32frombits(w))
		}
		for _, s := range t.Steps {
			traces[i].Steps = append(traces[i].Steps, interp.Traced{Pos: s.Pos, Value: math.Float32frombits(s.Word)})
		}
	}
	return divergence(traces, c.exactly())
}

// launched makes a sample of what launch l computed: outputs by invocation, and each memory as a part
// with points of its own. A memory that the kernel has no use for holds what it held.
func launched(r *kernel.Result, l *kernel.Case) *sample {
	s := &sample{n: r.Width * r.Height, width: r.Width}
	if r.Discarded != nil {
		s.on = make([]bool, s.n)
		for i, d := range r.Discarded {
			s.on[i] = !d
		}
	}
	for i, out := range r.Out {
		s.vector(fmt.Sprintf("o%d", i), out)
	}
	s.scalar("oDepth", r.Depth, true)
	s.scalar("oMask", r.Mask, false)
	memory := func(name string) {
		first := l.Memory(name)
		words := r.Named(name)
		if words == nil {
			words = first
		}
		s.memory(name, words, first)
	}
	memory("g")
	for _, v := range l.Views {
		memory(fmt.Sprintf("u%d", v.ID))
	}
	for _, m := range r.Shares {
		part := &sample{n: len(m.Words)}
		part.scalar(fmt.Sprintf("gds%d", m.ID), m.Words, false)
		first := l.Share(m.ID)
		for i, w := range m.Words {
			if i >= len(first) && w != 0 || i < len(first) && w != first[i] {
				part.written++
			}
		}
		s.parts = append(s.parts, part)
	}
	return s
}

// vector adds a channel for each component of words of four.
func (s *sample) vector(name string, words []uint32) {
	for c := 0; c < 4 && c < len(words); c++ {
		s.chans = append(s.chans, channel{name: name + "." + "xyzw"[c:c+1], words: words[c:], stride: 4})
	}
}

// scalar adds a channel of one word per point, if there are such words.
func (s *sample) scalar(name string, words []uint32, exact bool) {
	if words != nil {
		s.chans = append(s.chans, channel{name: name, exact: exact, words: words, stride: 1})
	}
}

// memory adds a memory, and counts the elements that are not what they were at first.
func (s *sample) memory(name string, words, first []uint32) {
	part := &sample{n: len(words) / 4}
	part.vector(name, words)
	for i := range part.n {
		if 4*i+4 > len(first) || !slices.Equal(words[4*i:4*i+4], first[4*i:4*i+4]) {
			part.written++
		}
	}
	s.parts = append(s.parts, part)
}

// specialCase is c with infinities, NaN, subnormal numbers and the like among the
// random numbers of resources and inputs: every other four words are from the table.
func specialCase(c *kernel.Case, seed uint64) *kernel.Case {
	r := symbolic.Stream(symbolic.Mix(seed + 1))
	n := 0
	return edited(c, func(w uint32) uint32 {
		n++
		switch {
		case n/4%2 == 0:
			return special.At(n, int(r.Next()%uint64(len(special.Words))))
		case r.Next()%2 == 0:
			return math.Float32bits(4*r.Float() - 2)
		}
		return w
	}, nil)
}

// shake is c with every number that is a fraction off by up to two roundings, to see what roundings
// decide. Others may be counts or addresses, and stay.
func shake(c *kernel.Case, seed uint64) *kernel.Case {
	r := symbolic.Stream(seed)
	near := func(w uint32) uint32 {
		if x := symbolic.Double(w); plausible(w) && x != math.Trunc(x) {
			return math.Float32bits(nudged(&r, math.Float32frombits(w), fewRoundings))
		}
		return w
	}
	return edited(c, near, near)
}

// edited is c with its words changed: those in resources and inputs by data, the
// others by rest unless it is nil.
func edited(c *kernel.Case, data, rest func(w uint32) uint32) *kernel.Case {
	d := *c
	d.Resources = slices.Clone(c.Resources)
	for i := range d.Resources {
		if r := &d.Resources[i]; r.Format != kernel.Uint4 {
			change(&r.Data, r.Width*r.Height*r.Depth*r.Format.Components(), c.Width, data)
		}
	}
	d.Inputs = slices.Clone(c.Inputs)
	for i := range d.Inputs {
		change(&d.Inputs[i].Data, 4*c.Width*c.Height, c.Width, data)
	}
	if rest == nil {
		return &d
	}
	if c.Global != nil {
		g := *c.Global
		change(&g.Data, 4*g.Elements, c.Width, rest)
		d.Global = &g
	}
	d.Views = slices.Clone(c.Views)
	for i := range d.Views {
		v := &d.Views[i]
		change(&v.Data, 4*v.Width*v.Height*v.Depth, c.Width, rest)
	}
	d.Shares = slices.Clone(c.Shares)
	for i := range d.Shares {
		change(&d.Shares[i].Data, d.Shares[i].Words, c.Width, rest)
	}
	for b, list := range c.Constants {
		d.Constants[b] = slices.Clone(list)
		for i := range list {
			for k, w := range list[i] {
				d.Constants[b][i][k] = rest(w)
			}
		}
	}
	return &d
}

// change spells d out, n words over a domain of some width, and edits them in order. What is zero
// everywhere stays and is not visited.
func change(d *kernel.Data, n, width int, edit func(w uint32) uint32) {
	if d.Kind == kernel.Zero {
		return
	}
	words := d.Spelled(n, width)
	for i, w := range words {
		words[i] = edit(w)
	}
	*d = kernel.Data{Kind: kernel.Words, Words: words}
}
