package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// vectors is what a machine charges whose instructions take a vector of three components
// and a scalar at a time: the Radeons of Direct3D 9. Signs, clamping and swizzles are free,
// and so is a sum that one other instruction reads.
type vectors struct {
	trig, gradient, kill int // instructions of a sine or cosine, of dsx and dsy, and to end a pixel
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
	readers int
	height  int
	absorbs bool // it takes a sum along
	abs     bool // it reads absolute values
	gone    bool
	done    int // the cycle in which it is, from 1 on
}

// load prices a stage.
func (t *vectors) load(s *stage) (l Load) {
	ops := t.operations(s)
	t.absorb(ops)
	if !s.pixel {
		for _, o := range ops {
			if !o.gone {
				l[Vertex] += o.runs * float64(o.times)
			}
		}
		return l
	}
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
	var ops []vectorOp
	at := map[group]int32{}
	of := make([]int32, len(s.nodes))
	var reads func(o *vectorOp, n *node)
	reads = func(o *vectorOp, n *node) {
		for _, a := range n.inputs() {
			if fused[a.n] || s.nodes[a.n].kind == part || t.folds(s, a.n) {
				reads(o, &s.nodes[a.n])
			} else if of[a.n] >= 0 && !slices.Contains(o.reads, of[a.n]) {
				o.reads = append(o.reads, of[a.n])
			}
		}
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		of[i] = -1
		if !s.live[i] || fused[i] || n.kind < add || n.kind == part || n.kind == carried || t.folds(s, int32(i)) {
			continue
		}
		key := group{n.vector, n.step, n.kind, n.prim}
		k, ok := at[key]
		if !ok || n.kind == fetch || n.kind == kill || n.kind == dot {
			k = int32(len(ops))
			at[key] = k
			ops = append(ops, vectorOp{kind: n.kind, times: 1, runs: n.runs})
		}
		o := &ops[k]
		of[i] = k
		o.lanes |= 1 << (n.lane & 3)
		o.runs = max(o.runs, n.runs)
		for _, a := range n.args {
			o.abs = o.abs || a.mod&ir.Abs != 0
		}
		if lanes := s.apart(n); lanes != 0 {
			k = int32(len(ops))
			ops = append(ops, vectorOp{kind: literal, times: 1, runs: n.runs, lanes: lanes})
			ops[k].place()
			o = &ops[of[i]]
			o.reads = append(o.reads, k)
		}
		reads(o, n)
		t.unit(s, o, n)
	}
	ops = append(ops, moves(s)...)
	for i := range ops {
		for _, r := range ops[i].reads {
			ops[r].readers++
		}
	}
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

// folds reports whether a node is done by what reads it: clamping, and the comparisons that
// choices make.
func (t *vectors) folds(s *stage, i int32) bool {
	n := &s.nodes[i]
	return n.kind == call && (n.prim == ir.PrimSat || isComparison(n.prim))
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
		if x, ok := s.number(n.args[1]); ok && x == 1 && s.isNumber(n) { // is made of its contrary
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

// absorb takes sums into the operations that read them, one each.
func (t *vectors) absorb(ops []vectorOp) {
	for i := range ops {
		o := &ops[i]
		if o.absorbs || o.kind != add && o.kind != mul && o.kind != call && o.kind != choose {
			continue
		}
		for k, r := range o.reads {
			x := &ops[r]
			if x.kind == add && !x.abs && x.readers == 1 && !x.absorbs && !x.gone && len(x.reads) > 0 {
				x.gone, o.absorbs = true, true
				o.reads = append(slices.Delete(slices.Clone(o.reads), k, k+1), x.reads...)
				break
			}
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
