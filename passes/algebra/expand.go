package algebra

import (
	"errors"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// expander writes the value of one instruction, its root, as a polynomial. It looks through the instructions
// of a cone: those whose results only the cone reads, so that they die when the root is computed in another
// way.
type expander struct {
	*reassociator
	root *ir.Instr
	cone map[*ir.Instr]bool
	// opaque lists the instructions whose results are atoms, though they could be in the cone.
	opaque map[*ir.Instr]bool
	// reciprocals lists, by atom, the instructions that computed its negative powers.
	reciprocals map[string][]*ir.Instr
	steps       int // operations expanded, more than once if they are read more than once
}

// The errors of an expansion. After errRestart an instruction is opaque that was not before.
var (
	errRestart = errors.New("the cone has changed")
	errNone    = errors.New("not a polynomial, or too large a one")
)

// Limits of the work on one root (assumed): how often its expansion begins again, the size of its cone, and the operations
// that are expanded. A chain of n squares would expand 2^n.
const (
	maxRestarts = 4
	maxCone     = 24
	maxSteps    = 1 << 12
)

// expand returns the polynomial of root, or nil if there is none or its cone is root alone.
func (x *reassociator) expand(root *ir.Instr) (s sum, cone map[*ir.Instr]bool) {
	e := &expander{reassociator: x, root: root, opaque: map[*ir.Instr]bool{}}
	for range maxRestarts {
		e.reciprocals = map[string][]*ir.Instr{}
		if e.findCone(); len(e.cone) < 2 {
			return nil, nil
		}
		s, err := e.instr([]*ir.Instr{root}, func(k int) ir.Operand { return root.Src[k] })
		if err == nil {
			err = e.settle(s)
		}
		switch err {
		case nil:
			return s, e.cone
		case errNone:
			return nil, nil
		}
	}
	return nil, nil
}

// findCone collects the instructions whose results have no reader outside.
func (e *expander) findCone() {
	e.cone = map[*ir.Instr]bool{e.root: true}
	reads := map[*ir.Instr]int32{}
	for work := []*ir.Instr{e.root}; len(work) > 0 && len(e.cone) < maxCone; {
		in := work[len(work)-1]
		work = work[:len(work)-1]
		for s := range in.Src {
			for _, l := range in.Src[s] {
				if l.V == nil || l.V.Def == nil {
					continue
				}
				def := l.V.Def
				if reads[def]++; reads[def] == e.readsOf(def) && !e.opaque[def] && e.at[def].region == e.at[e.root].region &&
					e.canExpand(def) {
					e.cone[def] = true
					work = append(work, def)
				}
			}
		}
	}
}

// atom returns o as one factor. Instructions of the cone that compute it become opaque.
func (e *expander) atom(o ir.Operand) (sum, error) {
	restart := false
	for _, l := range o {
		if l.V != nil && e.cone[l.V.Def] {
			e.opaque[l.V.Def], restart = true, true
		}
	}
	if restart {
		return nil, errRestart
	}
	a, negative := operandAtom(o)
	if a.isOne() {
		return sum{{negative: negative}}, nil
	}
	t := powerOf(a, 1)
	t.negative = negative
	return sum{t}, nil
}

// definitions returns the instructions of the cone that compute the lanes of o, or nil if they do not compute
// one polynomial: then their operations, or the modifiers under which o reads them, differ.
func (e *expander) definitions(o *ir.Operand) (defs []*ir.Instr) {
	head := first(o)
	def := head.V.Def
	for _, l := range o {
		if l.V == nil {
			continue
		}
		d := l.V.Def
		if d == nil || !e.cone[d] || d.Op != def.Op || l.Mod != head.Mod || l.Mod&ir.Abs != 0 {
			return nil
		}
		if !slices.Contains(defs, d) {
			defs = append(defs, d)
		}
	}
	if info := def.Op.Info(); info.Shape != ir.Lanewise && len(defs) > 1 && info.NSrc > 1 {
		return nil // different dot products
	}
	return defs
}

// operand returns the polynomial that o reads.
func (e *expander) operand(o ir.Operand) (sum, error) {
	defs := e.definitions(&o)
	if defs == nil {
		return e.atom(o)
	}
	s, err := e.instr(defs, func(k int) ir.Operand { return sourceOf(&o, k) })
	if err == errNone {
		return e.atom(o)
	}
	if first(&o).Mod&ir.Neg != 0 {
		s = s.times(minus)
	}
	return s, err
}

// sourceOf returns source k of the operations that compute the lanes of o. The source of a scalar operation is
// read in the lane of its result.
func sourceOf(o *ir.Operand, k int) (src ir.Operand) {
	for i, l := range o {
		switch {
		case l.V == nil:
		case l.V.Def.Op.Info().Shape == ir.Lanewise:
			src[i] = l.V.Def.Src[k][l.V.Lane]
		case l.V.Def.Op.Info().NSrc == 1:
			src[i] = l.V.Def.Src[k][0]
		default:
			return l.V.Def.Src[k]
		}
	}
	return src
}

// instr returns the polynomial of the operation that each of defs computes a lane of, given its sources.
func (e *expander) instr(defs []*ir.Instr, src func(k int) ir.Operand) (sum, error) {
	if e.steps++; e.steps > maxSteps {
		return nil, errNone
	}
	switch op := defs[0].Op.Legacy(); op {
	case ir.OpAdd:
		return e.add(src(0), src(1))
	case ir.OpMul:
		return e.mul(src(0), src(1))
	case ir.OpMad:
		return e.mulAdd(src(0), src(1), src(2))
	case ir.OpLrp:
		return e.lerp(src(0), src(1), src(2))
	case ir.OpDp3, ir.OpDp4:
		return e.dot(op, src(0), src(1))
	case ir.OpLog:
		if defs[0].Mods&ir.Half != 0 {
			return nil, errNone // its value is not proved
		}
		return e.log(src(0))
	case ir.OpRcp:
		return e.reciprocal(defs, src(0))
	}
	return nil, errNone
}

func (e *expander) limited(s sum, err error) (sum, error) {
	if err == nil && (len(s) > maxTerms || len(s) == 0) {
		err = errNone
	}
	return s, err
}

func (e *expander) add(a, b ir.Operand) (sum, error) {
	s, err := e.operand(a)
	if err != nil {
		return nil, err
	}
	t, err := e.operand(b)
	return e.limited(s.plus(t), err)
}

// mul multiplies two polynomials.
func (e *expander) mul(a, b ir.Operand) (sum, error) {
	s, err := e.operand(a)
	if err != nil {
		return nil, err
	}
	t, err := e.operand(b)
	if err != nil {
		return nil, err
	}
	u, err := multiplied(s, t)
	return simplified(u), err
}

func (e *expander) mulAdd(a, b, c ir.Operand) (sum, error) {
	s, err := e.mul(a, b)
	if err != nil {
		return nil, err
	}
	t, err := e.operand(c)
	return e.limited(s.plus(t), err)
}

// lerp returns a*(b - c) + c.
func (e *expander) lerp(a, b, c ir.Operand) (sum, error) {
	s, err := e.operand(a)
	if err != nil {
		return nil, err
	}
	t, err := e.add(b, apply(c, ir.Neg))
	if err != nil {
		return nil, err
	}
	u, err := e.operand(c)
	if err != nil {
		return nil, err
	}
	p, err := multiplied(s, t)
	return e.limited(p.plus(u), err)
}

// multiplied returns s*t.
func multiplied(s, t sum) (sum, error) {
	p, q := s.product(), t.product()
	if p.cancels(q) {
		return nil, errNone
	}
	return sum{p.times(q)}, nil
}

// cancels reports whether a factor of t is a reciprocal root and one of o its reciprocal, or the reverse. Their product
// is 0 at 0 where clients or products with 0 make it so.
func (t *term) cancels(o term) bool {
	return slices.ContainsFunc(t.factors, func(f factor) bool { return f.n*o.exponentOf(f.atom) < 0 })
}

// simplified replaces rsq(x)^-2 by |x|, which is exact for all x but 0.
func simplified(s sum) sum {
	for i := range s {
		for _, f := range s[i].factors {
			for n := f.n; n <= -2 && f.op == ir.OpMov && f.uniform; n += 2 {
				v := f.src[0][0].V
				if v.Def == nil || v.Def.Op != ir.OpRsq || v.Def.Mods&ir.Sat != 0 || v.Def.IsPredicated() {
					break
				}
				x := v.Def.Src[0][0]
				if !isSquare(x) {
					x.Mod = ir.Abs
				}
				a, _ := operandAtom(ir.Splat(x))
				s[i] = s[i].times(powerOf(f.atom, 2)).times(powerOf(a, 1))
			}
		}
	}
	return s
}

// isSquare reports whether l reads the dot product of a vector with itself.
func isSquare(l ir.Lane) bool {
	d := l.V.Def
	return l.Mod == 0 && d != nil && (d.Op.Legacy() == ir.OpDp3 || d.Op.Legacy() == ir.OpDp4) && d.Src[0] == d.Src[1] && !d.IsPredicated()
}

// dot expands dot products of sums into sums of dot products, and takes factors out that all lanes share.
func (e *expander) dot(op ir.Op, a, b ir.Operand) (sum, error) {
	s, err := e.vector(a)
	if err != nil {
		return nil, err
	}
	t, err := e.vector(b)
	if err != nil {
		return nil, err
	}
	if len(s) > 1 && len(t) > 1 {
		return nil, errNone
	}
	var out sum
	for _, p := range s {
		for _, q := range t {
			if p.cancels(q.term) {
				return nil, errNone
			}
			d := powerOf(computed(op, true, p.of, q.of), 1)
			out = append(out, d.times(p.term).times(q.term))
		}
	}
	return e.limited(out, nil)
}

// scaledVector is a vector and its scalar factors.
type scaledVector struct {
	term
	of ir.Operand
}

// vector returns o as a sum of vectors with scalar factors.
func (e *expander) vector(o ir.Operand) (out []scaledVector, err error) {
	s, err := e.operand(o)
	for tried := false; err == nil; tried = true {
		out = out[:0]
		for _, t := range s {
			v := scaledVector{term: term{negative: t.negative}}
			for _, f := range t.factors {
				if f.uniform || f.n != 1 || f.op != ir.OpMov || v.of != (ir.Operand{}) {
					v.factors = append(v.factors, f)
				} else {
					v.of = f.src[0]
				}
			}
			out = append(out, v)
		}
		ok := len(out) > 0
		for _, v := range out {
			ok = ok && v.of != (ir.Operand{})
			for _, f := range v.factors {
				ok = ok && f.uniform
			}
		}
		if ok {
			return out, nil
		}
		if tried { // all lanes of o are the same
			return []scaledVector{{of: o}}, nil
		}
		s, err = e.atom(o)
	}
	return nil, err
}

// log expands the logarithm of |o|, if it is a product with a power of 2: log |x*2^y| = log |x| + y.
func (e *expander) log(o ir.Operand) (sum, error) {
	for i := range o {
		o[i].Mod &^= ir.Abs | ir.Neg
	}
	if !e.hasPower(o) {
		return nil, errNone
	}
	defs := e.definitions(&o)
	switch {
	case defs == nil:
	case defs[0].Op == ir.OpExp:
		return e.operand(sourceOf(&o, 0))
	case defs[0].Op.Legacy() == ir.OpMul:
		var out sum
		for k := range 2 {
			s, err := e.log(sourceOf(&o, k))
			if err == errNone {
				s, err = e.logOfAtom(sourceOf(&o, k))
			}
			if err != nil {
				return nil, err
			}
			out = out.plus(s)
		}
		return e.limited(out, nil)
	}
	return nil, errNone
}

// hasPower reports whether o is a product with a power of 2 that the cone computes.
func (e *expander) hasPower(o ir.Operand) bool {
	defs := e.definitions(&o)
	return defs != nil && (defs[0].Op == ir.OpExp ||
		defs[0].Op.Legacy() == ir.OpMul && (e.hasPower(sourceOf(&o, 0)) || e.hasPower(sourceOf(&o, 1))))
}

// logOfAtom returns the logarithm of o.
func (e *expander) logOfAtom(o ir.Operand) (sum, error) {
	for i := range o {
		o[i].Mod &^= ir.Abs | ir.Neg
	}
	s, err := e.atom(o)
	if err != nil {
		return nil, err
	}
	if len(s[0].factors) == 0 {
		return nil, errNone // log 1
	}
	a := s[0].factors[0]
	return sum{powerOf(computed(ir.OpLog, a.uniform, a.src[0]), 1)}, nil
}

// reciprocal returns 1/o, if o is a reciprocal root. If it is left at the end, its instructions become opaque. No other
// reciprocal has a square of another form.
func (e *expander) reciprocal(defs []*ir.Instr, o ir.Operand) (sum, error) {
	for _, l := range o {
		if l.V != nil && (l.V.Def == nil || l.V.Def.Op != ir.OpRsq) {
			return nil, errNone
		}
	}
	s, err := e.atom(o)
	if err != nil {
		return nil, err
	}
	if len(s[0].factors) != 1 {
		return nil, errNone
	}
	a := s[0].factors[0].atom
	e.reciprocals[a.key] = append(e.reciprocals[a.key], defs...)
	t := powerOf(a, -1)
	t.negative = s[0].negative
	return sum{t}, nil
}

// settle makes the reciprocals opaque that are left in s.
func (e *expander) settle(s sum) (err error) {
	for _, t := range s {
		for _, f := range t.factors {
			if f.parts != nil && e.settle(f.parts) != nil {
				err = errRestart
			}
			if f.n < 0 {
				for _, in := range e.reciprocals[f.key] {
					e.opaque[in], err = true, errRestart
				}
			}
		}
	}
	return err
}
