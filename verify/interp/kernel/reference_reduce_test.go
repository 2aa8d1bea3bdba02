package kernel_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// The numbers of element types in A2.
const (
	typeLongint  = 3
	typeReal     = 5
	typeLongreal = 6
)

// TestSum runs a kernel for one thread, which sums all quads, and their components at the end.
func TestSum(t *testing.T) {
	x := randomMatrix(rand.New(rand.NewPCG(13, 1)), 6, 32)
	l := newLaunch(t, 1, 1)
	l.quads(0, x)
	l.constants(0, []uint32{8, typeReal, 48, 0})
	l.global(make([]uint32, 4))
	res := l.run(filepath.Join(corpusKernels, "a2_Sum_LI_R_LR.il"))
	var sum float64
	for _, v := range x.at {
		sum += float64(v)
	}
	near(t, "sum", floats(res.Global), []float64{sum, 0, 0, 0}, 1e-5)
}

// TestInnerProduct sums the products of a block of quads in each thread, component by component. On request
// it adds the previous contents of the element.
func TestInnerProduct(t *testing.T) {
	const threads, block = 64, 8
	r := rand.New(rand.NewPCG(15, 1))
	x, y := randomMatrix(r, 16, 4*threads*block/16), randomMatrix(r, 16, 4*threads*block/16)
	old := randomMatrix(r, threads, 4)
	launched := func(kind uint32, x, y, old []uint32) []uint32 {
		l := newLaunch(t, threads, 1)
		l.resource(0, threads*block/16, 16, x)
		l.resource(1, threads*block/16, 16, y)
		l.constants(0, []uint32{threads * block / 16, kind, block, 1})
		l.global(old)
		return l.run(filepath.Join(corpusKernels, "a2_InnerProdReduce_LI_R_LR.il")).Global
	}

	want := append([]float32(nil), old.at...)
	for i := range x.at {
		at := i/(4*block)*4 + i%4
		want[at] = mad(x.at[i], y.at[i], want[at])
	}
	same(t, "float32", floats(launched(typeReal, words(x.at), words(y.at), words(old.at))), want)

	integers := make([]uint32, 4*threads)
	wx, wy := words(x.at), words(y.at)
	for i := range wx {
		at := i/(4*block)*4 + i%4
		integers[at] += wx[i] * wy[i]
	}
	same(t, "int32", launched(typeLongint, wx, wy, make([]uint32, 4*threads)), integers)

	var dx, dy []float64
	for i := 0; i < len(x.at); i += 2 {
		dx, dy = append(dx, float64(x.at[i])/3), append(dy, float64(y.at[i])/7)
	}
	sums := make([]float64, 2*threads)
	for i := range dx {
		sums[i/(2*block)*2+i%2] += float64(dx[i] * dy[i])
	}
	near(t, "float64", doubles(launched(typeLongreal, doubleWords(dx), doubleWords(dy), make([]uint32, 4*threads))),
		sums, 1e-15)
}

// TestReduce covers the tree over local memory. The tree adds halves, so the order of the sum is known.
func TestReduce(t *testing.T) {
	const groups, group = 4, 64
	x := randomMatrix(rand.New(rand.NewPCG(17, 1)), groups*group, 4)
	l := newLaunch(t, groups*group, 1)
	l.constants(0, []uint32{groups * group, 0, 0, 0})
	l.global(append(words(x.at), make([]uint32, 4*groups)...))
	got := floats(l.run(filepath.Join(ownKernels, "reduce.il")).Global)
	same(t, "elements", got[:len(x.at)], x.at)
	for g := range groups {
		tree := append([]float32(nil), x.at[4*group*g:4*group*(g+1)]...)
		for n := group / 2; n > 0; n /= 2 {
			for i := range 4 * n {
				tree[i] += tree[4*n+i]
			}
		}
		at := len(x.at) + 4*g
		same(t, "sum of a group", got[at:at+4], tree[:4])
	}
}
