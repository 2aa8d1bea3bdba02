package verify

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/internal/outputs"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Decided executes two kernels on launches and describes a difference between their results. The second
// kernel is the first with operands of some branches replaced by their values in these launches. Every bit
// has to be the same, since all other computations agree. Decided returns "" if nothing differs and some
// launch was executed. It skips launches that exceed their steps.
func Decided(before, after *il.Kernel, launches []*kernel.Case, o Options) string {
	var programs [2]*kernel.Program
	for i, k := range []*il.Kernel{before, after} {
		p, err := kernel.Compile(k)
		if err != nil {
			return "R2: " + err.Error()
		}
		programs[i] = p
	}
	why := "R2: no launch could be executed"
	for _, l := range launches {
		l = o.Constants.InLaunch(l)
		var r [2]*kernel.Result
		var err error
		for i, p := range programs {
			if r[i], err = p.Run(l, kernel.Options{Steps: launchSteps, Budget: o.Budget}); err != nil {
				break
			}
		}
		if err != nil {
			continue
		}
		if what := outputs.Differing(r[0], r[1]); what != "" {
			return fmt.Sprintf("R2: %s differs", what)
		}
		why = ""
	}
	return why
}
