package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

func transposed(m matrix) matrix {
	n := newMatrix(m.columns, m.rows)
	for i := range m.rows {
		for j, v := range m.row(i) {
			n.row(j)[i] = v
		}
	}
	return n
}

func TestTranspose(t *testing.T) {
	a := randomMatrix(rand.New(rand.NewPCG(19, 1)), 20, 12)
	want := transposed(a)
	l := newLaunch(t, want.columns/4, want.rows/4)
	l.quads(0, a)
	res := l.run(filepath.Join(ownKernels, "transpose.il"))
	same(t, "transposed", outputs(res, 4, want.rows/4, want.columns).at, want.at)
}

func TestTransposeSplit8(t *testing.T) {
	a := randomMatrix(rand.New(rand.NewPCG(19, 2)), 24, 16)
	want := transposed(a)
	l := newLaunch(t, want.columns/4, want.rows/8)
	for i := range 8 {
		l.quads(i, a.part(i, 8))
	}
	res := l.run(filepath.Join(corpusKernels, "a2_TransposeSplit8_R.il"))
	same(t, "transposed", outputs(res, 8, want.rows/8, want.columns).at, want.at)
}

// TestTransposeVirtual covers a matrix stored as one long row that is split at the width of the resource.
func TestTransposeVirtual(t *testing.T) {
	const physical = 15
	a := randomMatrix(rand.New(rand.NewPCG(19, 3)), 9, 20)
	l := newLaunch(t, physical, len(a.at)/physical)
	l.resource(0, physical, len(a.at)/physical, words(a.at))
	l.constants(0, []uint32{physical, uint32(a.columns), uint32(a.rows), 0})
	res := l.run(filepath.Join(corpusKernels, "a2_Transpose2DVirtToVirt_LI_R_LR.il"))
	all := floats(res.Out[0])
	var got []float32
	for i := 0; i < len(all); i += 4 {
		got = append(got, all[i])
	}
	same(t, "transposed", got, transposed(a).at)
}

// permute reorders the dimensions of an array: dimension d of the input is dimension at[d] of the output,
// so at maps to coordinates of the output.
func permute(x []float32, dims, axes []int) []float32 {
	n := len(dims)
	outDims := make([]int, n)
	for i, a := range axes {
		outDims[i] = dims[a]
	}
	out := make([]float32, len(x))
	for i := range out {
		coordinate := make([]int, n)
		for d, rest := n-1, i; d >= 0; d-- {
			coordinate[axes[d]] = rest % outDims[d]
			rest /= outDims[d]
		}
		at := 0
		for d := range n {
			at = at*dims[d] + coordinate[d]
		}
		out[i] = x[at]
	}
	return out
}

// TestTransposeArrays covers arrays whose output dimension d is input dimension axes[d]. Lines are padded
// to quads; these arrays need no padding.
func TestTransposeArrays(t *testing.T) {
	for _, c := range []struct {
		name       string
		dims, axes []int
	}{
		{"a2_Transpose3D_LI_R", []int{8, 4, 8}, []int{2, 0, 1}},
		{"a2_Transpose3D_LI_R", []int{4, 8, 8}, []int{1, 2, 0}},
		{"a2_Transpose3D_LI_R", []int{4, 12, 16}, []int{0, 2, 1}},
		{"a2_Transpose4D_LI_R", []int{2, 4, 4, 8}, []int{3, 0, 2, 1}},
		{"a2_Transpose4D_LI_R", []int{4, 2, 8, 4}, []int{2, 3, 1, 0}},
	} {
		t.Run(fmt.Sprint(c.name, c.axes), func(t *testing.T) {
			n, size := len(c.dims), 1
			for _, d := range c.dims {
				size *= d
			}
			x := randomMatrix(rand.New(rand.NewPCG(21, 1)), 1, size).at
			want := permute(x, c.dims, c.axes)

			const physical = 8
			strides := func(dims []int) []uint32 { // of the leading dimensions, in elements
				s := make([]uint32, n)
				s[n-1] = 1
				for d := n - 2; d >= 0; d-- {
					s[d] = s[d+1] * uint32(dims[d+1])
				}
				return s
			}
			outDims := make([]int, n)
			axes := make([]uint32, n)
			for i, a := range c.axes {
				outDims[i], axes[i] = c.dims[a], uint32(a)
			}
			pad := func(w []uint32) []uint32 { return append(w, make([]uint32, 4-len(w))...) }
			src, dst := uint32(c.dims[n-1]), uint32(outDims[n-1])
			l := newLaunch(t, size/4, 1)
			l.resource(0, physical, size/4/physical, words(x))
			l.global(make([]uint32, size))
			l.constants(0, pad(append([]uint32{physical}, strides(outDims)[:n-1]...)))
			l.constant(0, 1, [4]uint32(pad(axes)))
			l.constant(0, 2, [4]uint32(pad(strides(c.dims))))
			l.constant(0, 3, [4]uint32{src / 4, dst / 4, src, dst})
			res := l.run(filepath.Join(corpusKernels, c.name+".il"))
			same(t, "permuted", floats(res.Global), want)
		})
	}
}
