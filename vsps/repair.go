package vsps

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// insertion is a statement to insert before index at, or nil for none.
type insertion struct {
	at int
	s  *stmt
}

// insertMoves returns the moves that make source k of s readable in the next round. It escalates,
// because every step costs more moves than the previous one:
//
//   - if an operand reads one value in several lanes, the statement that computes
//     it writes more lanes, which costs nothing ([assigner.widen]);
//   - a move that no swizzle can express is split lane by lane;
//   - the first time, lanes that are moves of leaves are read from a second copy,
//     which all operands with the same problem in this round share;
//   - the second time, the lanes that do not share a register with the first are
//     moved;
//   - the third time, all lanes are moved.
//
// After that the operand reads fresh values without other constraints, so it fits.
func (a *assigner) insertMoves(at int, s *stmt, k int) []insertion {
	o := &s.src[k]
	if a.widen(o) {
		return nothing(at)
	}
	if s.op == d3d9.OpMov && s.in == nil && !s.colour && d3d9.Mask(s.mask()).Count() > 1 {
		return a.split(at, s) // no swizzle can express it: split it lane by lane
	}
	level := a.level[o]
	if a.level == nil {
		a.level = map[*operand]int{}
	}
	a.level[o]++
	if level == 0 {
		if ins := a.second(o); ins != nil {
			return ins
		}
	}
	first := *o.first()
	keep := level <= 1 && first.kind == laneTemp && !a.together(o)
	return a.moveLanes(at, o, func(l *lane) bool {
		return !keep || l.kind != laneTemp || l.mod != 0 || !a.webs.Same(l.v, first.v)
	})
}

// moveLanes returns the moves after which o reads new values in the wanted lanes. Lanes from one
// register take one move.
func (a *assigner) moveLanes(at int, o *operand, wanted func(*lane) bool) (ins []insertion) {
	done := [4]bool{}
	for i := range o {
		l := o[i]
		if done[i] || l.kind == laneNone || l.kind == laneUndef || !wanted(&l) {
			continue
		}
		mv := a.b.mov(operand{})
		for j := i; j < 4; j++ {
			if !done[j] && o[j].same(&l) && (l.kind != laneTemp || a.webs.Same(o[j].v, l.v)) {
				mv.src[0][j] = o[j]
				mv.out[j] = a.b.value(j, uint8(d3d9.Temp))
				o[j] = lane{kind: laneTemp, v: mv.out[j]}
				done[j] = true
			}
		}
		ins = append(ins, insertion{at, mv})
	}
	return ins
}

// second makes the lanes of o that are moves of leaves read a second copy of them. It returns nil
// if there are none, or no other lanes that conflict with them. A constant that two operands need
// next to different values
//
//	mov r0.w, c0.x;  dp4 r2, (r1.xyz, r0.w), ..;  dp4 r3, (r4.xyz, r0.w), ..
//
// is moved twice, once into r1.w and once into r4.w, instead of moving three components of one of
// them.
func (a *assigner) second(o *operand) (ins []insertion) {
	var moves [4]*stmt
	n, other := 0, 0
	for i := range o {
		if o[i].kind != laneTemp {
			continue
		}
		if s := a.leafMove(o[i].v); s != nil {
			moves[i] = s
			n++
		} else {
			other++
		}
	}
	if n == 0 {
		return nil
	}
	if other == 0 { // keep the first of them
		f := -1
		for i := range o {
			if moves[i] != nil {
				if f < 0 {
					f = i
				}
				if moves[i] == moves[f] {
					moves[i] = nil
				}
			}
		}
	}
	for i, s := range moves {
		if s == nil {
			continue
		}
		twin := a.again[s]
		if twin == nil {
			twin = a.b.mov(s.src[0])
			twin.mods = s.mods
			for k, v := range s.out {
				if v >= 0 {
					twin.out[k] = a.b.value(k, uint8(d3d9.Temp))
				}
			}
			if a.again == nil {
				a.again = map[*stmt]*stmt{}
			}
			a.again[s] = twin
			ins = append(ins, insertion{int(a.def[o[i].v]) + 1, twin})
		} else {
			ins = append(ins, insertion{at: int(a.def[o[i].v])})
		}
		for k, v := range s.out {
			if v == o[i].v {
				o[i].v = twin.out[k]
				break
			}
		}
	}
	return ins
}

// leafMove returns the move of leaves that defines v, or nil if another statement does.
func (a *assigner) leafMove(v int32) *stmt {
	if int(v) >= len(a.def) || a.def[v] < 0 {
		return nil
	}
	s := a.b.stmts[a.def[v]]
	if s.op != d3d9.OpMov || s.irop != ir.OpMov || s.mods&ir.Sat != 0 || s.colour ||
		s.in != nil && s.in.IsPredicated() || a.b.pin[v] != regalloc.NoPin {
		return nil
	}
	for i, w := range s.out {
		if l := &s.src[0][i]; w >= 0 && (l.kind != laneLeaf || l.index != nil) {
			return nil
		}
	}
	return s
}

// nothing returns an empty insertion, which still requests another round.
func nothing(at int) []insertion { return []insertion{{at: at}} }

// widen handles an operand whose lanes all read one value, although the position requires different
// components. It makes the statement that computes the value write more lanes:
//
//	rcp r0.x, r1.x                  rcp r0.xy, r1.x
//	texld r2, (r0.x, r0.x), s0      texld r2, r0, s0
func (a *assigner) widen(o *operand) bool {
	f := o.first()
	n := 0
	for i := range o {
		if o[i].kind == laneNone || o[i].kind == laneUndef {
			continue
		}
		if o[i].kind != laneTemp || o[i].v != f.v || o[i].mod != 0 {
			return false
		}
		n++
	}
	if n < 2 {
		return false
	}
	if int(f.v) >= len(a.def) || a.def[f.v] < 0 {
		return false
	}
	s := a.b.stmts[a.def[f.v]]
	at := slices.Index(s.out[:], f.v)
	if at < 0 || s.kind != regalloc.Plain || !a.b.freeLanes(s) || s.irop.Has(ir.IsFetch) ||
		s.irop.Info().Shape == ir.Positional || d3d9.Mask(s.mask()).Count() != 1 || a.b.pin[f.v] != regalloc.NoPin {
		return false
	}
	// Move the one lane to the component that the operand requires and repeat it elsewhere.
	// Swizzles adapt the other readers of the value.
	lanewise := s.irop.Info().Shape == ir.Lanewise
	src := make([]lane, len(s.src))
	for k := range s.src {
		src[k] = s.src[k][at]
		if lanewise {
			s.src[k][at] = lane{}
		}
	}
	s.out[at] = -1
	reuse := f.v
	for i := range o {
		if o[i].kind != laneTemp {
			continue
		}
		v := reuse
		if v < 0 {
			v = a.b.value(i, a.b.file[f.v])
			a.b.home[v] = a.b.home[f.v]
		}
		reuse = -1
		a.b.comp[v] = uint8(i)
		s.out[i] = v
		o[i].v = v
		if lanewise {
			for k := range s.src {
				s.src[k][i] = src[k]
			}
		}
	}
	return true
}

// split replaces a move by one for each value that it reads; the value may be repeated. The first
// one keeps the statement.
func (a *assigner) split(at int, s *stmt) []insertion {
	var ins []insertion
	o, out := s.src[0], s.out
	mv := s
	for i := range out {
		if out[i] < 0 {
			continue
		}
		if mv == nil {
			mv = a.b.mov(operand{})
			ins = append(ins, insertion{at, mv})
		}
		mv.src[0], mv.out = operand{}, noValues
		for j := i; j < 4; j++ {
			if out[j] >= 0 && o[j] == o[i] {
				mv.src[0][j], mv.out[j] = o[j], out[j]
				out[j] = -1
			}
		}
		mv = nil
	}
	return ins
}

// displace moves operands of s that conflict with v, a copy of the value that s keeps in place of
// its result out. If such a copy still cannot share the place of the result, another operand of s
// is there. The moves precede the one that makes the copy. displace returns nil if v is not a copy
// yet, or has no conflict.
//
//	(p0) add r0, r1, r2    keeps v: r0 must hold v before; if r1 is in the place of the result, it is moved
func (a *assigner) displace(s *stmt, v, out int32) (ins []insertion) {
	if int(v) >= len(a.def) || a.def[v] < 0 {
		return nil
	}
	at := int(a.def[v])
	if mv := a.b.stmts[at]; mv.in != nil || mv.op != d3d9.OpMov {
		return nil
	}
	for k := range s.src {
		o := &s.src[k]
		if a.isNew(o) {
			continue
		}
		for i := range o {
			if l := &o[i]; l.kind == laneTemp && a.webs.Same(l.v, out) {
				ins = append(ins, a.moveLanes(at, o, func(*lane) bool { return true })...)
				break
			}
		}
	}
	return ins
}

// copies moves the value of each lane into a fresh value that prefers the place of its receiver,
// and makes the lane read that. Lanes from one register to one register share a move. This
// sequentializes the parallel copy of block arguments: all moves write fresh registers, so their
// order does not matter.
func (a *assigner) copies(lanes []*lane, params []int32) (moves []*stmt) {
	b := a.b
	together := func(x, y int32) bool {
		if b.pin[x] != regalloc.NoPin {
			return b.pin[x] == b.pin[y] && b.file[x] == b.file[y]
		}
		return a.webs.Same(x, y)
	}
	for k, l := range lanes {
		if l.v >= int32(len(a.def)) {
			continue // moved already, with an earlier one
		}
		from := l.v
		mv := a.b.mov(operand{})
		for j := k; j < len(lanes); j++ {
			l, c := lanes[j], b.comp[params[j]]
			if l.v >= int32(len(a.def)) || mv.out[c] >= 0 || !together(params[k], params[j]) || !a.webs.Same(from, l.v) {
				continue
			}
			mv.src[0][c], mv.out[c] = *l, b.handCopy(params[j])
			*l = lane{kind: laneTemp, v: mv.out[c]}
		}
		moves = append(moves, mv)
	}
	return moves
}

// insert inserts statements at their indices; for one index, in list order. It invalidates all
// indices found before.
func (b *builder) insert(list []insertion) {
	slices.SortStableFunc(list, func(x, y insertion) int { return x.at - y.at })
	out := b.other[:0]
	for i := 0; i <= len(b.stmts); i++ {
		for len(list) > 0 && list[0].at == i {
			if list[0].s != nil {
				out = append(out, list[0].s)
			}
			list = list[1:]
		}
		if i < len(b.stmts) {
			out = append(out, b.stmts[i])
		}
	}
	b.stmts, b.other = out, b.stmts
}
