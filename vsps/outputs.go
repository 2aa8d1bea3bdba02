package vsps

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// outputs decides for every output component whether the instruction that computes its value may
// write the output register directly, and adds moves for the others. A value can only be computed
// in place if nothing reads it, since outputs are write-only:
//
//	mul r0, r1, c0          mul oT0, r1, c0      if r0 is not read again
//	mov oT0, r0
//
// In ps_2_x and below only a plain mov may write colours and depth, so only moves of the program
// itself are in place.
func (b *builder) outputs(merge bool) {
	o := &b.e.outputs
	*o = outputPlan{b: b, merge: merge && !b.colourMoves(), read: container.Zeros(o.read, int(b.n)),
		count: container.Zeros(o.count, int(b.n)), direct: container.Zeros(o.direct, int(b.n)), writer: container.Zeros(o.writer,
			int(b.n)), parts: o.parts[:0], after: o.after}
	for _, out := range b.f.Outs {
		o.count[out.V.ID]++
	}
	for _, s := range b.stmts {
		for k := range s.src {
			for i := range s.src[k] {
				o.reads(&s.src[k][i])
			}
		}
		if s.cond {
			for i := range s.pred {
				o.reads(&s.pred[i])
			}
		}
	}
	for _, out := range b.f.Outs {
		o.planOutput(out.V, out.Reg)
	}
	o.place()
	o.settle()
	for v, r := range o.direct {
		if r != nowhere {
			b.comp[v], b.file[v], b.pin[v] = r.Comp, uint8(r.File), int32(r.Index)
		}
	}
	for _, s := range b.stmts { // copies of values that predicated writes keep
		for k, v := range s.keep {
			if r, ok := o.directOutput(s.out[k]); ok && v >= int32(b.f.NumValues()) {
				b.comp[v], b.file[v], b.pin[v] = r.Comp, uint8(r.File), int32(r.Index)
			}
		}
	}
	o.moves()
}

// outputPlan is the state of [builder.outputs]. Its phases are place, settle and moves.
type outputPlan struct {
	b *builder
	// merge permits computing values that meet in place, on every path to the join.
	merge  bool
	read   []bool   // by value: some operand reads it
	count  []int32  // by value: number of outputs with this value
	direct []ir.Reg // by value: the output component in which it is computed
	writer []*stmt  // for direct values: the statement that computes it
	parts  []*stmt  // the parts of a split statement
	after  []int32  // by value: the index after the defining statement
}

// nowhere means no output component.
var nowhere ir.Reg

// directOutput returns the output component in which value v is computed, if any.
func (o *outputPlan) directOutput(v int32) (ir.Reg, bool) {
	if v < 0 || int(v) >= len(o.direct) {
		return nowhere, false
	}
	return o.direct[v], o.direct[v] != nowhere
}

// reads records that an operand reads l; a block argument is not a read.
func (o *outputPlan) reads(l *lane) {
	if l.kind == laneTemp {
		o.read[l.v] = true
	}
}

// planOutput plans to compute v, and all values that flow into it, in r. It declines if v is read or is
// several outputs (which need a move anyway), and for leaves, which nothing computes. It includes
// the values that flow into v, and the parameter that shares the place of a result, so that no move
// is needed at joins.
func (o *outputPlan) planOutput(v *ir.Value, r ir.Reg) {
	if _, taken := o.directOutput(int32(v.ID)); taken || v.IsLeaf() || o.read[v.ID] || o.count[v.ID] > 1 {
		return
	}
	if v.IsLoaded() || !o.merge && (v.Def == nil || len(v.Def.Sub) > 0 || v.Def.IsPredicated()) {
		return
	}
	o.direct[int32(v.ID)] = r
	if twin := o.b.flows.twin[v]; twin != nil {
		o.planOutput(twin, r)
	}
	for _, w := range o.b.flows.feeds[v] {
		o.planOutput(w, r) // if that fails, a move at the join
	}
}

// place splits statements that write several outputs, and finds those that cannot write theirs
// directly.
func (o *outputPlan) place() {
	stmts := o.b.other[:0]
	for _, s := range o.b.stmts {
		o.parts = o.split(s)
		for _, part := range o.parts {
			if part.kind == regalloc.Plain {
				for _, v := range part.out {
					if _, ok := o.directOutput(v); ok {
						o.writer[v] = part
					}
				}
				if !o.writable(part) {
					o.refuse(part)
				}
			}
			stmts = append(stmts, part)
		}
	}
	o.b.stmts, o.b.other = stmts, o.b.stmts
}

// refuse cancels the direct outputs of s.
func (o *outputPlan) refuse(s *stmt) {
	s.colour = false
	for _, v := range s.out {
		if v >= 0 {
			o.direct[v] = nowhere
		}
	}
}

// settle cancels direct outputs that are impossible or useless because of joins. A value passed to
// another place would have to be read there, but outputs cannot be read. A place in which nothing
// is computed takes a move on every path, which is one too many. Each round cancels at least one
// value, so it terminates; two or three rounds are usual.
func (o *outputPlan) settle() {
	fl := &o.b.flows
	if fl.feeds == nil {
		return // there are no joins
	}
	// drop cancels v with all other lanes of its statement, which writes one register.
	drop := func(v *ir.Value) {
		if s := o.writer[int32(v.ID)]; s != nil {
			o.refuse(s)
		}
		o.direct[v.ID] = nowhere
	}
	for again := true; again; {
		again = false
		check := func(v *ir.Value) {
			if twin := fl.twin[v]; !fl.needed[v.ID] && (twin == nil || !fl.needed[twin.ID]) {
				return // no value flows into it
			}
			r, direct := o.directOutput(int32(v.ID))
			inPlace, elsewhere := false, false
			for _, w := range fl.feeds[v] {
				x, ok := o.directOutput(int32(w.ID))
				if ok && (!direct || x != r) {
					// x cannot be read to be passed to another place.
					drop(w)
					ok, again = false, true
				}
				inPlace = inPlace || ok || w.IsLeaf() && (w.Kind != ir.Undef || w.Home == r || w.Home == nowhere) // an unwritten component stays unwritten
				elsewhere = elsewhere || w.Kind == ir.Undef && o.b.atStart(w)                                     // and stays in its register
			}
			// No value flows into v in place, or one cannot be moved there, or its twin is
			// elsewhere.
			if twin := fl.twin[v]; direct && (!inPlace || elsewhere || twin != nil && o.direct[twin.ID] != r) {
				drop(v)
				again = true
			}
		}
		o.b.f.Walk(func(in *ir.Instr) {
			for _, v := range in.Results {
				check(v)
				if twin := fl.twin[v]; twin != nil {
					check(twin)
				}
			}
			for k, v := range in.Keep {
				if v != nil && in.Out[k] != nil {
					check(in.Out[k])
				}
			}
		})
	}
}

// split replaces a statement that computes values only for several output registers by one
// statement for each, which saves the moves. It drops dead lanes, which have no place in an output.
//
//	mul r0, r1, c0                        mul oT0.xy, r1, c0
//	mov oT0.xy, r0; mov oT1.xy, r0.zw     mul oT1.xy, r1.zw, c0.zw
func (o *outputPlan) split(s *stmt) []*stmt {
	if s.kind != regalloc.Plain || s.in == nil || o.b.colourMoves() {
		return append(o.parts[:0], s)
	}
	var room [4]ir.Reg
	regs, idle := room[:0], false
	for _, v := range s.out {
		if v < 0 {
			continue
		}
		r, ok := o.directOutput(v)
		if !ok && int(v) < len(o.b.flows.needed) && !o.b.flows.needed[v] {
			idle = true
			continue
		}
		if !ok {
			return append(o.parts[:0], s)
		}
		r.Comp = 0
		if !slices.Contains(regs, r) {
			regs = append(regs, r)
		}
	}
	// Nothing to split, or lanes that cannot be separated.
	if len(regs) == 0 || len(regs) == 1 && !idle || len(regs) > 1 && s.irop.Info().Shape == ir.Positional {
		return append(o.parts[:0], s)
	}
	parts := o.parts[:0]
	for _, r := range regs {
		t := o.b.copyStmt(*s)
		t.src = o.b.src(len(s.src))
		copy(t.src, s.src)
		for i, v := range s.out {
			if at, ok := o.directOutput(v); v >= 0 && (!ok || at.File != r.File || at.Index != r.Index) {
				t.out[i], t.keep[i], t.pred[i] = -1, -1, lane{}
				if s.irop.Info().Shape == ir.Lanewise {
					for k := range t.src {
						t.src[k][i] = lane{}
					}
				}
			}
		}
		dst := d3d9.Dst{Reg: d3d9.Reg{File: d3d9.File(r.File), Index: r.Index}, Mask: d3d9.Mask(t.mask())}
		// The model does not let this op write such a register or mask.
		if m := o.b.d.model; !d3d9.CanWrite(m, s.op, dst.File) || !d3d9.MaskFits(m, s.op, &dst) {
			return append(o.parts[:0], s)
		}
		parts = append(parts, t)
	}
	return parts
}

// writable reports whether statement s can write all its lanes to the output register in direct.
// All lanes must go to one register, each to its own component or through swizzles, and the model
// must let the op write there.
func (o *outputPlan) writable(s *stmt) bool {
	var reg ir.Reg
	for i, v := range s.out {
		if v < 0 {
			continue
		}
		r, ok := o.directOutput(v)
		if !ok || reg != (ir.Reg{}) && (r.File != reg.File || r.Index != reg.Index) {
			return false
		}
		reg = r
		if int(r.Comp) != i && !o.b.freeLanes(s) {
			return false
		}
	}
	if s.in == nil || reg == (ir.Reg{}) {
		return false
	}
	// Below 3_0 only an unmodified mov of the whole register writes oC# and oDepth ("Output Color
	// Register", "Output Depth Register").
	if o.b.colourMoves() {
		s.colour = s.irop == ir.OpMov && s.mods&ir.Sat == 0 && !s.in.IsPredicated() &&
			(isScalar(d3d9.File(reg.File), reg.Index) || s.mask() == 0xf)
		for _, l := range s.src[0] {
			s.colour = s.colour && l.mod == 0
		}
		return s.colour
	}
	if !d3d9.CanWrite(o.b.d.model, s.op, d3d9.File(reg.File)) {
		return false
	}
	return !s.irop.Has(ir.IsFetch) || o.b.d.model.Stage == d3d9.Pixel
}

// colourMoves reports whether only plain moves may write colours and depth.
func (b *builder) colourMoves() bool {
	return b.d.model.Stage == d3d9.Pixel && b.d.model.Major < 3
}

// isScalar reports whether a register has one component (oDepth, oFog, oPts), so that its write
// mask has no meaning.
func isScalar(f d3d9.File, index uint16) bool {
	return d3d9.Reg{File: f, Index: index}.IsScalarOutput()
}

// moves appends, for each output register, the moves of values that are not computed in place. They
// follow the last definition, which frees the temporaries early, or are at the end for leaves. They
// are never inside a branch, because outputs are written once for all paths.
func (o *outputPlan) moves() {
	type group struct {
		reg  ir.Reg
		src  operand
		also *asm.Origin
	}
	var groups []group
	for _, out := range o.b.f.Outs {
		if r, ok := o.directOutput(int32(out.V.ID)); ok && r == out.Reg {
			continue
		}
		r := out.Reg
		r.Comp = 0
		if n := len(groups); n == 0 || groups[n-1].reg != r {
			groups = append(groups, group{reg: r})
		}
		g := &groups[len(groups)-1]
		g.src[out.Reg.Comp] = o.b.translateLane(ir.Lane{V: out.V})
		if also := out.Also; also != nil {
			g.also = g.also.Behind(also.Pos, also.Code, also)
		}
	}
	if len(groups) == 0 {
		return
	}
	// The definitions of values by statements of the outermost body.
	at := container.Zeros(o.after, int(o.b.n))
	o.after = at
	depth := 0
	for i, s := range o.b.stmts {
		switch s.kind {
		case regalloc.If, regalloc.Loop:
			depth++
		case regalloc.EndIf, regalloc.EndLoop:
			depth--
		}
		if depth > 0 {
			continue
		}
		for _, v := range s.out {
			if v >= 0 {
				at[v] = int32(i + 1)
			}
		}
		for _, v := range s.params {
			at[v] = int32(i + 1)
		}
	}
	var moves []insertion
	for _, g := range groups {
		pos := 0
		for _, l := range g.src {
			if l.kind == laneTemp {
				pos = max(pos, int(at[l.v]))
			}
		}
		if pos == 0 {
			pos = len(o.b.stmts)
		}
		mv := o.b.mov(g.src)
		mv.colour, mv.also = true, g.also
		for c, l := range g.src {
			if l.kind != laneNone {
				v := o.b.value(c, uint8(g.reg.File))
				o.b.pin[v] = int32(g.reg.Index)
				mv.out[c] = v
			}
		}
		moves = append(moves, insertion{pos, mv})
	}
	o.b.insert(moves)
}
