package verify

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/fuzz"
	"github.com/shaderlift/shaderlift/verify/internal/outputs"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// notableWords are integers at which kernels often branch.
var notableWords = []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32, 64, 255, 0xffffffff, 0xfffffffe, 100, 12, 24, 0x7fffffff, 0x80000000}

// viewed and shared are pseudo-files for leaves that represent the contents of a view or of a part of the
// global data share. No file of the language has these numbers.
const (
	viewed ir.File = 254 - iota
	shared
)

// bredSteps limits the steps of a fuzzed launch, so that many can be tried.
const bredSteps = 1 << 20

// search fuzzes launches until one shows a difference or the allowance is used up; see checker.search. It
// keeps launches that reach a new statement, or compute words of a new kind there. Launches with infinities
// or NaNs are kept too, but differences in them do not count.
func (c *kernelChecker) search(leaves []explore.Leaf, found []explore.Assignment) *execution {
	programs, err := c.compile()
	if err != nil {
		return nil
	}
	var bases []*kernel.Case
	for k := range uint64(4) {
		bases = append(bases, c.Constants.InLaunch(c.widened(c.launch(k))))
	}
	leaves = append(slices.Clip(leaves), memories(c.sides[0].kernel.Space(), bases[0])...)
	b := &fuzz.Generator{Stream: symbolic.Stream(symbolic.Mix(c.Seed + 1<<40)), Bases: len(bases), Leaves: leaves}
	b.Base = fuzz.Memoize(func(base int, l explore.Leaf) uint32 { return launchWord(bases[base], l) })
	numbers := c.numbers()
	// Floats are replaced by floats and integers by integers, except one time in eight: constant buffers have
	// no types.
	b.Value = func(l explore.Leaf) uint32 {
		base := b.Base(0, l)
		// Small integers of either sign are denormals or NaNs as floats.
		isFloat := base >= 1<<16 && base < 0xffff0000
		if b.Below(8) == 0 {
			isFloat = !isFloat
		}
		if isFloat {
			return math.Float32bits(fuzz.Notable[b.Below(len(fuzz.Notable))])
		}
		return numbers[b.Below(len(numbers))]
	}
	for _, a := range found {
		b.Queue = append(b.Queue, fuzz.Seed{Set: a})
	}
	most, left := allowances[c.Effort].bred, allowances[c.Effort].breeds
	seen := [2]*kernel.Seen{kernel.NewSeen(), kernel.NewSeen()}
	for k := 0; k < most && left > 0 && c.runsBudget().Err() == nil; k++ {
		s := b.Generate()
		shot := shot{c.Constants.InLaunch(assigned(bases[s.Base], s.Set)), bredSteps}
		run := c.runner(programs, shot, uint64(k))
		run.kinds = seen
		fresh := seen[0].Fresh + seen[1].Fresh
		var shown [2]*outputs.Sample
		for i := range shown {
			seen[i].Forget()
			if shown[i], err = run.execute(i, 0); err != nil {
				break
			}
		}
		if left -= run.taken; err != nil {
			continue
		}
		s.Spread = fuzz.CountDiffering(seen[0].Left, seen[1].Left)
		b.Keep(s, seen[0].Fresh+seen[1].Fresh > fresh)
		if x := outputs.Compare(shown[0], shown[1], outputs.CloseEnough); x.Differing == 0 && x.Shape == "" || seen[0].Wild || seen[1].Wild {
			continue
		}
		_, found, run, err := c.compareLaunch(programs, shot, uint64(k))
		if left -= run.taken; err == nil && found != nil {
			return found
		}
	}
	return nil
}

// memories returns leaves that represent whole resources, inputs or memories. Setting one fills it with
// notable numbers from a seed, the word of the setting; see speckle.
func memories(space uint64, l *kernel.Case) (list []explore.Leaf) {
	add := func(kind ir.Kind, file ir.File, n int) {
		list = append(list, explore.Leaf{Space: space, Kind: kind, Reg: ir.Reg{File: file, Index: uint16(n), Comp: fuzz.Whole}})
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
			words[i] = notableWords[r.Below(len(notableWords))]
		case kind == 1:
			words[i] = math.Float32bits(fuzz.Notable[r.Below(fuzz.FewNotable)])
		default:
			words[i] = math.Float32bits(fuzz.Notable[r.Below(len(fuzz.Notable))])
		}
	}
	return words
}

// numbers returns the notable integers and the literals of either version, with their neighbours.
func (c *kernelChecker) numbers() []uint32 {
	list := slices.Clone(notableWords)
	for _, k := range []*il.Kernel{c.before, c.after} {
		for i := range k.Insts {
			in := &k.Insts[i]
			if in.Op != il.OpDclLiteral && in.Op != il.OpCase {
				continue
			}
			for _, w := range in.Imm {
				for _, x := range []uint32{w, w + 1, w - 1} {
					if !slices.Contains(list, x) {
						list = append(list, x)
					}
				}
			}
		}
	}
	return list
}
