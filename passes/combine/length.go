package combine

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// length expands a nrm if its sum of squares already exists, as in a program that also needs the length. A
// nrm costs as much as its dp3, rsq and mul, and only the mul remains.
//
//	dp3 r0.w, r1, r1          dp3 r0.w, r1, r1
//	nrm r2.xyz, r1      ->    rsq r3.x, r0.w
//	                          mul r2.xyz, r1, r3.x
//
// The dp3 that is made here equals the existing one, and the pass gvn removes it.
func (c *combiner) length(in *ir.Instr) bool {
	vector := in.Src[0]
	vector[3] = ir.Lane{}
	plain := in.Mods &^ (ir.Sat | ir.Half) // nrm rounds only its result
	if !slices.ContainsFunc(c.places[in].region.Code, func(d *ir.Instr) bool {
		return d.Op == ir.OpDp3 && d.Mods == plain && !d.IsPredicated() && !c.dead[d] && d.Src[0] == d.Src[1] &&
			sameValues(&d.Src[0], &vector)
	}) {
		return false
	}
	product, factor := in.Src[0], ir.Operand{}
	dot, root := withOp(in, ir.OpDp3, plain, vector, vector), withOp(in, ir.OpRsq, plain)
	dot.Out, root.Out = [4]*ir.Value{}, [4]*ir.Value{}
	root.Src = []ir.Operand{{{V: c.f.Define(&dot, 0, ir.Reg{})}}}
	scale := ir.Lane{V: c.f.Define(&root, 0, ir.Reg{})}
	for i, v := range in.Out {
		if v == nil {
			product[i] = ir.Lane{}
		} else {
			factor[i] = scale
		}
	}
	to := withOp(in, ir.OpMul, in.Mods, product, factor)
	if c.doing = "made a mul"; !c.legal(&to) || !c.shouldRewrite(in) {
		return false
	}
	c.insert(&dot, in)
	c.insert(&root, in)
	c.replace(in, to)
	return true
}

// sameValues reports whether two operands have the same values up to sign, which a square removes.
func sameValues(a, b *ir.Operand) bool {
	for i := range a {
		if a[i].V != b[i].V {
			return false
		}
	}
	return true
}
