package rounding

// format is a number format that hardware computes in, after the standard model of
// floating-point arithmetic (Higham, Accuracy and Stability of Numerical Algorithms,
// 2nd ed., (2.4)): fl(x op y) = (x op y)(1 + d), |d| <= unit, plus what underflow loses.
type format struct {
	unit    float64
	tiny    float64 // results smaller than that may become zero
	largest float64
	exact   float64 // integers up to that are numbers of the format
	leaf    bool    // constants and inputs are rounded to the format when read
}

// The formats, each with the unit roundoff of rounding to nearest. Full precision of
// Direct3D 9 is fp32 but for the Radeons of the R300 class, whose pixel units have 16 bits
// of fraction; what is marked _pp may be computed in fp16.
var (
	fp32 = format{unit: 1.0 / (1 << 24), tiny: 0x1p-126, largest: 0x1.fffffep127, exact: 1 << 24}
	fp24 = format{unit: 1.0 / (1 << 17), tiny: 0x1p-62, largest: 0x1.ffffp63, exact: 1 << 17, leaf: true}
	fp16 = format{unit: 1.0 / (1 << 11), tiny: 0x1p-14, largest: 65504, exact: 1 << 11}
)

// precision names a format of an arithmetic: the full ones of the stages, and the partial one.
type precision uint8

const (
	vertexFull precision = iota
	pixelFull
	partial
)

// Arithmetic is how a class of hardware computes. What the reference of Direct3D 9 demands of an
// instruction is taken from its page there ("precision should be at least ..."), since drivers may give
// no more than that.
type Arithmetic struct {
	Name string
	// Interpolation is the error of an interpolated component, relative to the largest
	// value it has in the triangle: how far the interpolation of k*x + l*y is from that sum of
	// the interpolations of x and y, which is what moving work across the rasterizer
	// changes. Measured over random triangles, slivers and ranges of depth of 64 to 1 among
	// them: on an NVIDIA H100 (driver 580) at most 2^-16.0 and 2^-23.7 on average in 13
	// million points; on llvmpipe (Mesa 22.3) 2^-22.5 on average, more than 2^-16 in 139 of 3.3
	// million points and at most 2^-14.5, in slivers. For other hardware it is assumed.
	Interpolation float64

	vertex, pixel format
	// Relative errors of functions: of rcp and rsq; of exp; of log, absolute where the
	// logarithm is small; of pow; of expp and logp; of the square of what is under a
	// sine or cosine, absolute.
	reciprocal, exp, log, pow, partial, sine float64
}

// arithmetics are the known ones; the first is the default.
var arithmetics = [...]Arithmetic{
	{Name: "fp32", Interpolation: 1.0 / (1 << 16), vertex: fp32, pixel: fp32,
		reciprocal: 1.0 / (1 << 22), exp: 1.0 / (1 << 21), log: 1.0 / (1 << 20), pow: 1.0 / (1 << 15), partial: 1.0 / (1 << 10), sine: 0.002},
	{Name: "fp24", Interpolation: 1.0 / (1 << 16), vertex: fp32, pixel: fp24,
		reciprocal: 1.0 / (1 << 16), exp: 1.0 / (1 << 16), log: 1.0 / (1 << 16), pow: 1.0 / (1 << 13), partial: 1.0 / (1 << 10), sine: 0.002},
}

// format is the format of a precision.
func (hw *Arithmetic) format(p precision) *format {
	return [...]*format{&hw.vertex, &hw.pixel, &fp16}[p]
}

// ByName is the arithmetic of that name, nil if there is none; the empty name is the default's.
func ByName(name string) *Arithmetic {
	for i := range arithmetics {
		if a := &arithmetics[i]; a.Name == name || name == "" {
			return a
		}
	}
	return nil
}
