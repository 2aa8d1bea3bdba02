package spvs

import (
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// Emit returns the module of the programs, which are entry points of one module, with the code of their functions in
// place of these entry points. Passes must work on a clone of the function that Lift returned: emission compares the two,
// and keeps the instructions whose IR did not change. Functions that only these entry points called disappear, since they
// were inlined.
func Emit(programs ...*Program) (*spirv.Module, error) {
	e := newEditor(programs[0].Module)
	e.reserve(programs)
	for _, p := range programs {
		w := newWriter(e, p)
		w.start(w.e.fresh(), nil)
		if !w.region(p.Func.Body) {
			w.storeOutputs()
			w.terminate(spirv.OpReturn)
		}
		if w.err != nil {
			return nil, w.err
		}
		w.replaceFunction()
	}
	return e.module(), nil
}

// reserve marks the ids in functions that stay: other entry points or functions without callers need them.
func (e *editor) reserve(programs []*Program) {
	edited := map[spirv.ID]bool{}
	for _, p := range programs {
		edited[p.Entry.Function] = true
	}
	functions := e.functionsOf(false)
	called := e.usedIDs(functions)
	for i := range e.m.Insts[:e.functions] {
		if in := &e.m.Insts[i]; in.Op == spirv.OpEntryPoint && !edited[spirv.ID(in.Args[1])] {
			called[spirv.ID(in.Args[1])] = false
		}
	}
	for _, f := range functions {
		if called[f.id] {
			continue
		}
		for _, g := range callees(f.id, functions) {
			for i := range g.insts {
				e.taken[g.insts[i].Result] = true
			}
		}
	}
}

// newWriter finds the leaves, the places and the kinds of the values of a function.
func newWriter(e *editor, p *Program) *writer {
	w := &writer{body: newBody(e), p: p, x: p.x, f: p.Func, needs: p.Func.Needs(true), alias: map[*ir.Value]ir.Lane{},
		kinds: newKinds(p.Func.NumValues()), leaves: map[ir.Reg]*ir.Value{}, places: map[ir.Reg]pointer{},
		blocks: map[ir.File]blockVariable{}, specs: map[int]spirv.ID{},
		deferred: map[*ir.Instr]bool{}, firstRead: map[ir.ID]int{}, marked: map[spirv.ID]bool{}, defs: make([]*ir.Value, p.Func.NumValues())}
	w.findVariables()
	p.Func.Walk(func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) { w.see(l.V) })
		in.EachDef(func(v *ir.Value) { w.defs[v.ID] = v })
	})
	for _, o := range p.Func.Outs {
		w.see(o.V)
	}
	for _, list := range p.x.decorations {
		w.contracts = w.contracts || has(list, spirv.DecorationNoContraction)
	}
	w.findSites()
	for id, t := range p.Scalars {
		if id < len(w.kinds.votes) && t != NoScalar {
			w.kinds.votes[id][t] += weight
		}
	}
	w.kinds.vote(p.Func)
	return w
}

// findVariables finds the variables that hold leaves and outputs.
func (w *writer) findVariables() {
	w.makeVaryings()
	for _, d := range w.p.Inputs {
		if w.e.gone[d.ID] {
			continue
		}
		if v := w.x.newVariable(int(w.x.defs[d.ID])); w.x.registers(v) != nil {
			for lane, r := range v.regs {
				w.places[r] = pointer{v: v, lane: lane}
			}
		}
	}
	for _, d := range w.p.Outputs {
		if w.e.gone[d.ID] {
			continue
		}
		v := w.x.newVariable(int(w.x.defs[d.ID]))
		w.x.registers(v)
		w.outputs = append(w.outputs, v)
	}
	for _, b := range w.p.Blocks {
		if b.File != 0 {
			v := w.x.newVariable(int(w.x.defs[b.ID]))
			w.blocks[b.File] = blockVariable{v, b.Element}
		}
	}
	for id, list := range w.x.decorations {
		if n, ok := number(list, spirv.DecorationSpecId); ok {
			w.specs[w.p.names.number(nameConstant, constantKey(w.p.Entry.Model, n))] = id
		}
	}
}

// see records a leaf that the function reads.
func (w *writer) see(v *ir.Value) {
	if v.Kind == ir.Input || v.Kind == ir.Uniform {
		w.leaves[v.Home] = v
	}
}

// replaceFunction gives the entry point its new body. It keeps the function and its control.
func (w *writer) replaceFunction() {
	def := w.x.functions[w.p.Entry.Function]
	list := append([]spirv.Inst{w.p.Module.Insts[def.at]}, w.insts(w.variables)...)
	w.e.bodies[w.p.Entry.Function] = append(list, spirv.Inst{Op: spirv.OpFunctionEnd})
}
