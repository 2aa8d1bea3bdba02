package lanes

import "math/bits"

// Texels is a level of a two-dimensional texture for kernels, which rely on its layout: four floats a
// texel, x fastest.
type Texels struct {
	data *float32
	size [2]float32
	n    [2]int32
	last [2]int32
	wrap [2]int32
}

// The ways to map a number of a texel into a texture.
const (
	wrapClamp  = iota // to the edge
	wrapMask          // by a mask, for repeating sizes that are powers of two
	wrapDivide        // by division
)

// maxTexels is the number of texels that kernels can address.
const maxTexels = 1 << 26

// NewTexels returns a level of w by h texels that clamps to the edge or repeats. It returns false if the
// level is too large for kernels, or if the processor supports none.
func NewTexels(data []float32, w, h int, clamp bool) (t Texels, ok bool) {
	if len(Sets()) == 0 || w < 1 || h < 1 || w > maxTexels/h || len(data) < 4*w*h {
		return t, false
	}
	t.data = &data[0]
	for i, n := range [2]int{w, h} {
		t.size[i], t.n[i], t.last[i] = float32(n), int32(n), int32(n-1)
		switch {
		case clamp:
			t.wrap[i] = wrapClamp
		case bits.OnesCount(uint(n)) == 1:
			t.wrap[i] = wrapMask
		default:
			t.wrap[i] = wrapDivide
		}
	}
	return t, true
}
