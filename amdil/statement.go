package amdil

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// opMapping describes how a statement that computes lanes becomes an instruction. The zero value marks a
// statement without an entry.
type opMapping struct {
	op ir.Op
	// ieee is the op for the _ieee form (0 times infinity is NaN there, not 0), or OpInvalid if it has none.
	ieee ir.Op
	// zero means that the last source is the value for the reciprocal of zero.
	zero bool
	// pairs means that lanes come in pairs.
	pairs bool
	// integer means that a negated operand is the negative integer.
	integer bool
}

// meanings is the table of statements that are one instruction each, with the same operands in the same order
// (AMD IL Specification, instruction set). The scalar forms (rcp, exp, ...) differ from the others only in
// how they select a component. Signed and unsigned forms share an op where the bits are the same (umul is
// imul: the low half).
var meanings = [...]opMapping{
	il.OpMov:         {op: ir.OpMov},
	il.OpCmov:        {op: ir.OpSelF},
	il.OpCmovLogical: {op: ir.OpSel},

	il.OpAbs:          {op: ir.OpAbs},
	il.OpAcos:         {op: ir.OpAcos},
	il.OpAdd:          {op: ir.OpAdd},
	il.OpAsin:         {op: ir.OpAsin},
	il.OpAtan:         {op: ir.OpAtan},
	il.OpClamp:        {op: ir.OpClamp},
	il.OpCos:          {op: ir.OpCos},
	il.OpCosVec:       {op: ir.OpCos},
	il.OpDist:         {op: ir.OpDist},
	il.OpDiv:          {op: ir.OpDiv, zero: true},
	il.OpDp2:          {op: ir.OpDp2, ieee: ir.OpDp2IEEE},
	il.OpDp2Add:       {op: ir.OpDp2Add, ieee: ir.OpDp2AddIEEE},
	il.OpDp3:          {op: ir.OpDp3, ieee: ir.OpDp3IEEE},
	il.OpDp4:          {op: ir.OpDp4, ieee: ir.OpDp4IEEE},
	il.OpDsx:          {op: ir.OpDsx},
	il.OpDsy:          {op: ir.OpDsy},
	il.OpEq:           {op: ir.OpFEq},
	il.OpExp:          {op: ir.OpExpVec},
	il.OpExpVec:       {op: ir.OpExpVec},
	il.OpFlr:          {op: ir.OpFloor},
	il.OpFma:          {op: ir.OpFma, ieee: ir.OpFma},
	il.OpFrc:          {op: ir.OpFrc},
	il.OpGe:           {op: ir.OpFGe},
	il.OpLen:          {op: ir.OpLen},
	il.OpLn:           {op: ir.OpLnZ, zero: true},
	il.OpLog:          {op: ir.OpLogZ, zero: true},
	il.OpLogVec:       {op: ir.OpLogZ, zero: true},
	il.OpLrp:          {op: ir.OpLrp},
	il.OpLt:           {op: ir.OpFLt},
	il.OpMad:          {op: ir.OpMad, ieee: ir.OpMadIEEE},
	il.OpMax:          {op: ir.OpMax, ieee: ir.OpMaxIEEE},
	il.OpMin:          {op: ir.OpMin, ieee: ir.OpMinIEEE},
	il.OpMod:          {op: ir.OpMod},
	il.OpMul:          {op: ir.OpMul, ieee: ir.OpMulIEEE},
	il.OpNe:           {op: ir.OpFNe},
	il.OpNrm:          {op: ir.OpNrmZ, zero: true},
	il.OpPow:          {op: ir.OpPow},
	il.OpRcp:          {op: ir.OpRcpZ, zero: true},
	il.OpRcpVec:       {op: ir.OpRcpZ, zero: true},
	il.OpReflect:      {op: ir.OpReflect},
	il.OpRnd:          {op: ir.OpRndne},
	il.OpRoundNear:    {op: ir.OpRndne},
	il.OpRoundNegInf:  {op: ir.OpFloor},
	il.OpRoundPlusInf: {op: ir.OpCeil},
	il.OpRoundZ:       {op: ir.OpTrunc},
	il.OpRsq:          {op: ir.OpRsqZ, zero: true},
	il.OpRsqVec:       {op: ir.OpRsqZ, zero: true},
	il.OpSgn:          {op: ir.OpSgn},
	il.OpSin:          {op: ir.OpSin},
	il.OpSinVec:       {op: ir.OpSin},
	il.OpSqrt:         {op: ir.OpSqrt},
	il.OpSqrtVec:      {op: ir.OpSqrt},
	il.OpSub:          {op: ir.OpAdd},
	il.OpTan:          {op: ir.OpTan},
	il.OpTanVec:       {op: ir.OpTan},
	il.OpTrc:          {op: ir.OpTrunc},

	il.OpBfi:         {op: ir.OpBfi},
	il.OpBitAlign:    {op: ir.OpBitAlign},
	il.OpByteAlign:   {op: ir.OpByteAlign},
	il.OpFfbHi:       {op: ir.OpFfbHi},
	il.OpFfbLo:       {op: ir.OpFfbLo},
	il.OpFfbShi:      {op: ir.OpFfbShi},
	il.OpIAdd:        {op: ir.OpIAdd, integer: true},
	il.OpIAnd:        {op: ir.OpIAnd},
	il.OpIBitExtract: {op: ir.OpIBitExtract},
	il.OpIBorrow:     {op: ir.OpIBorrow, integer: true},
	il.OpICarry:      {op: ir.OpICarry, integer: true},
	il.OpICbits:      {op: ir.OpICbits},
	il.OpIEq:         {op: ir.OpIEq, integer: true},
	il.OpIGe:         {op: ir.OpIGe, integer: true},
	il.OpILt:         {op: ir.OpILt, integer: true},
	il.OpIMad:        {op: ir.OpIMad, integer: true},
	il.OpIMad24:      {op: ir.OpIMad24, integer: true},
	il.OpIMax:        {op: ir.OpIMax, integer: true},
	il.OpIMin:        {op: ir.OpIMin, integer: true},
	il.OpIMul:        {op: ir.OpIMul, integer: true},
	il.OpIMul24:      {op: ir.OpIMul24, integer: true},
	il.OpIMulHigh:    {op: ir.OpIMulHigh, integer: true},
	il.OpINe:         {op: ir.OpINe, integer: true},
	il.OpINegate:     {op: ir.OpINeg, integer: true},
	il.OpINot:        {op: ir.OpINot},
	il.OpIOr:         {op: ir.OpIOr},
	il.OpIShl:        {op: ir.OpIShl},
	il.OpIShr:        {op: ir.OpIShr},
	il.OpIXor:        {op: ir.OpIXor},
	il.OpSad:         {op: ir.OpSad},
	il.OpU4Lerp:      {op: ir.OpU4Lerp},
	il.OpUBitExtract: {op: ir.OpUBitExtract},
	il.OpUBitInsert:  {op: ir.OpUBitInsert},
	il.OpUBitReverse: {op: ir.OpUBitReverse},
	il.OpUDiv:        {op: ir.OpUDiv, integer: true},
	il.OpUGe:         {op: ir.OpUGe, integer: true},
	il.OpULt:         {op: ir.OpULt, integer: true},
	il.OpUMad:        {op: ir.OpIMad, integer: true},
	il.OpUMad24:      {op: ir.OpUMad24, integer: true},
	il.OpUMax:        {op: ir.OpUMax, integer: true},
	il.OpUMin:        {op: ir.OpUMin, integer: true},
	il.OpUMod:        {op: ir.OpUMod, integer: true},
	il.OpUMul:        {op: ir.OpIMul, integer: true},
	il.OpUMul24:      {op: ir.OpUMul24, integer: true},
	il.OpUMulHigh:    {op: ir.OpUMulHigh, integer: true},
	il.OpUnpack0:     {op: ir.OpUnpack0},
	il.OpUnpack1:     {op: ir.OpUnpack1},
	il.OpUnpack2:     {op: ir.OpUnpack2},
	il.OpUnpack3:     {op: ir.OpUnpack3},
	il.OpUShr:        {op: ir.OpUShr},

	il.OpDAdd:   {op: ir.OpDAdd, pairs: true},
	il.OpDDiv:   {op: ir.OpDDiv, pairs: true, zero: true},
	il.OpDEq:    {op: ir.OpDEq},
	il.OpDFrac:  {op: ir.OpDFrac, pairs: true},
	il.OpDFrexp: {op: ir.OpDFrexp},
	il.OpDGe:    {op: ir.OpDGe},
	il.OpDLdexp: {op: ir.OpDLdexp, pairs: true},
	il.OpDLt:    {op: ir.OpDLt},
	il.OpDMad:   {op: ir.OpDMad, pairs: true},
	il.OpDMax:   {op: ir.OpDMax, pairs: true},
	il.OpDMin:   {op: ir.OpDMin, pairs: true},
	il.OpDMov:   {op: ir.OpMov},
	il.OpDMovc:  {op: ir.OpSel},
	il.OpDMul:   {op: ir.OpDMul, pairs: true},
	il.OpDNe:    {op: ir.OpDNe},
	il.OpDRcp:   {op: ir.OpDRcp, pairs: true, zero: true},
	il.OpDRsq:   {op: ir.OpDRsq, pairs: true, zero: true},
	il.OpDSqrt:  {op: ir.OpDSqrt, pairs: true},

	il.OpD2F:   {op: ir.OpD2F},
	il.OpDToI:  {op: ir.OpDToI},
	il.OpDToU:  {op: ir.OpDToU},
	il.OpF2D:   {op: ir.OpF2D},
	il.OpF2F16: {op: ir.OpF2F16},
	il.OpF162F: {op: ir.OpF162F},
	il.OpFToI:  {op: ir.OpFToI},
	il.OpFToU:  {op: ir.OpFToU},
	il.OpIToD:  {op: ir.OpIToD, integer: true},
	il.OpIToF:  {op: ir.OpIToF, integer: true},
	il.OpUToD:  {op: ir.OpUToD, integer: true},
	il.OpUToF:  {op: ir.OpUToF, integer: true},
}

// statement lifts one statement without flow control. A statement that is missing from the table is an error.
func (l *lifter) statement(in *il.Inst) {
	switch {
	case in.Op == il.OpTranspose:
		l.transpose(in)
	case in.Op.Role() == il.Discard:
		l.discard(in)
	case in.Op.Kind() == il.Fetch:
		l.fetch(in)
	case in.Op.Kind() == il.MemoryOp:
		l.memory(in)
	case int(in.Op) < len(meanings) && meanings[in.Op].op != ir.OpInvalid:
		l.compute(in, &meanings[in.Op])
	default:
		l.unsupported(in)
	}
}

// compute lifts a statement of the table. Operands are read in all lanes that may matter first, and trimmed
// to the lanes that the formula reads once the instruction is complete.
//
//	dp3_ieee r0.x, r1, r2      ->  Dp3IEEE of r1.xyz and r2.xyz
//	iadd r0, r1, r2_neg(xyzw)  ->  ISub
//	rcp_zeroop(zero) r0, r1.x  ->  RcpZ of r1.xxxx and the number of the mode
func (l *lifter) compute(in *il.Inst, m *opMapping) {
	op := m.op
	if in.Ctl.IEEE && m.ieee != ir.OpInvalid {
		op = m.ieee
	}
	// Compute at most the lanes of the mask. 0 and 1 in a mask are constants, not lanes.
	lanes := in.Dst.Mask.Computed()
	// A mask of constants alone computes nothing: mov r0.01__, r1.
	if lanes == 0 {
		l.define(nil, in)
		return
	}
	wide := lanes
	// Doubles are computed in pairs of lanes: r0.x of dadd depends on r1.xy and r2.xy.
	if m.pairs {
		wide |= lanes&5<<1 | lanes&10>>1
	}
	n := len(in.Sources())
	if m.zero {
		n++
	}
	x := l.begin(op, n)
	if in.Ctl.Fine {
		x.Imm = 1
	}
	// Scalar sources select one component for any mask; vector sources (dp4) are read whole.
	for i := range in.Sources() {
		switch in.Op.SourceShape(i) {
		case il.LaneWise:
			x.Src = append(x.Src, l.operand(in, i, wide))
		case il.Vector:
			x.Src = append(x.Src, l.operand(in, i, il.AllLanes))
		default:
			// A scalar operand is the same in all lanes for ops on lanes.
			w := l.operand(in, i, 1)[0]
			x.Src = append(x.Src, ir.Operand{w, w, w, w})
		}
	}
	switch in.Op {
	case il.OpSub:
		x.Src[1].EachLane(func(_ int, lane *ir.Lane) { lane.Mod ^= ir.Neg })
	// iadd a, b_neg is a difference of integers, which has an op.
	case il.OpIAdd:
		subtraction(x)
	}
	if m.integer {
		for s := range x.Src {
			l.negative(&x.Src[s])
		}
	}
	if m.zero {
		// The value for the reciprocal of zero is an operand of the op: div_zeroop(infinity) and
		// div_zeroop(zero) are different functions of a and b.
		mode := ir.Lane{V: l.f.Const(uint32(in.Ctl.Zero))}
		x.Src = append(x.Src, ir.Operand{mode, mode, mode, mode})
	}
	for s := range x.Src {
		reads := x.ReadsFor(s, uint8(lanes))
		for i := range 4 {
			if reads>>i&1 == 0 {
				x.Src[s][i] = ir.Lane{}
			}
		}
	}
	*l.code = append(*l.code, x)
	l.define(x, in)
}

// subtraction turns x, an integer sum with one operand negated in all lanes, into a difference. It tries the
// second operand first. If both are negated, the result is a difference with a negative operand.
func subtraction(x *ir.Instr) {
	for _, s := range []int{1, 0} {
		all := true
		x.Src[s].EachLane(func(_ int, lane *ir.Lane) { all = all && lane.Mod == ir.Neg })
		if !all {
			continue
		}
		x.Src[s].EachLane(func(_ int, lane *ir.Lane) { lane.Mod = 0 })
		x.Op = ir.OpISub
		x.Src[0], x.Src[1] = x.Src[1-s], x.Src[s]
		return
	}
}

// negative replaces negated lanes by negative integers: in integer statements _neg is two's complement, as
// compilers use it for subtraction.
func (l *lifter) negative(o *ir.Operand) {
	var neg *ir.Instr
	o.EachLane(func(i int, lane *ir.Lane) {
		if lane.Mod&ir.Neg == 0 {
			return
		}
		if neg == nil {
			// One instruction for all lanes of the operand that need it.
			neg = l.instr(ir.OpINeg, ir.Operand{})
		}
		neg.Src[0][i] = ir.Lane{V: lane.V, Mod: lane.Mod &^ ir.Neg}
		*lane = ir.Lane{V: l.f.Define(neg, i, ir.Reg{})}
	})
}

// define assigns the result of x, the last instruction, and the constants in the mask to the destination of
// in. x is nil if nothing is computed. A destination in an array is a store.
func (l *lifter) define(x *ir.Instr, in *il.Inst) {
	// Phase 1: shift and saturation of the result.
	computed := in.Dst.Mask.Computed()
	// Shifts of results (_x2, _d4) are products with a power of two, before clamping.
	if x != nil && in.Dst.Shift != 0 {
		scaled := l.instr(ir.OpMul, ir.Operand{}, ir.Operand{})
		factor := l.f.Const(math.Float32bits(float32(math.Ldexp(1, int(in.Dst.Shift)))))
		for i := range 4 {
			if computed.Has(i) {
				scaled.Src[0][i] = ir.Lane{V: l.f.Define(x, i, ir.Reg{})}
				scaled.Src[1][i] = ir.Lane{V: factor}
			}
		}
		x = scaled
	}
	if x != nil && in.Dst.Sat {
		x.Mods |= ir.Sat
	}
	// Phase 2: the new value of each lane of the destination.
	base, isArray := spaceNamed(in.Dst.Reg)
	var data ir.Operand
	// A mov to an array is just the store.
	if isArray && x != nil && x.Op == ir.OpMov && x.Mods == 0 {
		*l.code = (*l.code)[:len(*l.code)-1] // stored unchanged
		data = x.Src[0]
		for i := range 4 {
			if !computed.Has(i) {
				data[i] = ir.Lane{}
			}
		}
		x = nil
	}
	for i := range 4 {
		var v *ir.Value
		switch in.Dst.Mask.WriteAt(i) {
		case il.Keep:
			continue
		case il.Zero:
			v = l.f.Const(0)
		case il.One:
			v = l.f.Const(one)
		default:
			if x == nil {
				continue
			}
			home := ComponentReg(in.Dst.Reg, 0, i)
			if isArray {
				home = ir.Reg{}
			}
			v = l.f.Define(x, i, home)
		}
		if isArray {
			data[i] = ir.Lane{V: v}
		} else {
			l.writeSlot(l.live.slotNumber(ComponentReg(in.Dst.Reg, 0, i)), v)
		}
	}
	if isArray {
		m := l.instr(ir.OpMemStore, ir.Splat(l.offset(in.Dst.Addr)), data)
		m.Base, m.Imm = base, in.Dst.Offset
		l.threadMemories(m, []int{l.live.slotNumber(stateHome(base))})
	}
}

// offset returns the computed part of an index, or 0; m.Imm is the constant part.
func (l *lifter) offset(a il.Addr) ir.Lane {
	if a.Rel == nil {
		return ir.Lane{V: l.f.Const(0)}
	}
	return l.scalarLane(a.Rel)
}

// transpose writes four registers with the columns of four others, as movs. It reads all of them first.
func (l *lifter) transpose(in *il.Inst) {
	var columns [4]ir.Operand
	for row := range uint16(4) {
		src := in.Src[0]
		src.Num += row
		o := l.selected(&src, src.Swz.Vector(), [4]ir.LaneMod{})
		for c := range columns {
			columns[c][row] = o[c]
		}
	}
	for row := range columns {
		to := *in
		to.Dst.Num += uint16(row)
		x := l.instr(ir.OpMov, columns[row])
		for i := range 4 {
			if !in.Dst.Mask.Computed().Has(i) {
				x.Src[0][i] = ir.Lane{}
			}
		}
		l.define(x, &to)
	}
}

// discard lifts the end of an invocation. Later stores do not happen, so it takes and defines the state of
// all memory that others may see.
func (l *lifter) discard(in *il.Inst) {
	var c ir.Lane
	if in.Op == il.OpKill { // where any component is negative
		for _, x := range l.operand(in, 0, il.AllLanes) {
			negative := ir.Lane{V: l.scalar(ir.OpFLt, x, ir.Lane{V: l.f.Const(0)})}
			if c.V != nil {
				negative.V = l.scalar(ir.OpIOr, c, negative)
			}
			c = negative
		}
	} else if c = l.scalarLane(&in.Src[0]); c.Mod != 0 {
		c = ir.Lane{V: l.scalar(ir.OpMov, c)}
	}
	if in.Op == il.OpDiscardLogicalZ {
		c.Mod = ir.Not
	}
	l.threadMemories(l.instr(ir.OpDiscard, ir.Splat(c)), l.live.shared)
}

// fetch lifts a read of a resource. The common kinds have an op each; the others are FetchX with the access
// as Imm.
func (l *lifter) fetch(in *il.Inst) {
	x := &ir.Instr{Orig: l.at, Pos: l.pos}
	x.Res = l.resources[in.Ctl.ID]
	x.Res.Sampler, x.Res.Offset = uint8(in.Ctl.Sampler), in.Ctl.Texel
	if in.Ctl.ID > math.MaxUint8 || in.Ctl.Sampler > math.MaxUint8 {
		l.unsupported(in)
		return
	}
	n := x.Res.Dim.Coords()
	coords := il.Lanes(1)<<n - 1
	switch {
	case in.Op == il.OpSample:
		x.Op = ir.OpFetch
	case in.Op == il.OpSampleB && n < 4:
		x.Op = ir.OpFetchBias
	case in.Op == il.OpSampleL && n < 4:
		x.Op = ir.OpFetchLod
	case in.Op == il.OpSampleG:
		x.Op = ir.OpFetchGrad
	case in.Op == il.OpLoad:
		x.Op = ir.OpTexelLoad
	default:
		x.Op = ir.OpFetchX
		access, ok := accessOf(in)
		if !ok {
			l.unsupported(in)
			return
		}
		x.Imm = uint32(access)
	}
	// A level or bias is in w after the coordinates, as in Direct3D 9; other operands are separate sources.
	for i := range in.Sources() {
		lanes := coords
		if in.Op.SourceShape(i) == il.Scalar {
			lanes = 1
		}
		o := l.operand(in, i, lanes)
		if (x.Op == ir.OpFetchBias || x.Op == ir.OpFetchLod) && i == 1 {
			x.Src[0][3] = o[0]
			continue
		}
		x.Src = append(x.Src, o)
	}
	*l.code = append(*l.code, x)
	l.define(x, in)
}
