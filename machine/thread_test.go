package machine_test

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// boardThread is a running thread.
type boardThread struct {
	*board
	id, x, y int
	group    int
	gpr      [][4]uint32
	temp     [8][4]uint32
	pv       [4]uint32
	ps, ar   uint32
	exec     bool
	dead     bool
	stack    []bool
	loops    []boardLoop
	arrays   map[int][][4]uint32
	returned map[int]uint32
	yield    func(barrier bool) bool
}

type boardLoop struct {
	left, waits, exec bool
	stack             int
}

func (b *board) thread(id, group int) *boardThread {
	th := &boardThread{board: b, id: id, x: id % b.c.Width, y: id / b.c.Width, group: group, exec: true,
		gpr: make([][4]uint32, b.p.GPRs), arrays: map[int][][4]uint32{}, returned: map[int]uint32{}}
	for i := range th.gpr {
		th.gpr[i] = [4]uint32{th.fresh, th.fresh, th.fresh, th.fresh}
	}
	for a, n := range b.arrays {
		th.arrays[a] = make([][4]uint32, n)
	}
	for _, in := range b.s.Inputs {
		if in.Reg < len(th.gpr) {
			th.gpr[in.Reg][in.Chan] = th.builtin(in)
		}
	}
	for _, in := range b.inputs {
		if in.reg < len(th.gpr) {
			th.gpr[in.reg][in.ch] = th.interpolated(in)
		}
	}
	return th
}

func (th *boardThread) builtin(in mir.Input) uint32 {
	in3 := func(i int, d [3]int) [3]int { return [3]int{i % d[0], i / d[0] % d[1], i / (d[0] * d[1])} }
	at, of := in3(th.id%th.group, th.size), in3(th.id/th.group, [3]int{th.across, 1 << 20, 1})
	switch in.Holds {
	case chip.PositionX:
		return machinetest.FloatWord(float32(th.x) + 0.5)
	case chip.PositionY:
		return machinetest.FloatWord(float32(th.y) + 0.5)
	case chip.PositionW:
		return machinetest.FloatWord(1)
	case chip.ThreadFlat:
		return uint32(th.id)
	case chip.ThreadX, chip.ThreadY, chip.ThreadZ:
		d := in.Holds - chip.ThreadX
		return uint32(of[d]*th.size[d] + at[d])
	case chip.ThreadInGroupX, chip.ThreadInGroupY, chip.ThreadInGroupZ:
		return uint32(at[in.Holds-chip.ThreadInGroupX])
	case chip.ThreadInGroupFlat:
		return uint32(th.id % th.group)
	case chip.GroupX, chip.GroupY, chip.GroupZ:
		return uint32(of[in.Holds-chip.GroupX])
	case chip.GroupFlat:
		return uint32(th.id / th.group)
	}
	return 0
}

func (th *boardThread) interpolated(in boardInput) uint32 {
	for i := range th.c.Inputs {
		if d := &th.c.Inputs[i].Data; th.c.Inputs[i].Reg == in.num && d.Kind == kernel.Linear {
			x, y := float64(th.x)+0.5, float64(th.y)+0.5
			return math.Float32bits(float32(float64(d.Plane[0][in.ch]) + x*float64(d.Plane[1][in.ch]) +
				y*float64(d.Plane[2][in.ch])))
		}
	}
	return 0
}

func (th *boardThread) active() bool {
	for i := range th.loops {
		if th.loops[i].left || th.loops[i].waits {
			return false
		}
	}
	return th.exec && !th.dead
}

func (th *boardThread) pop(n int) {
	if n > len(th.stack) {
		th.t.Fatalf("%d levels popped of %d", n, len(th.stack))
	}
	if n > 0 {
		th.exec = th.stack[len(th.stack)-n]
		th.stack = th.stack[:len(th.stack)-n]
	}
}

func (th *boardThread) run(yield func(bool) bool) {
	th.yield = yield
	for pc := 0; pc < len(th.p.CF); {
		if th.steps++; th.steps > maxBoardSteps {
			th.tooLong = true
			return
		}
		cf := &th.p.CF[pc]
		pc++
		switch op := cf.Op; {
		case op.RunsALU():
			if op == r600.CFALUPushBefore {
				th.stack = append(th.stack, th.exec)
			}
			th.clause(cf)
			if op == r600.CFALUPopAfter {
				th.pop(1)
			}
		case len(cf.Fetches) > 0:
			for i := range cf.Fetches {
				th.fetch(&cf.Fetches[i])
			}
		case cf.Export != nil:
			th.export(cf.Export)
		case cf.Memory != nil:
			th.memory(cf)
			if !yield(op == r600.CFWaitAck) {
				return
			}
		case op == r600.CFJump:
			if !th.active() {
				th.pop(cf.Pop)
				pc = cf.Target
			}
		case op == r600.CFElse:
			th.exec = th.stack[len(th.stack)-1] && !th.exec
			if !th.active() {
				th.pop(cf.Pop)
				pc = cf.Target
			}
		case op == r600.CFPop:
			th.pop(cf.Pop)
		case op == r600.CFLoop:
			th.loops = append(th.loops, boardLoop{exec: th.exec, stack: len(th.stack)})
			if !th.active() {
				th.loops = th.loops[:len(th.loops)-1]
				pc = cf.Target + 1
			}
		case op == r600.CFEndLoop:
			lp := &th.loops[len(th.loops)-1]
			if lp.stack != len(th.stack) {
				th.t.Fatalf("the stack is %d deep at the end of a loop, not %d", len(th.stack), lp.stack)
			}
			lp.waits = false
			if th.active() {
				pc = cf.Target + 1
				break
			}
			th.loops = th.loops[:len(th.loops)-1]
		case op == r600.CFBreak:
			if th.active() {
				th.loops[len(th.loops)-1].left = true
			}
		case op == r600.CFContinue:
			if th.active() {
				th.loops[len(th.loops)-1].waits = true
			}
		}
	}
	if len(th.stack) > 0 || len(th.loops) > 0 {
		th.t.Fatalf("%d levels of the stack and %d loops are left", len(th.stack), len(th.loops))
	}
	th.killed[th.id] = th.dead
}

func (th *boardThread) clause(cf *r600.CF) {
	for i := range th.temp {
		th.temp[i] = [4]uint32{stale, stale, stale, stale}
	}
	th.pv, th.ps, th.ar = [4]uint32{stale, stale, stale, stale}, stale, stale
	for i := range cf.Groups {
		th.aluGroup(cf, &cf.Groups[i])
	}
}

func (th *boardThread) aluGroup(cf *r600.CF, g *r600.Group) {
	var words [r600.NumSlots]uint32
	on, ar := th.active(), th.ar
	type after func()
	var last after
	for slot := 0; slot < r600.NumSlots; slot++ {
		in := g.Slots[slot]
		if in == nil {
			continue
		}
		width := 1
		if slot < r600.T {
			width = in.Op.Slots(th.p.Family).Width()
		}
		if slot%max(width, 1) != 0 {
			continue
		}
		args := make([][3]uint32, width)
		for k := range width {
			for j := range in.Op.Sources() {
				args[k][j] = th.operand(&g.Slots[slot+k].Src[j])
			}
		}
		switch {
		case in.Op == r600.OpGroupBarrier: // inactive threads also reach it
			last = func() { th.yield(true) }
		case in.Op.Memory():
			if on {
				words[slot] = th.lds(in.Op, args[0])
			}
		case in.Op.Predicate():
			holds := machinetest.Holds(in.Op, args[0])
			last = func() {
				switch {
				case cf.Op == r600.CFALUBreak:
					if on && !holds {
						th.loops[len(th.loops)-1].left = true
					}
				case cf.Op == r600.CFALUContinue:
					if on && !holds {
						th.loops[len(th.loops)-1].waits = true
					}
				default:
					th.exec = th.exec && holds
				}
			}
		case in.Op.Kills():
			dies := machinetest.Holds(in.Op, args[0])
			last = func() { th.dead = th.dead || on && dies }
		case in.Op.Address():
			ar = args[0][0]
		case on: // results of inactive threads do not matter
			got := machinetest.Results(th.t, th.p.Family, in.Op, args)
			if in.Op == r600.OpFma64 || in.Op == r600.OpMulAdd64 { // the reference rounds twice
				product := machinetest.Double(args[3][0], args[0][0]) * machinetest.Double(args[3][1], args[0][1])
				sum := float64(product) + machinetest.Double(args[3][2], args[0][2])
				bits := math.Float64bits(sum)
				if sum != sum {
					bits = 0x7FF8000000000000
				}
				got[0], got[1] = uint32(bits), uint32(bits>>32)
			}
			for k := range width {
				w := got[k]
				if in.Op.Reduces() {
					w = got[0]
				}
				words[slot+k] = clampedWord(w, g.Slots[slot+k].Clamp)
				if g.Slots[slot+k].OMod != 0 {
					th.t.Fatal("output modifiers have no meaning here")
				}
			}
		}
	}
	th.ar = ar
	th.pv, th.ps = [4]uint32{stale, stale, stale, stale}, stale
	for slot, in := range g.Slots {
		if in == nil {
			continue
		}
		if slot == r600.T {
			th.ps = words[slot]
		} else {
			th.pv[slot] = words[slot]
		}
		switch {
		case in.Dst.Kind == r600.DstGPR && on:
			th.gpr[in.Dst.Index][in.Dst.Chan] = words[slot]
		case in.Dst.Kind == r600.DstTemp && on:
			th.temp[in.Dst.Index][in.Dst.Chan] = words[slot]
		}
	}
	if last != nil {
		last()
	}
}

func clampedWord(w uint32, clamp bool) uint32 {
	if !clamp {
		return w
	}
	x := machinetest.Float(w)
	if !(x > 0) {
		return 0
	}
	return machinetest.FloatWord(min(x, 1))
}

func (th *boardThread) operand(s *r600.Src) (w uint32) {
	switch s.Kind {
	case r600.SrcGPR:
		w = th.gpr[s.Index][s.Chan]
	case r600.SrcTemp:
		w = th.temp[s.Index][s.Chan]
	case r600.SrcPV:
		w = th.pv[s.Chan]
	case r600.SrcPS:
		w = th.ps
	case r600.SrcConst:
		at := uint32(s.Index)
		if s.Rel {
			at += th.ar
		}
		w = th.constant(int(s.Bank), at, s.Chan)
	case r600.SrcLiteral, r600.SrcInline:
		w = s.Bits
	}
	return machinetest.Modified(w, s.Neg, s.Abs)
}
