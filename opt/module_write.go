package opt

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/machine/draw"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/spvs"
)

// errNotWritten is the error for a version that SPIR-V cannot express.
var errNotWritten = errors.New("the version cannot be written")

// moduleVersion is a version of the modules that was written and read back.
type moduleVersion struct {
	modules  []*spirv.Module
	programs []*spvs.Program
}

// write writes the modules of a unit and reads them back. Modules that did not change keep their bytes.
func (m *moduleSubject) write(u *passes.Unit) (files []File, v *moduleVersion, err error) {
	v = &moduleVersion{programs: make([]*spvs.Program, len(m.programs))}
	programs := m.rewritten(u)
	for i, f := range m.z.in.Files {
		var changed []*spvs.Program
		for k, p := range programs {
			if p != nil && m.moduleOf(k) == i {
				changed = append(changed, p)
			}
		}
		if len(changed) > 0 {
			q, err := spvs.Emit(changed...)
			if err != nil {
				return nil, nil, fmt.Errorf("%w: %w", errNotWritten, err)
			}
			if f.Data = q.Encode(); !spirv.IsModule(m.z.in.Files[i].Data) {
				f.Data = q.Format()
			}
		}
		files = append(files, f)
		back, err := spirv.Read(f.Name, f.Data)
		if err != nil {
			return nil, nil, fmt.Errorf("the result cannot be read again: %w", err)
		}
		v.modules = append(v.modules, back)
	}
	for i, p := range m.programs {
		if p == nil {
			continue
		}
		if v.programs[i], err = m.lift(v.modules, i); err != nil {
			return nil, nil, fmt.Errorf("the result cannot be lifted again: %w", err)
		}
		v.programs[i].Func.Budget = m.z.o.spend.whole
	}
	return files, v, nil
}

// rewritten returns the programs to emit for a unit: nil for modules that did not change. If the outputs of the vertex
// program of a pair change, so do both modules.
func (m *moduleSubject) rewritten(u *passes.Unit) []*spvs.Program {
	list := make([]*spvs.Program, len(m.programs))
	for i, p := range m.programs {
		if p == nil {
			continue
		}
		f := u.Pixel
		if p.IsVertex() {
			f = u.Vertex
		}
		if f.Fingerprint() != p.Func.Fingerprint() {
			list[i] = p.With(f)
		}
	}
	if m.pair != nil {
		vertex, fragment, linked := m.pair.Rewritten(u.Vertex, u.Pixel)
		if linked || list[0] != nil {
			list[0] = vertex
		}
		if m.programs[1] != nil && (linked || list[1] != nil) {
			list[1] = fragment
		}
	}
	return list
}

// compare compares a version, as read back, with the input. It sets worse if the version is slower on a GPU, and dearer
// if it is no better in any way.
func (m *moduleSubject) compare(c *candidate, v *moduleVersion) error {
	again := *m
	again.programs, again.pair, again.drawn = v.programs, nil, map[[3][2]uint64][2]int{}
	u := again.stages()
	now, err := m.measure(u)
	if err != nil {
		return err
	}
	before := passes.Cost{m.cost[4], declaredComponents(m.programs), m.cost[2], m.cost[3]}
	fewer := passes.Cost{now[4], declaredComponents(v.programs), now[2], now[3]}.Less(before)
	if m.gpus == nil {
		c.dearer = !now.Less(m.cost)
		return nil
	}
	d, err := drawOfUnit(u)
	if err != nil {
		return err
	}
	x, err := m.gpus.CompareDraw(d, m.z.o.Keep)
	if err != nil {
		return err
	}
	switch {
	case x.Worse != "":
		c.worse = x.Worse
	case !x.Better && now[4] > m.cost[4]:
		c.worse = "other components are interpolated, and no GPU gains by it"
	case now[4] >= m.cost[4] && !m.isFaster(x.Prices) && m.isLonger(v):
		c.worse = "the written fragment module has more instructions, and no GPU is faster"
	}
	c.prices, c.dearer = x.Prices, !x.Better && !fewer
	return nil
}

// declaredComponents returns the number of components that vertex programs declare for the fragment program.
func declaredComponents(programs []*spvs.Program) (n int) {
	for _, p := range programs {
		if p != nil && p.IsVertex() {
			n += p.Declared()
		}
	}
	return n
}

// isFaster reports whether a pixel takes less time on a GPU than with the input.
func (m *moduleSubject) isFaster(prices []draw.Price) bool {
	scene := pair.Scene(m.z.o.Draw.PixelsPerVertex)
	for i := range prices {
		before, _ := m.gpus.Before[0][i].Time(scene)
		if after, _ := prices[i].Time(scene); after < before {
			return true
		}
	}
	return false
}

// isLonger reports whether a fragment stage has more instructions than that of the input. Instructions that stand for
// several operations (SMod, for example) are written out if a pass changes some of these.
func (m *moduleSubject) isLonger(v *moduleVersion) bool {
	for i, p := range m.programs {
		if p != nil && !p.IsVertex() && v.programs[i].Instructions() > p.Instructions() {
			return true
		}
	}
	return false
}

// report records the costs of a candidate, or of the input if c is nil.
func (m *moduleSubject) report(c *candidate) {
	if c == nil {
		m.z.res.modulesAfter(m, m.modules, m.programs)
		return
	}
	v := c.version.(*moduleVersion)
	m.z.res.modulesAfter(m, v.modules, v.programs)
	m.z.res.needsDescriptors(c.report)
	for i := range c.prices {
		cost := pair.CostOfDraw(&c.prices[i], pair.Scene(m.z.o.Draw.PixelsPerVertex))
		m.z.res.Draws[i].After = &cost
	}
}
