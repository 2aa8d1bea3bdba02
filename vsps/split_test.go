package vsps_test

import (
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// TestChoiceKeepsApart checks that a cmp whose destination would overlap an operand read in another
// lane gets a separate register, for clients that split it. One that already overlaps in the input
// stays.
func TestChoiceKeepsApart(t *testing.T) {
	p := d3d9Program(t, `ps_3_0
def c0, 0.5, 0, 1, 2
dcl_texcoord v0
dcl_texcoord1 v1
add r0.xy, v0, -c0.x
cmp r1.xy, v1, r0.yxxx, c0.yzzz
mul r1.xy, r1, v1
mov oC0, r1.xyxy
`)
	f, err := vsps.Lift(p)
	if err != nil {
		t.Fatal(err)
	}
	f.Body.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpAdd {
			return
		}
		for _, v := range in.Out {
			if v != nil && d3d9.File(v.Home.File) == d3d9.Temp {
				v.Home.Index = 0 // the register that add writes
			}
		}
	})
	q, err := vsps.Emit(p, f)
	if err != nil {
		t.Fatal(err)
	}
	if clobbered(q) {
		t.Errorf("clients that split cmp read overwritten operands:\n%s", d3d9.Print(q))
	}
	if n := d3d9.Measure(q).Slots; n != d3d9.Measure(p).Slots {
		t.Errorf("%d slots, %d before:\n%s", n, d3d9.Measure(p).Slots, d3d9.Print(q))
	}

	own := d3d9Program(t, `ps_3_0
def c0, 0.5, 0, 1, 2
dcl_texcoord v0
add r0.xy, v0, -c0.x
cmp r0.xy, v0, r0.yxxx, c0.yzzz
mov oC0, r0.xyxy
`)
	if f, err = vsps.Lift(own); err != nil {
		t.Fatal(err)
	}
	if q, err = vsps.Emit(own, f); err != nil {
		t.Fatal(err)
	}
	if !clobbered(own) || !clobbered(q) {
		t.Errorf("a statement of the input has changed:\n%s", d3d9.Print(q))
	}
}

// TestWholeResults checks that lit, dst and crs write all components that clients assign, because
// some refuse fewer, unless the input writes fewer, or the destination is an output.
func TestWholeResults(t *testing.T) {
	p := d3d9Program(t, `vs_3_0
dcl_position v0
dcl_normal v1
dcl_position o0
dcl_color o1
dcl_texcoord o2
mov o0, v0
lit r0, v1
dst r1, v1, v1
crs r2.xyz, v1, c0
lit r3.z, c1
lit o1, v1
add r1.z, r0.z, r1.z
add r1.z, r1.z, r2.z
add o2, r1.z, r3.z
`)
	f, err := vsps.Lift(p)
	if err != nil {
		t.Fatal(err)
	}
	f.Body.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpLit || in.Op == ir.OpDst || in.Op == ir.OpCrs {
			in.Out = [4]*ir.Value{2: in.Out[2]} // the only component that is read
			if in.Op == ir.OpDst {
				in.Src[1] = ir.Operand{} // z does not read it
			}
		}
	})
	f.Outs = slices.DeleteFunc(f.Outs, func(o ir.Output) bool { return o.Reg.Index == 1 && o.Reg.Comp != 2 })
	q, err := vsps.Emit(p, f)
	if err != nil {
		t.Fatal(err)
	}
	want := []d3d9.Mask{d3d9.MaskAll, d3d9.MaskAll, d3d9.MaskX | d3d9.MaskY | d3d9.MaskZ, d3d9.MaskZ, d3d9.MaskZ}
	for i := range q.Insts {
		if in := &q.Insts[i]; in.Op.Translatable() != 0 {
			if len(want) == 0 || in.Dst.Mask != want[0] {
				t.Fatalf("a mask is wrong:\n%s", d3d9.Print(q))
			}
			want = want[1:]
		}
	}
	if len(want) > 0 {
		t.Errorf("statements are missing:\n%s", d3d9.Print(q))
	}
}

func clobbered(p *d3d9.Program) bool {
	for i := range p.Insts {
		if p.Insts[i].ClobberedBySplit() {
			return true
		}
	}
	return false
}

func d3d9Program(t *testing.T, text string) *d3d9.Program {
	t.Helper()
	p, err := d3d9.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
