package lower

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// depthExport is the index of a separate export with depth and sample mask, as in the open drivers.
// maxBurst is the longest burst of an export instruction.
const (
	depthExport = 61
	maxBurst    = 16
)

// exports writes the outputs, neighbouring ones in one burst.
func (l *lowerer) exports() {
	var item *mir.Export
	at := -1
	l.taken = map[mir.Val]uint8{}
	for _, o := range l.f.Outs {
		base, c := int(o.Reg.Index), o.Reg.Comp
		switch il.File(o.Reg.File) {
		case il.Output:
		case il.Depth:
			base, c = depthExport, 0
		case il.SampleMask:
			base, c = depthExport, 2
		default:
			continue // the state of a memory
		}
		if base != at {
			if item == nil || base != item.Base+len(item.Regs) || len(item.Regs) == maxBurst {
				item = &mir.Export{Kind: r600.ExportPixel, Base: base, Line: l.line}
				l.emitItem(item)
			}
			item.Regs = append(item.Regs, [4]mir.Val{})
			at = base
		}
		if a := l.value(o.V); a.Kind != mir.NoArg {
			item.Regs[len(item.Regs)-1][c] = l.exported(a, c)
		}
	}
}

// exported returns the value for component c of an export of a. An operation of the last basic
// block can write its result directly into the register of the export, if no other export has taken
// it. A reduction can write several channels, with a value for each. Otherwise a move copies the
// value.
func (l *lowerer) exported(a mir.Arg, c uint8) mir.Val {
	v := a.Val
	if a.Kind != mir.ValArg || a.Neg || a.Abs || v < l.fresh || !l.vals[v].computed {
		return l.moveForExport(a)
	}
	if ch := l.vals[v].channel; ch != mir.AnyChan && ch != int8(c) {
		return l.moveForExport(a)
	}
	old := l.taken[v]
	l.taken[v] |= 1 << c
	if old == 0 {
		return v
	}
	if u := l.reductions[v]; u != nil && old>>c&1 == 0 {
		for i := range u.Slots {
			if u.Slots[i].Dst == 0 {
				u.Slots[i].Dst = l.newVal()
				return u.Slots[i].Dst
			}
		}
	}
	return l.moveForExport(a)
}

// moveForExport copies a to a new value before the exports at the end. The moves of all exports come first,
// so that exports can form a burst.
func (l *lowerer) moveForExport(a mir.Arg) mir.Val {
	v := l.newVal()
	l.vals[v].computed = true
	u := l.single(mir.Slot{Op: r600.OpMov, Dst: v, Args: [3]mir.Arg{l.operand(r600.OpMov, a)}}, l.line)
	n := len(*l.out)
	for n > 0 {
		if _, ok := (*l.out)[n-1].(*mir.Export); !ok {
			break
		}
		n--
	}
	*l.out = append(*l.out, nil)
	copy((*l.out)[n+1:], (*l.out)[n:])
	(*l.out)[n] = u
	return v
}
