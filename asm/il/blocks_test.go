package il

import (
	"strings"
	"testing"
)

func TestBlocks(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"end", ""},
		{"end;", ""},
		{"ret_dyn\nend", ""},
		{"endmain\nend", ""},
		{"ret\nendmain\nend", ""},
		{"call 0\nret\nfunc 0\nret\nendfunc\nend", ""},
		{"call 0\nendmain\ndcl_literal l0, 0, 0, 0, 0\nfunc 0\nret\nfunc 1\nret\nend", ""},
		{"endmain\nfunc 0\nif_logicalz r0.x\nret\nendif\nendfunc\nend", ""},
		{"switch r0.x\ndcl_literal l0, 0, 0, 0, 0\ncase 0\ncase 1\nbreak\ndefault\nendswitch\nend", ""},
		{"switch r0.x\nendswitch\nend", ""},
		{"whileloop\nswitch r0.x\ncase 0\ncontinue\nendswitch\nendloop\nend", ""},

		{"", "3:1 missing-end"},
		{"ret", "3:1 missing-end"},
		{"endmain\nfunc 0\nret", "5:1 missing-end"},
		{"whileloop", "3:1 missing-end"},
		{"end\nend", "3:1 after-end"},
		{"end\ndcl_cb cb0[1]", "3:1 after-end"},
		{"whileloop\nend", "3:1 unbalanced"},
		{"endif\nendloop\nendswitch\nendfunc\nelse\nend",
			"2:1 unbalanced; 3:1 unbalanced; 4:1 unbalanced; 5:1 unbalanced; 6:1 unbalanced"},
		{"if_logicalz r0.x\nelse\nelse\nendif\nend", "4:1 unbalanced"},
		{"if_logicalz r0.x\nwhileloop\nendif\nendloop\nendif\nend", "4:1 unbalanced"},
		{"break\ncontinue_logicalz r0.x\nend", "2:1 outside-loop; 3:1 outside-loop"},
		{"switch r0.x\ncase 0\ncontinue\nendswitch\nend", "4:1 outside-loop"},
		{"whileloop\nendloop\nbreak\nend", "4:1 outside-loop"},
		{"case 0\ndefault\nend", "2:1 outside-switch; 3:1 outside-switch"},
		{"switch r0.x\ncase 0\nif_logicalz r0.x\ncase 1\nendif\nendswitch\nend", "5:1 outside-switch"},
		{"switch r0.x\nmov r0, r1\ncase 0\nendswitch\nend", "3:1 outside-case"},
		{"switch r0.x\ncase 1\ncase -1\ncase 0x1\ncase 4294967295\ndefault\ndefault\nendswitch\nend",
			"5:1 duplicate-case; 6:1 duplicate-case; 8:1 duplicate-case"},
		{"func 0\nret\nendfunc\nend", "2:1 unbalanced"},
		{"mov r0, r1\nfunc 0\nret\nend", "3:1 unbalanced"},
		{"if_logicalz r0.x\nret\nendif\nfunc 0\nret\nend", "5:1 unbalanced"},
		{"ret_logicalz r0.x\nfunc 0\nret\nend", "3:1 unbalanced"},
		{"if_logicalz r0.x\nendmain\nendif\nend", "3:1 unbalanced"},
		{"endmain\nfunc 0\nmov r0, r1\nend", "5:1 unbalanced"},
		{"endmain\nfunc 0\nmov r0, r1\nfunc 1\nret\nend", "5:1 unbalanced"},
		{"endmain\nmov r0, r1\nend", "3:1 outside-function"},
		{"endmain\nfunc 0\nret\nendfunc\nmov r0, r1\nend", "6:1 outside-function"},
		{"endmain\nfunc 0\nret\nendfunc\nfunc 0\nret\nendfunc\nend", "6:1 duplicate-function"},
		// Each function reports one fault.
		{"whileloop\nif_logicalz r0.x\nendloop\nendmain\nmov r0, r1\nend", "4:1 unbalanced"},
		{"if_logicalz r0.x\nif_logicalz r0.x\nelse\nelse\nendif\nend", "5:1 unbalanced"},
		{"switch r0.x\ncase 0\nwhileloop\ncase 1\nbreak\nendswitch\nend", "5:1 outside-switch; 7:1 unbalanced"},
		{"end\nmov r0, r1\nmov r0, r1\nend", "3:1 after-end"},
		{"endmain\nfunc 0\nwhileloop\nret\nendfunc\nfunc 1\nendif\nret\nend", "6:1 unbalanced; 8:1 unbalanced"},
		{"endmain\nfunc 0\nwhileloop\nfunc 0\nbreak\nret\nend", "5:1 unbalanced; 5:1 duplicate-function; 6:1 outside-loop"},
		{"call 1\nendmain\nfunc 0\ncall_logicalz r0.x, 2\nret\nendfunc\nend", "2:1 unknown-function; 5:1 unknown-function"},
	} {
		src := strings.TrimSuffix("il_cs_2_0\n"+c.src, "\n") + "\n"
		if c.src == "" {
			src = "il_cs_2_0\n\n"
		}
		_, err := Parse("", []byte(src))
		got := ""
		if err != nil {
			got = list(err)
		}
		if got != c.want {
			t.Errorf("%q gives\n  %s\nwant\n  %s", c.src, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"mov r0, l0\ndcl_literal l0, 0, 0, 0, 0\nend", ""}, // declared after use
		{"dcl_input_generic v3.xy__\ndcl_input_generic v3.__z_\nmov r0, v3\nend", ""},
		{"dcl_cb cb0[4]\nmov r0, cb0[5]\nmov r0, vaTid\nmov g[0], r0\nend", ""},
		{"dcl_odepth\nmov oDepth.x, r0\nend", ""},
		{"mov r0, l0\nmov o1, v2\nmov x0[cb1[2].x], vWinCoord0\nmov r0, icb[1]\nmov oDepth.x, r0\nend",
			"2:1 undeclared; 3:1 undeclared; 3:1 undeclared; 4:1 undeclared; 4:1 undeclared; 4:1 undeclared; 5:1 undeclared; 6:1 undeclared"},
		{"sample_resource(1)_sampler(0) r0, r1\nuav_raw_load_id(0) r0, r1.x\nlds_load_id(1) r0, r1.x\nend",
			"2:1 undeclared; 3:1 undeclared; 4:1 undeclared"},
		{"dcl_raw_uav_id(0)\ndcl_arena_uav_id(0)\ndcl_lds_id(0) 4\nend", ""},
		{strings.Repeat("dcl_resource_id(0)_type(2d)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\n", 2) + "end",
			"3:1 redeclared"},
		{"dcl_literal l0, 0, 0, 0, 0\ndcl_literal l0, 0, 0, 0, 0\ndcl_cb cb0[1]\ndcl_cb cb0[2]\nend",
			"3:1 redeclared; 5:1 redeclared"},
		{"call 0\nendmain\nfunc 0\ncall 1\nret\nfunc 1\ncall 2\ncall 2\nret\nfunc 2\nret\nend", ""},
		{"call 0\nendmain\nfunc 0\ncall 1\nret\nfunc 1\ncall 2\nret\nfunc 2\ncall 1\nret\nend", "4:1 recursion"},
		{"endmain\nfunc 0\ncall 0\nret\nend", "3:1 recursion"},
		{"dcl_num_thread_per_group 1024\nend", ""},
		{"dcl_num_thread_per_group 1025\nend", "2:1 group-size"},
		{"dcl_num_thread_per_group 16, 0\nend", "2:1 group-size"},
		{"dcl_num_thread_per_group 0x80000000, 0x80000000, 4\nend", "2:1 group-size"},
	} {
		k := parse(t, "il_cs_2_0\n"+c.src)
		got := ""
		if err := Check(k).Err(); err != nil {
			got = list(err)
		}
		if got != c.want {
			t.Errorf("%q gives\n  %s\nwant\n  %s", c.src, got, c.want)
		}
	}
	// An edit can break a correct block structure.
	k := parse(t, "il_cs_2_0\nwhileloop\nbreak\nendloop\nend")
	k.Insts = k.Insts[:2]
	if got := list(Check(k).Err()); got != "3:1 missing-end" {
		t.Errorf("the cut kernel gives %s", got)
	}
}
