package shaderlift_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/vsps"
)

const hoistVertex = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov o1, v1\n"

// filler makes an effect large enough for a preshader, since the file may grow by 3 %.
var filler = strings.Repeat("large ", 4000)

// preshaderOf returns the preshader of a program of the only pass of an effect, as text.
func preshaderOf(t *testing.T, data []byte, stage d3d9.Stage) string {
	t.Helper()
	q, err := preshader.FromProgram(programOf(t, data, stage))
	if err != nil {
		t.Fatal(err)
	}
	if q == nil {
		return ""
	}
	if err := q.Check(); err != nil {
		t.Error(err)
	}
	return strings.TrimPrefix(string(preshader.Print(q)), "preshader\n")
}

// TestHoist checks that computations on parameters alone move to the preshader if clients agree on the
// operation and the move pays.
func TestHoist(t *testing.T) {
	table := []d3d9.Constant{{Name: "Fade", Index: 0}, {Name: "Glow", Index: 1}, {Name: "Tint", Index: 2}}
	const head = "ps_3_0\ndcl_texcoord v0\n"
	old := fxtest.Preshader([]d3d9.Constant{vector("Tint")}, "rcp c4.x, in0.x")
	for _, c := range []struct {
		name      string
		pixel     string
		old       *preshader.Program
		options   shaderlift.Options
		slots     int
		preshader string
		verdict   verify.Verdict
	}{
		{"a product", head + "mov r0, c0\nmul r0, r0, c1\nadd oC0, v0, r0\n", nil, shaderlift.Options{}, 1,
			"// in0: Fade\n// in1: Glow\nmul c3.xyzw, in0.xyzw, in1.xyzw\n", verify.ProvedReal},
		{"beside what there is", head + "mov r0, c0\nmul r0.x, r0.x, c1.x\nmad oC0, v0, c4.x, r0.x\n", old,
			shaderlift.Options{}, 1,
			"// in0: Fade\n// in1: Glow\n// in2: Tint\nrcp c5.x, in2.x\nmul c5.y, in0.x, in1.x\n", verify.ProvedReal},
		{"a clamped sum", head + "mov r0, c0\nadd_sat r0.x, r0.x, c1.y\nmul oC0, v0, r0.x\n", nil, shaderlift.Options{}, 1,
			"// in0: Fade\n// in1: Glow\nadd r1.x, in0.x, in1.y\nmax r0.x, r1.x, (0)\nmin c3.x, r0.x, (1)\n", verify.ProvedReal},
		{"copies next to each other", head + "mov r0.x, c0.x\nmad oC0, v0, r0.x, c1.x\n", nil,
			shaderlift.Options{Numerics: shaderlift.Terms}, 1,
			"// in0: Fade\n// in1: Glow\nmov c3.x, in0.x\nmov c3.y, in1.x\n", verify.Proved},
		{"no operation among terms", head + "mov r0, c0\nmul r0, r0, c1\nadd oC0, v0, r0\n", nil,
			shaderlift.Options{Numerics: shaderlift.Terms}, 3, "", 0},
		{"a power, of two bases", head + "exp r0, c0.x\nadd oC0, v0, r0\n", nil, shaderlift.Options{}, 2, "", 0},
		{"a root of either sign", head + "rsq r0, c0.x\nadd oC0, v0, r0\n", nil, shaderlift.Options{}, 2, "", 0},
		{"a root of squares", head + "dp3 r0, c0, c0\nrsq r0, r0.x\nadd oC0, v0, r0\n", nil, shaderlift.Options{}, 1, "rsq",
			verify.ProvedReal},
		{"a direction, which may be none", head + "nrm r0, c0\nadd oC0, v0, r0\n", nil, shaderlift.Options{}, 4, "", 0},
		{"nothing at the lowest level", head + "mov r0, c0\nmul r0, r0, c1\nadd oC0, v0, r0\n", nil,
			shaderlift.Options{Pipeline: "O0"}, 3, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b fxtest.Builder
			b.Technique("Main")
			data := fxtest.WithTable(fxtest.Assemble(c.pixel), slices.Clone(table)...)
			if c.old != nil {
				data = fxtest.Attach(data, c.old)
			}
			b.AddPass("P0", shader(hoistVertex), fxtest.Shader{Data: data})
			b.Param(b.TextVariable("Comment", filler))
			in := effectFile(&b)
			res, err := shaderlift.Optimize(t.Context(), in, c.options)
			if err != nil {
				t.Fatal(err)
			}
			pixel := res.Parts[0].Stages[1]
			text := preshaderOf(t, res.Files[0].Data, d3d9.Pixel)
			if pixel.CurrentCost().Slots != c.slots || len(res.Faults) > 0 {
				t.Errorf("%d slots, not %d; faults: %v; %v", pixel.CurrentCost().Slots, c.slots, res.Faults, res.Parts[0].Remarks)
			}
			if c.preshader == "rsq" && strings.Contains(text, "rsq c3.x") {
				text = "rsq"
			}
			if diff := cmp.Diff(c.preshader, text); diff != "" {
				t.Errorf("its preshader:\n%s", diff)
			}
			if c.preshader == "" {
				if pixel.Host != nil {
					t.Errorf("it takes %v on the host", pixel.Host)
				}
				return
			}
			if res.Verdict() != c.verdict || pixel.Host == nil || pixel.Host.After == 0 {
				t.Errorf("%s, and on the host %v", res.Verdict(), pixel.Host)
			}
			if _, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files}, c.options); err != nil {
				t.Errorf("it is not verified again: %v", err)
			}
			e, err := fx.Decode("a.fxb", res.Files[0].Data)
			if err != nil || len(e.Parameters) > 1 {
				t.Errorf("%v, %d parameters", err, len(e.Parameters))
			}
		})
	}
}

// TestNoHoistFixedPoint checks that programs of ps_1_x, which emission does not write, keep their
// computations. They clamp constants more than intermediate results, and a preshader cannot do that for them.
func TestNoHoistFixedPoint(t *testing.T) {
	const pixel = "ps_1_1\ndef c1, 0.5, 0.5, 0.5, 1\ntex t0\ntexcoord t1\nmul r0, c0, c1.w\nmul t0, t0, t1\nmad r1, t0, t1, v0\nadd r0.xyz, c0, r0\n"
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("P0", shader("vs_1_1\ndcl_position v0\nmov oPos, v0\n"),
		fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(pixel), d3d9.Constant{Name: "Glow"})})
	res, err := shaderlift.Optimize(t.Context(), effectFile(&b), shaderlift.Options{Pipeline: "O1"})
	if err != nil || len(res.Faults) > 0 {
		t.Fatal(err, res.Faults)
	}
	if text := preshaderOf(t, res.Files[0].Data, d3d9.Pixel); text != "" {
		t.Errorf("it has a preshader:\n%s", text)
	}
}

// vector returns a table entry for four floats, in the first register.
func vector(name string) d3d9.Constant {
	return d3d9.Constant{Name: name, Set: d3d9.SetFloat4, Count: 1, Class: uint16(fx.Vector), Type: uint16(fx.Float),
		Rows: 1, Columns: 4, Elements: 1}
}

// TestShorterPreshader checks that preshaders lose unread components, equal expressions and copies.
// Expressions behind positions keep their terms.
func TestShorterPreshader(t *testing.T) {
	const vs = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmul o0, v0, c4\nmov o1, v1\n"
	script := "mul r0.xyzw, in0.xyzw, in0.xyzw\nmul r1.xyzw, in0.xyzw, in0.xyzw\nadd r2.xyzw, r0.xyzw, r1.xyzw\nmov c4.xyzw, r2.xyzw\nrcp c5.x, in0.x"
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("P0", fxtest.Shader{Data: fxtest.Attach(fxtest.WithTable(fxtest.Assemble(vs)),
		fxtest.Preshader([]d3d9.Constant{vector("Scale")}, script))},
		shader("ps_3_0\ndcl_texcoord v0\nmov oC0, v0\n"))
	res, err := shaderlift.Optimize(t.Context(), effectFile(&b), shaderlift.Options{Numerics: shaderlift.Terms})
	if err != nil {
		t.Fatal(err)
	}
	const want = "// in0: Scale\nmul r0.xyzw, in0.xyzw, in0.xyzw\nadd c4.xyzw, r0.xyzw, r0.xyzw\n"
	if diff := cmp.Diff(want, preshaderOf(t, res.Files[0].Data, d3d9.Vertex)); diff != "" ||
		res.Status != shaderlift.Improved || res.Verdict() != verify.Proved {
		t.Errorf("%s, %s:\n%s", res.Status, res.Verdict(), diff)
	}
}

// uniform counts the instructions of an effect that compute on constants alone, without copies.
// Preshaders could compute these, except for operations on which clients disagree.
func uniform(t *testing.T, data []byte) (n int) {
	e, err := fx.Decode("effect", data)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range e.Shaders() {
		p, err := d3d9.Decode("program", *s.Data)
		if err != nil {
			t.Fatal(err)
		}
		f, err := vsps.Lift(p)
		if err != nil {
			t.Fatal(err)
		}
		const varies, literal, constant = 0, 1, 2
		kinds := map[*ir.Value]int{}
		kind := func(v *ir.Value) int {
			switch v.Kind {
			case ir.Literal:
				return literal
			case ir.Uniform:
				return constant
			}
			return kinds[v]
		}
		f.Walk(func(in *ir.Instr) {
			if in.IsPredicated() || !in.Op.HasFormula() || in.Mask() == 0 {
				return
			}
			least, most := constant, varies
			in.EachUse(func(l *ir.Lane) { least, most = min(least, kind(l.V)), max(most, kind(l.V)) })
			if least == varies {
				return
			}
			in.EachDef(func(v *ir.Value) { kinds[v] = most })
			if most == constant && in.Op != ir.OpMov {
				n++
			}
		})
	}
	return n
}

// TestUniformCorpus checks that almost no computations on constants alone are left. Compilers leave few
// in effects, and these move to preshaders. The rest are reciprocals that rewrites made from divisions.
// As constants they would need another instruction at their reader, which costs as much.
func TestUniformCorpus(t *testing.T) {
	paths := testcorpus.Glob(t, "corpus/d3d9/effects/*.efb")
	before, after := 0, 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n := uniform(t, data)
		before += n
		if n == 0 && !strings.Contains(path, "Sky_Gradient") {
			continue
		}
		res, err := shaderlift.Optimize(t.Context(), shaderlift.Input{Files: []shaderlift.File{{Name: path, Data: data}}},
			shaderlift.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(path, "Scattering") && uniform(t, res.Files[0].Data) > 0 {
			t.Error("products of constants stay in ", path)
		}
		after += uniform(t, res.Files[0].Data)
	}
	if before != 4 || after > 4 {
		t.Errorf("there are %d before, and %d after", before, after)
	}
}
