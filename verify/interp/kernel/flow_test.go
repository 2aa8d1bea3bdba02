package kernel

import (
	"fmt"
	"testing"
)

// flowHeader sets r0.x to the number of the element and literals to small integers. A kernel leaves an
// integer in r1.x.
const flowHeader = `dcl_input vObjIndex0
dcl_output_generic o0
dcl_literal l0, 0, 1, 2, 3
dcl_literal l1, 4, 5, 6, 7
dcl_literal l2, 10, 100, 1000, 10000
mov r0.x, vObjIndex0.x
`

// TestFlow runs each kernel over eight elements that take different paths, and again with every other
// element removed.
func TestFlow(t *testing.T) {
	for _, e := range []struct {
		src  string
		tail string // behind the main program
		want func(i int) int
	}{
		{src: "if_logicalnz r0.x\nmov r1.x, l0.y\nelse\nmov r1.x, l0.z\nendif", want: func(i int) int {
			if i != 0 {
				return 1
			}
			return 2
		}},
		{src: "ilt r2.x, r0.x, l1.x\nif_logicalz r2.x\nmov r1.x, l0.y\nendif\niadd r1.x, r1.x, l2.x",
			want: func(i int) int { return 10 + i/4 }},
		{src: "itof r2.x, r0.x\nitof r2.y, l1.y\nifc_relop(gt) r2.x, r2.y\nmov r1.x, l0.y\nendif",
			want: func(i int) int { return i / 6 }},
		{src: "itof r2.x, r0.x\nifnz r2.x\nmov r1.x, l0.y\nendif", want: func(i int) int { return min(i, 1) }},
		// Nested branches, and a value from before one.
		{src: `iand r2.xyz, r0.x, l0.yzz
if_logicalnz r2.x
  if_logicalnz r2.y
    mov r1.x, l0.w
  else
    mov r1.x, l0.y
  endif
  iadd r1.x, r1.x, l2.x
endif
iadd r1.x, r1.x, r2.z`, want: func(i int) int { return []int{0, 11, 2, 15}[i%4] }},
		// Each element runs the loop as often as its number.
		{src: "mov r2.x, l0.x\nwhileloop\nige r2.y, r2.x, r0.x\nbreak_logicalnz r2.y\niadd r2.x, r2.x, l0.y\niadd r1.x, r1.x, r2.x\nendloop",
			want: func(i int) int { return i * (i + 1) / 2 }},
		{src: "itof r3.x, r0.x\nwhileloop\nbreakc_relop(ge) r2.x, r3.x\nadd r2.x, r2.x, r2.1\niadd r1.x, r1.x, l0.z\nendloop", want: func(i int) int { return 2 * i }},
		// Continue skips the rest: the loop sums odd numbers.
		{src: `whileloop
ige r2.y, r2.x, r0.x
break_logicalnz r2.y
iadd r2.x, r2.x, l0.y
iand r2.z, r2.x, l0.y
continue_logicalz r2.z
iadd r1.x, r1.x, r2.x
endloop`, want: func(i int) int { return (i + 1) / 2 * ((i + 1) / 2) }},
		{src: `whileloop
ige r2.y, r2.x, l1.x
if_logicalnz r2.y
break
endif
iadd r2.x, r2.x, l0.y
ilt r2.z, r2.x, r0.x
if_logicalnz r2.z
continue
endif
iadd r1.x, r1.x, l0.y
endloop`, want: func(i int) int { return min(4, max(0, 5-max(i, 1))) }},
		// Break in a switch leaves only the switch; continue and the break behind it affect the loop.
		{src: `whileloop
ige r2.y, r2.x, l1.x
break_logicalnz r2.y
iadd r2.x, r2.x, l0.y
switch r0.x
case 1
  iadd r1.x, r1.x, l0.y
  break
case 2
  iadd r1.x, r1.x, l2.x
case 3
  iadd r1.x, r1.x, l0.z
  break
case 4
  ieq r3.x, r2.x, l0.z
  break_logicalz r3.x
  iadd r1.x, r1.x, l2.y
  break
case 5
  continue
default
  iadd r1.x, r1.x, l2.z
endswitch
iadd r1.x, r1.x, l2.w
endloop`, want: func(i int) int { return 4 * []int{11000, 10001, 10012, 10002, 10025, 0, 11000, 11000}[i] }},
		// Default in the middle, shared bodies, and a value without a case.
		{src: "switch r0.x\ncase 0\ncase 3\nmov r1.x, l0.y\nbreak\ndefault\niadd r1.x, r1.x, l0.z\ncase 5\niadd r1.x, r1.x, l2.x\nendswitch",
			want: func(i int) int { return []int{1, 12, 12, 1, 12, 10, 12, 12}[i] }},
		{src: "switch r0.x\ncase 2\nmov r1.x, l0.y\nendswitch\niadd r1.x, r1.x, l2.x",
			want: func(i int) int { return []int{10, 10, 11, 10, 10, 10, 10, 10}[i] }},
		{src: "inegate r2.x, r0.x\nswitch r2.x\ncase -1\nmov r1.x, l0.y\nbreak\ncase 0xfffffffe\nmov r1.x, l0.z\nendswitch",
			want: func(i int) int {
				return []int{0, 1, 2, 0, 0, 0, 0, 0}[i]
			}},
		// A switch in a switch, in a loop in one of its cases.
		{src: `iand r2.x, r0.x, l0.y
switch r2.x
case 0
  whileloop
    ige r3.x, r3.y, l0.z
    break_logicalnz r3.x
    iadd r3.y, r3.y, l0.y
    switch r0.x
    case 2
      iadd r1.x, r1.x, l0.y
      break
    default
      iadd r1.x, r1.x, l2.x
    endswitch
  endloop
  iadd r1.x, r1.x, l2.y
  break
case 1
  mov r1.x, l0.w
endswitch`, want: func(i int) int { return []int{120, 3, 102, 3, 120, 3, 120, 3}[i] }},
		// Loops in loops: the inner break leaves the inner one.
		{src: `whileloop
ige r2.y, r2.x, r0.x
break_logicalnz r2.y
iadd r2.x, r2.x, l0.y
mov r3.x, l0.x
whileloop
iadd r3.x, r3.x, l0.y
iadd r1.x, r1.x, l0.y
ige r3.y, r3.x, r2.x
break_logicalnz r3.y
endloop
endloop`, want: func(i int) int { return i * (i + 1) / 2 }},
		// A counted loop; the body does not change the count.
		{src: "mov r2.x, r0.x\nloop r2.x\nmov r2.x, l2.x\niadd r1.x, r1.x, l0.z\nendloop",
			want: func(i int) int { return 2 * i }},
		// Calls: in all lanes, in some, between functions, with early returns.
		{src: "mov r2.x, l2.x\ncall 1\nmov r2.x, l0.y\ncall 1", tail: "func 1\niadd r1.x, r1.x, r2.x\nret\nendfunc",
			want: func(int) int { return 11 }},
		{src: "iand r2.x, r0.x, l0.y\nif_logicalnz r2.x\ncall 1\nelse\ncall 2\nendif\niadd r1.x, r1.x, l0.y",
			tail: "func 2\ncall 1\nret\nendfunc\nfunc 1\niadd r1.x, r1.x, l2.x\nilt r3.x, r0.x, l1.x\nret_logicalnz r3.x\niadd r1.x, r1.x, l2.y\nret\nendfunc",
			want: func(i int) int { return 11 + i/4*100 }},
		{src: "iand r2.x, r0.x, l0.y\ncall_logicalnz r2.x, 7\ncall_logicalz r2.x, 8",
			tail: "func 7\nmov r1.x, l0.y\nret\nendfunc\nfunc 8\nmov r1.x, l0.z\nret",
			want: func(i int) int { return 2 - i%2 }},
		{src: "itof r2.x, r0.x\ncallnz r2.x, 7", tail: "func 7\nmov r1.x, l0.y\nret",
			want: func(i int) int { return min(i, 1) }},
		// A return in a loop of a function, past the loops of the caller.
		{src: "whileloop\nige r4.y, r4.x, l0.z\nbreak_logicalnz r4.y\niadd r4.x, r4.x, l0.y\nmov r5.x, l0.x\ncall 1\niadd r1.x, r1.x, l2.y\nendloop",
			tail: "func 1\nwhileloop\niadd r1.x, r1.x, l0.y\niadd r5.x, r5.x, l0.y\nige r5.y, r5.x, r0.x\nif_logicalnz r5.y\nret\nendif\nendloop\nret\nendfunc",
			want: func(i int) int { return 2 * (100 + max(i, 1)) }},
		// Functions may be left at their end.
		{src: "call 1", tail: "func 1\nif_logicalnz r0.x\nmov r1.x, l0.y\nret\nendif\nmov r1.x, l0.z\nendfunc",
			want: func(i int) int { return 2 - min(i, 1) }},
	} {
		for _, some := range []bool{false, true} {
			src := flowHeader
			if some {
				src += "dcl_literal l9, 2, 2, 2, 2\ndcl_literal l8, 6, 6, 6, 6\niand r9.x, vObjIndex0.x, l9\nieq r9.x, r9.x, l9.x\nret_logicalnz r9.x\n"
			}
			src += e.src + "\nmov o0, r1\nendmain\n" + e.tail
			r := launched(t, src, "domain 4 2")
			for i := range 8 {
				want := e.want(i)
				if some && i&2 != 0 {
					want = 0
				}
				if got := int(int32(r.Out[0][4*i])); got != want {
					t.Errorf("element %d of\n%s\n%s gives %d, want %d", i, src, e.tail, got, want)
				}
			}
		}
	}
}

// TestLeave checks that elements that return keep their earlier outputs. Discarded ones hold 0, and their
// later stores have no effect.
func TestLeave(t *testing.T) {
	src := flowHeader + `mov o0, l2.x
iand r2.x, r0.x, l0.y
%s r2.x
mov g[r0.x], l2.y
mov o0.x, l2.y`
	for _, e := range []struct {
		op      string
		out     [4]uint32
		discard bool
	}{
		{"ret_logicalnz", [4]uint32{100, 10, 100, 10}, false},
		{"ret_logicalz", [4]uint32{10, 100, 10, 100}, false},
		{"discard_logicalnz", [4]uint32{100, 0, 100, 0}, true},
		{"discard_logicalz", [4]uint32{0, 100, 0, 100}, true},
	} {
		for _, quads := range []string{"", "\ndsx r8, r0"} {
			r := launched(t, fmt.Sprintf(src+quads, e.op), "domain 2 2\nglobal 4 zero")
			for i := range 4 {
				stored := uint32(0)
				if e.out[i] == 100 {
					stored = 100
				}
				if r.Out[0][4*i] != e.out[i] || r.Global[4*i] != stored {
					t.Errorf("%s%s: element %d is %d, stored %d, want %d, %d", e.op, quads, i, r.Out[0][4*i], r.Global[4*i],
						e.out[i], stored)
				}
				if discarded := r.Discarded != nil && r.Discarded[i]; discarded != (e.discard && stored == 0) {
					t.Errorf("%s%s: element %d discarded is %v", e.op, quads, i, discarded)
				}
			}
		}
	}
	r := launched(t, "dcl_output_generic o0\ndcl_input_position_interp(linear) vWinCoord0.xy__\ndcl_literal l0, 1.5, 9.0, 9.0, 9.0\nmov r0, l0\nadd r0.x, vWinCoord0.x, l0.x_neg\nkill r0\nmov o0, l0",
		"domain 4 1")
	if want := [4]bool{true, false, false, false}; [4]bool(r.Discarded) != want {
		t.Errorf("kill discards %v, want %v", r.Discarded, want)
	}
}

func TestLimits(t *testing.T) {
	for _, e := range []struct{ src, want string }{
		{"mov r0, r1\nwhileloop\nendloop", "3 step-limit"},
		// Two steps, then four per trip, the last of them the break. The 10002nd step is also a break.
		{"mov r0, r1\nwhileloop\nwhileloop\nbreak\nendloop\nendloop", "5 step-limit"},
		{"whileloop\nmov r0, r1\ncontinue\nendloop", "3 step-limit"},
	} {
		for _, workers := range []int{1, 3} {
			p := compile(t, e.src)
			_, err := p.Run(&Case{Width: 100, Height: 2}, Options{Steps: 64 * 10001, Workers: workers})
			fails(t, e.src, err, e.want)
		}
	}
	// A limit that just suffices.
	p := compile(t, "mov r0, r1\nmov r1, r0")
	if r, err := p.Run(&Case{Width: 64, Height: 1}, Options{Steps: 128}); err != nil || r.Steps != 128 {
		t.Errorf("128 steps: %v", err)
	}
	if _, err := p.Run(&Case{Width: 65, Height: 1}, Options{Steps: 255}); err == nil {
		t.Error("256 steps within 255")
	}
}

func TestRefused(t *testing.T) {
	for _, e := range []struct{ src, want string }{
		{"mov r0, r1\nnoise r0, r1", "3 unsupported-op"},
		{"memexport r0, r1", "2 unsupported-op"},
		{"det r0, r1", "2 unsupported-op"},
		{"mov r0, r1_divComp(unknown)", "2 unsupported-modifier"},
		{"mov sr0, r1", "2 unsupported-register"},
		{"mov r0, p[1]", "2 unsupported-register"},
		{"dcl_resource_id(0)_type(cubemap)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\nsample_resource(0)_sampler(0) r0, r1", "3 unsupported-resource"},
		{"dcl_resource_id(0)_type(3d)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\nfetch4_resource(0)_sampler(0) r0, r1", "3 unsupported-resource"},
		{"dcl_output_generic o8", "2 output-range"},
		{"dcl_indexed_temp_array x0[5000]", "2 array-size"},
		{"dcl_cb cb16[1]\nmov r0, cb16[0]", "3 register-range"},
		{"dcl_lds_id(1) 16\nlds_load_id(1) r0.x, r1.x", "3 unsupported-op"},
		{"dcl_raw_uav_id(1)\nuav_load_id(1) r0, r1", "3 view-kind"},
		{"il_cs_2_0\ndcl_num_thread_per_group 1025\nend", "2 group-size"},
		{"il_cs_2_0\ndcl_num_thread_per_group 16, 16, 16\nend", "2 group-size"},
		{"il_cs_2_0\ndcl_num_thread_per_group 0\nend", "2 group-size"},
		{"il_cs_2_0\ndcl_lds_id(1) 2000000\nend", "2 local-size"},
		{"il_cs_2_0\ndsx r0, r1\nend", "2 unsupported-op"},
		{"il_cs_2_0\ndcl_lds_size_per_thread 4\nlds_read_vec_neighborExch r0, r1\nend", "3 unsupported-op"},
		{"mov r0, l0", "2 undeclared"},
	} {
		_, err := tryCompile(e.src)
		fails(t, e.src, err, e.want)
	}
}
