package algebra

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// dot is a dot product whose vector is scaled for it alone: by * (vector . other source).
type dot struct {
	in, scaling *ir.Instr
	src         int // source of in that reads the scaled vector
	lane        int // lane that in writes
	mod         ir.LaneMod
	by          ir.Lane // the scale, unset if the vector is normalized
	vector      ir.Operand
}

// dotOf returns the dot product that in computes, if it is one.
func (x *factorer) dotOf(in *ir.Instr) (d dot, ok bool) {
	if op := in.Op.Legacy(); op != ir.OpDp3 && op != ir.OpDp4 || in.IsPredicated() || !x.c.Allows(passes.Real, in) {
		return d, false
	}
	d.in, d.lane = in, slices.IndexFunc(in.Out[:], func(v *ir.Value) bool { return v != nil })
	if d.lane < 0 || in.Mask() != 1<<d.lane {
		return d, false
	}
	for d.src = range 2 {
		o := &in.Src[d.src]
		if d.scaling, d.mod = x.maker(o, ir.OpNrm, ir.OpMul); d.scaling == nil {
			continue
		}
		// A normalized vector is v * rsq(v.v): its scale is that rsq.
		switch d.scaling.Op.Legacy() {
		case ir.OpNrm: // three operations
			if in.Op.Legacy() == ir.OpDp3 && x.f.Dialect.Slots(d.scaling) >= 3 {
				d.vector = apply(through(o, d.scaling, 0), d.mod)
				return d, true
			}
		case ir.OpMul:
			for k := range 2 {
				by := through(o, d.scaling, k)
				same := true
				by.EachLane(func(_ int, l *ir.Lane) { same = same && *l == by[0] })
				if same {
					d.by, d.vector = by[0], apply(through(o, d.scaling, 1-k), d.mod)
					return d, true
				}
			}
		}
	}
	return d, false
}

// scaled lists dot products if some of them could be scaled together.
func (x *factorer) scaled() (found []*ir.Instr) {
	together := false
	x.f.EachRegion(func(r *ir.Region) {
		at := map[ir.Reg]int{}
		for _, in := range r.Code {
			if d, ok := x.dotOf(in); ok {
				home := in.Out[d.lane].Home
				home.Comp = 0
				at[home]++
				together = together || at[home] > 1
				found = append(found, in)
			}
		}
	})
	if !together {
		return nil
	}
	return found
}

// unscale scales dot products instead of their vectors. A mul that scales several is emitted only when one of
// its lanes is read, so that later dot products can join it.
func (x *factorer) unscale() {
	x.f.EachRegion(func(r *ir.Region) {
		w := &scaler{factorer: x, results: map[*ir.Value]bool{}, gone: map[*ir.Instr]bool{}}
		for _, in := range r.Code {
			if len(in.Sub) > 0 || w.reads(in) {
				w.flush()
			}
			if d, ok := x.dotOf(in); ok {
				w.scale(d)
			} else {
				w.out = append(w.out, in)
			}
		}
		w.flush()
		r.Code = slices.DeleteFunc(w.out, func(in *ir.Instr) bool { return w.gone[in] })
	})
}

// scaler writes the new code of a region. A mul that scales several dot products waits for the first reader
// of one of them.
type scaler struct {
	*factorer
	out     []*ir.Instr
	waiting []*ir.Instr
	results map[*ir.Value]bool // results of the waiting instructions
	gone    map[*ir.Instr]bool
}

// window bounds how many waiting instructions are searched for a free lane.
const window = 8

// reads reports whether in reads a result that is still to be scaled.
func (w *scaler) reads(in *ir.Instr) (found bool) {
	in.EachUse(func(l *ir.Lane) { found = found || w.results[l.V] })
	return found
}

// flush emits the waiting instructions, because the next instruction reads one or control splits.
func (w *scaler) flush() {
	w.out = append(w.out, w.waiting...)
	w.waiting = nil
	clear(w.results)
}

// scale takes the scale out of d.
func (w *scaler) scale(d dot) {
	w.gone[d.scaling] = true
	// In full precision, because no instruction computed these values before.
	compute := func(op ir.Op, src ...ir.Operand) ir.Lane {
		in := &ir.Instr{Op: w.op(op), Orig: -1, Pos: d.scaling.Pos, Also: d.scaling.Also, Src: src}
		w.out = append(w.out, in)
		return ir.Lane{V: w.f.Define(in, d.lane, ir.Reg{})}
	}
	by := d.by
	// The scale of a normalized vector has to be computed.
	if by.V == nil {
		v := d.scaling.Src[0]
		v[3] = ir.Lane{}
		by = compute(ir.OpRsq, ir.Splat(compute(ir.OpDp3, v, v)))
	}
	result := d.in.Out[d.lane]
	src := slices.Clone(d.in.Src)
	src[d.src] = d.vector
	raw := compute(d.in.Op, src...)
	raw.V.Home = result.Home
	mul := w.together(result, d)
	mul.TakeIn(d.in, shared)
	mul.Src[0][d.lane], mul.Src[1][d.lane] = raw, by
	mul.Out[d.lane], result.Def, w.results[result] = result, mul, true
}

// together returns a waiting mul that can scale result too, or a new one.
func (w *scaler) together(result *ir.Value, d dot) *ir.Instr {
	for _, mul := range w.waiting[max(0, len(w.waiting)-window):] {
		if mul.Mods != d.in.Mods || mul.Out[d.lane] != nil {
			continue
		}
		for _, v := range mul.Out {
			if v != nil && v.Home.File == result.Home.File && v.Home.Index == result.Home.Index {
				return mul
			}
		}
	}
	mul := &ir.Instr{Op: w.op(ir.OpMul), Mods: d.in.Mods, Orig: -1, Pos: d.in.Pos, Also: d.in.Also, Src: make([]ir.Operand, 2)}
	w.waiting = append(w.waiting, mul)
	return mul
}
