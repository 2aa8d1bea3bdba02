package amdil

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// folds are the instructions that are folded into the statements that read their results. No statement is
// written for them.
type folds struct {
	loads  map[*ir.Instr]bool      // elements of arrays, as operands
	negs   map[*ir.Instr]bool      // negative integers, as signs of operands
	stores map[*ir.Instr]*ir.Instr // the instruction that computes an array element, to the store of the element

	choices map[*ir.Instr]*switchChain // the first conditional of a switch
	tests   map[*ir.Instr]bool         // tests that select its arms
}

// maxNesting bounds the indices within an operand: cb0[r1.x] is one, x0[cb0[r1.x].y] two. (Assumed: the
// language has no limit, but compilers write no more.)
const maxNesting = 2

// planFolds finds the instructions to fold into operands. Elements of constant buffers can be read anywhere.
// Elements of arrays that the program writes can be read by one statement only, before anything else may be
// written there:
//
//	v = load x0[r1.x]        add r2, x0[r1.x], r3       only if no store to x0 is between
//	add r2, v, r3
func planFolds(orig *il.Kernel, f *ir.Func) *folds {
	p := &folder{
		folds: &folds{
			loads:   map[*ir.Instr]bool{},
			negs:    map[*ir.Instr]bool{},
			stores:  map[*ir.Instr]*ir.Instr{},
			choices: map[*ir.Instr]*switchChain{},
			tests:   map[*ir.Instr]bool{},
		},
		orig:    orig,
		loads:   map[*ir.Instr]*loadUse{},
		writes:  map[ir.Reg]int{},
		uses:    f.UseCounts(),
		part:    map[*ir.Instr]bool{},
		asked:   map[*ir.Instr]int32{},
		left:    map[*ir.Region]bool{},
		nesting: map[*ir.Instr]int{},
	}
	p.region(f.Body)
	for _, o := range f.Outs {
		p.keepSeparate(o.V)
	}
	p.dropTests()
	return p.folds
}

// loadUse describes the use of a load of a memory that can change.
type loadUse struct {
	region *ir.Region
	writes int // to the array, before it
	user   *ir.Instr
}

type folder struct {
	*folds
	orig    *il.Kernel
	loads   map[*ir.Instr]*loadUse
	writes  map[ir.Reg]int // to an array, so far
	uses    []int32        // by value ID
	nesting map[*ir.Instr]int

	part  map[*ir.Instr]bool  // conditionals of a switch
	asked map[*ir.Instr]int32 // number of switch arms that use the test
	left  map[*ir.Region]bool // see leaves
}

// keepSeparate makes the instruction that defines v a separate statement, because v is a block argument or an output.
func (p *folder) keepSeparate(v *ir.Value) {
	if v.Def != nil {
		delete(p.folds.loads, v.Def)
		delete(p.folds.negs, v.Def)
	}
}

func (p *folder) keepAll(vs []*ir.Value) {
	for _, v := range vs {
		p.keepSeparate(v)
	}
}

// region plans in one walk. A fold is entered at its definition and removed by the first use that forbids it.
func (p *folder) region(r *ir.Region) {
	for i, in := range r.Code {
		p.sources(in, r)
		p.keepAll(in.Args)
		switch {
		case in.Op == ir.OpLoad:
			p.folds.loads[in] = p.nesting[in] <= maxNesting
		case in.Op == ir.OpMemLoad && isArray(in.Base):
			p.folds.loads[in] = p.nesting[in] <= maxNesting
			p.loads[in] = &loadUse{region: r, writes: p.writes[stateHome(in.Base)]}
		// The negative of an integer becomes a sign of the operand. Exceptions: the input spelled it as
		// inegate, or its operand is already negated.
		case in.Op == ir.OpINeg && !p.is(in, il.OpINegate):
			p.folds.negs[in] = true
			in.Src[0].EachLane(func(_ int, l *ir.Lane) {
				if l.Mod&ir.Neg != 0 {
					delete(p.folds.negs, in)
				}
			})
		// A chain of comparisons may be a switch.
		case in.Op == ir.OpIf && !p.part[in]:
			c, tests := p.switchChain(r.Code, i)
			if c == nil {
				break
			}
			p.folds.choices[in] = c
			for _, t := range tests {
				p.asked[t]++
			}
			for _, arm := range c.arms {
				p.part[arm.in] = true
			}
		// The instruction before a store may write the element itself.
		case in.Op == ir.OpMemStore && i > 0 && isArray(in.Base):
			p.store(r.Code[i-1], in)
		}
		for _, v := range in.Results {
			if IsState(v.Home) {
				p.writes[stateHome(v.Home)]++
			}
		}
		for _, sub := range in.Sub {
			p.region(sub)
			p.keepAll(sub.Results)
		}
	}
}

// is reports whether in comes from a statement op of the input.
func (p *folder) is(in *ir.Instr, op il.Op) bool {
	return in.Orig >= 0 && p.orig.Insts[in.Orig].Op == op
}

// sources records how in, an instruction of r, uses instructions that could be folded into it.
func (p *folder) sources(in *ir.Instr, r *ir.Region) {
	isIndex := in.Op == ir.OpLoad || in.Op.Has(ir.Memory) && isArray(in.Base)
	how, spelt := spell(in, nil)
	integer := in.Op == ir.OpISub || spelt && how.integer()
	for s := range in.Src {
		index := isIndex && s == 0
		in.Src[s].EachLane(func(_ int, l *ir.Lane) {
			d := l.V.Def
			if d == nil {
				return
			}
			if index {
				p.nesting[in] = p.nesting[d] + 1
			}
			// A sign means the negative only in integer statements, and the lane may not have one already.
			if !integer || l.Mod != 0 || in.Op == ir.OpINeg {
				delete(p.folds.negs, d)
			}
			use := p.loads[d]
			if use == nil {
				if index && l.Mod != 0 {
					delete(p.folds.loads, d)
				}
				return
			}
			// A use in another region, by a second statement, after a store, or as an index needs a separate
			// load.
			if index || in.Op == ir.OpINeg || use.user != nil && use.user != in || use.region != r ||
				use.writes != p.writes[stateHome(d.Base)] {
				delete(p.folds.loads, d)
			}
			use.user = in
		})
	}
}

// store lets x, just before a store of all its results, write the element itself.
func (p *folder) store(x, store *ir.Instr) {
	if x.Orig < 0 || x.Orig != store.Orig || x.Op == ir.OpMov && x.Mods == 0 || x.Mask() == 0 ||
		!x.Op.HasFormula() && !x.Op.Has(ir.IsFetch) {
		return
	}
	for i, v := range x.Out {
		if v != nil && (p.uses[v.ID] != 1 || store.Src[1][i] != ir.Lane{V: v}) {
			return
		}
	}
	for i, l := range store.Src[1] {
		if l.V == nil || x.Out[i] != nil {
			continue
		}
		if l.V.Kind != ir.Literal || l.Mod != 0 || l.V.Bits != 0 && l.V.Bits != one {
			return // more than a mask can write
		}
	}
	p.folds.stores[x] = store
}

// dropTests drops the tests that only switches read. A test that stays keeps the tests that it reads.
func (p *folder) dropTests() {
	for t, n := range p.asked {
		p.folds.tests[t] = p.uses[t.Out[lowest(t.Mask())].ID] == n
	}
	var needs func(t *ir.Instr)
	needs = func(t *ir.Instr) {
		for s := range t.Src {
			t.Src[s].EachLane(func(_ int, l *ir.Lane) {
				if d := l.V.Def; d != nil && p.folds.tests[d] {
					p.folds.tests[d] = false
					needs(d)
				}
			})
		}
	}
	for t := range p.asked {
		if !p.folds.tests[t] {
			needs(t)
		}
	}
}
