package mutate

import "github.com/shaderlift/shaderlift/asm/il"

// ilFlowKinds change the path of a kernel, its trip counts, and its termination. Loops of AMD IL have no
// bound, so termination is part of a kernel's behaviour.
var ilFlowKinds = []Kind{
	{Name: "endless-loop", Subtle: true, Dialect: IL,
		Doc: "a loop without effects is added that does not end for some value of a constant", il: (*ilSite).endlessLoop},
	{Name: "exit-lost", Dialect: IL, Doc: "a break is removed", il: removeRole(il.Break)},
	{Name: "exit-flipped", Dialect: IL, Doc: "a break is taken where it was not", il: flipped(il.Break)},
	{Name: "exit-added", Dialect: IL, Doc: "a loop breaks where a value of its body is zero", il: (*ilSite).exitAdded},
	{Name: "continue-lost", Dialect: IL, Doc: "a continue is removed", il: removeRole(il.Continue)},
	{Name: "return-lost", Dialect: IL, Doc: "an early return is removed", il: (*ilSite).returnLost},
	{Name: "call-lost", Dialect: IL, Doc: "a call is removed", il: removeRole(il.Call)},
	{Name: "discard-lost", Dialect: IL, Doc: "a discard is removed", il: removeRole(il.Discard)},
	{Name: "discard-flipped", Dialect: IL, Doc: "other pixels are discarded", il: flipped(il.Discard)},
	{Name: "discard-added", Dialect: IL, Doc: "pixels are discarded where a value is zero", il: (*ilSite).discardAdded},
	{Name: "condition-flipped", Dialect: IL, Doc: "a branch is taken where it was not", il: flipped(il.If)},
	{Name: "condition-strict", Subtle: true, Dialect: IL,
		Doc: "a comparison includes equality where it did not, or the other way round", il: (*ilSite).strict},
	{Name: "else-lost", Dialect: IL, Doc: "the second side of a branch follows the first", il: removeRole(il.Else)},
	{Name: "case-value", Dialect: IL, Doc: "a case is for another value", il: (*ilSite).caseValue},
	{Name: "case-falls-through", Dialect: IL, Doc: "a case goes on into the next one", il: (*ilSite).caseFallsThrough},
	{Name: "default-lost", Dialect: IL, Doc: "a switch loses its default", il: (*ilSite).defaultLost},
	{Name: "trip-from-6", Subtle: true, Dialect: IL, Files: true,
		Doc: "a loop does something else from its sixth trip on", il: func(m *ilSite) bool { return m.tripFrom(5) }},
	{Name: "trip-from-100000", Subtle: true, Dialect: IL, Files: true,
		Doc: "a loop does something else from its hundred thousandth trip on", il: func(m *ilSite) bool { return m.tripFrom(99999) }},
	{Name: "rare-equality", Subtle: true, Dialect: IL, Doc: "a value is another where a constant equals 12345",
		il: (*ilSite).rareEquality},
	{Name: "rare-wrap", Subtle: true, Dialect: IL,
		Doc: "a value is another where a constant is the last before integers wrap", il: (*ilSite).rareWrap},
}

// removeRole removes a statement with a structural role. The kind case-falls-through covers breaks of a switch.
func removeRole(of il.Role) func(*ilSite) bool {
	return func(m *ilSite) bool {
		if m.statement().Op.Role() != of || of == il.Break && m.breaksSwitch() {
			return false
		}
		m.remove(m.i)
		return true
	}
}

// breaksSwitch reports whether the break at i leaves a switch instead of a loop. It searches backwards for
// the innermost open block of either kind.
func (m *ilSite) breaksSwitch() bool {
	depth := 0
	for i := m.i; i >= 0; i-- {
		switch m.k.Insts[i].Op.Role() {
		case il.EndLoop, il.EndSwitch:
			depth++
		case il.Loop:
			if depth--; depth < 0 {
				return false
			}
		case il.Switch:
			if depth--; depth < 0 {
				return true
			}
		}
	}
	return false
}

// opposites maps statements of flow to those with the opposite condition.
var opposites = map[il.Op]il.Op{
	il.OpBreakLogicalNZ: il.OpBreakLogicalZ, il.OpBreakLogicalZ: il.OpBreakLogicalNZ,
	il.OpIfLogicalNZ: il.OpIfLogicalZ, il.OpIfLogicalZ: il.OpIfLogicalNZ,
	il.OpDiscardLogicalNZ: il.OpDiscardLogicalZ, il.OpDiscardLogicalZ: il.OpDiscardLogicalNZ,
}

// oppositeRel maps a comparison to the one that holds where it does not, except for NaN.
var oppositeRel = [...]il.RelOp{il.RelNE: il.RelEQ, il.RelEQ: il.RelNE, il.RelGE: il.RelLT, il.RelLT: il.RelGE,
	il.RelGT: il.RelLE, il.RelLE: il.RelGT}

// flipped negates the condition of a statement with a role.
func flipped(of il.Role) func(*ilSite) bool {
	return func(m *ilSite) bool {
		in := m.statement()
		if in.Op.Role() != of {
			return false
		}
		if op, ok := opposites[in.Op]; ok {
			in.Op = op
			return true
		}
		if in.Op == il.OpBreakC || in.Op == il.OpIfC {
			in.Ctl.Rel = oppositeRel[in.Ctl.Rel]
			return true
		}
		return false
	}
}

// strict exchanges comparisons that differ only for equal operands. AMD IL has the instructions lt and ge
// but neither gt nor le, so a < b becomes b >= a, with exchanged sources.
func (m *ilSite) strict() bool {
	in := m.statement()
	switch in.Op {
	case il.OpLt, il.OpILt, il.OpULt:
		in.Op = map[il.Op]il.Op{il.OpLt: il.OpGe, il.OpILt: il.OpIGe, il.OpULt: il.OpUGe}[in.Op]
	case il.OpGe, il.OpIGe, il.OpUGe:
		in.Op = map[il.Op]il.Op{il.OpGe: il.OpLt, il.OpIGe: il.OpILt, il.OpUGe: il.OpULt}[in.Op]
	case il.OpIfC, il.OpBreakC, il.OpContinueC:
		switch in.Ctl.Rel {
		case il.RelGE, il.RelLT:
			in.Ctl.Rel = map[il.RelOp]il.RelOp{il.RelGE: il.RelGT, il.RelLT: il.RelLE}[in.Ctl.Rel]
		case il.RelGT, il.RelLE:
			in.Ctl.Rel = map[il.RelOp]il.RelOp{il.RelGT: il.RelGE, il.RelLE: il.RelLT}[in.Ctl.Rel]
		default:
			return false
		}
		return true
	default:
		return false
	}
	in.Src[0], in.Src[1] = in.Src[1], in.Src[0]
	return true
}

// readTemp returns a read of component c of temporary num.
func readTemp(num uint16, c il.Sel) il.Src {
	return il.Src{Reg: il.Reg{File: il.Temp, Num: num}, Swz: il.MakeSwizzle(c)}
}

// writeTemp returns a destination of one lane of temporary num; masks have two bits per lane.
func writeTemp(num uint16, lane int) il.Dst {
	return il.Dst{Reg: il.Reg{File: il.Temp, Num: num}, Mask: il.Mask(il.Result) << (2 * lane)}
}

// literal returns the declaration of a new literal with one word in all components, and a source that reads
// its x. The caller must insert the declaration last, since it shifts the statements' numbers. It must
// renumber the second of two new literals.
func (m *ilSite) literal(w uint32) (il.Src, il.Inst) {
	n := uint16(0)
	for i := range m.k.Insts {
		if in := &m.k.Insts[i]; in.Op == il.OpDclLiteral {
			n = max(n, in.Dst.Num+1)
		}
	}
	r := il.Reg{File: il.Literal, Num: n}
	return il.Src{Reg: r, Swz: il.MakeSwizzle(il.SelX)},
		il.Inst{Op: il.OpDclLiteral, HasDst: true, Dst: il.Dst{Reg: r, Mask: il.MaskAll}, NImm: 4, Imm: [4]uint32{w, w, w, w}}
}

// constant returns a constant buffer element that some statement of an accepted kind reads, with one
// component selected. It searches from a random statement on.
func (m *ilSite) constant(by func(k il.Kind) bool) (il.Src, bool) {
	for n, first := 0, m.r.IntN(len(m.k.Insts)); n < len(m.k.Insts); n++ {
		in := &m.k.Insts[(first+n)%len(m.k.Insts)]
		if !by(in.Op.Kind()) {
			continue
		}
		for _, s := range in.Sources() {
			if s.File == il.ConstBuf && s.Rel == nil {
				return il.Src{Reg: s.Reg, Addr: s.Addr, Swz: il.MakeSwizzle(il.Sel(m.r.IntN(4)))}, true
			}
		}
	}
	return il.Src{}, false
}

// endlessLoop inserts before a statement a loop that never ends if a constant has one value:
//
//	whileloop
//	  ine r9.x, cb0[1].y, l5.x
//	  break_logicalnz r9.x
//	endloop
//
// It has no effect for all other values.
func (m *ilSite) endlessLoop() bool {
	c, ok := m.constant(anyKind)
	if !ok || !computesIL(m.statement()) {
		return false
	}
	lit, dcl := m.literal(choose[uint32](m.r, 0, 1, 12345))
	t := m.freeTemp()
	m.insert(m.i,
		il.Inst{Op: il.OpWhileLoop},
		il.Inst{Op: il.OpINe, HasDst: true, Dst: writeTemp(t, 0), NSrc: 2, Src: [4]il.Src{c, lit}},
		il.Inst{Op: il.OpBreakLogicalNZ, NSrc: 1, Src: [4]il.Src{readTemp(t, il.SelX)}},
		il.Inst{Op: il.OpEndLoop})
	m.insert(0, dcl)
	return true
}

// computedLane returns a read of the first component that the statement computes. Declarations, flow and results
// outside of temporaries have none.
func (m *ilSite) computedLane() (il.Src, bool) {
	in := m.statement()
	if !in.HasDst || in.Dst.File != il.Temp || !computesIL(in) {
		return il.Src{}, false
	}
	for c := range 4 {
		if in.Dst.Mask.Computed().Has(c) {
			return readTemp(in.Dst.Num, il.Sel(c)), true
		}
	}
	return il.Src{}, false
}

// inLoop reports whether statement i is in a loop and in no switch inside it, so that a break there leaves
// the loop.
func (m *ilSite) inLoop() bool {
	for i := range m.k.Insts[:m.i] {
		if m.k.Insts[i].Op.Role() == il.Loop {
			return !m.breaksSwitch() && m.within()
		}
	}
	return false
}

// within reports whether a loop is open at statement i.
func (m *ilSite) within() bool {
	depth := 0
	for i := range m.k.Insts[:m.i] {
		switch m.k.Insts[i].Op.Role() {
		case il.Loop:
			depth++
		case il.EndLoop:
			depth--
		}
	}
	return depth > 0
}

// exitAdded adds a break that random inputs may or may not take. It does not follow comparisons of
// integers, whose results are zero half of the time.
func (m *ilSite) exitAdded() bool {
	at, ok := m.computedLane()
	if !ok || !m.inLoop() || m.statement().Op.Kind() != il.Float || m.k.Insts[m.i+1].Op.Role() == il.Break {
		return false
	}
	m.insert(m.i+1, il.Inst{Op: il.OpBreakLogicalZ, NSrc: 1, Src: [4]il.Src{at}})
	return true
}

func (m *ilSite) discardAdded() bool {
	at, ok := m.computedLane()
	if !ok || m.k.Stage != il.Pixel || m.statement().Op == il.OpMov && m.statement().Src[0].File == il.WinCoord { // the centre of a pixel is not zero
		return false
	}
	m.insert(m.i+1, il.Inst{Op: il.OpDiscardLogicalZ, NSrc: 1, Src: [4]il.Src{at}})
	return true
}

// returnLost removes a return that is not at the end of a function.
func (m *ilSite) returnLost() bool {
	if m.statement().Op.Role() != il.Return || m.i+1 >= len(m.k.Insts) {
		return false
	}
	switch m.k.Insts[m.i+1].Op.Role() {
	case il.EndFunc, il.End, il.Func, il.EndMain:
		return false
	}
	m.remove(m.i)
	return true
}

func (m *ilSite) caseValue() bool {
	in := m.statement()
	if in.Op != il.OpCase {
		return false
	}
	in.Imm[0] = choose(m.r, in.Imm[0]+1, in.Imm[0]-1, 1000)
	return true
}

func (m *ilSite) caseFallsThrough() bool {
	if m.statement().Op.Role() != il.Break || !m.breaksSwitch() {
		return false
	}
	m.remove(m.i)
	return true
}

// defaultLost removes a default label behind a break or a case label, where its statements do not become
// part of another case.
func (m *ilSite) defaultLost() bool {
	if m.statement().Op != il.OpDefault || m.i+1 >= len(m.k.Insts) ||
		m.k.Insts[m.i-1].Op.Role() != il.Break && m.k.Insts[m.i-1].Op.Role() != il.Case {
		return false
	}
	m.remove(m.i)
	return true
}

// compares lists comparisons of floats, whose results have all bits set or none. tripFrom doubles a value,
// and twice such a word has the same truth value.
var compares = map[il.Op]bool{il.OpLt: true, il.OpGe: true, il.OpEq: true, il.OpNe: true}

// tripFrom counts the trips of a loop and doubles a value of its body after a given number. It corresponds
// to the kind of the same name for Direct3D 9. Tests do not run a hundred thousand trips, so the judge must
// prove equivalence.
func (m *ilSite) tripFrom(after uint32) bool {
	if m.statement().Op.Role() != il.Loop {
		return false
	}
	t := m.freeTemp()
	victim, depth := -1, 0
	for i := m.i; i < len(m.k.Insts); i++ {
		switch in := &m.k.Insts[i]; in.Op.Role() {
		case il.Loop:
			depth++
		case il.EndLoop:
			depth--
		default:
			if depth > 0 && computesIL(in) && in.HasDst && in.Dst.File == il.Temp && in.Op.Kind() == il.Float &&
				!compares[in.Op] && (victim < 0 || m.r.IntN(3) > 0) {
				victim = i
			}
		}
		if depth == 0 {
			break
		}
	}
	if victim < 0 {
		return false
	}
	one, dclOne := m.literal(1)
	n, dclN := m.literal(after)
	// Both literals have the first free number.
	n.Num++
	dclN.Dst.Num++
	dst := m.k.Insts[victim].Dst
	dst.Sat, dst.Shift = false, 0
	value := il.Src{Reg: dst.Reg}
	m.insert(victim+1,
		il.Inst{Op: il.OpIAdd, HasDst: true, Dst: writeTemp(t, 0), NSrc: 2, Src: [4]il.Src{readTemp(t, il.SelX), one}},
		il.Inst{Op: il.OpILt, HasDst: true, Dst: writeTemp(t, 1), NSrc: 2, Src: [4]il.Src{n, readTemp(t, il.SelX)}},
		il.Inst{Op: il.OpIfLogicalNZ, NSrc: 1, Src: [4]il.Src{readTemp(t, il.SelY)}},
		il.Inst{Op: il.OpAdd, HasDst: true, Dst: dst, NSrc: 2, Src: [4]il.Src{value, value}},
		il.Inst{Op: il.OpEndIf})
	zero := il.Src{Reg: il.Reg{File: il.Temp, Num: t}, Swz: il.MakeSwizzle(il.Sel0)}
	m.insert(m.i, il.Inst{Op: il.OpMov, HasDst: true, Dst: writeTemp(t, 0), NSrc: 1, Src: [4]il.Src{zero}})
	m.insert(0, dclOne, dclN)
	return true
}

// guarded changes the first lane that a statement computes to w if a constant, compared as bits, is w:
//
//	add r0.x, ...
//	ieq r9.x, cb0[1].y, l5.x
//	cmov_logical r0.x, r9.x, l5.x, r0.x
func (m *ilSite) guarded(w uint32, by func(k il.Kind) bool) bool {
	c, found := m.constant(by)
	at, ok := m.computedLane()
	if !ok || !found {
		return false
	}
	lit, dcl := m.literal(w)
	t := m.freeTemp()
	lane := int(at.Swz.SelectionAt(0))
	m.insert(m.i+1,
		il.Inst{Op: il.OpIEq, HasDst: true, Dst: writeTemp(t, 0), NSrc: 2, Src: [4]il.Src{c, lit}},
		il.Inst{Op: il.OpCmovLogical, HasDst: true, Dst: writeTemp(at.Num, lane), NSrc: 3,
			Src: [4]il.Src{readTemp(t, il.SelX), lit, at}})
	m.insert(0, dcl)
	return true
}

func (m *ilSite) rareEquality() bool {
	// 12345 as an integer and as a float: the type of the constant determines which one a judge can derive.
	return m.guarded(choose[uint32](m.r, 12345, 0x4640e400), anyKind)
}

// rareWrap guards constants that are read as integers: as floats its words are a NaN and a zero.
func (m *ilSite) rareWrap() bool {
	return m.guarded(choose[uint32](m.r, 0x7fffffff, 0x80000000), func(k il.Kind) bool { return k == il.Integer })
}

// anyKind accepts all statements except declarations.
func anyKind(k il.Kind) bool { return k != il.Declaration }
