package d3d9

import "testing"

// TestLimits compares some numbers of every model with the register and instruction-count pages.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		m                                     Model
		slots, temps, consts, loops, swizzles int
		predication                           bool
	}{
		{VS11, 128, 12, 96, 0, 256, false},
		{VS20, 256, 12, 256, 1, 256, false},
		{VS2X, 256, 32, 256, 4, 256, true},
		{VS30, 512, 32, 256, 4, 256, true},
		{PS11, 12, 2, 8, 0, 2, false},
		{PS14, 28, 6, 8, 0, 5, false},
		{PS20, 96, 12, 32, 0, 8, false},
		{PS2X, 512, 32, 32, 4, 256, true},
		{PS30, 512, 32, 224, 4, 256, true},
		{Model{Vertex, 3, 0xff}, Unlimited, 32, 8192, 4, 256, true},
		{Model{Pixel, 2, 0xff}, Unlimited, 32, 8192, 4, 256, true},
	} {
		l := test.m.Limits()
		swizzles := 0
		for s := range 256 {
			if swizzleAllowed(test.m, Swizzle(s)) {
				swizzles++
			}
		}
		if l.Slots != test.slots || l.Regs[Temp] != test.temps || l.Regs[Const] != test.consts || l.Loops != test.loops ||
			swizzles != test.swizzles || CanPredicate(test.m) != test.predication {
			t.Errorf("%s: %d slots, %d r#, %d c#, %d loops, %d swizzles, predication %t", test.m,
				l.Slots, l.Regs[Temp], l.Regs[Const], l.Loops, swizzles, CanPredicate(test.m))
		}
	}
}

// TestLimitsComplete checks that every model has a row, without limits that are zero by omission.
func TestLimitsComplete(t *testing.T) {
	for _, v := range versions {
		for _, m := range []Model{{Vertex, v.major, v.minor}, {Pixel, v.major, v.minor}} {
			if !m.known() {
				continue
			}
			l := m.Limits()
			if l.MaxSlots < l.Slots || l.MaxConst < l.Regs[Const] || l.Slots == 0 || l.Arithmetic == 0 || l.Texture == 0 ||
				l.ConstReads == 0 || l.Regs[Const] == 0 {
				t.Errorf("%s: %+v", m, l)
			}
			if !m.Software() && PortLimit(m, Temp) == 0 {
				t.Errorf("%s reads any number of r# at a time", m)
			}
		}
	}
	if PortLimit(PS14, Const) != 2 || PortLimit(PS20, Const) != 1 || PortLimit(Model{Pixel, 3, 0xff}, Const) != 0 {
		t.Error("c# ports")
	}
}

func TestLegal(t *testing.T) {
	for _, test := range []struct {
		what      string
		got, want bool
	}{
		{"abs in 2_0", ModAllowed(PS2X, OpAdd, 0, ModAbs), false},
		{"abs in 3_0", ModAllowed(PS30, OpAdd, 0, ModAbsNeg), true},
		{"bias in 1_4", ModAllowed(PS14, OpAdd, 0, ModBias), true},
		{"bias in 2_0", ModAllowed(PS20, OpAdd, 0, ModBias), false},
		{"negated matrix", ModAllowed(VS11, OpM4x4, 1, ModNeg), false},
		{"negated vector", ModAllowed(VS11, OpM4x4, 0, ModNeg), true},
		{"sat in vs_2_x", SatAllowed(VS2X, OpMul), false},
		{"sat in vs_3_0", SatAllowed(VS30, OpMul), true},
		{"sat of sincos", SatAllowed(PS30, OpSinCos), false},
		{"add to oC0 in 2_x", CanWrite(PS2X, OpAdd, ColorOut), false},
		{"add to oC0 in 3_0", CanWrite(PS30, OpAdd, ColorOut), true},
		{"mov to a0 in 1_1", CanWrite(VS11, OpMov, Addr), true},
		{"mov to a0 in 2_0", CanWrite(VS20, OpMov, Addr), false},
		{"v0 as coordinate in 2_0", CanRead(PS20, OpTexld, 0, Input), false},
		{"v0 as coordinate in 3_0", CanRead(PS30, OpTexld, 0, Input), true},
		{"lrp over its last source", MayReuse(PS20, OpLrp, 2), false},
		{"lrp over its second source", MayReuse(PS20, OpLrp, 1), true},
		{"swizzled coordinate in 2_0", SwizzleFits(PS20, OpTexld, 0, Replicate(1)), false},
		{"swizzled coordinate in 3_0", SwizzleFits(PS30, OpTexld, 0, Replicate(1)), true},
		{"rcp of a vector", SwizzleFits(VS20, OpRcp, 0, Identity), false},
		{"rcp of a vector in 1_1", SwizzleFits(VS11, OpRcp, 0, Identity), true},
		{"masked texld in 2_x", MaskFits(PS2X, OpTexld, &Dst{Mask: MaskX}), false},
		{"masked texld in 3_0", MaskFits(PS30, OpTexld, &Dst{Mask: MaskX}), true},
		{"nrm of y", MaskFits(PS30, OpNrm, &Dst{Mask: MaskY}), false},
	} {
		if test.got != test.want {
			t.Errorf("%s: %t", test.what, test.got)
		}
	}
}
