package sched

import (
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// program writes out the schedule with the registers of a.
func (a *allocation) program() *r600.Program {
	w := &writer{a: a, p: &r600.Program{Family: a.s.t.Family, Name: a.s.code.Name, GPRs: a.gprs}}
	a.s.room.temps = container.Zeros(a.s.room.temps, a.s.code.Vals())
	w.temps = a.s.room.temps
	w.p.CF = make([]r600.CF, 0, instructions(a.out.parts)+1)
	w.nodes(a.out.parts)
	w.finish()
	return w.p
}

// instructions returns an upper bound for the number of control-flow instructions of the parts.
func instructions(nodes []part) int {
	n := len(nodes)
	for _, p := range nodes {
		switch p := p.(type) {
		case *branch:
			n += 2 + instructions(p.Then) + instructions(p.Else)
		case *repeat:
			n += 1 + instructions(p.Body)
		case *output:
			n += len(p.Item.Regs)
		}
	}
	return n
}

// writer converts parts into control-flow instructions, in execution order. Targets are indices of
// control-flow instructions, patched when the target is known.
type writer struct {
	a      *allocation
	p      *r600.Program
	loops  []int     // control-flow indices of the enclosing loops
	temps  []tempUse // by Val: its last clause temporary
	clause int32
	insts  []r600.Inst // unused instruction memory
}

// tempUse is a clause temporary that holds a value during one clause.
type tempUse struct {
	clause int32
	temp   int8
}

func (w *writer) emitCF(cf r600.CF) int {
	w.p.CF = append(w.p.CF, cf)
	return len(w.p.CF) - 1
}

func (w *writer) nodes(nodes []part) {
	for i, n := range nodes {
		switch n := n.(type) {
		case *aluClause:
			op := r600.CFALU
			if n.Cond != nil {
				op = condOp(nodes[i+1])
			}
			n.CF = w.emitCF(r600.CF{Op: op, Groups: w.groups(n), Locks: n.Locks})
		case *fetchClause:
			n.CF = w.fetches(n)
		case *write:
			n.CF = w.write(n.Item)
		case *output:
			n.CF = w.export(n.Item)
		case *branch:
			w.branch(n)
		case *repeat:
			n.CF = w.emitCF(r600.CF{Op: r600.CFLoop, Line: n.Item.Line})
			w.loops = append(w.loops, n.CF)
			w.nodes(n.Body)
			w.loops = w.loops[:len(w.loops)-1]
			end := w.emitCF(r600.CF{Op: r600.CFEndLoop, Target: n.CF, Line: n.Item.Line})
			w.p.CF[n.CF].Target = end
		case *leave:
			w.leave(n)
		}
	}
}

// condOp returns the instruction of a clause that ends with the predicate of part n. ALU_BREAK and
// ALU_CONTINUE leave the loop without another instruction; a branch needs ALU_PUSH_BEFORE.
func condOp(n part) r600.CFOp {
	switch n := n.(type) {
	case *leave:
		if n.Continue {
			return r600.CFALUContinue
		}
		return r600.CFALUBreak
	}
	return r600.CFALUPushBefore
}

func (w *writer) leave(n *leave) {
	n.CF = len(w.p.CF) - 1 // the clause itself leaves the loop
	if n.Cond == nil {
		op := r600.CFBreak
		if n.Continue {
			op = r600.CFContinue
		}
		n.CF = w.emitCF(r600.CF{Op: op})
	}
	if len(w.loops) > 0 {
		w.p.CF[n.CF].Target = w.loops[len(w.loops)-1]
	}
}

// branch writes a conditional: JUMP over the first arm if no thread takes it, ELSE, and a pop of
// the mask at the end. The pop is part of the last clause if that is plain arithmetic
// (ALU_POP_AFTER), otherwise a separate instruction. A jump that skips the rest pops the mask
// itself (Pop), and its target is after either.
func (w *writer) branch(n *branch) {
	n.CF = w.emitCF(r600.CF{Op: r600.CFJump, Line: n.Item.Line})
	at := n.CF
	w.nodes(n.Then)
	last := n.Then
	if len(n.Else) > 0 {
		other := w.emitCF(r600.CF{Op: r600.CFElse, Line: n.Item.Line})
		w.p.CF[at].Target = other
		at = other
		w.nodes(n.Else)
		last = n.Else
	}
	w.p.CF[at].Pop = 1
	if len(last) > 0 {
		if c, ok := last[len(last)-1].(*aluClause); ok && c.Cond == nil {
			w.p.CF[c.CF].Op = r600.CFALUPopAfter
			w.p.CF[at].Target = len(w.p.CF)
			return
		}
	}
	w.emitCF(r600.CF{Op: r600.CFPop, Pop: 1})
	w.p.CF[at].Target = len(w.p.CF)
}

// finish marks the last export and ends the program.
func (w *writer) finish() {
	for i := len(w.p.CF) - 1; i >= 0; i-- {
		if w.p.CF[i].Op == r600.CFExport {
			w.p.CF[i].Op = r600.CFExportDone
			break
		}
	}
	w.emitCF(r600.CF{Op: r600.CFEnd})
}

func (w *writer) groups(c *aluClause) []r600.Group {
	w.clause++
	out := make([]r600.Group, len(c.Groups))
	for i, g := range c.Groups {
		out[i].Literals = g.Literals
		for s := range g.Slots {
			if g.Slots[s].Unit != nil {
				out[i].Slots[s] = w.writeInst(&g.Slots[s], s)
			}
		}
		for s := range g.Slots {
			w.defined(&g.Slots[s])
		}
	}
	c.Groups = nil // their memory is reused
	return out
}

// defined records the clause temporary that holds a result, for readers in this clause.
func (w *writer) defined(pd *placed) {
	if pd.Unit == nil || pd.Dst == 0 {
		return
	}
	w.temps[pd.Dst] = tempUse{}
	if seg := &w.a.segs[pd.segment]; seg.place == inTemp {
		w.temps[pd.Dst] = tempUse{w.clause, seg.temp}
	}
}

func (w *writer) writeInst(pd *placed, slot int) *r600.Inst {
	s := &pd.Unit.Slots[pd.Lane]
	if len(w.insts) == 0 {
		w.insts = make([]r600.Inst, 64)
	}
	in := &w.insts[0]
	w.insts = w.insts[1:]
	*in = r600.Inst{Op: s.Op, Swizzle: pd.Swizzle, Clamp: s.Clamp, OMod: s.OMod, Line: pd.Unit.Line}
	if slot < r600.T {
		in.Dst.Chan = uint8(slot)
	}
	if pd.Dst != 0 {
		in.Dst.Chan = uint8(w.a.s.pack.chans[pd.Dst])
		switch seg := &w.a.segs[pd.segment]; seg.place {
		case inRegister:
			in.Dst.Kind, in.Dst.Index = r600.DstGPR, int32(w.registerOf(pd.Dst))
		case inTemp:
			in.Dst.Kind, in.Dst.Index = r600.DstTemp, int32(seg.temp)
		}
	}
	for j := range s.Op.Sources() {
		in.Src[j] = w.sourceOf(s, j, pd.Forward[j])
	}
	return in
}

func (w *writer) registerOf(v mir.Val) int {
	if n := w.a.webOf[v]; n >= 0 {
		return w.a.webs[n].reg
	}
	return 0
}

func (w *writer) sourceOf(s *mir.Slot, j int, fwd forward) r600.Src {
	a := &s.Args[j]
	out := r600.Src{Neg: a.Neg, Abs: a.Abs}
	switch a.Kind {
	case mir.ValArg:
		out.Chan = uint8(w.a.s.pack.chans[a.Val])
		switch t := w.temps[a.Val]; {
		case fwd.Kind != r600.SrcNone:
			out.Kind, out.Chan = fwd.Kind, fwd.Chan
		case t.clause == w.clause:
			out.Kind, out.Index = r600.SrcTemp, int32(t.temp)
		default:
			out.Kind, out.Index = r600.SrcGPR, int32(w.registerOf(a.Val))
		}
	case mir.ConstArg:
		out.Kind, out.Bank, out.Index, out.Chan, out.Rel = r600.SrcConst, a.Bank, a.Index, a.Chan, a.Rel != 0
	case mir.LiteralArg:
		out.Kind, out.Bits = r600.SrcLiteral, a.Bits
		if word, neg, ok := inlined(s.Op, a.Bits); ok {
			out.Kind, out.Bits = r600.SrcInline, word
			if neg && !(a.Abs) {
				out.Neg = !out.Neg
			}
		}
	}
	return out
}

func (w *writer) fetches(c *fetchClause) int {
	cf := r600.CF{Op: r600.CFTex}
	if c.Vertex {
		cf.Op = r600.CFVtx
	}
	for _, f := range c.Fetches {
		for _, s := range f.Setup {
			cf.Fetches = append(cf.Fetches, w.fetch(s))
		}
		cf.Fetches = append(cf.Fetches, w.fetch(f))
	}
	return w.emitCF(cf)
}

func (w *writer) fetch(f *mir.Fetch) r600.Fetch {
	masked := [4]r600.Sel{r600.SelMask, r600.SelMask, r600.SelMask, r600.SelMask}
	out := r600.Fetch{
		Op: f.Op, Resource: f.Resource, Sampler: f.Sampler, Offset: f.Offset, Unnormal: f.Unnormal,
		Scale: f.Scale, DstSel: masked, Line: f.Line,
	}
	for i, v := range f.Dst {
		if v != 0 {
			out.Dst = w.registerOf(v)
			out.DstSel[w.a.s.pack.chans[v]] = r600.Sel(i)
		}
	}
	for i, c := range f.Coords {
		out.SrcSel[i] = c.Sel
		if c.Val != 0 {
			out.Src = w.registerOf(c.Val)
			out.SrcSel[i] = r600.Sel(w.a.s.pack.chans[c.Val])
		}
	}
	return out
}

// register returns the register that tied values share and the channel of each.
func (w *writer) register(vals [4]mir.Val) (reg int, sel [4]r600.Sel) {
	reg = -1
	for i, v := range vals {
		sel[i] = r600.SelMask
		if v != 0 {
			reg = w.registerOf(v)
			sel[i] = r600.Sel(w.a.s.pack.chans[v])
		}
	}
	return reg, sel
}

func (w *writer) write(m *mir.Memory) int {
	out := &r600.Memory{Name: m.Name, Resource: m.Resource, Base: m.Base, Scale: m.Scale}
	out.Reg, out.Sel = w.register(m.Data)
	out.IndexReg, out.IndexSel = w.register(m.Index)
	return w.emitCF(r600.CF{Op: m.Op, Memory: out, Line: m.Line})
}

// export writes an export in as few bursts as its registers allow: consecutive registers with the
// same components.
func (w *writer) export(e *mir.Export) int {
	first := len(w.p.CF)
	var burst *r600.Export
	for i, vals := range e.Regs {
		reg, sel := w.register(vals)
		if burst != nil && reg == burst.Reg+burst.Count && sel == burst.Sel {
			burst.Count++
			continue
		}
		burst = &r600.Export{Kind: e.Kind, Base: e.Base + i, Reg: max(reg, 0), Count: 1, Sel: sel}
		w.emitCF(r600.CF{Op: r600.CFExport, Export: burst, Line: e.Line})
	}
	return first
}
