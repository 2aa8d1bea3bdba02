package draw

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"github.com/shaderlift/shaderlift/vsps"
)

// TestRandom checks that every valid program has a price on every target. The price must not depend
// on earlier prices: of other draws, on other targets, or with shortest loops.
func TestRandom(t *testing.T) {
	var memo Memo
	for seed := range testcorpus.Count[uint64](30, 120) {
		p := gen.NewPair(seed, 20+int(seed%40))
		vs, ps := p.Vertex.Program, p.Pixel.Program
		all, err := New(nil, vs, ps)
		if err != nil {
			t.Fatal(err)
		}
		all.Remember(&memo, all.Fingerprints())
		short, _ := all.Shortest()
		for _, target := range Targets() {
			fresh, err := New(nil, vs, ps)
			if err != nil {
				t.Fatal(err)
			}
			alone, _ := fresh.Shortest()
			for i, pair := range [][2]*Draw{{fresh, all}, {alone, short}} {
				var loads [2][]float64
				for k, d := range pair {
					x, err := target.Price(d)
					if err != nil {
						t.Fatal(err)
					}
					loads[k] = append(slices.Concat(x.Pixel[:], x.Vertex[:]), float64(x.Operations))
				}
				if !slices.Equal(loads[0], loads[1]) {
					t.Errorf("seed %d, length %d: %s: %v, and then %v", seed, i, target.Name, loads[0], loads[1])
				}
				for _, x := range loads[0] {
					if x < 0 || math.IsNaN(x) || math.IsInf(x, 0) {
						t.Errorf("seed %d: %s: %v", seed, target.Name, loads[0])
					}
				}
			}
		}
		all.Close()
	}
}

// TestRemembered checks that cached analyses of a program are equal to new ones, with another
// program or with none.
func TestRemembered(t *testing.T) {
	var memo Memo
	defer memo.Close()
	for seed := range testcorpus.Count[uint64](20, 80) {
		p := gen.NewPair(seed, 20+int(seed%40))
		vs, ps := p.Vertex.Program, p.Pixel.Program
		for i, two := range [][2]*d3d9.Program{{vs, ps}, {nil, ps}, {vs, nil}, {vs, ps}} {
			known, err := New(nil, two[0], two[1])
			if err != nil {
				t.Fatal(err)
			}
			known.Remember(&memo, known.Fingerprints())
			fresh, err := New(nil, two[0], two[1])
			if err != nil {
				t.Fatal(err)
			}
			taken := known.sides != [2]*side{}
			if taken != (i > 0) {
				t.Errorf("seed %d, draw %d: programs are remembered: %v", seed, i, taken)
			}
			for _, target := range Targets() {
				got, err := target.Price(known)
				if err != nil {
					t.Fatal(err)
				}
				want, err := target.Price(fresh)
				if err != nil {
					t.Fatal(err)
				}
				if got != want {
					t.Errorf("seed %d, draw %d: %s: %v, not %v", seed, i, target.Name, got, want)
				}
			}
			known.Close()
			fresh.Close()
		}
	}
}

// TestFree checks that savings that drivers find themselves have no price on scalar machines: dead
// code, copies, repeated and literal operations.
func TestFree(t *testing.T) {
	for _, pipeline := range []string{"dce", "dce,copyprop{mixed=true},dce", "dce,gvn{mixed=true},dce"} {
		p, err := suite.Parse(pipeline)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(25) {
			unchanged(t, seed, p)
		}
	}
}

func unchanged(t *testing.T, seed uint64, pipeline passes.Pipeline) {
	p := gen.NewPair(seed, 40)
	link, err := vsps.Link(p.Vertex.Program, p.Pixel.Program)
	if err != nil {
		t.Fatal(err)
	}
	lifted := func(pipeline passes.Pipeline) *Draw {
		vertex, err := vsps.Lift(p.Vertex.Program)
		if err != nil {
			t.Fatal(err)
		}
		pixel, err := vsps.Lift(p.Pixel.Program)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := passes.Run(&passes.Unit{Vertex: vertex, Pixel: pixel,
			Stages: rounding.Stages{Pair: vsps.Pair{Vertex: p.Vertex.Program,
				Pixel: p.Pixel.Program}}}, pipeline, passes.Config{Numerics: passes.Real}); err != nil {
			t.Fatal(err)
		}
		return FromFuncs(vertex, pixel, link)
	}
	for _, target := range Targets() {
		if target.scalars == nil {
			continue
		}
		a, err := target.Price(lifted(nil))
		if err != nil {
			t.Fatal(err)
		}
		b, err := target.Price(lifted(pipeline))
		if err != nil {
			t.Fatal(err)
		}
		if a != b {
			t.Errorf("seed %d: %v on %s: %v %v, not %v %v", seed, pipeline, target.Name, b.Pixel, b.Vertex, a.Pixel, a.Vertex)
		}
	}
}

// TestRerun checks that a program counted with shortest loops has the load of a program whose loops
// are that short. The fusions may be equal in both or, with a product before a loop that is added
// within, different.
func TestRerun(t *testing.T) {
	same, others := 0, 0
	hold := func(name string, vs, ps *d3d9.Program) {
		d, err := New(nil, vs, ps)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for _, target := range Targets() {
			q := d.programsFor(target.linking)
			for _, s := range []*stage{q.vertex, q.pixel} {
				short := s.rerun(shortest)
				if short == s {
					continue
				}
				if short.fusedBy == s.fusedBy {
					same++
				} else {
					others++
				}
				d.memo.stageLoad(target, s)
				got, _ := d.memo.stageLoad(target, short)
				g, alone := *s.graph, *s
				g.rates = slices.Clone(g.rates)
				for i := range g.rates {
					g.rates[i][estimated] = g.rates[i][shortest]
				}
				alone.graph, alone.counted, alone.hash = &g, nil, [2]uint64{}
				alone.fused = alone.fuseProducts()
				if want, _ := target.stageLoad(&alone); got != want[estimated] {
					t.Errorf("%s: %s: %v, not %v", name, target.Name, got, want[estimated])
				}
			}
		}
	}
	hold("a product before a loop", nil, parse(t,
		"ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\nmul r1, v0, v1\nmov r0, v0\nrep i1\nadd r0, r0, r1\nendrep\nmov oC0, r0\n"))
	for seed := range testcorpus.Count[uint64](60, 240) {
		p := gen.NewPair(seed, 20+int(seed%40))
		hold(fmt.Sprint("seed ", seed), p.Vertex.Program, p.Pixel.Program)
	}
	if same == 0 || others == 0 {
		t.Errorf("the same is fused in %d programs, and not in %d", same, others)
	}
}
