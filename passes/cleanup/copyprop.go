package cleanup

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Copyprop is copy propagation.
var Copyprop = &passes.Pass{
	Name: "copyprop",
	Doc: `read the source of a move instead of its copy

Operands and outputs read the source of a move with the modifiers of both. Block arguments that are the same on all
paths are copies too. A mov_sat whose operand has no other reader becomes a saturation of the instruction that
computes it. The pass declines if the model cannot read the source in that place. It also declines if an operand or
output would gather several registers, unless mixed=true leaves that to the cost.`,
	Class: passes.Terms, Removes: true,
	Options: []passes.Option{
		{Name: "mixed", Default: "false", Doc: "look through moves even where one operand or output then gathers several registers"},
	},
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		for _, f := range u.Funcs() {
			p := &propagator{c: c, f: f, mixed: c.Bool("mixed"), swizzles: ir.NewSwizzles(f.Dialect), uses: f.UseCounts(),
				from: make([]ir.Lane, f.NumValues()), touched: map[*ir.Instr]bool{}}
			p.region(f.Body)
			p.outputs()
			p.saturate(f.Body)
			f.Replace(p.saturated)
			p.sweep(f.Body)
		}
		return nil
	},
}

// propagator works on one function, in program order, so that it looks through copies of copies one at a
// time.
type propagator struct {
	c        *passes.Ctx
	f        *ir.Func
	mixed    bool
	swizzles *ir.Swizzles
	uses     []int32   // by value ID: lanes that read it
	from     []ir.Lane // by value ID: the source that it is a copy of
	// touched are the moves that lost a reader. saturated maps values whose clamping has moved to the clamped
	// value.
	touched   map[*ir.Instr]bool
	saturated map[*ir.Value]ir.Lane
}

// region records copies before it visits their readers.
func (p *propagator) region(r *ir.Region) {
	for _, in := range r.Code {
		p.operands(in)
		switch in.Op {
		case ir.OpMov:
			if in.Mods&ir.Sat == 0 && !in.IsPredicated() {
				for i, v := range in.Out {
					if v != nil {
						p.from[v.ID] = in.Src[0][i]
					}
				}
			}
		case ir.OpLoop:
			p.carried(in)
		}
		for _, sub := range in.Sub {
			p.region(sub)
		}
		// Both sides pass the same outer value.
		if in.Op == ir.OpIf {
			for k, v := range in.Results {
				if a, b := in.Sub[0].Results[k], in.Sub[1].Results[k]; a == b {
					p.from[v.ID] = ir.Lane{V: a} // defined outside, since both sides can read it
				}
			}
		}
	}
}

// carried finds carried values that the loop never changes: the end of the body and every break pass the
// parameter itself. Such a value equals its initial value.
func (p *propagator) carried(in *ir.Instr) {
	body := in.Sub[0]
	same := make([]bool, len(body.Params))
	for k, v := range body.Params {
		same[k] = body.Results[k] == v
	}
	body.EachBreak(func(b *ir.Instr) {
		for k, v := range body.Params {
			same[k] = same[k] && b.Args[k] == v
		}
	})
	for k, v := range body.Params {
		if same[k] {
			p.from[v.ID] = ir.Lane{V: in.Args[k]}
			p.from[in.Results[k].ID] = ir.Lane{V: in.Args[k]}
		}
	}
}

// operands rewrites the sources of in. Conditions, trip counts and addresses are read from dedicated
// registers, which moves do not write.
func (p *propagator) operands(in *ir.Instr) {
	if in.Op.Has(ir.Structured) || in.Op == ir.OpLoad {
		return
	}
	for k := range in.Src {
		for p.operand(in, k) {
		}
	}
}

// operand looks through one layer of copies in source k of in, in all lanes at once. It works layer by layer:
// the innermost source may be unreadable where an outer one is readable.
func (p *propagator) operand(in *ir.Instr, k int) bool {
	old := in.Src[k]
	now, ok := p.forward(old)
	if !ok {
		return false
	}
	in.Src[k] = now
	if !p.readable(in, k) || !p.c.ShouldRewrite(in, copied, "reads the source of a copy") {
		in.Src[k] = old
		return false
	}
	old.EachLane(func(_ int, l *ir.Lane) {
		if by := l.V.Def; by != nil && by.Op == ir.OpMov {
			in.TakeCopy(by, int(l.V.Lane), copied)
		}
		p.dropReader(l.V)
	})
	now.EachLane(func(_ int, l *ir.Lane) { p.uses[l.V.ID]++ })
	return true
}

// copied is the code of rewrites that make operands read the source of a move.
const copied = "copy"

// forward replaces the copies that o reads by their sources.
func (p *propagator) forward(o ir.Operand) (ir.Operand, bool) {
	found := false
	o.EachLane(func(_ int, l *ir.Lane) {
		if src := p.from[l.V.ID]; src.V != nil {
			*l = ir.Lane{V: src.V, Mod: src.Mod.ComposeWith(l.Mod)}
			found = true
		}
	})
	return o, found
}

// readable reports whether in can read its source k without a move. Leaves and temporaries cannot share a
// register; several temporaries can if they are probably together.
func (p *propagator) readable(in *ir.Instr, k int) bool {
	o := &in.Src[k]
	leaf, temp := false, false
	from := [4]int8{-1, -1, -1, -1}
	o.EachLane(func(i int, l *ir.Lane) {
		if l.V.IsLeaf() {
			leaf = true
			return
		}
		temp = true
		from[i] = int8(l.V.ReadComponent())
		leaf = leaf || l.V.IsLoaded() // its address may have changed since
	})
	if leaf && temp || temp && !p.mixed && !(o.Together() && p.swizzles.CanRead(in.Op, k, from)) {
		return false
	}
	return p.f.Dialect.Encodable(in)
}

// dropReader removes one reader of v.
func (p *propagator) dropReader(v *ir.Value) {
	p.uses[v.ID]--
	if v.Def != nil && v.Def.Op == ir.OpMov {
		p.touched[v.Def] = true
	}
}

// sweep removes the moves, and lanes of moves, that this pass left without readers.
func (p *propagator) sweep(r *ir.Region) {
	for i := len(r.Code) - 1; i >= 0; i-- {
		in := r.Code[i]
		for _, sub := range in.Sub {
			p.sweep(sub)
		}
		if !p.touched[in] {
			continue
		}
		for k, v := range in.Out {
			if v == nil || p.uses[v.ID] > 0 {
				continue
			}
			p.dropReader(in.Src[0][k].V)
			if in.Keep[k] != nil {
				p.dropReader(in.Pred[k].V)
				p.dropReader(in.Keep[k])
			}
			in.Out[k], in.Src[0][k], in.Pred[k], in.Keep[k] = nil, ir.Lane{}, ir.Lane{}, nil
		}
	}
	r.Code = slices.DeleteFunc(r.Code, func(in *ir.Instr) bool { return p.touched[in] && in.Mask() == 0 })
}
