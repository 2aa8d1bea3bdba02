package il

import (
	"bytes"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"math/rand/v2"
	"strings"
	"testing"
)

// seeds are kernels that together use every form of the language.
var seeds = []string{
	"dx11_ps\nil_ps_2_0_mp\ndcl_global_flags refactoringAllowed|forceEarlyDepthStencil\ndcl_input_generic_interp(linear) v1.xy__\ndcl_input_usage(color)_interp(constant) v2\n" +
		"dcl_output_generic o0\ndcl_cb cb0[8] ; c\ndcl_indexed_temp_array x0[4]\ndcl_literal l0, 0x3F800000, -1, 2.5f, 1e-3\nmad_ieee_sat r0.xy__, v1.xyxx_neg(xy)_abs, cb0[r1.x+2], l0.01x\n" +
		"mov x0[1].0y, x0[x0[r1.w].y + 3]_bx2\nmul_x2_sat r0_d4.x_z, r1_invert, r2_divComp(w)\nret_dyn\nend;\n",
	"il_cs_2_0\r\ndcl_num_thread_per_group 64,1\r\ndcl_raw_uav_id(11)\r\ndcl_lds_id(1) 64\r\nuav_raw_load_id(11)_cached r0,vaTid.x\r\nuav_raw_store_id(11) mem.xy,r0.x,r1\r\n" +
		"lds_read_add_id(1) r0, r1.x, r2.x\r\nfence_threads_lds\r\nwhileloop\r\nbreakc_relop(ge) r0.x, r1.x\r\ncontinue_logicalnz r0.y\r\nendloop\r\ncall 7\r\nendmain\r\nfunc 7\r\nret\r\nendfunc\r\nend",
	"il_ps_2_0\n\tdcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\nsample_resource(0)_sampler(0)_aoffimmi(1,0.5,-1) r0.x_00, vWinCoord0.xy\n" +
		"switch r0.x\ncase 0x1\nbreak\ndefault\nif_logicalz r0.y\nelse\nendif\nendswitch\ndiv_zeroop(infinity) r0.yzw, r0.xy, r1.1\ndmad_ r0\nmov g[r1.x+3], o0\nend",
	"il_ps_2_0\ndiv_zeroop(infinity)_sat r0, r1, r2_x2_bias\ndcl_lds_sharing_mode _wavefrontRel\nlds_write_vec_lOffset(4) mem.xyz, r0\nmad_prec(xz) r0.1111, r1, r2, r3\nfetch4_resource(1)_sampler(2)_compselect(w) r0, r1\nend\n",
}

// check checks the guarantees of Parse and Print on a text. A text that parses prints unchanged,
// has the same meaning in canonical form, and the canonical form is a fixed point.
func check(t *testing.T, src []byte) {
	k, err := Parse("fuzz", src)
	if err != nil {
		return
	}
	if !IsKernel(src) {
		t.Fatalf("%q parses, but is not taken for IL", src)
	}
	if got := Print(k); !bytes.Equal(got, src) {
		t.Fatalf("%q prints as %q", src, got)
	}
	text := Print(stripped(k))
	again, err := Parse("fuzz", text)
	if err != nil {
		t.Fatalf("%q is %q in canonical form: %v", src, text, err)
	}
	sameKernel(t, "canonical", again, k)
	if got := Print(stripped(again)); !bytes.Equal(got, text) {
		t.Fatalf("%q is %q in canonical form, but that is %q", src, text, got)
	}
	Check(k)
	for i := range k.Insts {
		for s := range k.Insts[i].Sources() {
			k.Insts[i].Reads(s)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(check)
}

// TestDamaged checks that ten thousand damaged kernels, truncated or with changed bits and
// characters, are refused or satisfy the guarantees.
func TestDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2008))
	var texts [][]byte
	for _, s := range seeds {
		texts = append(texts, []byte(s))
	}
	if len(testcorpus.GlobOptional(t, "corpus/il")) > 0 {
		files := corpusFiles(t)
		for range 6 {
			if data := readFile(t, files[rng.IntN(len(files))]); len(data) < 8<<10 {
				texts = append(texts, data)
			}
		}
	}
	for range 10000 {
		text := bytes.Clone(texts[rng.IntN(len(texts))])
		switch rng.IntN(4) {
		case 0:
			text = text[:rng.IntN(len(text)+1)]
		case 1:
			text[rng.IntN(len(text))] ^= 1 << rng.IntN(8)
		default: // prefer characters of the language
			text[rng.IntN(len(text))] = "rlvcoxyzw0123.,_[]()+- \n;"[rng.IntN(25)]
		}
		check(t, text)
	}
}

// TestHugeInputs checks that the work is linear in the input and the stack does not grow: half a
// million tokens of each construct that could nest or repeat.
func TestHugeInputs(t *testing.T) {
	repeat := strings.Repeat
	for name, src := range map[string]string{
		"ifs":       repeat("if_logicalz r0.x\n", 1<<17) + repeat("endif\n", 1<<17) + "end",
		"loops":     repeat("whileloop\n", 1<<18) + "end",
		"cases":     "switch r0.x\n" + repeat("case 1\n", 1<<17),
		"functions": "endmain\n" + repeat("func 1\nret\n", 1<<17) + "end",
		"indices":   "mov r0, " + repeat("cb0[", 1<<18),
		"suffixes":  "mul" + repeat("_sat", 1<<18) + " r0, r1, r2",
		"fences":    "fence" + repeat("_lds", 1<<18),
		"modifiers": "mov r0, r1" + repeat("_abs", 1<<18),
		"word":      "mov " + repeat("r", 1<<20),
		"mnemonic":  repeat("a_", 1<<19),
		"arguments": "div_zeroop(" + repeat("1,", 1<<19),
		"digits":    "dcl_literal l0, " + repeat("1", 1<<20),
		"mask":      "mov r0." + repeat("_", 1<<20),
		"blanks":    repeat(" ", 1<<20) + "\nend",
		"comments":  repeat(";;\n", 1<<18) + "end",
		"flags":     "dcl_global_flags " + repeat("refactoringAllowed|", 1<<16),
		"errors":    repeat("?\n", 1<<18),
	} {
		t.Run(name, func(t *testing.T) { check(t, []byte("il_cs_2_0\n"+src)) })
	}
}
