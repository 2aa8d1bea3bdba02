package lower

import (
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// evergreen uses op if the family has it, otherwise the sequence f. Bit-field operations came with
// Evergreen; the sequences for older families are in the manner of Warren, Hacker's Delight.
func (l *lowerer) evergreen(f func() mir.Arg, op r600.Op, args ...mir.Arg) mir.Arg {
	if l.t.Family == r600.Evergreen {
		return l.op(op, args...)
	}
	return f()
}

// field returns a mask of the lowest width bits, with width modulo 32.
func (l *lowerer) field(width mir.Arg) mir.Arg {
	return l.op(r600.OpSubInt, l.op(r600.OpLShlInt, mir.L(1), l.modulo32(width)), mir.L(1))
}

// unsignedExtract lowers an extraction. Its sources are width, offset and word.
func unsignedExtract(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.evergreen(func() mir.Arg {
		return l.op(r600.OpAndInt, l.op(r600.OpLShrInt, s[2], l.modulo32(s[1])), l.field(s[0]))
	}, r600.OpBFEUint, s[2], s[1], s[0])
}

// signedExtract flips the sign bit of the field and subtracts it. A field of n bits x in the low
// bits gives (x ^ 1<<(n-1)) - 1<<(n-1). A field that reaches beyond the word takes the word's sign.
func signedExtract(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.evergreen(func() mir.Arg {
		x := l.op(r600.OpAndInt, l.op(r600.OpAShrInt, s[2], l.modulo32(s[1])), l.field(s[0]))
		top := l.op(r600.OpLShlInt, mir.L(1), l.modulo32(l.op(r600.OpSubInt, s[0], mir.L(1))))
		return l.op(r600.OpSubInt, l.op(r600.OpXorInt, x, top), top)
	}, r600.OpBFEInt, s[2], s[1], s[0])
}

// merge selects b where a has ones and c elsewhere.
func merge(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.evergreen(func() mir.Arg {
		return l.op(r600.OpXorInt, s[2], l.op(r600.OpAndInt, s[0], l.op(r600.OpXorInt, s[1], s[2])))
	}, r600.OpBFIInt, s[0], s[1], s[2])
}

// insert lowers an insertion. Its sources are width, offset, field and word.
func insert(l *lowerer, s [4]mir.Arg) mir.Arg {
	offset := l.modulo32(s[1])
	mask := l.evergreen(func() mir.Arg { return l.op(r600.OpLShlInt, l.field(s[0]), offset) }, r600.OpBFMInt, s[0], s[1])
	return merge(l, [4]mir.Arg{mask, l.op(r600.OpLShlInt, s[2], offset), s[3]})
}

// swapBits exchanges neighbouring groups of n bits; mask selects the lower group of each pair. A
// reversal is five swaps; the last (16) needs no mask.
func (l *lowerer) swapBits(x mir.Arg, n, mask uint32) mir.Arg {
	up := l.op(r600.OpLShlInt, l.op(r600.OpAndInt, x, mir.L(mask)), mir.L(n))
	return l.op(r600.OpOrInt, up, l.op(r600.OpAndInt, l.op(r600.OpLShrInt, x, mir.L(n)), mir.L(mask)))
}

func reverse(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.evergreen(func() mir.Arg {
		x := l.swapBits(s[0], 1, 0x55555555)
		x = l.swapBits(x, 2, 0x33333333)
		x = l.swapBits(x, 4, 0x0F0F0F0F)
		x = l.swapBits(x, 8, 0x00FF00FF)
		return l.op(r600.OpOrInt, l.op(r600.OpLShlInt, x, mir.L(16)), l.op(r600.OpLShrInt, x, mir.L(16)))
	}, r600.OpBFRevInt, s[0])
}

// countBits adds up bits in parallel: pairs, nibbles, bytes, and the four bytes by a
// multiplication.
func countBits(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.evergreen(func() mir.Arg {
		half := l.op(r600.OpAndInt, l.op(r600.OpLShrInt, s[0], mir.L(1)), mir.L(0x55555555))
		x := l.op(r600.OpSubInt, s[0], half)
		upper := l.op(r600.OpAndInt, l.op(r600.OpLShrInt, x, mir.L(2)), mir.L(0x33333333))
		x = l.op(r600.OpAddInt, l.op(r600.OpAndInt, x, mir.L(0x33333333)), upper)
		x = l.op(r600.OpAndInt, l.op(r600.OpAddInt, x, l.op(r600.OpLShrInt, x, mir.L(4))), mir.L(0x0F0F0F0F))
		return l.op(r600.OpLShrInt, l.op(r600.OpMulLoUint, x, mir.L(0x01010101)), mir.L(24))
	}, r600.OpBCNTInt, s[0])
}

// exponent returns the binary logarithm of a word with one bit set, or of a word whose conversion
// to float does not round up. The conversion leaves the logarithm in the exponent field, biased by
// 127.
func (l *lowerer) exponent(x mir.Arg) mir.Arg {
	return l.op(r600.OpSubInt, l.op(r600.OpLShrInt, l.op(r600.OpUintToFlt, x), mir.L(23)), mir.L(127))
}

// firstLow counts from the lowest bit, and returns -1 for 0.
func firstLow(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.evergreen(func() mir.Arg {
		lowest := l.op(r600.OpAndInt, s[0], l.op(r600.OpSubInt, mir.L(0), s[0]))
		return l.op(r600.OpCndEInt, s[0], mir.L(0xFFFFFFFF), l.exponent(lowest))
	}, r600.OpFFBLInt, s[0])
}

// fromTop counts from the highest bit, and returns -1 for 0. It clears bits below set bits, so that
// the conversion does not round up.
func (l *lowerer) fromTop(x mir.Arg) mir.Arg {
	apart := l.op(r600.OpAndInt, x, l.op(r600.OpNotInt, l.op(r600.OpLShrInt, x, mir.L(1))))
	return l.op(r600.OpCndEInt, x, mir.L(0xFFFFFFFF), l.op(r600.OpSubInt, mir.L(31), l.exponent(apart)))
}

func firstHigh(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.evergreen(func() mir.Arg { return l.fromTop(s[0]) }, r600.OpFFBHUint, s[0])
}

// firstHighSigned searches for the first bit that differs from the sign.
func firstHighSigned(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.evergreen(func() mir.Arg {
		return l.fromTop(l.op(r600.OpXorInt, s[0], l.op(r600.OpAShrInt, s[0], mir.L(31))))
	}, r600.OpFFBHInt, s[0])
}

// funnel returns the lower word of a:b shifted right by a count below 32. The upper part is shifted
// in two steps, since a shift by 32 is not possible.
func (l *lowerer) funnel(a, b, count mir.Arg) mir.Arg {
	up := l.op(r600.OpLShlInt, l.op(r600.OpLShlInt, a, mir.L(1)), l.op(r600.OpXorInt, count, mir.L(31)))
	return l.op(r600.OpOrInt, up, l.op(r600.OpLShrInt, b, count))
}

func bitAlign(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.evergreen(func() mir.Arg { return l.funnel(s[0], s[1], l.modulo32(s[2])) }, r600.OpBitAlignInt, s[0], s[1],
		s[2])
}

func byteAlign(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.evergreen(func() mir.Arg {
		bits := l.op(r600.OpLShlInt, l.op(r600.OpAndInt, s[2], mir.L(3)), mir.L(3))
		return l.funnel(s[0], s[1], bits)
	}, r600.OpByteAlignInt, s[0], s[1], s[2])
}

// byteAt returns byte n of x.
func (l *lowerer) byteAt(x mir.Arg, n uint32) mir.Arg {
	x = l.op(r600.OpLShrInt, x, mir.L(8*n))
	if n == 3 {
		return x
	}
	return l.op(r600.OpAndInt, x, mir.L(0xFF))
}

func sumOfDifferences(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.evergreen(func() mir.Arg {
		sum := s[2]
		for n := range uint32(4) {
			d := l.op(r600.OpSubInt, l.byteAt(s[0], n), l.byteAt(s[1], n))
			sum = l.op(r600.OpAddInt, sum, l.op(r600.OpMaxInt, d, l.op(r600.OpSubInt, mir.L(0), d)))
		}
		return sum
	}, r600.OpSadAccumUint, s[0], s[1], s[2])
}

// byteAverages computes averages that are rounded up if the lowest bit of the last source's byte is
// set.
func byteAverages(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.evergreen(func() mir.Arg {
		differ := l.op(r600.OpXorInt, s[0], s[1])
		half := l.op(r600.OpLShrInt, l.op(r600.OpAndInt, differ, mir.L(0xFEFEFEFE)), mir.L(1))
		round := l.op(r600.OpAndInt, l.op(r600.OpAndInt, differ, s[2]), mir.L(0x01010101))
		return l.op(r600.OpAddInt, l.op(r600.OpAddInt, l.op(r600.OpAndInt, s[0], s[1]), half), round)
	}, r600.OpLerpUint, s[0], s[1], s[2])
}

// unpack converts byte n to a float.
func unpack(n uint32) func(l *lowerer, s [4]mir.Arg) mir.Arg {
	op := [...]r600.Op{r600.OpUbyte0Flt, r600.OpUbyte1Flt, r600.OpUbyte2Flt, r600.OpUbyte3Flt}[n]
	return func(l *lowerer, s [4]mir.Arg) mir.Arg {
		return l.evergreen(func() mir.Arg { return l.op(r600.OpUintToFlt, l.byteAt(s[0], n)) }, op, s[0])
	}
}

// Float constants as words.
const (
	infinity = 0x7F800000
	signBit  = 1 << 31
	// rebias converts the exponent of a float into that of a half and prepares rounding.
	rebias = 1<<32 - 112<<23 + 0xFFF
)

// fromHalf shifts exponent and mantissa into place and scales. It converts subnormals as integers,
// since the hardware treats a subnormal float as zero.
func fromHalf(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.evergreen(func() mir.Arg {
		size := l.op(r600.OpAndInt, s[0], mir.L(0x7FFF))
		moved := l.op(r600.OpLShlInt, size, mir.L(13))
		x := l.op(r600.OpMul, moved, floatLiteral(0x1p112))
		x = l.op(r600.OpCndEInt, l.op(r600.OpSetGEInt, size, mir.L(0x7C00)), x, l.op(r600.OpOrInt, moved, mir.L(infinity)))
		small := l.op(r600.OpMul, l.op(r600.OpIntToFlt, size), floatLiteral(0x1p-24))
		x = l.op(r600.OpCndEInt, l.op(r600.OpSetGTInt, mir.L(0x400), size), x, small)
		return l.op(r600.OpOrInt, x, l.op(r600.OpLShlInt, l.op(r600.OpAndInt, s[0], mir.L(0x8000)), mir.L(16)))
	}, r600.OpFlt16ToFlt32, s[0])
}

// toHalf rounds to the nearest even by integer addition. For subnormal results it adds a float
// whose last bit is the last bit of the result.
func toHalf(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.evergreen(func() mir.Arg {
		word := s[0]
		if word.Neg || word.Abs {
			word = l.op(r600.OpMov, word)
		}
		size := l.op(r600.OpAndInt, word, mir.L(signBit-1))
		odd := l.op(r600.OpAndInt, l.op(r600.OpLShrInt, size, mir.L(13)), mir.L(1))
		up := l.op(r600.OpAddInt, l.op(r600.OpAddInt, size, mir.L(rebias)), odd)
		x := l.op(r600.OpMinInt, l.op(r600.OpLShrInt, up, mir.L(13)), mir.L(0x7C00))
		small := l.op(r600.OpSubInt, l.op(r600.OpAdd, size, floatLiteral(0.5)), floatLiteral(0.5))
		x = l.op(r600.OpCndEInt, l.op(r600.OpSetGTInt, floatLiteral(0x1p-14), size), x, small)
		x = l.op(r600.OpCndEInt, l.op(r600.OpSetGTInt, size, mir.L(infinity)), x, mir.L(0x7E00))
		return l.op(r600.OpOrInt, x, l.op(r600.OpAndInt, l.op(r600.OpLShrInt, word, mir.L(16)), mir.L(0x8000)))
	}, r600.OpFlt32ToFlt16, s[0])
}
