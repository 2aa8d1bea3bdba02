package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Recompute moves affine work from the vertex to the pixel program.
var Recompute = &passes.Pass{
	Name: "recompute",
	Doc: `compute components in the pixel program if interpolation takes longer

If interpolated components are affine in fewer ones, the pixel program computes them from those. Equal components are
interpolated once, and constants not at all. This helps GPUs on which a component takes longer than a few operations.
Host constants are read only if the host mirrors them or both programs have them. The limits are those of codemotion.`,
	Class: passes.Real,
	Run:   recompute,
}

// componentPrices are possible values of an interpolated component, in operations. On the targets a component
// costs one to eight operations. The choice at each price is measured. At price 1, only copies pay.
var componentPrices = []int{8, 4, 2, 1}

// worthwhile is the least relative speedup at which recompute adds operations. Arithmetic and interpolation
// that take about as long as each other compete: up to a tenth on an H100. In a loose linkage, a lower cost is enough:
// each component that is omitted also saves memory for vertices, which prices do not count.
const worthwhile = 0.03

func recompute(c *passes.Ctx, u *passes.Unit) error {
	if u.Vertex == nil || u.Pixel == nil || c.Measure == nil || c.Static {
		return nil
	}
	link, err := u.Stages.Link(u.Varyings...)
	if err != nil || indexesInputs(u.Pixel, link) {
		return err
	}
	r := newRecomputer(c, u, link)
	var before, cost passes.Cost // of u, and of the best version so far
	var best *passes.Unit
	var growth ir.Growth // from u
	for _, price := range componentPrices {
		if !r.selectClosure(price) {
			continue
		}
		if best == nil {
			if before, err = c.Measure(u); err != nil {
				return err
			}
			cost = before
		}
		t, ok := r.apply()
		if !ok || c.Dearer(t, cost) {
			continue
		}
		now, err := c.Measure(t)
		if err != nil || !now.Less(cost) ||
			!link.Loose && r.addsOperations() && float64(now[0]) > (1-worthwhile)*float64(before[0]) {
			continue
		}
		if growth == nil {
			growth = u.Stages.Growth(drawOf(u))
			defer growth.Close()
		}
		if _, times := growth.WorstGrowth(drawOf(t), maxGrowth); times > 0 {
			continue
		}
		best, cost = t, now
	}
	if best != nil && c.ShouldRewrite(nil, "recomputed", "components are computed per pixel, not interpolated") {
		*u = *best
	}
	return nil
}

// interpolated is a component of an output that the pixel program reads, with its value. v is the original of
// that value, before moves.
type interpolated struct {
	out, in ir.Reg
	v       *ir.Value
}

// recomputer chooses the values of a vertex program that the pixel program computes. A value is available in
// the pixel program if it is interpolated or computed from other available values.
type recomputer struct {
	unit    *passes.Unit
	link    *ir.Linkage
	uniform func(*ir.Value) bool // the pixel program can read it
	// sent are the components that the input interpolates.
	sent []interpolated
	// values are the candidates: first the ones that must be available (those in sent), then the values they
	// are computed from.
	values []*ir.Value
	// needed is the number of values that must be available.
	needed int
	// number is the inverse of values.
	number map[*ir.Value]int
	// recipe is the way to compute each value, by number.
	recipes []recipe
	// The choice: values, by number, that are computed, and that are available.
	computed, available []bool
}

// recipe is a way to compute a value: the number of operations, and the numbers of the values it reads.
type recipe struct {
	possible   bool
	operations int
	from       []int
}

// newRecomputer lists the interpolated values and, transitively, all values that they can be computed from.
func newRecomputer(c *passes.Ctx, u *passes.Unit, link *ir.Linkage) *recomputer {
	r := &recomputer{unit: u, link: link, number: map[*ir.Value]int{}}
	r.uniform = func(v *ir.Value) bool {
		return u.Stages.Common(v.Home) || c.HostMirrored && c.Mirrors == nil && u.Stages.CanMirror(v.Home)
	}
	reads := Reads(u.Pixel)
	same := newSampler(u.Vertex, 0)
	first := map[uint64]*ir.Value{} // by sample
	for _, l := range link.Links {
		if !l.Linear || l.Half || l.Shared || l.Out.File == 0 {
			continue
		}
		for k := range uint8(4) {
			x := interpolated{out: l.Out, in: l.In}
			x.out.Comp, x.in.Comp = k, k
			if x.v = u.Vertex.OutputValue(x.out); x.v == nil || !reads[x.in] {
				continue
			}
			x.v = original(x.v)
			if key := same.value(x.v); first[key] == nil {
				first[key] = x.v
			} else {
				x.v = first[key]
			}
			r.sent = append(r.sent, x)
			r.addCandidate(x.v)
		}
	}
	r.needed = len(r.values)
	class := ir.Linearities(u.Vertex, func(v *ir.Value) ir.Linearity {
		switch {
		case r.isFree(v):
			return ir.Invariant
		default:
			return ir.Affine
		}
	})
	for i := 0; i < len(r.values); i++ { // the loop body appends to r.values
		r.recipes = append(r.recipes, r.recipe(r.values[i], class))
	}
	return r
}

// isFree reports whether v is a constant that the pixel program gets at no cost.
func (r *recomputer) isFree(v *ir.Value) bool {
	return v.Kind == ir.Literal || v.Kind == ir.Uniform && r.uniform(v)
}

// addCandidate makes v a candidate, with the next number.
func (r *recomputer) addCandidate(v *ir.Value) {
	if _, known := r.number[v]; !known && !r.isFree(v) {
		r.number[v] = len(r.values)
		r.values = append(r.values, v)
	}
}

// recipe returns how the pixel program can compute v. It is not possible if v is not affine in values that
// can be sent.
func (r *recomputer) recipe(v *ir.Value, class []ir.Linearity) (m recipe) {
	in := v.Def
	if in == nil || !expressible(r.unit.Pixel.Dialect, in) {
		return recipe{}
	}
	kind := in.Linearity(int(v.Lane), func(v *ir.Value) ir.Linearity {
		if class[v.ID] == ir.Nonlinear {
			return ir.Affine
		}
		return class[v.ID]
	})
	if m.possible = kind != ir.Nonlinear; !m.possible {
		return m
	}
	read := 0
	for s := range in.Src {
		lanes := in.ReadsFor(s, 1<<v.Lane)
		for k, l := range in.Src[s] {
			if lanes>>k&1 == 0 {
				continue
			}
			// An undefined operand may differ from one copy to the next.
			if read++; l.V.Kind == ir.Undef {
				return recipe{}
			}
			if r.addCandidate(l.V); !r.isFree(l.V) {
				m.from = append(m.from, r.number[l.V])
			}
		}
	}
	m.operations = read / 2 // a product and a sum read two operands and add a third
	return m
}

// selectClosure finds the best choice at a price of operations per component, and reports whether it is a new
// one. It is a maximum-weight closure (see closure). An available value costs price, unless it must be
// available. Computing it saves price less its operations, and requires the node of the value and of its
// operands. Values that are available but not computed are interpolated.
func (r *recomputer) selectClosure(price int) bool {
	var c closure
	there, computed := make([]int32, len(r.values)), make([]int32, len(r.values))
	for i := range r.values {
		there[i], computed[i] = -1, -1
		if i >= r.needed {
			there[i] = c.node(-price)
		}
	}
	for i, m := range r.recipes {
		if !m.possible || m.operations >= price {
			continue
		}
		computed[i] = c.node(price - m.operations)
		for _, needed := range append(m.from, i) {
			if there[needed] >= 0 {
				c.require(computed[i], there[needed])
			}
		}
	}
	c.maxProfit(0)
	old := r.computed
	r.computed, r.available = make([]bool, len(r.values)), make([]bool, len(r.values))
	some := false
	for i := range r.values {
		r.available[i] = i < r.needed || c.chosen(there[i])
		r.computed[i] = computed[i] >= 0 && c.chosen(computed[i])
		some = some || r.computed[i]
	}
	return (some || r.repeats()) && !slices.Equal(old, r.computed)
}

// addsOperations reports whether the choice adds operations; copies and equal components add none.
func (r *recomputer) addsOperations() bool {
	for i, m := range r.recipes {
		if r.computed[i] && m.operations > 0 {
			return true
		}
	}
	return false
}

// repeats reports whether components hold equal values or constants.
func (r *recomputer) repeats() bool { return r.needed < len(r.sent) }

// apply returns a copy of the unit in which the pixel program computes the chosen values. It fails if the
// pixel program has no constant registers left.
func (r *recomputer) apply() (*passes.Unit, bool) {
	u := r.unit.Clone()
	byID := valuesByID(u.Vertex)
	b := &builder{unit: u, done: map[*ir.Value]*ir.Value{},
		free: without(u.Stages.FreePixelConstants(u.Pixel), u.Uploads, true)}
	// Values that are still interpolated keep their component, or take one that is no longer needed.
	var room []interpolated
	for _, x := range r.sent {
		i, value := r.number[x.v]
		if v := byID[x.v.ID]; value && !r.computed[i] && b.done[v] == nil {
			b.done[v] = u.Pixel.Leaf(ir.Input, x.in)
		} else {
			room = append(room, x)
		}
	}
	var outs []ir.Output
	for i, v := range r.values[r.needed:] {
		if i += r.needed; !r.available[i] || r.computed[i] {
			continue
		}
		x := room[len(outs)] // fewer values are sent than before
		v = byID[v.ID]
		b.done[v] = u.Pixel.Leaf(ir.Input, x.in)
		outs = append(outs, ir.Output{Reg: x.out, V: v})
	}
	need := map[*ir.Instr]uint8{}
	for i, v := range r.values {
		if r.computed[i] {
			need[byID[v.ID].Def] |= 1 << v.Lane
		}
	}
	// In program order, so that the operands of a copy exist already.
	ok := true
	u.Vertex.Walk(func(in *ir.Instr) {
		if need[in] != 0 && ok {
			ok = b.clone(in, need[in])
		}
	})
	// Reads of a component that is no longer interpolated become reads of the computed value.
	to := map[*ir.Value]ir.Lane{}
	for _, x := range room {
		v := b.value(byID[x.v.ID])
		if !ok || v == nil {
			return nil, false
		}
		to[u.Pixel.Leaf(ir.Input, x.in)] = ir.Lane{V: v}
	}
	u.Pixel.Replace(to)
	u.Pixel.Body.Code = append(b.code, u.Pixel.Body.Code...)
	setOutputs(u.Vertex, outs)
	r.dropUnread(u)
	u.Uploads = append(u.Uploads, b.up...)
	return u, true
}

// dropUnread removes the unread outputs of u.
func (r *recomputer) dropUnread(u *passes.Unit) {
	reads := Reads(u.Pixel)
	u.Vertex.Outs = slices.DeleteFunc(u.Vertex.Outs, func(o ir.Output) bool {
		comp := o.Reg.Comp
		o.Reg.Comp = 0
		return slices.Contains(r.link.Outputs, o.Reg) &&
			(needed(r.link, o.Reg, reads) == 0 || r.link.Loose && !isRead(r.link, o.Reg, comp, reads))
	})
	cleanup.Sweep(u.Vertex)
}

// builder copies vertex values into the pixel program, in front of its code.
type builder struct {
	unit *passes.Unit
	// done are the pixel values by vertex value: inputs for interpolated values, and copies.
	done map[*ir.Value]*ir.Value
	code []*ir.Instr
	// free are the unused constant registers of the pixel program; up are the uploads into them.
	free []uint16
	up   []passes.Upload
}

// clone copies the lanes in mask of a vertex instruction.
func (b *builder) clone(in *ir.Instr, mask uint8) bool {
	out := copyLanes(in, mask, b.value)
	if out == nil {
		return false
	}
	for i, v := range in.Out {
		if mask>>i&1 != 0 {
			b.done[v] = b.unit.Pixel.Define(out, i, ir.Reg{})
		}
	}
	b.code = append(b.code, out)
	return true
}

// value returns the pixel value of a vertex value, or nil if no constant register is left for it. An
// interpolated constant may be one that the pixel program cannot have.
func (b *builder) value(v *ir.Value) *ir.Value {
	if in := b.done[v]; in != nil {
		return in
	}
	switch v.Kind {
	case ir.Literal:
		return b.unit.Pixel.Const(v.Bits)
	case ir.Uniform:
		if b.unit.Stages.Common(v.Home) {
			return b.unit.Pixel.Leaf(ir.Uniform, v.Home)
		}
		// A constant that the pair already uploads to the vertex stage exists in the pixel stage.
		if k := slices.IndexFunc(b.unit.Uploads,
			func(u passes.Upload) bool { return !u.Lowered && u.To == v.Home.Index }); k >= 0 {
			return b.unit.Pixel.Leaf(ir.Uniform, ir.Reg{File: v.Home.File, Index: b.unit.Uploads[k].From, Comp: v.Home.Comp})
		}
		all := slices.Concat(b.unit.Uploads, b.up)
		k := slices.IndexFunc(all, func(u passes.Upload) bool { return u.Lowered && u.From == v.Home.Index })
		if k < 0 {
			if len(b.free) == 0 {
				return nil
			}
			b.up = append(b.up, passes.Upload{From: v.Home.Index, To: b.free[0], Lowered: true})
			b.free = b.free[1:]
			all, k = b.up, len(b.up)-1
		}
		return b.unit.Pixel.Leaf(ir.Uniform, ir.Reg{File: v.Home.File, Index: all[k].To, Comp: v.Home.Comp})
	}
	return nil
}
