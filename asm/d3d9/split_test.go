package d3d9

import (
	"strings"
	"testing"
)

// TestClobberedBySplit checks that a split clobbers only statements that read a component written
// for another selector component.
func TestClobberedBySplit(t *testing.T) {
	for text, want := range map[string]bool{
		"cmp r0.xw, r4, r0.zzzx, c15.y": true,  // w reads x, which another selector component writes
		"cmp r0.xw, r4.x, r0.zzzx, c0":  false, // one selector component, one statement
		"cmp r0.xw, r4, r0.zzzw, c0":    false, // each lane reads the component that it writes
		"cmp r0.xw, r4, r0.zzzy, c0":    false, // y is not written
		"cmp r0, r0, c0, c1":            false,
		"cmp r0, r0.yxzw, c0, c1":       true, // the selector itself
		"cmp r0.xy, r1, c0, r0.yxzw":    true,
		"cmp r0.xy, r1, c0, r2.yxzw":    false,
		"max r0.xy, r1, r0.yxzw":        false, // never split
	} {
		p, err := Parse("probe", []byte(strings.Join([]string{"ps_3_0", "dcl_texcoord v0", "mov r0, v0", "mov r1, v0",
			"mov r2, v0", "mov r4, v0", text, "mov oC0, r0", ""}, "\n")))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		found := false
		for i := range p.Insts {
			found = found || p.Insts[i].ClobberedBySplit()
		}
		if found != want {
			t.Errorf("%s: clobbered %v, want %v", text, found, want)
		}
	}
}
