package interp

import (
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
)

// TestWorkers draws overlapping triangles with different numbers of machines. The pictures must be equal,
// and also the errors when steps are exhausted.
func TestWorkers(t *testing.T) {
	vs := mustCompile(t, mustParse(t, "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov o1, v1\n"))
	ps := mustCompile(t, mustParse(t, `ps_3_0
def c0, 0.5, 0, 0, 0
defi i0, 9, 0, 0, 0
dcl_texcoord v0
add r1, v0, -c0.x
texkill r1
mov r0, v0
rep i0
mad r0, r0, r0, v0
break_gt r0.x, v0.y
endrep
mov oC0, r0
mov oC1, v0
mov oDepth, r0.x
`))
	r := rand.New(rand.NewPCG(7, 8))
	c := &Case{Width: 200, Height: 150, Prim: List}
	position, coord := Attr{Usage: d3d9.UsagePosition, Comps: 4}, Attr{Usage: d3d9.UsageTexCoord, Comps: 4}
	for range 90 {
		position.Data = append(position.Data, r.Float32()*2-1, r.Float32()*2-1, r.Float32(), 1)
		coord.Data = append(coord.Data, r.Float32()+0.4, r.Float32()+0.4, r.Float32()+0.4, r.Float32()+0.4)
	}
	c.Attrs = []Attr{position, coord}
	draw := func(workers, steps int) (*Image, int64, error) {
		work := budget.New(t.Context(), 1<<40, 1<<40)
		img, err := drawWithin(vs, ps, c, Numerics{}, bounds{steps: steps, budget: work, workers: workers})
		return img, work.StepsLeft(), err
	}
	want, left, err := draw(1, runSteps)
	if err != nil {
		t.Fatal(err)
	}
	for workers := 2; workers < 6; workers++ {
		img, rest, err := draw(workers, runSteps)
		if err != nil {
			t.Fatal(err)
		}
		if d := imageDifference(want, img); d != "" || rest != left {
			t.Errorf("%d machines: %s, %d steps left, not %d", workers, d, rest, left)
		}
	}
	for _, steps := range []int{100, 1001, 5003} {
		_, _, want := draw(1, steps)
		for workers := 2; workers < 4; workers++ {
			if _, _, err := draw(workers, steps); want == nil || err == nil || err.Error() != want.Error() {
				t.Errorf("%d machines, %d steps: %v, not %v", workers, steps, err, want)
			}
		}
	}
}
