package ir

// MarkPrecise sets Precise on every instruction that the given values depend on,
// through operands, predicates, regions and the conditions of the constructs that
// decide them. Passes must leave the terms of such instructions alone. For positions
// this is what keeps draws of several passes over the same triangles at the same depth,
// bit for bit ("Why does the position keep its terms?" in RATIONALE.md). It marks whole
// instructions, not lanes: an instruction with one lane of position keeps all of its
// lanes.
func MarkPrecise(f *Func, from []*Value) {
	owner := map[*Value]*Region{}  // of parameters
	owns := map[*Region]*Instr{}   // of regions
	inside := map[*Instr]*Region{} // of instructions, but for the outermost ones
	f.EachRegion(func(r *Region) {
		for _, p := range r.Params {
			owner[p] = r
		}
		if r.Index != nil {
			owner[r.Index] = r
		}
		for _, in := range r.Code {
			if r != f.Body {
				inside[in] = r
			}
			for _, sub := range in.Sub {
				owns[sub] = in
			}
		}
	})
	work := append([]*Value(nil), from...)
	var mark func(in *Instr)
	// mark goes from an instruction to the constructs around it, as these decide
	// whether it runs.
	mark = func(in *Instr) {
		for in != nil && !in.Precise {
			in.Precise = true
			in.EachUse(func(l *Lane) { work = append(work, l.V) })
			if in.Op == OpLoop { // how often it runs is decided by its breaks
				in.Sub[0].Walk(func(b *Instr) {
					if b.Op == OpBreak {
						mark(b)
					}
				})
			}
			in = owns[inside[in]]
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
			mark(owns[owner[v]])
		}
	}
}
