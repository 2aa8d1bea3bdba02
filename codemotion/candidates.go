package codemotion

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// candidate is a vector of values that one or more pixel operands read and that the vertex program could
// supply. Operands that read equal lanes are uses of one candidate, which takes its components once.
type candidate struct {
	lanes [4]ir.Lane // by operand lane; unset lanes are not read
	// whole requires lane i to arrive in component i (texture coordinates before 3.0).
	whole bool
	// fixed marks a candidate that reads a register which is not interpolated linearly. Such a register can
	// also carry constants, which any interpolation preserves.
	fixed bool
	uses  []use
	// number counts the candidates of a program.
	number int
	// moves is the number of moves that bring inputs into one register with the rest. No instruction shows
	// them where copies of inputs were forwarded. It is -1 for a part.
	moves int
	// part marks a candidate whose operands also read lanes that stay. One move brings it into their register.
	part bool
}

// use is one operand: of an instruction, or (in nil) a group of output components.
type use struct {
	in   *ir.Instr
	src  int
	outs [4]int // indices into Func.Outs, -1 for none; only if in is nil
}

// distinct lists the different lanes of c.
func (c *candidate) distinct() []ir.Lane {
	var list []ir.Lane
next:
	for _, l := range c.lanes {
		if l.V == nil {
			continue
		}
		for _, k := range list {
			if k == l {
				continue next
			}
		}
		list = append(list, l)
	}
	return list
}

// isFree reports whether all of c are bare constants. On GPUs, instructions read them at no cost and
// compilers fold them.
func (c *candidate) isFree() bool {
	for _, l := range c.lanes {
		if l.V != nil && !original(l.V).IsConst() {
			return false
		}
	}
	return true
}

// isPart reports whether other lanes of the operands of c stay.
func (c *candidate) isPart() bool { return c.part }

// moves counts the input registers of lanes, and constants as one more, unless all lanes share one. An
// operand reads one register, so each takes a move if the lanes stay.
func moves(lanes [4]ir.Lane) int {
	var regs []ir.Reg
	mixed := false
	for _, l := range lanes {
		if l.V == nil {
			continue
		}
		r := ir.Reg{File: l.V.Home.File, Index: l.V.Home.Index}
		if l.V.IsConst() {
			r = ir.Reg{}
		}
		switch {
		case !l.V.IsLeaf():
			mixed = true
		case !slices.Contains(regs, r):
			regs = append(regs, r)
		}
	}
	if len(regs) == 1 && !mixed {
		return 0
	}
	return len(regs)
}

// candidates lists the movable operands of instructions that stay, in program order, and outputs. Operands of
// movable instructions are not on the frontier: their result is passed, or a later value.
func (m *mover) candidates() []*candidate {
	byKey := map[[4]ir.Lane]*candidate{}
	var list []*candidate
	parts := map[[4]ir.Lane]*candidate{}
	add := func(o *ir.Operand, whole bool, u use) {
		lanes, part, ok := m.frontier(o)
		if m.split = m.split || part; !ok || part && (!m.parts || u.in == nil && !m.link.Whole) {
			return
		}
		known := byKey
		if part {
			known, whole = parts, false
			for k := range lanes {
				if lanes[k].V == nil {
					u.outs[k] = -1
				}
			}
		}
		c := known[lanes]
		if c == nil {
			c = &candidate{lanes: lanes, moves: moves(lanes), fixed: slices.ContainsFunc(lanes[:], m.fixed), part: part,
				number: len(list)}
			if part {
				c.moves = -1
			}
			known[lanes] = c
			list = append(list, c)
		}
		c.whole = c.whole || whole
		c.uses = append(c.uses, u)
	}
	m.pixel.Walk(func(in *ir.Instr) {
		if m.moves(in) || in.Precise || in.Decides {
			// An instruction that keeps its terms (the depth, an exact decision) keeps its operands.
			return
		}
		for s := range in.Src {
			add(&in.Src[s], m.link.Whole && (in.Op.Has(ir.IsFetch) && in.Op != ir.OpFetchGrad || in.Op == ir.OpKill),
				use{in: in, src: s})
		}
	})
	for i := 0; i < len(m.pixel.Outs); {
		var lanes [4]ir.Lane
		u := use{outs: [4]int{-1, -1, -1, -1}}
		first := m.pixel.Outs[i].Reg
		for ; i < len(m.pixel.Outs) && m.pixel.Outs[i].Reg.File == first.File &&
			m.pixel.Outs[i].Reg.Index == first.Index; i++ {
			c := m.pixel.Outs[i].Reg.Comp
			lanes[c] = ir.Lane{V: m.pixel.Outs[i].V}
			u.outs[c] = i
		}
		if !m.link.Whole {
			// Other components may come from elsewhere: each write has a mask.
			for c, l := range lanes {
				if l.V != nil && !m.movable[l.V.ID] && !m.fixed(l) {
					lanes[c], u.outs[c] = ir.Lane{}, -1
				}
			}
		}
		o := ir.Operand(lanes)
		add(&o, m.link.Whole, u)
	}
	return list
}

// moves reports whether all lanes of in can move: it then stays only if another instruction reads it.
func (m *mover) moves(in *ir.Instr) bool {
	if in.Mask() == 0 {
		return false
	}
	for _, v := range in.Out {
		if v != nil && !m.movable[v.ID] {
			return false
		}
	}
	return true
}

// frontier returns the lanes of an operand that may move, if at least one is computed. If other lanes stay,
// it is a part of computed lanes. A modifier that all lanes share stays on the operand, otherwise modifiers
// move too. An absolute value is not affine, so it cannot move.
func (m *mover) frontier(o *ir.Operand) (lanes [4]ir.Lane, part, ok bool) {
	uniform := true
	var first *ir.Lane
	for i := range o {
		l := &o[i]
		if l.V == nil || l.V.Kind == ir.Undef {
			continue
		}
		if first == nil {
			first = l
		}
		uniform = uniform && l.Mod == first.Mod
		if !m.movable[l.V.ID] && !m.fixed(*l) {
			part = true
			continue
		}
		ok = ok || l.V.Kind == ir.Result
		lanes[i] = *l
	}
	if !ok {
		ok = !part && moves(lanes) > 1 // leaves of several registers need moves
	}
	if part = part || slices.ContainsFunc(lanes[:], m.fixed) && !m.completed(lanes); part {
		for i, l := range lanes {
			if l.V != nil && l.V.Kind != ir.Result {
				lanes[i] = ir.Lane{}
			}
		}
		ok = lanes != [4]ir.Lane{}
	}
	if uniform {
		for i := range lanes {
			lanes[i].Mod = 0
		}
	} else {
		for _, l := range lanes {
			if l.Mod&ir.Abs != 0 {
				return lanes, false, false
			}
		}
	}
	return lanes, part, ok
}

// fixed reports whether l is in a register that is not interpolated linearly.
func (m *mover) fixed(l ir.Lane) bool {
	if l.V == nil || l.V.Kind != ir.Input {
		return false
	}
	out, linear := linked(m.link, l.V.Home)
	return out.File != 0 && !linear
}

// completed reports whether lanes are unmodified lanes of one fixed register, and constants that any
// interpolation and a clamp to 0..1 preserve.
func (m *mover) completed(lanes [4]ir.Lane) bool {
	var from ir.Reg
	for _, l := range lanes {
		switch {
		case l.V == nil || isUnit(l):
		case l.Mod != 0 || !m.fixed(l):
			return false
		case from.File != 0 && (from.File != l.V.Home.File || from.Index != l.V.Home.Index):
			return false
		default:
			from = l.V.Home
		}
	}
	return true
}

// isUnit reports whether l is the literal 0 or 1.
func isUnit(l ir.Lane) bool {
	return l.Mod == 0 && l.V.Kind == ir.Literal && (l.V.Bits == 0 || l.V.Bits == math.Float32bits(1))
}
