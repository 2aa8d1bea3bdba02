package verify

import (
	"math"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
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
// are unrolled. Equality in enough samples is proof.SampledEqual, which supports Tested at best.
func (c *kernelChecker) sampleTrips() proof.Report {
	defer func() { c.sides[0].Fixed, c.sides[1].Fixed = nil, nil }()
	regs := walk.Deciders(c.sides[:])
	same, missed, steps := 0, 0, 0
	for s := 0; s < maxSampled && missed < maxMissed && steps < maxSampleSteps; s++ {
		fixed := c.decisions(regs, s)
		c.sides[0].Fixed, c.sides[1].Fixed = fixed, fixed
		r := proof.Sample(c.sides, c.Seed)
		steps += r.Steps
		switch {
		case r.Outcome == proof.Equal:
			same++
		case r.Outcome == proof.Different && !r.Inducted:
			return r
		default:
			missed++
		}
	}
	if same < minSamples {
		return proof.Report{Why: "the loops do not match"}
	}
	return proof.Report{Outcome: proof.SampledEqual, Why: "loops were run for a few trips only"}
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
