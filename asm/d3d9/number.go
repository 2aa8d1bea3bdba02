package d3d9

import (
	"math"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// immediates reads the values of a def, defi or defb: four floats, four integers or one boolean, as
// bits in Imm, after the destination.
func (p *parser) immediates(in *Inst) bool {
	n, value := 0, (*parser).float
	switch in.Op {
	case OpDef:
		n = 4
	case OpDefI:
		n, value = 4, (*parser).integer
	case OpDefB:
		n, value = 1, (*parser).boolean
	}
	for i := range in.Imm[:n] {
		// Listings write def c0 = 1, 2, 3, 4.
		listed := i == 0 && p.listed('=')
		if !listed && !p.comma(in.Op) || !value(p, &in.Imm[i]) {
			return false
		}
	}
	return true
}

// number takes a number token with its sign. It returns a bit pattern, 0x and up to eight digits,
// unchanged: 0x7fc00000 is a NaN with these bits, which no decimal can express. It refuses a bit
// pattern with a minus.
func (p *parser) number() (negative bool, text string, ok bool) {
	negative = p.acceptPunct('-')
	if p.tok.kind != tokNumber {
		return false, "", p.expected("a number")
	}
	text = p.tok.text
	p.advance()
	return negative, text, true
}

// bitPattern returns the value of 0x and hexadecimal digits that fit 32 bits.
func bitPattern(text string) (w uint32, ok bool) {
	if len(text) < 3 || text[0] != '0' || lowerByte(text[1]) != 'x' {
		return 0, false
	}
	v, err := strconv.ParseUint(text[2:], 16, 32)
	return uint32(v), err == nil
}

// unreal maps the text that Microsoft's C library prints for non-finite numbers, as compilers list
// it. A negative one may be -1.#IND. All NaNs become one because the text does not distinguish
// them.
var unreal = map[string]uint32{"1.#inf": 0x7f800000, "1.#qnan": 0x7fc00000, "1.#snan": 0x7fc00000, "1.#ind": 0x7fc00000}

// float reads a float32. It rounds decimals directly to float32, because rounding to float64 first
// would round some of them twice.
func (p *parser) float(w *uint32) bool {
	at := p.tok
	negative, text, ok := p.number()
	if !ok {
		return false
	}
	if bits, ok := bitPattern(text); ok && !negative {
		*w = bits
		return true
	}
	if bits, ok := unreal[lower(text)]; ok {
		// The sign is a bit, so that -0 stays -0.
		if *w = bits; negative {
			*w ^= 1 << 31
		}
		return true
	}
	v, err := strconv.ParseFloat(strings.TrimRight(text, "fF"), 32)
	// ParseFloat also accepts 0x1p-2, which is not a number here.
	if err != nil || strings.ContainsAny(text, "xX") {
		return p.failAt(at, "number", "%q is not a float32", asm.Clip(text))
	}
	*w = math.Float32bits(float32(v))
	if negative {
		*w ^= 1 << 31
	}
	return true
}

// integer reads an int32, or its bits in hexadecimal.
func (p *parser) integer(w *uint32) bool {
	at := p.tok
	negative, text, ok := p.number()
	if !ok {
		return false
	}
	if bits, ok := bitPattern(text); ok && !negative {
		*w = bits
		return true
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if negative {
		v = -v
	}
	if err != nil || v != int64(int32(v)) {
		return p.failAt(at, "number", "%q is not a 32-bit integer", asm.Clip(text))
	}
	*w = uint32(v)
	return true
}

// boolean reads true, false or a bit pattern. Bytecode may hold any word for true; text keeps the
// word.
func (p *parser) boolean(w *uint32) bool {
	at := p.tok
	switch bits, isBits := bitPattern(at.text); {
	case lower(at.text) == "true":
		*w = 1
	case lower(at.text) == "false":
		*w = 0
	case isBits:
		*w = bits
	default:
		return p.expected("true or false")
	}
	p.advance()
	return true
}

// appendFloat appends the shortest decimal that reads back as the float32 with these bits, or the
// bits themselves if no decimal does.
func appendFloat(b []byte, bits uint32) []byte {
	v := float64(math.Float32frombits(bits))
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return appendHex(append(b, "0x"...), bits)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 32)
}

// appendBool appends true or false, or the bits of any other word.
func appendBool(b []byte, w uint32) []byte {
	if w > 1 {
		return appendHex(append(b, "0x"...), w)
	}
	return strconv.AppendBool(b, w == 1)
}
