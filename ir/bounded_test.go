package ir_test

import (
	"fmt"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// marked returns the lift of a kernel with its decisions marked.
func marked(t *testing.T, text string) *ir.Func {
	t.Helper()
	k, err := il.Parse("loop.il", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f, err := amdil.Lift(k)
	if err != nil {
		t.Fatal(err)
	}
	ir.MarkDecisions(f)
	return f
}

// A loop under a float condition is an exact decision, because another condition might make it run forever.
// It is not a decision if literals bound its trip count.
func TestMarkDecisionsOfBoundedLoops(t *testing.T) {
	const text = `il_ps_2_0
dcl_input_generic_interp(linear) v0.xy__
dcl_output_generic o0
dcl_cb cb0[1]
dcl_literal l0, 0x00000000, 0x00000008, 0x00000001, 0x00000000
mov r0, v0.xyxy
add r1.x___, v0.x, v0.y
lt r1._y__, r1.x, l0.x
if_logicalnz r1.y
    mov r2.x___, %s
    whileloop
        ige r2._y__, r2.x, %s
        break_logicalnz r2.y
        add r0, r0, v0.xyxy
        iadd r2.x___, r2.x, %s
    endloop
endif
mov o0, r0
end
`
	for _, c := range []struct {
		start, bound, step string
		decides            bool // whether the sum that the condition compares must keep its bits
	}{
		{"l0.x", "l0.y", "l0.z", false},
		{"cb0[0].x", "l0.y", "l0.z", true},
		{"l0.x", "cb0[0].x", "l0.z", true},
		{"l0.x", "l0.y", "cb0[0].x", true},
		{"l0.x", "l0.y", "l0.x", true}, // it never ends
	} {
		f := marked(t, fmt.Sprintf(text, c.start, c.bound, c.step))
		got := false
		f.Walk(func(in *ir.Instr) { got = got || in.Op == ir.OpFLt && in.Decides })
		if got != c.decides {
			t.Errorf("start %s, bound %s, step %s: the condition decides: %v, want %v", c.start, c.bound, c.step, got, c.decides)
		}
	}
}

// A counter with a limit from outside the loop bounds its trip count. A float comparison that also leaves the
// loop is then not an exact decision. The start and the limit of the counter are.
func TestMarkDecisionsOfCountedLoops(t *testing.T) {
	const text = `il_ps_2_0
dcl_input_generic_interp(linear) v0.xy__
dcl_output_generic o0
dcl_cb cb0[1]
dcl_literal l0, 0x00000000, 0x00000008, 0x00000001, 0x00000002
mov r0, v0.xyxy
ftoi r3.x___, v0.y
mov r2.x___, l0.x
whileloop
    %s r2._y__, r2.x, %s
    %s r2.y
    add r1.x___, r0.x, v0.y
    lt r1._y__, r1.x, l0.x
    break_logicalnz r1.y
    add r0, r0, v0.xyxy
    %s
endloop
mov o0, r0
end
`
	const one = "iadd r2.x___, r2.x, l0.z"
	for _, c := range []struct {
		test, limit, leave, step string
		decides                  bool // whether the sum that the condition compares must keep its bits
	}{
		{"ige", "cb0[0].x", "break_logicalnz", one, false},
		{"uge", "cb0[0].x", "break_logicalnz", one, false},
		{"ult", "cb0[0].x", "break_logicalz", one, false},
		{"ilt", "r3.x", "break_logicalz", one, false},
		{"ilt", "cb0[0].x", "break_logicalnz", one, true},
		{"ige", "cb0[0].x", "break_logicalz", one, true},
		{"ieq", "cb0[0].x", "break_logicalnz", one, true}, // the verifier does not know it
		{"ige", "cb0[0].x", "break_logicalnz", "iadd r2.x___, r2.x, l0.w", true},
		{"ige", "cb0[0].x", "break_logicalnz", "iadd r2.x___, r2.x, cb0[0].y", true},
		{"ige", "r0.x", "break_logicalnz", one, true}, // the limit changes
		{"ige", "cb0[0].x", "break_logicalnz", "if_logicalnz r1.x\niadd r2.x___, r2.x, l0.z\nendif", true},
	} {
		f := marked(t, fmt.Sprintf(text, c.test, c.limit, c.leave, c.step))
		var sum, limit bool
		f.Walk(func(in *ir.Instr) {
			sum, limit = sum || in.Op == ir.OpFLt && in.Decides, limit || in.Op == ir.OpFToI && in.Decides
		})
		if sum != c.decides || c.limit == "r3.x" && !limit {
			t.Errorf("%s, %s, %s, %s: the condition decides: %v, want %v; the limit: %v", c.test, c.limit, c.leave, c.step,
				sum, c.decides, limit)
		}
	}
}
