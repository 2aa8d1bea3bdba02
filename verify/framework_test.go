package verify

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// hostedProgram returns a program with a constant table, and with a preshader if text is not empty.
func hostedProgram(t *testing.T, src string, table []d3d9.Constant, inputs []d3d9.Constant, text string) *d3d9.Program {
	t.Helper()
	words, err := d3d9.EncodeConstantTable(&d3d9.ConstantTable{Constants: table})
	if err != nil {
		t.Fatal(err)
	}
	p := with(parse(t, src), d3d9.Inst{Op: d3d9.OpComment,
		Comment: append([]uint32{'C' | 'T'<<8 | 'A'<<16 | 'B'<<24}, words...)})
	if text != "" {
		if err := preshader.Attach(p, fxtest.Preshader(inputs, text)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

const hostedVertex = "vs_2_0; dcl_position v0; dcl_texcoord v1; mov oPos, v0; mov oT0, v1"

// TestUploadOfComputed checks that an upload may not set a constant that a preshader computes, because their
// order is unknown.
func TestUploadOfComputed(t *testing.T) {
	inputs := []d3d9.Constant{entry("Tint", 0, 1)}
	const code = "vs_2_0; dcl_position v0; mov oPos, v0; mov oT0, c4"
	vs := hostedProgram(t, code, nil, inputs, "rcp c4.x, in0.x\nmov c4.yzw, in0.yzw")
	ps := parse(t, "ps_2_0; dcl t0; mul r0, t0, c1; mov oC0, r0")
	for to, why := range map[uint16]string{4: "but the preshader computes it", 5: ""} {
		r := Check(Pair{Vertex: vs, Pixel: ps}, Pair{Vertex: vs, Pixel: ps},
			Options{Numerics: Real, Uploads: []Upload{{From: 1, To: to}}})
		wantRefusal(t, r, why)
	}
}

// TestSharedParameterGoes checks that the vertex program keeps a common parameter that leaves the table of
// the pixel program.
func TestSharedParameterGoes(t *testing.T) {
	shared := func(at int) []d3d9.Constant { return []d3d9.Constant{entry("Shared", at, 1)} }
	vs := hostedProgram(t, "vs_2_0; dcl_position v0; dcl_texcoord v1; m4x4 oPos, v0, c4; mov oT0, v1", shared(5), nil, "")
	pixel := func(table []d3d9.Constant, script string) *d3d9.Program {
		return hostedProgram(t, "ps_2_0; dcl t0; mul r0, t0, c4; mov oC0, r0", table, []d3d9.Constant{entry("Tint", 0, 1)},
			script)
	}
	before := Pair{Vertex: vs, Pixel: pixel(shared(2), "add r0.xyzw, in0.xyzw, in0.xyzw\nmov c4.xyzw, r0.xyzw")}
	after := Pair{Vertex: vs, Pixel: pixel(nil, "add c4.xyzw, in0.xyzw, in0.xyzw")}
	if r := Check(before, after, Options{Numerics: Real, Parameters: true,
		Mirrored: []Upload{{From: 2, To: 5}}}); r.Verdict != Proved {
		t.Errorf("%v: %s", r.Verdict, r.Why)
	}
}

// TestPreshadersOfBothStages checks that each preshader has its own inputs: the same expression of the first
// input has another value in the other stage.
func TestPreshadersOfBothStages(t *testing.T) {
	tint, glow := []d3d9.Constant{entry("Tint", 0, 1)}, []d3d9.Constant{entry("Glow", 0, 1)}
	const vsCode, psCode = "vs_2_0; dcl_position v0; mov oPos, v0; mul oT0, v0, c4", "ps_2_0; dcl t0; mul r0, t0, c4; mov oC0, r0"
	pair := func(v, p []d3d9.Constant, script string) Pair {
		return Pair{Vertex: hostedProgram(t, vsCode, nil, v, script), Pixel: hostedProgram(t, psCode, nil, p, script)}
	}
	const twice, once = "add r0.xyzw, in0.xyzw, in0.xyzw\nrcp r1.xy, in0.xy\nmov c4.xyzw, r0.xyzw", "add c4.xyzw, in0.xyzw, in0.xyzw"
	before := pair(tint, glow, twice)
	if r := Check(before, pair(tint, glow, once), Options{Numerics: Real, Parameters: true}); r.Verdict != Proved {
		t.Errorf("%v: %s", r.Verdict, r.Why)
	}
	for _, other := range []Pair{pair(tint, tint, once), pair(glow, glow, once)} {
		if r := Check(before, other, Options{Numerics: Real, Parameters: true}); r.Verdict != Refuted {
			t.Errorf("%v: %s", r.Verdict, r.Why)
		}
	}
}

// TestPreshaders checks that preshaders count as part of the program: changes are proved or refused by their
// effect.
func TestPreshaders(t *testing.T) {
	tint, glow := entry("Tint", 0, 1), entry("Glow", 1, 1)
	inputs := []d3d9.Constant{glow, tint}
	const code = "ps_2_0; dcl t0; mul r0, t0, c4; add r0, r0, c5; mov oC0, r0"
	const script = "mul r0.xyzw, in0.xyzw, in1.xyzw\nadd c4.xyzw, r0.xyzw, (1, 1, 1, 1)\nneg c5.xyzw, r0.xyzw"
	const inCode = "ps_2_0; def c3, 1, 1, 1, 1; dcl t0; mov r1, c1; mul r1, r1, c0; mov r2, c3; add r2, r1, r2; mul r0, t0, r2; add r0, r0, -r1; mov oC0, r0"
	clashing := []d3d9.Constant{{Name: "Glow", Set: d3d9.SetFloat4, Index: 4, Count: 1, Class: 2, Type: 3, Rows: 1,
		Columns: 4, Elements: 1}}
	wide := tint
	wide.Index, wide.Count = 2, 2
	type version struct {
		code   string
		table  []d3d9.Constant
		inputs []d3d9.Constant
		script string
	}
	before := version{code, nil, inputs, script}
	for _, c := range []struct {
		name  string
		after version
		least Verdict
		why   string // reason if not proved
	}{
		{"equal expressions twice", version{code, nil, inputs,
			"mul r0.xyzw, in0.xyzw, in1.xyzw\nmul r1.xyzw, in0.xyzw, in1.xyzw\nadd c4.xyzw, r1.xyzw, (1, 1, 1, 1)\nneg c5.xyzw, r0.xyzw"}, Proved, ""},
		{"a literal folded", version{code, nil, inputs,
			"mul r0.xyzw, in0.xyzw, in1.xyzw\nadd r1.xyzw, (0.5, 0.5, 0.5, 0.5), (0.5, 0.5, 0.5, 0.5)\nadd c4.xyzw, r0.xyzw, r1.xyzw\nneg c5.xyzw, r0.xyzw"}, Proved, ""},
		{"registers exchanged in both", version{strings.NewReplacer("c4", "c5", "c5", "c4").Replace(code), nil, inputs,
			strings.NewReplacer("c4", "c5", "c5", "c4").Replace(script)}, Proved, ""},
		{"inputs exchanged", version{code, nil, []d3d9.Constant{entry("Glow", 0, 1), entry("Tint", 1, 1)},
			"mul r0.xyzw, in1.xyzw, in0.xyzw\nadd c4.xyzw, r0.xyzw, (1, 1, 1, 1)\nneg c5.xyzw, r0.xyzw"}, Proved, ""},
		{"a sign in the program", version{strings.Replace(code, "c5", "-c5", 1), nil, inputs,
			strings.Replace(script, "neg", "mov", 1)}, Proved, ""},
		{"factors exchanged", version{code, nil, inputs,
			strings.Replace(script, "in0.xyzw, in1.xyzw", "in1.xyzw, in0.xyzw", 1)}, Proved, ""},
		{"computed by the program", version{inCode, []d3d9.Constant{glow, tint}, nil, ""}, ProvedReal, ""},

		{"a wrong coefficient", version{code, nil, inputs, strings.Replace(script, "(1, 1, 1, 1)", "(1, 1, 1.0625, 1)", 1)},
			Refuted, ""},
		{"an instruction dropped", version{code, nil, inputs, strings.Replace(script, "neg", "mov", 1)}, Refuted, ""},
		{"outputs exchanged", version{code, nil, inputs, strings.NewReplacer("c4", "c5", "c5", "c4").Replace(script)},
			Refuted, ""},
		{"parameters exchanged", version{inCode, []d3d9.Constant{entry("Glow", 0, 1), entry("Tint", 1, 1)}, nil, ""}, ProvedReal, ""}, // a product
		{"another parameter", version{code, nil, inputs,
			strings.Replace(script, "in0.xyzw, in1.xyzw", "in1.xyzw, in1.xyzw", 1)}, Refuted, ""},
		{"a component left open", version{code, nil, inputs, strings.Replace(script, "neg c5.xyzw", "neg c5.xyz", 1)},
			Refuted, ""},
		{"an output dropped", version{code, nil, inputs,
			"mul r0.xyzw, in0.xyzw, in1.xyzw\nadd c4.xyzw, r0.xyzw, (1, 1, 1, 1)"}, Unknown, "no longer set"},
		{"dropped", version{code, nil, nil, ""}, Unknown, "no longer set"},
		{"a register set twice", version{code, clashing, inputs, script}, Unknown, "new name"},
		{"one that the program defines", version{strings.Replace(code, "dcl", "def c4, 1, 1, 1, 1; dcl", 1), nil, inputs,
			strings.Replace(script, "1, 1, 1, 1", "2, 2, 2, 2", 1)}, Unknown, "another source both set"},
		{"a parameter that there was not", version{code, nil, append(inputs, entry("More", 2, 1)),
			strings.Replace(script, "in1", "in2", 1)}, Unknown, "no parameter"},
		{"another type", version{code, nil, []d3d9.Constant{glow,
			{Name: "Tint", Set: d3d9.SetFloat4, Count: 1, Class: 1, Type: 3, Rows: 1, Columns: 4,
				Elements: 1}}, script}, Unknown, "two types"},
		{"more registers than the type has", version{code, nil, []d3d9.Constant{glow, wide},
			strings.ReplaceAll(script, "in0", "in2")}, Unknown, "takes 1 registers, not 2"},
		{"an output across registers", version{code, nil, inputs, "mov c3.yzwx, in0.xyzw\n" + script}, Unknown,
			"two registers"},
		{"powers of another base", version{code, nil, inputs,
			strings.Replace(script, "neg c5.xyzw, r0.xyzw", "exp c5.xyzw, r0.xyzw", 1)}, Refuted, ""},
		{"no inputs", version{code, nil, nil, "mov c4.xyzw, (1, 1, 1, 1)\nmov c5.xyzw, (1, 1, 1, 1)"}, Unknown, "no inputs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := Pair{Vertex: parse(t, hostedVertex),
				Pixel: hostedProgram(t, before.code, before.table, before.inputs, before.script)}
			if c.after.script == "" && c.after.table != nil { // the table of before names the parameters, too
				b.Pixel = hostedProgram(t, before.code, c.after.table, before.inputs, before.script)
			}
			a := Pair{Vertex: parse(t, hostedVertex),
				Pixel: hostedProgram(t, c.after.code, c.after.table, c.after.inputs, c.after.script)}
			r := Check(b, a, Options{Numerics: Real, Parameters: true})
			if r.Verdict != c.least || !strings.Contains(r.Why, c.why) {
				t.Errorf("%v, %q, and not %v, %q", r.Verdict, r.Why, c.least, c.why)
			}
			if r := Check(b, a, Options{Numerics: Real}); r.Verdict.OK() {
				t.Errorf("without a framework it is %v", r.Verdict)
			}
		})
	}
}
