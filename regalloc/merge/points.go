package merge

import (
	"sync"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// scratch is memory that successive attempts reuse. Its contents are valid until the next attempt.
type scratch struct {
	regalloc.Scratch
	// points describes functions to the allocator.
	points pointer
	// webs holds memory for copies of webs: up to three attempts are alive at a time.
	webs [3]regalloc.Scratch

	// trial and other hold memory for versions of the function.
	trial, other ir.Cloner

	// The cached analysis of the version that was packed last.
	from          *ir.Func
	plain, paired *bins
	together      int
	least         int // lower bound of registers, see filled; below 0 if not computed
}

// idle is a pool of unused scratch memory.
var idle = sync.Pool{New: func() any { return new(scratch) }}

// pointer describes functions to the allocator: a point for each instruction, and one for each end
// of a side or loop. The values that points read and write are slices of one list. The description
// must agree with the descriptions by packages vsps and amdil at emission; otherwise the plan does
// not hold.
type pointer struct {
	// code is the description, rebuilt for each function in the same memory.
	code regalloc.Code
	list []int32
}

// pointsOf returns the points of f. Outputs are read at a point after the code.
func (b *pointer) pointsOf(f *ir.Func) *regalloc.Code {
	b.code = regalloc.Code{NumValues: f.NumValues(), Budget: f.Budget, Points: b.code.Points[:0]}
	b.list = b.list[:0]
	b.region(f.Body)
	from := len(b.list)
	for _, o := range f.Outs {
		b.use(o.V)
	}
	b.add(regalloc.Point{Uses: b.since(from)})
	return &b.code
}

// add appends a point.
func (b *pointer) add(p regalloc.Point) { b.code.Points = append(b.code.Points, p) }

// use records that the current point reads v.
func (b *pointer) use(v *ir.Value) {
	if v != nil && !v.IsLeaf() {
		b.list = append(b.list, int32(v.ID))
	}
}

// values records vs and returns their slice of the list.
func (b *pointer) values(vs ...*ir.Value) []int32 {
	from := len(b.list)
	for _, v := range vs {
		b.use(v)
	}
	return b.since(from)
}

// since returns the elements added to the list since from.
func (b *pointer) since(from int) []int32 { return b.list[from:len(b.list):len(b.list)] }

// region describes r: a point for each instruction, and one for each end of a side or loop. A point
// reads before it writes.
func (b *pointer) region(r *ir.Region) {
	for _, in := range r.Code {
		p := regalloc.Point{}
		from := len(b.list)
		for s := range in.Src {
			for i := range in.Src[s] {
				b.use(in.Src[s][i].V)
			}
		}
		for i := range in.Out {
			b.use(in.Pred[i].V)
			b.use(in.Keep[i])
		}
		if in.Op == ir.OpLoop || in.Op == ir.OpBreak {
			for _, v := range in.Args {
				b.use(v)
			}
		}
		p.Uses = b.since(from)
		p.Defs = b.values(in.Out[:]...)
		switch in.Op {
		case ir.OpIf:
			p.Kind = regalloc.If
			b.add(p)
			b.region(in.Sub[0])
			b.add(regalloc.Point{Kind: regalloc.Else, Uses: b.values(in.Sub[0].Results...)})
			b.region(in.Sub[1])
			b.add(regalloc.Point{Kind: regalloc.EndIf, Uses: b.values(in.Sub[1].Results...), Defs: b.values(in.Results...)})
		case ir.OpLoop:
			body := in.Sub[0]
			p.Kind = regalloc.Loop
			from := len(b.list)
			b.values(body.Params...)
			b.use(body.Index)
			p.Defs = b.since(from)
			b.add(p)
			b.region(body)
			b.add(regalloc.Point{Kind: regalloc.EndLoop, Uses: b.values(body.Results...), Defs: b.values(in.Results...)})
		case ir.OpBreak:
			p.Kind = regalloc.Break
			b.add(p)
		default:
			b.add(p)
		}
	}
}
