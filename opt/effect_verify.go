package opt

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/opt/input"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/hostconst"
)

// verifyEffects compares the programs of two versions of an effect. All other bytes must be equal, or
// the versions are rejected: a verdict on programs does not cover states or parameters.
func (o job) verifyEffects(before, after Input, res *Result) error {
	if o.Draw.Case != nil {
		return needsPair(after)
	}
	old, err := readEffect(before.Files[0])
	if err != nil {
		return err
	}
	now, err := readEffect(after.Files[0])
	if err != nil {
		return err
	}
	o.introduce(old, res)
	if !now.differsOnlyInCode(old) {
		return asm.Errorf(asm.Pos{File: after.Path()}, "wrong-pair",
			"the effects differ in more than programs that belong to a single pass or element")
	}
	var list []versions
	for _, p := range old.verificationUnits() {
		c := versions{p.in, Input{Name: p.in.Name}, p.others}
		for _, at := range p.at {
			c.after.Files = append(c.after.Files, now.parts[at].in.Files...)
		}
		list = append(list, c)
	}
	return o.verifyAll(res, list, old.numbered)
}

// versions are the programs of an effect and their replacements in another version of it.
type versions struct {
	before, after Input
	others        []Input // pixel programs whose parameters the vertex program may have gained
}

// verifyAll verifies a list of versions, equal ones once. It returns the first refusal and collects
// faults and all verdicts in res. If numbered is set, constants are set by register, so table entries
// give no uploads.
func (o job) verifyAll(res *Result, list []versions, numbered bool) error {
	seen := map[string]bool{}
	var worst error
	for _, c := range list {
		k := (&part{in: c.before}).bytecodeKey() + (&part{in: c.after}).bytecodeKey()
		if seen[k] {
			continue
		}
		seen[k] = true
		var q *Result
		var err error
		if numbered {
			q, err = o.verify(c.before, c.after, framework{})
		} else {
			q, err = o.verifyPart(c.before, c.after, c.others...)
		}
		res.Parts = append(res.Parts, q)
		res.Faults = append(res.Faults, q.Faults...)
		q.Faults = nil
		switch {
		case err == nil:
		case !errors.Is(err, ErrRefused):
			return err
		case worst == nil:
			worst = fmt.Errorf("%s: %w", asm.Shown(c.before.Name), err)
			res.Case = q.Case
		}
	}
	res.verdict()
	return worst
}

// verifyPart verifies the part after against the part before. The constant table of the vertex program
// may have gained parameters of the pixel program, or of the other pixel programs that it is drawn
// with. The framework sets these, so they count as uploads. Preshaders run as in the framework.
func (o job) verifyPart(before, after Input, others ...Input) (*Result, error) {
	by := framework{parameters: true}
	if len(before.Files) != 2 || len(after.Files) != 2 {
		return o.verify(before, after, by)
	}
	plain, uploads, known, err := withoutGained(before, after, others)
	if err != nil {
		return o.verify(before, after, by) // reports the error
	}
	o.Host.Uploads, by.mirrored = uploads, known
	res, err := o.verify(before, plain, by)
	res.Uploads = nil
	return res, err
}

// withoutGained removes the entries that the vertex constant table has gained, so that the programs can
// be compared without them. It returns the uploads that these entries perform. known are the uploads of
// entries that the table had before, which hold in both versions.
func withoutGained(before, after Input, others []Input) (plain Input, uploads, known []Upload, err error) {
	old, err := input.ReadPrograms(before)
	if err != nil {
		return after, nil, nil, err
	}
	now, err := input.ReadPrograms(after)
	if err != nil {
		return after, nil, nil, err
	}
	var pixels []*d3d9.Program
	for _, in := range others {
		for _, f := range in.Files {
			if p, err := input.ReadProgram(f); err == nil {
				pixels = append(pixels, p)
			}
		}
	}
	vertex, gained, had, err := hostconst.WithoutGained([2]*d3d9.Program(old), now[0], pixels)
	if err != nil || vertex == nil {
		return after, nil, uploadsOf(had), err
	}
	data, err := d3d9.Encode(vertex)
	if err != nil {
		return after, nil, nil, err
	}
	plain = after
	plain.Files = []File{{Name: after.Files[0].Name, Data: data}, after.Files[1]}
	return plain, uploadsOf(gained), uploadsOf(had), nil
}
