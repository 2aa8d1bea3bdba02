package placement_test

import (
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/placement"
	"github.com/shaderlift/shaderlift/vsps"
)

func TestSinkFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{cleanup.Leaves, placement.Sink}, "../../testdata/passes/sink")
}

// order runs the pass, where it pays or does not, and lists the lines of the reordered instructions. It omits
// reads of indexed constants.
func order(t *testing.T, src string, pays bool) (lines []int) {
	t.Helper()
	p, err := d3d9.Parse("test", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if err := d3d9.Validate(p).Err(); err != nil {
		t.Fatal(err)
	}
	f, err := vsps.Lift(p)
	if err != nil {
		t.Fatal(err)
	}
	u := &passes.Unit{Pixel: f}
	if p.Model.Stage == d3d9.Vertex {
		u.Vertex, u.Pixel = f, nil
	}
	price := 10
	c := &passes.Ctx{Pass: placement.Sink, Measure: func(*passes.Unit) (passes.Cost, error) {
		if pays {
			price--
		}
		return passes.Cost{price}, nil
	}}
	if err := placement.Sink.Run(c, u); err != nil {
		t.Fatal(err)
	}
	f = u.Funcs()[0]
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	f.Walk(func(in *ir.Instr) {
		if in.Op != ir.OpLoad {
			lines = append(lines, in.Pos.Line)
		}
	})
	return lines
}

const (
	ps = "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\n" // the code starts in line 4
	vs = "vs_2_0\ndcl_position v0\nmov oPos, v0\n"
)

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []int
	}{
		{"to the first use", ps + "add r0, v0, c0\nadd r1, v0, c1\ntexld r0, r0, s0\ntexld r1, r1, s0\nmul oC0, r0, r1\n",
			[]int{4, 6, 5, 7, 8}},
		{"a chain goes together", ps + "add r0, v0, c0\nmul r0, r0, c1\nmul r1, v0, c2\ntexld r1, r1, s0\nmad oC0, r0, r1, r1\n",
			[]int{6, 7, 4, 5, 8}},
		{"before the construct that reads it",
			ps + "add r0, v0, c0\ntexld r1, v0, s0\nif_gt v0.x, c0.x\nmul r1, r1, r0\nendif\nmov oC0, r1\n",
			[]int{5, 4, 6, 7, 9}},
		{"inside a branch", ps + "texld r1, v0, s0\nif_gt v0.x, c0.x\nadd r0, v0, c0\ntexldl r2, v0, s0\nmad r1, r1, r0, r2\nendif\nmov oC0, r1\n",
			[]int{4, 5, 7, 6, 8, 10}},

		{"at its place", ps + "add r0, v0, c0\nmul oC0, r0, v0\n", []int{4, 5}},
		{"fetches stay", ps + "texld r0, v0, s0\ntexld r1, v0.wzyx, s0\nmul r1, r1, r1\nmul oC0, r0, r1\n",
			[]int{4, 5, 6, 7}},
		{"effects stay", ps + "texkill v0\nadd r0, v0, c0\nmul oC0, r0, v0\n", []int{4, 5, 6}},
		{"gradients stay", ps + "dsx r0, v0\ntexld r1, v0, s0\nmul oC0, r0, r1\n", []int{4, 5, 6}},
		{"predicated writes stay", ps + "setp_gt p0, v0, c0\nmov r0, c0\n(p0) mov r0, v0\ntexld r1, v0, s0\nmul oC0, r0, r1\n", []int{4, 5, 6, 7, 8}},
		{"block arguments of a branch stay", ps +
			"texld r0, v0, s0\nif_gt v0.x, c0.x\nadd r0, v0, c0\ntexldl r1, v0, s0\nmov oC1, r1\nendif\nmov oC0, r0\nmov oC1, c0\n",
			[]int{4, 5, 6, 7, 8, 10, 11}},
		{"two values would live longer for one",
			ps + "texld r0, v0, s0\ntexld r1, v0.wzyx, s0\ndp2add r2.x, r0, r1, r1.x\ntexld r1, v0.yxzw, s0\nmul oC0, r1, r2.x\n",
			[]int{4, 5, 6, 7, 8}},
		{"addresses stay", vs + "mova a0.x, v0.x\nmul r1, v0, c0\nmul oT0, r1, c1\nadd oT1, r1, c[a0.x]\n",
			[]int{3, 4, 5, 6, 7}},
		{"readers of indexed constants stay", vs +
			"mova a0.x, v0.x\nadd r0, v0, c[a0.x]\nmul r1, v0, c0\nmul oT0, r1, c1\nmul oT1, r0, c2\n", []int{3, 4, 5, 6, 7, 8}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := order(t, c.src, true); !slices.Equal(got, c.want) {
				t.Errorf("order %v, want %v", got, c.want)
			}
			if old := order(t, c.src, false); !slices.IsSorted(old) {
				t.Errorf("order %v although that does not pay", old)
			}
		})
	}
}
