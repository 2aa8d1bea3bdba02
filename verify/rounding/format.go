package rounding

// format is a number format of the hardware in the standard model of floating-point arithmetic: fl(x op y)
// = (x op y)(1 + d), |d| <= unit, plus the loss of underflow. See Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed., (2.4).
type format struct {
	unit    float64
	tiny    float64 // smaller results may become zero
	largest float64
	exact   float64 // integers up to this are exact in the format
	leaf    bool    // constants and inputs are rounded to the format when read
}

// The formats, each with the unit roundoff of rounding to nearest. Full precision of Direct3D 9 is fp32,
// except on the Radeons of the R300 class, whose pixel units have 16 bits of fraction. Instructions marked
// _pp may be computed in fp16.
var (
	fp32 = format{unit: 1.0 / (1 << 24), tiny: 0x1p-126, largest: 0x1.fffffep127, exact: 1 << 24}
	fp24 = format{unit: 1.0 / (1 << 17), tiny: 0x1p-62, largest: 0x1.ffffp63, exact: 1 << 17, leaf: true}
	fp16 = format{unit: 1.0 / (1 << 11), tiny: 0x1p-14, largest: 65504, exact: 1 << 11}
)

// precision selects a format of an arithmetic: the full formats of the stages, or the partial one.
type precision uint8

const (
	vertexFull precision = iota
	pixelFull
	partial
)

// Arithmetic is the arithmetic of a class of hardware. Precisions of instructions are the minima of their
// pages in the Direct3D 9 reference ("precision should be at least ..."), since drivers may give no more.
type Arithmetic struct {
	Name string
	// interpolation is the error of an interpolated component, relative to its largest value in the
	// triangle. It is the distance between the interpolation of k*x + l*y and k times the interpolation of
	// x plus l times the interpolation of y. Moving work across the rasterizer exchanges these two. The
	// values were measured over random triangles, including slivers and depth ranges of 64 to 1. An NVIDIA
	// H100 (driver 580) had at most 2^-16.0, and 2^-23.7 on average, in 13 million points. llvmpipe (Mesa
	// 22.3) had 2^-22.5 on average. It exceeded 2^-16 in 139 of 3.3 million points, all in slivers, with a
	// maximum of 2^-14.5. The value for other hardware is an assumption.
	interpolation float64

	vertex, pixel format
	// Relative errors of functions: reciprocal of rcp and rsq, exp of exp, log of log (absolute where the
	// logarithm is small), pow of pow, partial of expp and logp. sine is the absolute error of the square
	// under a sine or cosine.
	reciprocal, exp, log, pow, partial, sine float64
}

// arithmetics lists the known arithmetics; the first is the default.
var arithmetics = [...]Arithmetic{
	{Name: "fp32", interpolation: 1.0 / (1 << 16), vertex: fp32, pixel: fp32,
		reciprocal: 1.0 / (1 << 22), exp: 1.0 / (1 << 21), log: 1.0 / (1 << 20), pow: 1.0 / (1 << 15), partial: 1.0 / (1 << 10), sine: 0.002},
	{Name: "fp24", interpolation: 1.0 / (1 << 16), vertex: fp32, pixel: fp24,
		reciprocal: 1.0 / (1 << 16), exp: 1.0 / (1 << 16), log: 1.0 / (1 << 16), pow: 1.0 / (1 << 13), partial: 1.0 / (1 << 10), sine: 0.002},
}

// format returns the format of a precision.
func (hw *Arithmetic) format(p precision) *format {
	return [...]*format{&hw.vertex, &hw.pixel, &fp16}[p]
}

// ByName returns the arithmetic with that name, or nil. The empty name selects the default.
func ByName(name string) *Arithmetic {
	for i := range arithmetics {
		if a := &arithmetics[i]; a.Name == name || name == "" {
			return a
		}
	}
	return nil
}
