package d3d9

// comps is a set of register components that must be written before they are read. The first two
// words have r0 to r31, four bits each, the third has a0 and p0.
type comps [3]uint64

var allComps = comps{^uint64(0), ^uint64(0), ^uint64(0)}

// Set operations.
func (s comps) and(t comps) comps    { return comps{s[0] & t[0], s[1] & t[1], s[2] & t[2]} }
func (s comps) or(t comps) comps     { return comps{s[0] | t[0], s[1] | t[1], s[2] | t[2]} }
func (s comps) andNot(t comps) comps { return comps{s[0] &^ t[0], s[1] &^ t[1], s[2] &^ t[2]} }

// place returns the location of the components of r: a word and the lowest of four bits. ok is
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

// compsOf returns the set of components m of r. It is empty for registers that need not be written.
func compsOf(r Reg, m Mask) (s comps) {
	if w, shift, ok := place(r); ok {
		s[w] = uint64(m) << shift
	}
	return s
}

// missing returns the components of r in m that s lacks.
func (s comps) missing(r Reg, m Mask) Mask {
	w, shift, ok := place(r)
	if !ok {
		return 0
	}
	return m &^ Mask(s[w]>>shift)
}

// state is the data-flow fact at a program point. It has the components that every path there has
// written, those that some path has written, and those that a macro spoiled on some path. unreached
// means that no path leads there.
type state struct {
	every, some, spoiled comps
	unreached            bool
}

// nowhere is the state of unreachable code: all components count as written, and it is the neutral
// element of meet.
var nowhere = state{every: allComps, unreached: true}

// meet returns the state at a join of two paths.
func (s state) meet(t state) state {
	switch {
	case s.unreached:
		return t
	case t.unreached:
		return s
	}
	return state{every: s.every.and(t.every), some: s.some.or(t.some), spoiled: s.spoiled.or(t.spoiled)}
}

// write adds written components.
func (s state) write(m comps) state {
	if !s.unreached {
		s.every, s.some, s.spoiled = s.every.or(m), s.some.or(m), s.spoiled.andNot(m)
	}
	return s
}

// spoil removes components that a macro leaves undefined.
func (s state) spoil(m comps) state {
	if !s.unreached {
		s.every, s.spoiled = s.every.andNot(m), s.spoiled.or(m)
	}
	return s
}

// summary is the effect of a subroutine on a state, given by its results for the empty and the full
// set. This suffices because every statement maps any set the same way: it adds some components and
// removes some.
type summary struct {
	nothing state // result if nothing was written before
	spoils  comps // components it spoils, if all were written before
}

// initialized computes the components that have been written on the paths to a statement. It is a
// forward analysis with intersection for every path, and union for some path. The control flow is
// structured, so the analysis walks nested blocks and needs no graph. A loop may run zero times. A
// predicated write counts as a write, because the analysis ignores predicates.
//
// The assembler refuses reads of components that some path may not have written ("Registers", read
// before write). The runtime and drivers accept them, and programs rely on correlated conditions:
//
//	if_gt r1.x, c0.x; mov r0, c1; endif; ...; if_gt r1.x, c0.x; add r2, r2, r0; endif
//
// Programs edited by hand also read components that no path has written. The checks report these
// cases separately. A read of a component that a macro spoiled on some path is an error, because
// the register no longer holds its old value.
type initialized struct {
	*validator
	// by body, as flow.bodies
	subs   []summary
	entry  []state // of each body: the meet over all its calls
	breaks state   // meet over the breaks of the innermost loop so far
	// report nothing: the first walks only compute summaries
	silent bool
}

// checkInitialized reports reads of components that may not have been written. It walks the bodies
// twice. The first pass goes from the last body to the first and computes summaries: a subroutine
// calls only later ones, so their summaries are known. The second pass goes from the first to the
// last and reports: all callers of a body precede it, so its entry state is final.
//
// A walk from the empty set finds the components that the body writes; a walk from the full set
// finds those that it spoils.
func (v *validator) checkInitialized() {
	n := len(v.flow.bodies)
	c := initialized{validator: v, subs: make([]summary, n), entry: make([]state, n), silent: true}
	for k := n - 1; k > 0; k-- { // callees come later
		b := v.flow.bodies[k]
		// The meet in calls needs an initial value; it is reset below.
		c.entry[k] = nowhere
		c.subs[k] = summary{nothing: c.walkStatements(b.first, b.last, state{}),
			spoils: allComps.andNot(c.walkStatements(b.first, b.last, state{every: allComps}).every)}
	}
	c.silent = false
	for k := 1; k < n; k++ {
		c.entry[k] = nowhere
	}
	for k, b := range v.flow.bodies {
		c.walkStatements(b.first, b.last, c.entry[k])
	}
}

// walkStatements processes statements first to last-1 from state s and returns the state at their end. The
// state after a break is unreached.
func (c *initialized) walkStatements(first, last int, s state) state {
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
			// The join of both sides; without an else, the second side is empty.
			then := c.walkStatements(i+1, end, s)
			if c.p.Insts[end].Op == OpElse {
				i, end = end, c.flow.end[end]
				s = c.walkStatements(i+1, end, s)
			}
			s = s.meet(then)
			i = end
		case OpRep, OpLoop:
			end := c.flow.end[i]
			s = c.walkLoop(i+1, end, s)
			i = end
		case OpBreak:
			c.breaks = c.breaks.meet(s)
			// The code after it is unreachable.
			s = nowhere
		case OpBreakc, OpBreakp:
			c.breaks = c.breaks.meet(s)
		case OpCall, OpCallnz:
			s = c.applyCall(in, s)
		default:
			s = c.writes(in, s)
		}
	}
	return s
}

// walkLoop walks a loop body until the state at its head is a fixed point, and returns the state after
// the loop. This is the meet of the head, as the loop may run zero times, and of all breaks. It
// terminates, in two rounds, because the must set at the head only shrinks and the may set only
// grows. Only the last round reports, because an earlier iteration may write components that the
// first round finds unwritten.
func (c *initialized) walkLoop(first, last int, head state) state {
	outer, found := c.breaks, len(c.found)
	defer func() { c.breaks = outer }()
	for {
		c.breaks, c.found = head, c.found[:found]
		end := head.meet(c.walkStatements(first, last, head))
		if end == head {
			return head.meet(c.breaks)
		}
		head = end
	}
}

// applyCall applies the subroutine's summary to s, and meets s into the state of its entry. callnz may
// skip the call.
func (c *initialized) applyCall(in *Inst, s state) state {
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

// writes adds the components that in writes. In version 2 the macros sincos and sgn spoil registers
// without producing a result in them (MSDN, "sincos - vs", "sgn - vs").
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
	// A matrix of n rows produces n components.
	if rows := ruleTable[in.Op].rows; rows > 0 {
		m &= 1<<rows - 1
	}
	return s.write(compsOf(in.Dst.Reg, m))
}

// reads checks every register that in reads: sources with all rows, index registers, the operand of
// texkill, and the predicate.
func (c *initialized) reads(i int, in *Inst, s state) {
	if c.silent {
		return
	}
	tex := c.decls.texture(in)
	for k := range in.Sources() {
		src := &in.Src[k]
		for row := range in.SourceRegisters(k) {
			c.checkDefined(i, Reg{src.File, src.Index + uint16(row)}, in.Components(k, tex), s)
		}
		c.index(i, src.Rel, s)
	}
	if in.HasDst {
		c.index(i, in.Dst.Rel, s)
		if in.Op == OpTexKill {
			c.checkDefined(i, in.Dst.Reg, c.killed(in), s)
		}
	}
	if in.HasPred {
		c.checkDefined(i, in.Pred.Reg, in.Pred.Swz.reads(in.Dst.Mask), s)
	}
}

// index checks that the component of a0 in a relative address was written. The loop sets aL.
func (c *initialized) index(i int, rel Rel, s state) {
	if rel.File == Addr {
		c.checkDefined(i, Reg{File: Addr}, rel.Swz.reads(MaskX), s)
	}
}

// checkDefined checks that components of a register were written.
func (c *initialized) checkDefined(i int, r Reg, m Mask, s state) {
	missing := s.every.missing(r, m)
	if missing == 0 {
		return
	}
	spoiled := missing &^ s.spoiled.missing(r, missing)
	if spoiled != 0 {
		c.report(i, codeUndefined, "%s.%s is read, but an earlier instruction leaves it undefined", r, letters(spoiled))
	}
	never := s.some.missing(r, missing) &^ spoiled
	if never != 0 {
		c.report(i, Uninitialized, "%s.%s is read before it is written", r, letters(never))
	}
	if partly := missing &^ never &^ spoiled; partly != 0 {
		c.report(i, PartlyInitialized, "%s.%s is read, but not written on every path", r, letters(partly))
	}
}
