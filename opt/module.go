package opt

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/draw"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/spvs"
	"github.com/shaderlift/shaderlift/verify"
)

// moduleSubject is the subject for SPIR-V: a vertex and a fragment stage that are drawn together, in one module or two,
// or one module with one entry point.
type moduleSubject struct {
	z        *optimizer
	modules  []*spirv.Module // as read, with the promised specialization constants
	names    *spvs.Names
	programs []*spvs.Program // one for each stage, see moduleOf; nil for a stage that stays unchanged
	declared *spvs.Program   // stands for the fragment stage of a pair that was not lifted
	pair     *spvs.Pair      // nil unless both stages of a pair were lifted or declared
	gpus     *pair.GPUs      // nil if instructions decide
	cost     passes.Cost     // of the input
	drawn    map[[3][2]uint64][2]int
}

// readInput reads and lifts the modules. A module that cannot be lifted stays unchanged, with a remark.
func (m *moduleSubject) readInput() (err error) {
	o, res := &m.z.o, m.z.res
	if _, err := o.Target.GPUs(); err != nil {
		return err
	}
	if m.modules, err = o.readModules(m.z.in, res); err != nil {
		return err
	}
	m.names, m.programs = spvs.NewNames(), make([]*spvs.Program, len(m.modules))
	if len(m.modules) == 1 && m.modules[0].IsPair() {
		m.programs = make([]*spvs.Program, 2)
	}
	for i := range m.programs {
		p, err := m.lift(m.modules, i)
		if err != nil {
			for _, d := range input.DiagsOf(err) {
				res.remark(d.Pos, d.Code, fmt.Sprintf("%s stays unchanged: %s", asm.Shown(m.z.in.Files[m.moduleOf(i)].Name), d.Msg))
			}
			m.declare(i)
			continue
		}
		p.Func.Budget = o.spend.whole
		m.programs[i] = p
	}
	res.modulesBefore(m)
	if err := m.checkStages(); err != nil {
		return err
	}
	u := m.stages()
	if u == nil {
		return nil
	}
	if m.gpus, err = pair.NewGPUs(o.Target, o.Draw.PixelsPerVertex, o.spend.whole, m.inputDraw); err != nil {
		return err
	}
	m.drawn = map[[3][2]uint64][2]int{}
	if m.gpus != nil {
		for i, t := range m.gpus.Targets {
			res.Draws = append(res.Draws, pair.DrawCosts{Target: t.Name,
				Before: pair.CostOfDraw(&m.gpus.Before[0][i], pair.Scene(o.Draw.PixelsPerVertex))})
		}
	}
	for _, f := range u.Funcs() {
		f.Budget = o.spend.price
	}
	m.cost, err = m.measure(u)
	return err
}

// moduleOf returns the number of the module with stage i.
func (m *moduleSubject) moduleOf(i int) int { return min(i, len(m.modules)-1) }

// lift lifts stage i from a version of the modules. A module with both stages has the vertex stage first here.
func (m *moduleSubject) lift(version []*spirv.Module, i int) (*spvs.Program, error) {
	o := spvs.Options{Names: m.names, Budget: m.z.o.spend.whole}
	if len(m.programs) > len(m.modules) {
		o.Models = []spirv.ExecutionModel{[]spirv.ExecutionModel{spirv.ExecutionModelVertex, spirv.ExecutionModelFragment}[i]}
	}
	return spvs.Lift(version[m.moduleOf(i)], "", o)
}

// declare reads the interface of stage i, which cannot be lifted, if it is the fragment module of a pair.
func (m *moduleSubject) declare(i int) {
	if i == 0 || len(m.modules) < 2 {
		return
	}
	o := spvs.Options{Names: m.names, Models: []spirv.ExecutionModel{spirv.ExecutionModelFragment}}
	if p, err := spvs.Declare(m.modules[i], o); err == nil {
		m.declared = p
	}
}

// checkStages rejects two modules that are not a vertex and a fragment module, in this order.
func (m *moduleSubject) checkStages() error {
	if len(m.programs) != 2 || m.programs[0] == nil || m.programs[1] == nil {
		return nil
	}
	if m.programs[0].IsVertex() && !m.programs[1].IsVertex() {
		return nil
	}
	return asm.Errorf(asm.Pos{File: m.z.in.Files[0].Name}, "wrong-pair", "a pair is a vertex module and a fragment module, in this order")
}

// stages returns the lifted stages as a unit, or nil if there is none. A declared fragment stage counts if the other one
// was lifted.
func (m *moduleSubject) stages() *passes.Unit {
	u := &passes.Unit{Name: m.z.res.Name}
	for _, p := range m.programs {
		switch {
		case p == nil:
		case p.IsVertex():
			u.Vertex = p.Func
		default:
			u.Pixel = p.Func
		}
	}
	if u.Vertex != nil && m.declared != nil {
		u.Pixel = m.declared.Func
	}
	if u.Vertex != nil && u.Pixel != nil {
		if m.pair == nil {
			m.pair = spvs.NewPair(m.programs[0], cmp.Or(m.programs[1], m.declared), m.seesDeclared())
		}
		u.Stages = m.pair
	}
	if len(u.Funcs()) == 0 {
		return nil
	}
	return u
}

// seesDeclared reports whether a stage may read a block that its module declares, but does not use. The application
// then has to make the descriptor visible to this stage, which a remark says. A block that
// only one module declares stays in its stage.
func (m *moduleSubject) seesDeclared() bool {
	return m.z.o.Target.NamesGPUs() || m.z.o.Host.PixelConstants == input.Mirrored
}

// inputDraw returns the draw of the input.
func (m *moduleSubject) inputDraw() (*draw.Draw, error) { return drawOfUnit(m.stages()) }

// drawOfUnit returns the draw of the programs of u.
func drawOfUnit(u *passes.Unit) (*draw.Draw, error) {
	var link *ir.Linkage
	var err error
	if u.Stages != nil {
		link, err = u.Stages.Link(u.Varyings...)
	}
	return draw.FromFuncs(u.Vertex, u.Pixel, link), err
}

func (m *moduleSubject) exceeded() asm.Diags { return nil }
func (m *moduleSubject) restated() bool      { return false }
func (m *moduleSubject) static() bool        { return m.gpus == nil }
func (m *moduleSubject) close() {
	if m.gpus != nil {
		m.gpus.Memo.Close()
	}
}

func (m *moduleSubject) freshUnit() *passes.Unit {
	if u := m.stages(); u != nil {
		return u.Clone()
	}
	return nil
}

// measure prices a unit: times on GPUs first, then instructions of the fragment and the vertex program, and interpolated
// components.
func (m *moduleSubject) measure(u *passes.Unit) (c passes.Cost, err error) {
	for k, f := range []*ir.Func{u.Pixel, u.Vertex} {
		if f == nil {
			continue
		}
		if err := m.z.o.spend.price.SpendSteps(f.NumValues()); err != nil {
			return c, err
		}
		f.Walk(func(in *ir.Instr) { c[2+k] += f.Dialect.Slots(in) })
	}
	if u.Vertex != nil {
		c[4] = len(u.Vertex.Outs)
	}
	if m.gpus == nil {
		return passes.Cost{c[2], c[3], 0, 0, c[4]}, nil
	}
	times, err := m.onGPUs(u)
	c[0], c[1] = times[0], times[1]
	return c, err
}

// onGPUs returns the price of a unit on the GPUs, from a cache.
func (m *moduleSubject) onGPUs(u *passes.Unit) (times [2]int, err error) {
	prints := u.Fingerprints()
	times, known := m.drawn[prints]
	if !known {
		if times, err = m.gpus.Price(u, prints); err == nil {
			m.drawn[prints] = times
		}
	}
	return times, err
}

// dearer reports whether a unit takes longer on GPUs than the given price.
func (m *moduleSubject) dearer(u *passes.Unit, than passes.Cost) bool {
	if m.gpus == nil {
		return false
	}
	times, err := m.onGPUs(u)
	return err == nil && (passes.Cost{than[0], than[1]}).Less(passes.Cost{times[0], times[1]})
}

func (m *moduleSubject) prefix(u *passes.Unit) (*prefix, error) {
	cost, err := m.measure(u)
	return &prefix{cost: cost}, err
}

// candidate writes the modules of a unit, reads them back and verifies them. It drops a version that is worse on a GPU,
// or no better than the input, unless Options.Keep is set.
func (m *moduleSubject) candidate(u *passes.Unit, class passes.Class, to purpose) (*candidate, error) {
	files, version, err := m.write(u)
	switch {
	case errors.Is(err, errNotWritten) && to != toJudge: // the search for culprits leaves the stage out
		return &candidate{worse: err.Error()}, nil
	case err != nil:
		return nil, m.z.fault(err)
	}
	c := &candidate{files: files, version: version}
	if to == toWrite || to == toCompare {
		if err := m.compare(c, version); err != nil {
			if budget.IsExhausted(err) {
				return nil, err
			}
			return nil, m.z.fault(err)
		}
		if !m.z.o.Keep && (c.worse != "" || c.dearer) {
			if c.worse == "" {
				return nil, nil
			}
			return c, nil
		}
		if to == toCompare {
			return nil, nil
		}
	}
	by := m.z.effortFor(class, to)
	c.report = m.z.judged(files, class, nil, by, func() verify.Report {
		o := m.z.o.verification(class, by)
		o.Visible = m.seesDeclared()
		return verify.CheckModules(m.modules, version.modules, o)
	})
	return c, nil
}
