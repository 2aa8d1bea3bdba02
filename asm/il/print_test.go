package il

import (
	"math"
	"slices"
	"testing"
)

// TestEdits checks that edits leave the rest of a text unchanged.
func TestEdits(t *testing.T) {
	insert := func(at int, src ...string) func(*testing.T, *Kernel) {
		return func(t *testing.T, k *Kernel) {
			for i, s := range src {
				in := one(t, s)
				in.Lead, in.Text = "", ""
				k.Insts = slices.Insert(k.Insts, at+i, in)
			}
		}
	}
	rewrite := func(at int) func(*testing.T, *Kernel) {
		return func(_ *testing.T, k *Kernel) { k.Insts[at].Op, k.Insts[at].Text = OpAbs, "" }
	}
	remove := func(at int) func(*testing.T, *Kernel) {
		return func(_ *testing.T, k *Kernel) { k.Insts = slices.Delete(k.Insts, at, at+1) }
	}
	const (
		plain   = "il_ps_2_0 ; k\n\tmov r0,r1 ; a\n\n; next\n\tmov r1,r2 ; b\nend\n"
		windows = "il_ps_2_0\r\n  mov r0, r1\r\n  end"
	)
	for _, c := range []struct {
		name, src string
		edit      func(*testing.T, *Kernel)
		want      string
	}{
		{"insert first", plain, insert(0, "ret"), "il_ps_2_0 ; k\nret\n\tmov r0,r1 ; a\n\n; next\n\tmov r1,r2 ; b\nend\n"},
		{"insert two", plain, insert(1, "ret", "fence"),
			"il_ps_2_0 ; k\n\tmov r0,r1 ; a\n\tret\n\tfence\n\n; next\n\tmov r1,r2 ; b\nend\n"},
		{"insert last", plain, insert(3, "ret"), "il_ps_2_0 ; k\n\tmov r0,r1 ; a\n\n; next\n\tmov r1,r2 ; b\nend\nret\n"},
		{"rewrite", plain, rewrite(0), "il_ps_2_0 ; k\n\tabs r0, r1 ; a\n\n; next\n\tmov r1,r2 ; b\nend\n"},
		{"remove", plain, remove(1), "il_ps_2_0 ; k\n\tmov r0,r1 ; b\nend\n"},
		{"line ends", windows, insert(1, "ret"), "il_ps_2_0\r\n  mov r0, r1\r\n  ret\r\n  end"},
		{"no last line end", windows, insert(2, "ret"), "il_ps_2_0\r\n  mov r0, r1\r\n  end\r\n  ret\r\n"},
		{"lead without line end", windows, func(_ *testing.T, k *Kernel) { k.Insts[1].Lead = " ; c" },
			"il_ps_2_0\r\n  mov r0, r1 ; c\r\n  end"},
	} {
		k := parse(t, c.src)
		c.edit(t, k)
		if got := string(Print(k)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPrintBuilt checks that a generated kernel prints and reads back.
func TestPrintBuilt(t *testing.T) {
	all := Dst{Reg: Reg{Temp, 7}, Mask: MaskAll}
	k := &Kernel{Client: "dx11_cs", Stage: Compute, MultiPass: true, Insts: []Inst{
		{Op: OpDclLiteral, HasDst: true, Dst: Dst{Reg: Reg{Literal, 3}, Mask: MaskAll}, NImm: 4,
			Imm: [4]uint32{math.Float32bits(0.1), 1 << 31, 0x7F800000, 0x7F800001}},
		{Op: OpUavReadAtomic, Ctl: Controls{ID: 5, Atomic: AtomicXor}, HasDst: true, Dst: all, NSrc: 2, Src: [4]Src{
			{Reg: Reg{ConstBuf, 1}, Addr: Addr{Rel: &Src{Reg: Reg{Temp, 2}, Swz: MakeSwizzle(SelW)}, Offset: 9},
				Swz: MakeSwizzle(SelX)},
			{Reg: Reg{Literal, 3}, Swz: MakeSwizzle(Sel1, SelZ), Neg: 0b1010, Mods: Abs},
		}},
		{Op: OpMov, HasDst: true, Dst: Dst{Reg: Reg{Global, 0}, Addr: Addr{Offset: 4},
			Mask: MakeMask(Zero, Keep, Result, One), Sat: true, Shift: -1},
			NSrc: 1, Src: [4]Src{{Reg: Reg{AbsThreadID, 0}}}},
		{Op: OpEnd},
	}}
	const want = `dx11_cs
il_cs_2_0_mp
dcl_literal l3, 0x3DCCCCCD, 0x80000000, 0x7F800000, 0x7F800001
uav_read_xor_id(5) r7, cb1[r2.w+9].x, l3.1z_neg(yw)_abs
mov_d2_sat g[4].0_z1, vaTid
end
`
	got := string(Print(k))
	if got != want {
		t.Fatalf("%s\nwant\n%s", got, want)
	}
	sameKernel(t, "reparsed", parse(t, got), k)
}

// TestFloats checks that decimals read as the bits of the float32.
func TestFloats(t *testing.T) {
	for src, want := range map[string]float32{
		"0.1": 0.1, "-0.0": float32(math.Copysign(0, -1)), "1.17549435e-38": 0x1p-126, "1e-45": 0x1p-149,
		"3.40282347e+38": math.MaxFloat32, "16777217.0": 16777216, "2.f": 2, "-7f": -7,
	} {
		in := one(t, "dcl_literal l0, "+src+", 0, 0, 0")
		if in.Imm[0] != math.Float32bits(want) {
			t.Errorf("%s is %#x, want %#x", src, in.Imm[0], math.Float32bits(want))
		}
	}
}

func TestSame(t *testing.T) {
	a := one(t, "mov r0, cb0[r1.x+2].xyzw")
	for src, want := range map[string]bool{
		"mov  r0.xyzw,cb0[ r1.x + 2 ].xyzw": true,
		"mov r0, cb0[r1.x+2]":               false, // the same selection in another spelling
		"mov r0, cb0[r1.y+2].xyzw":          false,
		"mov r0, cb0[2].xyzw":               false,
		"mov r0, cb0[r1.x+3].xyzw":          false,
		"mov_sat r0, cb0[r1.x+2].xyzw":      false,
		"mov r0.xyz, cb0[r1.x+2].xyzw":      false,
		"abs r0, cb0[r1.x+2].xyzw":          false,
	} {
		if b := one(t, src); a.Same(&b) != want {
			t.Errorf("Same(%s) is %v", src, !want)
		}
	}
}
