package ilgen

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
)

// resource is a declared resource.
type resource struct {
	id         int
	dimensions int   // one or two
	class      class // of the result of a fetch
}

// declareResources declares one to four resources. Most have two dimensions, floats, and coordinates in
// texels (unnorm).
func (g *generator) declareResources() {
	for i := range 1 + g.r.IntN(4) {
		r := resource{id: i, dimensions: 2}
		kind, format := "2d", pickOne(g, "float", "float", "float", "unknown")
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
func (g *generator) fetch() {
	r := pickOne(g, g.resources...)
	if g.chance(10) {
		g.addLoad(r)
		return
	}
	at := g.coordinates(r)
	offset := ""
	if g.chance(15) {
		offset = fmt.Sprintf("_aoffimmi(%s,%s,0.0)", pickOne(g, "1.0", "-1", "0.5"), pickOne(g, "0.0", "2.0", "-3.0"))
	}
	dst := g.pickRegister(r.class) + g.spellMask(g.pickMask(r.class))
	switch k := g.r.IntN(20); {
	case k == 0:
		g.addLine("sample_l_resource(%d)_sampler(%d)%s %s, %s, %s", r.id, r.id, offset, dst, at, g.component(float))
	case k == 1 && g.o.Stage == il.Pixel:
		g.addLine("sample_b_resource(%d)_sampler(%d)%s %s, %s, %s", r.id, r.id, offset, dst, at, g.component(float))
	default:
		g.addLine("sample_resource(%d)_sampler(%d)%s %s, %s", r.id, g.r.IntN(4), offset, dst, at)
	}
}

// coordinates generates the coordinates of a fetch: those of the thread, a place next to them, or any. Only
// the components of the resource matter in a swizzle.
func (g *generator) coordinates(r resource) string {
	name := fmt.Sprintf("r%d", coordReg)
	switch k := g.r.IntN(10); {
	case k < 3:
		name = g.pickRegister(float)
	case k < 6:
		name = fmt.Sprintf("r%d", coordinates)
		g.addLine("add %s, r%d, %s", name, coordReg, g.source(float))
	case k < 7 && g.o.Stage == il.Pixel:
		return winCoord + "." + pickOne(g, "xy", "xy00", "xyxx")
	}
	if r.dimensions == 1 {
		return name + pickOne(g, ".x", ".x", ".y", "")
	}
	return name + pickOne(g, ".xy", ".xy00", ".xyxx", ".yx", ".xy01", "")
}

// addLoad adds a read with integer coordinates from 0 to 7.
func (g *generator) addLoad(r resource) {
	g.addLine("iand r%d, %s, %s", coordinates, g.pickRegister(integer), g.number(7))
	g.addLine("load_resource(%d) %s%s, r%d.xy00", r.id, g.pickRegister(r.class), g.spellMask(g.pickMask(r.class)),
		coordinates)
}
