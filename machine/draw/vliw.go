package draw

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
	"github.com/shaderlift/shaderlift/machine/sched"
)

// groups prices a stage for a machine that runs up to five operations at a time: in groups,
// as package machine packs them. Branches are taken to be flattened, and loops to be as long
// as their code runs often.
func groups(s *stage, t *chip.Target) (Load, error) {
	w := &packer{s: s, c: mir.NewCode("draw"), t: t, fused: s.fused(), at: make([]mir.Arg, len(s.nodes)), pairs: map[ir.Reg]mir.Val{}}
	w.folded = w.conditions()
	for i := range s.nodes { // before anything else shares their registers
		if s.nodes[i].kind == input && s.live[i] {
			w.at[i] = w.input(&s.nodes[i])
		}
	}
	ran, once := 0.0, 0.0
	fetches := 0.0
	for i := range s.nodes {
		if !s.live[i] {
			continue
		}
		before := w.ops
		w.node(int32(i))
		ran += float64(w.ops-before) * s.nodes[i].runs
		once += float64(w.ops - before)
		if s.nodes[i].kind == fetch {
			fetches += s.nodes[i].runs
		}
	}
	if w.ops > maxPacked {
		return Load{Texture: fetches, Arithmetic: ran / 4}, nil
	}
	w.exports()
	w.c.Body = w.body
	done, err := sched.Schedule(w.c, t, sched.Options{})
	if err != nil {
		return Load{}, err
	}
	l := Load{Texture: fetches, Arithmetic: float64(done.Stats.Groups)}
	if once > 0 {
		l[Arithmetic] *= ran / once
	}
	return l, nil
}

// maxPacked bounds the operations that are packed. What has more is taken to fill four slots
// of five.
const maxPacked = 1 << 14

// packer makes operations of these machines of a stage.
type packer struct {
	s      *stage
	c      *mir.Code
	t      *chip.Target
	body   mir.Region
	fused  []bool
	folded []bool    // conditions that conditional moves test themselves
	at     []mir.Arg // by node
	pairs  map[ir.Reg]mir.Val
	coords [2]mir.Arg // where in the primitive the pixel is
	ops    int
}

func (w *packer) op(op r600.Op, args ...mir.Arg) mir.Arg {
	s := mir.Slot{Op: op, Dst: w.c.NewVal()}
	copy(s.Args[:], args)
	w.add([]mir.Slot{s})
	return mir.V(s.Dst)
}

func (w *packer) add(slots []mir.Slot) {
	w.ops++
	w.body = append(w.body, &mir.ALU{Slots: slots})
}

// arg is an operand. One of three sources cannot take the absolute value.
func (w *packer) arg(a arg, three bool) mir.Arg {
	x := w.at[a.n]
	if x.Kind == mir.NoArg {
		x = mir.L(0)
	}
	if a.mod&ir.Abs != 0 {
		x.Abs, x.Neg = true, false
		if three {
			x = w.op(r600.OpMov, x)
		}
	}
	if a.mod&ir.Neg != 0 {
		x.Neg = !x.Neg
	}
	return x
}

func (w *packer) val(a arg) mir.Val {
	x := w.arg(a, false)
	if x.Kind == mir.ValArg && !x.Neg && !x.Abs {
		return x.Val
	}
	return w.op(r600.OpMov, x).Val
}

// conditions are comparisons with zero that nothing but conditional moves asks for.
func (w *packer) conditions() []bool {
	out := make([]bool, len(w.s.nodes))
	for i := range w.s.nodes {
		n := &w.s.nodes[i]
		if n.kind != call || !isComparison(n.prim) {
			continue
		}
		_, _, _, out[i] = w.test(n)
	}
	for i := range w.s.nodes {
		n := &w.s.nodes[i]
		for k, a := range n.args {
			if w.s.live[i] && (n.kind != choose || k > 0) {
				out[a.n] = false
			}
		}
	}
	return out
}

// test is the conditional move for a comparison with zero: what it tests, and whether it
// chooses the other way round.
func (w *packer) test(n *node) (op r600.Op, a arg, swapped, ok bool) {
	a, b := n.args[0], n.args[1]
	p := n.prim
	if x, zero := w.s.number(a); zero && x == 0 {
		a, b = b, a
		p = map[ir.Prim]ir.Prim{ir.PrimGT: ir.PrimLT, ir.PrimLT: ir.PrimGT, ir.PrimGE: ir.PrimLE, ir.PrimLE: ir.PrimGE, ir.PrimEQ: ir.PrimEQ, ir.PrimNE: ir.PrimNE}[p]
	}
	if x, zero := w.s.number(b); !zero || x != 0 {
		return 0, a, false, false
	}
	switch p {
	case ir.PrimLT, ir.PrimLE:
		a.mod = a.mod.Then(ir.Neg)
	}
	switch p {
	case ir.PrimGE, ir.PrimLE:
		return r600.OpCndGE, a, false, true
	case ir.PrimGT, ir.PrimLT:
		return r600.OpCndGT, a, false, true
	}
	return r600.OpCndE, a, p == ir.PrimNE, true
}

func (w *packer) node(i int32) {
	n := &w.s.nodes[i]
	switch n.kind {
	case literal:
		w.at[i] = mir.L(n.bits)
	case uniform:
		w.at[i] = mir.K(int(n.reg.File)&15, int(n.reg.Index), n.reg.Comp)
	case input, unknown:
	case add, mul:
		w.at[i] = w.sum(i, n)
	case dot:
		w.at[i] = w.dot(n)
	case call:
		w.at[i] = w.call(i, n)
	case choose:
		w.at[i] = w.choose(n)
	case load:
		a := mir.K(int(n.reg.File)&15, int(n.reg.Index), uint8(n.bits))
		a.Rel = w.val(n.args[0])
		w.at[i] = a
	case joined, carried:
		if len(n.args) > 0 {
			w.at[i] = w.op(r600.OpMov, w.arg(n.args[0], false))
		} else {
			w.at[i] = mir.L(0)
		}
	case kill:
		for _, a := range n.args {
			w.ops++
			w.body = append(w.body, &mir.ALU{Slots: []mir.Slot{{Op: r600.OpKillGT, Args: [3]mir.Arg{mir.L(0), w.arg(a, false)}}}})
		}
	case branch:
		if len(n.args) > 0 {
			w.op(r600.OpMov, w.arg(n.args[0], false))
		}
	case fetch:
		w.fetch(i, n)
	case part: // set by the fetch
	}
}

// input is an attribute, or an interpolated component. From Evergreen on interpolating is
// arithmetic, two components of a register at a time; before, it is done when a program starts.
func (w *packer) input(n *node) mir.Arg {
	if v, ok := w.pairs[n.reg]; ok {
		return mir.V(v)
	}
	if !w.s.interpolated(n) || w.t.Family != r600.Evergreen {
		return mir.V(w.c.Input(1+int(n.reg.Index)+32*int(n.reg.File), int(n.reg.Comp)))
	}
	if w.coords[0].Kind == mir.NoArg {
		w.coords = [2]mir.Arg{mir.V(w.c.Input(0, 0)), mir.V(w.c.Input(0, 1))}
	}
	w.interpolate(n.reg, n.reg.Comp&2)
	if n.reg.Comp > 1 { // registers are loaded from x on
		w.interpolate(n.reg, 0)
	}
	return mir.V(w.pairs[n.reg])
}

// interpolate makes two components of a register, from first on.
func (w *packer) interpolate(reg ir.Reg, first uint8) {
	if reg.Comp = first; w.pairs[reg] != 0 {
		return
	}
	op := r600.OpInterpXy
	if first > 0 {
		op = r600.OpInterpZw
	}
	slots := make([]mir.Slot, 4)
	for i := range slots {
		slots[i] = mir.Slot{Op: op, Args: [3]mir.Arg{w.coords[i&1], w.coords[i&1]}}
	}
	for c := first; c < first+2; c++ {
		reg.Comp = c
		slots[c].Dst = w.c.NewValAt(int(c))
		w.pairs[reg] = slots[c].Dst
	}
	w.add(slots)
}

func (w *packer) sum(i int32, n *node) mir.Arg {
	if n.kind == mul {
		if w.fused[i] {
			return mir.Arg{}
		}
		return w.op(r600.OpMul, w.arg(n.args[0], false), w.arg(n.args[1], false))
	}
	for k, a := range n.args {
		if m := &w.s.nodes[a.n]; m.kind == mul && w.fused[a.n] && a.mod&ir.Abs == 0 {
			x := m.args[0]
			x.mod = x.mod.Then(a.mod)
			return w.op(r600.OpMulAdd, w.arg(x, true), w.arg(m.args[1], true), w.arg(n.args[1-k], true))
		}
	}
	return w.op(r600.OpAdd, w.arg(n.args[0], false), w.arg(n.args[1], false))
}

func (w *packer) dot(n *node) mir.Arg {
	slots := make([]mir.Slot, 4)
	half := len(n.args) / 2
	for i := range slots {
		slots[i] = mir.Slot{Op: r600.OpDot4, Args: [3]mir.Arg{mir.L(0), mir.L(0)}}
		if i < half {
			slots[i].Args = [3]mir.Arg{w.arg(n.args[i], false), w.arg(n.args[half+i], false)}
		}
	}
	slots[0].Dst = w.c.NewVal()
	w.add(slots)
	return mir.V(slots[0].Dst)
}

// calls are the primitives that are one operation.
var calls = map[ir.Prim]r600.Op{
	ir.PrimMin: r600.OpMin, ir.PrimMax: r600.OpMax, ir.PrimFrc: r600.OpFract, ir.PrimFloor: r600.OpFloor,
	ir.PrimRcp: r600.OpRecipIEEE, ir.PrimRsq: r600.OpRecipSqrtIEEE, ir.PrimExp2: r600.OpExpIEEE, ir.PrimLog2: r600.OpLogIEEE, ir.PrimLog2P: r600.OpLogIEEE,
	ir.PrimSin: r600.OpSin, ir.PrimCos: r600.OpCos,
	ir.PrimGT: r600.OpSetGT, ir.PrimGE: r600.OpSetGE, ir.PrimEQ: r600.OpSetE, ir.PrimNE: r600.OpSetNE, ir.PrimRound: r600.OpRndNE,
}

func (w *packer) call(i int32, n *node) mir.Arg {
	if w.folded[i] {
		return mir.Arg{}
	}
	switch n.prim {
	case ir.PrimSat:
		return w.clamped(n.args[0])
	case ir.PrimLT:
		return w.op(r600.OpSetGT, w.arg(n.args[1], false), w.arg(n.args[0], false))
	case ir.PrimLE:
		return w.op(r600.OpSetGE, w.arg(n.args[1], false), w.arg(n.args[0], false))
	}
	op, ok := calls[n.prim]
	if !ok { // something like it
		op = r600.OpMov
	}
	args := make([]mir.Arg, op.Sources())
	for k := range args {
		args[k] = w.arg(n.args[k], false)
	}
	return w.op(op, args...)
}

// clamped is a clamped to 0..1 by what computes it, if nothing else wants that.
func (w *packer) clamped(a arg) mir.Arg {
	x := w.arg(a, false)
	if x.Kind == mir.ValArg && !x.Neg && !x.Abs && w.s.uses[a.n] == 1 {
		for i := len(w.body) - 1; i >= 0; i-- {
			u, ok := w.body[i].(*mir.ALU)
			if ok && u.Slots[0].Dst == x.Val {
				for k := range u.Slots {
					u.Slots[k].Clamp = true
				}
				return x
			}
		}
	}
	moved := w.op(r600.OpMov, x)
	w.body[len(w.body)-1].(*mir.ALU).Slots[0].Clamp = true
	return moved
}

func (w *packer) choose(n *node) mir.Arg {
	a, b := n.args[1], n.args[2]
	c := n.args[0]
	if !w.folded[c.n] {
		return w.op(r600.OpCndE, w.arg(c, true), w.arg(b, true), w.arg(a, true))
	}
	op, of, swapped, _ := w.test(&w.s.nodes[c.n])
	if swapped != (c.mod&ir.Not != 0) {
		a, b = b, a
	}
	return w.op(op, w.arg(of, true), w.arg(a, true), w.arg(b, true))
}

// fetch reads a texture. Its coordinates have to share a register, and are moved into one
// if they do not.
func (w *packer) fetch(i int32, n *node) {
	args := n.args
	f := &mir.Fetch{Op: r600.FetchSample, Resource: int(n.res.Unit)}
	coords := make([]mir.Arg, 0, 4)
	for _, a := range args {
		if len(coords) < 4 {
			coords = append(coords, w.arg(a, false))
		}
	}
	switch {
	case n.res.Dim == ir.DimCube && len(coords) >= 3:
		w.cube(coords)
	case n.op == ir.OpFetchProj && len(coords) == 4:
		by := w.op(r600.OpRecipIEEE, coords[3])
		for k := range 3 {
			coords[k] = w.op(r600.OpMul, coords[k], by)
		}
	}
	var vals []mir.Val
	for k, x := range coords {
		if k >= len(f.Coords) {
			break
		}
		if x.Kind == mir.LiteralArg && (x.Bits == 0 || x.Bits == math.Float32bits(1)) {
			f.Coords[k].Sel = r600.SelZero
			continue
		}
		v := x.Val
		if x.Kind != mir.ValArg || x.Neg || x.Abs {
			v = w.op(r600.OpMov, x).Val
		}
		f.Coords[k].Val = v
		vals = append(vals, v)
	}
	for k := len(coords); k < 4; k++ {
		f.Coords[k].Sel = r600.SelZero
	}
	if !w.c.Tie(vals...) {
		for k := range f.Coords {
			if v := f.Coords[k].Val; v != 0 {
				f.Coords[k].Val = w.op(r600.OpMov, mir.V(v)).Val
			}
		}
	}
	for j := range w.s.nodes {
		if p := &w.s.nodes[j]; p.kind == part && w.s.live[j] && p.args[0].n == i {
			f.Dst[p.bits] = w.c.NewVal()
			w.at[j] = mir.V(f.Dst[p.bits])
		}
	}
	w.c.Tie(f.Dst[:]...)
	w.body = append(w.body, f)
}

// cube replaces a direction by where it points on a face.
func (w *packer) cube(c []mir.Arg) {
	x, y, z := c[0], c[1], c[2]
	slots := []mir.Slot{{Args: [3]mir.Arg{z, y}}, {Args: [3]mir.Arg{z, x}}, {Args: [3]mir.Arg{x, z}}, {Args: [3]mir.Arg{y, z}}}
	for i := range slots {
		slots[i].Op, slots[i].Dst = r600.OpCube, w.c.NewValAt(i)
	}
	w.add(slots)
	major := mir.V(slots[2].Dst)
	major.Abs = true
	scale := w.op(r600.OpRecipIEEE, major)
	half := mir.L(math.Float32bits(1.5))
	c[0] = w.op(r600.OpMulAdd, mir.V(slots[1].Dst), scale, half)
	c[1] = w.op(r600.OpMulAdd, mir.V(slots[0].Dst), scale, half)
	c[2] = mir.V(slots[3].Dst)
}

// exports sends the outputs, those of a register together.
func (w *packer) exports() {
	for i := 0; i < len(w.s.outs); {
		first := w.s.outs[i].reg
		var vals [4]mir.Val
		for ; i < len(w.s.outs); i++ {
			o := &w.s.outs[i]
			if o.reg.File != first.File || o.reg.Index != first.Index {
				break
			}
			vals[o.reg.Comp] = w.val(o.arg)
		}
		if !w.distinct(vals) || !w.c.TieExport(vals) {
			for c, v := range vals {
				if v != 0 {
					vals[c] = w.op(r600.OpMov, mir.V(v)).Val
				}
			}
		}
		kind := r600.ExportPixel
		if !w.s.pixel {
			kind = r600.ExportParam
		}
		w.body = append(w.body, &mir.Export{Kind: kind, Base: int(first.Index), Regs: [][4]mir.Val{vals}})
	}
}

func (w *packer) distinct(vals [4]mir.Val) bool {
	for i, v := range vals {
		for _, x := range vals[:i] {
			if v != 0 && v == x {
				return false
			}
		}
	}
	return true
}
