package shaderlift

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/hostconst"
)

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
	olds, err := read(before)
	if err != nil {
		return after, nil, nil, err
	}
	news, err := read(after)
	if err != nil {
		return after, nil, nil, err
	}
	var tables [3]*d3d9.ConstantTable
	for i, p := range []*d3d9.Program{olds[0], news[0], olds[1]} {
		if tables[i], err = hostconst.TableOf(p); err != nil {
			return after, nil, nil, err
		}
	}
	was, is, pixel := tables[0], tables[1], tables[2]
	pixels := []*d3d9.ConstantTable{pixel}
	for _, in := range others {
		for _, f := range in.Files {
			if p, err := readProgram(f); err == nil {
				if t, err := hostconst.TableOf(p); err == nil {
					pixels = append(pixels, t)
				}
			}
		}
	}
	for i := range is.Constants {
		c := &is.Constants[i]
		e := pixel.Named(c.Name)
		if c.Set != d3d9.SetFloat4 || e == nil || !c.IsParameter(e) {
			continue
		}
		list := &uploads
		if was.Named(c.Name) != nil {
			list = &known
		}
		for k := range min(c.Count, e.Count) {
			*list = append(*list, Upload{PixelConstant(e.Index + k), VertexConstant(c.Index + k)})
		}
	}
	gained := func(c d3d9.Constant) bool {
		return c.Set == d3d9.SetFloat4 && was.Named(c.Name) == nil && slices.ContainsFunc(pixels, func(t *d3d9.ConstantTable) bool {
			e := t.Named(c.Name)
			return e != nil && c.IsParameter(e)
		})
	}
	if !slices.ContainsFunc(is.Constants, gained) {
		return after, nil, known, nil
	}
	if err := disjoint(is, news[0], gained); err != nil {
		return after, nil, nil, err
	}
	is.Constants = slices.DeleteFunc(is.Constants, gained)
	if err := news[0].SetConstantTable(is); err != nil {
		return after, nil, nil, err
	}
	data, err := d3d9.Encode(news[0])
	if err != nil {
		return after, nil, nil, err
	}
	plain = after
	plain.Files = []File{{after.Files[0].Name, data}, after.Files[1]}
	return plain, uploads, known, nil
}

// disjoint checks that nothing else sets the registers of what a table has gained: no other
// entry, and no preshader.
func disjoint(t *d3d9.ConstantTable, p *d3d9.Program, gained func(d3d9.Constant) bool) error {
	set := map[uint32]int{}
	for i := range t.Constants {
		if c := &t.Constants[i]; c.Set == d3d9.SetFloat4 {
			for k := range c.Count {
				set[uint32(c.Index+k)]++
			}
		}
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		if !in.IsPreshader() {
			continue
		}
		q, err := preshader.Decode("preshader", in.Comment[1:])
		if err != nil {
			return err
		}
		for _, r := range q.Outputs.Ranges[0] {
			for n := r.First; n-r.First < min(r.Count, 1<<16); n++ {
				set[n]++
			}
		}
	}
	for i := range t.Constants {
		c := &t.Constants[i]
		if !gained(*c) {
			continue
		}
		for k := range c.Count {
			if set[uint32(c.Index+k)] != 1 {
				return fmt.Errorf("c%d, which %s is in, is set twice", c.Index+k, c.Name)
			}
		}
	}
	return nil
}
