package effect

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// A literal zero that moves next to a parameter keeps its sign, also under an absolute value modifier:
// x+(-0) is x, but x+0 is not x if x is -0.
func TestSignOfZero(t *testing.T) {
	for operand, want := range map[string]string{"-c5.x": "(-0)", "-c5_abs.x": "(-0)", "-c5_abs.y": "(-0)",
		"c5_abs.y": "(0)", "c5.y": "(-0)"} {
		data := fxtest.WithTable(fxtest.Assemble("ps_3_0\ndcl_texcoord v0\ndef c5, 0, -0, 2, 3\nmov r1.x, c0.w\nmov r3.x, "+
			operand+"\nadd r0.x, r1.x, r3.x\nmul oC0, v0, r0.x\n"),
			d3d9.Constant{Name: "Fade"})
		p, err := d3d9.Decode("a.psh", data)
		if err != nil {
			t.Fatal(err)
		}
		q, _, err := moveToPreshader(p, p, false, false)
		if err != nil {
			t.Fatal(err)
		}
		pre, err := preshader.FromProgram(q)
		if err != nil || pre == nil {
			t.Fatalf("%s: no preshader, %v", operand, err)
		}
		if text := string(preshader.Print(pre)); !strings.Contains(text, want) {
			t.Errorf("%s is not %s:\n%s", operand, want, text)
		}
	}
}
