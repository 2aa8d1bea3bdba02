package preshader_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// named returns inputs for p, with values that depend only on the name and the component.
func named(t *testing.T, p *preshader.Program, value func(name string, component int) float32) (inputs []float32) {
	t.Helper()
	list, err := p.Inputs()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		for n := 4 * (c.Index + c.Count); len(inputs) < n; {
			inputs = append(inputs, 0)
		}
		for k := range 4 * c.Count {
			inputs[4*c.Index+k] = value(c.Name, k)
		}
	}
	return inputs
}

// sameOutputs checks that two programs compute the same wanted components, bit for bit, in each
// client.
func sameOutputs(t *testing.T, a, b *preshader.Program, wanted func(uint32) bool) {
	t.Helper()
	for seed := range uint64(6) {
		values := map[string]float32{}
		r := rand.New(rand.NewPCG(seed, 3))
		value := func(name string, component int) float32 {
			key := name + string(rune(component))
			if _, ok := values[key]; !ok {
				values[key] = []float32{float32(r.NormFloat64()), float32(r.IntN(5) - 2),
					math.Float32frombits(r.Uint32())}[r.IntN(3)]
			}
			return values[key]
		}
		for _, client := range []preshader.Client{preshader.D3DX, preshader.MojoShader} {
			x, err := preshader.Run(a, named(t, a, value), client)
			if err != nil {
				return
			}
			y, err := preshader.Run(b, named(t, b, value), client)
			if err != nil {
				t.Fatal(err)
			}
			for at, want := range x.Float {
				if got, ok := y.Float[at]; wanted(at) && (!ok || math.Float32bits(got) != math.Float32bits(want) && want == want) {
					t.Errorf("%s: component %d is %g and not %g:\n%s\n%s", client, at, got, want, preshader.Print(a),
						preshader.Print(b))
					return
				}
			}
		}
	}
}

// TestOptimizeCorpus checks that optimized preshaders of the corpus have fewer instructions and the
// same results.
func TestOptimizeCorpus(t *testing.T) {
	all := func(uint32) bool { return true }
	some := func(at uint32) bool { return at%3 != 0 }
	before, after, fewer := 0, 0, 0
	for _, words := range programs(t) {
		p, err := preshader.Decode("corpus", words)
		if err != nil {
			t.Fatal(err)
		}
		for i, wanted := range []func(uint32) bool{all, some} {
			q, err := preshader.Optimize(p, wanted)
			if err != nil {
				t.Fatal(err)
			}
			if q == nil {
				continue
			}
			if err := q.Check(); err != nil {
				t.Errorf("%v\n%s", err, preshader.Print(q))
			}
			sameOutputs(t, p, q, wanted)
			if i == 0 {
				before, after = before+len(p.Insts), after+len(q.Insts)
				if len(q.Insts) < len(p.Insts) {
					fewer++
				}
			}
		}
		if old := encode(t, p); !cmp.Equal(old, words) {
			t.Fatal("the preshader itself has changed")
		}
	}
	if after > 3480 {
		t.Errorf("%d instructions are left", after)
	}
	t.Logf("%d preshaders, %d -> %d instructions", fewer, before, after)
}

func TestOptimize(t *testing.T) {
	float4 := func(name string, at int) d3d9.Constant {
		return d3d9.Constant{Name: name, Set: d3d9.SetFloat4, Index: at, Count: 1, Class: 1, Type: 3, Rows: 1, Columns: 4,
			Elements: 1}
	}
	inputs := []d3d9.Constant{float4("A", 0), float4("B", 1)}
	for _, c := range []struct{ name, text, want string }{
		{"an unread output", "mul c0.x, in0.x, in1.x\nadd c9.x, in0.x, in1.x",
			"// in0: A\n// in1: B\nmul c0.x, in0.x, in1.x\n"},
		{"an unread output and its input", "mov c0.x, in1.x\nmov c9.x, in0.x", "// in0: B\nmov c0.x, in0.x\n"},
		{"copies", "mov r0.x, in0.y\nmov r1.x, r0.x\nmul c0.x, r1.x, in1.x",
			"// in0: A\n// in1: B\nmul c0.x, in0.y, in1.x\n"},
		{"equal expressions", "mul r0.x, in0.x, in1.x\nmul r1.x, in1.x, in0.x\nadd r2.x, r0.x, in0.y\nadd c0.x, r1.x, r2.x",
			"// in0: A\n// in1: B\nmul r0.x, in0.x, in1.x\nadd r1.x, r0.x, in0.y\nadd c0.x, r0.x, r1.x\n"},
		{"literals of literals", "add r0.x, (0.5), (0.25)\nmul c0.x, r0.x, in0.x", "// in0: A\nmul c0.x, (0.75), in0.x\n"},
		{"a literal that is rounded", "add r0.x, (1), (1e-9)\nmul c0.x, r0.x, in0.x", ""},
		{"components next to each other", "rcp r0.x, in0.x\nrcp r0.y, in0.y\nmul c0.xy, (0.5), r0.xy",
			"// in0: A\nrcp r0.xy, in0.xy\nmul c0.xy, (0.5), r0.xy\n"},
		{"a copy of a value with another reader", "rcp r0.x, in0.x\nmul c0.x, (0.5), r0.x\nmov c1.x, r0.x", ""},
		{"nothing", "mul c9.x, in0.x, in1.x", "gone"},
		{"a constant", "mov c0.x, (1)\nmov c0.y, (2)", "// in0: A\nmov c0.xy, (1, 2)\n"},
	} {
		p := fxtest.Preshader(inputs, c.text)
		q, err := preshader.Optimize(p, func(at uint32) bool { return at < 36 })
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		switch {
		case q == nil:
			got = "gone"
		case q != p:
			got = string(preshader.Print(q))[len("preshader\n"):]
			sameOutputs(t, p, q, func(at uint32) bool { return at < 36 })
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}
