package codemotion_test

import (
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/passes"
)

// together moves code between partners, and returns the number of motions.
func together(t *testing.T, partners []codemotion.Partner, sources []pair) int {
	t.Helper()
	measure := func(list []codemotion.Partner) (sum passes.Cost, err error) {
		for i, p := range list {
			cost, err := sources[i].measure(p.Unit)
			if err != nil {
				return sum, err
			}
			sum[0], sum[1] = cost[0], sum[1]+cost[1]
		}
		return sum, nil
	}
	pass := *codemotion.Pass
	pass.Run = func(c *passes.Ctx, u *passes.Unit) error {
		if err := codemotion.Together(c, partners, measure); err != nil {
			return err
		}
		u.Pixel = partners[0].Pixel
		return nil
	}
	report, err := passes.Run(&passes.Unit{Pixel: partners[0].Pixel}, passes.Pipeline{{Pass: &pass}},
		passes.Config{Numerics: passes.Real})
	if err != nil {
		t.Fatal(err)
	}
	return report.Steps
}

// All partners compute the moved code, except partners that already compute it for another pixel program.
func TestTogether(t *testing.T) {
	ps := parse(t, "ps_2_0; def c0, 0.5, 0.25, 0, 0; dcl t0.xy; dcl_2d s0; add r0.xy, t0, c0; texld r0, r0, s0; mov oC0, r0")
	plain := parse(t, "vs_2_0; dcl_position v0; dcl_texcoord v1; mov oPos, v0; mov oT0.xy, v1")
	twice := parse(t, "vs_2_0; dcl_position v0; dcl_texcoord v1; mov oPos, v0; add oT0.xy, v1, v1")
	has := parse(t, "vs_2_0; def c9, 0.5, 0.25, 0, 0; dcl_position v0; dcl_texcoord v1; mov oPos, v0; mov oT0.xy, v1; add oT5.xy, v1, c9")
	clamped := parse(t, "vs_2_0; dcl_position v0; dcl_texcoord v1; mov oPos, v0; mov oD0, v1")
	for _, c := range []struct {
		name    string
		sources []pair
		steps   int
		want    []string // the vertex programs, then the pixel program
	}{
		{"two", []pair{{plain, ps}, {twice, ps}}, 1, []string{
			"mov oPos, v0; mov r0.xy, v1; mov oT0.xy, r0; add oT1.xy, r0, c0",
			"mov oPos, v0; add r0.xy, v1, v1; mov oT0.xy, r0; add oT1.xy, r0, c0",
			"texld r0, t1, s0; mov oC0, r0"}},
		{"one that has it", []pair{{has, ps}}, 1, []string{
			"mov oPos, v0; mov oT0.xy, v1; add oT5.xy, v1, c9",
			"texld r0, t5, s0; mov oC0, r0"}},
		{"one of two that has it", []pair{{has, ps}, {plain, ps}}, 1, []string{
			"mov oPos, v0; mov r0.xy, v1; mov oT0.xy, r0; add oT5.xy, v1, c9; add oT1.xy, r0, c9",
			"mov oPos, v0; mov r0.xy, v1; mov oT0.xy, r0; add oT1.xy, r0, c0",
			"texld r0, t1, s0; mov oC0, r0"}},
		{"one without it", []pair{{plain, ps}, {clamped, ps}}, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var partners []codemotion.Partner
			for i, p := range c.sources {
				u := p.unit(t)
				if i > 0 {
					u.Pixel = partners[0].Pixel
				}
				partners = append(partners, codemotion.Partner{Unit: u})
			}
			if steps := together(t, partners, c.sources); steps != c.steps {
				t.Fatalf("%d motions are made", steps)
			}
			if c.steps == 0 {
				return
			}
			var got []string
			for i, p := range c.sources {
				q, err := p.emit(partners[i].Unit)
				if err != nil {
					t.Fatal(err)
				}
				if got = append(got, code(q.vs)); i == len(c.sources)-1 {
					got = append(got, code(q.ps))
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("the programs are\n%q, want\n%q", got, c.want)
			}
		})
	}
}
