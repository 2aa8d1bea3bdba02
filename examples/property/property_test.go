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

// reversed has the temporaries of text, of which ps_2_0 has twelve, in reverse order.
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
