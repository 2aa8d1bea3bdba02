package d3d9

// context is what surrounds a statement: how deep it is nested, counted through the
// calls that lead to it, and what that brings. The depths are those of MSDN's "Flow
// Control Limitations", which has a limit for each of the four.
type context struct {
	static, dynamic, loops, calls int
	// varying: pixels of a primitive may part ways here, as within an if of a
	// value or of a predicate, a callnz of a predicate, or a loop with any break.
	varying bool
	indexed bool // within a loop that counts aL
}

// join is what surrounds a statement that is reached in either of two ways: the worst
// of both.
func (c context) join(d context) context {
	return context{
		static: max(c.static, d.static), dynamic: max(c.dynamic, d.dynamic),
		loops: max(c.loops, d.loops), calls: max(c.calls, d.calls),
		varying: c.varying || d.varying, indexed: c.indexed || d.indexed,
	}
}

// outer is what to return to when a block ends, with the statement that opened it.
type outer struct {
	context
	opener *Inst
}

// nesting follows the contexts through a program in its order. Calls go forward only,
// so a subroutine is reached after all that call it, and its entry is complete by then.
type nesting struct {
	*validator
	now   context
	outer []outer
	// of each body, joined over its calls so far
	entry  []context
	static int // statements of static flow control so far
	// a call has no target further down
	bad bool
}

// checkNesting checks the depths and what depends on the surroundings of a
// statement. It reports whether all calls have a target.
func (v *validator) checkNesting() bool {
	n := nesting{validator: v, entry: make([]context, len(v.flow.bodies))}
	for i := range v.p.Insts {
		in := &v.p.Insts[i]
		switch in.Op.Kind() {
		case Flow:
			n.statement(i, in)
		case Arithmetic, TextureOp:
			n.checkGradient(i, in)
			n.checkOutputFlow(i, in)
		}
		n.checkIndex(i, in)
	}
	if n.static > v.lim.StaticFlow {
		v.report(-1, codeStaticFlow, "%d statements of static flow control: %s allows %d", n.static, v.m, v.lim.StaticFlow)
	}
	return !n.bad
}

// statement takes now over one statement of flow control. Blocks match, as checkBlocks
// has found.
func (n *nesting) statement(i int, in *Inst) {
	switch in.Op {
	case OpIf, OpIfc, OpRep, OpLoop:
		n.outer = append(n.outer, outer{n.now, in})
		n.enter(i, in)
	case OpElse:
		if open := n.outer[len(n.outer)-1].opener; open.Op == OpIf && open.Src[0].File == ConstBool {
			n.static++
		}
	case OpEndIf, OpEndRep, OpEndLoop:
		last := len(n.outer) - 1
		n.now, n.outer = n.outer[last].context, n.outer[:last]
	case OpBreakc:
		n.limit(i, "dynamic flow control", n.now.dynamic+1, n.lim.DynamicIf)
	case OpCall, OpCallnz:
		n.call(i, in)
	case OpLabel:
		n.now = n.entry[n.flow.subs[in.Src[0].Index]]
	}
}

// enter goes into the block that in opens: an if of a constant is static, one of values
// or of p0 dynamic. A loop's number of rounds is a constant, so pixels part ways in it
// only by a break.
func (n *nesting) enter(i int, in *Inst) {
	c := &n.now
	switch {
	case in.Op == OpIfc || in.Op == OpIf && in.Src[0].File == Predicate:
		c.dynamic++
		c.varying = true
		n.limit(i, "dynamic flow control", c.dynamic, n.lim.DynamicIf)
	case in.Op == OpIf:
		c.static++
		n.static++
		n.limit(i, "static if", c.static, n.lim.StaticIf)
	default:
		c.loops++
		n.static++
		c.varying = c.varying || n.flow.breaks[i]
		c.indexed = c.indexed || in.Op == OpLoop
		n.limit(i, "loops", c.loops, n.lim.Loops)
	}
}

// call takes the surroundings of a call to the subroutine's entry. Recursion and calls
// backwards are errors, of which the first one is told.
func (n *nesting) call(i int, in *Inst) {
	sub, ok := n.flow.subs[in.Src[0].Index]
	if !ok || n.flow.bodies[sub].first <= i {
		n.report(i, codeCall, "no label %s further down", in.Src[0].Reg)
		n.bad = true
		return
	}
	c := n.now
	c.calls++
	n.limit(i, "calls", c.calls, n.lim.Calls)
	if in.Op == OpCallnz && in.Src[1].File == Predicate {
		c.dynamic++
		c.varying = true
		n.limit(i, "dynamic flow control", c.dynamic, n.lim.DynamicIf)
	} else {
		n.static++
	}
	n.entry[sub] = n.entry[sub].join(c)
}

// limit reports a depth that is too large.
func (n *nesting) limit(i int, what string, depth, limit int) {
	if depth > limit {
		n.report(i, codeNesting, "%s nested %d deep: %s allows %d", what, depth, n.m, limit)
	}
}

// checkIndex checks that aL is read in a loop only, or in a subroutine called from one.
func (n *nesting) checkIndex(i int, in *Inst) {
	uses := in.HasDst && in.Dst.Rel.File == Loop
	for _, s := range in.Sources() {
		uses = uses || s.Rel.File == Loop
	}
	if uses && !n.now.indexed {
		n.report(i, codeLoopIndex, "aL outside a loop")
	}
}

// checkGradient bars derivatives of an r# where pixels may part ways: the value
// may not exist in the pixel next to this one. Predication is no flow control
// here, as the page on outputs has it and another has not.
func (n *nesting) checkGradient(i int, in *Inst) {
	if opTable[in.Op].flags&fGradient != 0 && n.now.varying && in.Src[0].File == Temp {
		n.report(i, codeGradient, "%s takes derivatives of %s where pixels may part ways", in.Op, in.Src[0].Reg)
	}
}

// checkOutputFlow bars outputs of ps_2_x from flow control that pixels may part in.
func (n *nesting) checkOutputFlow(i int, in *Inst) {
	if n.m.Stage == Pixel && n.m.Major == 2 && n.now.varying && in.HasDst && pixelOutputs.has(in.Dst.File) {
		n.report(i, codeOutputWrite, "%s is written where pixels may part ways", in.Dst.Reg)
	}
}
