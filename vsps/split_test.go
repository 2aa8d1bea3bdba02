package vsps

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// A choice that would like the register of what it reads in another lane gets one of its
// own, for the sake of clients that split it; one that the input has as it is stays.
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
	f, err := Lift(p)
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
	q, err := Emit(p, f)
	if err != nil {
		t.Fatal(err)
	}
	if clobbered(q) {
		t.Errorf("clients that split cmp read what they have overwritten:\n%s", d3d9.Print(q))
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
	if f, err = Lift(own); err != nil {
		t.Fatal(err)
	}
	if q, err = Emit(own, f); err != nil {
		t.Fatal(err)
	}
	if !clobbered(own) || !clobbered(q) {
		t.Errorf("a statement of the input does not come back as it was:\n%s", d3d9.Print(q))
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
