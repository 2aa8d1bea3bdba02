package algebra

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Fold is constant folding and algebraic simplification.
var Fold = &passes.Pass{
	Name: "fold",
	Doc: `evaluate constants and neutral operands

Arithmetic on literals becomes a literal. Operations with a neutral operand become cheaper, such as x*1, x+0, lrp by 0
and pow by 2. A branch on a literal becomes its side, and a loop without trips disappears. Sums with 0 and lrp need
numerics real; powers and x*0 need approx, or zero-products=true. Infinities, NaNs, subnormal numbers and expp, logp
and lit are not folded. lanes=true instead takes single neutral lanes out of vectors if that saves slots.`,
	Class: passes.Terms,
	Options: []passes.Option{
		{Name: "zero-products", Default: "false", Doc: "take x*0 for 0, as much hardware does even for infinite x"},
		{Name: "lanes", Default: "false", Doc: "take lanes out of vectors, where that pays"},
	},
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if c.Bool("lanes") {
			if c.Measure != nil {
				neutralLanes(c, u)
			}
			return nil
		}
		for _, f := range u.Funcs() {
			x := newFolder(c, f)
			x.region(f.Body)
			f.Replace(x.replaced)
		}
		return nil
	},
}

func newFolder(c *passes.Ctx, f *ir.Func) *folder {
	x := &folder{c: c, f: f, zero: c.Bool("zero-products"), flush: f.Dialect.FlushesDenormals(),
		bits: make([]uint32, f.NumValues()), known: make([]bool, f.NumValues()), replaced: map[*ir.Value]ir.Lane{}}
	if x.flush {
		x.carried = map[*ir.Value][2]*ir.Value{}
		f.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpLoop {
				for i, v := range in.Sub[0].Params {
					x.carried[v] = [2]*ir.Value{in.Args[i], in.Sub[0].Results[i]}
				}
			}
		})
	}
	return x
}

// folder works on one function, in program order, so that operands are evaluated before their readers.
type folder struct {
	c        *passes.Ctx
	swapped  []ir.Operand // operands of the current instruction, the first two swapped
	f        *ir.Func
	zero     bool     // x*0 is 0
	flush    bool     // arithmetic flushes subnormal numbers to 0, which a move does not
	bits     []uint32 // by value ID, for those in known
	known    []bool
	replaced map[*ir.Value]ir.Lane // results of removed constructs
	// carried maps loop parameters to their initial value and their value for the next trip; nil if nothing
	// is flushed.
	carried map[*ir.Value][2]*ir.Value
	words   ir.Words
}

// region folds the instructions of r. It copies the code only if a construct is removed.
func (x *folder) region(r *ir.Region) {
	var out []*ir.Instr // nil while r.Code is unchanged
	for i, in := range r.Code {
		by, gone := x.instr(in)
		if gone && out == nil {
			out = append(make([]*ir.Instr, 0, len(r.Code)), r.Code[:i]...)
		}
		switch {
		case gone:
			out = append(out, by...)
		case out != nil:
			out = append(out, in)
		}
	}
	if out != nil {
		r.Code = out
	}
}

// instr folds in. If gone, code by replaces it.
func (x *folder) instr(in *ir.Instr) (by []*ir.Instr, gone bool) {
	switch in.Op {
	case ir.OpIf:
		return x.branch(in)
	case ir.OpLoop:
		if by, gone := x.foldLoop(in); gone {
			return by, gone
		}
		x.region(in.Sub[0])
	case ir.OpBreak:
		taken, ok := x.decide(in)
		return nil, ok && !taken && x.c.ShouldRewrite(in, "never-taken", "removed: it is never taken")
	default:
		if in.Op.HasFormula() && !in.IsPredicated() {
			x.simplify(in)
			x.evaluate(in)
		}
	}
	return nil, false
}

// literal returns the value of a known lane, with its modifiers applied.
func (x *folder) literal(l ir.Lane) (bits uint32, ok bool) {
	v := l.V
	for v != nil {
		to, more := x.replaced[v]
		if !more {
			break
		}
		v = to.V
	}
	switch {
	case v == nil:
		return 0, false
	case v.Kind == ir.Literal:
		bits = v.Bits
	case int(v.ID) < len(x.known) && x.known[v.ID]:
		bits = x.bits[v.ID]
	default:
		return 0, false
	}
	return l.Mod.Apply(bits), true
}
