package opt

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/verify"
)

// A preshader runs on the CPU when a pass is applied, and costs nothing per pixel or vertex. So
// computations on constants alone move from the programs to preshaders, and then the preshaders are
// shortened.

// rehost returns a version of res, a result for the part in, whose preshaders compute more, or the same
// with fewer instructions. It returns res if this gains nothing or cannot be verified. If besides is
// set, the programs of res have already been changed and need verification here; the result is nil if
// that fails.
func (o job) rehost(in Input, res *Result, besides bool) *Result {
	if !o.rehosts(res) {
		return res
	}
	next := *res
	next.Files, next.Stages, next.Remarks = nil, nil, append([]Remark(nil), res.Remarks...)
	// moved: work moved from programs to preshaders. changed: some bytes differ.
	moved, changed := besides, besides
	for i, f := range res.Files {
		stage := res.Stages[i]
		old, err := input.ReadProgram(in.Files[i])
		if err != nil {
			return res
		}
		p, err := input.ReadProgram(f)
		if err != nil {
			return res
		}
		// Numerics below real forbid computation on the host, which rounds differently. Only copies
		// move.
		q, data, n, err := effect.Shorten(p, old, o.Numerics >= ir.Real)
		if err != nil {
			next.remark(asm.Pos{}, "preshader-stays",
				fmt.Sprintf("the preshader of the %s program stays unchanged: %v", stage.Stage, err))
		}
		if data != nil {
			f.Data, changed = data, true
			cost := d3d9.Measure(q)
			stage.After = &cost
		}
		if n != (effect.Moved{}) {
			next.remark(asm.Pos{}, "into-preshader",
				fmt.Sprintf("the preshader computes %d components for the %s program and copies %d, which saves %d slots",
					n.Computed, stage.Stage, n.Copied, res.Stages[i].CurrentCost().Slots-stage.CurrentCost().Slots))
		}
		moved = moved || n != (effect.Moved{})
		if host := (Change{effect.PreshaderInstructions(old), effect.PreshaderInstructions(q)}); host != (Change{}) {
			stage.Host = &host
		}
		next.Files, next.Stages = append(next.Files, f), append(next.Stages, stage)
	}
	if !changed {
		res.Stages = next.Stages // record the cost on the host
		return res
	}
	after := Input{Name: in.Name, Files: next.Files}
	v, err := o.verifyPart(in, after, fullEffort)
	res.Faults = append(res.Faults, v.Faults...)
	// A refutation here is an error of this program: the result of the passes was verified before.
	if err != nil {
		if v.Verdict() == verify.Refuted || !errors.Is(err, ErrRefused) {
			res.Faults = append(res.Faults, &Fault{Task: TaskVerify, Input: in, After: &after, Options: o.Options, Err: err})
		}
		if besides {
			return nil
		}
		res.remark(asm.Pos{}, "preshader-stays", "preshaders stay unchanged: "+err.Error())
		return res
	}
	judgement := *v.Judgement
	if !moved && res.Judgement != nil {
		judgement.Bound = res.Bound // the numbers are the same
	}
	next.Status, next.Judgement, next.Faults = Improved, &judgement, res.Faults
	return &next
}

// rehosts reports whether these options permit changes to preshaders. Explicit pipelines, -O0 and runs with fuel
// show the passes alone.
func (o job) rehosts(res *Result) bool {
	return !o.spelled() && o.number() > 0 && o.Limits.Fuel == nil &&
		(res == nil || len(res.Stages) == len(res.Files))
}
