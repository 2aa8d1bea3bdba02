package vsps

import (
	"sort"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// boolean lifts the condition of if, callnz and breakp: b# or a predicate component.
func (l *lifter) boolean(s d3d9.Src) ir.Lane {
	lane := ir.Lane{V: l.source(s.Reg, s.Swz.ComponentAt(0))}
	if s.Mod == d3d9.ModNot {
		lane.Mod = ir.Not
	}
	return lane
}

// condition sets the operands of an if or break: a boolean, or two scalars to compare.
func (l *lifter) condition(to *ir.Instr, in *d3d9.Inst) {
	to.Cond = ir.Cond(in.Cmp)
	for _, s := range in.Sources() {
		if in.Cmp == d3d9.CmpNone {
			to.Src = append(to.Src, ir.Splat(l.boolean(s)))
		} else {
			to.Src = append(to.Src, l.operand(s, 1))
		}
	}
}

// conditional lifts an if block and returns the statement after it. An if without else merges with
// the state before it.
func (l *lifter) conditional(i, depth int, calls []uint16) (next int, left bool, err error) {
	in := &l.prog.Insts[i]
	cond := &ir.Instr{Op: ir.OpIf, Orig: int32(i), Pos: in.Pos}
	l.condition(cond, in)
	l.emit(cond)
	mid := int(l.match[i])
	end := mid
	if l.prog.Insts[mid].Op == d3d9.OpElse {
		end = int(l.match[mid])
	}
	left, err = l.branch(cond,
		func() (bool, error) { return l.until(i+1, mid, depth+1, calls) },
		func() (bool, error) { return l.until(mid+1, end, depth+1, calls) })
	return end + 1, left, err
}

// branch lifts the two sides of cond and merges their writes: a register that either side wrote
// becomes a result. A side without a write contributes the old value; for an unwritten register
// this is its Undef leaf. A side that left the loop contributes an Undef without a register,
// because control does not reach the merge from it. left is true if neither side reaches the merge.
//
// It journals writes, so that the second side starts from the same environment as the first.
func (l *lifter) branch(cond *ir.Instr, then, otherwise func() (bool, error)) (left bool, err error) {
	outer, journal := l.code, l.journal
	var ends [2]map[ir.Reg]*ir.Value
	var gone [2]bool
	for side, f := range []func() (bool, error){then, otherwise} {
		l.code = &ir.Region{}
		cond.Sub = append(cond.Sub, l.code)
		l.journal = nil
		if gone[side], err = f(); err != nil {
			return false, err
		}
		ends[side] = l.undo()
	}
	l.code, l.journal = outer, journal
	vars := make([]ir.Reg, 0, len(ends[0])+len(ends[1]))
	for r := range ends[0] {
		vars = append(vars, r)
	}
	for r := range ends[1] {
		if _, both := ends[0][r]; !both {
			vars = append(vars, r)
		}
	}
	sortRegs(vars)
	for _, r := range vars {
		for side, sub := range cond.Sub {
			v, wrote := ends[side][r]
			switch {
			case gone[side]:
				v = l.f.Leaf(ir.Undef, ir.Reg{})
			case !wrote:
				v = l.readReg(r)
			}
			sub.Results = append(sub.Results, v)
		}
		res := l.f.NewValue(ir.Result, r)
		res.Def = cond
		cond.Results = append(cond.Results, res)
		l.writeReg(r, res)
	}
	return gone[0] && gone[1], nil
}

// undo reverts the writes in the journal and returns their final values. It goes backwards, so that
// it restores the oldest of several values of a register.
func (l *lifter) undo() map[ir.Reg]*ir.Value {
	end := make(map[ir.Reg]*ir.Value, len(l.journal))
	for _, c := range l.journal {
		end[c.reg] = *l.envSlot(c.reg)
	}
	for i := len(l.journal) - 1; i >= 0; i-- {
		*l.envSlot(l.journal[i].reg) = l.journal[i].old
	}
	return end
}

// sortRegs sorts registers that come from maps, for determinism.
func sortRegs(rs []ir.Reg) {
	key := func(r ir.Reg) uint32 { return uint32(r.File)<<24 | uint32(r.Index)<<4 | uint32(r.Comp) }
	sort.Slice(rs, func(i, j int) bool { return key(rs[i]) < key(rs[j]) })
}

// liftLoop lifts rep and loop. Every register that the body may write is carried as a parameter;
// dead-code elimination removes dead ones. The set has to be known before the body is lifted,
// because the body reads the parameters; hence [lifter.written].
func (l *lifter) liftLoop(i, depth int, calls []uint16) error {
	in := &l.prog.Insts[i]
	frame := &loopFrame{vars: l.written(i+1, int(l.match[i]))}
	lp := &ir.Instr{Op: ir.OpLoop, Orig: int32(i), Pos: in.Pos}
	body := &ir.Region{}
	lp.Sub = []*ir.Region{body}
	// The count register: the trip count in .x, and for loop the start in .y and the step in .z
	// ("loop - vs").
	count := in.Src[0].Reg
	if in.Op == d3d9.OpLoop {
		count = in.Src[1].Reg
		frame.index = l.f.NewValue(ir.Param, ir.Reg{File: ir.File(d3d9.Loop)})
		body.Index = frame.index
	}
	trip := ir.Operand{{V: l.source(count, 0)}}
	if in.Op == d3d9.OpLoop {
		trip[1], trip[2] = ir.Lane{V: l.source(count, 1)}, ir.Lane{V: l.source(count, 2)}
	}
	lp.Src = []ir.Operand{trip}
	for _, r := range frame.vars {
		lp.Args = append(lp.Args, l.readReg(r))
		p := l.f.NewValue(ir.Param, r)
		body.Params = append(body.Params, p)
	}
	l.emit(lp)

	outer, journal := l.code, l.journal
	l.code, l.journal = body, nil
	l.loops = append(l.loops, frame)
	for k, r := range frame.vars {
		l.writeReg(r, body.Params[k])
	}
	left, err := l.until(i+1, int(l.match[i]), depth+1, calls)
	if err != nil {
		return err
	}
	for k, r := range frame.vars {
		// Control never reaches the end of the body, so there is no next iteration and its
		// parameters are arbitrary.
		v := l.readReg(r)
		if left { // control never reaches the end of the body
			v = body.Params[k]
		}
		body.Results = append(body.Results, v)
	}
	l.undo()
	l.loops = l.loops[:len(l.loops)-1]
	l.code, l.journal = outer, journal
	for _, r := range frame.vars {
		res := l.f.NewValue(ir.Result, r)
		res.Def = lp
		lp.Results = append(lp.Results, res)
		l.writeReg(r, res)
	}
	return nil
}

// written returns the sorted set of registers that statements from..to may write, including calls.
// It is an upper bound: it includes writes after breaks and all components of a mask.
func (l *lifter) written(from, to int) []ir.Reg {
	seen := map[ir.Reg]bool{}
	l.collectWrites(from, to, map[uint16]bool{}, seen)
	regs := make([]ir.Reg, 0, len(seen))
	for r := range seen {
		regs = append(regs, r)
	}
	sortRegs(regs)
	return regs
}

func (l *lifter) collectWrites(from, to int, called map[uint16]bool, seen map[ir.Reg]bool) {
	for i := from; i < to; i++ {
		in := &l.prog.Insts[i]
		switch in.Op {
		case d3d9.OpCall, d3d9.OpCallnz:
			label := in.Src[0].Index
			if at, ok := l.labels[label]; ok && !called[label] {
				called[label] = true
				l.collectWrites(at, l.bodyEnd(at), called, seen)
			}
		case d3d9.OpTexKill, d3d9.OpDcl:
		default:
			if in.HasDst {
				for c := range 4 {
					if in.Dst.Mask.Has(c) {
						seen[ir.Reg{File: ir.File(in.Dst.File), Index: in.Dst.Index, Comp: uint8(c)}] = true
					}
				}
			}
		}
	}
}

// bodyEnd returns the ret (or next label) that ends the subroutine starting at i.
func (l *lifter) bodyEnd(i int) int {
	for i < len(l.prog.Insts) && l.prog.Insts[i].Op != d3d9.OpRet && l.prog.Insts[i].Op != d3d9.OpLabel {
		i++
	}
	return i
}

// breakOut lifts a break of the innermost loop, whose block arguments are the current values of all
// carried registers.
func (l *lifter) breakOut(i int) {
	in := &l.prog.Insts[i]
	br := &ir.Instr{Op: ir.OpBreak, Orig: int32(i), Pos: in.Pos}
	l.condition(br, in)
	for _, r := range l.loops[len(l.loops)-1].vars {
		br.Args = append(br.Args, l.readReg(r))
	}
	l.emit(br)
}
