package vsps_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// TestEmitPromised checks that values that the host has promised to keep in a register are read
// from there without a new definition. A partly known register must be read as one operand.
func TestEmitPromised(t *testing.T) {
	p, err := d3d9.Read("test", []byte(`vs_2_0
    def c9, 2, 0, 0, 0
    dcl_position v0
    mov r0, v0
    rep i0
    mad r0, r0, c0, v0
    max r0, r0, c9.x
    endrep
    if b1
    add r0, r0, c1.w
    endif
    mul oPos, r0, c1
`))
	if err != nil {
		t.Fatal(err)
	}
	f, err := vsps.Lift(p)
	if err != nil {
		t.Fatal(err)
	}
	known := map[ir.Reg]uint32{{File: ir.File(d3d9.ConstInt)}: 3, {File: ir.File(d3d9.ConstBool), Index: 1}: 1,
		{File: ir.File(d3d9.Const), Index: 1, Comp: 3}: 0x3f800000, {File: ir.File(d3d9.Const), Index: 9}: 0}
	for c := range uint8(4) {
		known[ir.Reg{File: ir.File(d3d9.Const), Comp: c}] = 0x40000000
	}
	if read := f.Specialize(known); len(read) != len(known)-1 {
		t.Errorf("%v are read: the program defines c9 itself", read)
	}
	q, err := vsps.Emit(p, f)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(d3d9.Print(q)), string(d3d9.Print(p)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
