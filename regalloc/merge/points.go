package merge

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// points describes f to the allocator: a point for each instruction, and one for each end
// of a side or loop.
func points(f *ir.Func) *regalloc.Code {
	b := &pointer{code: &regalloc.Code{NumValues: f.NumValues(), Budget: f.Budget}}
	b.region(f.Body)
	end := regalloc.Point{}
	for _, o := range f.Outs {
		end.Uses = b.use(end.Uses, o.V)
	}
	b.add(end)
	return b.code
}

type pointer struct{ code *regalloc.Code }

func (b *pointer) add(p regalloc.Point) { b.code.Points = append(b.code.Points, p) }

func (b *pointer) use(list []int32, v *ir.Value) []int32 {
	if v == nil || v.IsLeaf() {
		return list
	}
	return append(list, int32(v.ID))
}

func (b *pointer) values(vs []*ir.Value) (list []int32) {
	for _, v := range vs {
		list = b.use(list, v)
	}
	return list
}

func (b *pointer) region(r *ir.Region) {
	for _, in := range r.Code {
		p := regalloc.Point{}
		for s := range in.Src {
			for _, l := range in.Src[s] {
				p.Uses = b.use(p.Uses, l.V)
			}
		}
		for i := range in.Out {
			p.Uses = b.use(p.Uses, in.Pred[i].V)
			p.Uses = b.use(p.Uses, in.Keep[i])
			p.Defs = b.use(p.Defs, in.Out[i])
		}
		switch in.Op {
		case ir.OpIf:
			p.Kind = regalloc.If
			b.add(p)
			b.region(in.Sub[0])
			b.add(regalloc.Point{Kind: regalloc.Else, Uses: b.values(in.Sub[0].Results)})
			b.region(in.Sub[1])
			b.add(regalloc.Point{Kind: regalloc.EndIf, Uses: b.values(in.Sub[1].Results), Defs: b.values(in.Results)})
		case ir.OpLoop:
			body := in.Sub[0]
			p.Kind = regalloc.Loop
			p.Uses = append(p.Uses, b.values(in.Args)...)
			p.Defs = b.values(body.Params)
			p.Defs = b.use(p.Defs, body.Index)
			b.add(p)
			b.region(body)
			b.add(regalloc.Point{Kind: regalloc.EndLoop, Uses: b.values(body.Results), Defs: b.values(in.Results)})
		case ir.OpBreak:
			p.Kind = regalloc.Break
			p.Uses = append(p.Uses, b.values(in.Args)...)
			b.add(p)
		default:
			b.add(p)
		}
	}
}
