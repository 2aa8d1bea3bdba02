// Package property tests a custom build step on random programs; here the step renames the
// temporaries of pixel programs. The verifier has to prove that output and input are equivalent. If
// a proof fails, rapid reduces the program to a small counterexample.
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

// reversed renames the twelve temporaries of ps_2_0 in text in reverse order.
func reversed(text string) string {
	return regexp.MustCompile(`\br\d+`).ReplaceAllStringFunc(text, func(r string) string {
		n, _ := strconv.Atoi(r[1:])
		return fmt.Sprintf("r%d", 11-n)
	})
}

func TestReversed(t *testing.T) {
	programs := gen.Programs(d3d9.PS20, 12)
	rapid.Check(t, func(r *rapid.T) {
		text := string(d3d9.Print(programs.Draw(r, "program").Program))
		in := shaderlift.Input{Files: []shaderlift.File{{Name: "before.psh", Data: []byte(text)}}}
		out := shaderlift.Input{Files: []shaderlift.File{{Name: "after.psh", Data: []byte(reversed(text))}}}
		if _, err := shaderlift.Verify(t.Context(), in, out, shaderlift.Options{Require: verify.Proved}); err != nil {
			r.Fatalf("%v\n%s", err, text)
		}
	})
}
