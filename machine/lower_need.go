package machine

import (
	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/ir"
)

// needs tells what of a program has to be computed: whatever reaches an output, a write
// to memory or the end of a loop that matters. It is found from there backwards, so a
// value that a loop carries for itself alone is not needed.
type needs struct {
	vals     []bool // by ir.ID
	instrs   map[*ir.Instr]bool
	params   []param // by ir.ID
	results  []int32 // by ir.ID: which result of an if or a loop a value is
	owner    map[*ir.Instr]*ir.Instr
	breaks   map[*ir.Instr][]*ir.Instr // of a loop
	worklist []*ir.Value
}

// param is which parameter of which loop a value is.
type param struct {
	loop *ir.Instr
	k    int
}

func findNeeds(f *ir.Func) *needs {
	n := &needs{vals: make([]bool, f.NumValues()), params: make([]param, f.NumValues()),
		results: make([]int32, f.NumValues()), instrs: map[*ir.Instr]bool{},
		owner: map[*ir.Instr]*ir.Instr{}, breaks: map[*ir.Instr][]*ir.Instr{}}
	n.index(f.Body, nil, nil)
	for _, o := range f.Outs {
		if !amdil.IsState(o.Reg) {
			n.mark(o.V)
		}
	}
	f.Walk(func(in *ir.Instr) {
		if in.Op.Has(ir.Effect) && !in.Op.Has(ir.Structured) {
			n.instr(in)
		}
	})
	for len(n.worklist) > 0 {
		v := n.worklist[len(n.worklist)-1]
		n.worklist = n.worklist[:len(n.worklist)-1]
		n.reach(v)
	}
	return n
}

// index notes what is inside what.
func (n *needs) index(r *ir.Region, owner, loop *ir.Instr) {
	for _, in := range r.Code {
		n.owner[in] = owner
		switch in.Op {
		case ir.OpBreak:
			n.breaks[loop] = append(n.breaks[loop], in)
		case ir.OpLoop:
			for k, p := range in.Sub[0].Params {
				n.params[p.ID] = param{in, k}
			}
			n.number(in)
			n.index(in.Sub[0], in, in)
		case ir.OpIf:
			n.number(in)
			n.index(in.Sub[0], in, loop)
			n.index(in.Sub[1], in, loop)
		}
	}
}

func (n *needs) number(in *ir.Instr) {
	for k, r := range in.Results {
		if r != nil {
			n.results[r.ID] = int32(k)
		}
	}
}

// value reports whether v is needed.
func (n *needs) value(v *ir.Value) bool { return n.vals[v.ID] }

// has reports whether in is needed at all.
func (n *needs) has(in *ir.Instr) bool { return n.instrs[in] }

func (n *needs) mark(v *ir.Value) {
	if v == nil || n.vals[v.ID] {
		return
	}
	n.vals[v.ID] = true
	if !v.IsLeaf() {
		n.worklist = append(n.worklist, v)
	}
}

// reach marks what v is made of.
func (n *needs) reach(v *ir.Value) {
	if p := n.params[v.ID]; p.loop != nil {
		n.instr(p.loop)
		n.mark(p.loop.Args[p.k])
		n.mark(p.loop.Sub[0].Results[p.k])
		return
	}
	in := v.Def
	if in == nil {
		return
	}
	n.instr(in)
	switch k := n.results[v.ID]; in.Op {
	case ir.OpIf:
		n.mark(in.Sub[0].Results[k])
		n.mark(in.Sub[1].Results[k])
		return
	case ir.OpLoop:
		for _, b := range n.breaks[in] {
			n.mark(b.Args[k])
		}
		return
	}
	if !in.Op.HasFormula() || in.Out[v.Lane] != v {
		return // all sources, marked with the instruction
	}
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<v.Lane)
		for i, lane := range in.Src[s] {
			if reads>>i&1 != 0 {
				n.mark(lane.V)
			}
		}
	}
}

// instr marks an instruction, the constructs around it and what decides about them.
func (n *needs) instr(in *ir.Instr) {
	for ; in != nil && !n.instrs[in]; in = n.owner[in] {
		n.instrs[in] = true
		if !in.Op.HasFormula() {
			for s := range in.Src {
				for _, lane := range in.Src[s] {
					n.mark(lane.V)
				}
			}
		}
		for _, b := range n.breaks[in] {
			n.instr(b)
		}
	}
}
