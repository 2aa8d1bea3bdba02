package verify

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// A register component of a kernel that nothing has written holds some word: the same one wherever it
// is read (as a value of LLVM's freeze, and not of its undef). After may take it to be whatever suits
// it, but always the same, so it is right if there is one choice for each undefined component of
// before under which both sides are equal, whatever the undefined components of after hold: exists
// over before's, for all over after's. Any choice that works is a proof, so that it can be guessed: a
// component is first taken to be the one of the same name in after, and if that does not do, what
// stands in its place there.

// reading is what an undefined component of before is taken to be: one of after, an input, a
// constant or a literal.
type reading struct {
	kind ir.Kind
	reg  ir.Reg
	bits uint32
}

// undefinedOf lists the register components of a kernel that are read although nothing has
// written them.
func (o *observation) undefinedOf() []ir.Reg {
	if o.kernel == nil {
		return nil
	}
	var regs []ir.Reg
	for r := range o.kernelLive.undefined { // sorted below
		if !isState(o.kernel, r) {
			regs = append(regs, r)
		}
	}
	slices.SortFunc(regs, func(a, b ir.Reg) int { return cmp.Compare(regKey(a), regKey(b)) })
	return regs
}

// sameNames makes the choice that takes components to be those of the same name in after, and
// reports whether there are any.
func (o *observation) sameNames(after *observation) bool {
	o.choices = map[ir.Reg]reading{}
	o.keepNames(after)
	return len(o.choices) > 0
}

// keepNames chooses the component of the same name in after, if after reads it unwritten as well, for
// components that no choice has been made for.
func (o *observation) keepNames(after *observation) {
	if o.choices == nil {
		o.choices = map[ir.Reg]reading{}
	}
	for _, r := range o.undefinedOf() {
		_, chosen := o.choices[r]
		if _, ok := after.kernelLive.undefined[r]; ok && !chosen {
			o.choices[r] = reading{kind: ir.Undef, reg: r}
		}
	}
}

// unwritten is the value of an undefined component in o. One of before without a choice is noted in v
// as open, so that refined and choose can find it.
func unwritten[T any](dom symbolic.Domain[T], o *observation, v *view[T], leaf func(ir.Kind, ir.Reg) T, r ir.Reg) T {
	const before = 1 << 56
	k := o.kernel
	if isState(k, r) || !o.first {
		x := dom.Opaque(symbolic.TagUndef, k.key(r), nil)
		v.leaves[dom.ID(x)] = reading{kind: ir.Undef, reg: r}
		return x
	}
	switch c, ok := o.choices[r]; {
	case !ok:
	case c.kind == ir.Undef:
		return dom.Opaque(symbolic.TagUndef, k.key(c.reg), nil)
	case c.kind == ir.Literal:
		return dom.Literal(c.bits)
	default:
		return leaf(c.kind, c.reg)
	}
	x := dom.Opaque(symbolic.TagUndef, k.key(r)|before, nil)
	v.undefined[dom.ID(x)] = r
	return x
}

// refined is the view b as it may be taken to be beside a: an output that is an open component of
// before is what a leaves there, as long as all outputs of one component agree. An output that is
// nothing else a need not have.
func refined[T any](dom symbolic.Domain[T], b, a *view[T]) *view[T] {
	if len(b.undefined) == 0 {
		return b
	}
	there := map[uint64]T{}
	for _, o := range a.outs {
		there[o.key] = o.val
	}
	took := map[ir.Reg]T{}
	taken := *b
	taken.outs = nil
	for _, o := range b.outs {
		if r, ok := b.undefined[dom.ID(o.val)]; ok {
			x, has := there[o.key]
			if !has {
				continue
			}
			if _, ok := took[r]; !ok {
				took[r] = x
			}
			o.val = took[r]
		}
		taken.outs = append(taken.outs, o)
	}
	return &taken
}

// maxChoices bounds how often choices are amended.
const maxChoices = 4

// chooser looks for choices by unification: where two terms are equal but for an open component, that
// is what stands in its place. It finds candidates and proves nothing; sameTerms tries them.
type chooser struct {
	t       *symbolic.Terms
	names   map[symbolic.Term]ir.Reg  // the undefined components of before
	leaves  map[symbolic.Term]reading // what they can be taken to be
	choices map[ir.Reg]reading        // found
	seen    map[[2]symbolic.Term]bool
}

// choose amends the choices of before by what two views show, and reports whether there is
// something new to be tried.
func choose(t *symbolic.Terms, before *observation, b, a *view[symbolic.Term]) bool {
	c := &chooser{t: t, names: map[symbolic.Term]ir.Reg{}, leaves: map[symbolic.Term]reading{}, choices: map[ir.Reg]reading{}, seen: map[[2]symbolic.Term]bool{}}
	for x := range b.undefined {
		c.names[symbolic.Term(x)] = b.undefined[x]
	}
	for x := range a.leaves {
		c.leaves[symbolic.Term(x)] = a.leaves[x]
	}
	there := map[uint64]symbolic.Term{}
	for _, o := range a.outs {
		there[o.key] = o.val
	}
	for _, o := range b.outs {
		if x, ok := there[o.key]; ok {
			c.match(o.val, x)
		}
	}
	for i, k := range b.kills[:min(len(b.kills), len(a.kills))] {
		c.match(k, a.kills[i])
	}
	for r, x := range c.choices {
		before.choices[r] = x
	}
	return len(c.choices) > 0
}

// maxMatched bounds the pairs of terms that are looked through for choices.
const maxMatched = 1 << 14

// match takes two terms to be equal.
func (c *chooser) match(b, a symbolic.Term) {
	pair := [2]symbolic.Term{b, a}
	if b == a || c.seen[pair] || len(c.seen) > maxMatched {
		return
	}
	c.seen[pair] = true
	if r, ok := c.names[b]; ok {
		if _, chosen := c.choices[r]; !chosen {
			if x, ok := c.leaf(a); ok {
				c.choices[r] = x
			}
		}
		return
	}
	if c.t.Tag(b) == symbolic.TagSum {
		c.sum(b, a)
		return
	}
	if c.t.Tag(b) != c.t.Tag(a) || c.t.Aux(b) != c.t.Aux(a) {
		return
	}
	// What both are made of comes first: operands that may change places do so.
	x, y := c.differing(c.t.Operands(b), c.t.Operands(a))
	for i := range min(len(x), len(y)) {
		c.match(x[i], y[i])
	}
}

// sum takes a sum of before to be equal to a: what it has besides is what a has besides, and a
// single undefined component can make up for a literal.
func (c *chooser) sum(b, a symbolic.Term) {
	parts := func(x symbolic.Term) (list []symbolic.Term) {
		if c.t.Tag(x) != symbolic.TagSum {
			return []symbolic.Term{x}
		}
		for i, y := range c.t.Operands(x) {
			if i%2 == 0 { // the others are factors
				list = append(list, y)
			}
		}
		return list
	}
	x, y := without(parts(b), parts(a)), without(parts(a), parts(b))
	if len(x) == 1 && len(y) == 0 && c.t.Tag(a) == symbolic.TagSum {
		y = append(y, c.t.Literal(uint32(c.t.Aux(a)-c.t.Aux(b))))
	}
	if len(y) == 0 { // counted more than once
		y = parts(a)
	}
	for i, z := range x {
		c.match(z, y[min(i, len(y)-1)])
	}
}

// differing is what two lists of operands do not have in common: of equally long ones the
// places where they differ, if those are of one kind.
func (c *chooser) differing(b, a []symbolic.Term) (x, y []symbolic.Term) {
	kinds := true
	if len(b) == len(a) {
		for i := range b {
			if b[i] != a[i] {
				x, y = append(x, b[i]), append(y, a[i])
				_, undefined := c.names[b[i]]
				kinds = kinds && (undefined || c.t.Tag(b[i]) == c.t.Tag(a[i]))
			}
		}
		if kinds {
			return x, y
		}
	}
	return without(b, a), without(a, b)
}

// without is list without what other has as well.
func without(list, other []symbolic.Term) (rest []symbolic.Term) {
	other = slices.Clone(other)
	for _, z := range list {
		if i := slices.Index(other, z); i >= 0 {
			other = slices.Delete(other, i, i+1)
		} else {
			rest = append(rest, z)
		}
	}
	return rest
}

// leaf is x as something that an undefined component can be taken to be.
func (c *chooser) leaf(x symbolic.Term) (reading, bool) {
	if bits, ok := c.t.Bits(x); ok {
		return reading{kind: ir.Literal, bits: bits}, true
	}
	l, ok := c.leaves[x]
	return l, ok
}
