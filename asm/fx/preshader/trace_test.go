package preshader_test

import (
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
)

// inputsOf returns values for the inputs in the table of p.
func inputsOf(t *testing.T, p *preshader.Program) (inputs []float32) {
	t.Helper()
	table, ok := d3d9.ReadConstantTable(p.Table)
	if !ok {
		t.Fatal("the constant table of a preshader cannot be read")
	}
	for i := range table.Constants {
		for n := 4 * (table.Constants[i].Index + table.Constants[i].Count); len(inputs) < n; {
			inputs = append(inputs, 0.25+float32(len(inputs))/3)
		}
	}
	return inputs
}

// TestTrace checks that traced expressions evaluate to the results of Run, bit for bit, in both
// clients.
func TestTrace(t *testing.T) {
	traced := 0
	for _, words := range programs(t) {
		p, err := preshader.Decode("corpus", words)
		if err != nil {
			t.Fatal(err)
		}
		outs, err := preshader.Trace(p, &preshader.Values{})
		if err != nil {
			if len(p.Outputs.Ranges[1]) == 0 {
				t.Errorf("%v\n%s", err, preshader.Print(p))
			}
			continue
		}
		traced++
		inputs := inputsOf(t, p)
		for _, client := range []preshader.Client{preshader.D3DX, preshader.MojoShader} {
			ran, err := preshader.Run(p, inputs, client)
			if err != nil {
				t.Fatal(err)
			}
			if len(ran.Float) != len(outs) {
				t.Errorf("%d components are written, and %d traced", len(ran.Float), len(outs))
			}
			for at, x := range outs {
				got := x.Eval(func(n uint32) float32 { return inputs[n] }, client)
				if want := ran.Float[at]; math.Float32bits(got) != math.Float32bits(want) && want == want {
					t.Errorf("%s computes %g and not %g for component %d of\n%s", client, want, got, at, preshader.Print(p))
				}
			}
		}
	}
	t.Logf("%d traced", traced)
}

// TestValues checks that equal expressions are the same Value, and that literals fold if both
// clients agree.
func TestValues(t *testing.T) {
	var v preshader.Values
	x, y := v.Input(0), v.Input(1)
	third := v.Literal(1.0 / 3)
	for _, tt := range []struct {
		name      string
		got, want *preshader.Value
		same      bool
	}{
		{"equal sums", v.Apply(preshader.Add, 0, x, y), v.Apply(preshader.Add, 0, x, y), true},
		{"sums turned round", v.Apply(preshader.Add, 0, x, y), v.Apply(preshader.Add, 0, y, x), true},
		{"minima turned round", v.Apply(preshader.Min, 0, x, y), v.Apply(preshader.Min, 0, y, x), false},
		{"a copy", v.Apply(preshader.Mov, 0, x), x, true},
		{"a copy of a number that is not a float32", v.Apply(preshader.Mov, 0, third), third, false},
		{"twice the negative", v.Apply(preshader.Neg, 0, v.Apply(preshader.Neg, 0, x)), x, true},
		{"an exact sum", v.Apply(preshader.Add, 0, v.Literal(1), v.Literal(0.5)), v.Literal(1.5), true},
		{"a sum that D3DX rounds", v.Apply(preshader.Add, 0, v.Literal(1), v.Literal(0x1p-30)), v.Literal(1 + 0x1p-30),
			false},
		{"zeros of two signs", v.Literal(0), v.Literal(math.Copysign(0, -1)), false},
		{"a power of a literal", v.Apply(preshader.Exp, 0, v.Literal(1)), v.Literal(2), false},
		{"components of a dot", v.Apply(preshader.Dot, 0, x, y), v.Apply(preshader.Dot, 1, x, y), false},
	} {
		if (tt.got == tt.want) != tt.same {
			t.Errorf("%s: the same value: %t", tt.name, !tt.same)
		}
	}
}
