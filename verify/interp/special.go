package interp

// SpecialWords lists the values that arithmetic treats specially: the edges of float32 and of 32-bit integers,
// and operands of instructions that read a word as a shift, a width or a byte. Tests of the op tables and
// executions of programs cover all of them, independent of a seed. Their number is prime, so that
// [SpecialValue] combines all pairs.
var SpecialWords = [...]uint32{
	// Floats: zeros, ones and adjacent numbers.
	0, 1 << 31, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x3f000000, 0xbf000000, 0x3effffff, 0x40000000, 0xc0400000,
	// The smallest and the largest.
	0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff,
	// Infinities and NaNs: quiet, with a sign, with a payload, signalling.
	0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f800001,
	// The points where floats cease to have fractions, and where 32-bit integers end.
	0x4b000000, 0x4b7fffff, 0xcb000001, 0x4b800000, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000,
	// Roundings of a third and of pi, and the exact floats 2^61 and 2^-61.
	0x3eaaaaab, 0x40490fdb, 0x5e000000, 0x21000000,
	// Integers, subnormal as floats: small ones, and counts of bits.
	1, 2, 3, 5, 7, 8, 31, 32, 33, 63, 64, 255, 256, 0xffff, 0x10000,
	// The edges of 23, 24 and 32 bits.
	0x007fffff, 0x807fffff, 0x00ffffff, 0x01000000, 0x80000001, 0x7ffffffe, 0x7fffffff, 0xffffffff, 0xfffffffe, 0xffffffe0, 0x12345678,
}

// SpecialValue returns the value of column c of row k in a table of len(Words)^2 rows. With at most len(Words)
// columns, any two columns hold each pair of values once: an orthogonal array (Bush 1952). The first rows
// are as mixed as the others.
func SpecialValue(k, c int) uint32 {
	const n = len(SpecialWords)
	k = k * 3537 % (n * n) // 3537 and n*n are coprime
	return SpecialWords[(k/n*c+k%n)%n]
}
