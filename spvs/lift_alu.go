package spvs

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// wordOf returns the bits of a float.
func wordOf(x float32) uint32 { return math.Float32bits(x) }

// rule lifts an instruction with a result of type s.
type rule func(l *lifter, in *spirv.Inst, s *shape) []*ir.Value

// makeOthers returns the rules of the instructions that compute lanes, but are not one op on lanes.
func makeOthers() map[spirv.Op]rule {
	return map[spirv.Op]rule{
		spirv.OpCompositeConstruct:   (*lifter).construct,
		spirv.OpCompositeExtract:     (*lifter).extract,
		spirv.OpCompositeInsert:      (*lifter).insert,
		spirv.OpVectorShuffle:        (*lifter).shuffle,
		spirv.OpVectorExtractDynamic: (*lifter).extractDynamic,
		spirv.OpVectorInsertDynamic:  (*lifter).insertDynamic,
		spirv.OpBitcast:              (*lifter).same,
		spirv.OpCopyLogical:          (*lifter).same,
		spirv.OpQuantizeToF16:        (*lifter).quantize,
		spirv.OpVectorTimesScalar:    (*lifter).scale,
		spirv.OpMatrixTimesScalar:    (*lifter).scale,
		spirv.OpVectorTimesMatrix:    (*lifter).vectorTimesMatrix,
		spirv.OpMatrixTimesVector:    (*lifter).matrixTimesVector,
		spirv.OpMatrixTimesMatrix:    (*lifter).matrixTimesMatrix,
		spirv.OpOuterProduct:         (*lifter).outerProduct,
		spirv.OpTranspose:            (*lifter).transpose,
		spirv.OpDot:                  (*lifter).dot,
		spirv.OpSelect:               (*lifter).choose,
		spirv.OpAny:                  (*lifter).anyAll,
		spirv.OpAll:                  (*lifter).anyAll,
		spirv.OpIsNan:                (*lifter).isNan,
		spirv.OpIsInf:                (*lifter).isInf,
		spirv.OpFOrdNotEqual:         (*lifter).orderedNotEqual,
		spirv.OpFUnordEqual:          (*lifter).orderedNotEqual,
		spirv.OpFMod:                 (*lifter).remainder,
		spirv.OpFRem:                 (*lifter).remainder,
		spirv.OpSDiv:                 (*lifter).signedDivision,
		spirv.OpSRem:                 (*lifter).signedDivision,
		spirv.OpSMod:                 (*lifter).signedDivision,
		spirv.OpShiftLeftLogical:     (*lifter).shift,
		spirv.OpShiftRightLogical:    (*lifter).shift,
		spirv.OpShiftRightArithmetic: (*lifter).shift,
		spirv.OpFwidth:               (*lifter).width,
		spirv.OpFwidthFine:           (*lifter).width,
		spirv.OpFwidthCoarse:         (*lifter).width,
		spirv.OpBitFieldInsert:       (*lifter).bitField,
		spirv.OpBitFieldSExtract:     (*lifter).bitField,
		spirv.OpBitFieldUExtract:     (*lifter).bitField,
		spirv.OpIAddCarry:            (*lifter).twoResults,
		spirv.OpISubBorrow:           (*lifter).twoResults,
		spirv.OpUMulExtended:         (*lifter).twoResults,
		spirv.OpSMulExtended:         (*lifter).twoResults,
	}
}

// arg returns the lanes of an operand.
func (l *lifter) arg(in *spirv.Inst, k int) []*ir.Value { return l.lanes(spirv.ID(in.Args[k])) }

// argType returns the type of an operand. It is an empty type after an error.
func (l *lifter) argType(in *spirv.Inst, k int) *shape {
	if s := l.x.typeOf(spirv.ID(in.Args[k])); s != nil {
		return s
	}
	l.unsupported("an operand has no type")
	return &shape{}
}

// op appends an instruction with the decorations of in.
func (l *lifter) op(in *spirv.Inst, op ir.Op, n int, src ...ir.Operand) []*ir.Value {
	x := l.begin(op, src...)
	l.arithmetic(x, in.Result)
	return l.finish(x, Float, n)
}

// construct joins lanes.
func (l *lifter) construct(in *spirv.Inst, s *shape) (list []*ir.Value) {
	for k := range in.Args {
		list = append(list, l.arg(in, k)...)
		if len(list) > s.lanes {
			break // wrong, and define says so
		}
	}
	return list
}

// part follows the literal indices of an extraction.
func (l *lifter) part(s *shape, indices []uint32) (part *shape, lane int) {
	for _, n := range indices {
		next, at, ok := s.part(n)
		if !ok {
			l.unsupported("an index is out of range")
			return &shape{}, 0
		}
		s, lane = next, lane+at
	}
	return s, lane
}

func (l *lifter) extract(in *spirv.Inst, s *shape) []*ir.Value {
	part, lane := l.part(l.argType(in, 0), in.Args[1:])
	list := l.arg(in, 0)
	if lane+part.lanes > len(list) {
		return nil
	}
	return list[lane : lane+part.lanes]
}

func (l *lifter) insert(in *spirv.Inst, s *shape) []*ir.Value {
	part, lane := l.part(s, in.Args[2:])
	object, whole := l.arg(in, 0), l.arg(in, 1)
	if len(object) != part.lanes || lane+part.lanes > len(whole) {
		return nil
	}
	list := append([]*ir.Value(nil), whole...)
	copy(list[lane:], object)
	return list
}

func (l *lifter) shuffle(in *spirv.Inst, s *shape) (list []*ir.Value) {
	from := append(append([]*ir.Value(nil), l.arg(in, 0)...), l.arg(in, 1)...)
	for _, n := range in.Args[2:] {
		switch {
		case n == math.MaxUint32:
			list = append(list, l.undef())
		case int64(n) < int64(len(from)):
			list = append(list, from[n])
		default:
			return nil
		}
	}
	return list
}

func (l *lifter) extractDynamic(in *spirv.Inst, s *shape) []*ir.Value {
	return []*ir.Value{l.pick(l.arg(in, 0), spirv.ID(in.Args[1]), s.scalar)}
}

func (l *lifter) insertDynamic(in *spirv.Inst, s *shape) []*ir.Value {
	component := l.arg(in, 1)
	if len(component) != 1 {
		return nil
	}
	return l.replace(l.arg(in, 0), spirv.ID(in.Args[2]), component[0], s.scalar)
}

// same returns the lanes of the operand: only the type changes.
func (l *lifter) same(in *spirv.Inst, s *shape) []*ir.Value { return l.arg(in, 0) }

func (l *lifter) quantize(in *spirv.Inst, s *shape) []*ir.Value {
	half := l.compose(Uint, ir.OpF2F16, s.lanes, l.vector(spirv.ID(in.Args[0])))
	return l.op(in, ir.OpF162F, s.lanes, operand(half))
}

// scale multiplies vectors or the columns of a matrix by a scalar.
func (l *lifter) scale(in *spirv.Inst, s *shape) (list []*ir.Value) {
	from, factor := l.arg(in, 0), l.arg(in, 1)
	if len(factor) != 1 || len(from) != s.lanes {
		return nil
	}
	n := s.rows()
	for first := 0; first < s.lanes; first += n {
		list = append(list, l.op(in, ir.OpMulIEEE, n, operand(from[first:first+n]), splat(factor[0]))...)
	}
	return list
}

// dots are the ops of dot products by the number of components.
var dots = [5]ir.Op{2: ir.OpDp2IEEE, 3: ir.OpDp3IEEE, 4: ir.OpDp4IEEE}

// product appends a dot product in one lane.
func (l *lifter) product(in *spirv.Inst, lane int, a, b []*ir.Value) *ir.Value {
	if len(a) != len(b) || len(a) < 2 || len(a) > 4 {
		l.unsupported("its operands have different sizes")
		return l.undef()
	}
	x := l.begin(dots[len(a)], operand(a), operand(b))
	l.arithmetic(x, in.Result)
	return l.finishAt(x, Float, lane, 1)[0]
}

func (l *lifter) dot(in *spirv.Inst, s *shape) []*ir.Value {
	return []*ir.Value{l.product(in, 0, l.arg(in, 0), l.arg(in, 1))}
}

// matrixArg returns the columns of a matrix operand.
func (l *lifter) matrixArg(in *spirv.Inst, k int) (columns [][]*ir.Value) {
	s, list := l.argType(in, k), l.arg(in, k)
	if s.kind != matrixType || len(list) != s.lanes {
		l.unsupported("an operand is not a matrix")
		return nil
	}
	n := s.rows()
	for first := 0; first < s.lanes; first += n {
		columns = append(columns, list[first:first+n])
	}
	return columns
}

// transposed returns the rows of a matrix.
func transposed(columns [][]*ir.Value) [][]*ir.Value {
	if len(columns) == 0 {
		return nil
	}
	rows := make([][]*ir.Value, len(columns[0]))
	for _, c := range columns {
		for k := range rows {
			rows[k] = append(rows[k], c[k])
		}
	}
	return rows
}

func (l *lifter) vectorTimesMatrix(in *spirv.Inst, s *shape) (list []*ir.Value) {
	v := l.arg(in, 0)
	for k, column := range l.matrixArg(in, 1) {
		list = append(list, l.product(in, k, v, column))
	}
	return list
}

func (l *lifter) matrixTimesVector(in *spirv.Inst, s *shape) (list []*ir.Value) {
	v := l.arg(in, 1)
	for k, row := range transposed(l.matrixArg(in, 0)) {
		list = append(list, l.product(in, k, row, v))
	}
	return list
}

func (l *lifter) matrixTimesMatrix(in *spirv.Inst, s *shape) (list []*ir.Value) {
	rows := transposed(l.matrixArg(in, 0))
	for _, column := range l.matrixArg(in, 1) {
		for k, row := range rows {
			list = append(list, l.product(in, k, row, column))
		}
	}
	return list
}

func (l *lifter) outerProduct(in *spirv.Inst, s *shape) (list []*ir.Value) {
	column := l.arg(in, 0)
	for _, factor := range l.arg(in, 1) {
		list = append(list, l.op(in, ir.OpMulIEEE, min(len(column), 4), operand(column), splat(factor))...)
	}
	return list
}

func (l *lifter) transpose(in *spirv.Inst, s *shape) (list []*ir.Value) {
	for _, row := range transposed(l.matrixArg(in, 0)) {
		list = append(list, row...)
	}
	return list
}

// choose lifts OpSelect. From version 1.4 on, a scalar condition selects any type.
func (l *lifter) choose(in *spirv.Inst, s *shape) (list []*ir.Value) {
	c, a, b := l.arg(in, 0), l.arg(in, 1), l.arg(in, 2)
	if len(a) != s.lanes || len(b) != s.lanes || len(c) != 1 && len(c) != s.lanes {
		return nil
	}
	for first := 0; first < s.lanes; first += 4 {
		n := min(4, s.lanes-first)
		cond := splat(c[0])
		if len(c) > 1 {
			cond = operand(c)
		}
		x := l.begin(ir.OpSel, cond, operand(a[first:first+n]), operand(b[first:first+n]))
		list = append(list, l.finish(x, s.scalar, n)...)
	}
	return list
}

func (l *lifter) anyAll(in *spirv.Inst, s *shape) []*ir.Value {
	list := l.arg(in, 0)
	if len(list) == 0 {
		return nil
	}
	op := ir.OpIOr
	if in.Op == spirv.OpAll {
		op = ir.OpIAnd
	}
	v := list[0]
	for _, w := range list[1:] {
		v = l.scalar(Bool, op, v, w)
	}
	return []*ir.Value{v}
}

func (l *lifter) isNan(in *spirv.Inst, s *shape) []*ir.Value {
	x := l.vector(spirv.ID(in.Args[0]))
	return l.compose(Bool, ir.OpFNe, s.lanes, x, x)
}

func (l *lifter) isInf(in *spirv.Inst, s *shape) []*ir.Value {
	x := l.vector(spirv.ID(in.Args[0]))
	x.EachLane(func(_ int, lane *ir.Lane) { lane.Mod = ir.Abs })
	return l.compose(Bool, ir.OpFEq, s.lanes, x, l.number(float32(math.Inf(1))))
}

// orderedNotEqual computes a < b or b < a, and its opposite for OpFUnordEqual.
func (l *lifter) orderedNotEqual(in *spirv.Inst, s *shape) []*ir.Value {
	a, b := l.vector(spirv.ID(in.Args[0])), l.vector(spirv.ID(in.Args[1]))
	less := l.compose(Bool, ir.OpFLt, s.lanes, a, b)
	more := l.compose(Bool, ir.OpFLt, s.lanes, b, a)
	list := l.compose(Bool, ir.OpIOr, s.lanes, operand(less), operand(more))
	if in.Op == spirv.OpFUnordEqual {
		list = l.compose(Bool, ir.OpINot, s.lanes, operand(list))
	}
	return list
}

// remainder computes a - b*floor(a/b), or with trunc for OpFRem (Vulkan specification, spirvenv-op-prec).
func (l *lifter) remainder(in *spirv.Inst, s *shape) []*ir.Value {
	n := s.lanes
	a, b := l.vector(spirv.ID(in.Args[0])), l.vector(spirv.ID(in.Args[1]))
	op := ir.OpFloor
	if in.Op == spirv.OpFRem {
		op = ir.OpTrunc
	}
	q := l.op(in, ir.OpDiv, n, a, b, splat(l.f.Const(domainMode)))
	q = l.op(in, op, n, operand(q))
	return l.op(in, ir.OpMadIEEE, n, negated(b), operand(q), a)
}

// signedDivision computes with magnitudes, and then sets the sign: that of the product for a quotient, that of the
// dividend for OpSRem. OpSMod adds the divisor to a remainder of the other sign.
func (l *lifter) signedDivision(in *spirv.Inst, s *shape) []*ir.Value {
	n := s.lanes
	a, b := l.vector(spirv.ID(in.Args[0])), l.vector(spirv.ID(in.Args[1]))
	sign := func(x ir.Operand) ir.Operand {
		return operand(l.compose(Int, ir.OpIShr, n, x, splat(l.f.Const(31))))
	}
	flip := func(x, sign ir.Operand) ir.Operand {
		y := operand(l.compose(Int, ir.OpIXor, n, x, sign))
		return operand(l.compose(Int, ir.OpISub, n, y, sign))
	}
	signA, signB := sign(a), sign(b)
	op, signR := ir.OpUMod, signA
	if in.Op == spirv.OpSDiv {
		op, signR = ir.OpUDiv, operand(l.compose(Int, ir.OpIXor, n, signA, signB))
	}
	r := operand(l.compose(Int, op, n, flip(a, signA), flip(b, signB)))
	r = flip(r, signR)
	if in.Op != spirv.OpSMod {
		return lanesOf(r, n)
	}
	other := operand(l.compose(Bool, ir.OpILt, n, operand(l.compose(Int, ir.OpIXor, n, r, b)), splat(l.f.Const(0))))
	nonzero := operand(l.compose(Bool, ir.OpINe, n, r, splat(l.f.Const(0))))
	both := operand(l.compose(Bool, ir.OpIAnd, n, other, nonzero))
	return l.compose(Int, ir.OpSel, n, both, operand(l.compose(Int, ir.OpIAdd, n, r, b)), r)
}

// lanesOf returns the values of the first n lanes of an operand without modifiers.
func lanesOf(o ir.Operand, n int) (list []*ir.Value) {
	for _, lane := range o[:min(n, 4)] {
		list = append(list, lane.V)
	}
	return list
}

// shift lifts shifts. The result for a count of 32 or more is undefined.
func (l *lifter) shift(in *spirv.Inst, s *shape) []*ir.Value {
	op := map[spirv.Op]ir.Op{spirv.OpShiftLeftLogical: ir.OpIShl, spirv.OpShiftRightLogical: ir.OpUShr,
		spirv.OpShiftRightArithmetic: ir.OpIShr}[in.Op]
	a, b := l.vector(spirv.ID(in.Args[0])), l.vector(spirv.ID(in.Args[1]))
	return l.compose(s.scalar, op, s.lanes, a, b)
}

// width computes the sum of the magnitudes of both derivatives.
func (l *lifter) width(in *spirv.Inst, s *shape) []*ir.Value {
	var both [2]ir.Operand
	for k, op := range []ir.Op{ir.OpDsx, ir.OpDsy} {
		x := l.begin(op, l.vector(spirv.ID(in.Args[0])))
		x.Imm = uint32(map[spirv.Op]int{spirv.OpFwidthFine: 1, spirv.OpFwidthCoarse: 2}[in.Op])
		both[k] = operand(l.finish(x, Float, s.lanes))
		both[k].EachLane(func(_ int, lane *ir.Lane) { lane.Mod = ir.Abs })
	}
	return l.op(in, ir.OpAdd, s.lanes, both[0], both[1])
}

// bitField lifts accesses to bit fields. Offset and count are scalars.
func (l *lifter) bitField(in *spirv.Inst, s *shape) []*ir.Value {
	last := len(in.Args) - 2
	offset, count := l.arg(in, last), l.arg(in, last+1)
	if len(offset) != 1 || len(count) != 1 {
		return nil
	}
	base := l.vector(spirv.ID(in.Args[0]))
	switch in.Op {
	case spirv.OpBitFieldInsert:
		return l.compose(s.scalar, ir.OpUBitInsert, s.lanes, splat(count[0]), splat(offset[0]),
			l.vector(spirv.ID(in.Args[1])), base)
	case spirv.OpBitFieldSExtract:
		return l.compose(s.scalar, ir.OpIBitExtract, s.lanes, splat(count[0]), splat(offset[0]), base)
	}
	return l.compose(s.scalar, ir.OpUBitExtract, s.lanes, splat(count[0]), splat(offset[0]), base)
}

// twoResults lifts instructions whose result is a struct of two words of a number.
func (l *lifter) twoResults(in *spirv.Inst, s *shape) []*ir.Value {
	ops := map[spirv.Op][2]ir.Op{spirv.OpIAddCarry: {ir.OpIAdd, ir.OpICarry},
		spirv.OpISubBorrow: {ir.OpISub, ir.OpIBorrow}, spirv.OpUMulExtended: {ir.OpIMul, ir.OpUMulHigh},
		spirv.OpSMulExtended: {ir.OpIMul, ir.OpIMulHigh}}[in.Op]
	n := s.lanes / 2
	if s.kind != structType || n < 1 || n > 4 {
		return nil
	}
	a, b := l.vector(spirv.ID(in.Args[0])), l.vector(spirv.ID(in.Args[1]))
	list := l.compose(Uint, ops[0], n, a, b)
	return append(list, l.compose(Uint, ops[1], n, a, b)...)
}
