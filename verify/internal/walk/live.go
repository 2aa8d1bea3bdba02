package walk

import (
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/ir"
)

// live is the set of values on which the observed values of a function depend. Code outside it is not
// executed symbolically. It costs nothing, and the content of a dead lane, often of an unwritten register,
// cannot make two programs differ. It is a backward slice over SSA values by a worklist. The unit is the
// lane, so that dead components of a vector do not count. Each value is visited once.
type live struct {
	unit  Unit
	value []bool              // by value ID
	ctrl  map[*ir.Instr]bool  // constructs that control live code
	read  map[ir.Reg]struct{} // input components read
	// indexed: an index selects inputs, so all may be read.
	indexed  bool
	uniforms map[ir.Reg]struct{} // constant components read
	// undefined are the components that are read and never written.
	undefined map[ir.Reg]struct{}

	// pins are the instructions with pinned values; pinned are the constructs around them (pin.go).
	pins, pinned map[*ir.Instr]bool

	// splits are the conditions on which loops are split; around are branches around loops on such conditions.
	splits map[*ir.Instr][]splitting
	around map[*ir.Instr]bool

	exits map[*ir.Instr][]*ir.Instr // breaks of loops with carried values
	owner map[*ir.Instr]*ir.Instr   // innermost construct around an instruction, absent at top level
	param map[ir.ID]paramOf
	work  []*ir.Value // marked, not yet visited
}

// paramOf identifies a parameter by its loop and number.
type paramOf struct {
	loop *ir.Instr
	k    int // -1 for the counter
}

// liveness computes the dependences of roots and of the effects of u. Drops, loops that may not end, and
// barriers count although no output reads them.
func liveness(u Unit, roots []*ir.Value) *live {
	f := u.Function()
	l := newLive(u)
	l.work = append(l.work, roots...)
	f.Walk(func(in *ir.Instr) {
		switch {
		case in.Op == ir.OpDiscard || in.Op.Has(ir.Effect) && in.Op != ir.OpBreak && !in.Op.Has(ir.Memory):
			l.lanes(in, in.Mask())
			l.construct(l.owner[in])
		case mayHang(in):
			l.construct(in)
		case in.Op == ir.OpFence:
			l.construct(l.owner[in])
		}
	})
	l.close()
	l.findPins()
	return l
}

// mayHang reports whether in is a loop that ends only by breaks, as in AMD IL.
func mayHang(in *ir.Instr) bool { return in.Op == ir.OpLoop && len(in.Src) == 0 }

// exits computes the dependences of the trip counts of loops that are live in of: a slice from their
// conditions, counts and breaks.
func exits(u Unit, of *live) *live {
	f := u.Function()
	l := newLive(u)
	f.Walk(func(in *ir.Instr) {
		if of.ctrl[in] && in.Op == ir.OpLoop {
			l.construct(in)
		}
	})
	l.close()
	return l
}

// newLive returns an empty slice of u.
func newLive(u Unit) *live {
	f := u.Function()
	l := &live{unit: u, value: make([]bool, f.NumValues()), read: map[ir.Reg]struct{}{}, uniforms: map[ir.Reg]struct{}{},
		undefined: map[ir.Reg]struct{}{}}
	// Straight-line code needs none of the indices.
	structured := false
	for _, in := range f.Body.Code {
		structured = structured || len(in.Sub) > 0
	}
	if structured {
		l.ctrl, l.pinned, l.owner, l.param, l.exits = map[*ir.Instr]bool{}, map[*ir.Instr]bool{}, map[*ir.Instr]*ir.Instr{}, map[ir.ID]paramOf{}, map[*ir.Instr][]*ir.Instr{}
		l.index(f.Body, nil)
	}
	return l
}

// close marks all dependences of the marked values.
func (l *live) close() {
	for len(l.work) > 0 {
		v := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		if l.value[v.ID] {
			continue
		}
		l.value[v.ID] = true
		l.visit(v)
	}
}

// index records the construct around each instruction, and the loop of each parameter.
func (l *live) index(r *ir.Region, owner *ir.Instr) {
	for _, in := range r.Code {
		if owner != nil {
			l.owner[in] = owner
		}
		for _, sub := range in.Sub {
			for k, p := range sub.Params {
				l.param[p.ID] = paramOf{in, k}
			}
			if sub.Index != nil {
				l.param[sub.Index.ID] = paramOf{in, -1}
			}
			l.index(sub, in)
		}
	}
}

// visit marks the operands of a value and the conditions under which its code runs.
func (l *live) visit(v *ir.Value) {
	switch {
	case v.Kind == ir.Input:
		l.read[v.Home] = struct{}{}
	case v.Kind == ir.Uniform:
		l.uniforms[v.Home] = struct{}{}
	case v.Kind == ir.Undef:
		l.undefined[v.Home] = struct{}{}
	// A parameter depends on its carried values and on whether its loop runs.
	case v.Kind == ir.Param:
		p := l.param[v.ID]
		l.construct(p.loop)
		if p.k >= 0 {
			l.carried(p.loop, p.k)
		}
	case v.Def == nil:
	case len(v.Def.Sub) > 0:
		l.construct(v.Def)
		// A result of an if or switch comes from each side. A result of a loop comes from its arguments, its
		// body and its breaks.
		for k, res := range v.Def.Results {
			if res != v {
				continue
			}
			if v.Def.Op == ir.OpLoop {
				l.carried(v.Def, k)
			} else {
				for _, sub := range v.Def.Sub {
					l.work = append(l.work, sub.Results[k])
				}
			}
		}
	default:
		l.construct(l.owner[v.Def])
		l.lanes(v.Def, 1<<v.Lane)
		l.work = append(l.work, v.Def.Args...) // of memory ops
	}
}

// lanes marks the operands that in reads to write the lanes in mask.
func (l *live) lanes(in *ir.Instr, mask uint8) {
	if in.Op == ir.OpLoad {
		kind, _ := l.unit.Holds(in.Base)
		l.indexed = l.indexed || kind == ir.Input
	}
	for s := range in.Src {
		reads := in.ReadsFor(s, mask)
		for i := range in.Src[s] {
			if v := in.Src[s][i].V; v != nil && reads>>i&1 != 0 {
				l.work = append(l.work, v)
			}
		}
	}
	for i := range in.Pred {
		effect := in.Op.Has(ir.Effect)
		if v := in.Pred[i].V; v != nil && (effect || mask>>i&1 != 0) {
			l.work = append(l.work, v)
		}
		if v := in.Keep[i]; v != nil && mask>>i&1 != 0 {
			l.work = append(l.work, v)
		}
	}
}

// carried marks all sources of the k-th carried value of a loop: its initial value, its value after each
// trip, and those that breaks pass on.
func (l *live) carried(loop *ir.Instr, k int) {
	body := loop.Sub[0]
	l.work = append(l.work, loop.Args[k], body.Params[k], body.Results[k])
	exits, known := l.exits[loop]
	if !known {
		l.breaks(loop, body, func(br *ir.Instr) { exits = append(exits, br) })
		l.exits[loop] = exits
	}
	for _, br := range exits {
		l.work = append(l.work, br.Args[k])
	}
}

// construct marks the conditions, counts and breaks that control in and the constructs around it.
func (l *live) construct(in *ir.Instr) {
	for ; in != nil && !l.ctrl[in]; in = l.owner[in] {
		l.ctrl[in] = true
		l.operands(in)
		if in.Op == ir.OpLoop {
			l.breaks(in, in.Sub[0], func(br *ir.Instr) {
				l.operands(br)
				l.construct(l.owner[br])
			})
		}
	}
}

// within reports whether v is computed in construct in.
func (l *live) within(v *ir.Value, in *ir.Instr) bool {
	var around *ir.Instr
	switch {
	case v.Kind == ir.Param:
		around = l.param[v.ID].loop
	case v.Def != nil:
		around = l.owner[v.Def]
	}
	for around != nil && around != in {
		around = l.owner[around]
	}
	return around == in
}

// operands marks the operands of in, in all lanes.
func (l *live) operands(in *ir.Instr) {
	for s := range in.Src {
		in.Src[s].EachLane(func(_ int, ln *ir.Lane) { l.work = append(l.work, ln.V) })
	}
}

// breaks visits the breaks that leave loop, without those of inner loops.
func (l *live) breaks(loop *ir.Instr, r *ir.Region, visit func(*ir.Instr)) {
	for _, in := range r.Code {
		switch in.Op {
		case ir.OpBreak:
			visit(in)
		case ir.OpIf:
			for _, sub := range in.Sub {
				l.breaks(loop, sub, visit)
			}
		}
	}
}

// Deciders returns the sorted inputs and constants on which the trip counts of either version depend.
func Deciders(sides []*Observation) (regs []ir.Reg) {
	for _, o := range sides {
		l := exits(o.Kernel, o.kernelLive)
		for r := range l.uniforms { // sorted below
			regs = append(regs, r)
		}
		for r := range l.read {
			if !amdil.IsState(r) {
				regs = append(regs, r)
			}
		}
	}
	slices.SortFunc(regs, ir.Reg.Compare)
	return slices.Compact(regs)
}
