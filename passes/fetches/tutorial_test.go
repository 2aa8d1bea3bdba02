package fetches_test

import (
	"math"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/fetches"
	"github.com/shaderlift/shaderlift/unroll"
)

// tile is a fetch of the tutorial's product: the resource, and the trip of the unrolled loop that it belongs
// to.
type tile struct {
	unit uint8
	trip float32
}

// tiles lists the fetches of the first loop of a kernel, in order.
func tiles(t *testing.T, k *il.Kernel) (list []tile) {
	t.Helper()
	f, err := amdil.Lift(k)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range f.Body.Code {
		if in.Op != ir.OpLoop {
			continue
		}
		in.Sub[0].Walk(func(in *ir.Instr) {
			if in.Op == ir.OpFetch {
				list = append(list, tile{in.Res.Unit, added(in.Src[0][0].V) + added(in.Src[0][1].V)})
			}
		})
		return list
	}
	return nil
}

// added returns the literal that is added to a coordinate; the other coordinate has none.
func added(v *ir.Value) (sum float32) {
	for d := v.Def; d != nil && (d.Op == ir.OpAdd || d.Op == ir.OpMov); d = v.Def {
		l := v.Lane
		v = d.Src[0][l].V
		if d.Op == ir.OpAdd {
			sum += math.Float32frombits(copied(d.Src[1][l].V).Bits)
		}
	}
	return sum
}

// copied returns the source of the copy v.
func copied(v *ir.Value) *ir.Value {
	for v.Def != nil && v.Def.Op == ir.OpMov {
		v = v.Def.Src[0][v.Lane].V
	}
	return v
}

// rewrite runs a pipeline over k.
func rewrite(t testing.TB, k *il.Kernel, pipeline string) *il.Kernel {
	t.Helper()
	out, _ := passtest.Rewrite(t, k, pipeline, []*passes.Pass{unroll.Unroll, unroll.BreakDeps, fetches.Group},
		passes.Real)
	return out
}

// The order of the tutorial's last, handwritten version: all of B for four trips, then all of A, each
// resource along its row.
func TestTutorialFinal(t *testing.T) {
	got := tiles(t, rewrite(t, passtest.ReadKernel(t, "../../testdata/il/pldi_v1.il"), "unroll{factor=4},break-deps,group-fetches{window=all}"))
	want := tiles(t, passtest.ReadKernel(t, "../../testdata/il/pldi_final.il"))
	if len(want) != 48 || want[1] != (tile{8, 1}) {
		t.Fatalf("the last version has changed: %v", want)
	}
	if !slices.Equal(got, want) {
		t.Errorf("fetches %v, want %v", got, want)
	}
}

// The order of its fourth version: two trips at a time, B and then A of both.
func TestTutorialFour(t *testing.T) {
	var want []tile
	for _, trip := range []float32{0, 2} {
		for _, unit := range []uint8{8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7} {
			want = append(want, tile{unit, trip}, tile{unit, trip + 1})
		}
	}
	got := tiles(t, rewrite(t, passtest.ReadKernel(t, "../../testdata/il/pldi_v1.il"), "unroll{factor=4},break-deps,group-fetches{window=24}"))
	if !slices.Equal(got, want) {
		t.Errorf("fetches %v, want %v", got, want)
	}
}
