package effect

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/passes"
)

// withoutGained undoes [Binder.Bind]: it returns now with its former constant table, or nil if the
// table gained nothing. old are the former vertex and pixel programs of the pair. uploads are the
// registers of the gained entries (from the pixel program's register to the vertex program's); known
// are those of entries in both tables. others are further pixel programs whose parameters the table may
// have gained.
func withoutGained(old [2]*d3d9.Program, now *d3d9.Program, others []*d3d9.Program) (plain *d3d9.Program, uploads,
	known []passes.Upload, err error) {
	var tables [3]*d3d9.ConstantTable
	for i, p := range []*d3d9.Program{old[0], now, old[1]} {
		if tables[i], err = TableOf(p); err != nil {
			return nil, nil, nil, err
		}
	}
	before, after, pixel := tables[0], tables[1], tables[2]
	pixels := []*d3d9.ConstantTable{pixel}
	for _, p := range others {
		if t, err := TableOf(p); err == nil {
			pixels = append(pixels, t)
		}
	}
	// Parameters in both programs: their registers hold the same values.
	for i := range after.Constants {
		c := &after.Constants[i]
		e := pixel.Named(c.Name)
		if c.Set != d3d9.SetFloat4 || e == nil || !c.IsParameter(e) {
			continue
		}
		list := &uploads
		if before.Named(c.Name) != nil {
			list = &known
		}
		for k := range min(c.Count, e.Count) {
			*list = append(*list, passes.Upload{From: uint16(e.Index + k), To: uint16(c.Index + k)})
		}
	}
	// gained: a float parameter of the new table and of some pixel program, absent from the old table.
	gained := func(c d3d9.Constant) bool {
		return c.Set == d3d9.SetFloat4 && before.Named(c.Name) == nil &&
			slices.ContainsFunc(pixels, func(t *d3d9.ConstantTable) bool {
				e := t.Named(c.Name)
				return e != nil && c.IsParameter(e)
			})
	}
	if !slices.ContainsFunc(after.Constants, gained) {
		return nil, nil, known, nil
	}
	if err := disjoint(after, now, gained); err != nil {
		return nil, nil, nil, err
	}
	after.Constants = slices.DeleteFunc(after.Constants, gained)
	return now, uploads, known, now.SetConstantTable(after)
}

// disjoint checks that no other entry and no preshader sets the registers of gained entries. Otherwise
// the verifier would wrongly assume equal contents of both registers.
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
				return fmt.Errorf("c%d, which %s is in, is set twice", c.Index+k, asm.Shown(c.Name))
			}
		}
	}
	return nil
}
