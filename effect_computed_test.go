package shaderlift_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// computedEffect returns an effect with one pass. Its pixel program adds c3, which its preshader
// computes, to coordinates.
func computedEffect(vertex, pixel string) shaderlift.Input {
	vs := fxtest.WithTable(fxtest.Assemble(tableVertex), d3d9.Constant{Name: "Position"})
	if vertex != "" {
		vs = fxtest.Attach(fxtest.WithTable(fxtest.Assemble(tableVertex)),
			fxtest.Preshader([]d3d9.Constant{vector("Speed")}, vertex))
	}
	time := vector("Time")
	time.Index = 1
	ps := fxtest.Attach(fxtest.WithTable(fxtest.Assemble(tablePixel)),
		fxtest.Preshader([]d3d9.Constant{vector("Speed"), time}, pixel))
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("P0", fxtest.Shader{Data: vs}, fxtest.Shader{Data: ps})
	return effectFile(&b)
}

// TestComputedConstants checks that outputs of a pixel program's preshader move with the code that
// reads them. The preshader of the vertex program then computes them from the same parameters.
func TestComputedConstants(t *testing.T) {
	const product = "mul c3.xy, in0.xy, in1.xy"
	for _, c := range []struct {
		name          string
		vertex, pixel string // preshaders before
		want          string // the preshader of the vertex program
		slots         int    // of the pixel program
	}{
		{"into a new one", "", product, "// in0: Speed\n// in1: Time\nmul c1.xy, in0.xy, in1.xy\n", 2},
		{"into that which is there", "rcp c0.x, in0.x\nmov c0.yzw, in0.yzw", product,
			"// in0: Speed\n// in1: Time\nrcp c0.x, in0.x\nmov c0.yzw, in0.yzw\nmul c1.xy, in0.xy, in1.xy\n", 2},
		{"no other components", "", product + "\nmov c3.zw, in1.zw",
			"// in0: Speed\n// in1: Time\nmul c1.xy, in0.xy, in1.xy\n", 2},
		{"a function that clients do not share", "", "mul r0.xy, in0.xy, in1.xy\nexp c3.xy, r0.xy",
			"// in0: Speed\n// in1: Time\nmul r0.xy, in0.xy, in1.xy\nexp c1.xy, r0.xy\n", 2},
		{"nothing that goes across components", "", "dot c3.xy, in0.xy, in1.xy", "", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := computedEffect(c.vertex, c.pixel)
			res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
			if err != nil || len(res.Faults) > 0 {
				t.Fatal(err, res.Faults)
			}
			if n := res.Parts[0].Stages[1].CurrentCost().Slots; n != c.slots {
				t.Errorf("the pixel program has %d slots, not %d: %v", n, c.slots, res.Parts[0].Remarks)
			}
			if diff := cmp.Diff(c.want, preshaderOf(t, res.Files[0].Data, d3d9.Vertex)); diff != "" {
				t.Errorf("the preshader of the vertex program:\n%s", diff)
			}
			if text := preshaderOf(t, res.Files[0].Data, d3d9.Pixel); (text == "") != (c.slots == 2) {
				t.Errorf("the preshader of the pixel program:\n%s", text)
			}
			after := shaderlift.Input{Files: res.Files}
			if v, err := shaderlift.Verify(t.Context(), in, after, shaderlift.Options{}); err != nil ||
				v.Verdict() != res.Verdict() {
				t.Errorf("verify says %s, not %s (%v)", v.Verdict(), res.Verdict(), err)
			}
		})
	}
}

// TestComputedOfAnotherType checks that no value is computed from a parameter that has another type in
// the vertex program's preshader.
func TestComputedOfAnotherType(t *testing.T) {
	speed := vector("Speed")
	speed.Columns = 3
	vs := fxtest.Attach(fxtest.WithTable(fxtest.Assemble(tableVertex)),
		fxtest.Preshader([]d3d9.Constant{speed}, "mov c0.xyz, in0.xyz"))
	ps := fxtest.Attach(fxtest.WithTable(fxtest.Assemble(tablePixel)),
		fxtest.Preshader([]d3d9.Constant{vector("Speed")}, "rcp c3.x, in0.x\nrcp c3.y, in0.y"))
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("P0", fxtest.Shader{Data: vs}, fxtest.Shader{Data: ps})
	res, err := shaderlift.Optimize(t.Context(), effectFile(&b), shaderlift.Options{})
	if err != nil || len(res.Faults) > 0 || res.Parts[0].Stages[1].CurrentCost().Slots != 3 {
		t.Errorf("%v, faults %v, %d slots", err, res.Faults, res.Parts[0].Stages[1].CurrentCost().Slots)
	}
}

// TestWrongComputedConstants checks that a wrong preshader of the vertex program is rejected.
func TestWrongComputedConstants(t *testing.T) {
	in := computedEffect("", "mul c3.xy, in0.xy, in1.xy")
	for text, ok := range map[string]bool{
		"mul c1.xy, in0.xy, in1.xy": true,
		"mul c1.xy, in0.yz, in1.xy": false,
		"add c1.xy, in0.xy, in1.xy": false,
		"mul c1.x, in0.x, in1.x":    false, // and nothing for y
		"mul c0.xy, in0.xy, in1.xy": false, // this is Position
	} {
		var b fxtest.Builder
		b.Technique("Main")
		time := vector("Time")
		time.Index = 1
		vs := fxtest.WithTable(fxtest.Assemble(strings.Replace(tableVertex, "mov oT0.xy, v1", "add oT0.xy, v1, c1", 1)),
			d3d9.Constant{Name: "Position"})
		vs = fxtest.Attach(vs, fxtest.Preshader([]d3d9.Constant{vector("Speed"), time}, text))
		b.AddPass("P0", fxtest.Shader{Data: vs},
			fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble("ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n"))})
		after := effectFile(&b)
		if v, err := shaderlift.Verify(t.Context(), in, after, shaderlift.Options{}); (err == nil) != ok ||
			err != nil && !errors.Is(err, shaderlift.ErrRefused) {
			t.Errorf("%s: %s (%v)", text, v.Verdict(), err)
		}
	}
}
