package shaderlift_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/verify"
)

const (
	// partnerVertex outputs a number, an input twice, and a colour.
	partnerVertex = "vs_2_0\ndef c4, 0, 1, 0, 0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov oD0, c4.y\nmov oT0.xy, v1\nmov oT0.zw, c4.y\nmov oT1.xy, v1\n"
	partnerPixel  = "ps_2_0\ndcl v0\ndcl t0\ndcl t1.xy\ndcl_2d s0\ntexld r0, t0, s0\ntexld r1, t1, s0\nadd r0, r0, r1\nmul r0, r0, t0.w\nmul r0, r0, v0\nmov oC0, r0\n"
)

func lone(name, text string) shaderlift.Input {
	return shaderlift.Input{Files: []shaderlift.File{{Name: name, Data: []byte(text)}}}
}

// TestPartner checks that the outputs of a partner are known, that the pair is verified, and that the
// result depends on this partner. Numbers survive interpolation only over the reals. Colours, which are
// clamped and may have low precision, do not.
func TestPartner(t *testing.T) {
	for _, c := range []struct {
		numerics shaderlift.Numerics
		want     string
	}{
		{shaderlift.Real, "ps_2_0\ndcl v0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nadd r0, r0, r0\nmul r0, r0, v0\nmov oC0, r0\n"},
		{shaderlift.Terms, "ps_2_0\ndcl v0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nadd r0, r0, r0\nmul r0, r0, t0.z\nmul r0, r0, v0\nmov oC0, r0\n"},
	} {
		in := lone("a.psh", partnerPixel)
		o := shaderlift.Options{Host: shaderlift.HostOptions{Partner: partnerVertex}, Numerics: c.numerics}
		res, err := shaderlift.Optimize(t.Context(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(res.Files[0].Data); got != c.want || len(res.Files) != 1 || res.Partner != "given" ||
			res.Verdict() < verify.ProvedReal {
			t.Errorf("%s, %s, %q:\n%s\nwant\n%s", c.numerics, res.Verdict(), res.Partner, got, c.want)
		}
		after := shaderlift.Input{Files: res.Files}
		if v, err := shaderlift.Verify(t.Context(), in, after, o); err != nil || v.Partner != "given" {
			t.Errorf("%s: behind the partner: %v, %v", c.numerics, v.Verdict(), err)
		}
		if v, _ := shaderlift.Verify(t.Context(), in, after,
			shaderlift.Options{Numerics: c.numerics}); v.Verdict() != verify.Refuted {
			t.Errorf("%s: alone it is %v", c.numerics, v.Verdict())
		}
		if v, _ := shaderlift.Verify(t.Context(), in, after,
			shaderlift.Options{Numerics: c.numerics,
				Host: shaderlift.HostOptions{Partner: "spritebatch"}}); v.Verdict().OK() {
			t.Errorf("%s: behind another partner it is %v", c.numerics, v.Verdict())
		}
	}
}

// TestPartnerOfEffects checks that only effects without vertex programs get the partner.
func TestPartnerOfEffects(t *testing.T) {
	build := func(passes ...[2]string) shaderlift.Input {
		var b fxtest.Builder
		b.Technique("Main")
		for _, p := range passes {
			var shaders [2]fxtest.Shader
			for i, text := range p {
				if text != "" {
					shaders[i].Data = fxtest.WithTable(fxtest.Assemble(text))
				}
			}
			b.AddPass("P", shaders[0], shaders[1])
		}
		return lone("a.fxb", string(b.Build()))
	}
	vertex := strings.Replace(partnerVertex, "c4.y\nmov oT0.xy", "c5\nmov oT0.xy", 1)
	for _, c := range []struct {
		in      shaderlift.Input
		partner string
		slots   int // of the first part
	}{
		{build([2]string{"", partnerPixel}, [2]string{"", partnerPixel}), "given", 4},
		{build([2]string{"", partnerPixel}, [2]string{vertex, partnerPixel}), "", 6},
	} {
		o := shaderlift.Options{Host: shaderlift.HostOptions{Partner: partnerVertex}}
		res, err := shaderlift.Optimize(t.Context(), c.in, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Parts[0].Stages[0].CurrentCost().Slots; res.Partner != c.partner || got != c.slots {
			t.Errorf("partner %q, %d slots, want %q, %d", res.Partner, got, c.partner, c.slots)
		}
		if noted := hasRemark(res, "partner-apart"); noted == (c.partner != "") {
			t.Errorf("partner %q: %v", c.partner, res.Remarks)
		}
		if v, err := shaderlift.Verify(t.Context(), c.in, shaderlift.Input{Files: res.Files}, o); err != nil {
			t.Errorf("partner %q: %v, %v", c.partner, v.Verdict(), err)
		}
	}
}

func hasRemark(r *shaderlift.Result, code string) bool {
	for _, m := range r.Remarks {
		if string(m.Code) == code {
			return true
		}
	}
	return false
}

// TestSpriteBatch checks the result and the remarks for a program drawn with SpriteBatch.
func TestSpriteBatch(t *testing.T) {
	res, err := shaderlift.Optimize(t.Context(), lone("a.psh", partnerPixel),
		shaderlift.Options{Host: shaderlift.HostOptions{Partner: "spritebatch"}})
	if err != nil || res.Partner != "spritebatch" ||
		res.Status != shaderlift.Improved && res.Status != shaderlift.Unchanged {
		t.Fatal(res.Partner, res.Status, err)
	}
	var open []string
	for _, m := range res.Remarks {
		if m.Code == "unwritten-varying" {
			open = append(open, m.Message)
		}
	}
	if got := strings.Join(open, "; "); got != "the pixel program reads t1, which the vertex program does not write; the pixel program reads t0.w, which the vertex program does not write" {
		t.Errorf("what is open: %s", got)
	}
	// A pixel program of 3.0 is linked by semantics; only some clients draw this pair.
	in := lone("b.psh", "ps_3_0\ndcl_texcoord v0.xy\ndcl_color v1\ndcl_2d s0\ntexld r0, v0, s0\nmul r0, r0, v1\nmov oC0, r0\n")
	res, err = shaderlift.Optimize(t.Context(), in,
		shaderlift.Options{Host: shaderlift.HostOptions{Partner: "spritebatch"}})
	if err != nil || res.Partner != "spritebatch" || res.Stages[0].CurrentCost().Slots != 2 ||
		!hasRemark(res, "mixed-models") || hasRemark(res, "unwritten-varying") {
		t.Errorf("of another version: %q, %v, %v", res.Partner, res.Remarks, err)
	}
}

// TestPartnerColours checks that inputs of 3.0 with colour semantics fit models that clamp colours: a
// tint is always within 0..1, and outputs of other partners are if that is promised.
func TestPartnerColours(t *testing.T) {
	in := lone("b.psh", "ps_3_0\ndcl_texcoord v0.xy\ndcl_color v1\ndcl_2d s0\ntexld r0, v0, s0\nmul r0, r0, v1_abs\nmov oC0, r0\n")
	const other = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmul oD0, v1, c4\nmov oT0.xy, v1\n"
	promise := []shaderlift.Assumption{shaderlift.UnitColours}
	for _, c := range []struct {
		partner string
		assume  []shaderlift.Assumption
		want    verify.Verdict
	}{{"spritebatch", nil, verify.Proved}, {other, promise, verify.Proved}, {other, nil, verify.Unknown}} {
		o := shaderlift.Options{Host: shaderlift.HostOptions{Partner: c.partner, Assume: c.assume}, Fit: "ps_2_0"}
		res, err := shaderlift.Optimize(t.Context(), in, o)
		if c.want == verify.Unknown {
			if err == nil || !strings.Contains(fmt.Sprint(res.Concessions), "--assume unit-colours") {
				t.Errorf("without a promise: %v, %v", err, res.Concessions)
			}
			continue
		}
		if err != nil || res.Verdict() != c.want || !slices.Equal(res.Promises, c.assume) {
			t.Errorf("%.12q: %v, %v, %v", c.partner, res.Verdict(), res.Promises, err)
		}
		after := shaderlift.Input{Files: res.Files}
		if v, err := shaderlift.Verify(t.Context(), in, after,
			shaderlift.Options{Host: shaderlift.HostOptions{Partner: c.partner, Assume: c.assume}}); err != nil {
			t.Errorf("%.12q: %v, %v", c.partner, v.Verdict(), err)
		}
		if v, _ := shaderlift.Verify(t.Context(), in, after,
			shaderlift.Options{Host: shaderlift.HostOptions{Partner: other}}); v.Verdict() != verify.Refuted {
			t.Errorf("where colours are as large as they please: %v", v.Verdict())
		}
	}
}

func TestWrongPartner(t *testing.T) {
	for _, c := range []struct{ partner, want string }{
		{"spritebach", "unknown-partner"}, {"ps_2_0\nmov oC0, c0\n", "wrong-pair"}, {"vs_2_0\nmov oPos, v0\n",
			"undeclared"}, {"vs_2_0\nfoo\n", "unknown-opcode"},
	} {
		o := shaderlift.Options{Host: shaderlift.HostOptions{Partner: c.partner}}
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), "["+c.want) {
			t.Errorf("%q: %v, want %s", c.partner, err, c.want)
		}
	}
	for _, f := range []shaderlift.File{{Name: "a.psh", Data: []byte(partnerPixel)},
		{Name: "a.vsh", Data: []byte("vs_2_0\nmov oPos, v0\n")}, {Name: "none"}} {
		if _, err := opt.ParsePartner(f, nil); err == nil {
			t.Errorf("%s must be refused", f.Name)
		}
	}
	code, err := shaderlift.Assemble(shaderlift.File{Name: "a.vsh", Data: []byte(partnerVertex)})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := opt.ParsePartner(shaderlift.File{Name: "a.vso", Data: code}, nil); err != nil ||
		(shaderlift.Options{Host: shaderlift.HostOptions{Partner: text}}).Check() != nil {
		t.Errorf("bytecode: %v", err)
	}
}
