package verify

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/special"
)

// batchTrial runs one stage over invocations made up from a seed: a lone program,
// or the vertex program of a pair for what feeds fixed function. Everything is a
// function of the seed and of the semantic or register it is for, so that two
// versions of a program meet the same input.
type batchTrial struct {
	seed    uint64
	n       int
	special bool // every other invocation has infinities, NaN, denormals and the like as inputs
	// fixed: only outputs that feed fixed function are compared, those of the vertex program of a pair.
	fixed   bool
	known   promise
	further int           // how many pixel constants there are beyond those of any model
	trace   *interp.Trace // nil unless wanted
	// set are inputs and constants that have a value of their own, flat tells that all
	// invocations have the same inputs.
	set  explore.Assignment
	flat bool
	// floats are the float constants of the stages, once they are made.
	floats [2][][4]float32
}

// value is the number for a key, made anew each time from the seed and the key: mostly in -1..1, at
// times a small integer or as large as 8; of a special trial infinities, NaNs, denormals and any bits.
// Keys name what the number is for, so that no two inputs, constants or invocations share one by
// accident.
func (t *batchTrial) value(key uint64) float32 {
	r := symbolic.Stream(symbolic.Mix(t.seed) ^ symbolic.Mix(key))
	kind := r.Next() % 8
	switch x := r.Float(); {
	case t.special && kind < 2:
		return math.Float32frombits(special.Words[r.Next()%uint64(len(special.Words))])
	case t.special && kind < 3:
		return math.Float32frombits(uint32(r.Next()))
	case kind == 5:
		return float32(math.Round(float64(8*x - 4)))
	case kind == 6:
		return 16*x - 8
	default:
		return 2*x - 1
	}
}

// input makes the values of an input register in all invocations. Those of a pixel program vary
// smoothly within a quad, by the same differences in x and y everywhere, as interpolated ones do, and
// jump from quad to quad. The key is made of usage, index and stage, not of the register, which
// versions may change.
func (t *batchTrial) input(p interp.Port, stage d3d9.Stage) (w interp.Words) {
	name := uint64(p.Usage)<<16 | uint64(p.Index)<<8 | uint64(stage)<<32
	if p.Reg.File == d3d9.Misc {
		name = 1<<40 | uint64(p.Reg.Index)<<8
	}
	for c := range w {
		key := name<<24 | uint64(c)<<16
		w[c] = make([]float32, t.n)
		dx, dy := t.value(key|1<<60)/16, t.value(key|2<<60)/16
		for i := range w[c] {
			switch {
			// The registers of an invocation hold different special words, by another start for each key.
			case t.special && i%2 == 0:
				w[c][i] = math.Float32frombits(special.At(i/2, int(symbolic.Mix(key)%uint64(len(special.Words)))))
			case stage == d3d9.Pixel && !t.special:
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

// directed gives an input register what is set for it, the same in all invocations.
func (t *batchTrial) directed(w interp.Words, p interp.Port, stage d3d9.Stage) interp.Words {
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

// floatConstants are those of a stage, and behind them the parameters that no register holds.
func (t *batchTrial) floatConstants(stage d3d9.Stage) [][4]float32 {
	list := make([][4]float32, firstFurther)
	if stage == d3d9.Pixel {
		list = make([][4]float32, firstFurther+t.further)
	}
	key := 1<<56 | uint64(stage)<<48
	for i := range list {
		for c := range 4 {
			list[i][c] = t.value(key | uint64(i)<<8 | uint64(c))
		}
	}
	return list
}

// constants makes the constants of a stage: from the seed, then what is set, then a jitter's
// perturbation, and at last what is promised of them; jitter is that of execute.
func (t *batchTrial) constants(stage d3d9.Stage, jitter uint64) *interp.Constants {
	if t.floats[stage] == nil {
		t.floats[stage] = t.floatConstants(stage)
	}
	k := &interp.Constants{Float: slices.Clone(t.floats[stage])}
	r := symbolic.Stream(t.seed ^ uint64(stage)<<8)
	first := int32(r.Next() % 5)
	for i := range k.Int { // as loops read them: count, start, step
		k.Int[i] = [4]int32{1 + (first+int32(i))%5, int32(r.Next() % 2), 1, 0}
		k.Bool[i] = r.Next()&1 == 0
	}
	promise(constantsOf(t.set)).set(k, stage)
	if jitter != 0 {
		shaken(k, jitter+uint64(stage), offBy(jitter))
	}
	t.known.set(k, stage)
	return k
}

// textures makes a small texture of random texels for every sampler that p declares.
func (t *batchTrial) textures(p *d3d9.Program) *interp.TextureSet {
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
		seed := int(symbolic.Mix(t.seed+uint64(in.Dst.Index)) & 0xffff)
		tex := interp.NewTexture(typ, w, h, d, interp.Linear, false, nil, seed)
		set[in.Dst.Index] = textureOf(t.set, tex, p.Model.Stage, int(in.Dst.Index))
	}
	return set
}

// stage is the program that a batch runs.
func (t *batchTrial) stage(s *shaders) (*interp.Shader, *d3d9.Program) {
	if s.vertex != nil {
		return s.vertex, s.programs.Vertex
	}
	return s.pixel, s.programs.Pixel
}

// execute runs one stage. Constants come from the framework or from the seed, then uploads, then the
// copies that confined reads go to; a jitter perturbs inputs and float constants, 0 being none.
func (t *batchTrial) execute(s *shaders, n interp.Numerics, jitter uint64) (*sample, error) {
	s.begin()
	sh, prog := t.stage(s)
	stage := sh.Model().Stage
	var banks [2]*interp.Constants
	banks[stage] = t.constants(stage, jitter)
	framework := s.hosts != (hosts{})
	if framework || len(s.uploads) > 0 { // which read constants of the other stage, too
		banks[1-stage] = t.constants(1-stage, jitter)
	}
	if framework {
		if err := s.hosts.set(banks[d3d9.Vertex], banks[d3d9.Pixel], client(n)); err != nil {
			return nil, err
		}
	} else {
		for _, u := range s.uploads {
			if u.Stage() == stage {
				u.Set(banks[d3d9.Vertex], banks[d3d9.Pixel])
			}
		}
	}
	env := &interp.Env{Constants: banks[stage], Textures: t.textures(prog), Numerics: n, Budget: s.work, Trace: t.trace, Seen: s.seen}
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
					in[i][c][k] = nudged(&r, in[i][c][k], offBy(jitter))
				}
			}
		}
	}
	res, err := sh.Run(env, t.n, in)
	if err != nil {
		return nil, err
	}
	p := batch(sh, res, t.n, t.fixed)
	p.alike = t.flat
	return s.sober(p), nil
}

// describe lists the inputs of an invocation and the constants that its program names, for a report.
func (t *batchTrial) describe(s *shaders, i int) (where, text string) {
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
				named[src.Index] = readsConst(prog, d3d9.Const, int(src.Index)) // and not one it defines
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
