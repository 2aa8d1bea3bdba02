package trial

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp/spirv"
)

// Modules are the stages of two versions of SPIR-V modules, compiled for the interpreter. A lone version has one stage. A
// compute program is a vertex program without outputs.
type Modules struct {
	Vertex, Fragment [2]*spirv.Program
	// Kind returns the type of a word of a buffer, or of the texels of an image.
	Kind func(r spirv.Resource, offset uint32) spirv.Kind
	// Pool has words that comparisons may depend on, such as the constants of both versions.
	Pool []uint32
	// Free reports outputs of a lone vertex stage that have no effect. It may be nil.
	Free func(spirv.Component) bool
	// Steps bounds each execution.
	Steps int
}

// ModuleInput is an input of modules: 64 invocations whose inputs and resources are pseudo-random.
type ModuleInput struct {
	Seed    uint64
	Special bool // with infinities, NaNs, denormals and large numbers
}

// moduleRun is one execution of a version.
type moduleRun struct{ vertex, fragment *spirv.Result }

// quads is the number of quads in a batch, and of triangles for a pair.
const quads = spirv.Lanes / 4

// value returns a pseudo-random word of a type, by a key. A jitter other than 0 moves floats by a few roundings.
func (m *Modules) value(t ModuleInput, key uint64, kind spirv.Kind, jitter uint64) uint32 {
	r := symbolic.Stream(symbolic.Mix(t.Seed ^ key*0x9e3779b97f4a7c15))
	pick := r.Next() % 16
	if kind == spirv.Bool {
		return uint32(pick & 1)
	}
	var pooled float64
	if pick < 3 && len(m.Pool) > 0 {
		w := m.Pool[r.Next()%uint64(len(m.Pool))]
		if kind != spirv.Float {
			return w + uint32(r.Next()%3) - 1
		}
		pooled = symbolic.Double(w)
	}
	if kind != spirv.Float {
		switch small := uint32(r.Next() % 17); {
		case pick < 13:
			return small - 4
		case kind == spirv.Int && pick == 13:
			return 1<<31 - small%2
		}
		return uint32(r.Next())
	}
	x := (float64(r.Next()>>11)/(1<<52) - 1) * 2
	switch {
	case math.Abs(pooled) > 1e-20 && math.Abs(pooled) < 1e20:
		x = pooled
	case pick == 3:
		x = float64(int(r.Next()%9) - 4)
	case pick == 4:
		x *= 50
	case pick == 5 && t.Special:
		return specials[r.Next()%uint64(len(specials))]
	}
	if jitter != 0 {
		x *= 1 + float64(int(symbolic.Mix(jitter^key)%7)-3)/(1<<23)
	}
	return math.Float32bits(float32(x))
}

// specials are infinities, NaN, denormals, a large number, and the zeros.
var specials = [...]uint32{0x7f800000, 0xff800000, 0x7fc00000, 1, 0x80000001, 0x7e967699, 0, 0x80000000}

// keys of values. Vertices and quads add their number.
const (
	inputKey = 1 << 40
	imageKey = 2 << 40
	wordKey  = 3 << 40
)

// placeOf returns the key of an interface component.
func placeOf(c spirv.Component) uint64 {
	k := uint64(c.Location)<<16 | uint64(c.Index)<<12 | uint64(c.Component)
	if c.IsBuiltIn {
		k = 1<<32 | uint64(c.BuiltIn)<<12 | uint64(c.Component)
	}
	return inputKey | k
}

// env returns the resources of a run.
func (m *Modules) env(t ModuleInput, jitter, fill uint64) *spirv.Env {
	key := func(r spirv.Resource) uint64 {
		k := uint64(r.Set)<<32 ^ uint64(r.Binding)<<16 ^ uint64(r.Element)<<8
		if r.Push {
			k = ^k
		}
		return symbolic.Mix(k)
	}
	return &spirv.Env{Fill: fill, Steps: m.Steps,
		Word: func(r spirv.Resource, offset uint32) uint32 {
			return m.value(t, wordKey^key(r)^uint64(offset), m.Kind(r, offset), jitter)
		},
		Image: func(r spirv.Resource) *spirv.Image {
			kind := m.Kind(r, 0)
			return &spirv.Image{Width: 8, Height: 8, Depth: 6, Levels: 3, Samples: 4, Texel: func(x, y, z, level, sample int) (p [4]uint32) {
				at := imageKey ^ key(r) ^ uint64(x&63|y&63<<6|z&63<<12|level&7<<18|sample&7<<21)
				for c := range p {
					p[c] = m.value(t, at^uint64(c)<<24, kind, jitter)
				}
				return p
			}}
		},
		Sampler: func(r spirv.Resource) spirv.Sampler {
			bits := symbolic.Mix(key(r) ^ t.Seed)
			return spirv.Sampler{Nearest: bits&3 == 0, Clamp: bits&4 != 0, Greater: bits&8 != 0}
		}}
}

// run executes version side. Values that are undefined have the words of a filling.
func (m *Modules) run(side int, t ModuleInput, jitter, fill uint64) (r moduleRun, err error) {
	env := m.env(t, jitter, fill)
	vs, fs := m.Vertex[side], m.Fragment[side]
	if vs != nil {
		b := &spirv.Batch{N: spirv.Lanes}
		switch {
		case fs != nil:
			b.N = 3 * quads
		case vs.Stage == spirv.Compute:
			b.N = vs.Invocations()
		}
		for _, c := range vs.Inputs() {
			var in spirv.Vec
			for i := range b.N {
				in[i] = m.vertexInput(t, vs, c, i, jitter)
			}
			b.In = append(b.In, in)
		}
		if r.vertex, err = vs.Run(env, b); err != nil || fs == nil {
			return r, err
		}
	}
	b := &spirv.Batch{N: spirv.Lanes}
	for i := range spirv.Lanes {
		b.X[i], b.Y[i] = int32(i/4*2+i&1), int32(i/2&1)
	}
	for _, c := range fs.Inputs() {
		b.In = append(b.In, m.fragmentInput(t, &r, vs, c, jitter))
	}
	r.fragment, err = fs.Run(env, b)
	return r, err
}

// vertexInput returns an input of a vertex, or of an invocation of a compute program.
func (m *Modules) vertexInput(t ModuleInput, vs *spirv.Program, c spirv.Component, i int, jitter uint64) uint32 {
	if vs.Stage == spirv.Compute {
		return vs.ComputeInput(c, symbolic.Mix(t.Seed)%64, i)
	}
	return m.value(t, placeOf(c)^uint64(i)<<48, c.Kind, jitter)
}

// fragmentInput returns the values of an input of the fragments: interpolated, or random with a small gradient.
func (m *Modules) fragmentInput(t ModuleInput, r *moduleRun, vs *spirv.Program, c spirv.Component, jitter uint64) (in spirv.Vec) {
	from := -1
	if vs != nil && !c.IsBuiltIn {
		from = slices.IndexFunc(vs.Outputs(), func(o spirv.Component) bool {
			return !o.IsBuiltIn && o.Location == c.Location && o.Component == c.Component
		})
	}
	for i := range in {
		q, x, y := uint64(i/4), float64(i&1), float64(i/2&1)
		at := placeOf(c) ^ q<<48
		switch {
		case from >= 0:
			in[i] = m.interpolated(t, r, vs, c, &r.vertex.Out[from], q, x, y)
		case c.IsBuiltIn && c.BuiltIn == spirv.FragCoord && c.Component < 2:
			in[i] = math.Float32bits(float32([]float64{2*float64(q) + x, y}[c.Component] + 0.5))
		case c.Flat || c.Kind != spirv.Float || c.IsBuiltIn:
			in[i] = m.value(t, at, c.Kind, jitter)
		default:
			base := symbolic.Double(m.value(t, at, c.Kind, jitter))
			dx := symbolic.Double(m.value(ModuleInput{Seed: t.Seed}, at^1<<46, c.Kind, jitter))
			dy := symbolic.Double(m.value(ModuleInput{Seed: t.Seed}, at^1<<47, c.Kind, jitter))
			in[i] = math.Float32bits(float32(base + x*dx/64 + y*dy/64))
		}
	}
	return in
}

// interpolated returns a varying at a pixel of quad q, whose triangle has the vertices 3q to 3q+2. Each kind of
// interpolation has its own place in the pixel.
func (m *Modules) interpolated(t ModuleInput, r *moduleRun, vs *spirv.Program, c spirv.Component, out *spirv.Vec, q uint64,
	x, y float64) uint32 {
	first := 3 * q
	if c.Flat {
		return out[first]
	}
	switch {
	case c.AtSample:
		x, y = x+0.25, y-0.125
	case c.Centroid:
		x, y = x-0.125, y+0.25
	}
	s := symbolic.Stream(symbolic.Mix(t.Seed ^ q<<20))
	unit := func() float64 { return float64(s.Next()>>11) / (1 << 53) }
	l := [3]float64{0.1 + unit() + x/64, 0.1 + unit() + y/64, 0.1 + unit()}
	if !c.NoPerspective {
		w := slices.IndexFunc(vs.Outputs(), func(o spirv.Component) bool {
			return o.IsBuiltIn && o.BuiltIn == spirv.Position && o.Component == 3
		})
		for k := range l {
			if w >= 0 {
				if d := math.Abs(symbolic.Double(r.vertex.Out[w][first+uint64(k)])); d > 1e-3 && d < 1e3 {
					l[k] /= d
				}
			}
		}
	}
	sum, total := 0.0, 0.0
	for k := range l {
		sum += l[k] * symbolic.Double(out[first+uint64(k)])
		total += l[k]
	}
	return math.Float32bits(float32(sum / total))
}

// ModuleRuns executes both versions on one input.
type ModuleRuns struct {
	modules *Modules
	input   ModuleInput
	stages  []*moduleOutputs
	first   [2]moduleRun // without perturbation, of both versions
}

// moduleOutputs are the compared outputs of a stage.
type moduleOutputs struct {
	fragment  bool
	n         int    // invocations
	lost      uint64 // invocations of before that reach a point that they must not reach
	undecided uint64 // invocations that undefined values or the limit of steps keep from being killed, or not
	places    []spirv.Component
	at        [2][]int     // numbers in both versions
	loose     [][]bool     // by output and lane: undefined in before
	stores    []storeKey   // of both versions
	undef     map[int]bool // stores of undefined words
}

// storeKey is a word that an invocation stores.
type storeKey struct {
	lane    int
	to      spirv.Resource
	image   bool
	texel   [4]int32
	address uint32
}

func keyOf(s spirv.Store) storeKey { return storeKey{s.Lane, s.To, s.Image, s.Texel, s.Address} }

// On prepares an input: it executes before with several fillings, and after, to find which values are undefined in
// before and which words are stored. More fillings find more undefined values: a comparison that falls either way equally
// often looks fixed one time in 2^n.
func (m *Modules) On(t ModuleInput, further int) (*ModuleRuns, error) {
	r := &ModuleRuns{modules: m, input: t}
	list := []uint64{0, fillAfter}
	for i := range further {
		list = append(list, symbolic.Mix(uint64(i))&^3|uint64(1+i%3))
	}
	var runs []moduleRun // those of before
	for _, fill := range list {
		run, err := m.run(0, t, 0, fill)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	after, err := m.run(1, t, 0, fillAfter)
	if err != nil {
		return nil, err
	}
	r.first = [2]moduleRun{runs[0], after}
	pair := m.Vertex[0] != nil && m.Fragment[0] != nil
	if m.Vertex[0] != nil {
		r.stages = append(r.stages, m.outputsOf(false, m.Vertex, pair, runs, &after))
	}
	if m.Fragment[0] != nil {
		r.stages = append(r.stages, m.outputsOf(true, m.Fragment, pair, runs, &after))
	}
	return r, nil
}

// fillAfter is the filling of undefined values in after.
const fillAfter = 0x0ddba11c | spirv.FillFloats

// Filled reports whether undefined values affect the outputs of after.
func (r *ModuleRuns) Filled() bool {
	run, err := r.modules.run(1, r.input, 0, 0)
	return err != nil || slices.ContainsFunc(r.stages, func(o *moduleOutputs) bool {
		return !slices.Equal(run.result(o.fragment).Out, r.first[1].result(o.fragment).Out)
	})
}

func (r *moduleRun) result(fragment bool) *spirv.Result {
	if fragment {
		return r.fragment
	}
	return r.vertex
}

// outputsOf lists the outputs to compare. The varyings of a pair are free, and after may lack a built-in output.
func (m *Modules) outputsOf(fragment bool, programs [2]*spirv.Program, pair bool, runs []moduleRun,
	after *moduleRun) *moduleOutputs {
	o := &moduleOutputs{fragment: fragment, n: spirv.Lanes, undef: map[int]bool{}}
	if pair && !fragment {
		o.n = 3 * quads
	}
	a := runs[0].result(fragment)
	o.lost = a.Undefined | a.Unfinished
	o.undecided = o.lost | after.result(fragment).Unfinished
	for _, run := range runs[1:] {
		o.undecided |= a.Killed ^ run.result(fragment).Killed
	}
	for i, c := range programs[0].Outputs() {
		k := slices.IndexFunc(programs[1].Outputs(), func(d spirv.Component) bool { return placeOf(c) == placeOf(d) })
		if k < 0 || pair && !fragment && !c.IsBuiltIn || !fragment && m.Free != nil && m.Free(c) {
			continue
		}
		o.places = append(o.places, c)
		o.at[0], o.at[1] = append(o.at[0], i), append(o.at[1], k)
		loose := make([]bool, spirv.Lanes)
		for _, run := range runs[1:] {
			b := run.result(fragment)
			for l := range loose {
				lane := uint64(1) << l
				lost := a.Killed ^ b.Killed | a.Undefined | b.Undefined | a.Unfinished | b.Unfinished |
					after.result(fragment).Unfinished
				loose[l] = loose[l] || a.Out[i][l] != b.Out[i][l] || lost&lane != 0
			}
		}
		o.loose = append(o.loose, loose)
	}
	o.loosenInfinite(a)
	o.collectStores(a, after.result(fragment), runs[1:])
	return o
}

// loosenInfinite marks infinities and NaNs as undefined where another output is undefined. They absorb undefined values.
func (o *moduleOutputs) loosenInfinite(before *spirv.Result) {
	var any [spirv.Lanes]bool
	for _, loose := range o.loose {
		for l := range any {
			any[l] = any[l] || loose[l]
		}
	}
	for k, loose := range o.loose {
		for l := range any {
			infinite := !Finite(symbolic.Double(before.Out[o.at[0][k]][l]))
			loose[l] = loose[l] || any[l] && infinite && o.places[k].Kind == spirv.Float
		}
	}
}

// collectStores lists the words that before or after stores, and finds those that are undefined in before. If undefined
// values decide what is stored, nothing is compared.
func (o *moduleOutputs) collectStores(a, after *spirv.Result, others []moduleRun) {
	words := map[storeKey]uint32{}
	for _, s := range a.Stores {
		words[keyOf(s)] = s.Word
		o.stores = append(o.stores, keyOf(s))
	}
	number := map[storeKey]int{}
	for i, k := range o.stores {
		number[k] = i
	}
	for _, run := range others {
		b := run.result(o.fragment)
		for _, s := range b.Stores {
			i, ok := number[keyOf(s)]
			if !ok || len(b.Stores) != len(a.Stores) {
				o.stores = nil
				return
			}
			o.undef[i] = o.undef[i] || s.Word != words[keyOf(s)]
		}
	}
	for _, s := range after.Stores {
		if _, ok := number[keyOf(s)]; !ok {
			number[keyOf(s)] = len(o.stores)
			o.stores = append(o.stores, keyOf(s))
		}
	}
}

// Execute returns the results of a version on the input. A jitter other than 0 perturbs the input of before by a few
// roundings. Undefined values of after have the words of a filling.
func (r *ModuleRuns) Execute(side int, jitter uint64) (*Sample, error) {
	run := r.first[side]
	if jitter != 0 {
		var err error
		if run, err = r.modules.run(side, r.input, jitter, 0); err != nil {
			return nil, err
		}
	}
	s := &Sample{}
	for i, o := range r.stages {
		part := o.sample(side, run.result(o.fragment))
		if i == 0 {
			part.parts = s.parts
			s = part
		} else {
			s.parts = append(s.parts, part)
		}
		if len(o.stores) > 0 {
			s.parts = append(s.parts, o.memory(run.result(o.fragment)))
		}
	}
	return s, nil
}

// sample converts the outputs of a run. Values that before leaves undefined are 0 in all runs.
func (o *moduleOutputs) sample(side int, res *spirv.Result) *Sample {
	s := &Sample{N: o.n, on: make([]bool, o.n)}
	for l := range s.on {
		s.on[l] = (res.Killed&^o.undecided)>>l&1 == 0
	}
	reached := make([]uint32, o.n)
	for l := range reached {
		reached[l] = uint32((res.Undefined &^ o.lost) >> l & 1)
	}
	s.chans = []Channel{{name: "unreachable", exact: true, words: reached, stride: 1}}
	for k, c := range o.places {
		ch := Channel{name: c.String(), exact: c.IsBuiltIn, stride: 1}
		words := res.Out[o.at[side][k]]
		for l := range words {
			if o.loose[k][l] {
				words[l] = 0
			}
		}
		if c.Kind == spirv.Float {
			for _, w := range words {
				ch.data = append(ch.data, math.Float32frombits(w))
			}
		} else {
			ch.words = words[:]
		}
		s.chans = append(s.chans, ch)
	}
	return s
}

// memory converts the stores of a run: one point for each word that before or after stores.
func (o *moduleOutputs) memory(res *spirv.Result) *Sample {
	s := &Sample{N: len(o.stores), written: len(o.stores)}
	stored, words := make([]uint32, s.N), make([]uint32, s.N)
	number := map[storeKey]int{}
	for i, k := range o.stores {
		number[k] = i
	}
	for _, x := range res.Stores {
		if i, ok := number[keyOf(x)]; ok {
			stored[i] = 1
			if !o.undef[i] {
				words[i] = x.Word
			}
		}
	}
	s.chans = []Channel{{name: "stores", words: stored, exact: true, stride: 1}, {name: "stored words", words: words, stride: 1}}
	return s
}

// IsInteger reports whether an output has integers.
func (r *ModuleRuns) IsInteger(output string) bool {
	return slices.ContainsFunc(r.stages, func(o *moduleOutputs) bool {
		return slices.ContainsFunc(o.places, func(c spirv.Component) bool {
			return c.String() == output && c.Kind != spirv.Float
		})
	})
}

// Describe returns the number of an invocation, and the inputs of the first stage in it.
func (r *ModuleRuns) Describe(lane int) (where, text string) {
	where = fmt.Sprintf("invocation %d", lane)
	if r.modules.Vertex[0] != nil && r.modules.Fragment[0] != nil || lane >= spirv.Lanes {
		return where, fmt.Sprintf("input with seed %#x\n", r.input.Seed)
	}
	first := cmp.Or(r.modules.Vertex[0], r.modules.Fragment[0])
	for _, c := range first.Inputs() {
		var w uint32
		if first == r.modules.Vertex[0] {
			w = r.modules.vertexInput(r.input, first, c, lane, 0)
		} else {
			in := r.modules.fragmentInput(r.input, nil, nil, c, 0)
			w = in[lane]
		}
		if c.Kind == spirv.Float {
			text += fmt.Sprintf("%v %v\n", c, math.Float32frombits(w))
		} else {
			text += fmt.Sprintf("%v %d\n", c, int32(w))
		}
	}
	return where, text
}
