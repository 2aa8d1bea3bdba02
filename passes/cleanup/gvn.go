package cleanup

import (
	"slices"
	"sync"

	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// GVN is global value numbering.
var GVN = &passes.Pass{
	Name: "gvn",
	Doc: `compute equal values once

It numbers values lane by lane, through moves, literals and commuted operands. An instruction disappears if an earlier
one in the same or an enclosing region computed all its lanes. A full-precision result can replace a _pp one, not the
reverse. Predicated writes are not compared. Values that depend on neighbouring pixels are reused in the same region
only. It declines if an operand would read two registers, unless mixed=true leaves that to the cost. In kernels,
texels=true also joins fetches of one texel, whose coordinates may be different sums.`,
	Class: passes.Terms, Removes: true,
	Options: []passes.Option{
		{Name: "mixed", Default: "false", Doc: "reuse values even where an operand then reads lanes of several registers, or an output is read back"},
		{Name: "texels", Default: "false", Doc: "one fetch reads all components of a texel that a kernel reads"},
	},
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if u.Kernel != nil && c.Bool("texels") {
			shareTexels(c, u.Kernel)
		}
		for _, f := range u.Funcs() {
			g := idle.Get().(*numbering)
			g.begin(c, f)
			g.region(f.Body)
			f.Replace(g.same)
			if len(g.precise) > 0 {
				ir.MarkPrecise(f, g.precise)
			}
			idle.Put(g)
		}
		return nil
	},
}

// numbering works on one function. It is linear in the lanes of the program, with one table lookup each.
type numbering struct {
	c        *passes.Ctx
	mixed    bool
	uses     users
	numbers  []number // by value ID, zero while a value represents itself
	literals map[uint32]*ir.Value
	// table holds the available values; undo restores it at the end of the innermost regions.
	table map[key]*ir.Value
	undo  []entry
	// current is the number of the region being walked, regions the count of regions so far.
	current, regions uint64
	depth            int // of that region, 1 for the whole program
	// setting counts the address and predicate registers set so far; settings is its value at the definition
	// of a value.
	setting  int32
	settings []int32
	same     map[*ir.Value]ir.Lane // removed values and their replacements
	precise  []*ir.Value           // replacements of precise values
}

// entry is an old table entry, to be restored.
type entry struct {
	key   key
	value *ir.Value
}

// idle holds numberings for reuse.
var idle = sync.Pool{New: func() any {
	return &numbering{literals: map[uint32]*ir.Value{}, table: map[key]*ir.Value{}, same: map[*ir.Value]ir.Lane{}}
}}

// begin prepares g for f.
func (g *numbering) begin(c *passes.Ctx, f *ir.Func) {
	n := f.NumValues()
	clear(g.literals)
	clear(g.table)
	clear(g.same)
	*g = numbering{c: c, mixed: c.Bool("mixed"), uses: g.uses, numbers: container.Zeros(g.numbers, n), literals: g.literals,
		table: g.table,
		undo:  g.undo[:0], settings: container.Zeros(g.settings, n), same: g.same}
	g.uses.collectUsers(f)
}

// region numbers the instructions of r, and undoes its table entries at the end.
func (g *numbering) region(r *ir.Region) {
	mark, outer := len(g.undo), g.current
	g.depth++
	defer func() { g.depth-- }()
	g.regions++
	g.current = g.regions
	r.Code = slices.DeleteFunc(r.Code, g.instr)
	for i := len(g.undo) - 1; i >= mark; i-- {
		if e := &g.undo[i]; e.value == nil {
			delete(g.table, e.key)
		} else {
			g.table[e.key] = e.value
		}
	}
	g.undo, g.current = g.undo[:mark], outer
}

// instr numbers the definitions of in and reports whether in can be removed. A loop whose body sets an
// address register may begin a trip with another address than the code before it.
func (g *numbering) instr(in *ir.Instr) bool {
	switch {
	case len(in.Sub) > 0:
		if in.Op == ir.OpLoop && setsRegister(in.Sub[0]) {
			g.setting++ // covers settings of an earlier iteration
		}
		for _, sub := range in.Sub {
			g.region(sub)
		}
		return false
	case in.Op.Has(ir.Structured) || in.Op.Has(ir.Effect) || len(in.Args) > maxStates:
		// Effects are never equal to each other, nor are conditional writes, which depend on the old value.
		return false
	case in.IsPredicated():
		if in.Op.Has(ir.Special) {
			g.setting++
		}
		return false
	}
	var keys [4]key
	var found [4]*ir.Value
	all := in.Mask() != 0
	for i, v := range in.Out {
		if v != nil {
			keys[i] = g.keyOf(in, i)
			found[i] = g.findCongruent(keys[i])
			all = all && found[i] != nil
		}
	}
	// All lanes are available, or the instruction stays.
	if all && g.reusable(in, &found) && g.c.ShouldRewrite(in, equal, "replaced by an equal value") {
		g.reuse(in, &found)
		return true
	}
	if in.Op.Has(ir.Special) {
		g.setting++
	}
	// A move has the number of its source.
	copied := in.Op == ir.OpMov && in.Mods == 0
	for i, v := range in.Out {
		switch {
		case v == nil:
			continue
		// A lane that equals an earlier one gets its number although the instruction stays, unless precisions
		// differ.
		case copied:
			g.setNumber(v, g.number(in.Src[0][i]))
		case found[i] != nil && isHalf(found[i]) == isHalf(v):
			g.setNumber(v, g.numberOf(found[i]))
		}
		g.settings[v.ID] = g.setting
		if found[i] == nil || in.Op == ir.OpLoad || in.Op.Has(ir.Special) {
			if g.depth > 1 { // entries of the whole program are never undone
				g.undo = append(g.undo, entry{keys[i], g.table[keys[i]]})
			}
			g.table[keys[i]] = v
		}
	}
	return false
}

// setsRegister reports whether code in r sets an address or a predicate register.
func setsRegister(r *ir.Region) (sets bool) {
	r.Walk(func(in *ir.Instr) { sets = sets || in.Op.Has(ir.Special) })
	return sets
}

func isHalf(v *ir.Value) bool { return v.Def != nil && v.Def.Mods&ir.Half != 0 }

// findCongruent returns a value with this key: one of full precision, or of partial precision if the key allows it.
func (g *numbering) findCongruent(k key) *ir.Value {
	full := k
	full.head &^= halfBit
	if v := g.table[full]; v != nil || k == full {
		return v
	}
	return g.table[k]
}

// equal is the code of the pass's rewrites.
const equal = "equal-value"

// reuse replaces the results of in by the values found. If in fed a position, its replacement now feeds it,
// and is marked.
func (g *numbering) reuse(in *ir.Instr, found *[4]*ir.Value) {
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		g.same[v] = ir.Lane{V: found[i]}
		found[i].Def.TakeIn(in, equal)
		g.setNumber(v, g.numberOf(found[i]))
		g.uses.moveReaders(v, found[i])
		if in.Precise && !found[i].Def.Precise {
			g.precise = append(g.precise, found[i])
		}
	}
}
