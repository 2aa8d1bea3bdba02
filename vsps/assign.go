package vsps

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/slab"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// maxRounds bounds how often moves are added for values that cannot share a register.
// Each round either succeeds or gives an operand fresh values, which nothing else
// constrains, so few are ever needed; the number is a guard.
const maxRounds = 8

// assigner gives values registers and components. An operand reads one register, so
// values that an operand reads together must share one: the webs of regalloc, which are
// built by joining. Where a join fails (two of them are live at once in one component,
// or their components clash) moves are added and all starts again.
type assigner struct {
	b    *builder
	webs *regalloc.Webs
	// regs is the register of each value, by number.
	regs  []int32
	level map[*operand]int // how often an operand had to be copied
	// Per round: where a value is defined, and the second copy of a move of leaves.
	def   []int32
	used  []bool
	again map[*stmt]*stmt
	// spread takes registers in turn; apart does not coalesce moves; shallow takes those in
	// which chains of dependent reads are shortest.
	spread, apart, shallow bool
	// fresh are statements that write no register which they read.
	fresh map[*stmt]bool
}

// setApart has statements write other registers than they read. Some clients split
// instructions with several destinations in ways that clobber what they read (see
// [d3d9.Inst.ClobberedBySplit]).
func (a *assigner) setApart(list []*stmt) {
	if a.fresh == nil {
		a.fresh = map[*stmt]bool{}
	}
	for _, s := range list {
		a.fresh[s] = true
	}
}

// run assigns registers, adding moves where values that one operand or one place needs
// together cannot be together. Each round analyses liveness anew.
func (a *assigner) run() error {
	a.level = nil
	for range maxRounds {
		if len(a.b.stmts) > maxLifted {
			return errors.New("too many moves")
		}
		a.prune()
		a.again = nil
		memory := &a.b.e.alloc
		a.webs = memory.NewWebs(memory.Live(a.code()), a.b.comp, a.b.file)
		a.webs.Budget = a.b.f.Budget.Poller()
		insert, err := a.join()
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
	return errors.New("operands cannot be brought together")
}

// colour chooses the registers, by preference those of the homes.
func (a *assigner) colour() (err error) {
	a.webs.Spread = a.spread
	if a.shallow {
		a.webs.Choose = newChains(a).choose
	}
	a.regs, err = a.webs.Colour(a.limit, func(v int32) int { return int(a.b.home[v]) })
	return err
}

// limit is how many registers a file has.
func (a *assigner) limit(file uint8) int {
	switch d3d9.File(file) {
	case d3d9.Temp:
		return a.b.d.limits.Regs[d3d9.Temp]
	case d3d9.Addr, d3d9.Predicate:
		return 1
	}
	return 1 << 16 // outputs are pinned
}

// code describes the statements to the allocator: what each uses and defines, in the
// order of a flat list.
func (a *assigner) code() *regalloc.Code {
	e := a.b.e
	c := &e.code
	*c = regalloc.Code{Points: slab.Zeros(c.Points, len(a.b.stmts)), NumValues: int(a.b.n), Start: true, Budget: a.b.f.Budget}
	pool := e.values[:0]
	defer func() { e.values = pool }()
	for i, s := range a.b.stmts {
		p := &c.Points[i]
		// After break nothing runs; after a conditional break what follows does.
		if p.Kind = s.kind; s.kind == regalloc.Break && s.op == d3d9.OpBreak {
			p.Kind = regalloc.Leave
		}
		mark := len(pool)
		use := func(l *lane) {
			if l.kind == laneTemp {
				pool = append(pool, l.v)
			} else if l.index != nil {
				if x := a.b.lane(ir.Lane{V: l.index}); x.kind == laneTemp {
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

// join builds the webs and returns the moves that are missing. The order decides which
// constraints win: what cannot be helped by moves comes first.
//
//   - values that are in fixed registers, lanes that one statement writes,
//     registers that it destroys;
//   - what registers hold that nothing has written;
//   - values that meet at the ends of branches and loops, and what predicated
//     writes keep;
//   - lanes that one operand reads.
func (a *assigner) join() (insert []insertion, err error) {
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
	// The result of a loop and the parameter it came from have one place.
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
	for i, s := range b.stmts { // now that no component changes any more
		for k := range s.src {
			if !a.isNew(&s.src[k]) && !a.fits(s, k) {
				insert = append(insert, a.insertMoves(i, s, k)...)
			}
		}
	}
	for i, s := range b.stmts {
		insert = append(insert, a.splitFromDest(i, s)...)
	}
	return insert, nil
}

// joinResults joins the values that s writes, which have one register, and those that it
// destroys.
func (a *assigner) joinResults(s *stmt) error {
	w := a.webs
	// Under restricted swizzles the lanes of a vector stay in their order, as hardly any
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
	case ir.OpSinCos: // components of the destination
		for _, v := range s.kill {
			w.Fix(v)
			w.Join(first, v)
		}
	case ir.OpSgn: // two registers
		for k, v := range s.kill {
			w.Join(s.kill[k&^3], v)
		}
	}
	return nil
}

// joinStart joins what registers hold that nothing has written with what takes it where s hands it
// over or keeps it. It cannot be moved, as no statement may read it, so that all else gives way.
func (a *assigner) joinStart(s *stmt) error {
	join := func(v, to int32) error {
		if v < 0 || a.b.pin[v] == regalloc.NoPin || d3d9.File(a.b.file[v]).IsOutput() || a.webs.JoinAt(v, to) {
			return nil
		}
		return fmt.Errorf("what %s holds at first cannot be had elsewhere", d3d9.Reg{File: d3d9.File(a.b.file[v]), Index: uint16(a.b.pin[v])})
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

// handOver joins what s, which is number at, hands over at an end of a branch or a loop with what
// takes it, and what a predicated write keeps with its result. Where both are live at once it
// returns the moves that copy them first.
func (a *assigner) handOver(at int, s *stmt) (insert []insertion) {
	if len(s.args) == 0 && !s.cond {
		return nil
	}
	var apart []*lane // what has to be moved first
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

// receivers are the values that take what s hands over, in the order of its args.
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

// splitFromDest keeps the destination of s apart from sources that it may not share a
// register with, moving those that it already does: crs, nrm, lrp and the matrix macros
// write their destination before they have read all sources on some implementations,
// and the reference forbids it.
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
			a.webs.Apart(s.kill[0], f.v) // it is read again after they are written
			a.webs.Apart(s.kill[4], f.v)
		}
		if d3d9.MayReuse(a.b.d.Model, s.op, sourceIndex(s.op, k)) && !a.fresh[s] {
			continue
		}
		if !a.webs.Apart(dst, f.v) {
			insert = append(insert, a.insertMoves(at, s, k)...)
		}
	}
	return insert
}

// isNew reports whether o reads values that are new in this round: they are in no web
// yet and are judged in the next one.
func (a *assigner) isNew(o *operand) bool {
	if int(a.b.n) == len(a.def) {
		return false // there is none
	}
	for _, l := range o {
		if l.kind == laneTemp && int(l.v) >= len(a.def) {
			return true
		}
	}
	return false
}

// mask is the lanes that s writes.
func (s *stmt) mask() (m uint8) {
	for i, v := range s.out {
		if v >= 0 {
			m |= 1 << i
		}
	}
	return m
}

// operand tries to bring the temporaries of an operand into one register, with the
// components that its position demands. Failure is found by [assigner.fits] later, when
// all joins are done.
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
	// Coordinates of a fetch below 3_0 cannot be swizzled: lane i must be in component
	// i.
	if a.b.shape(s, k) == swizzleIdentity {
		for i := range o {
			if o[i].kind == laneTemp {
				if a.webs.Comp(o[i].v) != i {
					a.webs.Permute(o[i].v, i)
				}
			}
		}
		a.webs.Fix(f.v)
	}
}

// from lists the component to be read in each swizzle position of source k. The
// positions of a lane-wise op are the components it writes.
func (a *assigner) from(s *stmt, k int) [4]int8 {
	from := [4]int8{-1, -1, -1, -1}
	o := &s.src[k]
	for i := range o {
		l := &o[i]
		pos := i
		if s.kind == regalloc.Plain && s.irop.Info().Shape == ir.Lanewise && s.irop.HasFormula() && s.out[i] >= 0 {
			pos = a.webs.Comp(s.out[i])
		}
		switch l.kind {
		case laneTemp:
			from[pos] = int8(a.webs.Comp(l.v))
		case laneLeaf:
			from[pos] = int8(l.comp)
		}
	}
	return from
}

// fits reports whether source k can be read as it stands.
func (a *assigner) fits(s *stmt, k int) bool {
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
	return fitSwizzle(a.b.d, shape, a.from(s, k), nil) != noSwizzle
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
