package combine

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/internal/rules"
)

// combiner rewrites one function and counts the readers of values.
type combiner struct {
	ctx      *passes.Ctx
	f        *ir.Func
	grant    passes.Grant
	doing    string // action for the next step
	rules    *table // in use
	matcher  rules.Matcher
	swizzles *ir.Swizzles
	reads    []int32       // by value ID: lanes that read it, outputs included
	readers  [][]*ir.Instr // by value ID: instructions that read it, or used to, perhaps twice
	places   map[*ir.Instr]place
	dead     map[*ir.Instr]bool
	literal  map[*ir.Instr]bool           // cache of settled
	added    map[*ir.Instr][]*ir.Instr    // instructions to insert before an instruction
	rate     func(*ir.Value) ir.Linearity // of values that may be computed elsewhere, nil if irrelevant
	rewrites int
	stop     bool // no step will be granted
}

// place identifies the state of indexed registers at an instruction. Two instructions of one place see the
// same addresses, since an epoch ends where an address register is written or control flow splits.
type place struct {
	region *ir.Region
	epoch  int32
}

func newCombiner(ctx *passes.Ctx, f *ir.Func) *combiner {
	c := &combiner{ctx: ctx, f: f, swizzles: ir.NewSwizzles(f.Dialect), reads: f.UseCounts(),
		dead: map[*ir.Instr]bool{}, literal: map[*ir.Instr]bool{}, added: map[*ir.Instr][]*ir.Instr{}}
	c.matcher.Func, c.matcher.Host = f, c
	c.makeRoom()
	f.EachRegion(func(r *ir.Region) {
		at := place{region: r}
		for _, in := range r.Code {
			c.places[in] = at
			if len(in.Sub) > 0 || in.Op.Has(ir.Special) {
				at.epoch++
			}
			eachOperandLane(in, func(l ir.Lane) { c.addReader(l.V, in) })
		}
	})
	return c
}

// makeRoom allocates the lists of readers in one array, with the reads as capacity.
func (c *combiner) makeRoom() {
	total, instrs := int32(0), 0
	for _, n := range c.reads {
		total += n
	}
	c.f.Walk(func(*ir.Instr) { instrs++ })
	room := make([]*ir.Instr, total)
	c.readers = make([][]*ir.Instr, len(c.reads))
	for id, n := range c.reads {
		c.readers[id], room = room[:0:n], room[n:]
	}
	c.places = make(map[*ir.Instr]place, instrs)
}

func eachOperandLane(in *ir.Instr, visit func(l ir.Lane)) {
	for s := range in.Src {
		for _, l := range in.Src[s] {
			if l.V != nil {
				visit(l)
			}
		}
	}
}

func (c *combiner) addReader(v *ir.Value, by *ir.Instr) {
	if v.IsLeaf() {
		return
	}
	if list := c.readers[v.ID]; len(list) == 0 || list[len(list)-1] != by {
		c.readers[v.ID] = append(list, by)
	}
}

// grow extends the tables for new values.
func (c *combiner) grow() {
	for len(c.reads) < c.f.NumValues() {
		c.reads = append(c.reads, 0)
		c.readers = append(c.readers, nil)
	}
}

// readsOf returns the number of lanes that read results of in.
func (c *combiner) readsOf(in *ir.Instr) (n int32) {
	for _, v := range in.Out {
		if v != nil {
			n += c.reads[v.ID]
		}
	}
	return n
}

// source returns the instruction that writes everything o reads, if its work may be done in place of in. It
// must not be predicated, must be as precise as in, and its operands must be readable there. SSA guarantees
// that for all values; indexed registers also need the same place.
func (c *combiner) source(o *ir.Operand, in *ir.Instr) *ir.Instr {
	var def *ir.Instr
	for _, l := range o {
		if l.V == nil {
			continue
		}
		d := l.V.Def
		if d == nil || def != nil && d != def || d.Out[l.V.Lane] != l.V {
			return nil
		}
		def = d
	}
	if def == nil || def.Precise != in.Precise || def.IsPredicated() || !def.Op.HasFormula() || def.Op.Has(ir.Convergent) {
		return nil
	}
	indexed := false
	eachOperandLane(def, func(l ir.Lane) { indexed = indexed || l.V.IsLoaded() })
	if indexed && c.places[def] != c.places[in] {
		return nil
	}
	return def
}

// unsaturatedSource returns source(o, in), if that does not saturate.
func (c *combiner) unsaturatedSource(o *ir.Operand, in *ir.Instr) *ir.Instr {
	if def := c.source(o, in); def != nil && def.Mods&ir.Sat == 0 {
		return def
	}
	return nil
}

// soleSource returns from(o, in), if in is also the only reader, so that the inner instruction dies. Operands of in
// other than o must not read it.
func (c *combiner) soleSource(o *ir.Operand, in *ir.Instr) *ir.Instr {
	def := c.unsaturatedSource(o, in)
	if def == nil || c.readsOf(def) != rules.LanesOf(o) {
		return nil
	}
	return def
}

// commonMods returns the modifiers of an instruction that does the work of in and of inner ones: partial precision
// only if all of them had it.
func commonMods(in *ir.Instr, inner ...*ir.Instr) ir.Mods {
	m := in.Mods
	for _, i := range inner {
		m &= i.Mods | ir.Sat
	}
	return m
}

// withOp returns in as another operation on other sources.
func withOp(in *ir.Instr, op ir.Op, m ir.Mods, src ...ir.Operand) ir.Instr {
	to := *in
	to.Op, to.Mods, to.Src = op, m, src
	return to
}
