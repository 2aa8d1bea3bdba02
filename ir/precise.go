package ir

// MarkPrecise sets Precise on every instruction that the given values depend on: through operands,
// predicates, regions and the conditions of constructs. Passes must not change the terms of such
// instructions. For positions this keeps draws of several passes over the same triangles at the same depth,
// bit for bit ("Why does the position keep its terms?" in RATIONALE.md). It marks whole instructions, not
// lanes: one position lane marks every lane of its instruction.
func MarkPrecise(f *Func, from []*Value) {
	x := indexRegions(f)
	work := append([]*Value(nil), from...)
	var mark func(in *Instr)
	// mark also marks the constructs around an instruction, because they decide whether it runs.
	mark = func(in *Instr) {
		for in != nil && !in.Precise {
			in.Precise = true
			in.EachUse(func(l *Lane) { work = append(work, l.V) })
			if in.Op == OpLoop { // its breaks decide the trip count
				in.Sub[0].Walk(func(b *Instr) {
					if b.Op == OpBreak {
						mark(b)
					}
				})
			}
			in = x.around(in)
		}
	}
	seen := make([]bool, f.NumValues())
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[v.ID] {
			continue
		}
		seen[v.ID] = true
		switch {
		case v.Def != nil:
			mark(v.Def)
		case v.Kind == Param:
			mark(x.owns[x.owner[v]])
		}
	}
}

// regionIndex finds the constructs around instructions and parameters.
type regionIndex struct {
	owner  map[*Value]*Region // of parameters
	owns   map[*Region]*Instr // of regions
	inside map[*Instr]*Region // of instructions, except for the outermost ones
}

func indexRegions(f *Func) *regionIndex {
	x := &regionIndex{owner: map[*Value]*Region{}, owns: map[*Region]*Instr{}, inside: map[*Instr]*Region{}}
	f.EachRegion(func(r *Region) {
		for _, p := range r.Params {
			x.owner[p] = r
		}
		if r.Index != nil {
			x.owner[r.Index] = r
		}
		for _, in := range r.Code {
			if r != f.Body {
				x.inside[in] = r
			}
			for _, sub := range in.Sub {
				x.owns[sub] = in
			}
		}
	})
	return x
}

// around returns the construct around in, nil at the top.
func (x *regionIndex) around(in *Instr) *Instr { return x.owns[x.inside[in]] }
