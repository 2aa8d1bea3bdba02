package fold

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Pass is constant folding and algebraic simplification.
var Pass = &passes.Pass{
	Name: "fold",
	Doc: `evaluate constants and neutral operands

Arithmetic on literals becomes a literal, an operation with a neutral operand a
cheaper one (x*1, x+0, a*b+0, lrp by 0 or 1, pow by 0, 1 or 2, cmp on a literal,
min of equals), a branch on a literal the side taken; a loop of no turns
disappears. Sums with +0 lose the sign of a zero and lrp drops a rounding, so those
need numerics real; powers are not computed as the hardware does, and x*0 is not 0
for every x, so those need numerics approx; the others keep every bit.

It declines where infinities, NaNs or subnormal numbers come up, where the value
is the hardware's own (expp, logp, lit). Below approx it declines x*0 too, unless
zero-products=true says that it is 0. With lanes=true lanes of vectors that
are neutral by themselves are taken out, where that saves slots, and nothing else.`,
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
