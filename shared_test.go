package shaderlift_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify"
)

// TestShared checks that Optimize gives a shared program the version of a lone one. It also checks that
// Optimize optimizes the other program against it under every target and promise, and proves the pair.
func TestShared(t *testing.T) {
	const vs = "vs_3_0\ndcl_position v0\ndcl_color v1\ndcl_position o0\ndcl_color o1\ndef c1, 2, 1, 0, 0\nmov o0, v0\nmov r0, v1\nmov o1.xyz, r0\nmov o1.w, c1.x\n"
	const ps = "ps_3_0\ndcl_color v0\nmul r0, v0, c0\nmov r1, r0\nmul oC0, r1, v0.w\n"
	for _, shared := range [][]d3d9.Stage{{d3d9.Vertex}, {d3d9.Pixel}, {d3d9.Vertex, d3d9.Pixel}} {
		for _, o := range []shaderlift.Options{{}, {Target: "d3d9"}, {Numerics: shaderlift.Terms},
			{Host: shaderlift.HostOptions{Assume: []shaderlift.Assumption{shaderlift.UnitColours}}}, {Pipeline: "O3"},
			{Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}}} {
			in := pair(vs, ps)
			var alone [2]*shaderlift.Result
			for _, stage := range shared {
				alone[stage] = optimizedAlone(t, in.Files[stage], o)
			}
			o.Host.Shared = shared
			res, err := shaderlift.Optimize(t.Context(), in, o)
			if err != nil || !hasRemark(res, "shared-program") || res.Verdict() < verify.ProvedReal {
				t.Errorf("%v, %+v: %v, %v, %v", shared, o, res.Verdict(), res.Remarks, err)
				continue
			}
			if res.Status != shaderlift.Improved {
				t.Errorf("%v, %+v: %v", shared, o, res.Status)
			}
			for _, stage := range shared {
				if string(res.Files[stage].Data) != string(alone[stage].Files[0].Data) {
					t.Errorf("%v, %+v: the %v program is\n%s", shared, o, stage, res.Files[stage].Data)
				}
				if before, after := res.Stages[stage].Before, alone[stage].Stages[0].Before; before.Slots != after.Slots {
					t.Errorf("%v, %+v: the %v program took %d slots, not %d", shared, o, stage, before.Slots, after.Slots)
				}
			}
			if verified, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files},
				shaderlift.Options{
					Host: shaderlift.HostOptions{Assume: o.Host.Assume, Uploads: res.Uploads},
				}); err != nil {
				t.Errorf("%v, %+v: %v, %v", shared, o, verified.Verdict(), err)
			}
		}
	}
	// The pixel program knows that the vertex program writes 1 to a coordinate.
	coordinates := strings.NewReplacer("color", "texcoord", "c1.x", "c1.y")
	in := pair(coordinates.Replace(vs), coordinates.Replace(ps))
	res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Target: "d3d9",
		Host: shaderlift.HostOptions{Shared: []d3d9.Stage{d3d9.Vertex}}})
	if err != nil || strings.Contains(string(res.Files[1].Data), "v0.w") {
		t.Errorf("%v\n%s", err, res.Files[1].Data)
	}
	_, err = shaderlift.Optimize(t.Context(), pair(vs, ps),
		shaderlift.Options{Fit: "ps_2_0", Host: shaderlift.HostOptions{Shared: []d3d9.Stage{d3d9.Vertex}}})
	if !errors.Is(err, shaderlift.ErrFit) {
		t.Errorf("to fit: %v", err)
	}
}

// optimizedAlone returns the result for a program as a lone input with the same terms.
func optimizedAlone(t *testing.T, f shaderlift.File, o shaderlift.Options) *shaderlift.Result {
	t.Helper()
	o.Require, o.Host.Assume = verify.Proved, nil
	res, err := shaderlift.Optimize(t.Context(), shaderlift.Input{Files: []shaderlift.File{f}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestSharedPartners checks that a program gets the same version with all its partners, as a lone
// input, and with or without a cache of versions. This includes a program that a partner would permit
// to lose an output.
func TestSharedPartners(t *testing.T) {
	const vs = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov r0, v1\nmov oT0.xy, r0\nmov r1, c4\nadd oT1, v1, r1\n"
	partners := []string{
		"ps_2_0\ndcl t0.xy\ndcl_2d s0\nmul r0.xy, t0, c0\nmov r1.xy, r0\ntexld r0, r1, s0\nmov oC0, r0\n",
		"ps_2_0\ndcl t1\nfrc r0, t1\nmov r1, r0\nmov oC0, r1\n",
		"ps_2_0\ndcl t0.xy\ndcl t1\nmov r0, t1\nmov r0.xy, t0\nmov oC0, r0\n",
		"ps_2_0\ndef c0, 1, 0, 0, 1\nmov r0, c0\nmov oC0, r0\n",
	}
	for _, target := range []shaderlift.Target{"", "d3d9"} {
		o := shaderlift.Options{Target: target}
		alone := optimizedAlone(t, shaderlift.File{Name: "a.vsh", Data: []byte(vs)}, o)
		if alone.Status != shaderlift.Improved {
			t.Fatal(alone.Status)
		}
		want := string(alone.Files[0].Data)
		var versions shaderlift.Versions
		o.Host.Shared = []d3d9.Stage{d3d9.Vertex}
		for _, ps := range partners {
			in := pairInput(vs, ps)
			var files []string
			for _, v := range []*shaderlift.Versions{nil, &versions, &versions} {
				o.Hooks.Versions = v
				res, err := shaderlift.Optimize(t.Context(), in, o)
				if err != nil || res.Status != shaderlift.Improved {
					t.Fatalf("%q: %v, %v\n%s", target, res.Status, err, ps)
				}
				if got := string(res.Files[0].Data); got != want {
					t.Errorf("%q: with\n%sthe program is\n%s, not\n%s", target, ps, got, want)
				}
				files = append(files, string(res.Files[1].Data))
				if _, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files},
					shaderlift.Options{}); err != nil {
					t.Errorf("%q: %v\n%s", target, err, ps)
				}
			}
			if files[0] != files[1] || files[1] != files[2] {
				t.Errorf("%q: kept versions change the result:\n%s", target, strings.Join(files, "\n"))
			}
		}
		o.Hooks.Versions = nil
		lone, err := shaderlift.Optimize(t.Context(),
			shaderlift.Input{Files: []shaderlift.File{{Name: "a.vsh", Data: []byte(vs)}}}, o)
		if err != nil || string(lone.Files[0].Data) != want {
			t.Errorf("%q: as a lone input, %v\n%s", target, err, lone.Files[0].Data)
		}
	}
}
