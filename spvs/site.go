package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// site is an instruction of the module at one place of the lifted function, with the IR that it became. If this IR is
// still there, with other operands or fewer lanes at most, the same instruction computes it.
type site struct {
	at              int32
	order           int // among all definitions
	result          spirv.ID
	lanes           []*ir.Value    // results, in the lifted function
	args            [][]*ir.Value  // lanes of the operands, by word; nil for an operand that is no value
	group           []*ir.Instr    // of the lifted function, without moves
	inside          map[ir.ID]bool // values that group defines
	failed, written bool           // failed: the IR changed too much
	// pointer is the target of a load, a store or an atomic instruction, the operand at word 0. path are the lanes of its
	// dynamic indices, by their positions.
	pointer *pointer
	path    [][]*ir.Value
	handle  *handle // the image at word 0
	sampler [][]*ir.Value
}

// copied follows moves in the lifted function.
func copied(l ir.Lane) ir.Lane {
	for {
		from, ok := l.V.CopyOf(ir.Half)
		if !ok {
			return l
		}
		l = ir.Lane{V: from.V, Mod: from.Mod.ComposeWith(l.Mod)}
	}
}

// findSites makes the sites of all definitions for which IR stands.
func (w *writer) findSites() {
	w.siteOf = make([]*site, w.f.NumValues())
	for i, d := range w.p.Definitions {
		for _, v := range d.Lanes {
			if _, seen := w.firstRead[v.ID]; !seen && v.IsLeaf() {
				w.firstRead[v.ID] = i
			}
		}
		if d.pointer == nil && w.p.Module.Insts[d.Orig].Op == spirv.OpLoad {
			continue // a variable whose contents are values
		}
		s := &site{at: d.Orig, order: i, result: d.ID, lanes: d.Lanes, args: d.args, pointer: d.pointer, path: d.path,
			handle: d.handle, sampler: d.sampler, inside: map[ir.ID]bool{}}
		for _, v := range d.Lanes {
			s.collect(v)
		}
		for id := range s.inside {
			w.siteOf[id] = s
		}
	}
}

// collect adds the instructions of the site that compute v.
func (s *site) collect(v *ir.Value) {
	v = copied(ir.Lane{V: v}).V
	in := v.Def
	if in == nil || in.Orig != s.at || s.inside[v.ID] {
		return
	}
	in.EachDef(func(out *ir.Value) { s.inside[out.ID] = true })
	s.group = append(s.group, in)
	for k := range in.Src {
		for _, l := range in.Src[k] {
			if l.V != nil {
				s.collect(l.V)
			}
		}
	}
}

// isResult reports whether in computes a result of the site.
func (s *site) isResult(in *ir.Instr) (yes bool) {
	in.EachDef(func(out *ir.Value) {
		yes = yes || slices.ContainsFunc(s.lanes, func(v *ir.Value) bool { return copied(ir.Lane{V: v}).V.ID == out.ID })
	})
	return yes
}

// site writes the instruction of the module that in comes from. It reports false if that is not possible.
func (w *writer) site(in *ir.Instr) bool {
	var s *site
	in.EachDef(func(out *ir.Value) {
		if int(out.ID) < len(w.siteOf) {
			s = w.siteOf[out.ID]
		}
	})
	if s == nil || s.failed {
		return false
	}
	if in.Op.Has(ir.Effect) && s.written {
		return true
	}
	if !s.isResult(in) {
		w.deferred[in] = true
		return true
	}
	held := !in.Op.Has(ir.Effect)
	for _, out := range in.Out {
		held = held && (!w.isLive(out) || w.isHeld(out))
	}
	if held {
		return true
	}
	if o := w.p.Module.Insts[s.at]; o.Op == spirv.OpVariable {
		w.initialize(s, o)
		return true
	}
	m := matching{w: w, s: s, bound: map[ir.ID]ir.Lane{}, inner: map[ir.ID]ir.Lane{}, kept: map[ir.ID]bool{}}
	if !m.match() || !m.write() {
		s.failed = true
		return false
	}
	return true
}

// matching compares the IR of a site in the lifted function with its present state.
type matching struct {
	w     *writer
	s     *site
	bound map[ir.ID]ir.Lane // present lanes for values that the site reads
	inner map[ir.ID]ir.Lane // and for values that it defines and reads itself
	kept  map[ir.ID]bool    // results that are still computed in the same way
}

// match finds the operands of the instruction in the present function. It reports false if they are not unique.
func (m *matching) match() bool {
	for _, t := range m.s.group {
		if !m.s.isResult(t) { // reached from a result
			continue
		}
		c, ok := m.present(t)
		switch {
		case !ok, c == nil && t.Op.Has(ir.Effect), c != nil && !m.matchInstr(t, c):
			return false
		}
	}
	return true
}

// present returns the instruction that now defines the values of t, or nil if all are gone. ok is false if there are
// several.
func (m *matching) present(t *ir.Instr) (c *ir.Instr, ok bool) {
	ok = true
	t.EachDef(func(out *ir.Value) {
		v := m.w.defs[out.ID]
		if v == nil || !m.w.isLive(v) && !t.Op.Has(ir.Effect) {
			return
		}
		if c != nil && v.Def != c || v.Lane != out.Lane {
			ok = false
		}
		c = v.Def
		m.kept[out.ID] = true
	})
	return c, ok
}

// matchInstr compares an instruction of the lifted function with the present one.
func (m *matching) matchInstr(t, c *ir.Instr) bool {
	if t.Op != c.Op || t.Mods&ir.Sat != c.Mods&ir.Sat || t.Imm != c.Imm || t.Res != c.Res || t.Base != c.Base ||
		len(t.Src) != len(c.Src) || c.IsPredicated() {
		return false
	}
	for k := range t.Src {
		for i, l := range t.Src[k] {
			if now := c.Src[k][i]; now.V != nil && (l.V == nil || !m.bind(copied(l), m.w.resolve(now))) {
				return false
			}
		}
	}
	return true
}

// bind records that a lane of the lifted function is now another lane.
func (m *matching) bind(l, now ir.Lane) bool {
	switch {
	case l.V.Kind == ir.Literal:
		return now.V.Kind == ir.Literal && now.V.Bits == l.V.Bits && now.Mod == l.Mod
	case l.Mod&ir.Abs != 0:
		if now.Mod != l.Mod {
			return false
		}
		now.Mod = 0
	default:
		now.Mod ^= l.Mod
	}
	if m.s.inside[l.V.ID] {
		if have, ok := m.inner[l.V.ID]; ok {
			return have == now
		}
		m.inner[l.V.ID] = now
		// Value numbering may have taken the value from another site.
		return now.Mod == 0 && now.V.Def != nil && now.V.Lane == l.V.Lane && m.matchInstr(l.V.Def, now.V.Def)
	}
	if have, ok := m.bound[l.V.ID]; ok {
		return have == now
	}
	m.bound[l.V.ID] = now
	return true
}

// lane returns the present lane for an operand of the site. It is empty if nothing reads that.
func (m *matching) lane(v *ir.Value) ir.Lane {
	l := copied(ir.Lane{V: v})
	if l.V.Kind == ir.Literal {
		return l
	}
	now, ok := m.bound[l.V.ID]
	if !ok {
		return ir.Lane{}
	}
	now.Mod = now.Mod.ComposeWith(l.Mod)
	return now
}

// operands returns the present lanes of operands. ok is false if one is not known here, or if nothing is known of it
// although complete is set.
func (m *matching) operands(args [][]*ir.Value, complete bool) (list [][]ir.Lane, ok bool) {
	list = make([][]ir.Lane, len(args))
	for k, lanes := range args {
		for _, v := range lanes {
			l := m.lane(v)
			if !m.w.isKnown(l) || complete && l.V == nil {
				return nil, false
			}
			list[k] = append(list[k], l)
		}
	}
	return list, true
}

// write appends the instruction. It reports false if an operand is not known here.
func (m *matching) write() bool {
	w, s := m.w, m.s
	in := w.p.Module.Insts[s.at]
	effect := s.group[0].Op.Has(ir.Effect)
	args, ok := m.operands(s.args, effect)
	path, known := m.operands(s.path, true)
	sampler, also := m.operands(s.sampler, true)
	if !ok || !known || !also {
		return false
	}
	words := slices.Clone(in.Args)
	for k, lanes := range args {
		if lanes != nil {
			words[k] = uint32(w.form(w.x.typeOf(spirv.ID(in.Args[k])).id, lanes))
		}
	}
	switch {
	case s.handle != nil:
		words[0] = uint32(w.image(spirv.ID(in.Args[0]), s.handle, path, sampler))
	case s.pointer != nil && s.pointer.texel > 0:
		words[0] = uint32(w.texel(s.pointer, path))
	case s.pointer != nil:
		words[0] = uint32(w.dynamicChain(s.pointer, path))
	}
	s.written = true
	if in.Result == 0 {
		w.appendAs(in.Op, 0, 0, words)
		return true
	}
	lanes := make([]ir.Lane, len(s.lanes))
	for i, v := range s.lanes {
		if l := copied(ir.Lane{V: v}); m.kept[l.V.ID] {
			lanes[i] = ir.Lane{V: w.defs[l.V.ID], Mod: l.Mod}
		}
	}
	id := w.resultID(&in)
	w.appendAs(in.Op, in.Type, id, words)
	k := w.laneKind(in.Type)
	w.record(laneKey(in.Type, lanes), &held{id: id, typ: in.Type, kind: k, lanes: lanes, block: w.cur})
	return true
}

// dynamicChain returns a pointer to a part of a variable that dynamic indices select.
func (w *writer) dynamicChain(q *pointer, path [][]ir.Lane) spirv.ID {
	w.declare(q.v)
	if len(q.path) == 0 {
		return q.v.id
	}
	args := []uint32{uint32(q.v.id)}
	for k, id := range q.path {
		if path[k] != nil {
			id = w.form(w.x.typeOf(id).id, path[k])
		}
		args = append(args, uint32(id))
	}
	to := q.shape.id
	if q.texel > 0 { // the target is a texel, but the chain leads to the image
		to = w.e.targetOf(w.x.typeOf(spirv.ID(w.x.Insts[q.texel].Args[0])).id)
	}
	return w.chainOf(q.v.class, to, args)
}

// initialize writes the initial stores of a variable. Variables outside of functions have their initial contents, and
// inputs too.
func (w *writer) initialize(s *site, o spirv.Inst) {
	s.written = true
	v := s.pointer.v
	switch {
	case v.class != spirv.StorageClassFunction:
	case !w.e.taken[v.id] && len(w.blocks) == 1:
		w.e.taken[v.id] = true
		w.variables = append(w.variables, o)
	default:
		w.declare(v)
		w.append(spirv.OpStore, 0, uint32(v.id), o.Args[1])
	}
}

// declare adds a variable of a function to the new body.
func (w *writer) declare(v *variable) {
	if v.class == spirv.StorageClassFunction && !w.e.taken[v.id] {
		w.e.taken[v.id] = true
		in := w.p.Module.Insts[v.at]
		in.Args = in.Args[:1]
		w.variables = append(w.variables, in)
	}
}

// isKnown reports whether a lane can be read here.
func (w *writer) isKnown(l ir.Lane) bool {
	return isFixed(l) || l.V.IsLeaf() || w.isHeld(l.V) || l.V.Def != nil && w.deferred[l.V.Def]
}

// resultID returns the id of an instruction of the module if the new body does not define it yet, and a new one with the
// same decorations otherwise.
func (w *writer) resultID(in *spirv.Inst) spirv.ID {
	if !w.e.taken[in.Result] {
		w.e.taken[in.Result] = true
		return in.Result
	}
	id := w.e.fresh()
	for _, d := range w.x.decorations[in.Result] {
		w.e.notes = append(w.e.notes, spirv.Inst{Op: spirv.OpDecorate,
			Args: append([]uint32{uint32(id), uint32(d.kind)}, d.args...)})
	}
	return id
}

// outside returns the block in which leaves are loaded: the current one, or one before loops that the input enters after
// it reads one of them.
func (w *writer) outside(lanes []ir.Lane) *basic {
	first := len(w.p.Definitions)
	for _, l := range lanes {
		if n, known := w.firstRead[idOf(l)]; known {
			first = min(first, n)
		}
	}
	to := w.cur
	for i := len(w.loops) - 1; i >= 0 && first < w.loops[i].order; i-- {
		to = w.loops[i].before
	}
	return to
}

// idOf returns the ID of the value of a lane, or -1.
func idOf(l ir.Lane) ir.ID {
	if l.V == nil {
		return -1
	}
	return l.V.ID
}

// firstOrder returns the order of the first definition in a region, or 0.
func (w *writer) firstOrder(r *ir.Region) int {
	for _, in := range r.Code {
		order := 0
		in.EachDef(func(v *ir.Value) {
			if int(v.ID) < len(w.siteOf) && w.siteOf[v.ID] != nil {
				order = w.siteOf[v.ID].order
			}
		})
		for _, sub := range in.Sub {
			if order == 0 {
				order = w.firstOrder(sub)
			}
		}
		if order > 0 {
			return order
		}
	}
	return 0
}
