package shaderlift

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/hostconst"
)

// verifyEffects judges the programs of two versions of an effect, which must not differ in
// anything else.
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
	for _, p := range old.judged() {
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

// verifyAll compares programs, the same ones once. If constants are set by their numbers, names
// mean nothing.
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

// verifyPart judges whether after may replace before, where both are parts of an effect.
// The framework sets parameters of the pixel program that the table of the vertex program
// has gained, and those of others, which the vertex program is drawn with too, and it runs
// preshaders.
func (o job) verifyPart(before, after Input, others ...Input) (*Result, error) {
	o.parameters = true
	if len(before.Files) != 2 || len(after.Files) != 2 {
		return o.verify(before, after)
	}
	plain, uploads, known, err := withoutGained(before, after, others)
	if err != nil {
		return o.verify(before, after) // which says what is wrong, if anything is
	}
	o.Uploads, o.mirrored = uploads, known
	res, err := o.verify(before, plain)
	res.Uploads = nil
	return res, err
}

// withoutGained is after with the constant table that the vertex program had before, the
// uploads that the entries it has gained stand for, and those that others do, which hold
// before and after. Others are pixel programs whose parameters may be gained too.
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
