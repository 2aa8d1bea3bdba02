package symbolic

import "math"

// SignBit is the sign of a float.
const SignBit = 1 << 31

// Double is the float that bits stand for.
func Double(bits uint32) float64 { return float64(math.Float32frombits(bits)) }

// IsFloat reports whether x is a float32.
func IsFloat(x float64) bool { return float64(float32(x)) == x }

// ExactSum reports whether the sum of two float32 is one. s is the sum rounded to float64, and the last
// line the error of that rounding (TwoSum: Knuth, The Art of Computer Programming 2, 4.2.2), which has
// to be 0 as well.
func ExactSum(a, b float64) bool {
	s := a + b
	t := s - a
	return IsFloat(s) && (a-(s-t))+(b-t) == 0
}
