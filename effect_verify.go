package shaderlift

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/hostconst"
)

// verifyEffects compares the programs of two versions of an effect. Everything else must be equal
// byte for byte, or the versions are refused: a verdict on programs says nothing about states or
// parameters. With Options.Grow, the arrays and the passes that choose programs may differ too.
func (o job) verifyEffects(before, after Input, res *Result) error {
	if o.Case != nil {
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
	if o.Grow {
		if g, ok := now.grownLike(old); ok {
			return o.verifyAll(res, now.grownFrom(old, g), old.numbered)
		}
	}
	if !now.like(old) {
		return asm.Errorf(asm.Pos{File: after.Path()}, "wrong-pair", "the effects differ in more than the programs that one pass or element owns")
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

// versions are programs of an effect, and what another version of it has for them.
type versions struct {
	before, after Input
	others        []Input // pixel programs whose parameters the vertex program may have gained
}

// verifyAll verifies a list of versions, equal ones once. The error is the first refusal; faults
// and all verdicts are collected in res. With numbered, constants are set by register, so that
// entries in tables give no uploads.
func (o job) verifyAll(res *Result, list []versions, numbered bool) error {
	seen := map[string]bool{}
	var worst error
	for _, c := range list {
		k := (&part{in: c.before}).key() + (&part{in: c.after}).key()
		if seen[k] {
			continue
		}
		seen[k] = true
		var q *Result
		var err error
		if numbered {
			q, err = o.verify(c.before, c.after)
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

// verifyPart verifies after against before, both parts of an effect. Where the constant table of
// the vertex program has gained parameters of the pixel program, or of the others that the vertex
// program is drawn with, the framework sets them, so they are treated like uploads. Preshaders run
// as they do in the framework.
func (o job) verifyPart(before, after Input, others ...Input) (*Result, error) {
	o.parameters = true
	if len(before.Files) != 2 || len(after.Files) != 2 {
		return o.verify(before, after)
	}
	plain, uploads, known, err := withoutGained(before, after, others)
	// The general verification says what is wrong.
	if err != nil {
		return o.verify(before, after) // which says what is wrong, if anything is
	}
	o.Uploads, o.mirrored = uploads, known
	res, err := o.verify(before, plain)
	res.Uploads = nil
	return res, err
}

// withoutGained takes the entries that the vertex constant table has gained off again, so that the
// programs can be compared as if by themselves. It returns the uploads that these entries stand
// for, and separately those (known) that the table had before: these hold in both versions.
func withoutGained(before, after Input, others []Input) (plain Input, uploads, known []Upload, err error) {
	old, err := read(before)
	if err != nil {
		return after, nil, nil, err
	}
	now, err := read(after)
	if err != nil {
		return after, nil, nil, err
	}
	var pixels []*d3d9.Program
	for _, in := range others {
		for _, f := range in.Files {
			if p, err := readProgram(f); err == nil {
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
	plain.Files = []File{{after.Files[0].Name, data}, after.Files[1]}
	return plain, uploadsOf(gained), uploadsOf(had), nil
}
