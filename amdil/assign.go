package amdil

import (
	"errors"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// assigner assigns registers and components to values. The number of temporaries is unlimited, so it never
// runs out. It coalesces values where that saves moves, and keeps the registers of the input program where
// they are free. The writer moves values that could not be coalesced.
type assigner struct {
	b *emitter
	// memory is the working memory of the allocator, reused for every kernel.
	memory *regalloc.Scratch
	// webs are the values that share a register.
	webs *regalloc.Webs
	// live are the live ranges of values, by value.
	live [][]regalloc.Span
	// regs are the registers that the allocator may choose, by its numbering.
	regs []il.Reg
	// want is, by value, the number of the register that was its home, or -1.
	want []int32
	// at is the result: for each value the number of its register, or -1.
	at []int32
	// busy are the live ranges in a register, by component; the first call of free builds it.
	busy map[il.Reg]*spaces
	// next is the number of the first unused temporary.
	next int
}

// run coalesces in order of importance: required (lanes of one statement, output registers), values that
// shared a register in the input, then other opportunities.
func (a *assigner) run() error {
	a.live = a.memory.LiveIntervals(a.points())
	a.webs = a.memory.NewWebs(a.live, a.b.comp, make([]uint8, len(a.b.home)))
	a.webs.Budget = a.b.f.Budget.Poller()
	a.registers()
	if err := a.results(); err != nil {
		return err
	}
	a.pinOutputs()
	a.coalesceValues(true)
	a.coalesceValues(false)
	return a.colour()
}

// points describes the statements to the allocator. Indices of elements are uses too, at any depth.
func (a *assigner) points() *regalloc.Code {
	c := &regalloc.Code{Points: make([]regalloc.Point, len(a.b.stmts)), NumValues: len(a.b.home), Budget: a.b.f.Budget}
	var pool []int32
	use := func(l *lane) {
		if l.kind == laneTemp {
			pool = append(pool, l.v)
		}
		// An index may be an element of another array.
		for e := l.elem; e != nil; e = e.index.elem {
			if e.index.kind == laneTemp {
				pool = append(pool, e.index.v)
			}
		}
	}
	// One point per statement. All uses and definitions share one backing array, and each point gets a part
	// of it.
	for i, s := range a.b.stmts {
		p := &c.Points[i]
		p.Kind = s.kind
		mark := len(pool)
		for k := range s.src {
			for j := range s.src[k].lanes {
				use(&s.src[k].lanes[j])
			}
		}
		// The index of a destination is read, though the element is written.
		if s.array != nil {
			use(&lane{kind: laneLeaf, elem: s.array})
		}
		for k := range s.copies {
			use(&s.copies[k].from)
		}
		for k := range s.args {
			use(&s.args[k])
		}
		p.Uses = pool[mark:len(pool):len(pool)]
		mark = len(pool)
		for _, v := range s.out {
			if v >= 0 {
				pool = append(pool, v)
			}
		}
		// A statement may be a parallel copy, or the head of a construct, which defines its parameters.
		for _, c := range s.copies {
			pool = append(pool, c.to)
		}
		pool = append(pool, s.params...)
		p.Defs = pool[mark:len(pool):len(pool)]
	}
	return c
}

// registers numbers the registers that values prefer, and finds the first temporary that no value prefers.
func (a *assigner) registers() {
	var temps []int32 // temps: number of a temporary plus one, the common case; others: for other registers
	others := map[il.Reg]int32{}
	next := func(r il.Reg) int32 {
		a.regs = append(a.regs, r)
		return int32(len(a.regs) - 1)
	}
	a.want = make([]int32, len(a.b.home))
	for v, home := range a.b.home {
		if home.File == 0 {
			a.want[v] = -1
			continue
		}
		r, _, _ := regOf(home)
		if r.File == il.Temp {
			for len(temps) <= int(r.Num) {
				temps = append(temps, 0)
			}
			if temps[r.Num] == 0 {
				temps[r.Num] = next(r) + 1
			}
			a.want[v] = temps[r.Num] - 1
			continue
		}
		n, known := others[r]
		if !known {
			n = next(r)
			others[r] = n
		}
		a.want[v] = n
	}
	a.next = len(temps)
}

// results joins the lanes of statements, which share a register. A failure is an error in this program: these
// values are new, or written together.
func (a *assigner) results() error {
	for _, s := range a.b.stmts {
		first := int32(-1)
		for _, v := range s.out {
			if v < 0 {
				continue
			}
			if first >= 0 && !a.webs.Join(first, v) {
				return errors.New("lanes of a statement do not share a register")
			}
			first = v
		}
		// fixed: the components of a fetch, whose result the mask cannot permute.
		if s.fixed && first >= 0 {
			a.webs.Fix(first)
		}
	}
	for _, s := range a.b.stmts { // moves into one register are best written as one
		for k := range s.copies {
			if k > 0 && a.together(&s.copies[k-1].from, &s.copies[k].from) {
				a.webs.Join(s.copies[k-1].to, s.copies[k].to)
			}
		}
	}
	return nil
}

// together reports whether x and y are probably in one register.
func (a *assigner) together(x, y *lane) bool {
	switch {
	case x.kind != y.kind || x.mod&modAbs != y.mod&modAbs:
		return false
	case x.kind == laneTemp:
		return a.webs.Same(x.v, y.v)
	case x.kind == laneLeaf:
		return x.reg == y.reg && (x.elem == y.elem || x.elem.isConst() && y.elem.isConst() && x.elem.offset == y.elem.offset)
	}
	return true
}

// pinOutputs pins the final values of outputs to their registers.
func (a *assigner) pinOutputs() {
	end := a.b.stmts[len(a.b.stmts)-1]
	for i, v := range end.params {
		// The values of the end have the output registers as homes.
		if i > 0 && sameRegister(a.b.home[v], a.b.home[end.params[i-1]]) {
			a.webs.Join(end.params[i-1], v)
		}
		a.webs.Pin(v, a.want[v])
	}
}

func sameRegister(x, y ir.Reg) bool { return x.File == y.File && x.Index == y.Index }

// coalesceValues coalesces values: block arguments with their parameters, the lanes of an operand, both ends of a move
// that emission or a pass added. It runs twice. With homes it joins values that shared a register in the
// input, then the others, so that an unchanged kernel keeps its registers. A move of the input between
// different homes stays a move.
func (a *assigner) coalesceValues(homes bool) {
	home := a.b.home
	// Block arguments (results of sides, arguments of loops and breaks) need a mov at the end of the region
	// unless both ends share a register.
	for _, s := range a.b.stmts {
		to := s.receivers()
		for k, l := range s.args {
			if l.kind == laneTemp && homes == (home[l.v] == home[to[k]]) {
				a.webs.JoinAt(l.v, to[k])
			}
		}
	}
	// An operand names one register, so lanes in several cost a mov each.
	for _, s := range a.b.stmts {
		for k := range s.src {
			first := int32(-1)
			for _, l := range s.src[k].lanes {
				if l.kind != laneTemp {
					continue
				}
				if first >= 0 && homes == sameRegister(home[first], home[l.v]) {
					a.webs.Join(first, l.v)
				}
				first = l.v
			}
		}
	}
	// Moves: those with one destination register become one statement; a plain move whose ends are joined
	// disappears.
	for _, s := range a.b.stmts {
		for k, c := range s.copies {
			if homes {
				if k > 0 && home[c.to].File != 0 && sameRegister(home[c.to], home[s.copies[0].to]) {
					a.webs.Join(s.copies[0].to, c.to)
				}
				continue
			}
			if c.from.kind == laneTemp && c.from.mod == 0 && !c.sat &&
				(s.orig < 0 || home[c.to].File == 0 || home[c.from.v].File == 0) {
				a.webs.JoinAt(c.to, c.from.v)
			}
		}
	}
}

// colour chooses the registers: the one that most members of a web prefer, else the first new one that fits.
// It does not minimize registers: they are virtual in AMD IL. Pass merge-registers and the allocator of
// package machine pack them.
func (a *assigner) colour() error {
	fresh := len(a.regs) // the first register that no value prefers
	votes := make([]int32, fresh)
	// Each member of a web votes for its old register, if its component is unchanged.
	a.webs.Choose = func(members []int32, fits func(reg int) bool) int {
		best := int32(-1)
		for _, v := range members {
			if c := a.want[v]; c >= 0 && int(a.b.home[v].Comp) == a.webs.ComponentOf(v) {
				if votes[c]++; best < 0 || votes[c] > votes[best] {
					best = c
				}
			}
		}
		for _, v := range members {
			if c := a.want[v]; c >= 0 {
				votes[c] = 0
			}
		}
		if best >= 0 && fits(int(best)) {
			return int(best)
		}
		for r := fresh; ; r++ {
			if fits(r) {
				return r
			}
		}
	}
	var err error
	// No limit, so this fails only if register numbers run out.
	limit := func(uint8) int { return math.MaxInt32 }
	if a.at, err = a.webs.Colour(limit, nil); err != nil {
		return err
	}
	most := slices.Max(append(a.at, -1))
	for int(most) >= len(a.regs) {
		if a.next > math.MaxUint16 {
			return errors.New("out of registers")
		}
		a.regs = append(a.regs, il.Reg{File: il.Temp, Num: uint16(a.next)})
		a.next++
	}
	return nil
}

// place returns the register and component of v.
func (a *assigner) place(v int32) (il.Reg, int) { return a.regs[a.at[v]], a.webs.ComponentOf(v) }

// spaces are the spans in which the components of a register are taken, in order.
type spaces [4][]regalloc.Span

// isFree reports whether component c of r is free from one moment to another, ends included. Moments are 2*i
// before and 2*i+1 after statement i, as in [regalloc.Span]. Spans of one component do not overlap, so a
// binary search for the first that ends at from or later decides. The table is built once for all registers.
func (a *assigner) isFree(r il.Reg, c int, from, to int32) bool {
	if a.busy == nil {
		a.busy = map[il.Reg]*spaces{}
		for v, at := range a.at {
			if at < 0 {
				continue
			}
			s := a.busy[a.regs[at]]
			if s == nil {
				s = &spaces{}
				a.busy[a.regs[at]] = s
			}
			c := a.webs.ComponentOf(int32(v))
			s[c] = append(s[c], a.live[v]...)
		}
		for _, s := range a.busy {
			for c := range s {
				slices.SortFunc(s[c], func(x, y regalloc.Span) int { return int(x.From - y.From) })
			}
		}
	}
	s := a.busy[r]
	if s == nil {
		return true
	}
	i, _ := slices.BinarySearchFunc(s[c], from, func(x regalloc.Span, from int32) int { return int(x.To - from) })
	return i == len(s[c]) || s[c][i].From > to
}
