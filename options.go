package shaderlift

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Options say how to optimize and verify. The zero value is the command's default.
type Options struct {
	// Pipeline is what to run: passes in the syntax of package passes, or one of the
	// levels O0 to O3. Empty is the default level, O2.
	Pipeline string
	// Numerics is what has to stay the same: terms, bits, real or approx. Empty is real.
	Numerics string
	// HostMirrored says that the application also sets the pixel constants in the
	// vertex stage; the result lists those that it must set.
	HostMirrored bool
	// Effort is what verification may spend.
	Effort verify.Effort
	// Fuel is how many rewrites may happen, nil for any number.
	Fuel *int
	// TimeLimit is when to stop rewriting, 0 for never. Which rewrites a limit cuts off
	// depends on the machine; Fuel does not.
	TimeLimit time.Duration
	// Uploads tells Verify which vertex constants the application sets to pixel
	// constants for the second version.
	Uploads []passes.Upload
	// Case is a draw on which Verify compares the versions too.
	Case *interp.Case
	// Target is what to count costs for. Empty is d3d9, which counts slots.
	Target string
}

// defaultNumerics admits interpolation identities and reassociation.
const defaultNumerics = "real"

// Check says what is wrong with o, in diagnostics.
func (o Options) Check() error {
	if _, err := o.class(); err != nil {
		return err
	}
	if _, err := o.pipeline(); err != nil {
		return err
	}
	return o.checkTarget()
}

func (o *Options) numerics() string {
	if o.Numerics == "" {
		return defaultNumerics
	}
	return o.Numerics
}

func (o *Options) class() (passes.Class, error) {
	c, err := passes.ParseClass(o.numerics())
	if err != nil {
		return c, asm.Errorf(asm.Pos{File: "<options>"}, "unknown-numerics", "%v", err)
	}
	return c, nil
}

// pipeline is what o asks to run.
func (o *Options) pipeline() (passes.Pipeline, error) {
	if o.Pipeline == "" {
		return suite.Level(suite.DefaultLevel)
	}
	if level, ok := strings.CutPrefix(o.Pipeline, "O"); ok {
		n, err := strconv.Atoi(level)
		if err != nil {
			n = -1
		}
		p, err := suite.Level(n)
		if err != nil {
			return nil, asm.Errorf(asm.Pos{File: "<options>"}, "unknown-level", "%v", err)
		}
		return p, nil
	}
	return suite.Parse(o.Pipeline)
}

// DefaultTarget counts instruction slots as the tables of the shader models do.
const DefaultTarget = "d3d9"

// machines are the targets whose costs are not modelled yet.
var machines = []string{"r420", "rv515", "rv670", "rv770", "cypress"}

// checkTarget refuses targets without a cost.
func (o *Options) checkTarget() error {
	pos := asm.Pos{File: "<options>"}
	switch {
	case o.Target == "" || o.Target == DefaultTarget:
		return nil
	case slices.Contains(machines, o.Target):
		return asm.Errorf(pos, "not-supported-yet", "costs for the target %s are not supported yet", o.Target)
	}
	return asm.Errorf(pos, "unknown-target", "there is no target %q", o.Target)
}
