package opt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/opt/input"
)

// TestDegreeDoubles limits the verification of a program whose polynomial degree doubles every few
// instructions. The search for the rewrites to blame checks one version after the other.
func TestDegreeDoubles(t *testing.T) {
	var b strings.Builder
	b.WriteString("ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\ndef c4, 0.5, 2, 1, 0\nmov r0, v0\nmov r1, v1\nmov r2, c0\nmov r3, c4\n")
	for i := range 20 {
		r := func(k int) int { return (i + k) % 4 }
		fmt.Fprintf(&b, "mul r%d, r%[1]d, c%d\nmad r%d.xyz, r%[3]d, r%[1]d.x, r%d\nadd r%d, r%[4]d.yzxw, -r%[1]d\ndp4 r%d.w, r%[5]d, c4\nmax r%[1]d.xy, r%d, c4.w\n",
			r(0), i%4, r(1), r(3), r(2), r(3), r(1))
	}
	b.WriteString("add r0, r0, r1\nadd r0, r0, r2\nadd r0, r0, r3\nmov oC0, r0\n")
	o := job{Options: Options{}.withDefaultTarget(input.KindProgram), ctx: t.Context()}
	in := Input{Files: []File{{Name: "test.psh", Data: []byte(b.String())}}}
	z := &optimizer{in: in, o: o, res: newResult(in)}
	defer z.o.begin()()
	if err := z.prepareAndRun(); err != nil && !budget.IsExhausted(err) {
		t.Fatal(err)
	}
	const most = 1 << 19
	if z.verificationSteps() > most {
		t.Errorf("verification takes %d steps, which is more than %d", z.verificationSteps(), most)
	}
}
