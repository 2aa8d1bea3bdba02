package r600_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/r600"
)

// The product of two constants takes two groups, because a group of the R700 reads only
// two pairs of constant channels.
func Example() {
	var groups [2]r600.Group
	for ch := range uint8(4) {
		groups[ch/2].Slots[ch] = &r600.Inst{
			Op:  r600.OpMul,
			Dst: r600.Dst{Kind: r600.DstGPR, Chan: ch},
			Src: [3]r600.Src{{Kind: r600.SrcConst, Chan: ch}, {Kind: r600.SrcConst, Index: 1, Chan: ch}},
		}
	}
	p := &r600.Program{Family: r600.R700, GPRs: 1, CF: []r600.CF{
		{Op: r600.CFALU, Groups: groups[:], Locks: []r600.Lock{{Lines: 1}}},
		{Op: r600.CFExportDone, Export: &r600.Export{Count: 1, Sel: [4]r600.Sel{r600.SelX, r600.SelY, r600.SelZ, r600.SelW}}},
	}}
	fmt.Printf("%s", r600.Print(p))

	// Output:
	// 00 ALU: ADDR(32) CNT(4) KCACHE0(CB0:0-15)
	//       0  x: MUL         R0.x,  KC0[0].x,  KC0[1].x
	//          y: MUL         R0.y,  KC0[0].y,  KC0[1].y
	//       1  z: MUL         R0.z,  KC0[0].z,  KC0[1].z
	//          w: MUL         R0.w,  KC0[0].w,  KC0[1].w
	// 01 EXP_DONE: PIX0, R0
	// END_OF_PROGRAM
}
