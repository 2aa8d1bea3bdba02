package d3d9

// context describes the surroundings of a statement: its nesting depths, counted through the calls
// that lead to it, and their consequences. The depths are those of MSDN's "Flow Control
// Limitations", which limits each of the four.
type context struct {
	static, dynamic, loops, calls int
	// varying: pixels of a primitive may take different paths here. This holds within an if of a
	// value or of a predicate, a callnz of a predicate, or a loop with any break.
	varying bool
	indexed bool // within a loop that counts aL
}

// join returns the worst case of two contexts, for a statement that is reached in both.
func (c context) join(d context) context {
	return context{
		static: max(c.static, d.static), dynamic: max(c.dynamic, d.dynamic),
		loops: max(c.loops, d.loops), calls: max(c.calls, d.calls),
		varying: c.varying || d.varying, indexed: c.indexed || d.indexed,
	}
}

// outer is the context to restore at the end of a block, with the statement that opened it.
type outer struct {
	context
	opener *Inst
}

// nesting computes the contexts in program order. Calls only go forward, so a subroutine follows
// all its callers, and its entry context is complete when it is reached.
type nesting struct {
	*validator
	now   context
	outer []outer
	// of each body: the join over its calls so far
	entry  []context
	static int // statements of static flow control so far
	// a call has no later target
	bad bool
}

// checkNesting checks the nesting depths and the rules that depend on context. It reports whether
// all calls have a target.
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

// statement updates now for one flow control statement. checkBlocks has verified that blocks match.
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
		n.joinCall(i, in)
	case OpLabel:
		n.now = n.entry[n.flow.subs[in.Src[0].Index]]
	}
}

// enter begins the block that in opens: an if of a constant is static, one of values or of p0
// dynamic. The trip count of a loop is a constant, so pixels diverge in it only through a break.
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

// joinCall joins the context of a call into the subroutine's entry. Recursion and backward calls are
// errors; only the first one is reported.
func (n *nesting) joinCall(i int, in *Inst) {
	sub, ok := n.flow.subs[in.Src[0].Index]
	if !ok || n.flow.bodies[sub].first <= i {
		n.report(i, codeCall, "label %s does not follow this call", in.Src[0].Reg)
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

// checkIndex checks that aL is read only in a loop, or in a subroutine called from one.
func (n *nesting) checkIndex(i int, in *Inst) {
	uses := in.HasDst && in.Dst.Rel.File == Loop
	for _, s := range in.Sources() {
		uses = uses || s.Rel.File == Loop
	}
	if uses && !n.now.indexed {
		n.report(i, codeLoopIndex, "aL outside a loop")
	}
}

// checkGradient reports derivatives of an r# in varying flow control, because the neighbouring
// pixel may not compute the value. Predication does not count as flow control here, following the
// page on outputs; another page disagrees.
func (n *nesting) checkGradient(i int, in *Inst) {
	if opTable[in.Op].flags&fGradient != 0 && n.now.varying && in.Src[0].File == Temp {
		n.report(i, codeGradient, "%s takes derivatives of %s in control flow that may differ between pixels", in.Op,
			in.Src[0].Reg)
	}
}

// checkOutputFlow reports outputs of ps_2_x in varying flow control.
func (n *nesting) checkOutputFlow(i int, in *Inst) {
	if n.m.Stage == Pixel && n.m.Major == 2 && n.now.varying && in.HasDst && pixelOutputs.has(in.Dst.File) {
		n.report(i, codeOutputWrite, "%s is written in control flow that may differ between pixels", in.Dst.Reg)
	}
}
