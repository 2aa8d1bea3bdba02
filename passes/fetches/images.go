package fetches

import (
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Images is the pass "images".
var Images = &passes.Pass{
	Name: "images",
	Doc: `loads of raw views become fetches from resources

Fetches go through the texture cache, loads of views do not. The view must only be read. The host binds its memory to a
resource too, as a buffer of one or four numbers an element, and lets the kernel write it through no other view; the
report says so. Elements have four numbers if every load is known to lie in one of them. Others have one number, and
loads of several words stay. No level runs it, because only the application knows its bindings.`,
	Class: passes.Terms,
	Options: []passes.Option{
		{Name: "view", Default: "all", Words: []string{"all"}, Number: true,
			Doc: "view to read as a resource: its number, or all"},
		{Name: "resource", Default: "auto", Words: []string{"auto"}, Number: true,
			Doc: "free resource for the first view, or the next one after those that are fetched"},
		{Name: "width", Default: "auto", Words: []string{"auto"}, Number: true, Doc: "numbers of an element: 1 or 4"},
	},
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		f := u.Launched()
		if f == nil {
			return nil
		}
		next := 0
		for _, r := range resources(f) {
			next = max(next, r+1)
		}
		if c.Option("resource") != "auto" {
			next = c.Int("resource")
		}
		for _, p := range viewsOf(f) {
			if c.Option("view") != "all" && c.Int("view") != int(p.base.Index) {
				continue
			}
			if why := p.place(f, c.Option("width"), next); why != "" {
				c.Remarkf(p.loads[0].Pos, "no-image", "view %d is no image: %s", p.base.Index, why)
				continue
			}
			images, ok := u.Tile.Images.With(p.image)
			if !ok {
				c.Remarkf(p.loads[0].Pos, "no-image", "view %d is no image: there are too many", p.base.Index)
				continue
			}
			if !c.ShouldRewrite(p.loads[0], "image", fmt.Sprintf("view %d is read as resource %d", p.base.Index, next)) {
				return nil
			}
			p.carryOut(f)
			u.ChangeTile().Images = images
			next++
		}
		return nil
	},
}

// imaged is a plan to read a view as an image.
type imaged struct {
	base     ir.Reg // of the view
	loads    []*ir.Instr
	words    map[*ir.Instr]int // the word of its element at which a load begins
	image    ir.Image
	accessed bool // by other instructions than plain loads of words
}

// viewsOf lists plans for the raw views that f loads from, by number.
func viewsOf(f *ir.Func) (list []*imaged) {
	raw := f.Dialect.Launch().Raw
	by := map[ir.Reg]*imaged{}
	f.Walk(func(in *ir.Instr) {
		if in.Op != ir.OpMemLoad && in.Op != ir.OpMemStore && in.Op != ir.OpMemAtomic {
			return
		}
		p := by[in.Base]
		if p == nil {
			p = &imaged{base: in.Base}
			by[in.Base] = p
		}
		if in.Op != ir.OpMemLoad || !raw(in) || in.IsPredicated() || in.Mods != 0 {
			p.accessed = true
			return
		}
		if p.loads == nil {
			list = append(list, p)
		}
		p.loads = append(p.loads, in)
	})
	slices.SortFunc(list, func(a, b *imaged) int { return int(a.base.Index) - int(b.base.Index) })
	return list
}

// place decides the image of a view, or returns the reason why it is none.
func (p *imaged) place(f *ir.Func, width string, resource int) (why string) {
	switch {
	case p.accessed:
		return "it is not only read by words"
	case p.base.Index > math.MaxUint8 || resource > math.MaxUint8:
		return "its number or that of the resource is too large"
	}
	forms := affine.NewForms(f)
	p.words = map[*ir.Instr]int{}
	whole, single := true, true
	for _, in := range p.loads {
		at, modulus := forms.Of(in.Src[0][0], true).Alignment()
		lanes := in.Mask()
		p.words[in] = int(at % 16 / 4)
		whole = whole && at%4 == 0 && modulus%16 == 0 && lanes<<p.words[in] <= 15
		single = single && lanes == 1
	}
	switch {
	case whole && width != "1":
		p.image = ir.Image{View: uint8(p.base.Index), Resource: uint8(resource), Width: 4}
	case single && width != "4":
		p.image = ir.Image{View: uint8(p.base.Index), Resource: uint8(resource), Width: 1}
		clear(p.words)
	default:
		return "the places of its words in elements are not known"
	}
	return ""
}

// carryOut replaces the loads by fetches. The address becomes the number of an element.
func (p *imaged) carryOut(f *ir.Func) {
	replaced := map[*ir.Value]ir.Lane{}
	f.EachRegion(func(r *ir.Region) {
		var code []*ir.Instr
		for _, in := range r.Code {
			if !slices.Contains(p.loads, in) {
				code = append(code, in)
				continue
			}
			word := p.words[in]
			step := func(op ir.Op, at ir.Lane, n uint32) ir.Lane {
				s := &ir.Instr{Op: op, Orig: -1, Pos: in.Pos, Src: []ir.Operand{{at}, {{V: f.Const(n)}}}}
				code = append(code, s)
				return ir.Lane{V: f.Define(s, 0, ir.Reg{})}
			}
			at := in.Src[0][0]
			if word > 0 {
				at = step(ir.OpIAdd, at, uint32(-4*word))
			}
			shift := uint32(2)
			if p.image.Width == 4 {
				shift = 4
			}
			at = step(ir.OpUShr, at, shift)
			fetch := &ir.Instr{Op: ir.OpTexelLoad, Orig: -1, Pos: in.Pos, Src: []ir.Operand{{at}},
				Res: ir.Resource{Unit: p.image.Resource, Dim: ir.DimBuffer}}
			fetch.TakeIn(in, "image")
			for lane, v := range in.Out {
				if v != nil {
					home := v.Home
					home.Comp = uint8(lane + word)
					replaced[v] = ir.Lane{V: f.Define(fetch, lane+word, home)}
				}
			}
			code = append(code, fetch)
		}
		r.Code = code
	})
	f.Replace(replaced)
	cleanup.Sweep(f)
}
