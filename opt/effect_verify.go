package opt

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt/effect"
)

// verifyEffects compares the programs of two versions of an effect. All other bytes must be equal, or
// the versions are rejected: a verdict on programs does not cover states or parameters.
func (o job) verifyEffects(before, after Input, res *Result) error {
	if o.Draw.Case != nil {
		return needsPair(after)
	}
	old, err := effect.Read(before.Files[0])
	if err != nil {
		return err
	}
	now, err := effect.Read(after.Files[0])
	if err != nil {
		return err
	}
	o.introduce(old, res)
	if !now.DiffersOnlyInCode(old) {
		return asm.Errorf(asm.Pos{File: after.Path()}, "wrong-pair",
			"the effects differ in more than programs that belong to a single pass or element; give the effect that opt read, or compare passes that shaderlift dis --pass writes")
	}
	inPass, err := partsOf(old, o.Pass)
	if err != nil {
		return err
	}
	versions := slices.DeleteFunc(old.Versions(now), func(v effect.Versions) bool { return !inPass(v.Before.FileNames()) })
	o.Pass = "" // the versions are programs
	return o.verifyAll(res, versions, old.Numbered)
}

// verifyAll verifies a list of versions, equal ones once. It returns the first refusal and collects
// faults and all verdicts in res. If numbered is set, constants are set by register, so table entries
// give no uploads.
func (o job) verifyAll(res *Result, list []effect.Versions, numbered bool) error {
	seen := map[string]bool{}
	var worst error
	for _, c := range list {
		k := c.Before.Key() + c.After.Key()
		if seen[k] {
			continue
		}
		seen[k] = true
		var q *Result
		var err error
		if numbered {
			q, err = o.verify(c.Before, c.After, framework{}, reportEffort)
		} else {
			q, err = o.verifyPart(c.Before, c.After, reportEffort, c.Others...)
		}
		res.Parts = append(res.Parts, q)
		res.Faults = append(res.Faults, q.Faults...)
		q.Faults = nil
		switch {
		case err == nil:
		case !errors.Is(err, ErrRefused):
			return err
		case worst == nil:
			worst = fmt.Errorf("%s: %w", asm.Shown(c.Before.Name), err)
			res.Case = q.Case
		}
	}
	res.verdict()
	return worst
}

// verifyPart verifies the part after against the part before. The constant table of the vertex program
// may have gained parameters of the pixel program, or of the other pixel programs that it is drawn
// with. The framework sets these, so they count as uploads. Preshaders run as in the framework.
func (o job) verifyPart(before, after Input, by effort, others ...Input) (*Result, error) {
	f := framework{parameters: true}
	if len(before.Files) != 2 || len(after.Files) != 2 {
		return o.verify(before, after, f, by)
	}
	plain, uploads, known, err := effect.WithoutGained(before, after, others)
	if err != nil {
		return o.verify(before, after, f, by) // reports the error
	}
	o.Host.Uploads, f.mirrored = uploadsOf(uploads), uploadsOf(known)
	res, err := o.verify(before, plain, f, by)
	res.Uploads = nil
	return res, err
}
