package fetches

import (
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Vectorize is the pass "vectorize-fetches".
var Vectorize = &passes.Pass{
	Name: "vectorize-fetches",
	Doc: `fetches of numbers side by side become fetches of vectors

It packs a resource that holds one number an element: two or four neighbours in a row become one element. The host
binds the same bytes with a narrower width and wider elements, as the report says. Each fetch must be at a known place
in its element, as in unrolled loops and after coarsen. Fetches with levels, gradients or comparisons, integer
coordinates, volumes, cubes and arrays stay. resource=all packs all resources for which that pays. No level runs it,
because the host has to know.`,
	Class: passes.Terms,
	Options: []passes.Option{
		{Name: "resource", Default: "none", Words: []string{"none", "all"}, Number: true,
			Doc: "resource to pack: its number, or all for which it pays"},
		{Name: "width", Default: "4", Doc: "numbers of an element: 2 or 4"},
	},
	Run: run,
}

// run packs one resource, or every profitable one in turn: each changes the cost that the next is compared
// with.
func run(c *passes.Ctx, u *passes.Unit) error {
	if u.Kernel == nil || u.Kernel.Dialect.Launch() == nil || c.Option("resource") == "none" {
		return nil
	}
	width := c.Int("width")
	if width != 2 && width != 4 {
		c.Remarkf(asm.Pos{}, "not-packable", "elements must have 2 or 4 numbers, not %d", width)
		return nil
	}
	if c.Option("resource") != "all" {
		packResource(c, u, c.Int("resource"), width)
		return nil
	}
	for _, r := range resources(u.Kernel) {
		if !c.Stopped() && packingPays(c, u, r, width) {
			packResource(c, u, r, width)
		}
	}
	return nil
}

// resources lists the resources that f fetches from.
func resources(f *ir.Func) (list []int) {
	f.Walk(func(in *ir.Instr) {
		if in.Op.Has(ir.IsFetch) {
			list = append(list, int(in.Res.Unit))
		}
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// packingPays reports whether adjacent fetches of a resource exist and packing it costs less; if not, a remark
// states the reason. The plan is remade for the copy, since it refers to instructions.
func packingPays(c *passes.Ctx, u *passes.Unit, resource, width int) bool {
	p, r := planPacking(u, resource, width)
	switch {
	case r != nil:
		c.Refuse(r, "resource %d is not packed", resource)
		return false
	case len(p.elements) == p.fetches:
		c.Remarkf(asm.Pos{}, "alone", "resource %d is not packed: no two fetches read the same element", resource)
		return false
	case c.Measure == nil:
		return true
	}
	before, err := c.Measure(u)
	if err != nil {
		return false
	}
	t := c.Trial(u)
	if p, r = planPacking(t, resource, width); r != nil {
		return false
	}
	p.carryOut(t)
	if after, err := c.Measure(t); err != nil || !after.Less(before) {
		c.Remarkf(asm.Pos{}, "cost", "resource %d is not packed: the result is not cheaper", resource)
		return false
	}
	return true
}

// packed is the code of the pass's rewrites.
const packed = "vector-fetch"

// packResource packs a resource, or records a remark about the obstacle.
func packResource(c *passes.Ctx, u *passes.Unit, resource, width int) {
	p, r := planPacking(u, resource, width)
	if r != nil {
		c.Refuse(r, "resource %d is not packed", resource)
		return
	}
	if c.ShouldRewrite(p.elements[0].fetches[0].in, packed,
		fmt.Sprintf("resource %d packed by %d: %d fetches become %d", resource, width, p.fetches, len(p.elements))) {
		p.carryOut(u)
	}
}

// packing is a plan for the fetches of a resource. Each element becomes one fetch.
type packing struct {
	resource, width int
	fetches         int
	elements        []*element
}

// element is one element of a packed resource, with the fetches of its numbers in code order. The element is
// fetched in place of the first one.
type element struct {
	fetches []fetch
}

// fetch is a fetch of one number: its lane in the element, and its distance from the start of the element. x
// + add is the coordinate of the element's first number, in numbers.
type fetch struct {
	in   *ir.Instr
	lane int
	add  float64 // added to the coordinate gives the first number of the element
}

// planPacking returns a packing if the positions of all fetches of a resource are known. It is all or nothing: the
// host binds the resource one way.
func planPacking(u *passes.Unit, resource, width int) (*packing, *passes.Refusal) {
	f := u.Kernel
	switch {
	case resource >= ir.MaxPackedResources:
		return nil, &passes.Refusal{Code: "not-packable", Why: fmt.Sprintf("its number is %d or more", ir.MaxPackedResources)}
	case u.Tile.Texels.ElementSize(resource) > 1:
		return nil, &passes.Refusal{Code: "not-packable", Why: "it has been"}
	case u.Tile.XTable == resource+1 || u.Tile.YTable == resource+1:
		return nil, &passes.Refusal{Code: "not-packable", Why: "it holds the coordinates of tiles"}
	}
	p := &packing{resource: resource, width: width}
	launch := f.Dialect.Launch()
	known := ir.ModuloValues(f, func(v *ir.Value) ir.Residues { return ir.PositionResidues(launch, v) })
	forms := affine.NewForms(f)
	byPlace := map[location]*element{}
	var refused *passes.Refusal
	f.EachRegion(func(r *ir.Region) {
		for _, in := range r.Code {
			if !in.Op.Has(ir.IsFetch) || int(in.Res.Unit) != resource || refused != nil {
				continue
			}
			if refused = unfit(in); refused != nil {
				return
			}
			p.fetches++
			// The horizontal coordinate, with its offset in half texels.
			x := in.Src[0][0]
			offset := float64(in.Res.Offset[0]) / 2
			// The lane of the fetch in its element, modulo the width.
			lane, _, ok := ir.LaneResidue(known, x).Plus(offset).Modulo(width)
			if !ok {
				refused = &passes.Refusal{Pos: in.Pos, Code: "unaligned",
					Why: fmt.Sprintf("the position of this fetch in an element of %d numbers is not known", width)}
				return
			}
			at := locationOf(forms, in, offset-float64(lane))
			at.region = r
			e := byPlace[at]
			if e == nil {
				e = &element{}
				byPlace[at] = e
				p.elements = append(p.elements, e)
			}
			e.fetches = append(e.fetches, fetch{in, lane, offset - float64(lane)})
		}
	})
	switch {
	case refused != nil:
		return nil, refused
	case p.fetches == 0:
		return nil, &passes.Refusal{Code: "not-packable", Why: "nothing is fetched from it"}
	}
	return p, nil
}

// location is the position of an element. Fetches of one element share a region and a sampler: a fetch in another region
// may not be executed.
type location struct {
	region  *ir.Region
	sampler uint8
	base    [2]affine.Base
	plus    [2]float64
}

// locationOf returns the location of in, with across added to its horizontal coordinate.
func locationOf(forms *affine.Forms, in *ir.Instr, across float64) location {
	at := location{sampler: in.Res.Sampler}
	for c := range in.Res.Dim.Coords() {
		a, more := forms.Of(in.Src[0][c], false), float64(in.Res.Offset[c])/2
		if c == 0 {
			more = across
		}
		at.base[c], at.plus[c] = forms.Base(a), a.Plus+more
	}
	return at
}

// unfit returns the reason why a fetch does not read one number of a row, or nil.
func unfit(in *ir.Instr) *passes.Refusal {
	switch dim := in.Res.Dim; {
	case in.Op != ir.OpFetch || in.IsPredicated():
		return &passes.Refusal{Pos: in.Pos, Code: "not-packable", Why: "this is not a plain fetch of it"}
	case !in.Res.Unnorm:
		return &passes.Refusal{Pos: in.Pos, Code: "not-packable", Why: "its coordinates do not count texels"}
	case dim != ir.Dim1D && dim != ir.Dim2D:
		return &passes.Refusal{Pos: in.Pos, Code: "not-packable", Why: "it has no rows, or more than one layer of them"}
	}
	return nil
}

// carryOut replaces the fetches of each element by one, at the first of them. Its operands are defined there,
// since equal positions are the same form of the same values.
//
// The readers of each number then read the corresponding component of the element.
func (p *packing) carryOut(u *passes.Unit) {
	f := u.Kernel
	gone, made := map[*ir.Instr]bool{}, map[*ir.Instr][]*ir.Instr{}
	replaced := map[*ir.Value]ir.Lane{}
	for _, e := range p.elements {
		first := e.fetches[0]
		at := p.coordinate(f, first)
		in := *first.in
		in.Orig, in.Out, in.Src = -1, [4]*ir.Value{}, slices.Clone(first.in.Src)
		in.Src[0][0] = ir.Lane{V: at.Out[0]}
		in.Res.Offset[0] = 0
		made[first.in] = []*ir.Instr{at, &in}
		for _, one := range e.fetches {
			in.TakeIn(one.in, packed)
			gone[one.in] = true
			for _, v := range one.in.Out {
				if v == nil {
					continue
				}
				if in.Out[one.lane] == nil {
					home := v.Home
					home.Comp = uint8(one.lane)
					f.Define(&in, one.lane, home)
				}
				replaced[v] = ir.Lane{V: in.Out[one.lane]}
			}
		}
	}
	f.EachRegion(func(r *ir.Region) {
		var code []*ir.Instr
		for _, in := range r.Code {
			if code = append(code, made[in]...); !gone[in] {
				code = append(code, in)
			}
		}
		r.Code = code
	})
	f.Replace(replaced)
	t := u.ChangeTile()
	t.Texels = t.Texels.WithPacking(p.resource, p.width)
	cleanup.Sweep(f)
}

// bitsOf returns x as a float32 literal; powers of two and whole numbers are exact.
func bitsOf(x float64) uint32 { return math.Float32bits(float32(x)) }

// coordinate computes the element that a fetch reads, within its row: (x + add) / width. It uses one
// multiply-add, as width is a power of two and its reciprocal exact.
func (p *packing) coordinate(f *ir.Func, of fetch) *ir.Instr {
	part := 1 / float64(p.width)
	in := &ir.Instr{Op: ir.OpMul, Orig: -1, Pos: of.in.Pos, Src: make([]ir.Operand, 2, 3)}
	in.Src[0][0], in.Src[1][0] = of.in.Src[0][0], ir.Lane{V: f.Const(bitsOf(part))}
	if of.add != 0 {
		in.Op = ir.OpMad
		in.Src = append(in.Src, ir.Operand{0: {V: f.Const(bitsOf(of.add * part))}})
	}
	f.Define(in, 0, ir.Reg{})
	return in
}
