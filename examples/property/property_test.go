// Package property tests a step of one's own build, here one that renames the temporaries of
// pixel programs, over random programs: whatever goes in, the judge has to prove that what comes
// out is the same. Of a program for which it is not, rapid leaves what is needed to show it.
package property

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/gen"
	"pgregory.net/rapid"
)

// step is what is tested: it gives the temporaries of a text new numbers, the last one first.
func step(text string) string {
	const temps = 12 // of ps_2_0
	return regexp.MustCompile(`\br(\d+)`).ReplaceAllStringFunc(text, func(r string) string {
		n, _ := strconv.Atoi(r[1:])
		return fmt.Sprintf("r%d", temps-1-n)
	})
}

// broken is one with a mistake: two temporaries get the same number.
func broken(text string) string { return regexp.MustCompile(`\br1\b`).ReplaceAllString(text, "r0") }

// same judges what a step makes of a text.
func same(t *testing.T, step func(string) string, text string) verify.Verdict {
	input := func(text string) shaderlift.Input {
		return shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh", Data: []byte(text)}}}
	}
	res, err := shaderlift.Verify(t.Context(), input(text), input(step(text)), shaderlift.Options{Require: verify.Proved})
	if res == nil || res.Judgement == nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return res.Verdict()
}

func TestStep(t *testing.T) {
	programs := gen.Programs(d3d9.PS20, 12)
	rapid.Check(t, func(r *rapid.T) {
		text := string(d3d9.Print(programs.Draw(r, "program").Program))
		if v := same(t, step, text); v != verify.Proved {
			r.Fatalf("%s:\n%s", v, text)
		}
	})
}

// The property can fail.
func TestBrokenStep(t *testing.T) {
	if v := same(t, broken, "ps_2_0\ndcl t0\nadd r0, t0, t0\nmul r1, t0, t0\nadd r0, r0, r1\nmov oC0, r0\n"); v != verify.Refuted {
		t.Errorf("the mistake is %s", v)
	}
}
