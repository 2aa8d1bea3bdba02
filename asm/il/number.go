package il

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// immediate reads the number that a letter of a form stands for.
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
		if !find(sharingNames[:], p.run(isWord), &mode) {
			return p.failAt(first, "sharing-mode", "the sharing mode is _wavefrontRel or _wavefrontAbs")
		}
		*w = uint32(mode)
		return true
	}
	return p.number(w)
}

// number reads an unsigned decimal or hexadecimal number.
func (p *parser) number(w *uint32) bool {
	first := p.pos
	word := p.run(isWord)
	if word == "" {
		return p.expected("a number")
	}
	v, err := parseUint(word)
	if err != nil {
		return p.failAt(first, "number", "%q is no number of 32 bits", asm.Clip(word))
	}
	*w = uint32(v)
	return true
}

// parseUint reads 32 bits in decimal, or in hexadecimal behind 0x.
func parseUint(word string) (uint64, error) {
	if digits, ok := strings.CutPrefix(word, "0x"); ok {
		return strconv.ParseUint(digits, 16, 32)
	}
	return strconv.ParseUint(word, 10, 32)
}

// literal reads 32 bits: hexadecimal digits as they are, an integer as such, and with
// float also what has a point, an exponent or the suffix f as a float32. So 1 is the
// integer and 1.0 is 0x3F800000, as in kernels of the field; a bare 1 for a float would
// be a denormal.
func (p *parser) literal(w *uint32, float bool) bool {
	first := p.pos
	word := p.run(func(c byte) bool { return isWord(c) || c == '.' || c == '-' || c == '+' })
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
	// ParseFloat takes words such as inf and hexadecimal floats, too, which are none
	// here.
	digits, suffixed := strings.CutSuffix(word, "f")
	decimal := strings.Trim(digits, "0123456789.+-eE") == ""
	if v, err := strconv.ParseFloat(digits, 32); float && decimal && (suffixed || strings.ContainsAny(digits, ".eE")) && err == nil {
		*w = math.Float32bits(float32(v))
		return true
	}
	return p.failAt(first, "number", "%q is no number of 32 bits", asm.Clip(word))
}

// flags reads names with | between them.
func (p *parser) flags(w *uint32) bool {
	for {
		first := p.pos
		word := p.run(isLetter)
		i := slices.Index(flagNames[:], word)
		if i < 0 {
			p.pos = first
			return p.failAt(first, "global-flag", "%q is no global flag", asm.Clip(p.rest()))
		}
		*w |= 1 << i
		if !p.take('|') {
			return true
		}
	}
}
