package il

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// immediate reads a number in the format of a form letter.
func (p *parser) immediate(w *uint32, letter byte) bool {
	switch letter {
	case 'L':
		return p.literal(w, true)
	case 'i':
		return p.literal(w, false)
	case 'F':
		return p.flags(w)
	case 'W':
		first := p.pos
		var mode uint8
		if !lookupEnum(sharingNames[:], p.takeWhile(isWord), &mode) {
			return p.failAt(first, "sharing-mode", "the sharing mode must be _wavefrontRel or _wavefrontAbs")
		}
		*w = uint32(mode)
		return true
	}
	return p.number(w)
}

// number reads an unsigned decimal or hexadecimal number.
func (p *parser) number(w *uint32) bool {
	first := p.pos
	word := p.takeWhile(isWord)
	if word == "" {
		return p.expected("a number")
	}
	v, err := parseUint(word)
	if err != nil {
		return p.failAt(first, "number", "%q is not a 32-bit number", asm.Clip(word))
	}
	*w = uint32(v)
	return true
}

// parseUint reads 32 bits in decimal, or in hexadecimal after 0x.
func parseUint(word string) (uint64, error) {
	if digits, ok := strings.CutPrefix(word, "0x"); ok {
		return strconv.ParseUint(digits, 16, 32)
	}
	return strconv.ParseUint(word, 10, 32)
}

// literal reads 32 bits, as a hexadecimal bit pattern or an integer. If float is set, it also reads
// a number with a point, an exponent or the suffix f as a float32. So 1 is the integer and 1.0 is
// 0x3F800000, as in existing kernels; a bare 1 read as a float would be a denormal.
func (p *parser) literal(w *uint32, float bool) bool {
	first := p.pos
	word := p.takeWhile(func(c byte) bool { return isWord(c) || c == '.' || c == '-' || c == '+' })
	if word == "" {
		return p.expected("a number")
	}
	if v, err := parseUint(word); err == nil {
		*w = uint32(v)
		return true
	}
	if v, err := strconv.ParseInt(word, 10, 32); err == nil && word[0] == '-' {
		*w = uint32(v)
		return true
	}
	// ParseFloat also accepts words such as inf and hexadecimal floats, which are not literals
	// here.
	digits, suffixed := strings.CutSuffix(word, "f")
	decimal := strings.Trim(digits, "0123456789.+-eE") == ""
	if v, err := strconv.ParseFloat(digits, 32); float && decimal && (suffixed || strings.ContainsAny(digits, ".eE")) &&
		err == nil {
		*w = math.Float32bits(float32(v))
		return true
	}
	return p.failAt(first, "number", "%q is not a 32-bit number", asm.Clip(word))
}

// flags reads names separated by |.
func (p *parser) flags(w *uint32) bool {
	for {
		first := p.pos
		word := p.takeWhile(isLetter)
		i := slices.Index(flagNames[:], word)
		if i < 0 {
			p.pos = first
			return p.failAt(first, "global-flag", "%q is not a global flag", asm.Clip(p.rest()))
		}
		*w |= 1 << i
		if !p.acceptChar('|') {
			return true
		}
	}
}
