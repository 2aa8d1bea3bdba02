package vsps

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// maxRounds bounds the rounds in which moves are added for values that cannot share a register.
// Each round either succeeds or gives an operand fresh values without other constraints, so few
// rounds are needed; the number is a guard.
const maxRounds = 8

// assigner assigns registers and components to values. An operand reads one register, so the values
// of an operand must share one. Joins build such sets, the webs of regalloc. If a join fails (two
// values are live at once in one component, or their components clash), the assigner adds moves and
// starts again.
type assigner struct {
	b    *builder
	webs *regalloc.Webs
	// regs is the register of each value.
	regs  []int32
	level map[*operand]int // number of copies of an operand so far
	// Per round: the definition of each value, and the second copy of a move of leaves.
	def   []int32
	used  []bool
	again map[*stmt]*stmt
	// spread takes registers in rotation; apart disables coalescing of moves; shallow takes the
	// registers with the shortest chains of dependent reads.
	spread, apart, shallow bool
	// fresh are statements whose destination must differ from the registers they read.
	fresh map[*stmt]bool
}

// setApart makes statements write other registers than they read. Some clients split instructions
// with several destinations in ways that clobber operands (see [d3d9.Inst.ClobberedBySplit]).
func (a *assigner) setApart(list []*stmt) {
	if a.fresh == nil {
		a.fresh = map[*stmt]bool{}
	}
	for _, s := range list {
		a.fresh[s] = true
	}
}

// run assigns registers. It adds moves if the values of one operand or one place cannot share a
// register. Each round analyses liveness again.
func (a *assigner) run() error {
	a.level = nil
	for range maxRounds {
		if len(a.b.stmts) > maxLifted {
			return errors.New("too many moves")
		}
		a.prune()
		a.again = nil
		memory := &a.b.e.alloc
		a.webs = memory.NewWebs(memory.LiveIntervals(a.regallocCode()), a.b.comp, a.b.file)
		a.webs.Budget = a.b.f.Budget.Poller()
		insert, err := a.buildWebs()
		if err != nil {
			return err
		}
		if len(insert) == 0 {
			if !a.apart {
				a.coalesce()
			}
			return a.colour()
		}
		a.b.insert(insert)
	}
	return errors.New("operands cannot be placed in one register")
}

// colour selects the registers, preferably the home registers.
func (a *assigner) colour() (err error) {
	a.webs.Spread = a.spread
	if a.shallow {
		a.webs.Choose = newChains(a).choose
	}
	a.regs, err = a.webs.Colour(a.limit, func(v int32) int { return int(a.b.home[v]) })
	return err
}

// limit returns the number of registers in a file.
func (a *assigner) limit(file uint8) int {
	switch d3d9.File(file) {
	case d3d9.Temp:
		return a.b.d.limits.Regs[d3d9.Temp]
	case d3d9.Addr, d3d9.Predicate:
		return 1
	}
	return 1 << 16 // outputs are pinned
}

// regallocCode describes the statements to the allocator: the uses and definitions of each, as a flat list.
func (a *assigner) regallocCode() *regalloc.Code {
	e := a.b.e
	c := &e.code
	*c = regalloc.Code{Points: container.Zeros(c.Points, len(a.b.stmts)), NumValues: int(a.b.n), Start: true,
		Budget: a.b.f.Budget}
	pool := e.values[:0]
	defer func() { e.values = pool }()
	for i, s := range a.b.stmts {
		p := &c.Points[i]
		// Nothing runs after break; after a conditional break the next statement does.
		if p.Kind = s.kind; s.kind == regalloc.Break && s.op == d3d9.OpBreak {
			p.Kind = regalloc.Leave
		}
		mark := len(pool)
		use := func(l *lane) {
			if l.kind == laneTemp {
				pool = append(pool, l.v)
			} else if l.index != nil {
				if x := a.b.translateLane(ir.Lane{V: l.index}); x.kind == laneTemp {
					pool = append(pool, x.v)
				}
			}
		}
		for k := range s.src {
			o := &s.src[k]
			for j := range o {
				if l := &o[j]; l.kind == laneTemp {
					pool = append(pool, l.v)
				} else if l.index != nil {
					use(l)
				}
			}
		}
		if s.cond {
			for j := range s.pred {
				use(&s.pred[j])
			}
			for _, v := range s.keep {
				if v >= 0 {
					pool = append(pool, v)
				}
			}
		}
		for j := range s.args {
			use(&s.args[j])
		}
		p.Uses = pool[mark:len(pool):len(pool)]
		mark = len(pool)
		for _, v := range s.out {
			if v >= 0 {
				pool = append(pool, v)
			}
		}
		pool = append(append(pool, s.kill...), s.params...)
		p.Defs = pool[mark:len(pool):len(pool)]
	}
	return c
}

// buildWebs builds the webs and returns the missing moves. The order determines which constraints win:
// those that moves cannot satisfy come first.
//
//   - values in fixed registers, lanes that one statement writes, and registers
//     that it destroys;
//   - initial contents of registers;
//   - values that meet at the ends of branches and loops, and values that
//     predicated writes keep;
//   - lanes that one operand reads.
func (a *assigner) buildWebs() (insert []insertion, err error) {
	b, w := a.b, a.webs
	for v, pin := range b.pin {
		if pin != regalloc.NoPin {
			w.Pin(int32(v), pin)
		}
	}
	for _, s := range b.stmts {
		if err := a.joinResults(s); err != nil {
			return nil, err
		}
	}
	// The result of a loop and the corresponding parameter share a place.
	for _, s := range b.stmts {
		if s.kind == regalloc.EndLoop {
			for j := range s.params {
				w.JoinAt(s.params[j], s.loop.params[j])
			}
		}
	}
	for _, s := range b.stmts {
		if err := a.joinStart(s); err != nil {
			return nil, err
		}
	}
	for i, s := range b.stmts {
		insert = append(insert, a.handOver(i, s)...)
	}
	for _, s := range b.stmts {
		for k := range s.src {
			if !a.isNew(&s.src[k]) {
				a.operand(s, k)
			}
		}
	}
	for i, s := range b.stmts { // components are final now
		for k := range s.src {
			if !a.isNew(&s.src[k]) && !a.sourceFits(s, k) {
				insert = append(insert, a.insertMoves(i, s, k)...)
			}
		}
	}
	for i, s := range b.stmts {
		insert = append(insert, a.splitFromDest(i, s)...)
	}
	return insert, nil
}

// joinResults joins the values that s writes, which share a register, and those that it destroys.
func (a *assigner) joinResults(s *stmt) error {
	w := a.webs
	// Under restricted swizzles the lanes of a vector keep their order, because hardly any
	// permutation can be read.
	restricted := a.b.d.limits.Swizzles != nil
	fixed := !a.b.freeLanes(s) || restricted && d3d9.Mask(s.mask()).Count() > 1
	first := int32(-1)
	for _, v := range s.out {
		if v < 0 {
			continue
		}
		if fixed && s.kind == regalloc.Plain {
			w.Fix(v)
		}
		if first < 0 {
			first = v
		} else if !w.Join(first, v) {
			return fmt.Errorf("lanes of one %v do not fit one register", s.irop)
		}
	}
	switch s.irop {
	case ir.OpSinCos: // destroys components of the destination
		for _, v := range s.kill {
			w.Fix(v)
			w.Join(first, v)
		}
	case ir.OpSgn: // destroys two registers
		for k, v := range s.kill {
			w.Join(s.kill[k&^3], v)
		}
	}
	return nil
}

// joinStart joins the initial contents of registers with their receivers, where s passes or keeps
// them. They cannot be moved, because no statement may read them, so these joins have priority.
func (a *assigner) joinStart(s *stmt) error {
	join := func(v, to int32) error {
		if v < 0 || a.b.pin[v] == regalloc.NoPin || d3d9.File(a.b.file[v]).IsOutput() || a.webs.JoinAt(v, to) {
			return nil
		}
		return fmt.Errorf("the initial value of %s is available nowhere else",
			d3d9.Reg{File: d3d9.File(a.b.file[v]), Index: uint16(a.b.pin[v])})
	}
	if len(s.args) > 0 {
		to := s.receivers()
		for j, l := range s.args {
			if l.kind == laneTemp {
				if err := join(l.v, to[j]); err != nil {
					return err
				}
			}
		}
	}
	if s.cond {
		for j, v := range s.keep {
			if err := join(v, s.out[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// handOver joins the block arguments of statement s, at index at, with the parameters or results
// that receive them, and the values that a predicated write keeps with its results. If both are
// live at once, it returns moves that copy them first.
func (a *assigner) handOver(at int, s *stmt) (insert []insertion) {
	if len(s.args) == 0 && !s.cond {
		return nil
	}
	var apart []*lane // lanes that have to be moved first
	var params []int32
	to := s.receivers()
	for j, l := range s.args {
		if l.kind == laneTemp && !a.webs.JoinAt(l.v, to[j]) {
			apart, params = append(apart, &s.args[j]), append(params, to[j])
		}
	}
	var kept []lane
	for j, v := range s.keep {
		if v < 0 || a.webs.JoinAt(s.out[j], v) {
			continue
		}
		if moves := a.displace(s, v, s.out[j]); moves != nil {
			insert = append(insert, moves...)
			continue
		}
		if kept == nil {
			kept = make([]lane, 4)
		}
		kept[j] = lane{kind: laneTemp, v: v}
		apart, params = append(apart, &kept[j]), append(params, s.out[j])
	}
	for _, mv := range a.copies(apart, params) {
		insert = append(insert, insertion{at, mv})
	}
	for j, l := range kept {
		if l.kind != laneNone {
			s.keep[j] = l.v
		}
	}
	return insert
}

// receivers returns the values that receive the block arguments of s, in order.
func (s *stmt) receivers() []int32 {
	switch s.kind {
	case regalloc.Else:
		return s.end.params
	case regalloc.EndLoop:
		return s.loop.params
	case regalloc.Break:
		return s.loop.end.params
	}
	return s.params
}

// splitFromDest separates the destination of s from sources with which it may not share a register,
// and moves those that already do. On some implementations, crs, nrm, lrp and the matrix macros
// write their destination before they have read all sources, and the reference forbids it.
func (a *assigner) splitFromDest(at int, s *stmt) (insert []insertion) {
	if s.kind != regalloc.Plain || s.mask() == 0 {
		return nil
	}
	if s.irop != ir.OpSgn && !d3d9.SomeApart(s.op) && !a.fresh[s] {
		return nil // it may write any register that it reads
	}
	dst := int32(-1)
	for _, v := range s.out {
		if v >= 0 && int(v) < len(a.def) {
			dst = v
		}
	}
	if dst < 0 {
		return nil
	}
	for k := range s.src {
		f := s.src[k].first()
		if f == nil || f.kind != laneTemp || a.isNew(&s.src[k]) {
			continue
		}
		if s.irop == ir.OpSgn {
			a.webs.Apart(s.kill[0], f.v) // it is read again after the scratch registers are written
			a.webs.Apart(s.kill[4], f.v)
		}
		if d3d9.MayReuse(a.b.d.model, s.op, sourceIndex(s.op, k)) && !a.fresh[s] {
			continue
		}
		if !a.webs.Apart(dst, f.v) {
			insert = append(insert, a.insertMoves(at, s, k)...)
		}
	}
	return insert
}

// isNew reports whether o reads values that were created in this round. They have no web yet, and
// the next round checks them.
func (a *assigner) isNew(o *operand) bool {
	if int(a.b.n) == len(a.def) {
		return false // no value is new
	}
	for _, l := range o {
		if l.kind == laneTemp && int(l.v) >= len(a.def) {
			return true
		}
	}
	return false
}

// mask returns the lanes that s writes.
func (s *stmt) mask() (m uint8) {
	for i, v := range s.out {
		if v >= 0 {
			m |= 1 << i
		}
	}
	return m
}

// operand tries to join the temporaries of an operand into one register, with the components that
// its position requires. [assigner.sourceFits] detects failures later, after all joins.
func (a *assigner) operand(s *stmt, k int) {
	o := &s.src[k]
	f := o.first()
	if f == nil || f.kind != laneTemp {
		return
	}
	for i := range o {
		if o[i].kind == laneTemp && !a.webs.Join(f.v, o[i].v) {
			return
		}
	}
	// Coordinates of a fetch below 3_0 cannot be swizzled: lane i must be in component i.
	if a.b.shape(s, k) == swizzleIdentity {
		for i := range o {
			if o[i].kind == laneTemp {
				if a.webs.ComponentOf(o[i].v) != i {
					a.webs.Permute(o[i].v, i)
				}
			}
		}
		a.webs.Fix(f.v)
	}
}

// swizzleComponents returns the component to be read in each swizzle position of source k. The positions of a
// lane-wise op are the components that it writes.
func (a *assigner) swizzleComponents(s *stmt, k int) [4]int8 {
	from := [4]int8{-1, -1, -1, -1}
	o := &s.src[k]
	for i := range o {
		l := &o[i]
		pos := i
		if s.kind == regalloc.Plain && s.irop.Info().Shape == ir.Lanewise && s.irop.HasFormula() && s.out[i] >= 0 {
			pos = a.webs.ComponentOf(s.out[i])
		}
		switch l.kind {
		case laneTemp:
			from[pos] = int8(a.webs.ComponentOf(l.v))
		case laneLeaf:
			from[pos] = int8(l.comp)
		}
	}
	return from
}

// sourceFits reports whether source k is readable without a move.
func (a *assigner) sourceFits(s *stmt, k int) bool {
	o := &s.src[k]
	f := o.first()
	if f == nil {
		return true
	}
	if f.kind == laneTemp && !a.together(o) {
		return false
	}
	shape := a.b.shape(s, k)
	if shape == swizzleAny && a.b.d.limits.Swizzles == nil {
		return true
	}
	return fitSwizzle(a.b.d, shape, a.swizzleComponents(s, k), nil) != noSwizzle
}

// together reports whether the temporaries that o reads share a register.
func (a *assigner) together(o *operand) bool {
	f := o.first()
	for i := range o {
		if o[i].kind == laneTemp && !a.webs.Same(o[i].v, f.v) {
			return false
		}
	}
	return true
}
