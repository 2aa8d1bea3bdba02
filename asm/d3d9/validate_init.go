package d3d9

// comps is a set of components of the registers that must be written before they are
// read: r0 to r31 in two words, four bits each, a0 and p0 in the third.
type comps [3]uint64

var allComps = comps{^uint64(0), ^uint64(0), ^uint64(0)}

// The operations of sets.
func (s comps) and(t comps) comps    { return comps{s[0] & t[0], s[1] & t[1], s[2] & t[2]} }
func (s comps) or(t comps) comps     { return comps{s[0] | t[0], s[1] | t[1], s[2] | t[2]} }
func (s comps) andNot(t comps) comps { return comps{s[0] &^ t[0], s[1] &^ t[1], s[2] &^ t[2]} }

// place is where the components of r are: a word and the lowest of four bits. ok is
// false for the other files.
func place(r Reg) (word, shift int, ok bool) {
	switch {
	case r.File == Temp && r.Index < 32:
		return int(r.Index) / 16, int(r.Index) % 16 * 4, true
	case r.File == Addr:
		return 2, 0, true
	case r.File == Predicate:
		return 2, 4, true
	}
	return 0, 0, false
}

// compsOf is the set of components m of r, empty for registers that need not be
// written.
func compsOf(r Reg, m Mask) (s comps) {
	if w, shift, ok := place(r); ok {
		s[w] = uint64(m) << shift
	}
	return s
}

// missing are the components of r among m that s lacks.
func (s comps) missing(r Reg, m Mask) Mask {
	w, shift, ok := place(r)
	if !ok {
		return 0
	}
	return m &^ Mask(s[w]>>shift)
}

// state is what is known where control gets to: which components every path there has written,
// which some path has, and which some path leaves as a macro spoiled them. unreached tells that no
// path leads there.
type state struct {
	every, some, spoiled comps
	unreached            bool
}

// nowhere is the state where nothing gets to: everything counts as written, and it is the neutral
// one where paths meet.
var nowhere = state{every: allComps, unreached: true}

// meet is the state where two paths come together.
func (s state) meet(t state) state {
	switch {
	case s.unreached:
		return t
	case t.unreached:
		return s
	}
	return state{every: s.every.and(t.every), some: s.some.or(t.some), spoiled: s.spoiled.or(t.spoiled)}
}

// write adds components that are written.
func (s state) write(m comps) state {
	if !s.unreached {
		s.every, s.some, s.spoiled = s.every.or(m), s.some.or(m), s.spoiled.andNot(m)
	}
	return s
}

// spoil takes away components that a macro leaves undefined.
func (s state) spoil(m comps) state {
	if !s.unreached {
		s.every, s.spoiled = s.every.andNot(m), s.spoiled.or(m)
	}
	return s
}

// summary is what a subroutine does to a state: what every path has written of nothing and
// of everything, and what some path writes or spoils. It is enough, as every statement does
// the same to any set: adds some components and takes some away.
type summary struct {
	nothing state // what comes of nothing written
	spoils  comps // of all written
}

// initialized follows which components have been written on the paths that lead to a
// statement: a forward analysis whose sets meet by intersection for every path, by union for
// some. Structure makes it a walk over nested blocks; there is no graph. A loop may run no
// times. A predicated write counts as a write: predicates are not followed.
//
// The assembler refuses to read what some path may have left unwritten ("Registers", read
// before write); runtime and drivers do not, and programs rely on conditions that go
// together:
//
//	if_gt r1.x, c0.x; mov r0, c1; endif; ...; if_gt r1.x, c0.x; add r2, r2, r0; endif
//
// So the two are told apart. What a macro spoiled on some path is as if never written: it
// is not what the register held.
type initialized struct {
	*validator
	// by body, as flow.bodies
	subs   []summary
	entry  []state // of each body: where all its calls meet
	breaks state   // where all breaks of the innermost loop so far meet
	// report nothing: the first walks are for summaries alone
	silent bool
}

// checkInitialized reports reads of components that may not have been written. It goes
// twice through the bodies. First from the last one to the first, for summaries: a
// subroutine calls only those further down, so their summaries are there. Then from the
// first to the last, to report: the entry of a body is settled once all its callers,
// which are before it, have been walked.
//
// A body walked with nothing written tells what it writes; walked with all written,
// what it spoils.
func (v *validator) checkInitialized() {
	n := len(v.flow.bodies)
	c := initialized{validator: v, subs: make([]summary, n), entry: make([]state, n), silent: true}
	for k := n - 1; k > 0; k-- { // callees are further down
		b := v.flow.bodies[k]
		// So that calls within it have something to narrow; it is reset below.
		c.entry[k] = nowhere
		c.subs[k] = summary{nothing: c.walk(b.first, b.last, state{}), spoils: allComps.andNot(c.walk(b.first, b.last, state{every: allComps}).every)}
	}
	c.silent = false
	for k := 1; k < n; k++ {
		c.entry[k] = nowhere
	}
	for k, b := range v.flow.bodies {
		c.walk(b.first, b.last, c.entry[k])
	}
}

// walk goes through statements first to last-1 from state s and returns the one at their
// end. Beyond a break nothing gets there.
func (c *initialized) walk(first, last int, s state) state {
	for i := first; i < last; i++ {
		in := &c.p.Insts[i]
		switch in.Op.Kind() {
		case Declaration, Trivia:
			continue
		}
		c.reads(i, in, s)
		switch in.Op {
		case OpIf, OpIfc:
			end := c.flow.end[i]
			// Either side may be taken, and without else none.
			then := c.walk(i+1, end, s)
			if c.p.Insts[end].Op == OpElse {
				i, end = end, c.flow.end[end]
				s = c.walk(i+1, end, s)
			}
			s = s.meet(then)
			i = end
		case OpRep, OpLoop:
			end := c.flow.end[i]
			s = c.loop(i+1, end, s)
			i = end
		case OpBreak:
			c.breaks = c.breaks.meet(s)
			// Nothing gets behind it.
			s = nowhere
		case OpBreakc, OpBreakp:
			c.breaks = c.breaks.meet(s)
		case OpCall, OpCallnz:
			s = c.call(in, s)
		default:
			s = c.writes(in, s)
		}
	}
	return s
}

// loop walks a loop body until the state at its head is settled, and returns the one behind
// the loop: where its head, as it may run no times, and all its breaks meet. What every path
// has written at the head only ever shrinks, and what some path has only grows, so this ends;
// two rounds do. Only the last one reports: what no path has written in the first may be
// written by the trip before.
func (c *initialized) loop(first, last int, head state) state {
	outer, found := c.breaks, len(c.found)
	defer func() { c.breaks = outer }()
	for {
		c.breaks, c.found = head, c.found[:found]
		end := head.meet(c.walk(first, last, head))
		if end == head {
			return head.meet(c.breaks)
		}
		head = end
	}
}

// call does to s what the subroutine does, and notes the state for its entry. callnz may
// pass over the call.
func (c *initialized) call(in *Inst, s state) state {
	k := c.flow.subs[in.Src[0].Index]
	c.entry[k] = c.entry[k].meet(s)
	if s.unreached {
		return s
	}
	sub := &c.subs[k]
	after := state{
		every:   s.every.andNot(sub.spoils).or(sub.nothing.every),
		some:    s.some.or(sub.nothing.some),
		spoiled: s.spoiled.andNot(sub.nothing.every).or(sub.nothing.spoiled),
	}
	if in.Op == OpCallnz {
		return after.meet(s)
	}
	return after
}

// writes adds what in writes. In version 2 the macros sincos and sgn spoil registers
// they do not produce a result in (MSDN, "sincos - vs", "sgn - vs").
func (c *initialized) writes(in *Inst, s state) state {
	if c.m.Major == 2 {
		switch in.Op {
		case OpSinCos:
			s = s.spoil(compsOf(in.Dst.Reg, maskXYZ))
		case OpSgn:
			s = s.spoil(compsOf(in.Src[1].Reg, MaskAll).or(compsOf(in.Src[2].Reg, MaskAll)))
		}
	}
	if !in.HasDst || in.Op == OpTexKill {
		return s
	}
	m := in.Dst.Mask
	// A matrix of n rows has n components of a result.
	if rows := ruleTable[in.Op].rows; rows > 0 {
		m &= 1<<rows - 1
	}
	return s.write(compsOf(in.Dst.Reg, m))
}

// reads checks every register that in reads: sources with all rows, index registers,
// what texkill names, and the predicate.
func (c *initialized) reads(i int, in *Inst, s state) {
	if c.silent {
		return
	}
	tex := c.decls.texture(in)
	for k := range in.Sources() {
		src := &in.Src[k]
		for row := range in.Rows(k) {
			c.read(i, Reg{src.File, src.Index + uint16(row)}, in.Components(k, tex), s)
		}
		c.index(i, src.Rel, s)
	}
	if in.HasDst {
		c.index(i, in.Dst.Rel, s)
		if in.Op == OpTexKill {
			c.read(i, in.Dst.Reg, c.killed(in), s)
		}
	}
	if in.HasPred {
		c.read(i, in.Pred.Reg, in.Pred.Swz.reads(in.Dst.Mask), s)
	}
}

// index checks that the component of a0 was written that a relative address reads. aL
// is set by its loop.
func (c *initialized) index(i int, rel Rel, s state) {
	if rel.File == Addr {
		c.read(i, Reg{File: Addr}, rel.Swz.reads(MaskX), s)
	}
}

// read checks that components of a register were written.
func (c *initialized) read(i int, r Reg, m Mask, s state) {
	missing := s.every.missing(r, m)
	if missing == 0 {
		return
	}
	never := s.some.andNot(s.spoiled).missing(r, missing)
	if never != 0 {
		c.report(i, codeUninitialized, "%s.%s is read before it is written", r, letters(never))
	}
	if partly := missing &^ never; partly != 0 {
		c.report(i, PartlyInitialized, "%s.%s is read, and only some of the paths there have written it", r, letters(partly))
	}
}
