package walk

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// An unwritten register component of a program on words holds some word, the same at every read, like LLVM's freeze and
// unlike its undef. After may assume any value for it, but always the same one. After is therefore right
// under one condition. Some choice of the undefined components of before makes the versions equal, whatever
// those of after hold. The quantifiers are: exists over before's, for all over after's. Any choice that works
// is a proof, so choices may be guessed. The first guess for a component is the one of the same name in
// after, the second the value in its place there.

// Component is a register component of a stage.
type Component struct {
	stage d3d9.Stage
	reg   ir.Reg
}

// Reading is the assumed value of an undefined component of before: a component of after, an input, a
// constant or a literal.
type Reading struct {
	kind ir.Kind
	at   Component
	bits uint32
}

// HasUndefined reports whether a version reads components that are never written.
func (o *Observation) HasUndefined() bool { return len(o.undefined()) > 0 }

// undefined lists the components of a program on words that are read and never written.
func (o *Observation) undefined() (list []Component) {
	if !o.OnWords() {
		return nil
	}
	for stage, l := range o.lives() {
		if l == nil {
			continue
		}
		var regs []ir.Reg
		for r := range l.undefined { // sorted below
			if !isState(l.unit, r) {
				regs = append(regs, r)
			}
		}
		slices.SortFunc(regs, func(a, b ir.Reg) int { return cmp.Compare(symbolic.RegKey(a), symbolic.RegKey(b)) })
		for _, r := range regs {
			list = append(list, Component{d3d9.Stage(stage), r})
		}
	}
	return list
}

// SameNames chooses the components of the same name in after, and reports whether there are any.
func (o *Observation) SameNames(after *Observation) bool {
	o.Choices = map[Component]Reading{}
	o.KeepNames(after)
	return len(o.Choices) > 0
}

// KeepNames chooses the component of the same name in after, if after also reads it unwritten, for components
// without a choice.
func (o *Observation) KeepNames(after *Observation) {
	if o.Choices == nil {
		o.Choices = map[Component]Reading{}
	}
	there := after.lives()
	for _, c := range o.undefined() {
		_, chosen := o.Choices[c]
		if _, ok := there[c.stage].undefined[c.reg]; ok && !chosen {
			o.Choices[c] = Reading{kind: ir.Undef, at: c}
		}
	}
}

// unwritten returns the value of an undefined component in o, for vertex i of a triangle. If it belongs to before and
// has no choice, it is recorded in v as open, so that refined and choose can find it.
func unwritten[T any](dom symbolic.Domain[T], o *Observation, v *View[T], leaf func(ir.Kind, ir.Reg) T, u Unit,
	at Component, i int) T {
	const before = 1 << 63
	vertex := uint64(i) << 56
	if isState(u, at.reg) || !o.First {
		x := dom.Opaque(symbolic.TagUndef, u.RegisterKey(at.reg)|vertex, nil)
		v.leaves[dom.ID(x)] = Reading{kind: ir.Undef, at: at}
		return x
	}
	switch c, ok := o.Choices[at]; {
	case !ok || c.kind != ir.Literal && c.at.stage != at.stage:
	case c.kind == ir.Undef:
		return dom.Opaque(symbolic.TagUndef, u.RegisterKey(c.at.reg)|vertex, nil)
	case c.kind == ir.Literal:
		return dom.Literal(c.bits)
	default:
		return leaf(c.kind, c.at.reg)
	}
	x := dom.Opaque(symbolic.TagUndef, u.RegisterKey(at.reg)|vertex|before, nil)
	v.undefined[dom.ID(x)] = at
	return x
}

// Refined returns view b with open components replaced to match a. An output that is an open component of
// before gets the value that a has there, if all outputs of this component agree. If a lacks the output, it
// is dropped.
func Refined[T any](dom symbolic.Domain[T], b, a *View[T]) *View[T] {
	if len(b.undefined) == 0 {
		return b
	}
	there := map[uint64]T{}
	for _, o := range a.Outs {
		there[o.Key] = o.Val
	}
	took := map[Component]T{}
	taken := *b
	taken.Outs = nil
	for _, o := range b.Outs {
		if r, ok := b.undefined[dom.ID(o.Val)]; ok {
			x, has := there[o.Key]
			if !has {
				continue
			}
			if _, ok := took[r]; !ok {
				took[r] = x
			}
			o.Val = took[r]
		}
		taken.Outs = append(taken.Outs, o)
	}
	return &taken
}

// MaxChoices limits the amendments of choices.
const MaxChoices = 4

// chooser finds choices by unification. If two terms are equal except for an open component, the choice is
// the term in its place. It only proposes candidates; proof.Terms tries them.
type chooser struct {
	t       *symbolic.Terms
	names   map[symbolic.Term]Component // undefined components of before
	leaves  map[symbolic.Term]Reading   // candidates for their values
	choices map[Component]Reading       // found so far
	seen    map[[2]symbolic.Term]bool
}

// Choose amends the choices of before by comparing two views, and reports whether there is something new to
// try.
func Choose(t *symbolic.Terms, before *Observation, b, a *View[symbolic.Term]) bool {
	c := &chooser{t: t, names: map[symbolic.Term]Component{}, leaves: map[symbolic.Term]Reading{},
		choices: map[Component]Reading{}, seen: map[[2]symbolic.Term]bool{}}
	for x := range b.undefined {
		c.names[symbolic.Term(x)] = b.undefined[x]
	}
	for x := range a.leaves {
		c.leaves[symbolic.Term(x)] = a.leaves[x]
	}
	there := map[uint64]symbolic.Term{}
	for _, o := range a.Outs {
		there[o.Key] = o.Val
	}
	for _, o := range b.Outs {
		if x, ok := there[o.Key]; ok {
			c.match(o.Val, x)
		}
	}
	for i, k := range b.Kills[:min(len(b.Kills), len(a.Kills))] {
		c.match(k, a.Kills[i])
	}
	for r, x := range c.choices {
		before.Choices[r] = x
	}
	return len(c.choices) > 0
}

// maxMatched limits the pairs of terms that are searched for choices.
const maxMatched = 1 << 14

// match assumes that two terms are equal.
func (c *chooser) match(b, a symbolic.Term) {
	pair := [2]symbolic.Term{b, a}
	if b == a || c.seen[pair] || len(c.seen) > maxMatched {
		return
	}
	c.seen[pair] = true
	if r, ok := c.names[b]; ok {
		if _, chosen := c.choices[r]; !chosen {
			if x, ok := c.readingOf(a); ok {
				c.choices[r] = x
			}
		}
		return
	}
	if c.t.Tag(b) == symbolic.TagSum {
		c.matchSum(b, a)
		return
	}
	if c.t.Tag(b) != c.t.Tag(a) || c.t.Aux(b) != c.t.Aux(a) {
		return
	}
	// Remove common operands first: operands may be reordered.
	x, y := c.differing(c.t.Operands(b), c.t.Operands(a))
	for i := range min(len(x), len(y)) {
		c.match(x[i], y[i])
	}
}

// matchSum assumes that a sum of before equals a. Terms that only the sum has match those that only a has, and a
// single undefined component can match a literal.
func (c *chooser) matchSum(b, a symbolic.Term) {
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

// differing returns the different parts of two lists of operands. For lists of one length these are the
// places where they differ, if the terms there are of one kind.
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

// without returns list without the elements of other.
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

// readingOf returns x as a possible value of an undefined component.
func (c *chooser) readingOf(x symbolic.Term) (Reading, bool) {
	if bits, ok := c.t.Bits(x); ok {
		return Reading{kind: ir.Literal, bits: bits}, true
	}
	l, ok := c.leaves[x]
	return l, ok
}
