package rounding_test

import (
	"math"
	"os"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"github.com/shaderlift/shaderlift/vsps"
)

// stages is a pair for the interpreter.
type stages struct {
	programs verify.Pair
	vs, ps   *interp.Shader
	link     *ir.Linkage
	uploads  map[int]int // vertex constant to pixel constant
}

func compiled(t *testing.T, p verify.Pair) *stages {
	t.Helper()
	s := &stages{programs: p, uploads: map[int]int{}}
	var err error
	if s.vs, err = interp.Compile(p.Vertex); err == nil {
		if s.ps, err = interp.Compile(p.Pixel); err == nil {
			s.link, err = vsps.Link(p.Vertex, p.Pixel)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// constants returns the constants of a stage of before, and the uploaded ones.
func constants(known [2]*rounding.Program, stage d3d9.Stage, uploads map[int]int,
	draw func(key uint64) float64) *interp.Constants {
	k := &interp.Constants{Float: make([][4]float32, 256)}
	value := func(stage d3d9.Stage, i, c int) float32 {
		r := ir.Reg{File: ir.File(d3d9.Const), Index: uint16(i), Comp: uint8(c)}
		return known[stage].Inside(ir.Uniform, r, draw(uint64(stage)<<40|uint64(i)<<8|uint64(c)))
	}
	for i := range k.Float {
		for c := range 4 {
			k.Float[i][c] = value(stage, i, c)
			if from, ok := uploads[i]; ok && stage == d3d9.Vertex {
				k.Float[i][c] = value(d3d9.Pixel, from, c)
			}
		}
	}
	for i := range k.Int {
		k.Int[i] = [4]int32{2, 0, 1, 0}
	}
	return k
}

// shade runs a fragment: three vertices and weights with the sum 1.
func (s *stages) shade(t *testing.T, known [2]*rounding.Program, draw func(key uint64) float64,
	n interp.Numerics) map[string]float64 {
	t.Helper()
	in := make([]interp.Words, len(s.vs.Inputs()))
	for k, p := range s.vs.Inputs() {
		for c := range 4 {
			in[k][c] = make([]float32, 3)
			for v := range in[k][c] {
				r := ir.Reg{File: ir.File(p.Reg.File), Index: p.Reg.Index, Comp: uint8(c)}
				in[k][c][v] = known[0].Inside(ir.Input, r,
					draw(1<<50|uint64(v)<<44|uint64(p.Usage)<<16|uint64(p.Index)<<8|uint64(c)))
			}
		}
	}
	res, err := s.vs.Run(&interp.Env{Constants: constants(known, d3d9.Vertex, s.uploads, draw), Textures: rounding.Waves,
		Numerics: n}, 3, in)
	if err != nil {
		t.Fatal(err)
	}
	a, b := draw(1<<51), draw(2<<51)
	weights := [3]float64{a, (1 - a) * b, (1 - a) * (1 - b)}
	fragment := make([]interp.Words, len(s.ps.Inputs()))
	for k, p := range s.ps.Inputs() {
		for c := range 4 {
			fragment[k][c] = []float32{1, 1, 1, 1}
			x, ok := s.varying(p.Reg, c, res, weights)
			for i := range fragment[k][c] {
				if ok {
					fragment[k][c][i] = float32(x)
				}
			}
		}
	}
	out, err := s.ps.Run(&interp.Env{Constants: constants(known, d3d9.Pixel, nil, draw), Textures: rounding.Waves,
		Numerics: n}, 4, fragment)
	if err != nil {
		t.Fatal(err)
	}
	vals := map[string]float64{}
	for k, p := range s.ps.Outputs() {
		for c := range 4 {
			if data := out.Out[k][c]; data != nil {
				vals[p.Reg.String()+"."+string("xyzw"[c])] = float64(data[0])
			}
		}
	}
	return vals
}

// varying interpolates the vertex output that an input reads.
func (s *stages) varying(in d3d9.Reg, c int, res *interp.Result, weights [3]float64) (x float64, ok bool) {
	for _, v := range s.link.Links {
		if d3d9.File(v.In.File) != in.File || v.In.Index != in.Index {
			continue
		}
		for k, p := range s.vs.Outputs() {
			if ir.File(p.Reg.File) != v.Out.File || p.Reg.Index != v.Out.Index || res.Out[k][c] == nil {
				continue
			}
			for i, w := range weights {
				y := float64(res.Out[k][c][i])
				if in.File == d3d9.Input && s.programs.Pixel.Model.Major < 3 {
					y = min(max(y, 0), 1)
				}
				x += w * y
			}
			return x, true
		}
	}
	return 0, false
}

// TestDifferencesAreBounded checks that optimization and different numerics change a draw inside the box by
// at most the bound of the difference.
func TestDifferencesAreBounded(t *testing.T) {
	dirs := testcorpus.GlobOptional(t, "corpus/d3d9/pairs/*")
	inputs := [][2]string{{"../../testdata/conv1d/conv1d.vsh", "../../testdata/conv1d/conv1d.psh"}}
	for _, dir := range testcorpus.EveryNth(dirs, 12) {
		inputs = append(inputs, [2]string{dir + "/vs.vso", dir + "/ps.pso"})
	}
	compared, bounded, closest := 0, 0, math.Inf(1)
	for i, names := range inputs {
		c, b, near := differences(t, names, shaderlift.HostConstants(1-i%2))
		compared, bounded, closest = compared+c, bounded+b, min(closest, near)
	}
	t.Logf("%d values compared, %d of them bounded; the bound is %.3g times a difference at least", compared, bounded,
		closest)
	if compared == 0 {
		t.Error("nothing is compared")
	}
}

// differences optimizes a pair and compares draws with the bounds.
func differences(t *testing.T, names [2]string, host shaderlift.HostConstants) (compared, bounded int,
	closest float64) {
	t.Helper()
	var in shaderlift.Input
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, shaderlift.File{Name: name, Data: data})
	}
	closest = math.Inf(1)
	res, err := shaderlift.Optimize(t.Context(), in,
		shaderlift.Options{Host: shaderlift.HostOptions{PixelConstants: host}})
	if err != nil || res.Status == shaderlift.Unchanged {
		return 0, 0, closest
	}
	before, after := read(t, in.Files), read(t, res.Files)
	var known [2]*rounding.Program
	for i, p := range []*d3d9.Program{before.Vertex, before.Pixel} {
		known[i] = &rounding.Program{Source: p}
	}
	shared := map[uint16]uint16{}
	sides := [2]*stages{compiled(t, before), compiled(t, after)}
	for _, u := range res.Uploads {
		to, from := int(u.To.Index), int(u.From.Index)
		sides[1].uploads[to] = from
		shared[uint16(to)] = uint16(from)
	}
	b, err := rounding.New(rounding.Precise, nil).Compare(lift(t, before, nil), lift(t, after, shared))
	if err != nil {
		t.Fatal(err)
	}
	for point := range uint64(24) {
		draw := func(key uint64) float64 {
			if key < 1<<50 { // constants: a few sets
				key |= point / 8 << 60
			} else {
				key ^= point << 54
			}
			return float64(rounding.Scramble(key)>>40) / (1 << 24)
		}
		modes := rounding.Numerics
		x := sides[0].shade(t, known, draw, modes[point%uint64(len(modes))])
		y := sides[1].shade(t, known, draw, modes[(point+1+point/5)%uint64(len(modes))])
		for _, out := range b.Outputs {
			p, q := x[out.Name], y[out.Name]
			if d := math.Abs(p - q); !math.IsNaN(d) && !math.IsInf(d, 0) {
				limit := out.Before + out.After
				compared++
				if !math.IsInf(limit, 1) {
					bounded++
				}
				if d > limit {
					t.Errorf("%s: %s is %g before and %g after, apart by %g; the bound is %g", names[1], out.Name, p, q, d, limit)
					return compared, bounded, closest
				}
				if d > 0 {
					closest = min(closest, limit/d)
				}
			}
		}
	}
	return compared, bounded, closest
}

// lift returns p in the form for the analysis.
func lift(t *testing.T, p verify.Pair, shared map[uint16]uint16) *rounding.Pair {
	t.Helper()
	lifted := func(q *d3d9.Program) *rounding.Program {
		f, err := vsps.Lift(q)
		if err != nil {
			t.Fatal(err)
		}
		return &rounding.Program{Func: f, Source: q, Shared: shared}
	}
	return &rounding.Pair{Vertex: lifted(p.Vertex), Pixel: lifted(p.Pixel)}
}

func read(t *testing.T, files []shaderlift.File) (p verify.Pair) {
	t.Helper()
	for _, f := range files {
		q, err := d3d9.Read(f.Name, f.Data)
		if err != nil {
			t.Fatal(err)
		}
		if q.Model.Stage == d3d9.Vertex {
			p.Vertex = q
		} else {
			p.Pixel = q
		}
	}
	return p
}
