package lower

import (
	"sync"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// Kernel translates a kernel to hardware operations like a compiler of the time, which works hard
// on one statement at a time and not much beyond. The assumptions are:
//
//   - Moves are propagated within a basic block. Their signs and absolute values are included if the
//     reader is a float operation. Moves that other blocks read are kept (see keptMoves for the
//     evidence).
//   - Dead lanes are removed, except of such moves of constants.
//   - Operations on literals are folded if the result is exact, but nothing is reassociated and x+0.0
//     stays.
//   - An operation on the same operands is computed once in a basic block.
//   - A value that a loop carries or branches join keeps one register, unless the values that meet
//     there interfere; then it is moved. Its constants and the start of an accumulator are moved in.
//   - A condition is a comparison followed by a predicate of it, two operations, as in listings of AMD's
//     compiler for R700. The predicates fused with a comparison also lack a negation that is right for
//     NaN.
//   - The components of an export are moved into place, unless an operation of the last basic block
//     computes them and they have no other place.
//   - Coordinates and other values that must share a register are moved together if they cannot be kept
//     so. To that end, values of one source register that do not interfere are kept in one place.
//   - Inputs are in registers when the program starts, including interpolated ones, in the order of
//     their register files.
//
// The table in table.go maps ops to operations of a family. Each row states whether it is
// documented, known from drivers, or assumed. An unsupported op is a diagnostic.
func Kernel(f *ir.Func, t *chip.Target) (*mir.Code, error) {
	m := idle.Get().(*room)
	m.copied.Again(64)
	m.sources.Again(64)
	m.args, m.vals = container.Zeros(m.args, f.NumValues()), append(m.vals[:0], valueInfo{})
	l := &lowerer{f: f, t: t, room: m, args: m.args, vals: m.vals, seen: &m.seen, inputs: map[ir.Reg]mir.Val{},
		spaces: map[ir.Reg]mir.Space{}, defined: map[mir.Item]*merged{}}
	l.need = f.Needs(true)
	l.materialized = keptMoves(f, l.need)
	l.preload()
	var body mir.Region
	l.within(&body, func() {
		l.lowerCode(f.Body.Code)
		l.exports()
	})
	if l.err != nil {
		return nil, l.err
	}
	code := l.finish(body)
	m.vals = l.vals
	idle.Put(m)
	return code, nil
}

// room is memory that is reused from program to program.
type room struct {
	args   []mir.Arg
	vals   []valueInfo
	seen   numbering
	spans  [][]regalloc.Span
	end    []int32
	first  []regalloc.Span
	place  []int32
	parent []mir.Val
	groups []*tuple

	requests []request
	copied   container.Slab[mir.Val] // destinations of copies
	sources  container.Slab[mir.Arg] // sources of copies
	pairs    []copyPair
	drafts   []mir.Region // by depth
}

// idle is a pool of unused rooms. A room in which lowering failed is not returned to it.
var idle = sync.Pool{New: func() any { return new(room) }}

// lowerer builds a draft of the program before register allocation. The draft is in SSA form,
// except for copies where control flow meets.
type lowerer struct {
	f            *ir.Func
	t            *chip.Target
	need         *ir.Needs
	materialized map[*ir.Instr]bool // moves that are kept

	// args holds, by ir.ID, the location of each IR value: a value of the draft, a constant, or a
	// literal; NoArg if it was never defined. Moves define nothing, so copy propagation happens in
	// this table.
	args   []mir.Arg
	vals   []valueInfo // by Val
	inputs map[ir.Reg]mir.Val
	spaces map[ir.Reg]mir.Space

	room   *room
	units  []singleUnit // unused memory
	moving moving

	out    *mir.Region // current region
	nested int         // enclosing regions
	ended  bool        // the current code is unreachable after a break
	fresh  mir.Val     // first value defined in this basic block
	depth  int         // of loops
	seen   *numbering
	wides  map[wideKey][4]mir.Val
	// reductions holds the units of this block whose result any slot can write.
	reductions map[mir.Val]*mir.ALU
	taken      map[mir.Val]uint8 // by exports: the components that a value is exported to
	loops      []*loopState
	// defined holds the values that constructs define where control flow meets.
	defined map[mir.Item]*merged

	line int
	pos  asm.Pos
	pair int // channels of the current doubles: 0 or 2
	err  *asm.Diag
}

// valueInfo describes a value of the draft. It has one definition, since the draft is in SSA form
// except for copies.
type valueInfo struct {
	whole bool // kept even if unused
	// home is the source register of the value. Values of one home preferably share a register
	// again.
	home    ir.Reg
	channel int8 // channel it is bound to, or AnyChan
	hint    int8 // preferred channel
	// reg is the register of an input plus one, 0 for values that the program computes. Inputs come
	// first in vals.
	reg int32
	// settled is the channel before ties assigned one; each round of settle starts from it.
	settled int8
	// computed marks a value of an arithmetic operation, as opposed to a fetched or joined one.
	// Only such an operation can write its result into another channel.
	computed bool
}

// recordFailure records the first unsupported feature.
func (l *lowerer) recordFailure(code asm.Code, format string, args ...any) {
	if l.err == nil {
		l.err = asm.Errorf(l.pos, code, format, args...)
	}
}

// lowerCode lowers instructions in order.
func (l *lowerer) lowerCode(list []*ir.Instr) {
	for _, in := range list {
		if l.ended || l.err != nil {
			return
		}
		l.line, l.pos = int(in.Pos.Line), in.Pos
		l.instr(in)
	}
}

// instr lowers one instruction.
func (l *lowerer) instr(in *ir.Instr) {
	r := rowOf(in.Op)
	switch {
	case l.materialized[in]:
		l.materialize(in)
	case in.IsPredicated():
		l.recordFailure("not-supported", "predicated %v is not supported", in.Op)
	case r.whole != nil:
		r.whole(l, in)
	case r.each != nil:
		l.lanes(in, r)
	default:
		l.recordFailure("not-supported", "%v is not an operation of AMD IL", in.Op)
	}
}

// lanes lowers an instruction lane by lane. If all lanes are equal (Replicated), one operation
// serves all of them.
func (l *lowerer) lanes(in *ir.Instr, r *lowering) {
	var same mir.Arg
	done := false
	for i, v := range in.Out {
		if v == nil || !l.need.Live[v.ID] {
			continue
		}
		lane := i
		if in.Op.Info().Shape == ir.Replicated {
			lane = 0
			if done {
				l.args[v.ID] = same
				continue
			}
		}
		a, ok := mir.Arg{}, false
		if r.folds {
			a, ok = l.folded(in, i)
		}
		if !ok {
			var src [4]mir.Arg
			for s := range in.Src {
				if in.Src[s][lane].V != nil {
					src[s] = l.src(in, s, lane)
				}
			}
			mark := mir.Val(len(l.vals))
			a = l.saturated(in, r.each(l, src), mark)
		}
		same, done = a, true
		l.define(v, a)
	}
}

// define records the location of v.
func (l *lowerer) define(v *ir.Value, a mir.Arg) {
	l.args[v.ID] = a
	if a.Kind == mir.ValArg {
		if d := &l.vals[a.Val]; d.home == (ir.Reg{}) {
			d.home = v.Home
			if d.hint == mir.AnyChan {
				d.hint = int8(v.ReadComponent())
			}
		}
	}
}

// value returns the location of a leaf, a parameter or a result.
func (l *lowerer) value(v *ir.Value) mir.Arg {
	switch v.Kind {
	case ir.Literal:
		return mir.L(v.Bits)
	case ir.Uniform:
		return l.constant(v.Home)
	case ir.Input:
		return mir.V(l.inputs[v.Home])
	case ir.Undef:
		return mir.Arg{}
	}
	return l.args[v.ID]
}

func (l *lowerer) constant(r ir.Reg) mir.Arg {
	switch il.File(r.File) {
	case il.ImmConstBuf:
		return mir.K(mir.ImmediateBank, int(r.Index), r.Comp)
	case il.ConstInt:
		return mir.K(mir.IntegerBank, int(r.Index), r.Comp)
	}
	bank, element := amdil.Constant(r)
	return mir.K(bank, element, r.Comp)
}
