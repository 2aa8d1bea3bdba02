package verify

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/host"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/fuzz"
	"github.com/shaderlift/shaderlift/verify/internal/lifted"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// directedBudget limits directed executions: instructions that scouts evaluate, draws or batches for
// constants and inputs, and instructions in draws for trip counts.
type directedBudget struct{ work, trials, trips int }

// directedBudget returns the limits of the check. They are larger if there is a difference to find.
func (c *ladder) directedBudget() directedBudget {
	switch {
	case c.Effort == Full:
		return directedBudget{1 << 22, 256, 1 << 22}
	case c.differs():
		return directedBudget{1 << 21, 64, 1 << 18}
	case c.Shared != nil:
		return directedBudget{1 << 15 >> c.Shared.searches(), 32 >> c.Shared.searches(), 1 << 12}
	}
	return directedBudget{1 << 16, 32, 1 << 18}
}

// scouted returns the number of trips of a loop that scouts evaluate.
func (c *ladder) scouted() int {
	if c.Effort == Full || c.differs() {
		return explore.ScoutedTrips
	}
	return 1
}

// differs reports whether executions should search for a difference: proofs found one or none holds.
// Differences of roundings and of precision do not count.
func (c *ladder) differs() bool {
	switch {
	case c.Brief || c.field.Outcome == proof.Equal:
		return false
	case c.field.Outcome == proof.Different:
		return !c.field.Declared
	}
	return c.terms.diff != nil
}

// wildWords are the special values of float arithmetic: both zeros, both infinities, NaN, the largest number,
// the smallest denormal, and 1. Only at such values, versions that are equal over the reals may differ in
// bits.
var wildWords = [...]uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 1, 0x3f800000}

// wildRows exceeds the number of wildWords, so that some leaves keep their values while others are special.
// It is prime: wild steps by 1 and by 2 from leaf to leaf. Any two of wildRows leaves therefore get zero and
// infinity at the same time.
const wildRows = 13

// wildAssignments returns assignments that set each leaf to each of wildWords, if bits count and are not proved the
// same. Constants have one value per draw, and there are few random draws.
func (c *ladder) wildAssignments(leaves []explore.Leaf) []explore.Assignment {
	if c.Numerics > Bits || c.terms.diff == nil {
		return nil
	}
	list := make([]explore.Assignment, 2*wildRows)
	for k := range list {
		for i, l := range leaves {
			if at := (k + (1+k/wildRows)*i) % wildRows; at < len(wildWords) {
				list[k] = append(list[k], explore.Setting{Leaf: l, Bits: wildWords[at]})
			}
		}
	}
	return list
}

// Size of the render target of a directed draw: one batch of fragments.
const directedWidth, directedHeight = 8, 6

// unproved reports whether executions have to find differences that proofs left open. A proof holds on both
// sides of every comparison. A version that the caller cannot use needs no further executions.
func (c *ladder) unproved() bool { return c.Effort == Full || !c.accepted() && c.usable() }

// accepted reports whether a sufficient proof holds.
func (c *ladder) accepted() bool {
	return c.sameTerms() || c.field.Outcome == proof.Equal && c.field.Unstable == "" && c.Numerics >= Real
}

// sameTerms reports whether both versions are the same terms.
func (c *ladder) sameTerms() bool { return c.terms.diff == nil && c.terms.why == "" }

// inputLeaf returns the leaf of an input component, by its semantic.
func inputLeaf(stage d3d9.Stage, u d3d9.Usage, index, comp uint8) explore.Leaf {
	return explore.Leaf{Space: uint64(stage), Kind: ir.Input, Reg: ir.Reg{File: ir.File(u), Index: uint16(index), Comp: comp}}
}

// The first firstOnMore assignments, for comparisons of one version alone, are tried on moreBases further
// inputs if there is a difference to find.
const firstOnMore, moreBases = 16, 3

// directed returns variants of the first trial. Their constants and inputs make the programs decide
// otherwise, or make loops run for notable trip counts. Package explore finds the inputs: it evaluates both
// programs on one invocation and solves for the operands of comparisons. directed also returns all
// assignments and the leaves of the programs.
func (c *checker) directed(bases []trial) (list []trial, found []explore.Assignment, leaves []explore.Leaf) {
	base := bases[0]
	bases = slices.DeleteFunc(bases[1:], func(t trial) bool { b, ok := t.(*batchTrial); return ok && b.fixed })
	budget := c.directedBudget()
	for _, a := range c.trips(budget.trips) {
		list = append(list, c.variant(base, a))
	}
	if c.sides[0] == nil || c.sides[1] == nil {
		return list, nil, nil
	}
	x := &explore.Explorer{Work: budget.work}
	known := map[explore.Leaf]uint32{} // memo: a batch makes all its constants or inputs for each one
	x.Base = func(l explore.Leaf) uint32 {
		bits, ok := known[l]
		if !ok {
			bits = c.baseValue(base, l)
			known[l] = bits
		}
		return bits
	}
	x.Evaluate = func(a explore.Assignment, brief bool) *explore.Survey { return c.survey(x, a, brief) }
	found = x.Explore()
	for k, a := range found[:min(len(found), budget.trials)] {
		list = append(list, c.variant(base, a))
		if k < min(x.First, firstOnMore) {
			for _, other := range bases[:min(len(bases), moreBases)] {
				list = append(list, c.variant(other, a))
			}
		}
	}
	for _, a := range c.wildAssignments(x.Leaves) {
		list = append(list, c.variant(base, a))
	}
	return list, found, x.Leaves
}

// survey evaluates both versions on assignment a with scouts. It passes outputs of the vertex program on as
// if they were constant over the triangle.
func (c *checker) survey(x *explore.Explorer, a explore.Assignment, brief bool) *explore.Survey {
	s := &explore.Survey{Holds: map[explore.Turn]bool{}, Trips: c.scouted(), Brief: brief}
	get := func(l explore.Leaf) uint32 {
		if !slices.Contains(x.Leaves, l) {
			x.Leaves = append(x.Leaves, l)
		}
		if bits, ok := a.Lookup(l); ok {
			return bits
		}
		return x.Base(l)
	}
	for i, o := range c.sides {
		s.After = i == 1
		varyings := map[uint64]uint32{}
		if o.Vertex != nil {
			value := s.Run(toScout(o.Vertex), func(kind ir.Kind, r ir.Reg) uint32 { return scouted(o.Vertex, kind, r, get) })
			for _, out := range o.Vertex.Fn.Outs {
				varyings[o.Vertex.SemanticKey(out.Reg)] = value(out.V)
			}
		}
		if o.Pixel != nil {
			s.Run(toScout(o.Pixel), func(kind ir.Kind, r ir.Reg) uint32 {
				if kind == ir.Input && o.Vertex != nil {
					return varyings[o.Pixel.SemanticKey(r)]
				}
				return scouted(o.Pixel, kind, r, get)
			})
		}
	}
	return s
}

// scouted returns the value of a register component in a scout's evaluation, from the values of leaves (get).
// If the framework sets the register, scouted reads the registers that keep its parameters.
func scouted(p *lifted.Program, kind ir.Kind, r ir.Reg, get func(explore.Leaf) uint32) uint32 {
	if kind == ir.Uniform && p.Host.Sets(r) {
		return p.Host.Scout(r, get)
	}
	return get(leafOf(p, kind, r))
}

// leafOf returns the leaf that explore can set: an input by its semantic, a constant by the register that the
// host sets, a fetch result by its sampler.
func leafOf(p *lifted.Program, kind ir.Kind, r ir.Reg) explore.Leaf {
	if kind == ir.Input {
		s := p.SemanticOf(r)
		return inputLeaf(p.Stage, s.Usage, s.Index, r.Comp)
	}
	if kind == ir.Result {
		return explore.Leaf{Space: uint64(p.Stage), Kind: kind, Reg: r}
	}
	if from, ok := p.Shared[r.Index]; ok && r.File == ir.File(d3d9.Const) {
		return explore.Leaf{Space: uint64(p.Stage.Other()), Kind: ir.Uniform, Reg: ir.Reg{File: r.File, Index: from, Comp: r.Comp}}
	}
	return explore.Leaf{Space: uint64(p.Stage), Kind: ir.Uniform, Reg: r}
}

// baseValue returns the value of a leaf at the first vertex or invocation of a trial.
func (c *checker) baseValue(base trial, l explore.Leaf) uint32 {
	stage := d3d9.Stage(l.Space)
	n, comp := int(l.Reg.Index), l.Reg.Comp
	if l.Kind == ir.Result {
		return math.Float32bits(halfway)
	}
	switch t := base.(type) {
	case drawTrial:
		d := t.known.InDraw(t.c)
		if l.Kind == ir.Uniform {
			k := &d.Vertex
			if stage == d3d9.Pixel {
				k = &d.Pixel
			}
			return constantBits(k, l.Reg)
		}
		for _, a := range d.Attrs {
			if a.Usage == d3d9.Usage(l.Reg.File) && a.Index == n && int(comp) < a.Comps {
				return math.Float32bits(a.Data[comp])
			}
		}
	case *batchTrial:
		if l.Kind == ir.Uniform {
			return constantBits(t.constants(stage, 0), l.Reg)
		}
		p := interp.Port{Usage: d3d9.Usage(l.Reg.File), Index: uint8(n)}
		return math.Float32bits(t.input(p, stage)[comp][0])
	}
	return 0
}

// constantBits returns the bits of a component of a constant register.
func constantBits(k *interp.Constants, r ir.Reg) uint32 {
	n := int(r.Index)
	switch file := d3d9.File(r.File); {
	case file == d3d9.Const && n < len(k.Float):
		return math.Float32bits(k.Float[n][r.Comp])
	case file == d3d9.ConstInt && n < len(k.Int):
		return uint32(k.Int[n][r.Comp])
	case file == d3d9.ConstBool && n < len(k.Bool) && k.Bool[n]:
		return 1
	}
	return 0
}

// halfway is the default result of fetches, in the middle of 0..1.
const halfway = 0.5

// textureOf returns texture t of sampler n with the fetch results that a sets. Results that are set by
// component are the same everywhere.
func textureOf(a explore.Assignment, t *interp.Texture, stage d3d9.Stage, n int) *interp.Texture {
	texel := [4]float32{halfway, halfway, halfway, halfway}
	set := false
	for _, s := range a {
		if s.Leaf.Kind != ir.Result || s.Leaf.Space != uint64(stage) || int(s.Leaf.Reg.Index) != n || t == nil {
			continue
		}
		if s.Leaf.Reg.Comp == fuzz.Whole {
			return speckled(t, s.Bits)
		}
		texel[s.Leaf.Reg.Comp], set = math.Float32frombits(s.Bits), true
	}
	if !set {
		return t
	}
	return interp.NewTexture(t.Type, 1, 1, 1, interp.Nearest, false, slices.Repeat(texel[:], texels(t.Type, 1)), 0)
}

// texels returns the number of texels of a texture with the given edge.
func texels(typ d3d9.TexType, edge int) int {
	if typ == d3d9.TexCube {
		return 6 * edge * edge
	}
	return edge * edge
}

// speckled returns a texture like t whose texels are notable numbers.
func speckled(t *interp.Texture, seed uint32) *interp.Texture {
	const edge = 4
	r := symbolic.Stream(seed)
	data := make([]float32, 4*texels(t.Type, edge))
	depth := 1
	if t.Type == d3d9.TexCube {
		depth = edge
	}
	for i := range data {
		data[i] = fuzz.Notable[r.Next()%uint64(len(fuzz.Notable))]
		if seed&1 != 0 {
			data[i] = fuzz.Notable[r.Next()%fuzz.FewNotable]
		}
	}
	filter := interp.Nearest
	if seed&2 != 0 {
		filter = interp.Linear
	}
	return interp.NewTexture(t.Type, edge, edge, depth, filter, false, data, 0)
}

// constantsOf returns the constants that a sets.
func constantsOf(a explore.Assignment) (list []host.Constant) {
	for _, s := range a {
		if s.Leaf.Kind == ir.Uniform {
			list = append(list, Constant{Stage: d3d9.Stage(s.Leaf.Space), Reg: s.Leaf.Reg, Bits: s.Bits})
		}
	}
	return list
}

// inputsOf returns the inputs that a sets.
func inputsOf(a explore.Assignment) explore.Assignment {
	return slices.DeleteFunc(slices.Clone(a), func(s explore.Setting) bool { return s.Leaf.Kind != ir.Input })
}

// variant returns a trial with an assignment. Inputs that it sets are the same at all vertices or
// invocations. Promised constants override it.
func (c *checker) variant(base trial, a explore.Assignment) trial {
	inputs := inputsOf(a)
	switch t := base.(type) {
	case *batchTrial:
		b := *t
		if b.special {
			b.special, b.floats = false, [2][][4]float32{}
		}
		b.n, b.set, b.flat = min(b.n, interp.Lanes), a, len(inputs) > 0
		return &b
	case drawTrial:
		d := *t.c
		d.Width, d.Height = directedWidth, directedHeight
		if len(inputs) > 0 {
			d.Attrs = flattened(d.Attrs, inputs)
		}
		for i := range d.PixelTex {
			d.PixelTex[i] = textureOf(a, d.PixelTex[i], d3d9.Pixel, i)
			d.VertexTex[i] = textureOf(a, d.VertexTex[i], d3d9.Vertex, i)
		}
		return drawTrial{c: host.Constants(constantsOf(a)).InDraw(&d), known: t.known}
	}
	return base
}

// flattened returns attributes that are the same at all vertices, except the position, with the values that
// inputs sets.
func flattened(attrs []interp.Attr, inputs explore.Assignment) []interp.Attr {
	list := slices.Clone(attrs)
	for i := range list {
		a := &list[i]
		if a.Usage == d3d9.UsagePosition || a.Comps == 0 {
			continue
		}
		first := slices.Clone(a.Data[:a.Comps])
		for _, in := range inputs {
			if r := in.Leaf.Reg; d3d9.Usage(r.File) == a.Usage && int(r.Index) == a.Index && int(r.Comp) < a.Comps {
				first[r.Comp] = math.Float32frombits(in.Bits)
			}
		}
		a.Data = slices.Repeat(first, len(a.Data)/a.Comps)
	}
	return list
}

// toScout converts u to the program form of package explore.
func toScout(u lifted.Unit) explore.Program {
	return explore.Program{Func: u.Function(), Holds: u.Holds, Indexed: u.Indexed}
}
