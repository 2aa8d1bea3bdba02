package kernel

import (
	"math"
	"math/bits"
)

// Integers modulo 2^32. Shift counts, and widths and offsets of bit fields, are taken modulo 32.

// divide and remainder return all ones for a zero divisor, as in Direct3D 10.
func divide(a, b uint32) uint32 {
	if b == 0 {
		return allOnes
	}
	return a / b
}

func remainder(a, b uint32) uint32 {
	if b == 0 {
		return allOnes
	}
	return a % b
}

// The upper words of signed and unsigned products.
func mulHigh(a, b uint32) uint32  { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) }
func umulHigh(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }

// signed24 extends the lower 24 bits.
func signed24(a uint32) uint32   { return uint32(int32(a<<8) >> 8) }
func unsigned24(a uint32) uint32 { return a & (1<<24 - 1) }

func mul24(a, b uint32) uint32     { return signed24(a) * signed24(b) }
func mad24(a, b, c uint32) uint32  { return signed24(a)*signed24(b) + c }
func umul24(a, b uint32) uint32    { return unsigned24(a) * unsigned24(b) }
func umad24(a, b, c uint32) uint32 { return unsigned24(a)*unsigned24(b) + c }

// carry and borrow return 1 or 0.
func carry(a, b uint32) uint32  { return boolBit(a+b < a) }
func borrow(a, b uint32) uint32 { return boolBit(a < b) }

// bitExtract returns the field of width bits at offset, as in Direct3D 11. A width of 0 gives 0, and a
// field that reaches beyond the word ends with it.
func bitExtract(width, offset, a uint32) uint32 {
	width, offset = width&31, offset&31
	return a >> offset & (1<<width - 1)
}

func signedBitExtract(width, offset, a uint32) uint32 {
	width, offset = width&31, offset&31
	if width == 0 {
		return 0
	}
	width = min(width, 32-offset)
	return uint32(int32(a<<(32-width-offset)) >> (32 - width))
}

// bitInsert replaces the field of width bits at offset.
func bitInsert(width, offset, field, a uint32) uint32 {
	width, offset = width&31, offset&31
	mask := uint32(1<<width-1) << offset
	return field<<offset&mask | a&^mask
}

func not(a uint32) uint32         { return ^a }
func countBits(a uint32) uint32   { return uint32(bits.OnesCount32(a)) }
func reverseBits(a uint32) uint32 { return bits.Reverse32(a) }

func imin(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }
func imax(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }
func umin(a, b uint32) uint32 { return min(a, b) }
func umax(a, b uint32) uint32 { return max(a, b) }

func bitSelect(mask, a, b uint32) uint32 { return mask&a | ^mask&b }

// The first set bit from below or from above, or the first bit that differs from the sign; all ones if
// there is none.
func firstLow(a uint32) uint32 {
	if a == 0 {
		return allOnes
	}
	return uint32(bits.TrailingZeros32(a))
}

func firstHigh(a uint32) uint32 {
	if a == 0 {
		return allOnes
	}
	return uint32(bits.LeadingZeros32(a))
}

func firstHighSigned(a uint32) uint32 { return firstHigh(a ^ uint32(int32(a)>>31)) }

// bitAlign returns the lower word of the concatenation of a and b, shifted right.
func bitAlign(a, b, c uint32) uint32 { return uint32((uint64(a)<<32 | uint64(b)) >> (c & 31)) }

func byteAlign(a, b, c uint32) uint32 { return bitAlign(a, b, c&3*8) }

// sumOfDifferences sums the absolute differences of the bytes of a and b.
func sumOfDifferences(a, b, c uint32) uint32 {
	for i := 0; i < 32; i += 8 {
		x, y := a>>i&255, b>>i&255
		c += max(x, y) - min(x, y)
	}
	return c
}

// byteAverages averages bytes, and rounds up if the lowest bit of the byte of c is set.
func byteAverages(a, b, c uint32) (r uint32) {
	for i := 0; i < 32; i += 8 {
		r |= (a>>i&255 + b>>i&255 + c>>i&1) >> 1 << i
	}
	return r
}

// byteToFloat converts byte n to a float.
func byteToFloat(n int) func(uint32) uint32 {
	return func(a uint32) uint32 { return math.Float32bits(float32(a >> (8 * n) & 255)) }
}
