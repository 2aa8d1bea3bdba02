package trial

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// SpecialLaunch returns c with infinities, NaNs, subnormals and other special words among the random numbers of
// resources and inputs: every other four words are from the table.
func SpecialLaunch(c *kernel.Case, seed uint64) *kernel.Case {
	r := symbolic.Stream(symbolic.Mix(seed + 1))
	n := 0
	return edited(c, func(w uint32) uint32 {
		n++
		switch {
		case n/4%2 == 0:
			return interp.SpecialValue(n, int(r.Next()%uint64(len(interp.SpecialWords))))
		case r.Next()%2 == 0:
			return math.Float32bits(4*r.Float() - 2)
		}
		return w
	}, nil)
}

// PerturbLaunch returns c with every fraction perturbed by up to two roundings, to show the influence of roundings.
// Other numbers may be counts or addresses, and stay.
func PerturbLaunch(c *kernel.Case, seed uint64) *kernel.Case {
	r := symbolic.Stream(seed)
	near := func(w uint32) uint32 {
		if x := symbolic.Double(w); plausible(w) && x != math.Trunc(x) {
			return math.Float32bits(perturbFloat(&r, math.Float32frombits(w), fewRoundings))
		}
		return w
	}
	return edited(c, near, near)
}

// edited returns c with its words changed: data edits those in resources and inputs, rest the others unless
// it is nil.
func edited(c *kernel.Case, data, rest func(w uint32) uint32) *kernel.Case {
	d := *c
	d.Resources = slices.Clone(c.Resources)
	for i := range d.Resources {
		if r := &d.Resources[i]; r.Format != kernel.Uint4 {
			EditData(&r.Data, r.Width*r.Height*r.Depth*r.Format.Components(), c.Width, data)
		}
	}
	d.Inputs = slices.Clone(c.Inputs)
	for i := range d.Inputs {
		EditData(&d.Inputs[i].Data, 4*c.Width*c.Height, c.Width, data)
	}
	if rest == nil {
		return &d
	}
	if c.Global != nil {
		g := *c.Global
		EditData(&g.Data, 4*g.Elements, c.Width, rest)
		d.Global = &g
	}
	d.Views = slices.Clone(c.Views)
	for i := range d.Views {
		v := &d.Views[i]
		EditData(&v.Data, 4*v.Width*v.Height*v.Depth, c.Width, rest)
	}
	d.Shares = slices.Clone(c.Shares)
	for i := range d.Shares {
		EditData(&d.Shares[i].Data, d.Shares[i].Words, c.Width, rest)
	}
	for b, list := range c.Constants {
		d.Constants[b] = slices.Clone(list)
		for i := range list {
			for k, w := range list[i] {
				d.Constants[b][i][k] = rest(w)
			}
		}
	}
	return &d
}

// EditData makes the n words of d over a domain of the given width explicit, and edits them in order. It does
// not visit data that are zero everywhere.
func EditData(d *kernel.Data, n, width int, edit func(w uint32) uint32) {
	if d.Kind == kernel.Zero {
		return
	}
	words := d.Spelled(n, width)
	for i, w := range words {
		words[i] = edit(w)
	}
	*d = kernel.Data{Kind: kernel.Words, Words: words}
}

// FixConstants returns launch l with the fixed constants that decide trip counts.
func FixConstants(l *kernel.Case, fixed map[ir.Reg]uint32) *kernel.Case {
	d := *l
	for b := range d.Constants {
		d.Constants[b] = slices.Clone(d.Constants[b])
	}
	for reg, w := range fixed { // each sets another word
		if buffer, i := amdil.Constant(reg); il.File(reg.File) == il.ConstBuf && buffer < kernel.Banks &&
			i < len(d.Constants[buffer]) {
			d.Constants[buffer][i][reg.Comp] = w
		}
	}
	return &d
}

// WidenLaunch returns a copy of a launch of before with the inputs that only after reads, such as a resource that
// before binds and never reads. Their data come from after's default launch.
func WidenLaunch(launch *kernel.Case, after *il.Kernel, seed uint64) *kernel.Case {
	d, more := *launch, kernel.DefaultCase(after, symbolic.Mix(seed))
	for b := range d.Constants {
		if n := len(d.Constants[b]); n < len(more.Constants[b]) {
			d.Constants[b] = append(slices.Clip(d.Constants[b]), more.Constants[b][n:]...)
		}
	}
	for _, in := range more.Inputs {
		// Explicit data belong to another domain, whose size may differ.
		if in.Data.Kind == kernel.Words || in.Data.Kind == kernel.File {
			continue
		}
		if !slices.ContainsFunc(d.Inputs, func(x kernel.Input) bool { return x.Reg == in.Reg }) {
			d.Inputs = append(slices.Clip(d.Inputs), in)
		}
	}
	for _, r := range more.Resources {
		if !slices.ContainsFunc(d.Resources, func(x kernel.Resource) bool { return x.ID == r.ID }) {
			d.Resources = append(slices.Clip(d.Resources), r)
		}
	}
	for _, v := range more.Views {
		if !slices.ContainsFunc(d.Views, func(x kernel.View) bool { return x.ID == v.ID }) {
			d.Views = append(slices.Clip(d.Views), v)
		}
	}
	for _, s := range more.Shares {
		if !slices.ContainsFunc(d.Shares, func(x kernel.Share) bool { return x.ID == s.ID }) {
			d.Shares = append(slices.Clip(d.Shares), s)
		}
	}
	if d.Global == nil {
		d.Global = more.Global
	}
	return &d
}
