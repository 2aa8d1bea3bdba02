package sched

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// relieve packs a unit that fits no group as it is: it reads more constants or literals
// than a group can, or too many registers of one channel, or leaves several results in one
// channel. Operands are moved into registers first, operand j of lane i into channel i,
// where three of each lane can always be read. As few are moved as will do. Results are
// moved behind it.
// For example, on R700, which reads two pairs of channels of constants in a group:
//
//	MULADD x, cb0[0].x, cb0[1].x, cb0[2].x
//
// becomes a move of one constant into a temporary value, and the MULADD behind it.
func (x *runner) relieve(u *mir.ALU) error {
	p := x.pack
	x.closeALU()
	p.begin()
	with := &mir.ALU{Slots: append([]mir.Slot(nil), u.Slots...), Mem: u.Mem, Line: u.Line}
	behind := p.apart(with)
	var moves []*mir.ALU
	for !p.alone(with) {
		m := x.moveOne(with)
		if m == nil {
			return fmt.Errorf("machine: %s: line %d: %s fits no group", x.code.Name, u.Line, u.Slots[0].Op)
		}
		moves = append(moves, m)
	}
	for _, m := range moves {
		x.force(m)
	}
	x.force(with)
	for _, m := range behind {
		x.force(m)
	}
	return nil
}

// apart leaves a reduction those of its results that can have a channel each, and returns
// the moves that make the others of the first. These channels are those of the registers
// that other items want the results in, so that only packing knows them all.
func (p *packer) apart(u *mir.ALU) (moves []*mir.ALU) {
	if !u.Slots[0].Op.Reduces() {
		return nil
	}
	first := mir.Val(0)
	for i := range u.Slots {
		s := &u.Slots[i]
		switch {
		case first == 0:
			first = s.Dst
		case s.Dst != 0 && !p.spread(u.Slots[:i+1], &[4]mir.Val{}):
			moves = append(moves, &mir.ALU{Slots: []mir.Slot{{Op: r600.OpMov, Dst: s.Dst, Args: [3]mir.Arg{mir.V(first)}}}, Line: u.Line})
			s.Dst = 0
		}
	}
	return moves
}

// moveOne replaces one operand of u by a new value and returns the move that makes it: constants
// first, then literals, then values. Nil says that every operand is already such a value.
func (x *runner) moveOne(u *mir.ALU) *mir.ALU {
	for _, kind := range [...]mir.ArgKind{mir.ConstArg, mir.LiteralArg, mir.ValArg} {
		for i := range u.Slots {
			s := &u.Slots[i]
			for j := range s.Op.Sources() {
				a := &s.Args[j]
				if a.Kind != kind || a.Kind == mir.ValArg && a.Val >= x.moved {
					continue
				}
				from := *a
				from.Neg, from.Abs = false, false
				v := x.newVal(i)
				for k := j; k < s.Op.Sources(); k++ { // of this lane, wherever else it is read
					b := &s.Args[k]
					if same := *b; b.Kind == kind {
						same.Neg, same.Abs = false, false
						if same == from {
							*b = mir.Arg{Kind: mir.ValArg, Val: v, Neg: b.Neg, Abs: b.Abs}
						}
					}
				}
				return &mir.ALU{Slots: []mir.Slot{{Op: r600.OpMov, Dst: v, Args: [3]mir.Arg{from}}}, Line: u.Line}
			}
		}
	}
	return nil
}

// newVal makes a value bound to channel ch while scheduling goes on; the packer's arrays grow with
// it.
func (x *runner) newVal(ch int) mir.Val {
	v := x.code.NewValAt(ch)
	x.pack.chans = append(x.pack.chans, int8(ch))
	x.pack.hints = append(x.pack.hints, int8(ch))
	x.pack.result = append(x.pack.result, result{})
	x.scheduler.live.shared = append(x.scheduler.live.shared, 0)
	return v
}

// alone reports whether u fits the first group of a clause that has its address.
func (p *packer) alone(u *mir.ALU) bool {
	p.clause.address = addressOf(u)
	ok := p.add(u)
	p.clause.address = 0
	p.g = group{}
	return ok
}

// force packs u into a group of its own, with its address loaded in the group before, in a new
// clause if the open one has no room or other locks.
func (x *runner) force(u *mir.ALU) {
	p := x.pack
	for {
		x.openALU()
		if v := addressOf(u); v != 0 && v != p.clause.address {
			p.add(&mir.ALU{Slots: []mir.Slot{{Op: r600.OpMovaInt, Args: [3]mir.Arg{mir.V(v)}}}})
			x.endGroup()
		}
		if p.add(u) {
			x.endGroup()
			return
		}
		x.closeALU()
	}
}

// endGroup closes the open group and appends it to the clause.
func (x *runner) endGroup() { x.pack.groups = append(x.pack.groups, x.pack.finish()) }
