package vsps

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// legalizer makes every operand readable, with all its lanes from one register under one modifier.
// It also limits the constant and input registers of a statement to the ports of the model. It
// moves other values into temporaries first:
//
//	add r0, c0, c1          mov r1, c1
//	                        add r0, c0, r1
//
// It only handles leaves. Temporaries may still get several registers; the assigner repairs this
// after it has tried to join them (repair.go). The legalizer is greedy and linear in the
// statements. All later operands of the same block share a move of a leaf. Among conflicting reads
// of a port it moves the one with the highest use count.
type legalizer struct {
	b    *builder
	pool *constPool
	out  []*stmt
	// copied maps a leaf lane to the temporary that holds it, in this block or an enclosing one.
	// The end of a block undoes its entries, because its moves do not dominate the following code.
	copied map[lane]int32
	// undo are the lanes in copied in order of entry; scopes are the positions in undo at which
	// each block began.
	undo   []lane
	scopes []int
	consts []*operand // scratch
	index  []int
	// reads is the number of operands that read a leaf lane, by key.
	reads map[uint64]int32
}

// key returns a number that identifies leaf lanes: all fields of a lane, packed. A literal has no
// index, and an indexed read has no bits.
func (l *lane) key() uint64 {
	bits, indexed := uint64(l.bits), uint64(0)
	if l.index != nil {
		bits, indexed = uint64(l.index.ID), 1
	}
	return bits<<32 | uint64(l.reg.Index)<<16 | uint64(l.reg.File)<<10 | uint64(l.mod)<<6 | uint64(l.comp)<<4 | uint64(l.kind)<<1 | indexed
}

// run legalizes all statements. Moves for block arguments of a statement precede it; those of an
// else or an end are in the block that ends there.
func (z *legalizer) run() error {
	for _, s := range z.b.stmts {
		for k := range s.src {
			for i := range s.src[k] {
				if l := &s.src[k][i]; l.kind == laneLeaf || l.kind == laneConst {
					z.reads[l.key()]++
				}
			}
		}
	}
	budget := z.b.f.Budget.Poller()
	for _, s := range z.b.stmts {
		budget.Poll()
		switch s.kind {
		case regalloc.Else, regalloc.EndIf, regalloc.EndLoop:
			z.handOver(s) // before the entries of the ending block are removed
			z.pop()
		}
		if err := z.legalizeStmt(s); err != nil {
			return err
		}
		switch s.kind {
		case regalloc.Loop, regalloc.Break:
			z.out = z.out[:len(z.out)-1]
			z.handOver(s)
			z.out = append(z.out, s)
		}
		switch s.kind {
		case regalloc.If, regalloc.Else, regalloc.Loop:
			z.scopes = append(z.scopes, len(z.undo))
		}
	}
	z.b.stmts, z.b.other = z.out, z.b.stmts
	return nil
}

// pop ends a block and removes its moves from copied.
func (z *legalizer) pop() {
	n := z.scopes[len(z.scopes)-1]
	z.scopes = z.scopes[:len(z.scopes)-1]
	for _, l := range z.undo[n:] {
		delete(z.copied, l)
	}
	z.undo = z.undo[:n]
}

// handOver moves leaves among block arguments into temporaries, because values meet in registers.
func (z *legalizer) handOver(s *stmt) {
	for i := range s.args {
		if k := s.args[i].kind; k == laneLeaf || k == laneConst {
			to := s.params
			switch {
			case s.kind == regalloc.Else:
				to = s.end.params
			case s.kind == regalloc.Break:
				to = s.loop.end.params
			}
			v := z.b.handCopy(to[i])
			var o operand
			o[z.b.comp[v]] = s.args[i]
			mv := z.b.mov(o)
			mv.out[z.b.comp[v]] = v
			z.legalizeStmt(mv)
			s.args[i] = lane{kind: laneTemp, v: v}
		}
	}
}

// handCopy returns a new value that prefers the register of the parameter.
func (b *builder) handCopy(param int32) int32 {
	v := b.value(int(b.comp[param]), b.file[param])
	b.pin[v], b.home[v] = b.pin[param], b.home[param]
	return v
}

// legalizeStmt legalizes the operands of s and appends it after the necessary moves.
func (z *legalizer) legalizeStmt(s *stmt) error {
	// The constants of sincos are not data; the writer adds them.
	if s.irop == ir.OpSinCos {
		s.src = s.src[:1]
	}
	switch s.op {
	case d3d9.OpIf, d3d9.OpBreakp, d3d9.OpRep, d3d9.OpLoop: // booleans and integers are already in place
		z.out = append(z.out, s)
		return nil
	}
	if parts := z.split(s); len(parts) > 1 {
		for _, part := range parts {
			if err := z.legalizeStmt(part); err != nil {
				return err
			}
		}
		return nil
	}
	for k := range s.src {
		if err := z.compose(s, k); err != nil {
			return err
		}
	}
	if err := z.ports(s); err != nil {
		return err
	}
	z.out = append(z.out, s)
	return nil
}

// split replaces a mov with lanes from several places, none of which is a temporary, by one mov for
// each place. Collecting them in a temporary would take one statement more.
//
//	mov r0.xyz, (v0.x, v0.y, v1.x)      mov r0.xy, v0;  mov r0.z, v1.x
func (z *legalizer) split(s *stmt) (parts []*stmt) {
	if s.op != d3d9.OpMov || s.irop != ir.OpMov || s.cond || s.colour || len(s.src) != 1 {
		return nil
	}
	o := &s.src[0]
	var done [4]bool
	for i := range o {
		l := &o[i]
		if done[i] || l.kind == laneNone || l.kind == laneUndef {
			continue
		}
		if l.kind != laneLeaf && l.kind != laneConst || z.reads[l.key()] > 1 { // a temporary may serve other operands
			return nil
		}
		part := *s
		part.out, part.src = noValues, []operand{{}}
		for j := i; j < 4; j++ {
			if !done[j] && (o[j].same(l) || o[j].kind == laneConst && l.kind == laneConst) {
				part.out[j], part.src[0][j], done[j] = s.out[j], o[j], true
			}
		}
		parts = append(parts, &part)
	}
	return parts
}

// compose splits an operand with several places: it moves all but one of them into temporaries. If
// a move cannot read a place either (a swizzle that the model does not have), it moves lane by
// lane. Lanes of temporaries without modifier stay, so that they and the moved lanes may share a
// register:
//
//	add r0.xy, (r1.x, c0.x), r2      mov r1.y, c0.x;  add r0.xy, r1, r2
func (z *legalizer) compose(s *stmt, k int) error {
	o := &s.src[k]
	first := o.first()
	if first == nil {
		return nil
	}
	mixed := false
	keep := laneNone // lanes of temporaries without a modifier may stay
	for i := range o {
		l := &o[i]
		if l.kind == laneNone || l.kind == laneUndef {
			continue
		}
		if l.kind == laneTemp && l.mod == 0 {
			keep = laneTemp
		}
		if l.kind == laneConst && first.kind == laneConst {
			continue // the pool handles modifiers of literals
		}
		mixed = mixed || !l.same(first) || l.kind == laneConst != (first.kind == laneConst)
	}
	// Operands that need no change: one readable leaf, literals in one place, or temporaries.
	switch {
	case mixed:
	case first.reg.File == d3d9.ConstBool: // of a condition, which may negate it
		return nil
	case first.kind == laneLeaf && !z.readable(s, k, o):
	case first.kind == laneConst && z.b.shape(s, k) == swizzleIdentity && s.op.Kind() == d3d9.TextureOp:
	default:
		return nil
	}
	// Each iteration moves the lanes similar to lane i, and marks them.
	done := [4]bool{}
	for i := range o {
		l := o[i]
		if done[i] || l.kind == laneNone || l.kind == laneUndef ||
			mixed && keep == laneTemp && l.kind == laneTemp && l.mod == 0 {
			continue
		}
		var part operand
		for j := i; j < 4; j++ {
			if !done[j] && (o[j].same(&l) || o[j].kind == laneConst && l.kind == laneConst) {
				part[j] = o[j]
				if l.kind == laneLeaf && z.b.d.limits.Swizzles != nil &&
					fitSwizzle(z.b.d, swizzleAny, comps(&part), nil) == noSwizzle {
					part[j] = lane{}
					continue
				}
				done[j] = true
			}
		}
		if err := z.moveToTemp(o, part); err != nil {
			return err
		}
	}
	return nil
}

// comps lists the components that the leaf lanes of o read.
func comps(o *operand) [4]int8 {
	var c [4]int8
	for i := range o {
		c[i] = -1
		if o[i].kind == laneLeaf {
			c[i] = int8(o[i].comp)
		}
	}
	return c
}

// readable reports whether a statement can read o as source k: modifier, swizzle and register file
// are allowed there. All lanes of o are from one leaf register.
func (z *legalizer) readable(s *stmt, k int, o *operand) bool {
	m := z.b.d.model
	l := o.first()
	if !d3d9.ModAllowed(m, s.op, sourceIndex(s.op, k), srcMod(l.mod)) {
		return false
	}
	shape := z.b.shape(s, k)
	// Coordinates below 3_0 come from t#, v# or r#, unswizzled.
	if l.reg.File != d3d9.Texture && l.reg.File != d3d9.Input && s.op.Kind() == d3d9.TextureOp &&
		shape == swizzleIdentity {
		return false
	}
	// texkill accepts r# or t#, because its operand is encoded as a destination.
	if s.op == d3d9.OpTexKill && (m.Major < 3 && l.reg.File == d3d9.Input || !d3d9.CanWrite(m, s.op, l.reg.File)) {
		return false
	}
	if s.colour && z.b.colourMoves() && l.mod != 0 {
		return false
	}
	return fitSwizzle(z.b.d, shape, comps(o), nil) != noSwizzle
}

// moveToTemp adds a move of the lanes in part into a temporary and makes o read it. It reuses an
// available move of the same leaves.
func (z *legalizer) moveToTemp(o *operand, part operand) error {
	reuse := true
	var found [4]int32
	for i, l := range part {
		if l.kind == laneNone {
			continue
		}
		v, ok := z.copied[l]
		if !ok {
			reuse = false
			break
		}
		found[i] = v
	}
	if reuse {
		for i, l := range part {
			if l.kind != laneNone {
				o[i] = lane{kind: laneTemp, v: found[i]}
			}
		}
		return nil
	}
	mv := z.b.mov(part)
	// The model has no _abs modifier.
	if f := part.first(); f.mod&ir.Abs != 0 && !d3d9.ModAllowed(z.b.d.model, d3d9.OpMov, 0, d3d9.ModAbs) {
		return fmt.Errorf("%s cannot take absolute values of operands", z.b.d.model)
	}
	for i, l := range part {
		if l.kind != laneNone {
			mv.out[i] = z.b.value(i, uint8(d3d9.Temp))
			o[i] = lane{kind: laneTemp, v: mv.out[i]}
		}
	}
	if err := z.legalizeStmt(mv); err != nil {
		return err
	}
	for i, l := range part { // for the following statements
		if l.kind == laneNone || l.kind == laneTemp || l.index != nil {
			continue
		}
		if _, ok := z.copied[l]; !ok {
			if z.copied == nil {
				z.copied = map[lane]int32{}
			}
			z.copied[l] = o[i].v
			z.undo = append(z.undo, l)
		}
	}
	return nil
}

// ports places the literals of s and moves operands until the registers that s reads fit the ports
// of the model. It places literals first, because their registers determine the ports. Every
// iteration permanently moves an operand out of the constants, so there are at most as many
// iterations as operands.
func (z *legalizer) ports(s *stmt) error {
	for {
		consts, index := z.consts[:0], z.index[:0]
		for k := range s.src {
			if f := s.src[k].first(); f != nil && f.kind == laneConst {
				consts = append(consts, &s.src[k])
				index = append(index, k)
			}
		}
		z.consts, z.index = consts, index
		if len(consts) == 0 && z.overPort(s, s.src) < 0 {
			return nil
		}
		saved := z.b.src(len(s.src))
		copy(saved, s.src)
		placed := len(consts) == 0 || z.pool.place(consts, func(n int) swizzleKind {
			return z.b.shape(s, index[n])
		})
		if placed {
			over := z.overPort(s, saved)
			if over < 0 {
				return nil
			}
			// Literals move in the form of the program, so that they are found again.
			copy(s.src, saved)
			if err := z.moveOperand(s, over); err != nil {
				return err
			}
			continue
		}
		// No register holds all these literals: move the last operand, or one lane if there is only
		// one operand.
		copy(s.src, saved)
		if len(consts) > 1 {
			if err := z.moveOperand(s, index[len(index)-1]); err != nil {
				return err
			}
			continue
		}
		o := consts[0]
		n := 0
		for _, l := range o {
			if l.kind != laneNone {
				n++
			}
		}
		if n == 1 {
			return fmt.Errorf("%s has no free constant register", z.b.d.model)
		}
		parts := *o
		for i, l := range parts {
			if l.kind == laneConst {
				var one operand
				one[i] = l
				if err := z.moveToTemp(o, one); err != nil {
					return err
				}
			}
		}
	}
}

func (z *legalizer) moveOperand(s *stmt, k int) error {
	part := s.src[k]
	for i := range part {
		if part[i].kind == laneUndef {
			part[i] = lane{}
		}
	}
	return z.moveToTemp(&s.src[k], part)
}

// overPort returns the operand to move because s reads too many registers of one file, or constants
// too often, or -1. It prefers an operand that was moved before, and else the one with the highest
// use count, so that its move serves other operands too. stated are the operands before their
// literals were placed.
func (z *legalizer) overPort(s *stmt, stated []operand) int {
	for k := range s.src {
		f := s.src[k].first()
		if f == nil || f.kind != laneLeaf {
			continue
		}
		limit := d3d9.PortLimit(z.b.d.model, f.reg.File)
		if limit == 0 {
			continue
		}
		rivals, same := []int{k}, []int{k} // one operand for each register, and all operands of the file
		for j := range s.src[:k] {
			g := s.src[j].first()
			if g == nil || g.kind != laneLeaf || g.reg.File != f.reg.File {
				continue
			}
			same = append(same, j)
			known := false
			for _, r := range rivals {
				h := s.src[r].first()
				known = known || h.reg == g.reg && h.index == g.index
			}
			if !known {
				rivals = append(rivals, j)
			}
		}
		switch {
		case len(rivals) > limit:
		case f.reg.File == d3d9.Const && len(same) > z.b.d.limits.ConstReads:
			rivals = same
		default:
			continue
		}
		best := rivals[0]
		for _, r := range rivals[1:] {
			if z.popular(&stated[r]) > z.popular(&stated[best]) {
				best = r
			}
		}
		return best
	}
	return -1
}

// popular returns the use count of o: the number of operands that read its least used lane. An
// operand with an available move gets the highest count.
func (z *legalizer) popular(o *operand) int {
	least := int32(1 << 30)
	moved := true
	for i := range o {
		l := &o[i]
		if l.kind == laneNone || l.kind == laneUndef {
			continue
		}
		_, ok := z.copied[*l]
		moved = moved && ok
		least = min(least, z.reads[l.key()])
	}
	if moved {
		return 1 << 30
	}
	return int(least)
}
