package shaderlift_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/verify"
)

// TestFitReasons checks the reasons why pairs do not fit. A block is one reason, and statements with the same reason
// are listed together.
func TestFitReasons(t *testing.T) {
	const head = "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\n"
	for _, c := range []struct {
		name, vs, ps string
		want         []string
	}{
		{"a loop with a branch", fitVertex,
			head + "defi i0, 9, 0, 0, 0\nmov r0, v0\nrep i0\nif_gt r0.x, c0.x\nbreak\nelse\nadd r0, r0, c1\nendif\nendrep\nmov oC0, r0\n",
			[]string{"6 fit-op: ps_2_0 has no rep"}},
		{"a gradient, often", fitVertex, head + strings.Repeat("dsx r0, v0\nadd r1, r0, c0\n", 7) + "mov oC0, r1\n",
			[]string{"4 fit-op: ps_2_0 has no dsx; also in lines 6, 8, 10, 12 and 2 more"}},
		{"one more", fitVertex, head + "dsx r0, v0\ndsx r1, v0.x\nadd r0, r0, r1\nmov oC0, r0\n",
			[]string{"4 fit-op: ps_2_0 has no dsx; also in line 5"}},
		{"a chain", fitVertex, head + "mov r0, v0\n" + strings.Repeat("texld r0, r0, s0\n", 6) + "mov oC0, r0\n",
			[]string{"9 texture-dependency: texld is number 5 in a chain of dependent reads: ps_2_0 allows 4; also in line 10"}},
		{"a colour", strings.Replace(fitVertex, "dcl_texcoord o1", "dcl_color o1", 1), "ps_3_0\ndcl_color v0\nmul oC0, v0, c0\n",
			[]string{"2 fit-colour: ps_2_0 clamps the colour v0 to 0..1, and ps_3_0 does not"}},
	} {
		_, err := shaderlift.Optimize(t.Context(), pairInput(c.vs, c.ps), shaderlift.Options{Fit: "ps_2_0"})
		var all asm.Diags
		var one *asm.Diag
		if !errors.Is(err, shaderlift.ErrFit) || !errors.As(err, &all) && !errors.As(err, &one) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if one != nil {
			all = asm.Diags{one}
		}
		var got []string
		for _, d := range all {
			got = append(got, fmt.Sprintf("%d %s: %s", d.Pos.Line, d.Code, d.Msg))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: the reasons are\n%s", c.name, diff)
		}
	}
}

// TestFitHosts checks the partners that have names: a program of ps_3_0 fits, and the result stays the same behind the
// partner. Without one, the error names them. It also checks which inputs each host lacks.
func TestFitHosts(t *testing.T) {
	const plain = "ps_3_0\ndcl_texcoord v0.xy\ndcl_2d s0\nadd r0.xy, v0, c0\ntexld r0, r0, s0\nmul oC0, r0_abs, c1\n"
	in := lone("a.psh", plain)
	for _, host := range opt.Partners() {
		o := shaderlift.Options{Fit: "ps_2_0", Host: shaderlift.HostOptions{Partner: host}}
		res, err := shaderlift.Optimize(t.Context(), in, o)
		if err != nil || res.Partner != host || res.Verdict() < verify.ProvedReal || !strings.HasPrefix(string(res.Files[0].Data), "ps_2_0\n") {
			t.Errorf("%s: %v, %v, %q", host, err, res.Verdict(), res.Partner)
			continue
		}
		if v, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files}, o); err != nil {
			t.Errorf("%s: %v, %v", host, v.Verdict(), err)
		}
		other := strings.Replace(string(res.Files[0].Data), "c1", "c2", 1)
		if v, err := shaderlift.Verify(t.Context(), in, lone("a.psh", other), o); err == nil {
			t.Errorf("%s: a wrong constant is %v", host, v.Verdict())
		}
		if mixed := hasRemark(res, "mixed-models"); mixed != (host == "spritebatch") {
			t.Errorf("%s: mixed models: %v", host, mixed)
		}
	}
	_, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Fit: "ps_2_0"})
	if err == nil || !strings.Contains(err.Error(), "--partner spritebatch, wpf, fullscreen, reshade") {
		t.Errorf("without a host: %v", err)
	}
	for host, lacks := range map[string]string{"wpf": "v0.zw", "fullscreen": "", "reshade": "v0.zw"} {
		res, err := shaderlift.Optimize(t.Context(), lone("b.psh", "ps_3_0\ndcl_texcoord v0\nmul oC0, v0, c0\n"),
			shaderlift.Options{Host: shaderlift.HostOptions{Partner: host}})
		if err != nil || hasRemark(res, "unwritten-varying") != (lacks != "") {
			t.Errorf("%s: %v, %v", host, err, res.Remarks)
		}
	}
}
