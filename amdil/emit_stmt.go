package amdil

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// laneKind is the source of an operand lane of a statement.
type laneKind uint8

const (
	laneNone  laneKind = iota
	laneTemp           // value number v, in its assigned register
	laneLeaf           // a component of a fixed register or of an element of an array
	laneConst          // literal bits, in the literal reg if set
)

// Modifiers of a lane: those of the IR that a statement can have, and the negative integer.
const (
	modNeg    = uint8(ir.Neg)
	modAbs    = uint8(ir.Abs)
	modIntNeg = uint8(1) << 7
)

// lane is one operand lane of a statement. v is set for laneTemp, bits for laneConst, reg and comp for
// laneLeaf and for literals in a register.
type lane struct {
	kind laneKind
	comp uint8 // of a leaf or a literal with a register
	mod  uint8
	v    int32
	bits uint32
	reg  il.Reg
	elem *element // of an array
}

// element is the element of an array that a lane reads. Lanes of one operand share it.
type element struct {
	index  lane // laneNone for a constant index
	offset uint32
}

// isConst reports whether e has a constant index.
func (e *element) isConst() bool { return e.index.kind == laneNone }

// isUnit reports whether a swizzle can select the value of l anywhere.
func (l *lane) isUnit() bool { return l.kind == laneConst && (l.bits == 0 || l.bits == one) }

// operand is one source of a statement, in the order of the concrete operands. shape determines how lanes are
// selected.
type operand struct {
	lanes   [4]lane
	shape   il.SourceShape
	integer bool // a sign means the negative integer
}

// copied is a lane that is moved to the place of a value.
type copied struct {
	to   int32
	from lane
	sat  bool
	row  int // of a transpose
}

// stmt is one statement before register assignment: its operands name values. As in package vsps, constructs
// are flattened, so a program is one list. Emission creates the values beyond f.NumValues().
type stmt struct {
	kind regalloc.Kind
	op   il.Op
	ctl  il.Controls
	orig int32     // the statement of the input that it comes from, or -1
	from *ir.Instr // its instruction, nil for statements that emission adds
	sat  bool
	not  bool // of a condition: holds where the word is zero
	src  []operand
	out  [4]int32 // value written by lane, -1 for none
	// fixed means that each lane can only be written to its own component.
	fixed bool
	pairs bool

	// A statement that writes memory: the written lanes, and the element of an array.
	mask    uint8
	consts  il.Mask // lanes that the mask itself writes
	array   *element
	arrayOf il.Reg

	// copies are the moves of a mov, in as many statements as needed.
	copies []copied

	args   []lane  // block arguments of the region that ends with this statement, see regalloc.Point
	params []int32 // values that it receives: results at EndIf and EndLoop, parameters at Loop, undefined values at the start
	into   *stmt   // statement that receives the block arguments, or nil for itself
	open   *stmt   // of Else, EndIf and EndLoop: the start of the construct

	// For the parts of a switch: the first part, the cases of an arm, and whether it is the last arm.
	head  *stmt
	cases []uint32
	last  bool
}

var noValues = [4]int32{-1, -1, -1, -1}

// emitter turns a function into statements. The first one represents the start, which defines undefined
// values.
type emitter struct {
	room  *memory
	orig  *il.Kernel
	f     *ir.Func
	folds *folds
	need  []bool // by value ID: something reads it
	stmts []*stmt
	// By value, including those that emission creates.
	home []ir.Reg
	comp []uint8

	undef  map[ir.Reg]int32 // see undefined
	undefs undefs
	elems  map[*ir.Instr]*element // of loads folded into operands
	// gathered finds the copies of the values of an operand, in this region or an enclosing one. The field
	// undo lists the keys to delete at the end of a region.
	gathered map[[4]source][4]int32
	undo     [][4]source
	loops    []*stmt     // the ends of the enclosing loops
	carry    []*ir.Instr // the loops themselves
}

// receivers returns the values that the arguments of s become.
func (s *stmt) receivers() []int32 {
	if s.into != nil {
		return s.into.params
	}
	return s.params
}

// newEmitter plans folds and undefined values before any statement is made.
func newEmitter(orig *il.Kernel, f *ir.Func, memory *memory) *emitter {
	n := f.NumValues()
	need := make([]bool, f.NumValues())
	f.Handed().MarkRead(f, need)
	b := &emitter{room: memory, orig: orig, f: f, folds: planFolds(orig, f), need: need, undef: map[ir.Reg]int32{},
		elems: map[*ir.Instr]*element{}, gathered: map[[4]source][4]int32{}}
	b.undefs = placeUndefs(f, b.need)
	b.home = make([]ir.Reg, n, n+n/4)
	b.comp = make([]uint8, n, n+n/4)
	b.appendStmt(b.statement(il.OpInvalid, nil)) // the start
	return b
}

// value returns a new value that prefers component comp and no register.
func (b *emitter) value(comp int) int32 {
	b.home = append(b.home, ir.Reg{})
	b.comp = append(b.comp, uint8(comp))
	return int32(len(b.home) - 1)
}

// recordHint records the register hint of v, or lane if it has none. It returns the number of v.
func (b *emitter) recordHint(v *ir.Value, lane int) int32 {
	b.comp[v.ID] = uint8(lane)
	if isVariable(il.File(v.Home.File)) {
		b.home[v.ID], b.comp[v.ID] = v.Home, v.Home.Comp
	}
	return int32(v.ID)
}

// regOf returns the register or array of the syntax that contains r, and the element.
func regOf(r ir.Reg) (reg il.Reg, element uint32, isElement bool) {
	switch f := il.File(r.File); f {
	case il.ConstBuf:
		buffer, element := Constant(r)
		return il.Reg{File: f, Num: uint16(buffer)}, uint32(element), true
	case il.ImmConstBuf:
		return il.Reg{File: f}, uint32(r.Index), true
	default:
		return il.Reg{File: f, Num: r.Index}, 0, false
	}
}

// operandLane returns the operand lane for l. The writer checks whether a literal is still at its home.
func (b *emitter) operandLane(l ir.Lane) lane {
	v := l.V
	if v == nil {
		return lane{}
	}
	out := lane{mod: uint8(l.Mod & (ir.Neg | ir.Abs)), comp: v.Home.Comp}
	switch {
	case v.Kind == ir.Undef:
		out.kind, out.v = laneTemp, b.undefined(v)
	case v.Kind == ir.Literal:
		out.kind, out.bits = laneConst, v.Bits
		if v.Home.File == ir.File(il.Literal) {
			out.reg, _, _ = regOf(v.Home)
		}
	case v.IsLeaf():
		reg, n, isElement := regOf(v.Home)
		out.kind, out.reg = laneLeaf, reg
		if isElement {
			out.elem = &element{offset: n}
		}
	case v.Def != nil && b.folds.loads[v.Def]:
		out.kind, out.comp = laneLeaf, v.Lane
		out.reg, out.elem = b.indexed(v.Def)
	default:
		out.kind, out.v = laneTemp, int32(v.ID)
	}
	return out
}

// indexed returns the array and element that a load or store names. Elements are shared, so that lanes of one
// load belong to one operand.
func (b *emitter) indexed(in *ir.Instr) (il.Reg, *element) {
	reg := il.Reg{File: il.File(in.Base.File), Num: in.Base.Index}
	if e := b.elems[in]; e != nil {
		return reg, e
	}
	e := &element{offset: in.Imm}
	b.elems[in] = e
	index := b.operandLane(in.Src[0][0])
	if index.kind == laneConst {
		e.offset += constantOf(&index)
	} else {
		e.index = index
	}
	return reg, e
}

// constantOf returns the value of a literal lane, modifiers included.
func constantOf(l *lane) uint32 {
	w := l.bits
	if l.mod&modAbs != 0 {
		w &^= 1 << 31
	}
	if l.mod&modNeg != 0 {
		w ^= 1 << 31
	}
	if l.mod&modIntNeg != 0 {
		w = -w
	}
	return w
}

func (b *emitter) appendStmt(s *stmt) *stmt {
	b.stmts = append(b.stmts, s)
	return s
}

// source returns an operand for o. Scalar operands take the first set lane.
func (b *emitter) source(o *ir.Operand, shape il.SourceShape, integer bool) operand {
	out := operand{shape: shape, integer: integer}
	for i := range o {
		l := o[i]
		if shape == il.Scalar { // the first set lane
			l = o[first(o)]
			if i > 0 {
				break
			}
		}
		if l.V == nil {
			continue
		}
		// The negation is folded: use its source, with the sign.
		if d := l.V.Def; integer && d != nil && b.folds.negs[d] && l.Mod == 0 {
			out.lanes[i] = b.operandLane(d.Src[0][l.V.Lane])
			out.lanes[i].mod |= modIntNeg
			continue
		}
		out.lanes[i] = b.operandLane(l)
	}
	if shape != il.Scalar {
		b.gather(&out)
	}
	return out
}

// first returns the first set lane of o.
func first(o *ir.Operand) int {
	for i := range o {
		if o[i].V != nil {
			return i
		}
	}
	return 0
}
