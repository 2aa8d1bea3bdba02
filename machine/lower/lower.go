package lower

import (
	"sync"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/slab"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// Kernel makes hardware operations of a kernel, as a compiler of the time did that
// works hard on one statement at a time and not much beyond. The assumptions:
//
//   - moves are propagated within a straight piece of code, and their signs and absolute
//     values taken along where the reader is an operation on floats; those that other
//     pieces read are carried out (see keptMoves, where this is inferred from);
//   - what nothing reads is dropped lane by lane, except of such moves of constants;
//   - operations on literals are folded where the result is exact, but nothing is
//     reassociated and x+0.0 stays;
//   - the same operation on the same operands is done once in a straight piece of code;
//   - a value that a loop carries or branches join keeps one register unless the values
//     that meet there are alive at the same time, and is moved where they are; its
//     constants and those of an accumulator's start are moved in;
//   - a condition is a comparison and then a predicate of it, two operations, as listings
//     of AMD's compiler for R700 have it; also because the predicates fused with a
//     comparison know no negation that is right for NaN;
//   - the components of an export are moved into place unless an operation of the last
//     straight piece of code computes them and nothing else wants them elsewhere;
//   - coordinates and what else must share a register are moved together where values
//     cannot simply be kept so; values of one register of the source that do not live at
//     the same time are kept in one place to that end;
//   - inputs are in registers when the program starts, interpolated ones as well, in the
//     order of their register files.
//
// How an operation is spelt in operations of a family is the table in table.go,
// where each row says whether it is documented, what drivers are known to do, or assumed.
// What a target cannot do is a diagnostic.
func Kernel(f *ir.Func, t *chip.Target) (*mir.Code, error) {
	m := idle.Get().(*room)
	m.copied.Again(64)
	m.sources.Again(64)
	m.args, m.vals = slab.Zeros(m.args, f.NumValues()), append(m.vals[:0], valueInfo{})
	l := &lowerer{f: f, t: t, room: m, args: m.args, vals: m.vals, seen: &m.seen, inputs: map[ir.Reg]mir.Val{},
		spaces: map[ir.Reg]mir.Space{}, defined: map[mir.Item]*merged{}}
	l.need = f.Needs(true)
	l.materialized = keptMoves(f, l.need)
	l.preload()
	var body mir.Region
	l.within(&body, func() {
		l.code(f.Body.Code)
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

// room is memory that is used from program to program.
type room struct {
	args   []mir.Arg
	vals   []valueInfo
	seen   numbering
	spans  [][]liveRange
	end    []int32
	first  []liveRange
	place  []int32
	parent []mir.Val
	groups []*tuple

	requests []request
	copied   slab.Slab[mir.Val] // destinations of copies
	sources  slab.Slab[mir.Arg] // and sources
	pairs    []copyPair
	drafts   []mir.Region // by depth
}

// idle are rooms that nobody uses. One in which lowering ended half way is not among them.
var idle = sync.Pool{New: func() any { return new(room) }}

// lowerer makes a draft of the program in SSA form, but for copies where control flow
// meets, before registers are settled.
type lowerer struct {
	f            *ir.Func
	t            *chip.Target
	need         *ir.Needs
	materialized map[*ir.Instr]bool // moves that are carried out

	// args says, by ir.ID, where each IR value is found: in a value of the draft, in a constant, or as
	// a literal; NoArg where it never was defined. Moves define nothing, so that copy propagation is a
	// matter of this table.
	args   []mir.Arg
	vals   []valueInfo // by Val
	inputs map[ir.Reg]mir.Val
	spaces map[ir.Reg]mir.Space

	room   *room
	units  []singleUnit // memory for more
	moving moving

	out    *mir.Region // where items go
	nested int         // regions around
	ended  bool        // the code at hand cannot be reached: a break came before
	fresh  mir.Val     // first value defined in this straight piece of code
	depth  int         // of loops
	seen   *numbering
	wides  map[wideKey][4]mir.Val
	// reductions are the units of this piece of code whose result any slot can write.
	reductions map[mir.Val]*mir.ALU
	taken      map[mir.Val]uint8 // by exports: the components that a value goes to
	loops      []*loopState
	// defined holds what constructs define where control flow meets.
	defined map[mir.Item]*merged

	line int
	pos  asm.Pos
	pair int // channels that doubles at hand are made in: 0 or 2
	err  *asm.Diag
}

// valueInfo is what is known of a value of the draft, which has one definition: the draft is in SSA
// form but for copies.
type valueInfo struct {
	whole bool // made even if nothing reads it
	// home is the register of the source that the value lived in. Values of one home are preferred
	// to share a register again.
	home    ir.Reg
	channel int8 // channel it is bound to, or AnyChan
	hint    int8 // channel it would like
	// reg is the register of an input plus one, 0 for values that the program computes. Inputs come
	// first in vals.
	reg int32
	// settled is the channel before ties gave it one; each round of settle begins from it.
	settled int8
	// computed: by an arithmetic operation, not fetched or joined. Only such a value can be written
	// into another channel by its operation.
	computed bool
}

// fail notes the first thing that the target cannot do.
func (l *lowerer) fail(code asm.Code, format string, args ...any) {
	if l.err == nil {
		l.err = asm.Errorf(l.pos, code, format, args...)
	}
}

// code lowers instructions in order.
func (l *lowerer) code(list []*ir.Instr) {
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
		l.fail("not-supported", "predicated %v", in.Op)
	case r.whole != nil:
		r.whole(l, in)
	case r.each != nil:
		l.lanes(in, r)
	default:
		l.fail("not-supported", "%v is no operation of AMD IL", in.Op)
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

// define says where v is found.
func (l *lowerer) define(v *ir.Value, a mir.Arg) {
	l.args[v.ID] = a
	if a.Kind == mir.ValArg {
		if d := &l.vals[a.Val]; d.home == (ir.Reg{}) {
			d.home = v.Home
			if d.hint == mir.AnyChan {
				d.hint = int8(v.Comp())
			}
		}
	}
}

// value is where a leaf, a parameter or a result is found.
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
