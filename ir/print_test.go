package ir_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
)

const everything = `ps_3_0
def c0, 0.5, 2, 0, 1
defi i0, 4, 0, 1, 0
dcl_texcoord v0.xy
dcl_color v1
dcl_2d s3
texld r0, v0, s3
mul_sat_pp r1.xy, -r0, c0.x
setp_gt p0.x, r1.x, c1.x
(p0.x) mov r1.x, v1_abs.w
loop aL, i0
add r1.y, r1.y, v0[aL].y
break_lt r1.y, c0.y
endloop
if_ne r1.y, -r1.x
mov r0.x, c0.w
else
texkill v1
endif
mov oC0, r0.x
`

func TestPrint(t *testing.T) {
	f := passtest.Lift(t, everything)
	want := `ps_3_0
  %2.x, %3.y, %4.z, %5.w = fetch s3:2 (v0.x v0.y)
  %7.x, %8.y = mul.sat.half (-%2 -%3), (0.5@c0.x 0.5@c0.x)
  %10.x = setp.gt %7, c1.x
  %12.x = mov |v1.w| where %10 else (%7 _ _ _)
  %21 = loop (#4@i0.x 0@i0.y #1@i0.z) index %13 carry %17 := %8 {
    %18.y = load v0[] %13
    %19.y = add (_ %17), (_ %18)
    break.lt %19, 2@c0.y with %19
    yield %19
  }
  %27 = if.ne %21, -%12 {
    %23.x = mov 1@c0.w
    yield %23
  } else {
    kill (v1.x v1.y v1.z v1.w)
    yield %2
  }
  %28.x, %29.y, %30.z, %31.w = mov (%27 %27 %27 %27)
  out oC0.x = %28
  out oC0.y = %29
  out oC0.z = %30
  out oC0.w = %31
`
	if diff := cmp.Diff(want, f.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPrintParts(t *testing.T) {
	f := ir.NewFunc("f", ir.Abstract{})
	in := &ir.Instr{Op: ir.OpMad, Precise: true}
	x := f.Leaf(ir.Input, ir.Reg{File: 2, Index: 7, Comp: 1})
	in.Src = []ir.Operand{{1: {V: x, Mod: ir.Neg | ir.Abs}}, {1: {V: f.Const(0x40400000)}},
		{1: {V: f.Leaf(ir.Undef, ir.Reg{File: 1})}}}
	f.Define(in, 1, ir.Reg{})
	want := "%3.y = mad (_ -|2[7].y|), (_ 3), (_ undef:1[0].x) !precise"
	if in.String() != want {
		t.Errorf("%s, want %s", in, want)
	}
	if got := (ir.Lane{V: x, Mod: ir.Not}).String(); got != "!2[7].y" {
		t.Errorf("lane %s", got)
	}
}
