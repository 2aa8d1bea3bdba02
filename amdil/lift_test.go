package amdil_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

const header = `il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_cb cb0[4]
dcl_literal l0, 1, 2, 3, 4
`

func lift(t *testing.T, body string) *ir.Func {
	t.Helper()
	k, err := il.Parse("test.il", []byte(header+body+"\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diags := il.Check(k); len(diags) > 0 {
		t.Fatal(diags)
	}
	f, err := amdil.Lift(k)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Check(); err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
	return f
}

// find returns the only instruction with this op.
func find(t *testing.T, f *ir.Func, op ir.Op) *ir.Instr {
	t.Helper()
	var found *ir.Instr
	f.Walk(func(in *ir.Instr) {
		if in.Op == op {
			if found != nil {
				t.Fatalf("more than one %v:\n%s", op, f)
			}
			found = in
		}
	})
	if found == nil {
		t.Fatalf("no %v:\n%s", op, f)
	}
	return found
}

// The letters of a swizzle with two or three positions go to the written lanes in order; negation is by the
// swizzle's positions.
func TestShortSwizzles(t *testing.T) {
	f := lift(t, "mov r0, cb0[0]\nmul r1.yw, r0.zx_neg(x), cb0[1].y\nmov o0, r1.yyww")
	mul := find(t, f, ir.OpMul)
	for _, c := range []struct {
		lane int
		reg  uint8
		mod  ir.LaneMod
	}{{1, 2, ir.Neg}, {3, 0, 0}} {
		l := mul.Src[0][c.lane]
		if l.V.Home.Comp != c.reg || l.Mod != c.mod {
			t.Errorf("lane %d reads %v", c.lane, l)
		}
		if k := mul.Src[1][c.lane]; k.V.Kind != ir.Uniform ||
			k.V.Home != amdil.ComponentReg(il.Reg{File: il.ConstBuf}, 1, 1) {
			t.Errorf("lane %d reads %v", c.lane, k)
		}
	}
	if mul.Mask() != 0b1010 {
		t.Errorf("it writes %04b", mul.Mask())
	}
}

// Constants in a mask and in a swizzle are the bits of 0.0 and 1.0.
func TestConstantLanes(t *testing.T) {
	f := lift(t, "mov r0, cb0[0]\niadd o0.x01w, r0, r0.1yz0")
	add := find(t, f, ir.OpIAdd)
	if add.Mask() != 0b1001 || add.Src[1][0].V.Bits != 0x3f800000 || add.Src[1][3].V.Bits != 0 {
		t.Errorf("%v", add)
	}
	for c, want := range map[uint8]uint32{1: 0, 2: 0x3f800000} {
		v := f.OutputValue(ir.Reg{File: ir.File(il.Output), Comp: c})
		if v == nil || v.Kind != ir.Literal || v.Bits != want {
			t.Errorf("component %d is %v", c, v)
		}
	}
}

// All sources are read before any destination is written.
func TestSwap(t *testing.T) {
	f := lift(t, "mov r0, cb0[0]\nmov r0.xy, r0.yx\nmov o0, r0")
	x := f.OutputValue(ir.Reg{File: ir.File(il.Output), Comp: 0}).Def.Src[0][0].V
	if from := x.Def.Src[0][0].V.Def.Src[0][1].V; from.Home.Comp != 1 || from.Kind != ir.Uniform {
		t.Errorf("x comes from %v:\n%s", from, f)
	}
}

// Jumps that end a branch leave only the branch; others become flags.
func TestJumps(t *testing.T) {
	for _, test := range []struct {
		name, body string
		ifs, loops int
		breaks     int
	}{
		{"early return", "if_logicalnz cb0[0].x\nmov o0, cb0[1]\nret\nendif\nmov o0, cb0[2]\nret", 1, 0, 0},
		{"switch", "switch cb0[0].x\ncase 1\nmov o0, cb0[1]\nbreak\ncase 2\ncase 3\nmov o0, cb0[2]\nbreak\ndefault\nmov o0, cb0[3]\nbreak\nendswitch", 2, 0, 0},
		{"continue", "mov r0.x, cb0[0].x\nmov r1, cb0[0]\nwhileloop\nbreak_logicalz r0.x\niadd r0.x, r0.x, l0.x\n" +
			"iand r0.y, r0.x, l0.x\ncontinue_logicalnz r0.y\nadd r1, r1, cb0[1]\nendloop\nmov o0, r1", 1, 1, 1},
		{"return from a loop", "mov r0.x, cb0[0].x\nmov o0, cb0[3]\nwhileloop\nbreak_logicalz r0.x\niadd r0.x, r0.x, l0.x\n" +
			"if_logicalnz r0.x\nret\nendif\nendloop\nmov o0, cb0[1]\nret", 2, 1, 2},
		{"flag", "if_logicalnz cb0[0].x\nif_logicalnz cb0[0].y\nmov o0, cb0[1]\nret\nendif\nmov r0, cb0[2]\nelse\nmov r0, cb0[3]\nendif\nmov o0, r0\nret", 3, 0, 0},
	} {
		f := lift(t, test.body)
		n := map[ir.Op]int{}
		f.Walk(func(in *ir.Instr) { n[in.Op]++ })
		if n[ir.OpIf] != test.ifs || n[ir.OpLoop] != test.loops || n[ir.OpBreak] != test.breaks {
			t.Errorf("%s: %d ifs, %d loops, %d breaks:\n%s", test.name, n[ir.OpIf], n[ir.OpLoop], n[ir.OpBreak], f)
		}
	}
}

// A case that falls through contains the next one.
func TestFallThrough(t *testing.T) {
	f := lift(t, "mov r0, cb0[0]\nswitch cb0[0].x\ncase 1\nadd r0, r0, cb0[1]\ncase 2\nmul r0, r0, cb0[2]\nbreak\nendswitch\nmov o0, r0")
	n := map[ir.Op]int{}
	f.Walk(func(in *ir.Instr) { n[in.Op]++ })
	if n[ir.OpAdd] != 1 || n[ir.OpMul] != 2 {
		t.Errorf("%d additions and %d multiplications:\n%s", n[ir.OpAdd], n[ir.OpMul], f)
	}
}

// Memory accesses are ordered by the states they take and define.
func TestMemoryStates(t *testing.T) {
	f := lift(t, "mov r0, g[1]\nmov g[2], r0\nmov r1, g[cb0[0].x + 3]\nmov o0, r1")
	var loads []*ir.Instr
	f.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpMemLoad {
			loads = append(loads, in)
		}
	})
	store := find(t, f, ir.OpMemStore)
	if len(loads) != 2 || loads[0].Args[0] != store.Args[0] || loads[1].Args[0] != store.Results[0] || loads[1].Imm != 3 {
		t.Fatalf("the states do not follow each other:\n%s", f)
	}
	left := slices.DeleteFunc(slices.Clone(f.Outs), func(o ir.Output) bool { return !amdil.IsState(o.Reg) })
	if len(left) != 1 || left[0].V != store.Results[0] {
		t.Errorf("the kernel leaves %v", left)
	}
}

// A loop carries only slots that its body writes and that are read later.
func TestCarried(t *testing.T) {
	f := lift(t, "mov r0.x, cb0[0].x\nmov r1, cb0[0]\nwhileloop\nbreak_logicalz r0.x\niadd r0.x, r0.x, l0.x\nmov r2, cb0[1]\nadd r1.xy, r1, r2\nendloop\nmov o0, r1")
	if loop := find(t, f, ir.OpLoop); len(loop.Args) != 3 || len(loop.Src) != 0 {
		t.Errorf("it carries %d words:\n%s", len(loop.Args), f)
	}
}

// Statements without a documented meaning are rejected with their position.
func TestRefused(t *testing.T) {
	for body, want := range map[string]string{
		"noise r0, cb0[0]":                "test.il:6:1: noise is not supported [not-supported]",
		"dmov r0, cb0[0]\ndet r1, r0":     "test.il:7:1: det is not supported [not-supported]",
		"mov r0, cb0[0]_divComp(unknown)": "test.il:6:1: divComp(unknown) is not supported [not-supported]",
	} {
		k, err := il.Parse("test.il", []byte(header+body+"\nend\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := amdil.Lift(k); err == nil || err.Error() != want {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// Inlining stops calls that multiply.
func TestInliningIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(header + "call 0\nmov o0, r0\nret\n")
	for i := range 30 {
		n := string(rune('0'+i/10)) + string(rune('0'+i%10))
		next := string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10))
		b.WriteString("func " + n + "\n")
		if i < 29 {
			b.WriteString("call " + next + "\ncall " + next + "\n")
		} else {
			b.WriteString("mov r0, cb0[0]\n")
		}
		b.WriteString("ret\nendfunc\n")
	}
	k, err := il.Parse("test.il", []byte(b.String()+"end\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := amdil.Lift(k); err == nil || !strings.Contains(err.Error(), "[too-large]") {
		t.Errorf("%v", err)
	}
}

// An unwritten register has some value, whose sign changes like any other.
func TestUndefinedWithSign(t *testing.T) {
	f := lift(t, "mov o0, r1_neg(x)")
	mov := find(t, f, ir.OpMov)
	if x := mov.Src[0][0]; x.V.Kind != ir.Undef || x.Mod != ir.Neg {
		t.Errorf("x is %v", x)
	}
	if y := mov.Src[0][1]; y.V.Kind != ir.Undef || y.Mod != 0 {
		t.Errorf("y is %v", y)
	}
}
