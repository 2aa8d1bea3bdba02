package mutate

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
)

func program(t *testing.T, text string) *Subject {
	t.Helper()
	if il.Is([]byte(text)) {
		k, err := il.Parse("test", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return &Subject{Kernel: k}
	}
	p, err := d3d9.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if p.Model.Stage == d3d9.Vertex {
		return &Subject{Pair: Pair{Vertex: p}}
	}
	return &Subject{Pair: Pair{Pixel: p}}
}

const (
	ps3 = "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ndef c0, 1, 2, 3, 4\n"
	vs2 = "vs_2_0\ndcl_position v0\n"
	ilp = "il_ps_2_0\ndcl_input_generic_interp(linear) v0\ndcl_output_generic o0\ndcl_cb cb0[2]\ndcl_literal l0, 1, 2, 3, 4\n"
)

// counting counts trips from a number until the count has come to a constant.
func counting(from, exit, convert, test string) string {
	return ilp + "dcl_literal l1, " + from + ", 1, 0, 0\nmov r1.x, l1.x\nmov r0, v0\nwhileloop\n" + convert + " r2.x, r1.x\n" +
		test + " r2.x, r2.x, cb0[0].x\nbreak_logicalnz r2.x\n" + exit + "add r0, r0, v0\niadd r1.x, r1.x, l1.y\nendloop\nmov o0, r0\nend\n"
}

// What is shown to be equivalent is, and what is not the same program is not.
func TestEquivalent(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		want                bool
	}{
		{"a dead lane", ps3 + "mul r0, v0, c0\nmov oC0, r0.x\n", ps3 + "mul r0, v0.xzzz, c0\nmov oC0, r0.x\n", true},
		{"a live lane", ps3 + "mul r0, v0, c0\nmov oC0, r0.x\n", ps3 + "mul r0, v0.z, c0\nmov oC0, r0.x\n", false},
		{"statements in another order", ps3 + "add r0, v0, v0\nmul r1, v0, c0\nadd oC0, r0, r1\n", ps3 + "mul r1, v0, c0\nadd r0, v0, v0\nadd oC0, r1, r0\n", true},
		{"a minimum does not commute", ps3 + "min oC0, v0, c0\n", ps3 + "min oC0, c0, v0\n", false},
		{"a branch without effects", ps3 + "if_gt v0.x, v0.y\nmov r1, c0\nendif\nmov oC0, v0\n", ps3 + "if_lt v0.x, v0.y\nmov r1, c0\nendif\nmov oC0, v0\n", true},
		{"a branch with effects", ps3 + "mov r1, v0\nif_gt v0.x, v0.y\nmov r1, c0\nendif\nmov oC0, r1\n", ps3 + "mov r1, v0\nif_lt v0.x, v0.y\nmov r1, c0\nendif\nmov oC0, r1\n", false},
		{"a value that feeds itself alone", ps3 + "mov r1, c0\nrep i0\nadd r1, r1, v0\nendrep\nmov oC0, v0\n", ps3 + "mov r1, c0\nrep i1\nmul r1, r1, v0\nendrep\nmov oC0, v0\n", true},
		{"a value carried by a loop", ps3 + "mov r1, c0\nrep i0\nadd r1, r1, v0\nendrep\nmov oC0, r1\n", ps3 + "mov r1, c0\nrep i0\nmul r1, r1, v0\nendrep\nmov oC0, r1\n", false},
		{"another count", ps3 + "mov r1, c0\nrep i0\nadd r1, r1, v0\nendrep\nmov oC0, r1\n", ps3 + "mov r1, c0\nrep i1\nadd r1, r1, v0\nendrep\nmov oC0, r1\n", false},
		{"precision", ps3 + "mul oC0, v0, c0\n", ps3 + "mul_pp oC0, v0, c0\n", false},
		{"centroid", ps3 + "mov oC0, v0\n", "ps_3_0\ndcl_texcoord_centroid v0\nmov oC0, v0\n", false},
		{"a component that a fetch does not read", ps3 + "mov r0, v0\ntexld oC0, r0, s0\n", ps3 + "mov r0, v0.xyxx\ntexld oC0, r0, s0\n", true},
		{"a kill", ps3 + "texkill v0\nmov oC0, v0\n", ps3 + "mov oC0, v0\n", false},
		{"a definition", ps3 + "mov oC0, c0.x\n", "ps_3_0\ndcl_texcoord v0\ndef c0, 1, 2, 3, 5\nmov oC0, c0.x\n", true},
		{"a definition that is read", ps3 + "mov oC0, c0.w\n", "ps_3_0\ndcl_texcoord v0\ndef c0, 1, 2, 3, 5\nmov oC0, c0.w\n", false},

		{"what dst does not read", vs2 + "dst oPos, v0, c1\n", vs2 + "mov r1, v0\nmov r1.w, c0\nmov r2, c1\nmov r2.x, v0\ndst oPos, r1, r2\n", true},
		{"what dst reads", vs2 + "dst oPos, v0, c1\n", vs2 + "mov r1, v0\nmov r1.z, c0\ndst oPos, r1, c1\n", false},
		{"what crs does not read", ps3 + "crs r0.xy, v0, c1\nmov oC0, r0.xyxy\n", ps3 + "mov r1, v0\nmov r1.w, c0\ncrs r0.xy, r1, c1\nmov oC0, r0.xyxy\n", true},
		{"what crs reads", ps3 + "crs r0.xy, v0, c1\nmov oC0, r0.xyxy\n", ps3 + "mov r1, v0\nmov r1.x, c0\ncrs r0.xy, r1, c1\nmov oC0, r0.xyxy\n", false},
		{"a row of another component", ps3 + "m3x2 r0.xy, v0, c1\nmov oC0, r0.x\n", ps3 + "def c2, 1, 2, 3, 4\nm3x2 r0.xy, v0, c1\nmov oC0, r0.x\n", true},
		{"a row that is read", ps3 + "m3x2 r0.xy, v0, c1\nmov oC0, r0.y\n", ps3 + "def c2, 1, 2, 3, 4\nm3x2 r0.xy, v0, c1\nmov oC0, r0.y\n", false},

		{"a count of a shift", ilp + "ishl r0, v0, l0.x\nmov o0, r0\nend\n", ilp + "dcl_literal l1, 33, 0, 0, 0\nishl r0, v0, l1.x\nmov o0, r0\nend\n", true},
		{"an endless loop", ilp + "mov o0, v0\nend\n", ilp + "whileloop\nine r1.x, cb0[0].x, l0.x\nbreak_logicalnz r1.x\nendloop\nmov o0, v0\nend\n", false},
		{"stores in another order", ilp + "mov g[0], v0\nmov g[1], l0\nmov o0, v0\nend\n", ilp + "mov g[1], l0\nmov g[0], v0\nmov o0, v0\nend\n", false},
		{"undefined registers", ilp + "iadd o0, r5, r5\nend\n", ilp + "iadd o0, r5, r6\nend\n", false},
		{"a discard over a store", ilp + "mov g[0], v0\ndiscard_logicalnz v0.x\nmov o0, v0\nend\n", ilp + "discard_logicalnz v0.x\nmov g[0], v0\nmov o0, v0\nend\n", false},
		{"a transposition reads what it does not name", ilp + "mov r6, v0\ntranspose r0, r4\nmov o0, r0\nend\n", ilp + "mov r6, v0.y\ntranspose r0, r4\nmov o0, r0\nend\n", false},
		{"a counted loop without effects", ilp + "dcl_literal l2, 1, 1, 1, 1\nmov r1.x, l0.x\nwhileloop\niadd r1.x, r1.x, l2\nige r2.x, r1.x, cb0[0].x\nbreak_logicalnz r2.x\nendloop\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", false},
		{"a counted loop without effects, to a bound that stays", ilp + "dcl_literal l2, 1, 1, 1, 1\nmov r1.x, l0.x\nwhileloop\niadd r1.x, r1.x, l2.x\nige r2.x, r1.x, l0.w\nbreak_logicalnz r2.x\nendloop\nmov o0, v0\nend\n", ilp + "dcl_literal l2, 1, 1, 1, 1\nmov o0, v0\nend\n", true},
		{"dropped precision", ps3 + "mul_pp oC0, v0, c0\n", ps3 + "mul oC0, v0, c0\n", true},
		{"a branch that a literal decides", ilp + "mov r0, v0\nilt r1.x, l0.y, l0.x\nif_logicalnz r1.x\nmov r0, l0\nendif\nmov o0, r0\nend\n", ilp + "mov o0, v0\nend\n", true},
		{"a branch that a literal decides the other way", ilp + "mov r0, v0\nilt r1.x, l0.x, l0.y\nif_logicalnz r1.x\nmov r0, l0\nendif\nmov o0, r0\nend\n", ilp + "mov o0, v0\nend\n", false},
		{"a trip that is never made", ilp + "dcl_literal l2, 1, 4, 9, 0\nmov r1, l2.w\nmov r0, v0\nwhileloop\nige r2.x, r1.x, l2.y\nbreak_logicalnz r2.x\niadd r1.x, r1.x, l2.x\nadd r0, r0, v0\nendloop\nmov o0, r0\nend\n",
			ilp + "dcl_literal l2, 1, 4, 9, 0\nmov r1, l2.w\nmov r0, v0\nwhileloop\nige r2.x, r1.x, l2.y\nbreak_logicalnz r2.x\niadd r1.x, r1.x, l2.x\nadd r0, r0, v0\nige r2.x, r1.x, l2.z\nif_logicalnz r2.x\nmov r0, l0\nendif\nendloop\nmov o0, r0\nend\n", true},
		{"a trip that is made", ilp + "dcl_literal l2, 1, 4, 4, 0\nmov r1, l2.w\nmov r0, v0\nwhileloop\nige r2.x, r1.x, l2.y\nbreak_logicalnz r2.x\niadd r1.x, r1.x, l2.x\nadd r0, r0, v0\nendloop\nmov o0, r0\nend\n",
			ilp + "dcl_literal l2, 1, 4, 4, 0\nmov r1, l2.w\nmov r0, v0\nwhileloop\nige r2.x, r1.x, l2.y\nbreak_logicalnz r2.x\niadd r1.x, r1.x, l2.x\nadd r0, r0, v0\nige r2.x, r1.x, l2.z\nif_logicalnz r2.x\nmov r0, l0\nendif\nendloop\nmov o0, r0\nend\n", false},
		{"a value that a loop keeps", ps3 + "mov r0, c0\nmov r1, v0\nrep i0\nadd r1, r1, r0\nendrep\nmov oC0, r1\n", ps3 + "mov r0, c0\nmov r1, v0\nrep i0\nadd r1, r1, c0\nendrep\nmov oC0, r1\n", true},
		{"a value that a loop changes", ps3 + "mov r0, c0\nmov r1, v0\nrep i0\nadd r1, r1, r0\nmul r0, r0, v0\nendrep\nmov oC0, r1\n", ps3 + "mov r0, c0\nmov r1, v0\nrep i0\nadd r1, r1, c0\nmul r0, r0, v0\nendrep\nmov oC0, r1\n", false},
		{"what a loop sets where it makes no trip", ps3 + "mov r1, v0\nrep i0\nmov r1, c0\nendrep\nmov oC0, r1\n", ps3 + "mov r1, c0\nrep i0\nmov r1, c0\nendrep\nmov oC0, r1\n", false},
		{"the same after both sides", ps3 + "if_gt v0.x, v0.y\nmul r0, v0, c0\nelse\nmul r0, c0, v0\nendif\nmov oC0, r0\n", ps3 + "mul oC0, v0, c0\n", true},
		{"a fetch under another condition", ps3 + "if_gt v0.x, v0.y\ntexld r0, v0, s0\nelse\ntexld r0, v0, s0\nendif\nmov oC0, r0\n", ps3 + "texld oC0, v0, s0\n", false},
		{"a condition that was decided", ps3 + "mov r0, v0\nif_gt v0.x, v0.y\nif_lt v0.y, v0.x\nmov r0, c0\nendif\nendif\nmov oC0, r0\n", ps3 + "mov r0, v0\nif_gt v0.x, v0.y\nmov r0, c0\nendif\nmov oC0, r0\n", true},
		{"a condition that was decided for other operands", ps3 + "mov r0, v0\nif_gt v0.x, v0.y\nif_lt v0.y, v0.z\nmov r0, c0\nendif\nendif\nmov oC0, r0\n", ps3 + "mov r0, v0\nif_gt v0.x, v0.y\nmov r0, c0\nendif\nmov oC0, r0\n", false},
		{"not less is not at least", ps3 + "mov r0, v0\nif_lt v0.x, v0.y\nmov r0, c0\nendif\nmov oC0, r0\n", ps3 + "mov r0, c0\nif_ge v0.x, v0.y\nmov r0, v0\nendif\nmov oC0, r0\n", false},
		{"a kill of what is never negative", ps3 + "mul_sat r0, v0, c0\ntexkill r0\nmov oC0, v0\n", ps3 + "mov oC0, v0\n", true},
		{"a second kill", ps3 + "texkill v0\ntexkill v0\nmov oC0, v0\n", ps3 + "texkill v0\nmov oC0, v0\n", true},
		{"a kill of more", ps3 + "texkill v0\ntexkill c0\nmov oC0, v0\n", ps3 + "texkill v0\nmov oC0, v0\n", true},
		{"saturated twice", ps3 + "mul_sat r0, v0, c0\nmul_sat oC0, r0, r0\n", ps3 + "mul_sat r0, v0, c0\nmul oC0, r0, r0\n", true},
		{"saturated once", ps3 + "add_sat r0, v0, c0\nadd_sat oC0, r0, r0\n", ps3 + "add_sat r0, v0, c0\nadd oC0, r0, r0\n", false},
		{"a sign under a logarithm", ps3 + "log r0, v0.x\nrsq r1, -v0.y\nadd oC0, r0, r1\n", ps3 + "log r0, -v0.x\nrsq r1, v0_abs.y\nadd oC0, r0, r1\n", true},
		{"a sign of an exponent", ps3 + "pow oC0, v0.x, v0.y\n", ps3 + "pow oC0, v0.x, -v0.y\n", false},
		{"the larger of a number and zero", ilp + "ige r0, v0, l0.0000\niand o0, v0, r0\nend\n", ilp + "ilt r0, l0.0000, v0\niand o0, r0, v0\nend\n", true},
		{"the larger of others", ilp + "ige r0, v0, l0.0000\niand o0, v0, r0\nend\n", ilp + "ilt r0, l0.0000, v0.y\niand o0, r0, v0\nend\n", false},
		{"a case that cannot be", ilp + "mov r0, v0\niand r1.x, cb0[0].x, cb0[0].0\nswitch r1.x\ncase 1\nmov r0, l0\nbreak\nendswitch\nmov o0, r0\nend\n", ilp + "mov o0, v0\nend\n", true},
		{"a case that is another", ilp + "mov r0, v0\nswitch cb0[0].x\ncase 1\nieq r1.x, cb0[0].x, cb0[0].0\nif_logicalnz r1.x\nmov r0, l0\nendif\nbreak\nendswitch\nmov o0, r0\nend\n", ilp + "mov o0, v0\nend\n", true},
		{"a discard that a literal decides against", ilp + "mov o0, v0\nieq r0.x, l0.x, l0.y\ndiscard_logicalnz r0.x\nend\n", ilp + "mov o0, v0\nend\n", true},
		{"a discard that a literal decides for", ilp + "mov o0, v0\nieq r0.x, l0.x, l0.y\ndiscard_logicalz r0.x\nend\n", ilp + "mov o0, v0\nend\n", false},
		{"a discard by the opposite", ilp + "mov o0, v0\nilt r0.x, v0.x, v0.y\ndiscard_logicalnz r0.x\nend\n", ilp + "mov o0, v0\nige r0.x, v0.x, v0.y\ndiscard_logicalz r0.x\nend\n", true},
		{"a start that rep ignores", ps3 + "defi i0, 3, 0, 0, 0\nmov r1, v0\nrep i0\nadd r1, r1, r1\nendrep\nmov oC0, r1\n", ps3 + "defi i0, 3, 5, 7, 0\nmov r1, v0\nrep i0\nadd r1, r1, r1\nendrep\nmov oC0, r1\n", true},
		{"a predicate that was decided", ps3 + "setp_gt p0, v0.x, v0.y\nmov r0, v0\n(p0) mov r0, c0\nmov oC0, r0\n", ps3 + "setp_gt p0, v0.x, v0.y\nmov r0, c0\n(!p0) mov r0, v0\nmov oC0, r0\n", true},
		{"a case that falls through to the end", ilp + "mov r0, v0\nswitch cb0[0].x\ncase 1\nmov r0, l0\nbreak\ndefault\nbreak\nendswitch\nmov o0, r0\nend\n", ilp + "mov r0, v0\nswitch cb0[0].x\ncase 1\nmov r0, l0\nendswitch\nmov o0, r0\nend\n", true},
		{"a case that falls into another", ilp + "mov r0, v0\nswitch cb0[0].x\ncase 1\nmov r0, l0\nbreak\ncase 2\nmov r0, l0.y\nendswitch\nmov o0, r0\nend\n", ilp + "mov r0, v0\nswitch cb0[0].x\ncase 1\nmov r0, l0\ncase 2\nmov r0, l0.y\nendswitch\nmov o0, r0\nend\n", false},
		{"a return before what has no effect", ilp + "mov o0, v0\nret_logicalnz v0.x\nmov r0, l0\nend\n", ilp + "mov o0, v0\nmov r0, l0\nend\n", true},
		{"a return before what has one", ilp + "mov o0, v0\nret_logicalnz v0.x\nmov o0, l0\nend\n", ilp + "mov o0, v0\nmov o0, l0\nend\n", false},
		{"an element that another store cannot reach", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[0], v0\nmov x0[1], l0\nmov x0[v0.x].y, l0\nmov o0, x0[0].x\nend\n", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[1], l0\nmov x0[0], v0\nmov x0[v0.x].z, l0\nmov o0, x0[0].x\nend\n", true},
		{"an element that another store may reach", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[0], v0\nmov x0[v0.x].x, l0\nmov o0, x0[0].x\nend\n", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[v0.x].x, l0\nmov x0[0], v0\nmov o0, x0[0].x\nend\n", false},
		{"factors that are doubles", ilp + "dmul r0.xy, v0.xy, l0.xy\nmov o0, r0.xyxy\nend\n", ilp + "dmul r0.xy, l0.xy, v0.xy\nmov o0, r0.xyxy\nend\n", true},
		{"halves of a double", ilp + "dmul r0.xy, v0.xy, l0.xy\nmov o0, r0.xyxy\nend\n", ilp + "dmul r0.xy, v0.yx, l0.xy\nmov o0, r0.xyxy\nend\n", false},
		{"elements of an array", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[0], v0\nmov x0[1], l0\nadd o0, x0[0], x0[1]\nend\n", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[1], l0\nmov x0[0], v0\nadd o0, x0[0], x0[1]\nend\n", true},
		{"a sign", vs2 + "def c4, 0.5, -1, 0, 0\nsgn r0, c4, r1, r2\nmov oPos, r0\n", vs2 + "def c4, 0.25, -2, 0, 0\nsgn r0, c4, r1, r2\nmov oPos, r0\n", true},
		{"another sign", vs2 + "def c4, 0.5, -1, 0, 0\nsgn r0, c4, r1, r2\nmov oPos, r0\n", vs2 + "def c4, 0.5, -1, 1, 0\nsgn r0, c4, r1, r2\nmov oPos, r0\n", false},
		{"the sign of what may be zero", vs2 + "def c4, 1e-45, 0, 0, 0\nsgn r0, c4.x, r1, r2\nmov oPos, r0\n", vs2 + "def c4, 1, 0, 0, 0\nsgn r0, c4.x, r1, r2\nmov oPos, r0\n", false},
		{"a component that no index reads", vs2 + "def c6, 3, 2, 1, 3\nmova a0.x, v0.x\nmov oPos, c[a0.x+5].xyxy\n", vs2 + "def c6, 3, 2, 7, 3\nmova a0.x, v0.x\nmov oPos, c[a0.x+5].xyxy\n", true},
		{"a component that an index may read", vs2 + "def c6, 3, 2, 1, 3\nmova a0.x, v0.x\nmov oPos, c[a0.x+5].xyxz\n", vs2 + "def c6, 3, 2, 7, 3\nmova a0.x, v0.x\nmov oPos, c[a0.x+5].xyxz\n", false},
		{"a fraction of a comparison", vs2 + "slt r0, v0, c0\nfrc r1.xy, -r0\nmov oPos, r1.xyxy\n", vs2 + "sge r0, v0.y, c1\nfrc r1.xy, r0\nmov oPos, r1.xyxy\n", true},
		{"a fraction of a part of it", vs2 + "def c9, 0.5, 0, 0, 0\nslt r0, v0, c0\nmul r0, r0, c9.x\nfrc r1.xy, r0\nmov oPos, r1.xyxy\n", vs2 + "def c9, 0.5, 0, 0, 0\nsge r0, v0, c0\nmul r0, r0, c9.x\nfrc r1.xy, r0\nmov oPos, r1.xyxy\n", false},
		{"a number where it equals a literal", ps3 + "mov r0, v0\nif_eq v0.x, c0.y\nmov r0.x, c0.y\nendif\nmov oC0, r0\n", ps3 + "mov oC0, v0\n", true},
		{"a number where it equals another literal", ps3 + "mov r0, v0\nif_eq v0.x, c0.y\nmov r0.x, c0.z\nendif\nmov oC0, r0\n", ps3 + "mov oC0, v0\n", false},
		{"a number where it equals zero", ps3 + "def c9, 0, 0, 0, 0\nmov r0, v0\nif_eq v0.x, c9.y\nmov r0.x, c9.y\nendif\nmov oC0, r0\n", ps3 + "mov oC0, v0\n", false},
		{"another number where one equals a literal", ps3 + "mov r0, v0\nif_eq v0.y, c0.y\nmov r0.x, c0.y\nendif\nmov oC0, r0\n", ps3 + "mov oC0, v0\n", false},
		{"a loop of calls without effects", ps3 + "rep i0\ncall l0\nendrep\nmov oC0, v0\nret\nlabel l0\nadd r1, v0, v0\nret\n", ps3 + "rep i0\ncall l0\nendrep\nmov oC0, v0\nret\nlabel l0\nadd r1, v0, c0\nret\n", true},
		{"a loop of calls with effects", ps3 + "rep i0\ncall l0\nendrep\nmov oC0, r1\nret\nlabel l0\nadd r1, v0, v0\nret\n", ps3 + "mov oC0, r1\nret\n", false},

		{"an unsigned conversion of what has no sign", ilp + "utof o0, l0\nend\n", ilp + "itof o0, l0\nend\n", true},
		{"an unsigned conversion of what has one", ilp + "dcl_literal l1, -1, 1, 1, 1\nutof o0, l1\nend\n", ilp + "dcl_literal l1, -1, 1, 1, 1\nitof o0, l1\nend\n", false},
		{"a product with zero", ilp + "umul r0.x, cb0[0].x, l0.0\nmov r1, v0\nif_logicalnz r0.x\nmov r1, l0\nendif\nmov o0, r1\nend\n", ilp + "mov o0, v0\nend\n", true},
		{"a coordinate that equals itself", ilp + "ne r0.x, vWinCoord0.y, vWinCoord0.y\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", true},
		{"an input that may not equal itself", ilp + "ne r0.x, v0.y, v0.y\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", false},
		{"a product with one", ilp + "umul r0.x, cb0[0].x, l0.1\nmov r1, v0\nif_logicalnz r0.x\nmov r1, l0\nendif\nmov o0, r1\nend\n", ilp + "mov o0, v0\nend\n", false},
		{"a word and itself", ilp + "ior o0, v0, v0\nend\n", ilp + "imin o0, v0, v0\nend\n", true},
		{"a word and itself, exclusive", ilp + "ixor o0, v0, v0\nend\n", ilp + "mov o0, v0\nend\n", false},
		{"a comparison that equals no other word", ilp + "ilt r0.x, v0.x, cb0[0].x\nieq r0.x, r0.x, l0.y\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", true},
		{"a comparison that may equal all bits", ilp + "dcl_literal l1, -1, 0, 0, 0\nilt r0.x, v0.x, cb0[0].x\nieq r0.x, r0.x, l1.x\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", false},
		{"a range", ilp + "iand r0.x, v0.x, l0.z\nilt r0.x, l0.w, r0.x\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", true},
		{"a range that reaches further", ilp + "iand r0.x, v0.x, l0.z\nilt r0.x, l0.y, r0.x\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", false},
		{"a range with signs", ilp + "dcl_literal l1, 0xFFFFFFF0, -3, 0, 0\niand r0.x, v0.x, l1.x\nilt r0.x, l1.y, r0.x\ndiscard_logicalz r0.x\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", false},
		{"a choice between literals", ilp + "cmov_logical r0.x, v0.x, l0.y, l0.z\nilt r0.x, r0.x, l0.x\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", true},
		{"a choice between literals that matters", ilp + "cmov_logical r0.x, v0.x, l0.y, l0.z\nilt r0.x, r0.x, l0.z\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", false},
		{"half of a double that is moved over", ilp + "mov r0, v0\ndmov r0, r0.zwxy\nmov r0.__zw, l0\nmov o0, r0\nend\n", ilp + "mov r0, l0\nmov r0.__zw, v0\ndmov r0, r0.zwxy\nmov r0.__zw, l0\nmov o0, r0\nend\n", true},
		{"half of a double that is moved", ilp + "mov r0, v0\ndmov r0, r0.zwxy\nmov r0.__zw, l0\nmov o0, r0\nend\n", ilp + "mov r0, v0\nmov r0.__z_, l0\ndmov r0, r0.zwxy\nmov r0.__zw, l0\nmov o0, r0\nend\n", false},
		{"stores to elements in another order", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[0], v0\nmov x0[1], l0\nmov o0, x0[v0.x]\nend\n", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[1], l0\nmov x0[0], v0\nmov o0, x0[v0.x]\nend\n", true},
		{"stores to an element in another order", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[1], v0\nmov x0[1], l0\nmov o0, x0[v0.x]\nend\n", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[1], l0\nmov x0[1], v0\nmov o0, x0[v0.x]\nend\n", false},
		{"a store that another covers", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[1], v0\nmov x0[1], l0\nmov o0, x0[v0.x]\nend\n", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[1], l0\nmov o0, x0[v0.x]\nend\n", true},
		{"a store beyond the end", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[1], v0\ndcl_literal l1, 4, 0, 0, 0\nmov r0, l1\nmov x0[r0.x], l0\nmov o0, x0[v0.x]\nend\n", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[1], v0\nmov o0, x0[v0.x]\nend\n", true},
		{"a store to the end", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[1], v0\ndcl_literal l1, 3, 0, 0, 0\nmov r0, l1\nmov x0[r0.x], l0\nmov o0, x0[v0.x]\nend\n", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[1], v0\nmov o0, x0[v0.x]\nend\n", false},
		{"a conversion to an integer", ilp + "dcl_literal l1, -1.5, 0, 0, 0\nftoi r0.x, l1.x\nieq r0.x, r0.x, l0.x\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", true},
		{"a conversion of what is below zero", ilp + "dcl_literal l1, -1.5, 0, 0, 0\nftou r0.x, l1.x\nine r0.x, r0.x, l0.0\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", true},
		{"a conversion of what is below zero with its sign", ilp + "dcl_literal l1, -1.5, 0, 0, 0\nftoi r0.x, l1.x\nine r0.x, r0.x, l0.0\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", false},
		{"a product with zero that is added to", ilp + "imad o0, v0, l0.0, cb0[0]\nend\n", ilp + "iadd o0, l0.0, cb0[0]\nend\n", true},
		{"a product with zero that is added to another", ilp + "imad o0, v0, l0.0, cb0[0]\nend\n", ilp + "iadd o0, l0.0, cb0[1]\nend\n", false},
		{"a lane that is not stored", ilp + "dcl_raw_uav_id(1)\nuav_raw_store_id(1) mem.x, l0.x, v0\nmov o0, v0\nend\n", ilp + "dcl_raw_uav_id(1)\nmov r0, v0\nmov r0.y, l0.z\nuav_raw_store_id(1) mem.x, l0.x, r0\nmov o0, v0\nend\n", true},
		{"a lane that is stored", ilp + "dcl_raw_uav_id(1)\nuav_raw_store_id(1) mem.xy, l0.x, v0\nmov o0, v0\nend\n", ilp + "dcl_raw_uav_id(1)\nmov r0, v0\nmov r0.y, l0.z\nuav_raw_store_id(1) mem.xy, l0.x, r0\nmov o0, v0\nend\n", false},
		{"a source that is moved", ilp + "ge r0.x, l0.0_bias, l0.0\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", true},
		{"a source that is moved the other way", ilp + "ge r0.x, l0.0_invert, l0.0\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", false},
		{"a count, signed and not", counting("0", "", "itof", "ge"), counting("0", "", "utof", "ge"), true},
		{"a count from below zero", counting("-1", "", "itof", "ge"), counting("-1", "", "utof", "ge"), false},
		{"a count that does not end the loop", counting("0", "", "itof", "ne"), counting("0", "", "utof", "ne"), false},
		{"a count with another way out", counting("0", "break_logicalnz v0.y\n", "itof", "ge"), counting("0", "break_logicalnz v0.y\n", "utof", "ge"), false},
		{"a store that another covers in part", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[1], v0\nmov x0[1].xyz_, l0\nmov o0, x0[v0.x]\nend\n", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[1].xyz_, l0\nmov o0, x0[v0.x]\nend\n", false},
	} {
		if got := Equivalent(program(t, c.before), program(t, c.after)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// Over the reals sums and products are polynomials, in which no infinity vanishes.
func TestEquivalentOverReals(t *testing.T) {
	const head = "ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\ndef c0, 0, 1, 0.5, -2\n"
	const ilq = "il_ps_2_0\ndcl_input_generic_interp(linear) v0\ndcl_output_generic o0\ndcl_cb cb0[2]\ndcl_literal l0, 0x00000000, 0x3f800000, 0x7f800000, 0x7fc00000\n"
	for _, c := range []struct {
		name, before, after string
		want                bool
	}{
		{"products in another order", head + "mul r0, v0, v1\nmul oC0, r0, c1\n", head + "mul r0, c1, v1\nmul oC0, r0, v0\n", true},
		{"sums in another order", head + "add r0, v0, v1\nadd oC0, r0, -c1\n", head + "add r0, -c1, v1\nadd oC0, r0, v0\n", true},
		{"a factor of zero", head + "mul r0, v0, c0.x\nmad oC0, r0, v1, v1\n", head + "mov oC0, v1\n", true},
		{"a negative size, saturated", head + "mov_sat r0, -v0_abs\nmul oC0, r0, c1\n", head + "mov oC0, c0.x\n", true},
		{"multiplied out", head + "add r0, v0, v1\nmul oC0, r0, r0\n", head + "mul r0, v0, v0\nmad r0, v1, v1, r0\nmul r1, v0, v1\nadd r1, r1, r1\nadd oC0, r0, r1\n", true},
		{"not multiplied out", head + "add r0, v0, v1\nmul oC0, r0, r0\n", head + "mul r0, v0, v0\nmad r0, v1, v1, r0\nmul r1, v0, v1\nadd oC0, r0, r1\n", false},
		{"a dot product", head + "dp3 r0, v0, v1\nmov oC0, r0\n", head + "mul r0, v0, v1\nadd r1, r0.x, r0.z\nadd oC0, r1, r0.y\n", true},
		{"interpolated", head + "lrp oC0, v0.x, v1, c1\n", head + "add r0, v1, -c1\nmad oC0, v0.x, r0, c1\n", true},
		{"interpolated the other way", head + "lrp oC0, v0.x, v1, c1\n", head + "lrp oC0, v0.x, c1, v1\n", false},
		{"a literal that is rounded", head + "def c2, 0.1, 0.3, 0, 0\nmul r0, v0, c2.x\nmad oC0, v0, c2.x, r0\n", head + "def c2, 0.2, 0.3, 0, 0\nmul oC0, v0, c2.x\n", true},
		{"a literal next to it", head + "def c2, 0.1, 0.3, 0, 0\nmul r0, v0, c2.x\nmad oC0, v0, c2.x, r0\n", head + "def c2, 0.20000002, 0.3, 0, 0\nmul oC0, v0, c2.x\n", false},
		{"an infinity times zero", head + "mov oC0, v1\n", head + "rcp r0, c0.x\nmad oC0, r0.x, c0.x, v1\n", false},
		{"an infinity less itself", head + "mov oC0, v1\n", head + "rcp r0, c0.x\nadd r0, r0, -r0\nadd oC0, r0, v1\n", false},
		{"what overflows times zero", head + "mov oC0, v1\n", head + "def c2, 3e38, 0, 0, 0\nadd r0, c2.x, c2.x\nmad oC0, r0.x, c0.x, v1\n", false},
		{"a literal infinity", ilq + "mov o0, v0\nend\n", ilq + "mad o0, l0.z, l0.x, v0\nend\n", false},
		{"a quotient by zero", ilq + "mov o0, v0\nend\n", ilq + "div r0, v0, l0.x\nmad o0, r0, l0.x, v0\nend\n", false},
		{"integers", ilq + "iadd r0, v0, cb0[0]\nmul o0, r0, l0.y\nend\n", ilq + "iadd r0, cb0[0], v0\nmov o0, r0\nend\n", true},
		{"integers that are not the same", ilq + "iadd r0, v0, cb0[0]\nmul o0, r0, l0.y\nend\n", ilq + "add r0, cb0[0], v0\nmov o0, r0\nend\n", false},
		{"the sign of a zero", head + "mov oC0, c0.x\n", head + "mov oC0, -c0.x\n", true},
		{"the sign of a one", head + "mov oC0, c0.y\n", head + "mov oC0, -c0.y\n", false},
		{"the sign of a zero that is chosen", head + "cmp oC0, v0, c0.x, v1\n", head + "cmp oC0, v0, -c0.x, v1\n", true},
		{"a comparison of what is constant", head + "def c2, 0.1, 0.3, 0, 0\nmul r0.x, c2.x, c2.x\ncmp oC0, -r0.x, c1, v1\n", head + "mov oC0, v1\n", true},
		{"a comparison the other way", head + "def c2, 0.1, 0.3, 0, 0\nmul r0.x, c2.x, c2.x\ncmp oC0, r0.x, c1, v1\n", head + "mov oC0, v1\n", false},
		{"a kill of a multiple", head + "mul r0, v0, c0.z\nadd r0, r0, v1\ntexkill r0\nmov oC0, v0\n", head + "mad r0, v1, -c0.w, v0\ntexkill r0\nmov oC0, v0\n", true},
		{"a kill of a multiple less than zero", head + "mul r0, v0, c0.z\nadd r0, r0, v1\ntexkill r0\nmov oC0, v0\n", head + "mad r0, v1, c0.w, -v0\ntexkill r0\nmov oC0, v0\n", false},
		{"a comparison of multiples", head + "mul r0, v0, c0.z\nadd r0, r0, -v1\nif_gt v0.x, r0.x\nmov oC0, v0\nelse\nmov oC0, v1\nendif\n", head + "mad r0, v1, -c0.w, v0\nif_gt r0.x, c0.x\nmov oC0, v0\nelse\nmov oC0, v1\nendif\n", true},
		{"a comparison of multiples, equal to", head + "mul r0, v0, c0.z\nadd r0, r0, -v1\nif_gt v0.x, r0.x\nmov oC0, v0\nelse\nmov oC0, v1\nendif\n", head + "mad r0, v1, -c0.w, v0\nif_ge r0.x, c0.x\nmov oC0, v0\nelse\nmov oC0, v1\nendif\n", false},
		{"one over a root", head + "rcp r0.x, v0.x\nrsq oC0, r0.x\n", head + "rsq r0.x, v0.x\nrcp oC0, r0.x\n", true},
		{"one over a root of another", head + "rcp r0.x, v0.x\nrsq oC0, r0.x\n", head + "rsq oC0, v0.x\n", false},
		{"a number that equals itself", ilq + "ne r0.x, v0.x, v0.x\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilq + "mov o0, v0\nend\n", true},
		{"what is none and does not", ilq + "ne r0.x, l0.w, l0.w\ndiscard_logicalnz r0.x\nmov o0, v0\nend\n", ilq + "mov o0, v0\nend\n", false},
	} {
		for _, p := range [][2]string{{c.before, c.after}, {c.after, c.before}} {
			if got := EquivalentOverReals(program(t, p[0]), program(t, p[1])); got != c.want {
				t.Errorf("%s: %v", c.name, got)
			}
		}
	}
}

// A varying that is the same number at every vertex arrives as that number, over the reals.
func TestEquivalentConstantVarying(t *testing.T) {
	const vs, ps = "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\ndcl_color o2\ndef c0, 1, 0.5, 2, 3\nmov o0, v0\n", "ps_3_0\ndcl_texcoord v0\ndcl_color v1\n"
	for _, c := range []struct {
		name         string
		write, other string // of the vertex program
		read         string
		want         bool
	}{
		{"of which the sign matters", "mov o1, c0.x\n", "mov o1, c0.y\n", "cmp oC0, v0, c1, c2\n", true},
		{"of which the value matters", "mov o1, c0.x\n", "mov o1, c0.y\n", "mul oC0, v0, c1\n", false},
		{"that is none", "mov o1, c0.x\n", "mov o1, v0\n", "cmp oC0, v0, c1, c2\n", false},
		{"a colour", "mov o2, c0.x\n", "mov o2, c0.y\n", "cmp oC0, v1, c1, c2\n", true},
		{"a colour that is clamped", "mov o2, c0.z\n", "mov o2, c0.w\n", "cmp oC0, v1, c1, c2\n", false},
		{"that an index may choose", "mov o1, c0.x\n", "mov o1, c0.y\n", "loop aL, i0\nmov r0, v[aL]\nendloop\nmov oC0, r0\n", false},
	} {
		pair := func(write string) *Subject {
			s := program(t, ps+c.read)
			s.Pair.Vertex = program(t, vs+write).Pair.Vertex
			return s
		}
		if Equivalent(pair(c.write), pair(c.other)) {
			t.Errorf("%s: bit for bit", c.name)
		}
		if got := EquivalentOverReals(pair(c.write), pair(c.other)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// Varyings that are given the same arrive as the same, however the pixel program calls them.
func TestEquivalentSameVaryings(t *testing.T) {
	const vs, ps = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\ndcl_texcoord1 o2\ndcl_color o3\nmov o0, v0\n", "ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\ndcl_color v2\ndcl_texcoord2_centroid v3\n"
	for _, c := range []struct {
		name, write, read, other string
		want                     bool
	}{
		{"the same", "mov o1, v1\nmov r0, v1\nmov o2, r0\n", "mov oC0, v0\n", "mov oC0, v1\n", true},
		{"another component", "mov o1, v1\nmov o2, v1.yxzw\n", "mov oC0, v0\n", "mov oC0, v1\n", false},
		{"the same on both paths", "if b0\nmov o1, v1\nmov o2, v1\nelse\nmov o1, v0\nmov o2, v0\nendif\n", "mov oC0, v0\n", "mov oC0, v1\n", true},
		{"the same on one path", "if b0\nmov o1, v1\nmov o2, v1\nelse\nmov o1, v0\nmov o2, v1\nendif\n", "mov oC0, v0\n", "mov oC0, v1\n", false},
		{"the same on the other path", "if b0\nmov o1, v0\nmov o2, v1\nelse\nmov o1, v1\nmov o2, v1\nendif\n", "mov oC0, v0\n", "mov oC0, v1\n", false},
		{"a colour", "mov o1, v1\nmov o3, v1\n", "mov oC0, v0\n", "mov oC0, v2\n", false},
	} {
		pair := func(read string) *Subject {
			s := program(t, ps+read)
			s.Pair.Vertex = program(t, vs+c.write).Pair.Vertex
			return s
		}
		if got := Equivalent(pair(c.read), pair(c.other)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
