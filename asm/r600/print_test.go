package r600_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift/asm/r600"
)

var plain = [4]r600.Sel{r600.SelX, r600.SelY, r600.SelZ, r600.SelW}

func gpr(index int32, ch uint8) r600.Src { return r600.Src{Kind: r600.SrcGPR, Index: index, Chan: ch} }

// TestPrint prints a loop with a fetch that has every part of a listing line. These are windows of
// the constant cache, forwarded results and temporaries, literals, inline constants, modifiers,
// orders of reading, and clause addresses.
func TestPrint(t *testing.T) {
	p := &r600.Program{Family: r600.R600, CF: []r600.CF{
		{Op: r600.CFALU,
			Locks: []r600.Lock{{Bank: 0, Line: 0, Lines: 1}, {Bank: 1, Line: 2, Lines: 2}},
			Groups: []r600.Group{
				{
					Slots: [r600.NumSlots]*r600.Inst{
						0: {Op: r600.OpMul, Src: [3]r600.Src{gpr(0, 0), {Kind: r600.SrcConst, Index: 15, Chan: 3}}, OMod: r600.OModMul2},
						2: {Op: r600.OpMulAdd, Dst: r600.Dst{Kind: r600.DstTemp, Index: 1, Chan: 2}, Swizzle: r600.Vec120,
							Src: [3]r600.Src{gpr(0, 2), {Kind: r600.SrcConst, Bank: 1, Index: 40},
								{Kind: r600.SrcConst, Bank: 1, Index: 70, Chan: 1}}},
						r600.T: {Op: r600.OpRecipIEEE, Dst: r600.Dst{Kind: r600.DstGPR, Index: 2, Chan: 1}, Clamp: true,
							Swizzle: r600.Scl210,
							Src:     [3]r600.Src{{Kind: r600.SrcGPR, Index: 0, Chan: 3, Neg: true, Abs: true}}},
					},
				},
				{
					Slots: [r600.NumSlots]*r600.Inst{
						1: {Op: r600.OpAdd, Dst: r600.Dst{Kind: r600.DstGPR, Index: 1, Chan: 1}, Swizzle: r600.Vec210,
							Src: [3]r600.Src{{Kind: r600.SrcPV, Chan: 0}, {Kind: r600.SrcLiteral, Bits: 0x40400000}}},
						r600.T: {Op: r600.OpMulLoInt, Dst: r600.Dst{Kind: r600.DstGPR, Index: 1, Chan: 0}, Swizzle: r600.Scl221,
							Src: [3]r600.Src{{Kind: r600.SrcPS}, {Kind: r600.SrcLiteral, Bits: 7}}},
					},
					Literals: []uint32{7, 0x40400000},
				},
			}},
		{Op: r600.CFLoop, Target: 5},
		{Op: r600.CFTex, Fetches: []r600.Fetch{
			{Op: r600.FetchSample, Dst: 3, DstSel: plain, Src: 1,
				SrcSel: [4]r600.Sel{r600.SelX, r600.SelY, r600.SelZero, r600.SelX}, Resource: 2, Sampler: 1, Unnormal: true},
			{Op: r600.FetchSample, Dst: 4, DstSel: [4]r600.Sel{r600.SelX, r600.SelMask, r600.SelMask, r600.SelOne}, Src: 1,
				SrcSel: plain, Offset: [3]int8{-3, 0, 2}},
		}},
		{Op: r600.CFALUBreak, Groups: []r600.Group{{Slots: [r600.NumSlots]*r600.Inst{
			0: {Op: r600.OpPredSetNEInt, Src: [3]r600.Src{gpr(1, 0), {Kind: r600.SrcInline}}},
		}}}},
		{Op: r600.CFVtx, Fetches: []r600.Fetch{{Op: r600.FetchReadGlobal, Dst: 5, DstSel: plain, Src: 1,
			SrcSel: [4]r600.Sel{r600.SelX, r600.SelMask, r600.SelMask, r600.SelMask}}}},
		{Op: r600.CFEndLoop, Target: 1},
		{Op: r600.CFJump, Pop: 1, Target: 8},
		{Op: r600.CFMemExport, Memory: &r600.Memory{Name: "WRITE_IND", Reg: 3, Sel: plain, IndexReg: 1,
			IndexSel: [4]r600.Sel{r600.SelX, r600.SelMask, r600.SelMask, r600.SelMask}, Base: 4}},
		{Op: r600.CFExportDone, Export: &r600.Export{Base: 2, Reg: 10, Count: 4, Sel: plain}},
		{Op: r600.CFEnd},
	}}
	const want = `00 ALU: ADDR(32) CNT(6) KCACHE0(CB0:0-15) KCACHE1(CB1:32-63)
      0  x: MUL*2       ____,  R0.x,  KC0[15].w
         z: MULADD      T1.z,  R0.z,  KC1[8].x,  CB1[70].y  VEC_120
         t: RECIP_IEEE  R2.y,  -|R0.w|  CLAMP
      1  y: ADD         R1.y,  PV0.x,  (0x40400000, 3.0f).y  VEC_210
         t: MULLO_INT   R1.x,  PS0,  (0x00000007, 1e-44f).x  SCL_221
01 LOOP_DX10 i0 FAIL_JUMP_ADDR(6)
02 TEX: ADDR(48) CNT(2)
      2  SAMPLE R3, R1.xy0x, t2, s1  UNNORM(XYZW)
      3  SAMPLE R4.x__1, R1, t0, s0  XOFFSET(-1.5)  ZOFFSET(1)
03 ALU_BREAK: ADDR(38) CNT(1)
      4  x: PRED_SETNE_INT  ____,  R1.x,  0.0f  UPDATE_EXEC_MASK UPDATE_PRED
04 VTX: ADDR(52) CNT(1)
      5  RD_GLOBAL R5, R1.x___, fc0
05 ENDLOOP i0 PASS_JUMP_ADDR(2)
06 JUMP POP_CNT(1) ADDR(8)
07 MEM_EXPORT_WRITE_IND: DWORD_PTR[4+R1.x], R3
08 EXP_DONE: PIX2, R10  BURSTCNT(4)
END_OF_PROGRAM
`
	if diff := cmp.Diff(want, string(r600.Print(p))); diff != "" {
		t.Errorf("listing (-want +got):\n%s", diff)
	}
}
