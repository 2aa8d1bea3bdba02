package shaderlift_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/opt/fit"
	pairs "github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/verify"
)

// conceded returns o with the options of a concession.
func conceded(t *testing.T, o shaderlift.Options, c fit.Concession) shaderlift.Options {
	t.Helper()
	words := strings.Fields(c.Option)
	for len(words) >= 2 {
		switch flag, value := words[0], words[1]; flag {
		case "--host-constants":
			o.Host.PixelConstants = shaderlift.Mirrored
		case "--assume":
			var a shaderlift.Assumption
			if err := a.UnmarshalText([]byte(value)); err != nil {
				t.Fatal(err)
			}
			o.Host.Assume = append(o.Host.Assume, a)
		case "--numerics":
			if err := o.Numerics.UnmarshalText([]byte(value)); err != nil {
				t.Fatal(err)
			}
		case "--fit":
			o.Fit = value
		case "--constant":
			known, err := shaderlift.ParseConstant(value)
			if err != nil {
				t.Fatal(err)
			}
			o.Host.Constants = append(o.Host.Constants, known)
		default:
			t.Fatalf("no such option: %s", c.Option)
		}
		words = words[2:]
	}
	return o
}

// TestFitNearest checks the nearest version for a program that does not fit: it obeys the profile
// except for the exceeded limits. It also checks that each reported relaxation suffices.
func TestFitNearest(t *testing.T) {
	logs := func(n int, reg string) string { return strings.Repeat(fmt.Sprintf("log %s, %[1]s\n", reg), n) }
	plain := "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\nmov r0, v0\n"
	tinted := strings.Replace(plain, "texcoord", "color", 1)
	for _, c := range []struct {
		name, ps, fit string
		exceeds       []pairs.Usage
		gives         []string // a part of each concession
	}{
		{"a part that a constant turns off", plain + logs(50, "r0.x") + logs(20, "r0.y") +
			"mad r0, c5.w, r0.y, r0.x\nmov oC0, r0\n", "ps_2_0",
			[]pairs.Usage{{What: "arithmetic slots", Used: 72, Limit: 64}}, []string{"--fit ps_2_b"}},
		{"two parts", plain + logs(36, "r0.x") + logs(30, "r0.y") + logs(30, "r0.z") +
			"mad r0.x, c5.w, r0.y, r0.x\nmad r0, c6.w, r0.z, r0.x\nmov oC0, r0\n", "ps_2_0",
			[]pairs.Usage{{What: "slots", Used: 99, Limit: 96},
				{What: "arithmetic slots", Used: 99, Limit: 64}}, []string{"--fit ps_2_b"}},
		{"a condition of the host", plain + "if b3\nmul r0, r0, c0\nendif\nmov oC0, r0\n", "ps_2_0", nil,
			[]string{"--constant ps:b3=false"}},
		{"two conditions", plain + "if b3\n" + logs(40, "r0.x") + "endif\nif b4\n" + logs(40, "r0.y") + "endif\nmov oC0, r0\n", "ps_2_0", nil,
			[]string{"--constant ps:b3=false --constant ps:b4=false"}},
		{"levels", plain + "texldl r0, r0, s0\nmov oC0, r0\n", "ps_2_0", nil, []string{"--assume one-level"}},
		{"constants beyond the last", plain + "mul oC0, r0, c40\n", "ps_2_0", nil, []string{"--host-constants mirrored"}},
		{"both", plain + "texldl r0, r0, s0\nmul oC0, r0, c40\n", "ps_2_0", nil,
			[]string{"--host-constants mirrored --assume one-level"}},
		{"colours", tinted + "mov oC0, r0\n", "ps_2_0", nil, []string{"--assume unit-colours"}},
		{"two of three", tinted + "texldl r0, r0, s0\nmov oC0, r0\n", "ps_2_0", nil,
			[]string{"--assume one-level --assume unit-colours"}},
		{"a chain of reads", plain + strings.Repeat("texld r0, r0, s0\n", 6) + "mov oC0, r0\n", "ps_2_0",
			[]pairs.Usage{{What: "dependent texture reads in a row", Used: 6, Limit: 4}}, []string{"--fit ps_2_a"}},
		{"fewer registers than there are", manyRegisters(), "ps_2_0,max-temps=1", nil, []string{"--fit ps_2_0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, o := pairInput(strings.Replace(fitVertex, "mov o0", "dcl_color o2\nmov o2, v1\nmov o0", 1),
				c.ps), shaderlift.Options{Fit: c.fit}
			res, err := shaderlift.Optimize(t.Context(), in, o)
			if !errors.Is(err, shaderlift.ErrFit) {
				t.Fatalf("it is %v", err)
			}
			if n := res.Nearest; c.exceeds != nil {
				if n == nil {
					t.Fatal("nothing is near")
				}
				if diff := cmp.Diff(c.exceeds, n.Exceeds); diff != "" {
					t.Errorf("it exceeds\n%s", diff)
				}
				p, err := d3d9.Parse("nearest", []byte(n.Program))
				if err != nil || p.Model != d3d9.PS20 {
					t.Fatalf("%v of\n%s", err, n.Program)
				}
				for _, d := range d3d9.Validate(p) {
					if !strings.Contains(string(d.Code), "limit") && d.Code != "texture-dependency" {
						t.Error(d)
					}
				}
			}
			for _, want := range c.gives {
				if !strings.Contains(fmt.Sprint(res.Concessions), want) {
					t.Errorf("nothing of %v has %s", res.Concessions, want)
				}
			}
			for _, give := range res.Concessions {
				if strings.Contains(give.Option, "ps:c") {
					t.Errorf("%s turns a part of the effect off", give)
				}
				if res, err := shaderlift.Optimize(t.Context(), in, conceded(t, o, give)); err != nil || !res.Verdict().OK() {
					t.Errorf("%s is not enough: %v, %v", give, res.Verdict(), err)
				}
			}
		})
	}
}

// TestFitNearestLimited checks that limited runs do not search for relaxations.
func TestFitNearestLimited(t *testing.T) {
	in := pairInput(fitVertex, "ps_3_0\ndcl_texcoord v0\nif b3\nmov oC0, v0\nelse\nmov oC0, c0\nendif\n")
	fuel := 3
	for _, o := range []shaderlift.Options{{Limits: shaderlift.Limits{Fuel: &fuel}},
		{Limits: shaderlift.Limits{Time: 1e9}}, {Pipeline: "fold,dce"}} {
		o.Fit = "ps_2_0"
		if res, err := shaderlift.Optimize(t.Context(), in, o); !errors.Is(err, shaderlift.ErrFit) || res.Concessions != nil {
			t.Errorf("%v: %v", err, res.Concessions)
		}
	}
}

// TestFitCorpusNearest checks the five pixel programs of the corpus that TestFitCorpus omits: their
// distance from ps_2_0, and sufficient relaxations.
func TestFitCorpusNearest(t *testing.T) {
	pairs := testcorpus.Path(t, "corpus/d3d9/pairs")
	for _, c := range testcorpus.EveryNth([]struct {
		name  string
		slots int // arithmetic
	}{
		{"Deferred_ImageBasedLight__t0_p2", 89},
		{"Deferred_ImageBasedLight__t0_p3", 99},
		{"PostProcessing_Blur__t14_p0", 73},
		{"Sky_GradientSky__t0_p2", 76},
		{"Sky_GradientSky__t0_p3", 79},
	}, 3) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var in shaderlift.Input
			for _, file := range []string{"vs.vso", "ps.pso"} {
				data, err := os.ReadFile(filepath.Join(pairs, c.name, file))
				if err != nil {
					t.Fatal(err)
				}
				in.Files = append(in.Files, shaderlift.File{Name: file, Data: data})
			}
			o := shaderlift.Options{Fit: "ps_2_0", Require: verify.ProvedReal, Host: shaderlift.HostOptions{
				PixelConstants: shaderlift.Mirrored, Assume: []shaderlift.Assumption{shaderlift.OneLevel}}}
			res, err := shaderlift.Optimize(t.Context(), in, o)
			if !errors.Is(err, shaderlift.ErrFit) || res.Nearest == nil {
				t.Fatalf("%v, with %v near", err, res.Nearest)
			}
			i := len(res.Nearest.Exceeds) - 1
			if u := res.Nearest.Exceeds[i]; u.What != "arithmetic slots" || u.Used > c.slots {
				t.Errorf("it takes %v, not %d", u, c.slots)
			}
			t.Logf("%v; %v", res.Nearest.Exceeds, res.Concessions)
			if got := fmt.Sprint(res.Concessions); got != "[--fit ps_2_b]" {
				t.Errorf("it fits with %s", got)
			}
		})
	}
}

// TestFitEffectConstants checks that a pass of an effect fits with pixel constants in the vertex
// program, and not otherwise: ps_2_0 has no registers for them.
func TestFitEffectConstants(t *testing.T) {
	at := func(name string, index int) d3d9.Constant {
		return d3d9.Constant{Name: name, Set: d3d9.SetFloat4, Index: index, Count: 1, Class: 1, Type: 3, Rows: 1, Columns: 4}
	}
	vs := fxtest.Assemble(strings.Replace(fitVertex, "mov o1, v1", "mul o1, v1, c0", 1))
	ps := fxtest.Assemble("ps_3_0\ndcl_texcoord v0\nmul oC0, v0, c40\n")
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("0", fxtest.Shader{Data: fxtest.WithTable(vs, at("Scale", 0))},
		fxtest.Shader{Data: fxtest.WithTable(ps, at("Tint", 40))})
	in, o := effectFile(&b), shaderlift.Options{Fit: "ps_2_0"}
	res, err := shaderlift.Optimize(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	if p := res.Parts[0]; p.Status != shaderlift.Improved || p.Stages[1].NowModel() != d3d9.PS20 ||
		len(p.Concessions) > 0 {
		t.Errorf("it is %v, %s: %v", p.Status, p.Stages[1].NowModel(), p.Error)
	}
	if v, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files}, shaderlift.Options{}); err != nil {
		t.Errorf("%v: %v", v.Verdict(), err)
	}
}
