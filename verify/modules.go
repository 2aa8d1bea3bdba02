package verify

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/spvs"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
)

// Modules are the SPIR-V modules of a version: a lone module, or a pair. A pair is a vertex and a fragment module that are
// drawn together, or one module with one vertex and one fragment entry point. Other lone modules may also have compute
// stages.
type Modules []*spirv.Module

// CheckModules decides whether the modules after may replace before. After has the same stages in the same order.
//
// A lone module keeps its varyings; a pair may change them. All outputs, the final contents of buffers and images, and
// the discarded fragments have to be the same. Built-in outputs such as the position have to stay the same terms. Each
// entry point of a module that is no pair is checked alone, and the report is about the one with the weakest verdict.
func CheckModules(before, after Modules, o Options) Report {
	var stages [2][]iface.ModuleStage
	for i, list := range []Modules{before, after} {
		for _, m := range list {
			found, err := entryPoints(m)
			if err == nil && len(list) > 1 && len(found) != 1 {
				err = fmt.Errorf("%s has %d entry points; the modules of a pair have one each", m.Name, len(found))
			}
			if err != nil {
				return Report{Why: "form: " + err.Error()}
			}
			stages[i] = append(stages[i], found...)
		}
	}
	if len(before) != len(after) || len(before) > 2 || len(stages[0]) != len(stages[1]) {
		return Report{Why: "form: the versions have different entry points"}
	}
	if len(before) == 2 || before[0].IsPair() {
		for _, model := range []spirv.ExecutionModel{spirv.ExecutionModelVertex, spirv.ExecutionModelFragment} {
			if !slices.ContainsFunc(stages[0], func(s iface.ModuleStage) bool { return s.Model == model }) {
				return Report{Why: "form: a pair has a vertex and a fragment module"}
			}
		}
		return checkStages(stages[0], stages[1], o)
	}
	return checkEach(stages, o)
}

// checkStages checks stages that are drawn together, or one stage.
func checkStages(before, after []iface.ModuleStage, o Options) Report {
	c := &moduleChecker{comparison: comparison{Options: o}, before: before, after: slices.Clone(after)}
	return c.within(c.check)
}

// checkEach checks each entry point of a module alone, and returns the weakest report.
func checkEach(stages [2][]iface.ModuleStage, o Options) (worst Report) {
	for i, s := range stages[0] {
		r := checkStages(stages[0][i:i+1], stages[1][i:i+1], o)
		if !r.Verdict.OK() && len(stages[0]) > 1 {
			r.Why = fmt.Sprintf("entry point %s: %s", s.Entry, r.Why)
		}
		if i == 0 || r.Verdict == Refuted || r.Verdict < worst.Verdict && worst.Verdict != Refuted {
			worst = r
		}
	}
	return worst
}

// entryPoints lists the entry points of m.
func entryPoints(m *spirv.Module) (list []iface.ModuleStage, err error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	for i := range m.Insts {
		if in := &m.Insts[i]; in.Op == spirv.OpEntryPoint {
			name, _ := spirv.String(in.Args[2:])
			list = append(list, iface.ModuleStage{Module: m, Model: spirv.ExecutionModel(in.Args[0]), Entry: name})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no entry point", m.Name)
	}
	for i := range list {
		if len(list) > 1 {
			list[i].Module = withEntry(m, i)
		}
	}
	return list, nil
}

// withEntry returns m with only one entry point, by number. Entry points of several stages can have one name.
func withEntry(m *spirv.Module, number int) *spirv.Module {
	c := *m
	c.Insts = nil
	n, kept := 0, map[uint32]bool{}
	for i := range m.Insts {
		in := &m.Insts[i]
		switch in.Op {
		case spirv.OpEntryPoint:
			if n++; n != number+1 {
				continue
			}
			kept[in.Args[1]] = true
		case spirv.OpExecutionMode, spirv.OpExecutionModeId:
			if !kept[in.Args[0]] {
				continue
			}
		}
		c.Insts = append(c.Insts, *in)
	}
	return &c
}

// moduleChecker checks the stages of SPIR-V modules.
type moduleChecker struct {
	comparison
	before, after []iface.ModuleStage
	strict        bool              // laws of real numbers do not hold
	constants     map[uint32]uint32 // values of specialization constants in executions, by number
	// opaque is a stage of a pair that is not understood, and the same in both versions. The other stage is checked alone.
	opaque *iface.ModuleStage
}

func (c *moduleChecker) check() {
	texts, same, err := c.readBack()
	if err != nil {
		c.report.Why = "form: " + err.Error()
		return
	}
	if same {
		c.recordMethod(ByTerms)
		c.report.Verdict = Proved
		return
	}
	further, err := iface.CompareModules(c.before, c.after)
	if err == nil && len(further) > 0 && !c.Visible {
		err = errors.New("after needs " + further[0])
	}
	if err != nil {
		c.report.Why = "form: " + err.Error()
		return
	}
	c.recordMethod(ByForm)
	c.report.Further = further
	c.blind = c.unexecuted
	c.Options = c.seeded(texts...)
	c.prove(c.lift())
	if c.remainsOpen(execution{}) && !c.strict && (!c.Cheap || c.Unconfirmed) {
		c.deepen()
	}
	if c.Cheap && !c.Unconfirmed && !c.accepted() {
		c.report.Why = cmp.Or(c.field.Unstable, "no quick proof found")
		return
	}
	if c.Unconfirmed {
		c.conclude(execution{why: "nothing was executed"})
		return
	}
	c.conclude(c.execute())
}

// unexecuted names an effect that no execution shows, or returns "": of atomics, of NonUniform, which after may have lost,
// and of RelaxedPrecision, which after may have gained.
func (c *moduleChecker) unexecuted() string {
	for side, kind := range []spirv.Decoration{spirv.DecorationNonUniform, spirv.DecorationRelaxedPrecision} {
		for _, s := range [][]iface.ModuleStage{c.before, c.after}[side] {
			for i := range s.Module.Insts {
				in := &s.Module.Insts[i]
				if in.Op >= spirv.OpAtomicLoad && in.Op <= spirv.OpAtomicXor {
					return "executions do not show how atomics order the accesses of invocations"
				}
				if in.Op == spirv.OpDecorate && spirv.Decoration(in.Args[1]) == kind ||
					in.Op == spirv.OpMemberDecorate && spirv.Decoration(in.Args[2]) == kind {
					return "executions do not show the effect of " + kind.String()
				}
			}
		}
	}
	return ""
}

// readBack replaces the modules of after by those read from the written bytes. It returns the bytes of both versions,
// and reports whether they are the same.
func (c *moduleChecker) readBack() (texts [][]byte, same bool, err error) {
	same = true
	for i, s := range c.before {
		b, a := s.Module.Encode(), c.after[i].Module.Encode()
		same = same && bytes.Equal(b, a) && s.Entry == c.after[i].Entry && s.Model == c.after[i].Model
		texts = append(texts, b, a)
		again, err := spirv.Decode(c.after[i].Module.Name, a)
		if err == nil {
			err = again.Check()
		}
		if err != nil {
			return nil, false, err
		}
		c.after[i].Module = again
	}
	return texts, same, nil
}

// lift prepares both versions for symbolic execution.
func (c *moduleChecker) lift() error {
	names := spvs.NewNames()
	for i, list := range [][]iface.ModuleStage{c.before, c.after} {
		var side walk.Side
		for k, from := range list {
			s, err := walk.LiftModule(from, names)
			if err != nil && c.setOpaque(k) {
				continue
			}
			if err != nil {
				return err
			}
			s.Fn.Budget = c.Budget
			c.strict = c.strict || s.Strict
			if from.Model == spirv.ExecutionModelVertex {
				side.Vertex = s
			} else {
				side.Pixel = s
			}
		}
		if s, ok := side.Vertex.(*walk.ModuleStage); ok && c.opaque != nil {
			if err := s.Restrict(*c.opaque); err != nil {
				return err
			}
		}
		c.sides[i] = walk.Observe(side)
		c.sides[i].First = i == 0
	}
	return nil
}

// setOpaque makes a stage of a pair opaque if it is the same in both versions, and the other one is not opaque.
func (c *moduleChecker) setOpaque(stage int) bool {
	b, a := &c.before[stage], &c.after[stage]
	if len(c.before) < 2 || !bytes.Equal(b.Module.Encode(), a.Module.Encode()) || c.opaque != nil && c.opaque != b {
		return false
	}
	c.opaque = b
	return true
}
