package opt

import (
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/spvs"
)

// ModuleCosts is the cost of one SPIR-V module, or of one of the two stages in it, before and after optimization.
type ModuleCosts struct {
	// Stage is "vertex" or "fragment", and empty for a module that is not understood.
	Stage  string      `json:"stage,omitempty"`
	Entry  string      `json:"entry,omitempty"` // name of the entry point
	Before ModuleCost  `json:"before"`
	After  *ModuleCost `json:"after,omitempty"`
}

// ModuleCost is the cost of a version of a module.
type ModuleCost struct {
	Instructions int `json:"instructions"` // in the functions of the stage
	// Components is the number of components that a vertex program sends to the fragment program, or that a fragment
	// program reads.
	Components int `json:"components"`
	Bytes      int `json:"bytes"` // of the module
}

// CurrentCost returns the cost after optimization; an unchanged module keeps its cost.
func (c *ModuleCosts) CurrentCost() ModuleCost {
	if c.After != nil {
		return *c.After
	}
	return c.Before
}

// modulesBefore records the costs of the input.
func (r *Result) modulesBefore(m *moduleSubject) {
	for i, p := range m.programs {
		c := ModuleCosts{Before: costOfModule(m.modules[m.moduleOf(i)], p)}
		if p != nil {
			c.Stage, c.Entry = stageName(p), p.Entry.Name
		}
		r.Modules = append(r.Modules, c)
	}
}

// moduleStats prices modules without changes, and lists the components that a pair could omit.
func (o job) moduleStats(in Input, res *Result) error {
	m := &moduleSubject{z: &optimizer{in: in, o: o, res: res}}
	if err := m.readInput(); err != nil {
		return err
	}
	defer m.close()
	u := m.freshUnit()
	if u == nil || u.Stages == nil {
		return nil
	}
	link, err := u.Stages.Link()
	if err != nil {
		return err
	}
	res.Varyings = codemotion.Components(u.Vertex, u.Pixel, link)
	return nil
}

// explainModules adds the components that a pair could omit to the result of an optimization.
func (o job) explainModules(in Input, res *Result) error {
	stats := newResult(in)
	err := o.moduleStats(in, stats)
	res.Varyings = stats.Varyings
	return err
}

// stageName returns the name of the stage of a program.
func stageName(p *spvs.Program) string {
	if p.IsVertex() {
		return "vertex"
	}
	return "fragment"
}

// modulesAfter records the costs of a version.
func (r *Result) modulesAfter(m *moduleSubject, modules []*spirv.Module, programs []*spvs.Program) {
	for i, p := range programs {
		c := costOfModule(modules[m.moduleOf(i)], p)
		r.Modules[i].After = &c
	}
}

// costOfModule counts the cost of a stage in a module. The stage is nil if it is not understood.
func costOfModule(m *spirv.Module, p *spvs.Program) (c ModuleCost) {
	c.Bytes = len(m.Encode())
	if p != nil {
		c.Instructions, c.Components = p.Instructions(), p.Components()
		return c
	}
	inFunction := false
	for i := range m.Insts {
		switch m.Insts[i].Op {
		case spirv.OpFunction:
			inFunction = true
		case spirv.OpFunctionEnd:
			inFunction = false
		}
		if inFunction {
			c.Instructions++
		}
	}
	return c
}
