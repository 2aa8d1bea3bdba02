package amdil

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
)

// target is a lane that is moved to a component of a register. sat clamps it.
type target struct {
	reg  il.Reg
	comp int
	from lane
	sat  bool
}

// place is a component of a register.
type place struct {
	reg  il.Reg
	comp int
}

// group is a set of targets that one mov writes.
type group struct {
	reg     il.Reg
	sat     bool
	literal bool
	from    from
	targets []target
}

// isNothing reports whether t moves a value to its present place.
func (w *writer) isNothing(t *target) bool {
	if t.sat || t.from.kind != laneTemp || t.from.mod != 0 {
		return false
	}
	r, c := w.a.place(t.from.v)
	return r == t.reg && c == t.comp
}

// writeCopies writes a statement of copies: as one transpose or mov, or as several movs.
func (w *writer) writeCopies(s *stmt) error {
	targets := make([]target, 0, len(s.copies))
	for _, c := range s.copies {
		t := target{from: c.from, sat: c.sat}
		t.reg, t.comp = w.a.place(c.to)
		targets = append(targets, t)
	}
	if s.op == il.OpTranspose && w.transpose(s, targets) {
		return nil
	}
	return w.copies(targets, s)
}

// transpose writes targets as a transpose if their registers fit (rows from to.Num, columns from src.Num),
// and the other components that it writes are free.
func (w *writer) transpose(s *stmt, targets []target) bool {
	first := s.copies[0]
	to := targets[0].reg
	src, _ := w.a.place(first.from.v)
	if int(to.Num) < first.row || int(src.Num) < targets[0].comp {
		return false
	}
	to.Num -= uint16(first.row)
	src.Num -= uint16(targets[0].comp)
	var written [4][4]bool
	for i, t := range targets {
		row, col := s.copies[i].row, int(w.b.comp[s.copies[i].to])
		r, c := w.a.place(t.from.v)
		if t.reg != (il.Reg{File: to.File, Num: to.Num + uint16(row)}) || t.comp != col ||
			r != (il.Reg{File: src.File, Num: src.Num + uint16(col)}) || c != row {
			return false
		}
		written[row][col] = true
	}
	for row := range written {
		for col, ok := range written[row] {
			if !ok && !w.a.isFree(il.Reg{File: to.File, Num: to.Num + uint16(row)}, col, 2*w.point+1, 2*w.point+1) {
				return false
			}
		}
	}
	in := il.Inst{Op: il.OpTranspose, HasDst: true, NSrc: 1}
	in.Dst.Reg, in.Dst.Mask = to, il.MaskAll
	in.Src[0].Reg = src
	if o := w.original(s); o != nil && o.Src[0].Reg == src && o.Src[0].Swz.Vector() == in.Src[0].Swz.Vector() {
		in.Src[0].Swz = o.Src[0].Swz
	}
	w.appendFor(in, s)
	return true
}

// copies performs all targets as one parallel copy, written sequentially. A mov whose destination no other
// mov reads goes first. If all remaining ones wait for each other (a cycle), the source of one is copied to a
// fresh temporary. s is the statement, or nil for moves that emission adds.
//
//	r0, r1 = r1, r0      mov r9, r1;  mov r1, r0;  mov r0, r9
//
// The greedy order is optimal in moves except for cycles, each of which costs one (e.g. Boissinot et al.,
// "Revisiting Out-of-SSA Translation", CGO 2009, algorithm 1).
func (w *writer) copies(targets []target, s *stmt) error {
	groups := w.groups(targets)
	for len(groups) > 0 {
		n := slices.IndexFunc(groups, func(g *group) bool { return !w.disturbs(g, groups) })
		if n < 0 { // they wait for each other
			n = 0
			if err := w.aside(groups[0]); err != nil {
				return err
			}
			if w.disturbs(groups[0], groups) {
				groups = append(groups[1:], groups[0])
				continue
			}
		}
		var as *stmt
		if s != nil && len(groups) == 1 {
			as = s // the last one, see lastWrite
		}
		if err := w.mov(groups[n], s, as != nil); err != nil {
			return err
		}
		groups = slices.Delete(groups, n, n+1)
	}
	return nil
}

// groups distributes targets to movs, one for each destination and source register. Zeros and ones join other
// groups, as a swizzle can select them (r0.x01_). It omits groups that move nothing.
func (w *writer) groups(targets []target) (groups []*group) {
	add := func(t target, f from, literal, any bool) bool {
		for _, g := range groups {
			if g.reg == t.reg && g.sat == t.sat && (any || g.literal == literal && g.from == f) {
				g.targets = append(g.targets, t)
				return true
			}
		}
		if any {
			return false
		}
		groups = append(groups, &group{reg: t.reg, sat: t.sat, from: f, literal: literal, targets: []target{t}})
		return true
	}
	var late []target
	for _, t := range targets {
		switch {
		case t.from.isUnit() && t.from.reg.File == il.NoFile:
			late = append(late, t)
		case t.from.kind == laneConst:
			add(t, from{}, true, false)
		default:
			add(t, w.readPlace(&t.from), false, false)
		}
	}
	for _, t := range late {
		if !add(t, from{}, false, true) {
			add(t, from{}, true, false)
		}
	}
	return slices.DeleteFunc(groups, func(g *group) bool {
		return !slices.ContainsFunc(g.targets, func(t target) bool { return !w.isNothing(&t) })
	})
}

// reads visits the components that t reads.
func (w *writer) reads(t *target, visit func(p place)) {
	see := func(l *lane) {
		switch l.kind {
		case laneTemp:
			r, c := w.a.place(l.v)
			visit(place{r, c})
		case laneLeaf:
			visit(place{l.reg, int(l.comp)})
		}
	}
	see(&t.from)
	for e := t.from.elem; e != nil; e = e.index.elem {
		see(&e.index)
	}
}

// disturbs reports whether another group reads a component that g writes.
func (w *writer) disturbs(g *group, groups []*group) bool {
	for _, other := range groups {
		if other == g {
			continue
		}
		for i := range other.targets {
			found := false
			w.reads(&other.targets[i], func(p place) {
				found = found || p.reg == g.reg && slices.ContainsFunc(g.targets, func(t target) bool { return t.comp == p.comp })
			})
			if found {
				return true
			}
		}
	}
	return false
}

// aside copies the source of g into a temporary, and makes g read that. Constants need no copy.
func (w *writer) aside(g *group) error {
	if !slices.ContainsFunc(g.targets, func(t target) bool { return t.from.kind == laneTemp || t.from.kind == laneLeaf }) {
		return nil
	}
	t, err := w.scratch()
	if err != nil {
		return err
	}
	first := &group{reg: t, from: g.from, literal: g.literal}
	for i := range g.targets {
		to := &g.targets[i]
		if k := to.from.kind; k != laneTemp && k != laneLeaf {
			continue
		}
		first.targets = append(first.targets, target{reg: t, comp: to.comp, from: to.from})
		to.from = lane{kind: laneLeaf, reg: t, comp: uint8(to.comp)}
	}
	return w.mov(first, nil, false)
}

// mov writes one group. last means that it completes the statement s.
func (w *writer) mov(g *group, s *stmt, last bool) error {
	in := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1}
	in.Dst.Reg, in.Dst.Sat = g.reg, g.sat
	var o operand
	var lanes il.Lanes
	for _, t := range g.targets {
		o.lanes[t.comp] = t.from
		lanes |= 1 << t.comp
	}
	in.Dst.Mask = maskOf(lanes)
	var hint *il.Src
	if s != nil {
		// dmov is a mov of doubles; keep the input's spelling.
		if s.op == il.OpDMov {
			in.Op = il.OpDMov
		}
		if from := w.original(s); from != nil {
			hint = &from.Src[0]
			if last {
				in.Dst.Mask = w.withConstants(&in, from)
				in.Ctl.Precise = from.Ctl.Precise
			}
		}
	}
	src, err := w.source(&o, [4]int{0, 1, 2, 3}, lanes, hint)
	if err != nil {
		return err
	}
	in.Src[0] = src
	if s != nil {
		w.appendFor(in, s)
	} else {
		w.appendInst(in, -1)
	}
	if last {
		w.last[in.Dst.Reg] = lastWrite{len(w.out) - 1, 2*w.point + 1}
	}
	return nil
}

// emitPhiMoves moves the block arguments of s to their parameters and reports whether that took any
// statements. Zeros and ones go into the mask of an earlier statement if possible.
func (w *writer) emitPhiMoves(s *stmt) (bool, error) {
	n := len(w.out)
	err := w.copies(w.handed(s), nil)
	return len(w.out) > n, err
}

// handed lists the moves for the block arguments of s.
func (w *writer) handed(s *stmt) (targets []target) {
	to := s.receivers()
	for k, l := range s.args {
		t := target{from: l}
		if t.reg, t.comp = w.a.place(to[k]); !w.isNothing(&t) && !w.masked(&t) {
			targets = append(targets, t)
		}
	}
	return targets
}

// masked adds t to the mask of the statement that last wrote the register of t. A write mask may contain
// constants (r0.xy01), so passing 0.0 or 1.0 takes no statement. The component must be free between the two.
func (w *writer) masked(t *target) bool {
	last, ok := w.last[t.reg]
	if !ok || !t.from.isUnit() || t.from.mod != 0 || t.from.reg.File != il.NoFile ||
		!w.a.isFree(t.reg, t.comp, last.point, 2*w.point) {
		return false
	}
	in := &w.out[last.at].Inst
	k := il.Zero
	if t.from.bits == one {
		k = il.One
	}
	if in.Dst.Mask.WriteAt(t.comp) == k {
		return true
	}
	if in.Dst.Mask.WriteAt(t.comp) != il.Keep {
		return false
	}
	var lanes [4]il.Write
	for c := range lanes {
		lanes[c] = in.Dst.Mask.WriteAt(c)
	}
	lanes[t.comp] = k
	in.Dst.Mask = il.MakeMask(lanes[0], lanes[1], lanes[2], lanes[3])
	in.Text = ""
	return true
}
