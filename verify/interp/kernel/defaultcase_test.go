package kernel

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
)

// TestDefaultCaseCompiled checks that a loop bounded by a constant ends, even if the constant arrives
// through a literal index, moves and a call. The position is not a generated input.
func TestDefaultCaseCompiled(t *testing.T) {
	k, err := il.Parse("t.il", []byte(`il_ps_2_0
dcl_literal l0,0x00000000,0x00000001,0x00000000,0x00000000
dcl_output_usage(generic) o0.xyzw
dcl_input_position_interp(linear_noperspective) v0.xy__
dcl_cb cb0[7]
mov r391.xy__,v0.xyzw
mov r342.x___,cb0[l0.x + 1].x000
call 43
mov o0.xyzw,r362.xyzw
endmain

func 43
mov r350.x___,r342.x000
mov r363.x___,l0.x000
mov r362.xyzw,l0.0000
whileloop
ilt r364.x___,r363.x000,r350.x000
break_logicalz r364.x000
add r362.xyzw,r362.xyzw,r391.xyxy
iadd r363.x___,r363.x000,l0.y000
endloop
ret
end
`))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		c := DefaultCase(k, seed)
		if got := c.Constants[0]; len(got) != 2 || got[1][0] == 0 || got[1][0] > 64 {
			t.Fatalf("seed %d: the constants are %v", seed, got)
		}
		if len(c.Inputs) != 0 {
			t.Fatalf("seed %d: inputs are made up: %v", seed, c.Inputs)
		}
		p, err := Compile(k)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Run(c, Options{}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}
