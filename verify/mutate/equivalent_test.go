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
	ilp = "il_ps_2_0\ndcl_input_generic_interp(linear) v0\ndcl_output_generic o0\ndcl_cb cb0[2]\ndcl_literal l0, 1, 2, 3, 4\n"
)

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

		{"a count of a shift", ilp + "ishl r0, v0, l0.x\nmov o0, r0\nend\n", ilp + "dcl_literal l1, 33, 0, 0, 0\nishl r0, v0, l1.x\nmov o0, r0\nend\n", true},
		{"an endless loop", ilp + "mov o0, v0\nend\n", ilp + "whileloop\nine r1.x, cb0[0].x, l0.x\nbreak_logicalnz r1.x\nendloop\nmov o0, v0\nend\n", false},
		{"stores in another order", ilp + "mov g[0], v0\nmov g[1], l0\nmov o0, v0\nend\n", ilp + "mov g[1], l0\nmov g[0], v0\nmov o0, v0\nend\n", false},
		{"undefined registers", ilp + "iadd o0, r5, r5\nend\n", ilp + "iadd o0, r5, r6\nend\n", false},
		{"a discard over a store", ilp + "mov g[0], v0\ndiscard_logicalnz v0.x\nmov o0, v0\nend\n", ilp + "discard_logicalnz v0.x\nmov g[0], v0\nmov o0, v0\nend\n", false},
		{"a transposition reads what it does not name", ilp + "mov r6, v0\ntranspose r0, r4\nmov o0, r0\nend\n", ilp + "mov r6, v0.x\ntranspose r0, r4\nmov o0, r0\nend\n", false},
		{"a counted loop without effects", ilp + "dcl_literal l2, 1, 1, 1, 1\nmov r1.x, l0.x\nwhileloop\niadd r1.x, r1.x, l2\nige r2.x, r1.x, cb0[0].x\nbreak_logicalnz r2.x\nendloop\nmov o0, v0\nend\n", ilp + "mov o0, v0\nend\n", false},
		{"a counted loop without effects, to a bound that stays", ilp + "dcl_literal l2, 1, 1, 1, 1\nmov r1.x, l0.x\nwhileloop\niadd r1.x, r1.x, l2.x\nige r2.x, r1.x, l0.w\nbreak_logicalnz r2.x\nendloop\nmov o0, v0\nend\n", ilp + "dcl_literal l2, 1, 1, 1, 1\nmov o0, v0\nend\n", true},
		{"dropped precision", ps3 + "mul_pp oC0, v0, c0\n", ps3 + "mul oC0, v0, c0\n", true},
		{"elements of an array", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[0], v0\nmov x0[1], l0\nadd o0, x0[0], x0[1]\nend\n", ilp + "dcl_indexed_temp_array x0[4]\nmov x0[1], l0\nmov x0[0], v0\nadd o0, x0[0], x0[1]\nend\n", true},
	} {
		if got := Equivalent(program(t, c.before), program(t, c.after)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
