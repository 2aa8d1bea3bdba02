package shaderlift_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify"
)

// TestFitRepairs checks that text with broken rules is repaired: every broken rule is reported at its
// place, with the repair.
func TestFitRepairs(t *testing.T) {
	const declared = "ps_2_0\ndcl t0\ndcl_2d s0\n"
	for _, c := range []struct {
		name, text string
		want       []string // code and line of each error
	}{
		{"constants", declared + "mad r0, c0, c1, c2\nmov oC0, r0\n", []string{"read-ports 4"}},
		{"a swizzle", declared + "mov r1, t0\nmul r0, r1.wzyx, c1.ywxz\nmov oC0, r0\n", []string{"source-swizzle 5"}},
		{"coordinates", declared + "texld r0, t0.wzyx, s0\nmov oC0, r0\n", []string{"source-swizzle 4"}},
		{"registers", declared + "mov r14, t0\nmul r0, r14, c1\nmov oC0, r0\n",
			[]string{"temporary-limit 4", "temporary-limit 5"}},
		{"an output that is clamped", declared + "mov_sat oC0, t0\n", []string{"output-write 4"}},
		{"several", declared + "mad r12, c0, c1, t0\nmov r1, r12\nmul r0, r1.wzyx, c1\nmov_sat oC0, r0\n",
			[]string{"temporary-limit 4", "read-ports 4", "temporary-limit 5", "output-write 7"}},
	} {
		in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh", Data: []byte(c.text)}}}
		res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Fit: "ps_2_0"})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var told []string
		for _, r := range res.Remarks {
			if fits, repair, some := strings.Cut(r.Message, "; "); strings.HasPrefix(fits, "the result fits") && some &&
				repair != "" {
				told = append(told, fmt.Sprint(r.Code, " ", r.Line))
			}
		}
		if diff := cmp.Diff(c.want, told); diff != "" {
			t.Errorf("%s: what is told is\n%s", c.name, diff)
		}
		p, err := d3d9.Read("result", res.Files[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		if diags := d3d9.Validate(p); len(diags) > 0 || res.Verdict() < verify.ProvedReal {
			t.Errorf("%s: %v, %v", c.name, diags, res.Verdict())
		}
	}
}

// TestFitTellsAll checks errors without a repair, and statements that make no sense. The other broken
// rules of the text are reported too, with their repairs.
func TestFitTellsAll(t *testing.T) {
	const declared = "ps_2_0\ndcl t0\n"
	for _, c := range []struct {
		name, text string
		want       []string // code and line, with ; for a repair
	}{
		{"no such instruction", declared + "foo r0, t0\nmad r0, c0, c1, c2\nadd r0, r0, c1, c2\nmov oC0, r0\n",
			[]string{"unknown-opcode 3", "read-ports 4;", "operand-count 5"}},
		{"not declared", declared + "mul r0, t1, c0.ywxz\nmad r0, c0, c1, r0\nmov oC0, r0\n",
			[]string{"undeclared-register 3;", "source-swizzle 3;", "read-ports 4;"}},
	} {
		in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh", Data: []byte(c.text)}}}
		_, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Fit: "ps_2_0"})
		var all asm.Diags
		if !errors.As(err, &all) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var told []string
		for _, d := range all {
			text := fmt.Sprint(d.Code, " ", d.Pos.Line)
			if strings.Contains(d.Msg, "; ") {
				text += ";"
			}
			told = append(told, text)
		}
		if diff := cmp.Diff(c.want, told); diff != "" {
			t.Errorf("%s: what is told is\n%s", c.name, diff)
		}
	}
}

// TestFitUnproved checks that flattened branches need not be proved equal in every bit: no pass is
// blamed for that, and no fault refutes it.
func TestFitUnproved(t *testing.T) {
	in := pairInput(fitVertex, "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexld r0, v0, s0\nadd r1, r0, -c0\ndp3 r1.x, r1, r1\nrsq r1.x, r1.x\nrcp r1.x, r1.x\n"+
		"if_lt r1.x, c1.x\nmov r2, c2\nmul r2, r2, c3\nelse\nmov r2, r0\nendif\nmad oC0, r2, c4, c4\n")
	res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Fit: "ps_2_0", Require: verify.Proved})
	if !errors.Is(err, shaderlift.ErrFit) || len(res.Faults) > 0 {
		t.Errorf("%v, faults %v", err, res.Faults)
	}
	for _, r := range res.Remarks {
		if r.Code == "unverified" {
			t.Errorf("%s is blamed: %s", r.Pass, r.Message)
		}
	}
	// The same if the model stays: the difference of two infinities is NaN, so equal values compare as
	// different.
	for _, op := range []string{"if_ge", "if_eq", "if_ne"} {
		for _, sides := range []string{"mul r0, r0, c1\nelse\nadd r0, r0, c1\n",
			"mul r0, r0.y, c1\nelse\nadd r0, r0.z, c1\n", "mul r0, r0.x, c1\nelse\ndp4 r0, r0, c1\n"} {
			in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh",
				Data: []byte("ps_2_x\ndcl t0\nmov r0, t0\n" + op + " r0.x, c0.x\n" + sides + "endif\nmov oC0, r0\n")}}}
			res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Fit: "ps_2_a", Require: verify.Proved})
			if !errors.Is(err, shaderlift.ErrFit) || len(res.Faults) > 0 {
				t.Errorf("%s: %v, faults %v", op, err, res.Faults)
			}
		}
	}
}

// TestFitBehindPartner checks that a lone pixel program of version 3 fits with an older partner, whose
// registers determine its own. It does not fit alone, nor with a colour that would be clamped, except
// the tint of a sprite batch.
func TestFitBehindPartner(t *testing.T) {
	const text = "ps_3_0\ndcl_texcoord v3.xy\ndcl_2d s0\ntexld r0, v3, s0\nmul oC0, r0_abs, c0\n"
	for _, c := range []struct {
		name, partner, text string
		fits                bool
	}{
		{"coordinates", "spritebatch", text, true},
		{"coordinates behind a given one", fitQuad, strings.Replace(text, "texcoord", "texcoord1", 1), true},
		{"nobody", "", text, false},
		{"a partner of its own version", fitVertex, text, false},
		{"a tint", "spritebatch", "ps_3_0\ndcl_color v0\nmul oC0, v0_abs, c0\n", true},
		{"a colour", fitQuad + "mov oD0, v1\n", "ps_3_0\ndcl_color v0\nmul oC0, v0_abs, c0\n", false},
		{"what the partner does not write", "spritebatch", "ps_3_0\ndcl_normal v0\nmul oC0, v0_abs, c0\n", false},
	} {
		in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh", Data: []byte(c.text)}}}
		o := shaderlift.Options{Fit: "ps_2_0", Host: shaderlift.HostOptions{Partner: c.partner}}
		res, err := shaderlift.Optimize(t.Context(), in, o)
		if !c.fits {
			if !errors.Is(err, shaderlift.ErrFit) || len(res.Faults) > 0 {
				t.Errorf("%s: %v, faults %v", c.name, err, res.Faults)
			}
			continue
		}
		if err != nil || res.Verdict() < verify.ProvedReal || len(res.Files) != 1 {
			t.Errorf("%s: %v with %v, %d files", c.name, err, res.Verdict(), len(res.Files))
			continue
		}
		p, err := d3d9.Read("result", res.Files[0].Data)
		if err != nil || p.Model != d3d9.PS20 || len(d3d9.Validate(p)) > 0 {
			t.Errorf("%s: a program of %v (%v)\n%s", c.name, p.Model, err, res.Files[0].Data)
		}
		if _, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files},
			shaderlift.Options{Host: shaderlift.HostOptions{Partner: c.partner}}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

const fitQuad = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov oT1.xy, v1\n"
