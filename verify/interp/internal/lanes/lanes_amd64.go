//go:build !purego

package lanes

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// Sets lists the sets that this processor supports.
func Sets() []Set {
	x := &cpu.X86
	switch basic := x.HasAVX2 && x.HasFMA; {
	case basic && x.HasAVX512F:
		return []Set{AVX2, AVX512}
	case basic:
		return []Set{AVX2}
	}
	return nil
}

// Run executes a program up to its first Stop, and returns the index of that Stop. It does not check
// locations.
func (s Set) Run(ops []Op, file []Vec, scalars []float32, write *[4]uint64) int {
	var constants *float32
	if len(scalars) > 0 {
		constants = &scalars[0]
	}
	var end *Op
	if s == AVX512 {
		end = runAVX512(&ops[0], &file[0], constants, write)
	} else {
		end = runAVX2(&ops[0], &file[0], constants, write)
	}
	return int((uintptr(unsafe.Pointer(end)) - uintptr(unsafe.Pointer(&ops[0]))) / unsafe.Sizeof(Op{}))
}

//go:noescape
func runAVX2(ops *Op, file *Vec, scalars *float32, write *[4]uint64) *Op

//go:noescape
func runAVX512(ops *Op, file *Vec, scalars *float32, write *[4]uint64) *Op

// Linear samples a texture in all lanes with weights of the four texels around a coordinate.
func (t *Texels) Linear(u, v *Vec, out *[4]*Vec) { linear(t, u, v, out) }

// Nearest samples a texture in all lanes.
func (t *Texels) Nearest(u, v *Vec, out *[4]*Vec) { nearest(t, u, v, out) }

// Interpolate sets n lanes of d, a multiple of four, to p at (x, y) times w, rounded.
func (p *Plane) Interpolate(x, y, w *float64, d *float32, n int) { interpolate(p, x, y, w, d, n) }

// Weigh sets n lanes of w, a multiple of four, to the reciprocal of p at (x, y).
func (p *Plane) Weigh(x, y, w *float64, n int) { weigh(p, x, y, w, nil, n) }

// across and down are the offsets of the lanes of a quad from its first lane.
var across, down = [4]int32{0, 1, 0, 1}, [4]int32{0, 0, 1, 1}

// CentresX and CentresY set d to the pixel centres of quads at the given columns or rows, relative to an
// origin.
func CentresX(at []int32, origin float64, d *float64) {
	centres(&at[0], &across, &origin, d, len(at))
}

func CentresY(at []int32, origin float64, d *float64) { centres(&at[0], &down, &origin, d, len(at)) }

// Store writes the live lanes to a target of w pixels a row, with four floats each. The quads are at
// columns x and rows y.
func Store(target []float32, w int, x, y []int32, live uint64, from *[4]*Vec) {
	store(&target[0], 16*w, &x[0], &y[0], live, from, len(x))
}

//go:noescape
func centres(at *int32, right *[4]int32, origin, d *float64, quads int)

//go:noescape
func store(target *float32, row int, x, y *int32, live uint64, from *[4]*Vec, quads int)

//go:noescape
func linear(t *Texels, u, v *Vec, out *[4]*Vec)

//go:noescape
func nearest(t *Texels, u, v *Vec, out *[4]*Vec)

//go:noescape
func interpolate(p *Plane, x, y, w *float64, d *float32, n int)

//go:noescape
func weigh(p *Plane, x, y, w *float64, d *float32, n int)
