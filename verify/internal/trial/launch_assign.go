package trial

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Settable reports whether a launch can set a leaf to any value. This holds for fetch results, inputs and
// constant buffers, but not for positions or thread numbers.
func Settable(l explore.Leaf) bool {
	file := il.File(l.Reg.File)
	return l.Kind == ir.Result || file == il.Input || file == il.ConstBuf
}

// LaunchWord returns the word that a launch gives a leaf in its first element, or 0 without one. A scout uses
// it as the value of the leaf.
func LaunchWord(c *kernel.Case, l explore.Leaf) (word uint32) {
	n, comp := int(l.Reg.Index), int(l.Reg.Comp)
	read := func(d kernel.Data, size, per int) uint32 {
		first := uint32(0)
		i := 0
		EditData(&d, size, c.Width, func(w uint32) uint32 {
			if i == comp%per {
				first = w
			}
			i++
			return w
		})
		return first
	}
	switch {
	case l.Kind == ir.Result:
		for _, r := range c.Resources {
			if r.ID == n && l.Reg.File == explore.Fetched {
				return read(r.Data, r.Format.Components(), r.Format.Components())
			}
		}
	case il.File(l.Reg.File) == il.ConstBuf:
		if buffer, i := amdil.Constant(l.Reg); buffer < kernel.Banks && i < len(c.Constants[buffer]) {
			return c.Constants[buffer][i][comp]
		}
	case il.File(l.Reg.File) == il.Input:
		for _, in := range c.Inputs {
			if in.Reg == n {
				return read(in.Data, 4, 4)
			}
		}
	case il.File(l.Reg.File) == il.WinCoord:
		// The centre of the first pixel.
		return math.Float32bits(0.5)
	}
	return 0
}

// AssignLaunch returns a launch with an assignment. Inputs and resources that it sets hold the same value
// everywhere. Changed parts of c are copied.
func AssignLaunch(c *kernel.Case, a explore.Assignment) *kernel.Case {
	d := *c
	d.Inputs, d.Resources = slices.Clone(c.Inputs), slices.Clone(c.Resources)
	for b := range d.Constants {
		d.Constants[b] = slices.Clone(d.Constants[b])
	}
	fill := func(data *kernel.Data, size, per int, s explore.Setting) {
		// EditData does not visit zeros.
		if data.Kind == kernel.Zero {
			*data = kernel.Data{Kind: kernel.Words, Words: make([]uint32, size)}
		}
		i := 0
		EditData(data, size, c.Width, func(w uint32) uint32 {
			if i++; (i-1)%per == int(s.Leaf.Reg.Comp)%per {
				return s.Bits
			}
			return w
		})
	}
	for _, s := range a {
		n := int(s.Leaf.Reg.Index)
		switch {
		case s.Leaf.Reg.Comp == explore.Whole:
			speckle(&d, s)
		case s.Leaf.Kind == ir.Result:
			for i := range d.Resources {
				if r := &d.Resources[i]; r.ID == n && s.Leaf.Reg.File == explore.Fetched {
					fill(&r.Data, r.Width*r.Height*r.Depth*r.Format.Components(), r.Format.Components(), s)
				}
			}
		case il.File(s.Leaf.Reg.File) == il.ConstBuf:
			if buffer, i := amdil.Constant(s.Leaf.Reg); buffer < kernel.Banks && i < len(d.Constants[buffer]) {
				d.Constants[buffer][i][s.Leaf.Reg.Comp] = s.Bits
			}
		case il.File(s.Leaf.Reg.File) == il.Input:
			for i := range d.Inputs {
				if d.Inputs[i].Reg == n {
					fill(&d.Inputs[i].Data, 4*c.Width*c.Height, 4, s)
				}
			}
		}
	}
	return &d
}

// NotableWords are integers at which kernels often branch.
var NotableWords = []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32, 64, 255, 0xffffffff, 0xfffffffe, 100, 12, 24, 0x7fffffff,
	0x80000000}

// viewed and shared are pseudo-files for leaves that represent the contents of a view or of a part of the
// global data share. No file of the language has these numbers.
const (
	viewed ir.File = 254 - iota
	shared
)

// Memories returns leaves that represent whole resources, inputs or memories. Setting one fills it with
// notable numbers from a seed, the word of the setting; see speckle.
func Memories(space uint64, l *kernel.Case) (list []explore.Leaf) {
	add := func(kind ir.Kind, file ir.File, n int) {
		list = append(list, explore.Leaf{Space: space, Kind: kind,
			Reg: ir.Reg{File: file, Index: uint16(n), Comp: explore.Whole}})
	}
	for _, r := range l.Resources {
		add(ir.Result, explore.Fetched, r.ID)
	}
	for _, in := range l.Inputs {
		add(ir.Input, ir.File(il.Input), in.Reg)
	}
	for _, v := range l.Views {
		add(ir.Result, viewed, v.ID)
	}
	for _, s := range l.Shares {
		add(ir.Result, shared, s.ID)
	}
	if l.Global != nil {
		add(ir.Result, ir.File(il.Global), 0)
	}
	return list
}

// speckle fills the contents that a leaf of memories represents with notable numbers. It changes d, which
// owns its inputs and resources; views and the global buffer are copied first.
func speckle(d *kernel.Case, s explore.Setting) {
	fill := func(data *kernel.Data, size int) {
		*data = kernel.Data{Kind: kernel.Words, Words: speckles(size, s.Bits)}
	}
	n := int(s.Leaf.Reg.Index)
	switch {
	case s.Leaf.Kind == ir.Input:
		for i := range d.Inputs {
			if d.Inputs[i].Reg == n {
				fill(&d.Inputs[i].Data, 4*d.Width*d.Height)
			}
		}
	case s.Leaf.Reg.File == explore.Fetched:
		for i := range d.Resources {
			if r := &d.Resources[i]; r.ID == n {
				fill(&r.Data, r.Width*r.Height*r.Depth*r.Format.Components())
			}
		}
	case s.Leaf.Reg.File == viewed:
		d.Views = slices.Clone(d.Views)
		for i := range d.Views {
			if v := &d.Views[i]; v.ID == n {
				fill(&v.Data, 4*v.Width*v.Height*v.Depth)
			}
		}
	case s.Leaf.Reg.File == shared:
		d.Shares = slices.Clone(d.Shares)
		for i := range d.Shares {
			if part := &d.Shares[i]; part.ID == n {
				fill(&part.Data, part.Words)
			}
		}
	case d.Global != nil:
		g := *d.Global
		fill(&g.Data, 4*g.Elements)
		d.Global = &g
	}
}

// speckles returns n notable numbers. The seed selects integers, a few floats, floats, or a mixture of
// integers and floats.
func speckles(n int, seed uint32) []uint32 {
	r := symbolic.Stream(seed)
	words := make([]uint32, n)
	kind := r.Below(4)
	for i := range words {
		switch {
		case kind == 0 || kind == 3 && r.Below(2) == 0:
			words[i] = NotableWords[r.Below(len(NotableWords))]
		case kind == 1:
			words[i] = math.Float32bits(explore.Notable[r.Below(explore.FewNotable)])
		default:
			words[i] = math.Float32bits(explore.Notable[r.Below(len(explore.Notable))])
		}
	}
	return words
}
