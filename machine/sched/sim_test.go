package sched

import (
	"fmt"
	"hash/maphash"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// The tests run code twice: item by item, and as the scheduled and allocated program. Operations
// are hash functions of their operands, so a wrong operand changes every result after it.

var seed = maphash.MakeSeed()

func hash(parts ...any) uint32 {
	h := uint32(maphash.Comparable(seed, fmt.Sprint(parts...)))
	if h == 0 {
		return 1
	}
	return h
}

// opResult returns the result of lane i of a unit from the operands of all its slots.
func opResult(op r600.Op, operands [][3]uint32, mods string, i int) uint32 {
	if op == r600.OpMov && mods == "" {
		return operands[0][0]
	}
	if op.Reduces() {
		i = 0
	}
	return hash(op, operands, mods, i)
}

func holds(op r600.Op, operands [][3]uint32) bool { return hash(op, operands, "pred")%3 != 0 }

func mods(clamp bool, om r600.OMod) string {
	if !clamp && om == 0 {
		return ""
	}
	return fmt.Sprint(clamp, om)
}

func constant(bank, index int, ch uint8) uint32 { return hash("cb", bank, index, ch) }

// world holds the memory and the outputs of a program.
type world struct {
	spaces  map[mir.Space]uint32
	outputs []string
	steps   int
	killed  bool
}

const maxSteps = 4000

func (w *world) fetch(op r600.FetchOp, res int, coords [4]uint32, mem uint32, k int) uint32 {
	return hash("fetch", op, res, coords, mem, k)
}

// plain runs code item by item.
type plain struct {
	c    *mir.Code
	vals []uint32
	world
}

type signal uint8

const (
	goOn signal = iota
	brk
	cont
	stop
)

func runPlain(c *mir.Code) *plain {
	p := &plain{c: c, vals: make([]uint32, c.Vals()), world: world{spaces: map[mir.Space]uint32{}}}
	for _, in := range c.Inputs {
		p.vals[in.Val] = hash("in", in.Reg, in.Chan)
	}
	p.region(c.Body)
	return p
}

func (p *plain) region(r mir.Region) signal {
	for _, it := range r {
		if s := p.item(it); s != goOn {
			return s
		}
	}
	return goOn
}

func (p *plain) item(it mir.Item) signal {
	p.steps++
	if p.steps > maxSteps || p.killed {
		return stop
	}
	switch it := it.(type) {
	case *mir.ALU:
		p.unit(it)
	case *mir.Fetch:
		var co [4]uint32
		for i, c := range it.Coords {
			co[i] = p.coord(c)
		}
		mem := p.spaces[it.Mem.Space]
		for k, v := range it.Dst {
			if v != 0 {
				p.vals[v] = p.fetch(it.Op, it.Resource, co, mem, k)
			}
		}
	case *mir.Memory:
		var data, index [4]uint32
		for i := range 4 {
			data[i], index[i] = p.vals[it.Data[i]], p.vals[it.Index[i]]
		}
		p.spaces[it.Mem.Space] = hash(p.spaces[it.Mem.Space], data, index)
	case *mir.Export:
		for i, r := range it.Regs {
			var v [4]uint32
			for k := range r {
				v[k] = p.vals[r[k]]
			}
			p.outputs = append(p.outputs, fmt.Sprint(it.Base+i, v))
		}
	case *mir.If:
		if p.unit(it.Cond) {
			return p.region(it.Then)
		}
		return p.region(it.Else)
	case *mir.Loop:
		for {
			switch p.region(it.Body) {
			case brk:
				return goOn
			case stop:
				return stop
			}
			if p.steps++; p.steps > maxSteps {
				return stop
			}
		}
	case *mir.Break:
		if it.Cond == nil || !p.unit(it.Cond) {
			return brk
		}
	case *mir.Continue:
		if it.Cond == nil || !p.unit(it.Cond) {
			return cont
		}
	}
	return goOn
}

func (p *plain) coord(c mir.Coord) uint32 {
	if c.Val != 0 {
		return p.vals[c.Val]
	}
	return uint32(c.Sel)
}

// unit runs a unit and returns its predicate, if it has one.
func (p *plain) unit(u *mir.ALU) bool {
	operands := make([][3]uint32, len(u.Slots))
	for i := range u.Slots {
		s := &u.Slots[i]
		for j := range s.Op.Sources() {
			operands[i][j] = p.operand(&s.Args[j])
		}
	}
	op := u.Slots[0].Op
	if op.Predicate() {
		return holds(op, operands)
	}
	if op.Kills() {
		p.killed = p.killed || hash(op, operands)%8 == 0
	}
	for i := range u.Slots {
		if v := u.Slots[i].Dst; v != 0 {
			p.vals[v] = opResult(op, operands, mods(u.Slots[i].Clamp, u.Slots[i].OMod), i)
		}
	}
	return false
}

func (p *plain) operand(a *mir.Arg) uint32 {
	var w uint32
	switch a.Kind {
	case mir.ValArg:
		w = p.vals[a.Val]
	case mir.ConstArg:
		w = constant(int(a.Bank), int(a.Index)+int(p.vals[a.Rel]), a.Chan)
	case mir.LiteralArg:
		w = a.Bits
	}
	return machinetest.Modified(w, a.Neg, a.Abs)
}

// device runs the finished program. State that a clause does not carry over is poisoned.
type device struct {
	s    *schedule
	p    *r600.Program
	gpr  map[[2]int]uint32
	temp map[[2]int]uint32
	pv   [4]uint32
	ps   uint32
	ar   uint32
	pred bool
	world
}

const poison = 0xDEADBEEF

func runChip(s *schedule) *device {
	c := &device{s: s, p: s.Program, gpr: map[[2]int]uint32{}, world: world{spaces: map[mir.Space]uint32{}}}
	for _, in := range s.Inputs {
		c.gpr[[2]int{in.Reg, in.Chan}] = hash("in", in.Reg, in.Chan)
	}
	spaces := map[int][]mir.Item{}
	collect(s.parts, spaces)
	for pc := 0; pc < len(c.p.CF); {
		if c.steps++; c.steps > 20*maxSteps || c.killed {
			break
		}
		cf := &c.p.CF[pc]
		pc++
		switch {
		case cf.Op.RunsALU():
			c.clause(cf)
			if (cf.Op == r600.CFALUBreak || cf.Op == r600.CFALUContinue) && !c.pred {
				pc = c.p.CF[cf.Target].Target
				if cf.Op == r600.CFALUBreak {
					pc++
				}
			}
		case cf.Op == r600.CFTex || cf.Op == r600.CFVtx:
			for i := range cf.Fetches {
				c.fetchOne(&cf.Fetches[i], spaces[pc-1][i].(*mir.Fetch).Mem.Space)
			}
		case cf.Op == r600.CFExport || cf.Op == r600.CFExportDone:
			for i := range cf.Export.Count {
				var v [4]uint32
				for k, sel := range cf.Export.Sel {
					if sel <= r600.SelW {
						v[k] = c.gpr[[2]int{cf.Export.Reg + i, int(sel)}]
					}
				}
				c.outputs = append(c.outputs, fmt.Sprint(cf.Export.Base+i, v))
			}
		case cf.Memory != nil:
			var data, index [4]uint32
			for i := range 4 {
				if s := cf.Memory.Sel[i]; s <= r600.SelW {
					data[i] = c.gpr[[2]int{cf.Memory.Reg, int(s)}]
				}
				if s := cf.Memory.IndexSel[i]; s <= r600.SelW {
					index[i] = c.gpr[[2]int{cf.Memory.IndexReg, int(s)}]
				}
			}
			sp := spaces[pc-1][0].(*mir.Memory).Mem.Space
			c.spaces[sp] = hash(c.spaces[sp], data, index)
		case cf.Op == r600.CFJump && !c.pred:
			pc = cf.Target
			if c.p.CF[pc].Op == r600.CFElse && cf.Pop == 0 {
				pc++ // its own else, not that of an enclosing conditional
			}
		case cf.Op == r600.CFElse, cf.Op == r600.CFEndLoop:
			pc = cf.Target
		case cf.Op == r600.CFBreak:
			pc = c.p.CF[cf.Target].Target + 1
		case cf.Op == r600.CFContinue:
			pc = c.p.CF[cf.Target].Target
		}
	}
	return c
}

// collect finds the items of fetch clauses and writes by control-flow index.
func collect(nodes []part, to map[int][]mir.Item) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *fetchClause:
			for _, f := range n.Fetches {
				to[n.CF] = append(to[n.CF], f)
			}
		case *write:
			to[n.CF] = []mir.Item{n.Item}
		case *branch:
			collect(n.Then, to)
			collect(n.Else, to)
		case *repeat:
			collect(n.Body, to)
		}
	}
}

func (c *device) fetchOne(f *r600.Fetch, space mir.Space) {
	var co [4]uint32
	for i, s := range f.SrcSel {
		co[i] = uint32(s)
		if s <= r600.SelW {
			co[i] = c.gpr[[2]int{f.Src, int(s)}]
		}
	}
	for ch, s := range f.DstSel {
		if s <= r600.SelW {
			c.gpr[[2]int{f.Dst, ch}] = c.fetch(f.Op, f.Resource, co, c.spaces[space], int(s))
		}
	}
}

func (c *device) clause(cf *r600.CF) {
	c.temp = map[[2]int]uint32{}
	c.pv, c.ps, c.ar = [4]uint32{poison, poison, poison, poison}, poison, poison
	for i := range cf.Groups {
		c.group(&cf.Groups[i])
	}
}

func (c *device) group(g *r600.Group) {
	type write struct {
		dst  r600.Dst
		slot int
		w    uint32
	}
	var writes []write
	var quad [][3]uint32
	ar := c.ar
	for slot := 0; slot < r600.NumSlots; slot++ {
		in := g.Slots[slot]
		if in == nil {
			continue
		}
		width := in.Op.Slots(c.p.Family).Width()
		lane, first := 0, slot
		if slot < r600.T && width > 1 {
			lane = slot % width
			first = slot - lane
		}
		quad = quad[:0]
		for k := range width {
			var o [3]uint32
			for j := range in.Op.Sources() {
				o[j] = c.operand(&g.Slots[first+k].Src[j])
			}
			quad = append(quad, o)
		}
		switch {
		case in.Op.Predicate():
			c.pred = holds(in.Op, quad)
			continue
		case in.Op.Kills():
			c.killed = c.killed || hash(in.Op, quad)%8 == 0
			continue
		case in.Op.Address():
			ar = quad[0][0]
			continue
		}
		writes = append(writes, write{in.Dst, slot, opResult(in.Op, quad, mods(in.Clamp, in.OMod), lane)})
	}
	c.ar = ar
	for i := range c.pv {
		c.pv[i] = poison
	}
	c.ps = poison
	for _, w := range writes {
		if w.slot == r600.T {
			c.ps = w.w
		} else {
			c.pv[w.slot] = w.w
			if g.Slots[w.slot].Op.Reduces() {
				c.pv[0] = w.w
			}
		}
		switch w.dst.Kind {
		case r600.DstGPR:
			c.gpr[[2]int{int(w.dst.Index), int(w.dst.Chan)}] = w.w
		case r600.DstTemp:
			c.temp[[2]int{int(w.dst.Index), int(w.dst.Chan)}] = w.w
		}
	}
}

func (c *device) operand(s *r600.Src) uint32 {
	at := [2]int{int(s.Index), int(s.Chan)}
	var w uint32
	switch s.Kind {
	case r600.SrcGPR:
		w = c.gpr[at]
	case r600.SrcTemp:
		v, ok := c.temp[at]
		w = v
		if !ok {
			w = poison
		}
	case r600.SrcPV:
		w = c.pv[s.Chan]
	case r600.SrcPS:
		w = c.ps
	case r600.SrcConst:
		index := int(s.Index)
		if s.Rel {
			index += int(c.ar)
		}
		w = constant(int(s.Bank), index, s.Chan)
	case r600.SrcLiteral, r600.SrcInline:
		w = s.Bits
	}
	return machinetest.Modified(w, s.Neg, s.Abs)
}

// same reports a difference between code and its schedule.
func same(t testing.TB, s *schedule) {
	t.Helper()
	p := runPlain(s.code)
	if p.steps > maxSteps {
		return // does not end
	}
	c := runChip(s)
	if p.killed != c.killed {
		t.Fatalf("killed: %v, scheduled %v", p.killed, c.killed)
	}
	for sp, w := range p.spaces {
		if c.spaces[sp] != w {
			t.Fatalf("space %d differs", sp)
		}
	}
	if p.killed {
		return
	}
	if !slices.Equal(p.outputs, c.outputs) {
		t.Fatalf("outputs\n%v\nscheduled\n%v", p.outputs, c.outputs)
	}
}
