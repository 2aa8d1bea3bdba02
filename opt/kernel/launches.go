package kernel

import (
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
	"github.com/shaderlift/shaderlift/verify/draws"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Launch is a launch on which the versions of a kernel are priced. Its cases are text in the format of
// docs/cases.md, which [kernel.ParseCase] reads.
//
// [kernel.ParseCase]: https://pkg.go.dev/github.com/shaderlift/shaderlift/verify/interp/kernel#ParseCase
type Launch struct {
	// Name is typical, few (trips) or many (trips) for a launch generated from the input, and given for
	// the launch of Options.Kernel.Case.
	Name string `json:"name"`
	// Before is the case of the input. Paths in it are relative to the given case file.
	Before string `json:"before"`
	// After is the case of the result, if the host must launch it differently: over a smaller domain,
	// or with packed resources (Result.Coarsened). If it is empty, Before is for both.
	After string `json:"after,omitempty"`
	// CyclesBefore and CyclesAfter are the times of the input and of the result on this launch, 0 if
	// the launch cannot be simulated.
	CyclesBefore float64 `json:"cycles_before"`
	CyclesAfter  float64 `json:"cycles_after,omitempty"`
}

// The names of launches.
const (
	typicalLaunch = "typical"
	fewLaunch     = "few"
	manyLaunch    = "many"
	givenLaunch   = "given"
)

// Workload is a launch of the input, and the time of the input on it.
type Workload struct {
	Name   string
	Case   *interpreter.Case
	Before float64 // in cycles
}

// Record returns l in its report form, for a result of tile t that takes after cycles.
func (l *Workload) Record(t ir.Tile, outputs int, after float64) Launch {
	r := Launch{Name: l.Name, Before: string(l.Case.Format()), CyclesBefore: l.Before, CyclesAfter: after}
	if !t.Same() {
		r.After = string(Tiled(l.Case, t, outputs).Format())
	}
	return r
}

// WorkloadsOf returns the launches on which versions of k are priced: the given launches, or the given
// case alone, or the generated typical launch. If all is set, variants of the typical launch follow. The
// kernel was lifted to f and compiled to s. All promised constants have their values.
func (o *Settings) WorkloadsOf(k *il.Kernel, f *ir.Func, s *sched.Scheduled, all bool) ([]Workload, error) {
	if len(o.Given) > 0 {
		list, err := ParseLaunches(o.Given)
		for i := range list {
			list[i].Case = o.adapted(list[i].Case)
		}
		return list, err
	}
	if o.Case != nil {
		return []Workload{{Name: givenLaunch, Case: o.adapted(o.Case)}}, nil
	}
	v := varier{Settings: o, kernel: k, lifted: f, program: s, typical: o.typical(k)}
	v.typical = v.trips(v.typical, more, larger)
	list := []Workload{{Name: typicalLaunch, Case: v.typical}}
	if !all {
		return list, nil
	}
	few, many := v.varyTrips()
	return append(list, Workload{Name: fewLaunch, Case: few}, Workload{Name: manyLaunch, Case: many}), nil
}

// ParseLaunches parses the cases of launches.
func ParseLaunches(given []Launch) (list []Workload, err error) {
	for _, l := range given {
		c, err := interpreter.ParseCase("launch "+l.Name, []byte(l.Before))
		if err != nil {
			return nil, err
		}
		list = append(list, Workload{Name: l.Name, Case: c})
	}
	return list, nil
}

// adapted returns a copy of a given case with the domain and the constants of the options.
func (o *Settings) adapted(c *interpreter.Case) *interpreter.Case {
	d := *c
	o.resize(&d)
	o.promised(&d)
	return &d
}

// resize gives c the requested domain, or the only domain that a coarser kernel is for.
func (o *Settings) resize(c *interpreter.Case) {
	old := [2]int{c.Width, c.Height}
	for axis, side := range []*int{&c.Width, &c.Height} {
		if n := o.Domain[axis]; n > 0 {
			*side = n
		}
		if n := o.Only[axis]; n > 0 {
			*side = n
		}
	}
	if old != [2]int{c.Width, c.Height} {
		c.Inputs = anyDomain(c.Inputs)
	}
}

// anyDomain replaces the input values for the elements of one domain by random numbers. Times do not
// depend on them.
func anyDomain(inputs []interpreter.Input) []interpreter.Input {
	inputs = slices.Clone(inputs)
	for i := range inputs {
		if d := &inputs[i].Data; d.Kind == interpreter.Words || d.Kind == interpreter.File {
			*d = interpreter.Data{Kind: interpreter.Random, Seed: DefaultSeed}
		}
	}
	return inputs
}

// typical generates the typical launch of k, with few trips of loops. Its constants make the kernel
// execute most of its statements (kernel.DefaultCase), and its resources are as large as the domain.
func (o *Settings) typical(k *il.Kernel) *interpreter.Case {
	c := interpreter.DefaultCase(k, DefaultSeed)
	c.Width, c.Height = defaultDomain, defaultDomain
	o.resize(c)
	c.Steps = min(max(workSteps/max(len(k.Insts), 1), leastSteps), mostSteps)
	o.promised(c)
	spread(c, k, c.Width, c.Height)
	return c
}

// spread gives all non-linear resources of c the size of w by h elements.
func spread(c *interpreter.Case, k *il.Kernel, w, h int) {
	types := resourceTypes(k)
	c.Resources = slices.Clone(c.Resources)
	for i := range c.Resources {
		if r := &c.Resources[i]; !linear(types[r.ID]) {
			r.Width, r.Height = w, h
		}
	}
}

// resourceTypes returns the shapes of the resources that k declares.
func resourceTypes(k *il.Kernel) map[int]il.TexType {
	types := map[int]il.TexType{}
	for i := range k.Insts {
		if in := &k.Insts[i]; in.Op == il.OpDclResource {
			types[int(in.Ctl.ID)] = in.Ctl.Tex
		}
	}
	return types
}

// linear reports whether resources of a shape are rows of elements, which do not grow with the domain.
func linear(t il.TexType) bool { return t == il.Tex1D || t == il.TexBuffer || t == il.Tex1DArray }

// SimLaunch returns launch c of k in the form of package sim.
func SimLaunch(k *il.Kernel, c *interpreter.Case) *sim.Launch {
	l := &sim.Launch{Width: c.Width, Height: c.Height, Resources: map[int]sim.Surface{}, Seed: DefaultSeed, Limit: c.Steps}
	l.Constants = append(append(l.Constants, c.Constants[:]...), c.Immediate, c.Ints) // the order of package mir
	for i := range k.Insts {
		if in := &k.Insts[i]; in.Op == il.OpDclNumThreadPerGroup {
			l.Group = [3]int{1, 1, 1}
			for axis, n := range in.Immediates() {
				l.Group[axis] = int(n)
			}
		}
	}
	if k.Stage == il.Compute {
		if l.Group == ([3]int{}) {
			l.Group = [3]int{64, 1, 1}
		}
		l.Groups = groups(l)
	}
	types := resourceTypes(k)
	for _, r := range c.Resources {
		shape, declared := types[r.ID]
		// Resources that k does not declare are images of a later version, which are buffers.
		l.Resources[r.ID] = sim.Surface{Width: r.Width, Height: r.Height, Bytes: 4 * r.Format.Components(),
			Linear: !declared || linear(shape)}
	}
	return l
}

// groups returns the numbers of work groups that cover the domain: in a row if groups are rows, else in
// tiles.
func groups(l *sim.Launch) [3]int {
	cover := func(n, by int) int { return (n + by - 1) / by }
	if l.Group[1] == 1 && l.Group[2] == 1 {
		return [3]int{cover(l.Width*l.Height, l.Group[0]), 1, 1}
	}
	return [3]int{cover(l.Width, l.Group[0]), cover(l.Height, l.Group[1]), 1}
}

// promised sets the constants of c that the application promises.
func (o *Settings) promised(c *interpreter.Case) {
	copy(c.Constants[:], draws.WithConstants(c.Constants[:], o.Promised))
}

// registerFile returns the register file of c with constant r, and the index of r in it.
func registerFile(c *interpreter.Case, r ir.Reg) (elements *[][4]uint32, at int) {
	switch il.File(r.File) {
	case il.ImmConstBuf:
		return &c.Immediate, int(r.Index)
	case il.ConstInt:
		return &c.Ints, int(r.Index)
	}
	bank, at := amdil.Constant(r)
	return &c.Constants[bank], at
}

// constantWord returns a component of a constant of c, or 0 if c lacks it.
func constantWord(c *interpreter.Case, r ir.Reg) uint32 {
	elements, at := registerFile(c, r)
	if at >= len(*elements) {
		return 0
	}
	return (*elements)[at][r.Comp]
}

// WithWord returns a copy of c with another value of a component of a constant.
func WithWord(c *interpreter.Case, r ir.Reg, w uint32) *interpreter.Case {
	d := *c
	elements, at := registerFile(&d, r)
	*elements = append(make([][4]uint32, 0, max(len(*elements), at+1)), *elements...)
	for len(*elements) <= at {
		*elements = append(*elements, [4]uint32{})
	}
	(*elements)[at][r.Comp] = w
	return &d
}
