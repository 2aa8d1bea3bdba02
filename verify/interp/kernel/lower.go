package kernel

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
)

// row describes the execution of an instruction: lane by lane by fn (or by the result of zero), or as a
// whole.
type row struct {
	fn   vecFn // lane by lane, from the lanes of the sources or from scalars
	ieee vecFn // for the suffix _ieee
	// zero returns fn for a given reciprocal of zero.
	zero func(il.ZeroOp) vecFn
	// whole compiles instructions that take vectors or pairs. It leaves the results of the computed lanes
	// in temporaries.
	whole func(l *lowering, lanes il.Lanes) [4]slot
	// integer reports that a negated operand is the negative integer.
	integer bool
	effect  bool // must be executed even if no lane is computed
}

// statement compiles an instruction without control flow into two forms: direct, for when all live lanes
// are active, and masked. They differ only in how they write the destination; see finish.
func (c *compiler) statement(in *il.Inst) (direct, masked []uop) {
	l := lowering{compiler: c, in: in}
	if !rowOf(in.Op).known() {
		c.fail(in, "unsupported-op", "%s cannot be executed", in.Name())
		return nil, nil
	}
	if in.Op == il.OpTranspose {
		return l.transpose()
	}
	r := rowOf(in.Op)
	var results [4]slot
	lanes := il.Lanes(0)
	if in.HasDst {
		lanes = in.Dst.Mask.Computed()
	}
	// Without a computed lane only effects remain.
	if lanes != 0 || r.effect {
		results = l.compute(r, lanes)
	}
	if in.HasDst && in.Dst.File != il.Memory {
		return l.store(results, lanes)
	}
	return l.code, l.code
}

// known reports whether the interpreter implements the instruction.
func (r *row) known() bool { return r.fn != nil || r.zero != nil || r.whole != nil }

// compute leaves the lanes of the result in temporaries, with the modifiers of the destination applied:
// first a scale by a power of two, then saturation.
func (l *lowering) compute(r *row, lanes il.Lanes) (results [4]slot) {
	if r.whole != nil {
		results = r.whole(l, lanes)
	} else {
		results = l.laneByLane(r, lanes)
	}
	for c := range 4 {
		if !lanes.Has(c) {
			continue
		}
		if s := l.in.Dst.Shift; s != 0 {
			l.emit(vecUop(mulVec, results[c], results[c], l.float(float32(math.Ldexp(1, int(s))))))
		}
		if l.in.Dst.Sat {
			l.emit(vecUop(satVec, results[c], results[c]))
		}
	}
	return results
}

// laneByLane computes each lane from the same lane of the sources. If all sources are scalars, it computes
// one lane and copies it.
func (l *lowering) laneByLane(r *row, lanes il.Lanes) (results [4]slot) {
	fn := r.fn
	switch {
	case r.zero != nil:
		fn = r.zero(l.in.Ctl.Zero)
	case l.in.Ctl.IEEE && r.ieee != nil:
		fn = r.ieee
	}
	n := len(l.in.Sources())
	var srcs [4][4]slot
	uniform := true
	for i := range n {
		if l.in.Op.SourceShape(i) == il.LaneWise {
			srcs[i] = l.operand(i, lanes)
			uniform = false
			continue
		}
		s := l.scalar(i)
		srcs[i] = [4]slot{s, s, s, s}
	}
	if uniform {
		return l.replicate(lanes, func() slot { return l.emitVector(fn, srcs[0][0], srcs[1][0], srcs[2][0]) })
	}
	for c := range 4 {
		if lanes.Has(c) {
			var s [3]slot
			for i := range n {
				s[i] = srcs[i][c]
			}
			results[c] = l.emitVector(fn, s[:n]...)
		}
	}
	return results
}

// replicate copies the temporary that compute returns to all lanes.
func (l *lowering) replicate(lanes il.Lanes, compute func() slot) (results [4]slot) {
	first := compute()
	taken := false
	for c := range 4 {
		switch {
		case !lanes.Has(c):
		case !taken:
			results[c], taken = first, true
		default:
			results[c] = l.emitVector(moveVec, first)
		}
	}
	return results
}

// store writes results, and the constants in the mask, to the destination. For example, r0.x0_1 writes x, 0
// to y, 1 to w, and keeps z. lanes are the computed lanes. Writes beyond the end of an array have no
// effect.
func (l *lowering) store(results [4]slot, lanes il.Lanes) (direct, masked []uop) {
	d := &l.in.Dst
	for c := range 4 {
		switch d.Mask.WriteAt(c) {
		case il.Keep:
			results[c] = noSlot
		case il.Zero:
			results[c] = l.literal(0)
		case il.One:
			results[c] = l.literal(oneBits)
		default:
			if !lanes.Has(c) {
				results[c] = noSlot
			}
		}
	}
	base := noSlot
	switch d.File {
	case il.Temp, il.Output, il.Address, il.Depth, il.SampleMask:
		base = l.regs[d.Reg]
	case il.TempArray:
		if d.Rel != nil {
			l.scatter(results)
			return l.code, l.code
		}
		if int64(d.Offset) >= int64(l.sizes[d.Reg]) {
			return l.code, l.code
		}
		base = l.regs[d.Reg] + slot(4*d.Offset)
	case il.Global:
		l.storeGlobal(results)
		return l.code, l.code
	default:
		l.fail(l.in, "unsupported-register", "%s cannot be executed", d.Reg)
		return nil, nil
	}
	var assigned []assignment
	for c, at := range results {
		if at != noSlot {
			assigned = append(assigned, assignment{base + slot(c), at})
		}
	}
	return finish(l.code, assigned)
}

// transpose writes the columns of four registers to four others. It reads all sources first.
func (l *lowering) transpose() (direct, masked []uop) {
	src, dst := l.in.Src[0], l.in.Dst
	var columns [4][4]slot
	for row := range uint16(4) {
		s := src
		s.Num += row
		for c, at := range l.modified(&s, s.Swz.Vector(), s.Neg, false) {
			columns[c][row] = l.emitVector(moveVec, at)
		}
	}
	var assigned []assignment
	for row := range columns {
		to := dst.Reg
		to.Num += uint16(row)
		base, ok := l.regs[to]
		if !ok {
			l.fail(l.in, "unsupported-register", "%s cannot be executed", to)
			return nil, nil
		}
		for c, at := range columns[row] {
			switch dst.Mask.WriteAt(c) {
			case il.Zero:
				at = l.literal(0)
			case il.One:
				at = l.literal(oneBits)
			case il.Keep:
				continue
			}
			assigned = append(assigned, assignment{base + slot(c), at})
		}
	}
	return finish(l.code, assigned)
}
