package verify

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/fuzz"
	"github.com/shaderlift/shaderlift/verify/internal/launches"
	"github.com/shaderlift/shaderlift/verify/internal/outputs"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
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
		bases = append(bases, c.Constants.InLaunch(launches.Widen(c.launch(k), c.after, c.Seed)))
	}
	leaves = append(slices.Clip(leaves), launches.Memories(c.sides[0].Kernel.Space(), bases[0])...)
	b := &fuzz.Generator{Stream: symbolic.Stream(symbolic.Mix(c.Seed + 1<<40)), Bases: len(bases), Leaves: leaves}
	b.Base = fuzz.Memoize(func(base int, l explore.Leaf) uint32 { return launches.Word(bases[base], l) })
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
		shot := shot{c.Constants.InLaunch(launches.Assign(bases[s.Base], s.Set)), bredSteps}
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

// numbers returns the notable integers and the literals of either version, with their neighbours.
func (c *kernelChecker) numbers() []uint32 {
	list := slices.Clone(launches.Notable)
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
