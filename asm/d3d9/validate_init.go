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

// summary is what a subroutine does to the set s of written components: what comes back
// is (s - spoils) + writes. It is enough, as every statement does the same to any set:
// adds some components and takes some away.
type summary struct{ writes, spoils comps }

// initialized follows which components have been written on every path that leads to a
// statement: a forward analysis whose sets meet by intersection. Structure makes it a
// walk over nested blocks; there is no graph. A loop may run no times. A predicated
// write counts as a write: predicates are not followed.
type initialized struct {
	*validator
	// by body, as flow.bodies
	subs   []summary
	entry  []comps // of each body: what is written at all its calls
	breaks comps   // written at all breaks of the innermost loop so far
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
	c := initialized{validator: v, subs: make([]summary, n), entry: make([]comps, n), silent: true}
	for k := n - 1; k > 0; k-- { // callees are further down
		b := v.flow.bodies[k]
		// So that calls within it have something to narrow; it is reset below.
		c.entry[k] = allComps
		c.subs[k] = summary{writes: c.walk(b.first, b.last, comps{}), spoils: allComps.andNot(c.walk(b.first, b.last, allComps))}
	}
	c.silent = false
	for k := 1; k < n; k++ {
		c.entry[k] = allComps
	}
	for k, b := range v.flow.bodies {
		c.walk(b.first, b.last, c.entry[k])
	}
}

// walk goes through statements first to last-1 with set s and returns the set at their
// end. Beyond a break everything counts as written: nothing gets there, and the set is
// the neutral one where paths meet.
func (c *initialized) walk(first, last int, s comps) comps {
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
			s = s.and(then)
			i = end
		case OpRep, OpLoop:
			end := c.flow.end[i]
			s = c.loop(i+1, end, s)
			i = end
		case OpBreak:
			c.breaks = c.breaks.and(s)
			// Nothing gets behind it.
			s = allComps
		case OpBreakc, OpBreakp:
			c.breaks = c.breaks.and(s)
		case OpCall, OpCallnz:
			s = c.call(in, s)
		default:
			s = c.writes(in, s)
		}
	}
	return s
}

// loop walks a loop body until what is written at its head is settled, and returns what
// is written behind the loop: what is at its head, as it may run no times, and at all
// its breaks. The set at the head only ever shrinks, so this ends; one or two rounds
// do, as a body takes away only what sincos and sgn spoil.
func (c *initialized) loop(first, last int, head comps) comps {
	outer := c.breaks
	defer func() { c.breaks = outer }()
	for {
		c.breaks = head
		end := head.and(c.walk(first, last, head))
		if end == head {
			return head.and(c.breaks)
		}
		head = end
	}
}

// call does to s what the subroutine does, and notes the set for its entry. callnz may
// pass over the call.
func (c *initialized) call(in *Inst, s comps) comps {
	k := c.flow.subs[in.Src[0].Index]
	c.entry[k] = c.entry[k].and(s)
	after := s.andNot(c.subs[k].spoils).or(c.subs[k].writes)
	if in.Op == OpCallnz {
		return after.and(s)
	}
	return after
}

// writes adds what in writes. In version 2 the macros sincos and sgn spoil registers
// they do not produce a result in (MSDN, "sincos - vs", "sgn - vs").
func (c *initialized) writes(in *Inst, s comps) comps {
	if c.m.Major == 2 {
		switch in.Op {
		case OpSinCos:
			s = s.andNot(compsOf(in.Dst.Reg, maskXYZ))
		case OpSgn:
			s = s.andNot(compsOf(in.Src[1].Reg, MaskAll)).andNot(compsOf(in.Src[2].Reg, MaskAll))
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
	return s.or(compsOf(in.Dst.Reg, m))
}

// reads checks every register that in reads: sources with all rows, index registers,
// what texkill names, and the predicate.
func (c *initialized) reads(i int, in *Inst, s comps) {
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
func (c *initialized) index(i int, rel Rel, s comps) {
	if rel.File == Addr {
		c.read(i, Reg{File: Addr}, rel.Swz.reads(MaskX), s)
	}
}

// read checks that components of a register were written.
func (c *initialized) read(i int, r Reg, m Mask, s comps) {
	if missing := s.missing(r, m); missing != 0 {
		c.report(i, codeUninitialized, "%s.%s is read before it is written", r, letters(missing))
	}
}
