package sched

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// relieve packs a unit that fits no group. Such a unit reads too many constants, literals or
// registers of one channel for a group, or has several results in one channel. relieve first moves
// operands into registers: operand j of lane i into channel i, where three of each lane can always
// be read. It moves as few as needed, and moves results after the unit. For example, R700 reads two
// pairs of constant channels in a group:
//
//	MULADD x, cb0[0].x, cb0[1].x, cb0[2].x
//
// This becomes a move of one constant into a temporary value, and the MULADD after it.
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

// apart removes from a reduction the results that cannot have a channel of their own, and returns
// moves that copy them from the first result. The channels follow from the registers that other
// items need the results in, so only packing knows them all.
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
			moves = append(moves, &mir.ALU{Slots: []mir.Slot{{Op: r600.OpMov, Dst: s.Dst, Args: [3]mir.Arg{mir.V(first)}}},
				Line: u.Line})
			s.Dst = 0
		}
	}
	return moves
}

// moveOne replaces one operand of u by a new value and returns the move that defines it: constants
// first, then literals, then values. It returns nil if every operand is already such a value.
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
				for k := j; k < s.Op.Sources(); k++ { // all equal operands of this lane
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

// newVal returns a new value bound to channel ch during scheduling, and grows the packer's arrays.
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
	ok := p.addUnit(u)
	p.clause.address = 0
	p.g = group{}
	return ok
}

// force packs u into its own group, with its address loaded in the group before. It opens a new
// clause if the open one has no room or conflicting locks.
func (x *runner) force(u *mir.ALU) {
	p := x.pack
	for {
		x.openALU()
		if v := addressOf(u); v != 0 && v != p.clause.address {
			p.addUnit(&mir.ALU{Slots: []mir.Slot{{Op: r600.OpMovaInt, Args: [3]mir.Arg{mir.V(v)}}}})
			x.endGroup()
		}
		if p.addUnit(u) {
			x.endGroup()
			return
		}
		x.closeALU()
	}
}

// endGroup closes the open group and appends it to the clause.
func (x *runner) endGroup() { x.pack.groups = append(x.pack.groups, x.pack.finish()) }
