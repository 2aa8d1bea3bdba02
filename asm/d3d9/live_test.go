package d3d9_test

import (
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

func TestLive(t *testing.T) {
	const head = "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\n"
	for _, c := range []struct {
		name, src string
		want      []int // after each statement, starting after the declarations
	}{
		{"straight", head + "texld r0, v0, s0\nmul r1.xy, r0, c0\nadd r1.zw, r0, r1.xyxy\nmov oC0, r1\n", []int{4, 4, 4, 0}},
		{"partly overwritten", head + "mov r0, v0\nmul r0.x, r0.y, c0.x\nmov oC0, r0\n", []int{3, 4, 0}},
		{"a predicate keeps what was there", head + "mov r0, v0\nsetp_gt p0, r0, c0\n(p0) mov r0, c1\nmov oC0, r0\n",
			[]int{4, 4, 4, 0}},
		{"two sides", head + "mov r0, v0\nif_gt r0.x, c0.x\nmov r1, r0.y\nelse\nmov r1, r0.z\nendif\nmov oC0, r1\n",
			[]int{3, 2, 4, 4, 4, 4, 0}},
		{"round a loop", head + "mov r0, v0\nmov r1, c0\nrep i0\nmul r1, r1, r0.x\nendrep\nmov oC0, r1\n",
			[]int{1, 5, 5, 5, 5, 0}},
		{"out of a loop", head + "mov r0, v0\nrep i0\nbreak_gt r0.x, c0.x\nmov r0, c1\nendrep\nmov oC0, r0\n",
			[]int{4, 4, 4, 4, 4, 0}},
		{"a kill", head + "mov r0, v0\ntexkill r0\nmov oC0, c0\n", []int{4, 0, 0}},
		{"a matrix is not in temporaries, a projected coordinate is",
			"ps_2_0\ndcl t0\ndcl_2d s0\nmul r0, t0, c0\ntexldp r0, r0, s0\nmov oC0, r0\n", []int{3, 4, 0}},
		{"a subroutine", "vs_2_0\ndcl_position v0\ncall l0\nmov oPos, r0\nret\nlabel l0\nmov r1, v0\nadd r0, r1, c0\nret\n",
			[]int{4, 0, 0, 0, 4, 4, 4}},
	} {
		p, err := d3d9.Parse("test", []byte(c.src))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		live := d3d9.LiveComponents(p)
		var got []int
		for i := range p.Insts {
			if k := p.Insts[i].Op.Kind(); k != d3d9.Declaration && k != d3d9.Trivia {
				got = append(got, live[i])
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, not %v", c.name, got, c.want)
		}
	}
}
