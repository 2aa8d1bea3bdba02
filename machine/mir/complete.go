package mir

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// Complete ties the values that must share registers, binds results to lanes and adds a result to
// operations that always write. It reports the first unit of c that t cannot run or that breaks a
// rule of [Code].
func (c *Code) Complete(t *chip.Target) error {
	k := checker{c: c, t: t, ties: true}
	if err := k.region(c.Body, 0); err != nil {
		return err
	}
	k.ties = false
	return k.region(c.Body, 0)
}

// checker walks the code twice: first for ties, then for units, whose lanes depend on the ties.
type checker struct {
	c    *Code
	t    *chip.Target
	ties bool
}

func (k checker) region(r Region, loops int) error {
	for _, it := range r {
		if err := k.checkItem(it, loops); err != nil {
			return err
		}
	}
	return nil
}

func (k checker) checkItem(it Item, loops int) error {
	switch it := it.(type) {
	case *ALU:
		if it.Slots[0].Op.Predicate() {
			return k.errorf(it.Line, "%s outside a condition", it.Slots[0].Op)
		}
		return k.checkUnit(it)
	case *Fetch:
		return k.fetch(it)
	case *Memory:
		if !k.c.Tie(it.Index[:]...) || !k.c.Tie(it.Data[:]...) {
			return k.errorf(it.Line, "operands of %s share no register", it.Name)
		}
	case *Export:
		for _, r := range it.Regs {
			if !k.c.TieExport(r) {
				return k.errorf(it.Line, "components of an export share no register")
			}
		}
	case *If:
		if it.Cond == nil {
			return k.errorf(it.Line, "if without a condition")
		}
		if err := k.condition(it.Cond, it.Line); err != nil {
			return err
		}
		if err := k.region(it.Then, loops); err != nil {
			return err
		}
		return k.region(it.Else, loops)
	case *Loop:
		return k.region(it.Body, loops+1)
	case *Break:
		return k.leave(it.Cond, it.Line, loops)
	case *Continue:
		return k.leave(it.Cond, it.Line, loops)
	}
	return nil
}

func (k checker) leave(cond *ALU, line, loops int) error {
	if loops == 0 {
		return k.errorf(line, "break or continue outside a loop")
	}
	if cond == nil {
		return nil
	}
	return k.condition(cond, line)
}

func (k checker) condition(u *ALU, line int) error {
	if !u.Slots[0].Op.Predicate() {
		return k.errorf(line, "%s does not write the predicate", u.Slots[0].Op)
	}
	for i := range u.Slots {
		if u.Slots[i].Dst != 0 {
			return k.errorf(line, "a predicate with a result")
		}
	}
	return k.checkUnit(u)
}

func (k checker) fetch(f *Fetch) error {
	var coords [4]Val
	for i, co := range f.Coords {
		coords[i] = co.Val
	}
	if !k.c.Tie(coords[:]...) || !k.c.Tie(f.Dst[:]...) {
		return k.errorf(f.Line, "operands of %s share no register", f.Op)
	}
	for _, s := range f.Setup {
		if err := k.fetch(s); err != nil {
			return err
		}
	}
	return nil
}

func (k checker) checkUnit(u *ALU) error {
	if k.ties {
		return nil
	}
	op := u.Slots[0].Op
	class := op.Slots(k.t.Family)
	if class == r600.Absent {
		return k.errorf(u.Line, "%s does not exist on %s", op, k.t.Name)
	}
	if len(u.Slots) != class.Width() {
		return k.errorf(u.Line, "%s in %d slots takes %d", op, len(u.Slots), class.Width())
	}
	for i := range u.Slots {
		s := &u.Slots[i]
		if s.Op != op {
			return k.errorf(u.Line, "%s and %s in one unit", op, s.Op)
		}
		for j := range op.Sources() {
			if s.Args[j].Kind == NoArg {
				return k.errorf(u.Line, "%s lacks an operand", op)
			}
			if op.ThreeSource() && s.Args[j].Abs {
				return k.errorf(u.Line, "%s takes no absolute values", op)
			}
		}
	}
	if op.ThreeSource() { // it writes unconditionally
		for i := range u.Slots {
			if u.Slots[i].Dst == 0 {
				u.Slots[i].Dst = k.c.NewVal()
			}
		}
	}
	if len(u.Slots) > 1 && !op.Reduces() && !k.c.bindLanes(u, class) {
		return k.errorf(u.Line, "results of %s are bound to other channels than its lanes", op)
	}
	return nil
}

// bindLanes binds the results of a multi-slot unit to the channels of its lanes. An unbound double
// stays unbound, so that packing may place it in either pair of channels.
func (c *Code) bindLanes(u *ALU, class r600.SlotClass) bool {
	if class == r600.Pair && c.isUnbound(u.Slots[0].Dst) && c.isUnbound(u.Slots[1].Dst) {
		return true
	}
	for base := 0; base < 4; base += class.Width() {
		ok := true
		for i := range u.Slots {
			ok = ok && c.mayTake(u.Slots[i].Dst, base+i)
		}
		if ok {
			for i := range u.Slots {
				if v := u.Slots[i].Dst; v != 0 {
					c.vals[v].ch = int8(base + i)
				}
			}
			return true
		}
	}
	return false
}

// isUnbound reports whether v may live in any channel of any register.
func (c *Code) isUnbound(v Val) bool {
	return v == 0 || c.vals[v].ch == AnyChan && c.vals[v].tie == 0
}

// mayTake reports whether v may live in channel ch.
func (c *Code) mayTake(v Val, ch int) bool {
	if v == 0 || c.vals[v].ch != AnyChan {
		return v == 0 || int(c.vals[v].ch) == ch
	}
	for _, w := range c.ties[c.vals[v].tie] {
		if int(c.vals[w].ch) == ch {
			return false
		}
	}
	return true
}

func (k checker) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("machine: %s: line %d: %s", k.c.Name, line, fmt.Sprintf(format, args...))
}
