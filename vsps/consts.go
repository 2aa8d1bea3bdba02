package vsps

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/ir"
)

// constPool assigns literals to constant registers with a def: to existing definitions if possible,
// or else to new registers. A def costs no slot, but registers are few (32 in ps_2_0). All literals
// of a statement must be in one register, because it can only read one constant register.
type constPool struct {
	e *Emitter
	d *Dialect
	f *ir.Func
	// defs are the program's definitions, constants that the host has promised to set, and
	// definitions added by the pool, in this order.
	defs []constDef
	// free are registers for new definitions, valid if know is set.
	free []uint16
	know bool
	room []constLane // for trials
}

// constDef is a constant register with known contents.
type constDef struct {
	reg  uint16
	bits [4]uint32
	// set has the components in use, whose bits count.
	set uint8
	// added marks definitions made by the pool; used marks those that the code reads.
	added bool
	used  bool
}

// findDef returns the index in defs of the last definition of a register, or -1.
func findDef(defs []constDef, reg uint16) int {
	for k := len(defs) - 1; k >= 0; k-- {
		if defs[k].reg == reg {
			return k
		}
	}
	return -1
}

func (e *Emitter) constants(f *ir.Func) *constPool {
	c := &e.pool
	*c = constPool{e: e, d: e.d, f: f, defs: append(c.defs[:0], e.defs...), room: c.room}
	c.promised(f)
	return c
}

// promised adds the host constants with known values: literals whose home is a register that the
// program does not define. Emission reads them from there and never writes them.
func (c *constPool) promised(f *ir.Func) {
	own := len(c.defs)
	if !f.HasLeaf(func(v *ir.Value) bool {
		return v.Kind == ir.Literal && d3d9.File(v.Home.File) == d3d9.Const && findDef(c.defs, v.Home.Index) < 0
	}) {
		return
	}
	// A separate walk instead of EachUse, which would also visit predicates and kept values.
	f.Walk(func(in *ir.Instr) {
		for s := range in.Src {
			for i := range in.Src[s] {
				c.promise(in.Src[s][i].V, own)
			}
		}
		for i := range in.Pred {
			c.promise(in.Pred[i].V, own)
			c.promise(in.Keep[i], own)
		}
		for _, v := range in.Args {
			c.promise(v, own)
		}
		for _, r := range in.Sub {
			for _, v := range r.Results {
				c.promise(v, own)
			}
		}
	})
	for _, o := range f.Outs {
		c.promise(o.V, own)
	}
}

// promise adds v if it is such a literal. own is the number of the program's definitions.
func (c *constPool) promise(v *ir.Value, own int) {
	if v == nil || v.Kind != ir.Literal || d3d9.File(v.Home.File) != d3d9.Const {
		return
	}
	k := findDef(c.defs, v.Home.Index)
	if k < 0 {
		k = len(c.defs)
		c.defs = append(c.defs, constDef{reg: v.Home.Index})
	}
	if k >= own {
		c.defs[k].bits[v.Home.Comp] = v.Bits
		c.defs[k].set |= 1 << v.Home.Comp
	}
}

// FreeConstants lists the float constants that a new def or upload may use, most suitable first.
// These are constants that the program does not read and the host does not set, followed by dead
// definitions. The host sets a register if the constant table (CTAB) or the preshader lists it.
// Without a table nothing else is known about the host; then the program is assumed to read all
// constants that the host sets.
//
// The reach of an index is unknown. It should stay within its parameter, and real programs exceed
// it only by little. So a program with indexed constants offers the last registers first, and none
// if it has no table.
func FreeConstants(p *d3d9.Program, f *ir.Func) []uint16 {
	return freeConstants(p, hostConstantsOf(p), f)
}

// hostConstants are the constants that the host sets, by the constant table of a program and by its
// preshader.
type hostConstants struct {
	table    *d3d9.ConstantTable
	computed []preshader.Range // float constants
	wrong    error             // error in one of them, so that nothing is known
}

func hostConstantsOf(p *d3d9.Program) (h hostConstants) {
	var q *preshader.Program
	if h.table, h.wrong = p.ConstantTable(); h.wrong == nil {
		q, h.wrong = preshader.FromProgram(p)
	}
	if q != nil {
		h.computed = q.Outputs.Ranges[0]
	}
	return h
}

// setsFloat reports whether a float constant is among them.
func (h *hostConstants) setsFloat(c uint16) bool {
	return h.table.Lookup(d3d9.Reg{File: d3d9.Const, Index: c}) != nil ||
		slices.ContainsFunc(h.computed, func(r preshader.Range) bool { return uint32(c)-r.First < r.Count })
}

// freeConstants works like [FreeConstants], for given host constants.
func freeConstants(p *d3d9.Program, host hostConstants, f *ir.Func) []uint16 {
	most := p.Model.Limits().Regs[d3d9.Const]
	used, defined := make([]bool, most), make([]bool, most)
	note := func(list []bool, c uint16) {
		if int(c) < most {
			list[c] = true
		}
	}
	see := func(v *ir.Value) {
		if v.IsConst() && d3d9.File(v.Home.File) == d3d9.Const {
			note(used, v.Home.Index)
		}
	}
	indexed := false
	f.Walk(func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) { see(l.V) })
		indexed = indexed || in.Op == ir.OpLoad && d3d9.File(in.Base.File) == d3d9.Const
	})
	for _, o := range f.Outs {
		see(o.V)
	}
	for i := range p.Insts {
		switch in := &p.Insts[i]; in.Op {
		case d3d9.OpDef:
			note(defined, in.Dst.Index)
		case d3d9.OpSinCos: // its constants are not IR operands
			for _, s := range in.Sources()[1:] {
				note(used, s.Index)
			}
		}
	}
	if host.wrong != nil || indexed && host.table == nil {
		return nil
	}
	var list, dead []uint16
	for c := range uint16(most) {
		switch {
		case used[c]:
		case defined[c]:
			dead = append(dead, c)
		case !host.setsFloat(c):
			list = append(list, c)
		}
	}
	if indexed { // an index may read definitions
		slices.Reverse(list)
		return list
	}
	return append(list, dead...)
}

// modified applies a source modifier to literal bits.
func modified(bits uint32, m ir.LaneMod) uint32 {
	if m&ir.Abs != 0 {
		bits &^= 1 << 31
	}
	if m&ir.Neg != 0 {
		bits ^= 1 << 31
	}
	return bits
}

// isNumber reports whether a modifier may negate bits without changing their meaning (the sign of a
// NaN is irrelevant).
func isNumber(bits uint32) bool { return !math.IsNaN(float64(math.Float32frombits(bits))) }

// place assigns the literal lanes of the operands of one statement to one register, which makes
// them leaves. Operand k may use the swizzles that shape allows in the positions of its lanes.
// place reports whether this was possible.
//
// It tries the home register of all literals, then every known register, then free components of an
// added definition, then a new one:
//
//	mad r0, r1, 2, 1     c7 = (2, 1, 0, 0):  mad r0, r1, c7.x, c7.y
func (c *constPool) place(ops []*operand, shape func(k int) swizzleKind) bool {
	homes, settled := uint16(0), true
	n := 0
	for _, o := range ops {
		for i := range o {
			if l := &o[i]; l.kind == laneConst {
				if l.reg.File == d3d9.NoFile || n > 0 && l.reg.Index != homes {
					settled = false
				}
				homes = l.reg.Index
				n++
			}
		}
	}
	if k := findDef(c.defs, homes); settled && k >= 0 && c.placeLiterals(k, ops, shape, true) {
		return true
	}
	for k := range c.defs {
		if c.placeLiterals(k, ops, shape, false) {
			return true
		}
	}
	if !c.know {
		c.free, c.know = freeConstants(c.d.program, c.e.host, c.f), true
	}
	// An unused definition may be overwritten, unless the code written so far reads it.
	for len(c.free) > 0 {
		k := findDef(c.defs, c.free[0])
		if k < 0 {
			break
		}
		if !c.defs[k].used {
			c.defs[k].set = 0 // unused, and now overwritten
			break
		}
		c.free = c.free[1:]
	}
	if len(c.free) == 0 {
		return false
	}
	c.defs = append(c.defs, constDef{reg: c.free[0], added: true})
	if c.placeLiterals(len(c.defs)-1, ops, shape, false) {
		c.free = c.free[1:]
		return true
	}
	c.defs = c.defs[:len(c.defs)-1]
	return false
}

// placeLiterals assigns the literals to definition k, and fills free components if this pool added it. asIs
// keeps the components and modifiers of the program. It changes nothing unless all literals fit.
func (c *constPool) placeLiterals(k int, ops []*operand, shape func(int) swizzleKind, asIs bool) bool {
	t := constTrial{d: c.d, def: c.defs[k], lanes: c.room[:0], asIs: asIs}
	defer func() { c.room = t.lanes }()
	for n, o := range ops {
		uniform := true // all literals have the same modifier
		var first *lane
		for i := range o {
			if o[i].kind != laneConst {
				continue
			}
			if first == nil {
				first = &o[i]
			}
			uniform = uniform && o[i].mod == first.mod
		}
		if first == nil {
			continue
		}
		// The value with its modifier, or the modified value, or its negation with a negating
		// modifier.
		kind := shape(n)
		if !(uniform && t.place(o, kind, first.mod, false) || t.place(o, kind, 0, false) || t.place(o, kind, 0, true) ||
			isNumber(first.bits) && t.place(o, kind, ir.Neg, false)) {
			return false
		}
	}
	t.def.used = true
	c.defs[k] = t.def
	for _, x := range t.lanes {
		*x.l = lane{kind: laneLeaf, reg: d3d9.Reg{File: d3d9.Const, Index: t.def.reg}, comp: x.comp, mod: x.mod}
	}
	return true
}

// constTrial is a tentative definition with the literals of a statement, and the lanes that would
// read it.
type constTrial struct {
	d     *Dialect
	def   constDef
	lanes []constLane
	asIs  bool
}

// constLane is the result for one lane: component comp of the definition with modifier mod.
type constLane struct {
	l    *lane
	comp uint8
	mod  ir.LaneMod
}

// place assigns the literals of operand o to the definition under modifier mod. Equal literals
// share a component, unless spread gives each lane its own, for models whose swizzles cannot move
// one component to some lanes. It changes nothing unless all fit and a swizzle of this kind reads
// them.
func (t *constTrial) place(o *operand, kind swizzleKind, mod ir.LaneMod, spread bool) bool {
	saved, mark := t.def, len(t.lanes)
	from := [4]int8{-1, -1, -1, -1}
	fits := true
	for i := range o {
		l := &o[i]
		if l.kind != laneConst {
			continue
		}
		bits := l.bits
		if mod != l.mod {
			bits = modified(modified(bits, l.mod), mod)
		}
		at := t.component(i, l, bits, spread)
		if at < 0 {
			fits = false
			break
		}
		from[i] = int8(at)
		t.lanes = append(t.lanes, constLane{l, uint8(at), mod})
	}
	if !fits || fitSwizzle(t.d, kind, from, nil) == noSwizzle {
		t.def, t.lanes = saved, t.lanes[:mark]
		return false
	}
	return true
}

// component returns the component from which lane i, l, reads bits: one that holds them, else a
// free one of an added definition, else -1.
func (t *constTrial) component(i int, l *lane, bits uint32, spread bool) int {
	d := &t.def
	switch {
	case t.asIs && d.bits[l.comp] == bits:
		return int(l.comp)
	case d.set>>i&1 != 0 && d.bits[i] == bits:
		return i
	case spread && d.added && d.set>>i&1 == 0:
	default:
		for c := range 4 {
			if d.set>>c&1 != 0 && d.bits[c] == bits {
				return c
			}
		}
	}
	if !d.added {
		return -1
	}
	// A new definition takes the literal at its own position if that is free, so that the identity
	// swizzle reads it.
	for _, c := range [5]int{i, 0, 1, 2, 3} {
		if d.set>>c&1 == 0 {
			d.set |= 1 << c
			d.bits[c] = bits
			return c
		}
	}
	return -1
}
