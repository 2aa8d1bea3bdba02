package draw

// Source is the origin of a figure.
type Source string

// The sources.
const (
	measured  Source = "measured" // with Mesa 25.0.7's compilers, as slopes between small programs
	timed     Source = "timed"    // on a GPU of that kind
	documents Source = "vendor"   // documents of the vendor, and conclusions from them
	derived   Source = "derived"  // from figures of other kinds
)

// Constant is a figure of a target. A vertex has several values, by the number of components that
// the pixel program reads.
type Constant struct {
	Name   string
	Values []float64
	Source Source
}

// Unit returns the unit of the prices of t.
func (t *Target) Unit() string {
	switch {
	case t.scalars != nil && t.scalars.wide:
		return "operations on up to four components"
	case t.scalars != nil:
		return "operations on one component"
	case t.vectors != nil:
		return "instructions of three components and a scalar"
	}
	return "groups of up to five operations"
}

// Sources returns the sources of the prices of programs, of the outputs of vertex programs, and of
// fetches and writes.
func (t *Target) Sources() (programs, outputs, rates Source) { return t.prices, t.exports, t.rates }

// CountsInstructions reports whether the prices of programs on t were measured as instructions of a compiler.
func (t *Target) CountsInstructions() bool { return t.prices == measured }

// Constants lists the charges of t, for documentation and tests; figures that are 0 are omitted.
func (t *Target) Constants() (list []Constant) {
	add := func(name string, source Source, values ...float64) {
		for _, v := range values {
			if v != 0 {
				list = append(list, Constant{name, values, source})
				return
			}
		}
	}
	if s := t.scalars; s != nil {
		add("comparison", t.prices, s.compare)
		add("conditional move", t.prices, s.choose)
		add("fraction (`frc`)", t.prices, s.frc)
		add("gradient (`dsx`, `dsy`)", t.prices, s.deriv)
		add("special function: issue", t.prices, s.special)
		add("special function: its own unit", t.prices, s.beside)
		add("logarithm: addition", t.prices, s.log)
		add("sine or cosine", t.prices, s.trig)
		add("interpolated component", t.prices, s.interp)
		add("interpolated component: special function unit", t.prices, s.interpBeside)
		if s.wide {
			add("interpolated register: its own unit", t.prices, s.apart)
		} else {
			add("interpolated component: its own unit", t.prices, s.apart)
		}
		add("fetches before the start, whose coordinates are free", t.prices, float64(s.prefetches))
		add("reads of registers before the start, at no cost", t.prices, float64(s.preloads))
		add("component constant over a primitive", t.prices, s.flat)
		add("second constant operand", t.prices, s.uniforms)
		add("factor of a dot product, to keep 0 times x at 0", t.prices, s.zeros)
		add("cube fetch: addition", t.prices, s.cube)
		add("projected fetch: addition", t.prices, s.projected)
		add("fetch with gradients: addition", t.prices, s.grads)
		add("coordinate moved next to others for a fetch", t.prices, s.gather)
	}
	if v := t.vectors; v != nil {
		add("sine or cosine", t.prices, float64(v.trig))
		add("gradient (`dsx`, `dsy`)", t.prices, float64(v.gradient))
		add("`texkill`", t.prices, float64(v.kill))
	}
	if g := t.groups; g != nil {
		add("literals of a group", t.prices, groupWords)
		add("pairs of constants of a group", t.prices, groupPairs)
		add("register reads of a group from one lane", t.prices, groupReads)
		add("ready fetches that wait while arithmetic can run", t.prices, float64(g.queue))
	}
	add("output component of a vertex program", t.exports, t.export)
	add("vertex, with 0, 1, 2 ... components read", t.exports, t.primitives...)
	add("vertex attribute", t.exports, t.attribute)
	for i, texel := range []string{"rgba8", "rgba16f", "rgba32f"} {
		add("fetch of "+texel, t.rates, t.fetch[i])
	}
	add("write of rgba8", t.rates, t.write[1])
	add("blend of rgba16f", t.rates, t.write[2])
	return list
}
