package symbolic

import "math"

// SignBit is the sign bit of a float.
const SignBit = 1 << 31

// Double returns the float with these bits.
func Double(bits uint32) float64 { return float64(math.Float32frombits(bits)) }

// IsFloat reports whether x is a float32.
func IsFloat(x float64) bool { return float64(float32(x)) == x }

// ExactSum reports whether the sum of two float32 is a float32. s is the sum rounded to float64. The error
// of that rounding must also be 0 (TwoSum: Knuth, The Art of Computer Programming 2, 4.2.2).
func ExactSum(a, b float64) bool {
	s := a + b
	t := s - a
	return IsFloat(s) && (a-(s-t))+(b-t) == 0
}
