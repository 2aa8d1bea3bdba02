package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/lint"
)

func findings(t *testing.T, client string, f input.File) (got []string) {
	t.Helper()
	list, err := lint.Check(input.Input{Files: []input.File{f}}, client)
	if err != nil {
		t.Fatalf("%s: %v", client, err)
	}
	for i := range list {
		g := &list[i]
		got = append(got, fmt.Sprintf("%d %s", g.Pos.Line, g.Code))
		if g.Repair == "" || g.Source == "" || g.Msg == "" || g.Client != client || !strings.HasPrefix(g.Error(), f.Name) {
			t.Errorf("%s: incomplete: %+v", client, *g)
		}
	}
	return got
}

const (
	vertex = "vs_1_1\ndcl_position v0\nmov oPos, v0\n"
	tables = "vs_2_0\ndcl_position v0\nmova a0.x, v0.x\nmov oPos, c1[a0.x]\n"
)

// TestRules checks each rule for programs with one that breaks it, and one that does not.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		client, text string
		want         []string
	}{
		{"mojoshader", "ps_2_0\ndcl t0\nmov r0, t0\ncmp r0.xy, r0.y, r0.yxzw, t0\nmov oC0, r0\n", nil},
		{"mojoshader", "ps_3_0\ndcl_texcoord v0\nmov r0, v0\ncmp r0.xy, v0, r0.yxzw, c0\nmov oC0, r0\n", []string{"4 split-selector"}},
		{"mojoshader", "ps_3_0\ndcl_texcoord v0\nmov r0, v0\ncmp r0.xy, v0, r0, c0\nmov oC0, r0\n", nil},
		{"mojoshader", "vs_1_1\ndcl_position v0\nm3x3 r0, v0, c0\nlit r1.xy, v0\nadd oPos, r0, r1\n", []string{"3 macro-mask", "4 macro-mask"}},
		{"mojoshader", "vs_1_1\ndcl_position v0\nm3x3 r0.xyz, v0, c0\nmov r0.w, c3.x\nlit r1, v0\nadd oPos, r0, r1\n", nil},
		{"mojoshader", "ps_1_4\ntexcrd r0.rgb, t0\ntexld r1, t1\nmov r0, r1\n", []string{"2 client-op", "3 client-op"}},
		{"mojoshader", "ps_1_1\ntex t0\ntexreg2ar t1, t0\nmov r0, t1\n", []string{"3 client-op"}},
		{"mojoshader", "ps_1_1\ntex t0\ntexbem t1, t0\nmov r0, t1\n", nil},
		{"mojoshader", tables, []string{"4 index-without-table"}},
		{"mojoshader", "ps_3_0\ndcl_texcoord0 v0\ndcl_texcoord1 v1\ndefi i0, 2, 0, 1, 0\nmov r0, c0\nloop aL, i0\nadd r0, r0, v[aL]\nendloop\nmov oC0, r0\n",
			[]string{"7 index-without-table"}},
		{"mojoshader", "ps_3_0\ndcl_texcoord v0\nsetp_gt p0, v0, c0\nmov r0, c0\n(p0) mov r0, c1\nmov oC0, r0\n", []string{"5 client-predicate"}},
		{"mojoshader", "ps_2_0\nadd r0, r1, c0\nadd r0, r1, r0\nmov oC0, r0\n", []string{"2 uninitialized-register"}},
		{"mojoshader", "ps_2_0\ntexkill r2\nmad r0, r0, r1, c0\nmov oC0, r0\n", []string{"3 uninitialized-register"}}, // r1
		{"mojoshader", "vs_1_1\ndcl_position v0\nrcp r0, v0\nexp r1, v0\nadd oPos, r0, r1\n", []string{"3 scalar-swizzle"}},
		{"mojoshader", "ps_3_0\ndcl_texcoord_centroid v0\nmul r0, v0, vPos.x\nmov oC0, r0\n",
			[]string{"2 client-op", "3 undeclared-builtin"}},
		{"mojoshader", "ps_3_0\ndcl vPos.xy\nmul r0, vPos.x, c0\nmov oC0, r0\n", nil},
		{"mojoshader", "ps_2_0\nmov r0.xyz, c0\nmov oC0, r0\n", nil},

		{"d3dx", "ps_2_0\nmov r0.xyz, c0\nmov oC0, r0\n", []string{"3 uninitialized-register"}},
		{"d3dx", "ps_2_0\ndcl t0\nmad r0, t0, c0, c1\nmov oC0, r0.wxyz\n", []string{"3 read-ports", "4 output-write", "4 source-swizzle"}},
		{"d3dx", "ps_3_0\nmul oC0, vPos.xyxy, c0\n", []string{"2 undeclared-builtin"}},
		{"d3dx", "ps_1_1\ntex t0\nmul r0, t0, 1-c0\n", nil},
		{"d3dx", vertex, nil},

		{"d3d8to9", "ps_2_0\nmov oC0, c0\n", []string{"1 client-model"}},
		{"d3d8to9", "ps_1_1\ntex t0\nmul r0, t0, 1-c0\n", nil},                                         // it is copied
		{"d3d8to9", "ps_1_1\ntex t0\nmov r0, t0\nadd r0, r0, -c0\n", nil},                              // it becomes sub
		{"d3d8to9", "ps_1_1\ntex t0\nmov r0, t0\nmul r0, r0, 1-c0\n", []string{"4 constant-modifier"}}, // r0 is read
		{"d3d8to9", "ps_1_1\ntex t0\nmov r1, t0\n" + strings.Repeat("mul r1, r1, t0\n", 6) + "mul r0, r1, c0_bias\n", []string{"10 constant-modifier"}},
		{"d3d8to9", "ps_1_1\nmul r0, t0, c0\n", []string{"2 undefined-register"}},
		{"d3d8to9", "vs_1_1\ndcl_position v0\nmov r0.xyz, v0\nmov oPos, r0\n", []string{"4 initial-value"}},
		{"d3d8to9", vertex + "mad oFog, -v0, c90.z, c90.w\n", []string{"4 scalar-output"}},
		{"d3d8to9", vertex + "mov oFog, v0\n", nil}, // it selects x
		{"d3d8to9", vertex + "mad oFog.x, -v0.x, c90.z, c90.w\n", nil},

		{"wine", "ps_1_1\ntex t0\nmov r0, t0\nmov r1.rgb, t0\n+cnd r1.a, r0.a, t0, v0\n", nil},
	} {
		if diff := cmp.Diff(c.want, findings(t, c.client, input.File{Name: "a.txt", Data: []byte(c.text)})); diff != "" {
			t.Errorf("%s of\n%s%s", c.client, c.text, diff)
		}
	}
}

// TestBytecodeRules checks rules for programs that the assembler does not make.
func TestBytecodeRules(t *testing.T) {
	code := fxtest.Assemble("ps_1_1\ntex t0\nmov r0, t0\nmov r1.a, t0\ncnd r1.rgb, r0.a, t0, v0\n")
	p, err := d3d9.Decode("a.pso", code)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Insts {
		if p.Insts[i].Op == d3d9.OpCnd {
			p.Insts[i].CoIssue, p.Insts[i].Raw = true, nil
		}
	}
	if code, err = d3d9.Encode(p); err != nil {
		t.Fatal(err)
	}
	if got := findings(t, "wine", input.File{Name: "a.pso", Data: code}); len(got) != 1 || got[0] != "0 co-issued-cnd" {
		t.Error(got)
	}
	whole := d3d9.Constant{Name: "Bones", Set: d3d9.SetFloat4, Index: 0, Count: 8, Class: 1, Type: 3, Rows: 1, Columns: 4, Elements: 8}
	if got := findings(t, "mojoshader", input.File{Name: "a.vso", Data: fxtest.WithTable(fxtest.Assemble(tables), whole)}); got != nil {
		t.Errorf("with a table: %v", got)
	}
}

// TestEffectRules checks the rules for effects and their preshaders.
func TestEffectRules(t *testing.T) {
	tint := d3d9.Constant{Name: "Tint", Set: d3d9.SetFloat4, Count: 1, Class: uint16(fx.Vector), Type: uint16(fx.Float), Rows: 1, Columns: 4, Elements: 1}
	const pixel = "ps_2_0\ndcl t0\nmul r0, t0, c3\nmov oC0, r0\n"
	build := func(inputs []d3d9.Constant, preshader string, own ...d3d9.Constant) []byte {
		ps := fxtest.WithTable(fxtest.Assemble(pixel), own...)
		if preshader != "" {
			ps = fxtest.Attach(ps, fxtest.Preshader(inputs, preshader))
		}
		var b fxtest.Builder
		b.Param(fxtest.Vector("Tint", 4))
		b.Technique("Main")
		b.AddPass("P0", fxtest.Shader{}, fxtest.Shader{Data: ps})
		return b.Build()
	}
	other := tint
	other.Name, other.Index = "Gone", 3
	inputs := []d3d9.Constant{tint}
	wrapper := append([]byte{0xcf, 0x0b, 0xf0, 0xbc, 16, 0, 0, 0}, make([]byte, 8)...)
	for _, c := range []struct {
		name, client string
		data         []byte
		want         []string
	}{
		{"plain", "mojoshader", build(inputs, "mul c3.xyzw, in0.xyzw, in0.xyzw"), nil},
		{"a name that the effect lacks", "mojoshader", build(nil, "", other), []string{"0 unknown-parameter"}},
		{"a bool", "mojoshader", build(inputs, "mov c3.xyzw, in0.xyzw\nge b0.x, in0.x, in0.y"), []string{"0 preshader-outputs"}},
		{"another base", "mojoshader", build(inputs, "exp c3.x, in0.x"), []string{"0 preshader-value"}},
		{"the same power", "mojoshader", build(inputs, "log r0.x, in0.x\nmul r0.x, r0.x, in0.y\nexp c3.x, r0.x"), nil},
		{"an unknown operation", "mojoshader", build(inputs, "movc c3.x, in0.x, in0.y, in0.z"), []string{"0 preshader-op"}},
		{"an unknown operation", "wine", build(inputs, "movc c3.x, in0.x, in0.y, in0.z"), []string{"0 preshader-op"}},
		{"no input", "wine", build(nil, "mov c3.x, (1)"), []string{"0 preshader-form"}},
		{"no input", "d3dx", build(nil, "mov c3.x, (1)"), []string{"0 preshader-form"}},
		{"a header of XNA", "wine", append(wrapper, build(inputs, "mov c3.xyzw, in0.xyzw")...), []string{"0 effect-wrapper"}},
		{"a header of XNA", "mojoshader", append(wrapper, build(inputs, "mov c3.xyzw, in0.xyzw")...), nil},
	} {
		if diff := cmp.Diff(c.want, findings(t, c.client, input.File{Name: "a.fxb", Data: c.data})); diff != "" {
			t.Errorf("%s, %s:\n%s", c.client, c.name, diff)
		}
	}
}

// TestCorpus checks that compiled programs of the training corpus break no rule, and that effects break only rules that
// show in MojoShader: 5 assert on bools, and 28 parts get other values.
func TestCorpus(t *testing.T) {
	codes := map[string]int{}
	for folder, pattern := range map[string]string{"corpus/d3d9/pairs": "*/*.?so", "corpus/d3d9/effects": "*.efb"} {
		paths, err := filepath.Glob(filepath.Join(testcorpus.Path(t, folder), pattern))
		if err != nil || len(paths) < 90 {
			t.Fatal(len(paths), err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, client := range []string{"mojoshader", "d3dx", "wine"} {
				for _, f := range findings(t, client, input.File{Name: path, Data: data}) {
					codes[client+f]++
				}
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"mojoshader0 preshader-outputs": 5, "mojoshader0 preshader-value": 28}, codes); diff != "" {
		t.Error(diff)
	}
}

// TestUnreadable checks inputs that no client reads, and unknown clients.
func TestUnreadable(t *testing.T) {
	for _, c := range []struct{ client, text, want string }{
		{"mojosader", "ps_2_0\nmov oC0, c0\n", "did you mean mojoshader?"},
		{"wine", "il_ps_2_0\ndcl_output_generic o0\nmov o0, r0\nend\n", "[wrong-client]"},
		{"d3dx", "float4 main(float2 t : TEXCOORD0) : COLOR0 { return 1; }", "[foreign-format]"},
		{"d3dx", "ps_2_0\nfoo r0\n", "[unknown-opcode]"},
	} {
		_, err := lint.Check(input.Input{Files: []input.File{{Name: "a", Data: []byte(c.text)}}}, c.client)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.client, err)
		}
	}
}
