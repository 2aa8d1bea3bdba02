package cleanup

import (
	"slices"

	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// texel is what a fetch reads: its resource and the forms of its coordinates.
type texel struct {
	op   ir.Op
	mods ir.Mods
	res  ir.Resource
	base [4]affine.Base
	plus [4]float64
}

// texels finds fetches of one texel in a kernel. The first one reads the components for all of them:
//
//	mul r0.x, r1.x, 0.25                     mul r0.x, r1.x, 0.25
//	sample_resource(0) r2.x, r0.xy           sample_resource(0) r2.xy, r0.xy
//	mad r0.x, r3.x, 0.25, -0.25
//	sample_resource(0) r4.y, r0.xy           (r2.y for r4.y, if r3.x is r1.x + 1)
//
// Components of one texel cost one fetch. The coordinates are equal over the reals, so other values of them need
// numerics real.
type texels struct {
	c        *passes.Ctx
	f        *ir.Func
	forms    *affine.Forms
	known    map[texel]*ir.Instr
	replaced map[*ir.Value]ir.Lane
}

// shareTexels replaces fetches of a texel that an earlier fetch reads.
func shareTexels(c *passes.Ctx, f *ir.Func) {
	x := &texels{c, f, affine.NewForms(f), map[texel]*ir.Instr{}, map[*ir.Value]ir.Lane{}}
	x.region(f.Body)
	f.Replace(x.replaced)
}

// region visits the fetches of r, and forgets them at the end.
func (x *texels) region(r *ir.Region) {
	var own []texel
	r.Code = slices.DeleteFunc(r.Code, func(in *ir.Instr) bool {
		for _, sub := range in.Sub {
			x.region(sub)
		}
		if in.Op != ir.OpFetch || in.IsPredicated() || len(in.Src) != 1 || in.Op.Has(ir.Convergent) && !in.Res.Unnorm {
			return false
		}
		at := x.texelOf(in)
		first := x.known[at]
		if first == nil {
			x.known[at], own = in, append(own, at)
			return false
		}
		return x.join(first, in)
	})
	for _, at := range own {
		delete(x.known, at)
	}
}

// texelOf returns what a fetch reads.
func (x *texels) texelOf(in *ir.Instr) texel {
	t := texel{op: in.Op, mods: in.Mods, res: in.Res}
	t.res.Offset = [3]int8{}
	for i := range in.Res.Dim.Coords() {
		a := x.forms.Of(in.Src[0][i], false)
		t.base[i], t.plus[i] = x.forms.Base(a), a.Plus
		if i < len(in.Res.Offset) {
			t.plus[i] += float64(in.Res.Offset[i]) / 2
		}
	}
	return t
}

// join makes first read the components of in too, and reports whether in can be removed.
func (x *texels) join(first, in *ir.Instr) bool {
	class := passes.Real
	if first.Src[0] == in.Src[0] && first.Res == in.Res {
		class = passes.Terms
	}
	if !x.c.Allows(class, in) || !x.c.ShouldRewrite(in, "same-texel", "an earlier fetch reads its components") {
		return false
	}
	first.TakeIn(in, "same-texel")
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		if first.Out[i] == nil {
			home := first.Out[slices.IndexFunc(first.Out[:], func(v *ir.Value) bool { return v != nil })].Home
			home.Comp = uint8(i)
			x.f.Define(first, i, home)
		}
		x.replaced[v] = ir.Lane{V: first.Out[i]}
	}
	return true
}
