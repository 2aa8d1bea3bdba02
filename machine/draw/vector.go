package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// vectors is what a machine charges whose instructions take a vector of three components
// and a scalar at a time: the Radeons of Direct3D 9. Signs, clamping and swizzles are free,
// and so is a sum of two registers that is done by what reads it.
type vectors struct {
	trig, gradient, kill int // instructions of a sine or cosine, of dsx and dsy, and to end a pixel
	// complements: 1-x and 1-2x are taken along too.
	complements bool
}

// unit is what an operation takes of an instruction.
type unit uint8

const (
	colour unit = 1 << iota // the three components
	alpha                   // the scalar
	either                  // a scalar that may go to either
	whole  = colour | alpha
)

// vectorOp is an operation of up to four components.
type vectorOp struct {
	unit    unit
	lanes   uint8
	kind    kind
	times   int // instructions one after the other
	runs    float64
	reads   []int32 // indices of operations
	height  int
	sources []source
	sum     sum  // what readers can take along
	absorbs bool // it takes a sum along
	gone    bool
	done    int // the cycle in which it is, from 1 on
}

// load prices a stage.
func (t *vectors) load(s *stage) (l Load) {
	ops := t.operations(s)
	if !s.pixel {
		for _, o := range ops {
			if !o.gone {
				l[Vertex] += o.runs * float64(o.times)
			}
		}
		return l
	}
	absorb(ops)
	ran, once := 0.0, 0.0
	for _, o := range ops {
		if o.gone {
			continue
		}
		ran += o.runs
		once++
		if o.kind == fetch {
			l[Texture] += o.runs
		}
	}
	l[Arithmetic] = float64(schedule(ops))
	if once > 0 {
		l[Arithmetic] *= ran / once
	}
	return l
}

// operations gathers the nodes of a stage that were lanes of one instruction.
func (t *vectors) operations(s *stage) []vectorOp {
	type group struct {
		vector int32
		step   uint8
		kind   kind
		prim   ir.Prim
	}
	fused := s.fused()
	collected := make([]bool, len(s.nodes)) // vertex programs write components as they come
	if s.pixel {
		collected = s.collected()
	}
	numbered := s.numbered(collected)
	folds := func(i int32) bool { return t.folds(s, i) && !numbered[i] }
	var ops []vectorOp
	at := map[group]int32{}
	of := make([]int32, len(s.nodes))
	var reads func(o *vectorOp, n *node)
	reads = func(o *vectorOp, n *node) {
		for _, a := range n.inputs() {
			m := &s.nodes[a.n]
			if fused[a.n] || m.kind == part || folds(a.n) {
				reads(o, m)
				if k := m.args[0].n; m.kind == call && m.prim == ir.PrimSat && of[k] >= 0 {
					ops[of[k]].sum = none // is clamped itself
				}
				continue
			}
			from := s.source(a.n)
			if k := of[a.n]; k >= 0 {
				from = source{kind: m.kind, node: k}
				if !slices.Contains(o.reads, k) {
					o.reads = append(o.reads, k)
				}
			}
			if x, ok := s.number(a); !(ok && (x == 0 || x*x == 1 || x*x == 0.25)) && !slices.Contains(o.sources, from) {
				o.sources = append(o.sources, from)
			}
		}
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		of[i] = -1
		if !s.live[i] || fused[i] || n.kind < add || n.kind == part || n.kind == carried || folds(int32(i)) {
			continue
		}
		key := group{n.vector, n.step, n.kind, n.prim}
		k, ok := at[key]
		if !ok || n.kind == fetch || n.kind == kill || n.kind == dot {
			k = int32(len(ops))
			at[key] = k
			ops = append(ops, vectorOp{kind: n.kind, times: 1, runs: n.runs, sum: t.sum(s, n, fused)})
		}
		o := &ops[k]
		if t.sum(s, n, fused) != o.sum || collected[i] {
			o.sum = none
		}
		of[i] = k
		o.lanes |= 1 << (n.lane & 3)
		o.runs = max(o.runs, n.runs)
		if lanes := s.apart(n); lanes != 0 {
			k = int32(len(ops))
			ops = append(ops, vectorOp{kind: literal, times: 1, runs: n.runs, lanes: lanes})
			ops[k].place()
			o = &ops[of[i]]
			o.reads = append(o.reads, k)
		}
		reads(o, n)
		t.unit(s, o, n)
		if collected[i] {
			o.inPlace()
		}
	}
	ops = append(ops, moves(s)...)
	return ops
}

// apart are the coordinates of a fetch that are not computed and have to be moved to others, or
// into one register.
func (s *stage) apart(n *node) (lanes uint8) {
	if n.kind != fetch {
		return 0
	}
	together := true
	for k, a := range n.args[:min(4, len(n.args))] {
		m, first := &s.nodes[a.n], &s.nodes[n.args[0].n]
		if m.kind < add {
			lanes |= 1 << k
		}
		together = together && m.kind == input && m.reg.File == first.reg.File && m.reg.Index == first.reg.Index
	}
	if together {
		return 0
	}
	return lanes
}

// moves are those of outputs that nothing computes, or fetches do, a register at a time.
func moves(s *stage) (ops []vectorOp) {
	last := -1
	for i := range s.outs {
		reg := s.outs[i].reg
		if k := s.nodes[s.outs[i].n].kind; k >= add && k != part {
			continue
		}
		if last < 0 || s.outs[last].reg.File != reg.File || s.outs[last].reg.Index != reg.Index {
			ops = append(ops, vectorOp{kind: literal, times: 1, runs: 1})
		}
		last = i
		o := &ops[len(ops)-1]
		o.lanes |= 1 << reg.Comp
		o.place()
	}
	return ops
}

// folds reports whether a node is no instruction: the clamping of what another one computes for
// it alone, and the comparisons that choices make.
func (t *vectors) folds(s *stage, i int32) bool {
	n := &s.nodes[i]
	if n.kind != call {
		return false
	}
	if n.prim == ir.PrimSat {
		a := n.args[0]
		m := &s.nodes[a.n]
		return a.mod == 0 && s.uses[a.n] == 1 && m.kind >= add && m.kind != part
	}
	return isComparison(n.prim)
}

// unit says where an operation goes.
func (t *vectors) unit(s *stage, o *vectorOp, n *node) {
	switch n.kind {
	case fetch:
		o.unit = whole
		return
	case kill:
		o.unit, o.times = whole, t.kill
		return
	case dot:
		o.unit = colour
		if len(n.args) == 8 {
			o.unit = whole
		}
		return
	case call:
		switch n.prim {
		case ir.PrimRcp, ir.PrimRsq, ir.PrimExp2, ir.PrimLog2, ir.PrimLog2P:
			o.unit = alpha
			return
		case ir.PrimSin, ir.PrimCos:
			o.unit, o.times = alpha, t.trig
			return
		case ir.PrimDsx, ir.PrimDsy:
			o.times = t.gradient
		}
	case choose:
		if x, ok := s.number(n.args[1]); ok && s.isNumber(n) && (x == 1) == (n.args[0].mod&ir.Not != 0) { // is made of its contrary
			o.times = 2
		}
	}
	o.place()
}

// place says where an operation goes that any component can do, by those it has.
func (o *vectorOp) place() {
	switch {
	case o.lanes&(o.lanes-1) == 0:
		o.unit = either
	case o.lanes&8 == 0:
		o.unit = colour
	default:
		o.unit = whole
	}
}

// sum is what an operation is that those which read it may do themselves.
type sum uint8

const (
	none       sum = iota
	pair           // of two registers, component by component
	complement     // 1-x or 1-2x
)

// sum says which an operation is.
func (t *vectors) sum(s *stage, n *node, fused []bool) sum {
	if n.kind != add {
		return none
	}
	x, y := n.args[0], n.args[1]
	if _, ok := s.number(x); ok {
		x, y = y, x
	}
	m := &s.nodes[x.n]
	if one, ok := s.number(y); ok {
		sign := float32(1)
		if x.mod&ir.Neg != 0 {
			sign = -1
		}
		if m.kind == mul && fused[x.n] {
			if f, ok := s.number(m.args[0]); ok {
				sign *= f / 2
			} else if f, ok := s.number(m.args[1]); ok {
				sign *= f / 2
			} else {
				return none
			}
		}
		if t.complements && x.mod&ir.Abs == 0 && one*one == 1 && sign == -one {
			return complement
		}
		return none
	}
	if fused[x.n] || fused[y.n] || (x.mod|y.mod)&ir.Abs != 0 || s.component(x.n) != s.component(y.n) {
		return none
	}
	return pair
}

// component is that of a register where a value is.
func (s *stage) component(i int32) uint8 {
	switch n := &s.nodes[i]; n.kind {
	case uniform, input:
		return n.reg.Comp
	case part:
		return uint8(n.bits)
	default:
		return uint8(n.lane & 3)
	}
}

// operands is how many registers an instruction reads.
const operands = 3

// inPlace has an operation write the components that it has, since others are beside them: the
// scalar of an instruction goes to the last one, but for functions, which take all of it then.
func (o *vectorOp) inPlace() {
	switch {
	case o.unit == alpha && o.lanes != 8:
		o.unit = whole
	case o.unit == either && o.lanes == 8:
		o.unit = alpha
	case o.unit == either:
		o.unit = colour
	}
}

// absorb has sums done by what reads them, where all can: an instruction takes one along, with
// what that reads. Textures take none.
func absorb(ops []vectorOp) {
	users := make([][]int32, len(ops))
	for i := range ops {
		for _, r := range ops[i].reads {
			users[r] = append(users[r], int32(i))
		}
	}
	for i := range ops {
		x := &ops[i]
		if x.sum == none || x.absorbs || len(users[i]) == 0 {
			continue
		}
		self := source{kind: x.kind, node: int32(i)}
		if slices.ContainsFunc(users[i], func(u int32) bool {
			o := &ops[u]
			all := union(slices.Clone(x.sources), o.sources)
			return o.absorbs || o.kind == fetch || o.kind == literal || o.kind == kill || len(all)-1 > operands
		}) {
			continue
		}
		x.gone = true
		for _, u := range users[i] {
			o := &ops[u]
			o.absorbs = true
			without := func(y source) bool { return y == self }
			o.sources = union(slices.DeleteFunc(slices.Clone(o.sources), without), x.sources)
			k := slices.Index(o.reads, int32(i))
			o.reads = union(slices.Delete(slices.Clone(o.reads), k, k+1), x.reads)
			for _, r := range x.reads {
				users[r] = union(users[r], []int32{u})
			}
		}
		for _, r := range x.reads {
			users[r] = slices.DeleteFunc(slices.Clone(users[r]), func(u int32) bool { return u == int32(i) })
		}
	}
}

// maxScheduled bounds the operations that are scheduled, which takes their number squared.
const maxScheduled = 1 << 12

// schedule is how many instructions the operations take, those that have most to follow
// them first.
func schedule(ops []vectorOp) (cycles int) {
	if len(ops) > maxScheduled {
		return len(ops)
	}
	left := 0
	for i := len(ops) - 1; i >= 0; i-- {
		o := &ops[i]
		if o.gone {
			continue
		}
		left++
		o.height += o.times
		for _, r := range o.reads {
			ops[r].height = max(ops[r].height, o.height)
		}
	}
	for left > 0 {
		cycles++
		var taken unit
		for taken != whole {
			best := -1
			for i := range ops {
				o := &ops[i]
				if o.gone || o.done > 0 || !o.fits(taken) || !ready(ops, o, cycles) {
					continue
				}
				if best < 0 || o.height > ops[best].height {
					best = i
				}
			}
			if best < 0 {
				break
			}
			o := &ops[best]
			o.done = cycles
			left--
			switch {
			case o.unit != either:
				taken |= o.unit
			case taken&alpha == 0:
				taken |= alpha
			default:
				taken |= colour
			}
			cycles += o.times - 1
		}
		if taken == 0 { // what a loop carries reads what comes later
			for i := range ops {
				if o := &ops[i]; !o.gone && o.done == 0 {
					o.done = cycles
					left--
					break
				}
			}
		}
	}
	return cycles
}

func (o *vectorOp) fits(taken unit) bool {
	if o.unit == either {
		return taken != whole
	}
	return taken&o.unit == 0
}

func ready(ops []vectorOp, o *vectorOp, cycle int) bool {
	for _, r := range o.reads {
		if x := &ops[r]; !x.gone && (x.done == 0 || x.done >= cycle) {
			return false
		}
	}
	return true
}
