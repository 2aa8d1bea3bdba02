package vsps_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"github.com/shaderlift/shaderlift/vsps"
)

// unit holds programs and their lifted form.
type unit struct {
	programs []*d3d9.Program // vertex first
	*passes.Unit
}

func lifted(t *testing.T, programs ...*d3d9.Program) unit {
	u := unit{programs, &passes.Unit{Name: "random"}}
	for _, p := range programs {
		f, err := vsps.Lift(p)
		if err != nil {
			t.Fatal(err)
		}
		if p.Model.Stage == d3d9.Vertex {
			u.Vertex = f
		} else {
			u.Pixel = f
		}
	}
	if u.Vertex != nil && u.Pixel != nil {
		u.Stages = rounding.Stages{Pair: vsps.Pair{Vertex: programs[0], Pixel: programs[1]}}
	}
	return u
}

// emit emits a state of the unit.
func (u unit) emit(state *passes.Unit) ([]*d3d9.Program, error) {
	var list []*d3d9.Program
	for _, p := range u.programs {
		f := state.Pixel
		if p.Model.Stage == d3d9.Vertex {
			f = state.Vertex
		}
		if f == nil {
			continue // a pass may price one program alone
		}
		q, err := vsps.Emit(p, f, state.Varyings...)
		if err != nil {
			return nil, err
		}
		if err := d3d9.Validate(q).Err(); err != nil {
			return nil, err
		}
		list = append(list, q)
	}
	return list, nil
}

// price returns the cost as passes measure it.
func (u unit) price(state *passes.Unit) (c passes.Cost, err error) {
	list, err := u.emit(state)
	for _, p := range list {
		m := d3d9.Measure(p)
		c[2] += m.TextureRuns
		c[3] += m.Temps
		if p.Model.Stage == d3d9.Pixel {
			c[0] += m.Slots
		} else {
			c[1] += m.Slots
		}
	}
	return c, err
}

// pipelines returns every pass alone and the levels.
func pipelines(t *testing.T) (list []passes.Pipeline) {
	for _, p := range suite.Passes {
		list = append(list, passes.Pipeline{{Pass: p}})
	}
	for n := range suite.MaxLevel + 1 {
		p, err := suite.Level(n)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// TestRandomPassesExact checks that pipelines that keep terms or bits keep all result bits.
func TestRandomPassesExact(t *testing.T) {
	all := pipelines(t)
	ran, changed := map[string]int{}, map[string]int{}
	for _, m := range gen.Models {
		for seed := range uint64(*programs) {
			p := gen.ProgramOf(m, seed, 5+int(seed*11%70))
			if _, err := emitted(p); err != nil {
				continue // TestRandomEmit reports it
			}
			pipeline := all[seed%uint64(len(all))]
			u := lifted(t, p)
			report, err := passes.Run(u.Unit, pipeline, passes.Config{Numerics: passes.Bits, Measure: u.price})
			if err != nil {
				t.Fatalf("%s seed %d, %s: %v\n%s\n%s", m, seed, pipeline, err, d3d9.Print(p), faultStack(err))
			}
			ran[pipeline.String()]++
			if report.Steps == 0 {
				continue
			}
			changed[pipeline.String()]++
			if report.Before.Less(report.After) {
				t.Errorf("%s seed %d, %s: cost %v, not %v", m, seed, pipeline, report.After, report.Before)
			}
			q, err := u.emit(u.Unit)
			if err == nil {
				err = newEnvironment(seed).same(p, q[0], sameNumber, nil)
				q = append(q, nil)
			}
			if err != nil {
				t.Errorf("%s seed %d, %s: %v\n%s", m, seed, pipeline, err, d3d9.Print(p))
				if len(q) > 0 {
					t.Fatalf("after\n%s", d3d9.Print(q[0]))
				}
			}
		}
	}
	for _, p := range all {
		t.Logf("%4d changed of %4d: %s", changed[p.String()], ran[p.String()], p)
	}
}

// draw runs a pair like the rasterizer at points inside triangles: the pixel program gets affine
// combinations of the vertex program's outputs.
func (e *environment) draw(vs, ps *d3d9.Program, uploads []passes.Upload) (map[component][]float32, []bool, error) {
	vertex, err := interp.Compile(vs)
	if err != nil {
		return nil, nil, err
	}
	ve := *e
	c := *e.env.Constants
	c.Float = slices.Clone(c.Float)
	for _, u := range uploads {
		c.SetFloat(int(u.To), e.env.Constants.Float[u.From])
	}
	ve.env.Constants = &c
	out, _, err := ve.run(vs)
	if err != nil {
		return nil, nil, err
	}
	pixel, err := interp.Compile(ps)
	if err != nil {
		return nil, nil, err
	}
	r := rand.New(rand.NewPCG(e.seed, 5))
	var weights [points][3]float64
	var corners [points][3]int
	for k := range points {
		a, b := r.Float64(), r.Float64()
		weights[k] = [3]float64{a * b, a * (1 - b), 1 - a}
		for i := range 3 {
			corners[k][i] = (k + 7*i) % points
		}
	}
	in := make([]interp.Words, len(pixel.Inputs()))
	for i, to := range pixel.Inputs() {
		for c := range 4 {
			w := make([]float32, points)
			in[i][c] = w
			var from []float32
			for _, p := range vertex.Outputs() {
				if p.Usage == to.Usage && p.Index == to.Index && p.Mask.Has(c) && to.Reg.File != d3d9.Misc {
					from = out[component{p.Reg, c}]
				}
			}
			for k := range w {
				if from == nil {
					continue
				}
				v := 0.0
				for i, x := range weights[k] {
					v += x * float64(from[corners[k][i]])
				}
				if w[k] = float32(v); ps.Model.Major < 3 && to.Usage == d3d9.UsageColor {
					w[k] = min(max(w[k], 0), 1)
				}
			}
		}
	}
	return e.runWith(ps, pixel, in)
}

// closeNumbers reports whether a and b are equal up to rounding and reassociation.
func closeNumbers(a, b float32) bool {
	x, y := float64(a), float64(b)
	return sameNumber(a, b) || math.Abs(x-y) <= 1e-3*(1+math.Abs(x)+math.Abs(y))
}

// TestRandomPassesReal runs pairs with all rewrites allowed by default and checks that most points
// agree closely. (Rounding may flip a comparison or be amplified near a pole at a few points; a
// wrong rewrite fails everywhere.)
func TestRandomPassesReal(t *testing.T) {
	pairs := [][2]d3d9.Model{{d3d9.VS11, d3d9.PS20}, {d3d9.VS20, d3d9.PS20}, {d3d9.VS2X, d3d9.PS2X},
		{d3d9.VS30, d3d9.PS30}}
	all := pipelines(t)
	ran, changed, moved, differ := map[string]int{}, map[string]int{}, 0, 0
	for _, models := range pairs {
		for seed := range uint64(*programs) {
			vs, ps := gen.PairOf(models[0], models[1], seed, 4+int(seed*5%40))
			u := lifted(t, vs, ps)
			pipeline := all[seed%uint64(len(all))]
			if _, err := u.price(u.Unit); err != nil {
				continue
			}
			report, err := passes.Run(u.Unit, pipeline,
				passes.Config{Numerics: passes.Real, HostMirrored: seed%3 == 0, Measure: u.price})
			if err != nil {
				t.Fatalf("%v seed %d, %s: %v\n%s%s\n%s", models, seed, pipeline, err, d3d9.Print(vs), d3d9.Print(ps),
					faultStack(err))
			}
			ran[pipeline.String()]++
			if report.Steps == 0 {
				continue
			}
			changed[pipeline.String()]++
			for _, s := range report.Stats {
				if s.Stage == "codemotion" && s.Outcome == passes.Changed {
					moved++
				}
			}
			q, err := u.emit(u.Unit)
			if err != nil {
				t.Fatalf("%v seed %d, %s: %v", models, seed, pipeline, err)
			}
			if err := sameDraw(seed, vs, ps, q[0], q[1], u.Uploads); err != nil {
				differ++
				t.Logf("%v seed %d, %s: %v, uploads %v\n%s%s\nafter\n%s%s", models, seed, pipeline, err, u.Uploads,
					d3d9.Print(vs), d3d9.Print(ps), d3d9.Print(q[0]), d3d9.Print(q[1]))
			}
		}
	}
	for _, p := range all {
		t.Logf("%4d changed of %4d: %s", changed[p.String()], ran[p.String()], p)
	}
	t.Logf("code motion in %d, %d differ", moved, differ)
	if differ > 1+*programs/200 {
		t.Errorf("%d pairs differ: more than the sign of a zero before a division explains", differ)
	}
}

func sameDraw(seed uint64, vs, ps, vs2, ps2 *d3d9.Program, uploads []passes.Upload) error {
	e := tameEnvironment(seed)
	want, killed, err := e.draw(vs, ps, nil)
	if err != nil {
		return err
	}
	got, killed2, err := e.draw(vs2, ps2, uploads)
	if err != nil {
		return err
	}
	wrong, total := 0, 0
	var first error
	for at, w := range want {
		for k := range w {
			total++
			switch g := got[at]; {
			case killed[k] && killed2[k]:
			case g == nil:
				return fmt.Errorf("%v.%c is not written", at.reg, "xyzw"[at.comp])
			case killed[k] != killed2[k], !closeNumbers(w[k], g[k]):
				wrong++
				if first == nil {
					first = fmt.Errorf("%v.%c at point %d: %v, not %v", at.reg, "xyzw"[at.comp], k, g[k], w[k])
				}
			}
		}
	}
	if wrong*4 > total {
		return fmt.Errorf("%d of %d values differ: %w", wrong, total, first)
	}
	return nil
}

func faultStack(err error) string {
	var f *passes.Fault
	if errors.As(err, &f) {
		return string(f.Stack)
	}
	return ""
}
