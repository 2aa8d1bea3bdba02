package vsps_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

func parse(t testing.TB, src string) *d3d9.Program {
	t.Helper()
	p, err := d3d9.Parse("test", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// valid parses a valid program.
func valid(t testing.TB, src string) *d3d9.Program {
	t.Helper()
	p := parse(t, src)
	if err := d3d9.Validate(p).Err(); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return p
}

func regName(r ir.Reg) string {
	if r.File == 0 {
		return "nothing"
	}
	return d3d9.Reg{File: d3d9.File(r.File), Index: r.Index}.String()
}

// links returns the result of Link, one word for each varying.
func links(l *ir.Linkage) string {
	var words []string
	for _, v := range l.Links {
		s := regName(v.Out) + ">" + regName(v.In)
		if !v.Linear {
			s += "!"
		}
		if v.Shared {
			s += "&"
		}
		words = append(words, s)
	}
	return strings.Join(words, " ")
}

func TestLinkage(t *testing.T) {
	const vs2 = "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oFog, v0.x\nmov oPts, v0.x\n"
	const vs3 = "vs_3_0\ndcl_position v0\ndcl_position o0\n"
	for _, test := range []struct {
		name, vs, ps  string
		links, free   string // the first of the free varyings
		outs          string
		whole         bool
		varyingsAdded []ir.Varying
	}{
		{
			name:  "2.0: by number, colours and centroid not linear",
			vs:    vs2 + "mov oD0, v0\nmov oT0.xy, v0\nmov oT1, v0\n",
			ps:    "ps_2_0\ndcl t0.xy\ndcl_centroid t1\ndcl t4\ndcl v0\nadd r0, t0.x, v0\nadd r0, r0, t1\nadd r0, r0, t4\nmov oC0, r0\n",
			links: "oT0>t0 oT1>t1! nothing>t4 oD0>v0!", outs: "oD0 oT0 oT1", free: "oT2>t2", whole: true,
		},
		{
			name:  "1.1: named registers, no free ones",
			vs:    vs2 + "mov oD0, v0\nmov oT0.xy, v0\nmov oT1, v0\n",
			ps:    "ps_1_1\ntex t0\nmul r0, t0, v0\n",
			links: "oT0>t0! oD0>v0!", outs: "oD0 oT0 oT1", whole: true,
		},
		{
			name: "3.0: by semantic, for any registers",
			vs: vs3 + "dcl_texcoord3 o4\ndcl_color o2\ndcl_normal o3.xyz\ndcl_fog o7.x\ndcl_psize o8.x\nmov o0, v0\nmov o4, v0\nmov o2, v0\n" +
				"mov o3.xyz, v0\nmov o7.x, v0\nmov o8.x, v0\n",
			ps:    "ps_3_0\ndcl_normal v0.xyz\ndcl_texcoord3_centroid v2\ndcl_color v3\ndcl_texcoord v5\nmov r0.xyz, v0\nmov r0.w, v0.x\nadd r0, r0, v2\nadd r0, r0, v3\nadd oC0, r0, v5\n",
			links: "o3>v0 o4>v2! o2>v3! nothing>v5", outs: "o4 o2 o3", free: "o1>v1",
		},
		{
			name:  "3.0: several semantics in a register",
			vs:    vs3 + "dcl_texcoord o1.xy\ndcl_texcoord1 o1.zw\nmov o0, v0\nmov o1, v0\n",
			ps:    "ps_3_0\ndcl_texcoord v0.xy\ndcl_texcoord1 v0.zw\nmov oC0, v0\n",
			links: "o1>v0& o1>v0&", free: "o2>v1",
		},
		{
			name: "added since", vs: vs2 + "mov oT0.xy, v0\n", ps: "ps_2_0\ndcl t0.xy\nmov r0, t0.x\nmov oC0, r0\n",
			varyingsAdded: []ir.Varying{{Out: ir.Reg{File: ir.File(d3d9.TexOut), Index: 1},
				In: ir.Reg{File: ir.File(d3d9.Texture), Index: 1}, Semantic: 1}},
			links: "oT0>t0 oT1>t1", outs: "oT0 oT1", free: "oT2>t2", whole: true,
		},
	} {
		l, err := vsps.Link(valid(t, test.vs), valid(t, test.ps), test.varyingsAdded...)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := links(l); got != test.links {
			t.Errorf("%s: %s, not %s", test.name, got, test.links)
		}
		var outs []string
		for _, r := range l.Outputs {
			outs = append(outs, regName(r))
		}
		if got := strings.Join(outs, " "); got != test.outs {
			t.Errorf("%s: outputs for the pixel program are %s, not %s", test.name, got, test.outs)
		}
		free := ""
		if len(l.Free) > 0 {
			free = regName(l.Free[0].Out) + ">" + regName(l.Free[0].In)
		}
		if free != test.free {
			t.Errorf("%s: free are %v", test.name, l.Free)
		}
		if l.Whole != test.whole {
			t.Errorf("%s: coordinates are whole: %v", test.name, l.Whole)
		}
	}
}

// TestFreeVaryings checks that neither side uses a free varying's register or semantic.
func TestFreeVaryings(t *testing.T) {
	vs := valid(t, "vs_3_0\ndcl_position v0\ndcl_position o1\ndcl_texcoord o0\ndcl_texcoord2 o3\nmov o1, v0\nmov o0, v0\nmov o3, v0\n")
	ps := valid(t, "ps_3_0\ndcl_texcoord2 v1\ndcl_texcoord4 v2\nmov r0, v1\nadd oC0, r0, v2\n")
	l, err := vsps.Link(vs, ps)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Free) != 8 { // v# run out: 10 minus 2
		t.Errorf("%d varyings are free, not 8", len(l.Free))
	}
	seen := map[string]bool{}
	for _, r := range []string{"o0", "o1", "o3", "v1", "v2", "texcoord0", "texcoord2", "texcoord4"} {
		seen[r] = true
	}
	for _, v := range l.Free {
		for _, r := range []string{regName(v.Out), regName(v.In), fmt.Sprint("texcoord", v.Semantic)} {
			if seen[r] {
				t.Errorf("%s is not free", r)
			}
			seen[r] = true
		}
	}
}

func TestLinkRefuses(t *testing.T) {
	vs := valid(t, "vs_2_0\ndcl_position v0\nmov oPos, v0\n")
	_, err := vsps.Link(vs, vs)
	var d *asm.Diag
	if !errors.As(err, &d) || d.Code != "wrong-pair" {
		t.Errorf("a pair of vertex programs: %v", err)
	}
}

func TestFreeConstants(t *testing.T) {
	free := func(src string) []uint16 {
		p := valid(t, src)
		f, err := vsps.Lift(p)
		if err != nil {
			t.Fatal(err)
		}
		return vsps.FreeConstants(p, f)
	}
	list := free("vs_2_0\ndcl_position v0\ndef c1, 1, 2, 3, 4\ndef c7, 0, 0, 0, 0\nm4x4 oPos, v0, c2\nadd r0, v0, c0\nmul oT0, r0, c1\n")
	// c0, c1 and c2 to c5 are in use; the definition of c7 is dead, so it comes last.
	if n := 256 - 6; len(list) != n || list[0] != 6 || list[n-1] != 7 {
		t.Errorf("%d constants are free, not %d, from c%d on", len(list), n, list[0])
	}
	if list := free("vs_2_0\ndcl_position v0\nmova a0.x, v0.x\nmov oPos, c[a0.x + 3]\n"); len(list) != 0 {
		t.Errorf("an index may reach any constant, but %d are free", len(list))
	}
}

// TestComputedIsNotFree checks that constants that a preshader computes are not free, even if the
// program does not read them.
func TestComputedIsNotFree(t *testing.T) {
	p := valid(t, "ps_2_0\nmov oC0, c0\n")
	q, err := preshader.New([]d3d9.Constant{{Name: "Tint", Set: d3d9.SetFloat4, Count: 1}}, nil, []preshader.Inst{{
		Op: preshader.Mov, Components: 1, Inputs: []preshader.Operand{{Table: preshader.Input}}, Output: preshader.Operand{Table: preshader.Output, Offset: 4}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := preshader.Attach(p, q); err != nil {
		t.Fatal(err)
	}
	f, err := vsps.Lift(p)
	if err != nil {
		t.Fatal(err)
	}
	if list := vsps.FreeConstants(p, f); len(list) != 30 || list[0] != 2 {
		t.Errorf("%d constants are free, from c%d on", len(list), list[0])
	}
}

// TestFreeConstantsCorpus checks with the constant tables of compiled programs that a parameter's
// registers are not free, read or not.
func TestFreeConstantsCorpus(t *testing.T) {
	tables := 0
	paths, programs := corpus(t)
	for i, p := range programs {
		path := paths[i]
		table, err := p.ConstantTable()
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if table == nil {
			continue
		}
		tables++
		f, err := vsps.Lift(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range vsps.FreeConstants(p, f) {
			r := d3d9.Reg{File: d3d9.Const, Index: c}
			if k := table.Lookup(r); k != nil {
				t.Errorf("%s: c%d belongs to %s", path, c, k.Name)
			}
			if slices.ContainsFunc(p.Insts, func(in d3d9.Inst) bool {
				return in.Op == d3d9.OpDef && in.Dst.Reg == r ||
					slices.ContainsFunc(in.Sources(), func(s d3d9.Src) bool { return s.Reg == r && s.Rel.File == 0 })
			}) {
				t.Errorf("%s: c%d is in use", path, c)
			}
		}
	}
	if tables == 0 {
		testcorpus.Path(t, "corpus/d3d9") // our own programs have none
		t.Error("no program has a constant table")
	}
}
