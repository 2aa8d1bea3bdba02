package draw

// Source says where figures come from.
type Source string

// The sources.
const (
	Measured  Source = "measured"          // with Mesa 25.0.7's compilers, as slopes between small programs
	Timed     Source = "timed"             // on a GPU of the kind
	Documents Source = "vendor's document" // and what follows from it
	Derived   Source = "derived"           // from figures of other kinds
)

// Constant is a figure of a target, with a value for each kind where there are several: of texels,
// of what is written, or of how many components are sent.
type Constant struct {
	Name   string
	Values []float64
	Source Source
}

// Unit is what prices of t count.
func (t *Target) Unit() string {
	switch {
	case t.scalars != nil:
		return "operations on one component"
	case t.vectors != nil:
		return "instructions of three components and a scalar"
	}
	return "groups of up to five operations"
}

// Constants lists what t charges, for documentation and tests; figures that are 0 are left out.
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
		add("choice", t.prices, s.choose)
		add("fraction", t.prices, s.frc)
		add("gradient", t.prices, s.deriv)
		add("function", t.prices, s.special)
		add("function, beside", t.prices, s.beside)
		add("logarithm, more", t.prices, s.log)
		add("interpolated component", t.prices, s.interp)
		add("interpolated component, beside", t.prices, s.interpBeside)
		add("component of a primitive", t.prices, s.flat)
		add("second constant operand", t.prices, s.uniforms)
		add("factor that may be zero", t.prices, s.zeros)
		add("cube fetch", t.prices, s.cube)
		add("projected fetch", t.prices, s.projected)
		add("fetch with gradients", t.prices, s.grads)
		add("coordinates moved together", t.prices, s.gather)
	}
	if v := t.vectors; v != nil {
		add("sine or cosine", t.prices, float64(v.trig))
		add("gradient", t.prices, float64(v.gradient))
		add("end of a pixel", t.prices, float64(v.kill))
	}
	if g := t.groups; g != nil {
		add("literals of a group", t.prices, groupWords)
		add("pairs of constants of a group", t.prices, groupPairs)
		add("values that a group reads of a lane", t.prices, groupReads)
		add("fetches that wait for arithmetic", t.prices, float64(g.queue))
	}
	add("component sent", t.exports, t.export)
	add("vertex that sends 0, 1, 2 ... components", t.exports, t.primitives...)
	add("attribute of a vertex", t.exports, t.attribute)
	add("fetch of rgba8, rgba16f, rgba32f", t.rates, t.fetch[:]...)
	add("rgba8 written, rgba16f blended", t.rates, t.write[1:]...)
	return list
}
