package verify

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// If loops of the two versions cannot be matched, they are compared for some trip counts. For example, one
// loop may make several trips at a time. The constants and inputs that decide trip counts get values, so that
// all loops run trip by trip. Everything else stays symbolic. This covers all inputs but only some trip
// counts.

// Limits of sampling. At least minSamples have to be decided. Sampling stops after maxMissed samples whose
// loops still do not match, or after maxSampleSteps executed instructions.
const (
	minSamples     = 3
	maxMissed      = 2
	maxSampled     = 40
	maxSampleSteps = 1 << 18
)

// sampleTrips compares the versions for some trip counts. A difference is final if all loops of the sample
// are unrolled. Equality in enough samples is sampledEqual, which supports Tested at best.
func (c *kernelChecker) sampleTrips() fieldReport {
	defer func() { c.sides[0].fixed, c.sides[1].fixed = nil, nil }()
	regs := deciders(c.sides[:])
	same, missed, steps := 0, 0, 0
	for s := 0; s < maxSampled && missed < maxMissed && steps < maxSampleSteps; s++ {
		fixed := c.decisions(regs, s)
		c.sides[0].fixed, c.sides[1].fixed = fixed, fixed
		r := c.sampleOnce()
		steps += r.steps
		switch {
		case r.outcome == equal:
			same++
		case r.outcome == different && !r.inducted:
			return r
		default:
			missed++
		}
	}
	if same < minSamples {
		return fieldReport{why: "the loops do not match"}
	}
	return fieldReport{outcome: sampledEqual, why: "loops were run for a few trips only"}
}

// sampleOnce compares the versions with the current fixed values, as terms or, if the bits of floats do not
// matter, in the field.
func (c *kernelChecker) sampleOnce() fieldReport {
	opt := loopOptions{unroll: true}
	t := symbolic.NewTerms()
	dom := symbolic.Domain[symbolic.Term](words.New(symbolic.Domain[symbolic.Term](t)))
	views, err := converge(dom, c.sides[:], opt, newBeliefs[symbolic.Term](), func(int) {})
	if err != nil {
		return fieldReport{why: err.Error()}
	}
	b, a := views[0], views[1]
	r := fieldReport{outcome: equal, steps: b.steps + a.steps}
	if sameViews(t, dom, b, a, c.sides[0]) != nil {
		steps := r.steps
		r = sameFieldUnder(c.sides[0], c.sides[1], opt, c.Seed, 2)
		r.steps = 2 * steps
	}
	return r
}

// deciders returns the sorted inputs and constants on which the trip counts of either version depend.
func deciders(sides []*observation) (regs []ir.Reg) {
	for _, o := range sides {
		l := exits(o.kernel, o.kernelLive)
		for r := range l.uniforms { // sorted below
			regs = append(regs, r)
		}
		for r := range l.read {
			if !amdil.IsState(r) {
				regs = append(regs, r)
			}
		}
	}
	slices.SortFunc(regs, ir.Reg.Compare)
	return slices.Compact(regs)
}

// decisions returns values for the s-th sample. The first sample has the constants of a launch, which fit the
// kernel. Later samples replace small numbers by others of the same type.
func (c *kernelChecker) decisions(regs []ir.Reg, s int) map[ir.Reg]uint32 {
	r := symbolic.Stream(symbolic.Mix(c.Seed + uint64(s)))
	launch := c.launch(0)
	if s < len(c.KernelCases) {
		launch = c.KernelCases[s]
	}
	fixed := map[ir.Reg]uint32{}
	for _, reg := range regs {
		small := uint32(s - 1) // one count after the other
		if s%2 == 0 && len(regs) > 1 {
			small = uint32(r.Next() % maxSampled)
		}
		fixed[reg] = small
		switch il.File(reg.File) {
		case il.ConstBuf:
			buffer, i := amdil.Constant(reg)
			if buffer >= kernel.Banks || i >= len(launch.Constants[buffer]) {
				continue
			}
			w := launch.Constants[buffer][i][reg.Comp]
			isFloat := w >= 1<<16
			switch {
			case s < max(1, len(c.KernelCases)), isFloat && !(math.Abs(symbolic.Double(w)) < 1<<16):
				fixed[reg] = w
			case isFloat:
				fixed[reg] = math.Float32bits(float32(small))
			}
		case il.WinCoord:
			fixed[reg] = math.Float32bits(float32(small) + 0.5)
		case il.Input:
			fixed[reg] = math.Float32bits(float32(small) / 4)
		}
	}
	return fixed
}
