package algebra

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Reassociate is the pass "reassociate".
var Reassociate = &passes.Pass{
	Name: "reassociate",
	Doc: `compute sums of products in fewer instructions

It writes a value as a polynomial, and computes it by the cheapest scheme that it finds: common factors are multiplied
once, powers follow Horner's scheme, dot products with one vector become one dot product of a sum. Logarithms of
products with powers of 2 become sums. Clamped or predicated instructions, values with other readers and code that feeds
a position stay. It keeps a rewrite only if it saves slots.`,
	Class: passes.Real,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if c.Measure == nil {
			return nil
		}
		for i := range u.Funcs() {
			if !c.Settled(i) {
				reassociate(c, u, i)
			}
		}
		return nil
	},
}

// reassociated is the code of the pass's rewrites.
const reassociated = "reassociated"

// reassociate rewrites program i of u. Roots are visited from the last instruction to the first, since the
// cone of a reader contains those of its operands.
func reassociate(c *passes.Ctx, u *passes.Unit, i int) {
	var before passes.Cost
	priced := false
	x := newReassociator(c, u.Funcs()[i])
	for n := len(x.code) - 1; n >= 0 && c.Spend(1) && !c.Stopped(); n-- {
		root := x.code[n]
		e, _, _ := x.scheme(root)
		if e == nil {
			continue
		}
		var err error
		if !priced {
			if before, err = c.Measure(u); err != nil {
				before = passes.Unfit
			}
			priced = true
		}
		t := c.TrialOf(u, i)
		y := newReassociator(c, t.Funcs()[i])
		y.rewrite(y.code[n])
		after, err := c.Measure(t)
		if err != nil || !after.Less(before) || !c.ShouldRewrite(root, reassociated, "computed in fewer instructions") {
			continue
		}
		c.Adopt(u, t)
		before = after
		x = newReassociator(c, u.Funcs()[i])
		n = min(n+1, len(x.code))
	}
}

// reassociator knows one function.
type reassociator struct {
	c    *passes.Ctx
	f    *ir.Func
	uses []int32     // by value: lanes that read it
	code []*ir.Instr // in program order
	at   map[*ir.Instr]position
}

// position is the place of an instruction.
type position struct {
	region *ir.Region
	index  int
}

func newReassociator(c *passes.Ctx, f *ir.Func) *reassociator {
	x := &reassociator{c: c, f: f, uses: f.UseCounts(), at: map[*ir.Instr]position{}}
	f.EachRegion(func(r *ir.Region) {
		for i, in := range r.Code {
			x.code = append(x.code, in)
			x.at[in] = position{r, i}
		}
	})
	return x
}

// readsOf returns the number of lanes that read results of in.
func (x *reassociator) readsOf(in *ir.Instr) (n int32) {
	for _, v := range in.Out {
		if v != nil {
			n += x.uses[v.ID]
		}
	}
	return n
}

// expandable lists the operations of cones.
var expandable = [ir.NumOps]bool{ir.OpAdd: true, ir.OpMul: true, ir.OpMad: true, ir.OpLrp: true, ir.OpDp3: true,
	ir.OpDp4: true, ir.OpLog: true, ir.OpExp: true, ir.OpRcp: true}

// canExpand reports whether in may be computed in another way.
func (x *reassociator) canExpand(in *ir.Instr) bool {
	if !expandable[in.Op.Legacy()] || in.Mods&ir.Sat != 0 || in.IsPredicated() || !x.c.Allows(passes.Real, in) {
		return false
	}
	for s := range in.Src {
		for _, l := range in.Src[s] {
			if l.V != nil && (l.V.IsLoaded() || l.V.Kind == ir.Undef) {
				return false
			}
		}
	}
	return true
}

// scheme returns a cheaper way to compute root, and the instructions that it replaces, or nil.
func (x *reassociator) scheme(root *ir.Instr) (e *expr, negative bool, cone map[*ir.Instr]bool) {
	plain := *root
	if plain.Mods &^= ir.Sat; !x.canExpand(&plain) || root.Op == ir.OpRcp || root.Op == ir.OpExp {
		return nil, false, nil
	}
	s, cone := x.expand(root)
	if s == nil {
		return nil, false, nil
	}
	cost := 0
	for in := range cone {
		cost += x.f.Dialect.Slots(in)
	}
	if !s.shares() && s.cost() >= cost {
		return nil, false, nil
	}
	e, negative = (&extractor{known: map[string]*expr{}, leaves: map[string]*expr{}}).sum(s)
	if e == nil || e.total(map[*expr]bool{}) >= cost {
		return nil, false, nil
	}
	return e, negative, cone
}

// rewrite computes root by the cheaper scheme.
func (x *reassociator) rewrite(root *ir.Instr) {
	e, negative, cone := x.scheme(root)
	if e == nil {
		return
	}
	b := &builder{reassociator: x, root: root, ieee: usesIEEE(x.f), built: map[*expr]ir.Operand{}, after: map[*ir.Instr]int{}}
	for in := range cone {
		if in != root {
			root.TakeIn(in, reassociated)
		}
	}
	b.finish(e, negative)
	r := x.at[root].region
	code := make([]*ir.Instr, 0, len(r.Code)+len(b.code))
	for i, in := range r.Code {
		if in == root {
			code = b.place(code, -1)
		}
		if in == root || !cone[in] {
			code = append(code, in)
		}
		code = b.place(code, i)
	}
	r.Code = code
}

// builder emits an expression.
type builder struct {
	*reassociator
	root  *ir.Instr
	ieee  bool                 // products have the rules of IEEE 754
	built map[*expr]ir.Operand // what was computed
	code  []*ir.Instr
	// after is the index in the region behind which a new instruction goes: as early as possible, so that
	// fetched values do not wait in registers. Instructions without operands in the region have -1.
	after map[*ir.Instr]int
}

// place appends the new instructions that go behind an index.
func (b *builder) place(code []*ir.Instr, index int) []*ir.Instr {
	for _, in := range b.code {
		if b.after[in] == index {
			code = append(code, in)
		}
	}
	return code
}

// finish makes root compute e, or -e.
func (b *builder) finish(e *expr, negative bool) {
	mask := b.root.Mask()
	op, args := e.op, e.args
	if e.atom != nil {
		op, args = ir.OpMov, []arg{{e, false}}
	}
	src := make([]ir.Operand, len(args))
	for k, a := range args {
		src[k] = b.read(a, lanesOf(op, mask))
		if negative && (k == 0 || op == ir.OpAdd || op == ir.OpMad && k == 2) {
			src[k] = apply(src[k], ir.Neg)
		}
	}
	b.root.Op, b.root.Src, b.root.Orig = opIn(b.ieee, op), src, -1
	// Instructions without operands in the region go where their first reader is.
	for i := len(b.code) - 1; i >= 0; i-- {
		in, at := b.code[i], math.MaxInt
		if b.after[in] >= 0 {
			continue
		}
		for _, reader := range b.code[i+1:] {
			reader.EachUse(func(l *ir.Lane) {
				if l.V.Def == in && b.after[reader] >= 0 {
					at = min(at, b.after[reader])
				}
			})
		}
		if at != math.MaxInt {
			b.after[in] = at
		}
	}
}

// lanesOf returns the lanes that op reads of its sources to write mask.
func lanesOf(op ir.Op, mask uint8) uint8 {
	switch op {
	case ir.OpDp3:
		return 7
	case ir.OpDp4:
		return 15
	}
	return mask
}

// read returns a as an operand for the lanes of mask.
func (b *builder) read(a arg, mask uint8) (o ir.Operand) {
	o = b.value(a.expr, mask)
	if a.uniform {
		l := *first(&o)
		o = ir.Operand{}
		for i := range o {
			if mask>>i&1 != 0 {
				o[i] = l
			}
		}
	}
	if a.negative {
		o = apply(o, ir.Neg)
	}
	return o
}

// value returns the operand that holds e in the lanes of mask, or in any lane if e is uniform.
func (b *builder) value(e *expr, mask uint8) ir.Operand {
	if e.uniform {
		written := b.root.Mask()
		mask = written & -written
	}
	switch a := e.atom; {
	case a == &unit:
		return ir.Splat(ir.Lane{V: b.f.Const(one)})
	case a != nil && a.op == ir.OpMov:
		return a.src[0]
	}
	o, ok := b.built[e]
	if !ok {
		if e.atom != nil {
			o = b.compute(e.atom, mask)
		} else {
			src := make([]ir.Operand, len(e.args))
			for k, a := range e.args {
				src[k] = b.read(a, lanesOf(e.op, mask))
			}
			o = b.emit(e.op, mask, src...)
		}
		b.built[e] = o
	}
	return o
}

// compute computes an atom.
func (b *builder) compute(a *atom, mask uint8) (o ir.Operand) {
	if a.op != ir.OpLog {
		return b.emit(a.op, mask, a.src...)
	}
	if a.uniform {
		return b.emit(a.op, mask, a.src[0])
	}
	for _, l := range distinct(&a.src[0]) {
		lane := slices.Index(a.src[0][:], l)
		v := b.emit(a.op, 1<<lane, ir.Splat(l))[lane]
		for i := range o {
			if a.src[0][i] == l {
				o[i] = v
			}
		}
	}
	return o
}

// emit makes an instruction that writes the lanes of mask. It has full precision, because no instruction computed
// its value before.
func (b *builder) emit(op ir.Op, mask uint8, src ...ir.Operand) (o ir.Operand) {
	in := &ir.Instr{Op: opIn(b.ieee, op), Orig: -1, Pos: b.root.Pos, Also: b.root.Also, Src: src}
	for i := range o {
		if mask>>i&1 != 0 {
			home := ir.Reg{}
			if v := b.root.Out[i]; v != nil {
				home = v.Home
			}
			o[i] = ir.Lane{V: b.f.Define(in, i, home)}
		}
	}
	at := -1
	in.EachUse(func(l *ir.Lane) {
		switch def := l.V.Def; {
		case def == nil:
		case b.at[def].region == b.at[b.root].region:
			at = max(at, b.at[def].index)
		default:
			if after, ok := b.after[def]; ok {
				at = max(at, after)
			}
		}
	})
	b.code, b.after[in] = append(b.code, in), at
	return o
}
