package trial

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Batch runs one stage over generated invocations: a single program, or the vertex program of a pair for
// its fixed-function outputs. Every value is a function of the seed and of its semantic or register, so that
// two versions of a program get the same input.
type Batch struct {
	Seed    uint64
	N       int
	Special bool // every other invocation has infinities, NaN, denormals and the like as inputs
	// Fixed limits the comparison to outputs that feed fixed function, in the vertex program of a pair.
	Fixed   bool
	Known   draws.KnownConstants
	Further int           // number of pixel constants beyond those of any model
	trace   *interp.Trace // nil unless wanted
	// set has the inputs and constants with given values; flat gives all invocations the same inputs.
	set  explore.Assignment
	flat bool
	// floats caches the float constants of the stages.
	floats [2][][4]float32
}

// value computes the number for a key from the seed and the key. It is mostly in -1..1, sometimes a small
// integer or as large as 8. A special trial also gets infinities, NaNs, denormals and arbitrary bits. The key
// names the use of the number, so that no two inputs, constants or invocations share one by accident.
func (t *Batch) value(key uint64) float32 {
	r := symbolic.Stream(symbolic.Mix(t.Seed) ^ symbolic.Mix(key))
	kind := r.Next() % 8
	switch x := r.Float(); {
	case t.Special && kind < 2:
		return math.Float32frombits(interp.SpecialWords[r.Next()%uint64(len(interp.SpecialWords))])
	case t.Special && kind < 3:
		return math.Float32frombits(uint32(r.Next()))
	case kind == 5:
		return float32(math.Round(float64(8*x - 4)))
	case kind == 6:
		return 16*x - 8
	default:
		return 2*x - 1
	}
}

// input generates the values of an input register in all invocations. Inputs of a pixel program vary smoothly
// within a quad, as interpolated ones do: all quads have the same differences in x and y. They jump from quad
// to quad. The key consists of usage, index and stage, not of the register, which versions may change.
func (t *Batch) input(p interp.Port, stage d3d9.Stage) (w interp.Words) {
	name := uint64(p.Usage)<<16 | uint64(p.Index)<<8 | uint64(stage)<<32
	if p.Reg.File == d3d9.Misc {
		name = 1<<40 | uint64(p.Reg.Index)<<8
	}
	for c := range w {
		key := name<<24 | uint64(c)<<16
		w[c] = make([]float32, t.N)
		dx, dy := t.value(key|1<<60)/16, t.value(key|2<<60)/16
		for i := range w[c] {
			switch {
			// Each key starts at another special word, so that the registers of an invocation differ.
			case t.Special && i%2 == 0:
				w[c][i] = math.Float32frombits(interp.SpecialValue(i/2, int(symbolic.Mix(key)%uint64(len(interp.SpecialWords)))))
			case stage == d3d9.Pixel && !t.Special:
				w[c][i] = t.value(key|uint64(i/4)) + dx*float32(i&1) + dy*float32(i>>1&1)
			case stage == d3d9.Vertex && p.Usage == d3d9.UsageBlendIndices:
				w[c][i] = float32(symbolic.Mix(key+uint64(i)) % 4)
			default:
				w[c][i] = t.value(key | uint64(i))
			}
		}
	}
	return t.directed(w, p, stage)
}

// directed overrides an input register with the values set for it, the same in all invocations.
func (t *Batch) directed(w interp.Words, p interp.Port, stage d3d9.Stage) interp.Words {
	if !t.flat {
		return w
	}
	for c := range w {
		x := w[c][0]
		if bits, ok := t.set.Lookup(inputLeaf(stage, p.Usage, p.Index, uint8(c))); ok && p.Reg.File != d3d9.Misc {
			x = math.Float32frombits(bits)
		}
		for i := range w[c] {
			w[c][i] = x
		}
	}
	return w
}

// floatConstants generates the float constants of a stage, followed by the parameters that no register holds.
func (t *Batch) floatConstants(stage d3d9.Stage) [][4]float32 {
	list := make([][4]float32, iface.FirstFurtherConstant)
	if stage == d3d9.Pixel {
		list = make([][4]float32, iface.FirstFurtherConstant+t.Further)
	}
	key := 1<<56 | uint64(stage)<<48
	for i := range list {
		for c := range 4 {
			list[i][c] = t.value(key | uint64(i)<<8 | uint64(c))
		}
	}
	return list
}

// constants generates the constants of a stage. It starts with values from the seed, applies t.set, then
// perturbs floats by jitter (see Execute), and finally applies the promised values.
func (t *Batch) constants(stage d3d9.Stage, jitter uint64) *interp.Constants {
	if t.floats[stage] == nil {
		t.floats[stage] = t.floatConstants(stage)
	}
	k := &interp.Constants{Float: slices.Clone(t.floats[stage])}
	r := symbolic.Stream(t.Seed ^ uint64(stage)<<8)
	first := int32(r.Next() % 5)
	for i := range k.Int { // as loops read them: count, start, step
		k.Int[i] = [4]int32{1 + (first+int32(i))%5, int32(r.Next() % 2), 1, 0}
		k.Bool[i] = r.Next()&1 == 0
	}
	draws.KnownConstants(constantsOf(t.set)).Set(k, stage)
	if jitter != 0 {
		perturbConstants(k, jitter+uint64(stage), roundings(jitter))
	}
	t.Known.Set(k, stage)
	return k
}

// textures generates a small texture of random texels for every sampler that p declares.
func (t *Batch) textures(p *d3d9.Program) *interp.TextureSet {
	set := &interp.TextureSet{}
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op != d3d9.OpDcl || in.Dst.File != d3d9.Sampler || int(in.Dst.Index) >= len(set) {
			continue
		}
		typ, w, h, d := in.Decl.Tex, 8, 8, 1
		switch typ {
		case d3d9.TexCube:
			d = w
		case d3d9.TexVolume:
			d = 4
		default:
			typ = d3d9.Tex2D
		}
		seed := int(symbolic.Mix(t.Seed+uint64(in.Dst.Index)) & 0xffff)
		tex := interp.NewTexture(typ, w, h, d, interp.Linear, false, nil, seed)
		set[in.Dst.Index] = textureOf(t.set, tex, p.Model.Stage, int(in.Dst.Index))
	}
	return set
}

// stage returns the program that the batch runs.
func (t *Batch) stage(s *Version) (*interp.Shader, *d3d9.Program) {
	if s.Vertex != nil {
		return s.Vertex, s.programs.Vertex
	}
	return s.Pixel, s.programs.Pixel
}

// Execute runs one stage. Constants come from the framework or from the seed, then from uploads, then from
// the copies for confined reads. A jitter other than 0 perturbs inputs and float constants.
func (t *Batch) Execute(s *Version, n interp.Numerics, jitter uint64) (*Sample, error) {
	s.begin()
	sh, prog := t.stage(s)
	stage := sh.Model().Stage
	var banks [2]*interp.Constants
	banks[stage] = t.constants(stage, jitter)
	framework := s.Hosts != (iface.Hosts{})
	if framework || len(s.uploads) > 0 { // these also read constants of the other stage
		banks[1-stage] = t.constants(1-stage, jitter)
	}
	if framework {
		if err := s.Hosts.Set(banks[d3d9.Vertex], banks[d3d9.Pixel], iface.ClientOf(n)); err != nil {
			return nil, err
		}
	} else {
		for _, u := range s.uploads {
			if u.Stage() == stage {
				u.Apply(banks[d3d9.Vertex], banks[d3d9.Pixel])
			}
		}
	}
	env := &interp.Env{Constants: banks[stage], Textures: t.textures(prog), Numerics: n, Budget: s.Work, Trace: t.trace,
		Seen: s.Seen}
	if stage == d3d9.Vertex {
		s.copyBanks(env.Constants)
	}
	in := make([]interp.Words, len(sh.Inputs()))
	r := symbolic.Stream(jitter)
	for i, p := range sh.Inputs() {
		in[i] = t.input(p, stage)
		for c := range in[i] {
			for k := range in[i][c] {
				if jitter != 0 {
					in[i][c][k] = perturbFloat(&r, in[i][c][k], roundings(jitter))
				}
			}
		}
	}
	res, err := sh.Run(env, t.N, in)
	if err != nil {
		return nil, err
	}
	p := ofBatch(sh, res, t.N, t.Fixed)
	p.Alike = t.flat
	return s.sober(p), nil
}

// Describe lists the inputs of an invocation and the constants that its program reads, for a report.
func (t *Batch) Describe(s *Version, i int) (where, text string) {
	sh, prog := t.stage(s)
	stage := sh.Model().Stage
	var b strings.Builder
	line := func(name string, v [4]float32) { fmt.Fprintf(&b, "%s %v %v %v %v\n", name, v[0], v[1], v[2], v[3]) }
	for _, p := range sh.Inputs() {
		w := t.input(p, stage)
		line(p.Reg.String(), [4]float32{w[0][i], w[1][i], w[2][i], w[3][i]})
	}
	k := t.constants(stage, 0)
	named := [256]bool{}
	for j := range prog.Insts {
		for _, src := range prog.Insts[j].Sources() {
			if src.File == d3d9.Const && src.Index < 256 {
				named[src.Index] = readsConst(prog, d3d9.Const, int(src.Index)) // excludes constants that the program defines
			}
		}
	}
	for c, ok := range named {
		if ok {
			line("c"+strconv.Itoa(c), k.Float[c])
		}
	}
	return "invocation " + strconv.Itoa(i), b.String()
}
