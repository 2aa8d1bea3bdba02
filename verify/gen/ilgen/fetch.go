package ilgen

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
)

// resource is a resource declared.
type resource struct {
	id         int
	dimensions int   // one or two
	class      class // of what a fetch gives
}

// declareResources declares one to four resources, most of them of two dimensions, of floats, with
// coordinates in texels (unnorm).
func (g *gen) declareResources() {
	for i := range 1 + g.r.IntN(4) {
		r := resource{id: i, dimensions: 2}
		kind, format := "2d", pick(g, "float", "float", "float", "unknown")
		if g.chance(20) {
			kind, r.dimensions = "1d", 1
		}
		if g.chance(15) && !g.o.NoInteger {
			r.class, format = integer, "uint"
		}
		if g.chance(75) {
			kind += ",unnorm"
		}
		g.declare("dcl_resource_id(%d)_type(%s)_fmtx(%s)_fmty(%s)_fmtz(%s)_fmtw(%s)", i, kind, format, format, format, format)
		g.resources = append(g.resources, r)
	}
}

// fetch adds a read of a resource.
func (g *gen) fetch() {
	r := pick(g, g.resources...)
	if g.chance(10) {
		g.load(r)
		return
	}
	at := g.coordinates(r)
	offset := ""
	if g.chance(15) {
		offset = fmt.Sprintf("_aoffimmi(%s,%s,0.0)", pick(g, "1.0", "-1", "0.5"), pick(g, "0.0", "2.0", "-3.0"))
	}
	dst := g.reg(r.class) + g.spellMask(g.mask(r.class))
	switch k := g.r.IntN(20); {
	case k == 0:
		g.line("sample_l_resource(%d)_sampler(%d)%s %s, %s, %s", r.id, r.id, offset, dst, at, g.component(float))
	case k == 1 && g.o.Stage == il.Pixel:
		g.line("sample_b_resource(%d)_sampler(%d)%s %s, %s, %s", r.id, r.id, offset, dst, at, g.component(float))
	default:
		g.line("sample_resource(%d)_sampler(%d)%s %s, %s", r.id, g.r.IntN(4), offset, dst, at)
	}
}

// coordinates makes the coordinates of a fetch: those of the thread, a place beside them, or any. Of the
// swizzles only those components that the resource has matter.
func (g *gen) coordinates(r resource) string {
	name := fmt.Sprintf("r%d", coordReg)
	switch k := g.r.IntN(10); {
	case k < 3:
		name = g.reg(float)
	case k < 6:
		name = fmt.Sprintf("r%d", coordinates)
		g.line("add %s, r%d, %s", name, coordReg, g.source(float))
	case k < 7 && g.o.Stage == il.Pixel:
		return winCoord + "." + pick(g, "xy", "xy00", "xyxx")
	}
	if r.dimensions == 1 {
		return name + pick(g, ".x", ".x", ".y", "")
	}
	return name + pick(g, ".xy", ".xy00", ".xyxx", ".yx", ".xy01", "")
}

// load adds a read by whole coordinates from 0 to 7.
func (g *gen) load(r resource) {
	g.line("iand r%d, %s, %s", coordinates, g.reg(integer), g.number(7))
	g.line("load_resource(%d) %s%s, r%d.xy00", r.id, g.reg(r.class), g.spellMask(g.mask(r.class)), coordinates)
}
