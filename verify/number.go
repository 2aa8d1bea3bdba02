package verify

import "math"

// signBit is the sign of a float.
const signBit = 1 << 31

// double is the float that bits stand for.
func double(bits uint32) float64 { return float64(math.Float32frombits(bits)) }

// isFloat reports whether x is a float32.
func isFloat(x float64) bool { return float64(float32(x)) == x }

// exactSum reports whether the sum of two float32 is one.
func exactSum(a, b float64) bool {
	s := a + b
	t := s - a
	return isFloat(s) && (a-(s-t))+(b-t) == 0
}
