package lower

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// unitKey is the value-numbering key of a single-slot operation within a basic block.
type unitKey struct {
	op    r600.Op
	clamp bool
	args  [3]argKey
}

// wideKey is the key of an operation of several slots; pair is the channel pair of doubles.
type wideKey struct {
	op   r600.Op
	pair int
	args [4][3]argKey
}

// argKey is an operand packed into two words, so that keys compare and hash quickly.
type argKey [2]uint64

func keyOf(a *mir.Arg) argKey {
	if a.Kind == mir.NoArg {
		return argKey{}
	}
	flags := uint64(a.Kind) | uint64(a.Chan)<<4
	if a.Neg {
		flags |= 1 << 8
	}
	if a.Abs {
		flags |= 1 << 9
	}
	return argKey{flags | uint64(a.Bank)<<16 | uint64(uint32(a.Index))<<32,
		uint64(a.Bits) | uint64(a.Val) | uint64(a.Rel)<<32}
}

func keysOf(args *[3]mir.Arg) [3]argKey {
	return [3]argKey{keyOf(&args[0]), keyOf(&args[1]), keyOf(&args[2])}
}

func (l *lowerer) newVal() mir.Val {
	l.vals = append(l.vals, valueInfo{channel: mir.AnyChan, hint: mir.AnyChan, settled: mir.AnyChan})
	return mir.Val(len(l.vals) - 1)
}

func (l *lowerer) emitItem(it mir.Item) { *l.out = append(*l.out, it) }

// within runs do with items going to r, which begins and ends a basic block: nothing is shared
// across its borders. Items are collected in memory for regions at that depth. r has capacity for
// one more item, since copies often follow.
func (l *lowerer) within(r *mir.Region, do func()) {
	out, ended, m := l.out, l.ended, l.room
	if l.nested == len(m.drafts) {
		m.drafts = append(m.drafts, nil)
	}
	draft := m.drafts[l.nested][:0]
	l.nested++
	l.out, l.ended = &draft, false
	l.block()
	do()
	l.block()
	l.nested--
	m.drafts[l.nested] = draft
	*r = append(make(mir.Region, 0, len(draft)+1), draft...)
	l.out, l.ended = out, ended
}

// block begins a basic block. Operations are shared only within a block, as in compilers of the
// time.
func (l *lowerer) block() {
	l.seen.begin()
	l.wides, l.reductions = emptied(l.wides), emptied(l.reductions)
	l.fresh = mir.Val(len(l.vals))
}

// emptied returns an empty map: m cleared, or a new one if m is large, since clearing takes as long
// as filling.
func emptied[K comparable, V any](m map[K]V) map[K]V {
	if m == nil || len(m) > 256 {
		return map[K]V{}
	}
	clear(m)
	return m
}

// singleUnit is a unit of one slot, as most units are.
type singleUnit struct {
	mir.ALU
	slots [1]mir.Slot
}

// single returns a unit of one slot. It allocates memory for many at a time.
func (l *lowerer) single(s mir.Slot, line int) *mir.ALU {
	if len(l.units) == 0 {
		l.units = make([]singleUnit, min(max(16, len(l.vals)/2), 256))
	}
	u := &l.units[0]
	l.units = l.units[1:]
	u.Line, u.slots[0] = line, s
	u.Slots = u.slots[:]
	return &u.ALU
}

// op adds a single-slot operation, or returns the earlier result of an equal one.
func (l *lowerer) op(op r600.Op, args ...mir.Arg) mir.Arg {
	if a, ok := simplified(op, args); ok {
		return a
	}
	var a [3]mir.Arg
	for i := range args {
		a[i] = l.operand(op, args[i])
	}
	v, known := l.seen.number(&unitKey{op, false, keysOf(&a)}, mir.Val(len(l.vals)))
	if !known {
		l.newVal()
		l.vals[v].computed = true
		l.emitItem(l.single(mir.Slot{Op: op, Dst: v, Args: a}, l.line))
	}
	return mir.V(v)
}

// operand makes a readable for op. It applies modifiers to literals, and removes modifiers that op
// lacks by a move. Integer operations have neither sign nor absolute value; operations of three
// sources have no absolute value (encoding ALU_WORD1_OP3).
func (l *lowerer) operand(op r600.Op, a mir.Arg) mir.Arg {
	switch {
	case a.Kind == mir.NoArg:
		return mir.L(0) // never written
	case a.Kind == mir.LiteralArg:
		return literal(a)
	case a.Neg && !op.FloatSources(), a.Abs && (op.ThreeSource() || !op.FloatSources()):
		return l.op(r600.OpMov, a)
	}
	return a
}

// literal returns a with its modifiers applied.
func literal(a mir.Arg) mir.Arg {
	if a.Abs {
		a.Bits &^= 1 << 31
	}
	if a.Neg {
		a.Bits ^= 1 << 31
	}
	return mir.L(a.Bits)
}

// slots adds an operation of several slots. It has one result for each slot, or for a reduction
// (DOT4) one result that any slot can write. Results of doubles and other wide operations are bound
// to the channel of their slot. Unused results are removed later.
func (l *lowerer) slots(op r600.Op, args ...[3]mir.Arg) (out [4]mir.Val) {
	key := wideKey{op: op, pair: l.pair}
	slots := make([]mir.Slot, len(args))
	for i := range args {
		slots[i] = mir.Slot{Op: op}
		for j := range op.Sources() {
			slots[i].Args[j] = l.operand(op, args[i][j])
		}
		key.args[i] = keysOf(&slots[i].Args)
	}
	if vals, ok := l.wides[key]; ok {
		return vals
	}
	for i := range slots {
		out[i] = l.newVal()
		l.vals[out[i]].computed = true
		slots[i].Dst = out[i]
		switch {
		case op.Reduces():
		case len(slots) == 2:
			l.bindChannel(out[i], l.pair+i)
		default:
			l.bindChannel(out[i], i)
		}
		if op.Reduces() {
			break
		}
	}
	l.wides[key] = out
	u := &mir.ALU{Slots: slots, Line: l.line}
	if op.Reduces() {
		l.reductions[out[0]] = u
	}
	l.emitItem(u)
	return out
}

// bindChannel fixes the channel of v.
func (l *lowerer) bindChannel(v mir.Val, ch int) {
	l.vals[v].channel, l.vals[v].hint = int8(ch), int8(ch)
}

// effect returns an operation without a result.
func (l *lowerer) effect(op r600.Op, args ...mir.Arg) *mir.ALU {
	s := mir.Slot{Op: op}
	for i := range args {
		s.Args[i] = l.operand(op, args[i])
	}
	return &mir.ALU{Slots: []mir.Slot{s}, Line: l.line}
}

// src returns lane i of source s of in, with modifiers applied to literals.
func (l *lowerer) src(in *ir.Instr, s, i int) mir.Arg {
	return withMods(l.value(in.Src[s][i].V), in.Src[s][i].Mod)
}

// withMods returns a with the modifiers of a lane.
func withMods(a mir.Arg, mod ir.LaneMod) mir.Arg {
	if mod&ir.Abs != 0 {
		a.Abs, a.Neg = true, false
	}
	if mod&ir.Neg != 0 {
		a.Neg = !a.Neg
	}
	if a.Kind == mir.LiteralArg {
		return literal(a)
	}
	return a
}

// inRegister returns a as a value in a register, moved there if needed.
func (l *lowerer) inRegister(a mir.Arg) mir.Val {
	if a.Kind == mir.ValArg && !a.Neg && !a.Abs {
		return a.Val
	}
	return l.op(r600.OpMov, a).Val
}

// saturated clamps the result a of in if in saturates. If a was computed by the last operation, and
// is newer than mark, that operation gets the clamp modifier; otherwise a move clamps. A clamped
// operation has another key in value numbering.
func (l *lowerer) saturated(in *ir.Instr, a mir.Arg, mark mir.Val) mir.Arg {
	if in.Mods&ir.Sat == 0 {
		return a
	}
	if a.Kind == mir.LiteralArg {
		x := math.Float32frombits(a.Bits)
		if !(x > 0) || a.Bits < 1<<23 { // subnormal numbers count as zero
			return mir.L(0)
		}
		return mir.L(math.Float32bits(min(x, 1)))
	}
	if u := l.last(); u != nil && a.Kind == mir.ValArg && !a.Neg && !a.Abs && a.Val >= mark && u.Slots[0].Dst == a.Val &&
		clamps(u.Slots[0].Op) {
		s := &u.Slots[0]
		if len(u.Slots) == 1 {
			key := unitKey{s.Op, false, keysOf(&s.Args)}
			l.seen.set(&key, 0)
			key.clamp = true
			if v := l.seen.find(&key); v != 0 {
				*l.out = (*l.out)[:len(*l.out)-1]
				return mir.V(v)
			}
			l.seen.set(&key, a.Val)
		} else {
			l.wides = map[wideKey][4]mir.Val{}
		}
		for i := range u.Slots {
			u.Slots[i].Clamp = true
		}
		return a
	}
	arg := l.operand(r600.OpMov, a)
	v, known := l.seen.number(&unitKey{r600.OpMov, true, keysOf(&[3]mir.Arg{arg})}, mir.Val(len(l.vals)))
	if !known {
		l.newVal()
		l.vals[v].computed = true
		l.emitItem(l.single(mir.Slot{Op: r600.OpMov, Dst: v, Args: [3]mir.Arg{arg}, Clamp: true}, l.line))
	}
	return mir.V(v)
}

// last returns the last unit.
func (l *lowerer) last() *mir.ALU {
	if n := len(*l.out); n > 0 {
		u, _ := (*l.out)[n-1].(*mir.ALU)
		return u
	}
	return nil
}

// clamps reports whether the result of op is a float that it can clamp.
func clamps(op r600.Op) bool {
	switch op {
	case r600.OpSetEDX10, r600.OpSetGTDX10, r600.OpSetGEDX10, r600.OpSetNEDX10, r600.OpFltToInt, r600.OpFltToUint:
		return false
	}
	return op.FloatSources() && op.Slots(r600.R600) != r600.Pair
}

// folded computes lane i of in at compile time if all its operands are literals and the result is
// exact in float32. ir.Eval is the single definition of the operations.
func (l *lowerer) folded(in *ir.Instr, i int) (mir.Arg, bool) {
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<i)
		for k := range in.Src[s] {
			if reads>>k&1 != 0 && l.src(in, s, k).Kind != mir.LiteralArg {
				return mir.Arg{}, false
			}
		}
	}
	w := ir.Words{Fold: true}
	bits := ir.Eval(&w, in.Op, i, func(s, k int) uint32 { return l.src(in, s, k).Bits })
	if !w.Fold {
		return mir.Arg{}, false
	}
	return l.saturated(in, mir.L(bits), 0), true
}
