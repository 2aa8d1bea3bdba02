package effect

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/budget"
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

// TestTrials counts the versions that the search writes. It writes each selection of operands once. If operations are
// wanted, it writes none of copies alone.
func TestTrials(t *testing.T) {
	for _, c := range []struct {
		code       string
		operations bool
		want       int64
	}{
		{"mul r0.x, c0.x, c0.y\nmul oC0, v0, r0.x\n", true, 2}, // and the result
		{"mul r0.x, c0.x, c0.y\nmad oC0, v0, r0.x, c1\n", true, 1},
		{"mul r0.x, c0.x, c0.y\nmad r1, v0, r0.x, c1\nmov r2.x, c0.z\nmad oC0, r1, c1.x, r2.x\n", true, 1},
		{"mul r0.x, c0.x, c0.y\nmad r1, v0, r0.x, c1\nmov r2.x, c0.z\nmad oC0, r1, c1.x, r2.x\n", false, 3},
	} {
		data := fxtest.WithTable(fxtest.Assemble("ps_3_0\ndcl_texcoord v0\n"+c.code),
			d3d9.Constant{Name: "A"}, d3d9.Constant{Name: "B", Index: 1})
		p, err := d3d9.Decode("a.psh", data)
		if err != nil {
			t.Fatal(err)
		}
		before := budget.Emissions.Load()
		if _, _, err := moveToPreshader(p, p, true, c.operations); err != nil {
			t.Fatal(err)
		}
		if n := budget.Emissions.Load() - before; n != c.want {
			t.Errorf("%q: %d versions, want %d", c.code, n, c.want)
		}
	}
}
