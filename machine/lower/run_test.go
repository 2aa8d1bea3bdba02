package lower

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// codeRun executes code item by item, with the reference results of its operations.
type codeRun struct {
	t      testing.TB
	family r600.Family
	vals   []uint32
	cb     func(bank, index int, ch uint8) uint32
	fetch  func(f *mir.Fetch, coords [4]uint32) [4]uint32
	memory func(m *mir.Memory, index, data [4]uint32)
	out    map[int][4]uint32 // by number of the output
	killed bool
	steps  int
}

func runCode(t testing.TB, c *mir.Code, family r600.Family, input func(reg, ch int) uint32) *codeRun {
	r := &codeRun{t: t, family: family, vals: make([]uint32, c.Vals()), out: map[int][4]uint32{}}
	r.start(c, input)
	return r
}

func (r *codeRun) start(c *mir.Code, input func(reg, ch int) uint32) {
	for i := range r.vals {
		r.vals[i] = 0xDEADBEEF // results must not depend on unwritten registers
	}
	for _, in := range c.Inputs {
		r.vals[in.Val] = input(in.Reg, in.Chan)
	}
	r.region(c.Body)
}

const maxRunSteps = 1 << 20

// region reports whether a break was met.
func (r *codeRun) region(items mir.Region) (left bool) {
	for _, it := range items {
		if r.steps++; r.killed || r.steps > maxRunSteps {
			return true
		}
		switch it := it.(type) {
		case *mir.ALU:
			r.unit(it)
		case *mir.Fetch:
			var coords [4]uint32
			for i, co := range it.Coords {
				switch {
				case co.Val != 0:
					coords[i] = r.vals[co.Val]
				case co.Sel == r600.SelOne:
					coords[i] = machinetest.FloatWord(1)
				}
			}
			got := r.fetch(it, coords)
			for i, v := range it.Dst {
				if v != 0 {
					r.vals[v] = got[i]
				}
			}
		case *mir.Memory:
			r.memory(it, r.four(it.Index), r.four(it.Data))
		case *mir.Export:
			for i, regs := range it.Regs {
				r.out[it.Base+i] = r.four(regs)
			}
		case *mir.If:
			arm := it.Else
			if r.holds(it.Cond) {
				arm = it.Then
			}
			if r.region(arm) {
				return true
			}
		case *mir.Loop:
			for !r.region(it.Body) {
			}
			if r.killed || r.steps > maxRunSteps {
				return true
			}
		case *mir.Break:
			if it.Cond == nil || !r.holds(it.Cond) {
				return true
			}
		}
	}
	return false
}

func (r *codeRun) four(vals [4]mir.Val) (out [4]uint32) {
	for i, v := range vals {
		if v != 0 {
			out[i] = r.vals[v]
		}
	}
	return out
}

func (r *codeRun) arg(a *mir.Arg) (w uint32) {
	switch a.Kind {
	case mir.ValArg:
		w = r.vals[a.Val]
	case mir.LiteralArg:
		w = a.Bits
	case mir.ConstArg:
		index := int(a.Index)
		if a.Rel != 0 {
			index += int(int32(r.vals[a.Rel]))
		}
		w = r.cb(int(a.Bank), index, a.Chan)
	}
	if a.Abs {
		w &^= signBit
	}
	if a.Neg {
		w ^= signBit
	}
	return w
}

func (r *codeRun) operands(u *mir.ALU) [][3]uint32 {
	args := make([][3]uint32, len(u.Slots))
	for i := range u.Slots {
		s := &u.Slots[i]
		for j := range s.Op.Sources() {
			a := &s.Args[j]
			if (a.Neg || a.Abs) && !s.Op.FloatSources() || a.Abs && s.Op.ThreeSource() {
				r.t.Errorf("%v has no modifiers %+v", s.Op, *a)
			}
			args[i][j] = r.arg(a)
		}
	}
	return args
}

func (r *codeRun) unit(u *mir.ALU) {
	args := r.operands(u)
	if op := u.Slots[0].Op; op.Kills() {
		r.killed = r.killed || machinetest.Holds(op, args[0])
		return
	}
	got := machinetest.Results(r.t, r.family, u.Slots[0].Op, args)
	for i := range u.Slots {
		s := &u.Slots[i]
		if s.Dst == 0 {
			continue
		}
		w := got[i]
		if s.Op.Reduces() {
			w = got[0]
		}
		if s.Clamp {
			w = machinetest.FloatWord(min(max(machinetest.Float(w), 0), 1))
			if x := machinetest.Float(got[i]); x != x {
				w = 0
			}
		}
		r.vals[s.Dst] = w
	}
}

func (r *codeRun) holds(u *mir.ALU) bool { return machinetest.Holds(u.Slots[0].Op, r.operands(u)[0]) }
