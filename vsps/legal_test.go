package vsps_test

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// at returns the k-th instruction of a function with op.
func at(f *ir.Func, op ir.Op, k int) (found *ir.Instr) {
	f.Walk(func(in *ir.Instr) {
		if in.Op == op {
			if k == 0 {
				found = in
			}
			k--
		}
	})
	return found
}

// swizzled permutes the values of an operand's lanes.
func swizzled(o *ir.Operand, s d3d9.Swizzle) {
	old := *o
	for i := range o {
		o[i] = old[s.ComponentAt(i)]
	}
}

// TestEmitLegalises checks that rewrites that a model cannot express directly are emitted with more
// instructions. The reference is the same program in a more capable model.
func TestEmitLegalises(t *testing.T) {
	const head = "dcl t0\ndcl t1\ndcl_2d s0\ndef c0, 1, 2, 3, 4\n"
	for _, test := range []struct {
		name   string
		src    string // of ps_2_0, after the head
		change func(f *ir.Func)
		ref    string // of ps_2_x
		slots  int    // more than before
	}{
		{
			"a swizzle of the model", "texld r0, t0, s0\nadd r1, r0, r0\nmov oC0, r1\n",
			func(f *ir.Func) { swizzled(&at(f, ir.OpAdd, 0).Src[0], d3d9.MakeSwizzle(1, 2, 0, 3)) },
			"texld r0, t0, s0\nadd r1, r0.yzxw, r0\nmov oC0, r1\n", 0,
		},
		{
			"a swizzle that the model lacks", "texld r0, t0, s0\nadd r1, r0, r0\nmov oC0, r1\n",
			func(f *ir.Func) { swizzled(&at(f, ir.OpAdd, 0).Src[0], d3d9.MakeSwizzle(1, 0, 3, 3)) },
			"texld r0, t0, s0\nadd r1, r0.yxww, r0\nmov oC0, r1\n", 3,
		},
		{
			"a swizzled input", "add r1, t0, c0\nmov oC0, r1\n",
			func(f *ir.Func) { swizzled(&at(f, ir.OpAdd, 0).Src[0], d3d9.MakeSwizzle(3, 3, 1, 1)) },
			"add r1, t0.wwyy, c0\nmov oC0, r1\n", 2,
		},
		{
			"two inputs at a time", "mov r0, t0\nmul r1, r0, t1\nmov oC0, r1\n",
			func(f *ir.Func) {
				mov, mul := at(f, ir.OpMov, 0), at(f, ir.OpMul, 0)
				mul.Src[0] = mov.Src[0]
			},
			"mov r0, t0\nmul r1, r0, t1\nmov oC0, r1\n", 1, // the dead mov stays
		},
		{
			"lanes of two inputs", "mul r1, t1, c0\nmov oC0, r1\n",
			func(f *ir.Func) {
				o := &at(f, ir.OpMul, 0).Src[0]
				for i := range 2 {
					o[i].V = f.Leaf(ir.Input, ir.Reg{File: ir.File(d3d9.Texture), Comp: uint8(i)})
				}
			},
			"mov r0.xy, t0\nmov r0.zw, t1\nmul r1, r0, c0\nmov oC0, r1\n", 2,
		},
		{
			"modifiers by lane", "mul r1, t1, c0\nmov oC0, r1\n",
			func(f *ir.Func) { at(f, ir.OpMul, 0).Src[0][3].Mod = ir.Neg },
			"mov r0.xyz, t1\nmov r0.w, -t1.w\nmul r1, r0, c0\nmov oC0, r1\n", 2,
		},
		{
			"modified lanes of a literal", "mul r1, t1, c0\nmov oC0, r1\n",
			func(f *ir.Func) { at(f, ir.OpMul, 0).Src[1][3].Mod = ir.Neg },
			"def c1, 1, 2, 3, -4\nmul r1, t1, c1\nmov oC0, r1\n", 0,
		},
		{
			"a coordinate from another register", "mov r0, t0\nadd r0.x, r0.y, t1.x\ntexld r0, r0, s0\nmov oC0, r0\n",
			func(f *ir.Func) { // x from t1, y from t0
				fetch := at(f, ir.OpFetch, 0)
				fetch.Src[0][0].V = f.Leaf(ir.Input, ir.Reg{File: ir.File(d3d9.Texture), Index: 1})
			},
			"mov r0, t0\nmov r0.x, t1.x\ntexld r0, r0, s0\nmov oC0, r0\n", 1,
		},
		{
			"a constant three times", "mul r0, t0, c1\nmad r1, r0, c1, r0\nmov oC0, r1\n",
			func(f *ir.Func) {
				mad := at(f, ir.OpMad, 0)
				for i := range 4 {
					mad.Src[0][i], mad.Src[2][i] = mad.Src[1][i], mad.Src[1][i]
				}
			},
			"mov r0, c1\nmad r1, r0, c1, r0\nmov oC0, r1\n", 1, // the mul stays
		},
		{
			"negation of a colour", "mov r0, t0\nmov oC0, r0\n",
			func(f *ir.Func) {
				for i := range 4 {
					at(f, ir.OpMov, 1).Src[0][i].Mod = ir.Neg
				}
			},
			"mov r0, -t0\nmov oC0, r0\n", 1,
		},
	} {
		p := valid(t, "ps_2_0\n"+head+test.src)
		f, err := vsps.Lift(p)
		if err != nil {
			t.Fatal(err)
		}
		test.change(f)
		if err := f.Check(); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		q, err := vsps.Emit(p, f)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if err := d3d9.Validate(q).Err(); err != nil {
			t.Errorf("%s: %v\n%s", test.name, err, d3d9.Print(q))
			continue
		}
		ref := valid(t, "ps_2_x\n"+head+test.ref)
		for seed := range uint64(3) {
			if err := newEnvironment(seed).same(ref, q, sameNumber, nil); err != nil {
				t.Errorf("%s: %v\n%s", test.name, err, d3d9.Print(q))
				break
			}
		}
		if more := d3d9.Measure(q).Slots - d3d9.Measure(p).Slots; more > test.slots {
			t.Errorf("%s: %d slots more, not %d\n%s", test.name, more, test.slots, d3d9.Print(q))
		}
	}
}

// TestEmitKeeps checks that a predicated result keeps some components of its register.
func TestEmitKeeps(t *testing.T) {
	const vertex = "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\ndefi i0, 3, 0, 0, 0\nmov o0, v0\nmov r0, v0\nsetp_gt p0, r0, c0\n"
	for _, test := range []struct{ name, src string }{
		{"three components of a register whose four components are all read, two of them from one fetch channel: the read value moves to another register",
			"ps_3_0\ndcl_texcoord v0\ndcl_2d s1\nsetp_le p0.y, v0.y, v0.x\ntexldp r2, v0, s1.yxyx\n" +
				"(p0.y) lrp r2.xz, c19.z, r2.x, c19.z\ntexkill r2\nmax r2.yz, v0.yyyz, v0\n(p0.y) dp4 r2, r2, c8.yzxw\nmov oC0, r2\n"},
		{"output components without another write",
			vertex + "rep i0\n(!p0.z) min o1, -r0, c1\nadd r0, r0, c2\nendrep\nmov o1.xyz, r0\n"},
		{"kept values under a predicate for each result of sincos",
			"ps_3_0\ndcl_texcoord v0\nsetp_gt p0, v0, c0\nmov r0, v0\n(p0) sincos r0.xy, v0.x\n(!p0) sincos r0.y, v0.z\nmov oC0, r0\n"},
		{"output components, in branches", vertex + "if b0\n(!p0) frc o1.xw, c1\nendif\nif b1\n(p0) max o1.xyz, r0.wzyx, c0\nmin o1.y, r0.w, r0.z\nendif\n"},
	} {
		p := valid(t, test.src)
		q, err := emitted(p)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		for seed := range uint64(3) {
			if err := newEnvironment(seed).same(p, q, sameNumber, nil); err != nil {
				t.Errorf("%s: %v\n%s", test.name, err, d3d9.Print(q))
			}
		}
	}
}

// TestEmitUnwritten checks that an output that no path writes is an error.
func TestEmitUnwritten(t *testing.T) {
	p := valid(t, "ps_3_0\ndcl_texcoord v0\nmov oC0, v0\nif b0\nelse\nmov oC1, v0\nendif\n")
	f, err := vsps.Lift(p)
	if err != nil {
		t.Fatal(err)
	}
	branch := at(f, ir.OpIf, 0)
	copy(branch.Sub[1].Results, branch.Sub[0].Results)
	if q, err := vsps.Emit(p, f); err == nil {
		t.Errorf("oC1 is lost:\n%s", d3d9.Print(q))
	}
}

// TestEmitLiterals checks that literals use existing definitions, negated if necessary, and
// otherwise share new ones.
func TestEmitLiterals(t *testing.T) {
	const bits1, bits2, bitsNeg2, bits9 = 0x3f800000, 0x40000000, 0xc0000000, 0x41100000
	for _, test := range []struct {
		name string
		src  string
		put  [4]uint32 // the new second source of the mul
		want string    // a line of the result
		defs int
	}{
		{"in place", "def c0, 1, 2, 3, 4\nmul r0, v0, c1\n", [4]uint32{bits2, bits2, bits2, bits2}, "mul r0, v0, c0.y", 1},
		{"in another order", "def c0, 1, 2, 3, 4\nmul r0, v0, c1\n", [4]uint32{bits2, bits1, bits2, bits1},
			"mul r0, v0, c0.yxyx", 1},
		{"negated", "def c0, 1, 2, 3, 4\nmul r0, v0, c1\n", [4]uint32{bitsNeg2, bitsNeg2, bitsNeg2, bitsNeg2},
			"mul r0, v0, -c0.y", 1},
		{"new", "def c0, 1, 2, 3, 4\nmul r0, v0, c1\n", [4]uint32{bits9, bits9, bits1, bits9}, "", 1}, // c0 is dead
		{"next to others", "def c0, 1, 2, 3, 4\nmul r0, v0, c1\nadd r0, r0, c0\n", [4]uint32{bits9, bits9, bits9, bits9},
			"", 2},
	} {
		p := valid(t, "ps_3_0\ndcl_texcoord v0\n"+test.src+"mov oC0, r0\n")
		f, err := vsps.Lift(p)
		if err != nil {
			t.Fatal(err)
		}
		mul := at(f, ir.OpMul, 0)
		for i, b := range test.put {
			mul.Src[1][i] = ir.Lane{V: f.Const(b)}
		}
		q, err := vsps.Emit(p, f)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if err := d3d9.Validate(q).Err(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		text := string(d3d9.Print(q))
		if n := strings.Count(text, "def "); !strings.Contains(text, test.want) || n != test.defs {
			t.Errorf("%s: %d definitions in\n%s", test.name, n, text)
		}
		var words []string
		for _, b := range test.put {
			words = append(words, map[uint32]string{bits1: "1", bits2: "2", bitsNeg2: "-2", bits9: "9"}[b])
		}
		ref := strings.Replace(test.src, "mul r0, v0, c1", "mul r0, v0, c30", 1)
		ref = "ps_3_0\ndcl_texcoord v0\ndef c30, " + strings.Join(words, ", ") + "\n" + ref + "mov oC0, r0\n"
		if err := newEnvironment(1).same(valid(t, ref), q, sameNumber, nil); err != nil {
			t.Errorf("%s: %v\n%s", test.name, err, text)
		}
	}
}

// TestEmitUnchanged checks that an unchanged program keeps its spelling.
func TestEmitUnchanged(t *testing.T) {
	for _, src := range []string{
		"ps_2_0 // colours\n  dcl t0.xy\n\tdcl_2d s0\nTEXLD r7, t0, s0 ; fetch\nmov_pp oC0, r7\n",
		"vs_1_1\ndcl_position v0\nmov a0.x, v0.x\nm4x4 oPos, v0, c0\n",
		"ps_3_0\ndcl_texcoord3 v2.xy\ndcl_cube s1\nmov r0.xyz, v2.xyyx\ntexldl r0, r0.xyzx, s1.wzyx\nif_gt r0.x, -r0_abs.y\nmov oC0, r0.w\nelse\nmov oC0, r0\nendif\n",
		"vs_2_0\ndcl_position v0\ndefi i3, 4, 0, 1, 0\nmov r0, v0\nloop aL, i3\nadd r0, r0, c[aL + 2].wzyx\nendloop\nmov oPos, r0\n",
	} {
		p := valid(t, src)
		f, err := vsps.Lift(p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := vsps.Emit(p, f)
		if err != nil {
			t.Fatal(err)
		}
		got := string(d3d9.Print(q))
		if want := src; got != want && !strings.Contains(src, "m4x4") { // macros are expanded
			t.Errorf("got\n%s\nnot\n%s", got, want)
		}
	}
}
