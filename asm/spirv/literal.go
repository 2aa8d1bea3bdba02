package spirv

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// layout is the layout of a binary floating-point format (IEEE 754): the widths of its exponent and its fraction.
type layout struct{ exponent, fraction int }

// layouts are the formats by width.
var layouts = map[uint32]layout{16: {5, 10}, 32: {8, 23}, 64: {11, 52}}

// formatNumber returns the text of a literal of type t.
func formatNumber(t number, words []uint32) string {
	value := uint64(words[0])
	if len(words) > 1 {
		value |= uint64(words[1]) << 32
	}
	switch {
	case !t.float && t.signed && t.width <= 32:
		return strconv.FormatInt(int64(int32(value)), 10)
	case !t.float && t.signed:
		return strconv.FormatInt(int64(value), 10)
	case !t.float:
		return strconv.FormatUint(value, 10)
	}
	if t.width == 16 {
		return layouts[16].formatHex(value & math.MaxUint16)
	}
	digits, f := 9, float64(math.Float32frombits(uint32(value)))
	if t.width == 64 {
		digits, f = 17, math.Float64frombits(value)
	}
	l := layouts[t.width]
	if exponent := value >> l.fraction & (1<<l.exponent - 1); exponent == 1<<l.exponent-1 || exponent == 0 && f != 0 {
		return l.formatHex(value)
	}
	return strconv.FormatFloat(f, 'g', digits, 64)
}

// formatHex returns a hexadecimal floating-point literal. The exponent of infinities and NaNs is one above the largest.
func (l layout) formatHex(value uint64) string {
	sign := ""
	if value>>(l.exponent+l.fraction) != 0 {
		sign = "-"
	}
	biased, fraction := int(value>>l.fraction&(1<<l.exponent-1)), value&(1<<l.fraction-1)
	exponent := biased - (1<<(l.exponent-1) - 1)
	if biased == 0 {
		if fraction == 0 {
			return sign + "0x0p+0"
		}
		shift := l.fraction - bits.Len64(fraction) + 1
		fraction, exponent = fraction<<shift&(1<<l.fraction-1), exponent+1-shift
	}
	digits := (l.fraction + 3) / 4
	text := strings.TrimRight(fmt.Sprintf("%0*x", digits, fraction<<(4*digits-l.fraction)), "0")
	if text != "" {
		text = "." + text
	}
	return fmt.Sprintf("%s0x1%sp%+d", sign, text, exponent)
}

// String describes the type in messages.
func (t number) String() string {
	kind := "unsigned integer"
	switch {
	case t.float:
		kind = "floating-point number"
	case t.signed:
		kind = "signed integer"
	}
	return fmt.Sprintf("%s of %d bits", kind, t.width)
}

// parseNumber appends the words of a literal of type t to list. Narrow signed integers are extended by their sign
// (2.2.1, "Literal").
func parseNumber(list []uint32, t number, text string) ([]uint32, bool) {
	value, ok := uint64(0), false
	if t.float {
		value, ok = layouts[t.width].parse(text)
	} else {
		value, ok = parseInteger(t, text)
	}
	if !ok {
		return list, false
	}
	list = append(list, uint32(value))
	if t.words() > 1 {
		list = append(list, uint32(value>>32))
	}
	return list, true
}

// parseInteger returns the value of an integer literal, decimal or hexadecimal. A hexadecimal literal states the bits
// of the type.
func parseInteger(t number, text string) (uint64, bool) {
	digits, negative := strings.CutPrefix(text, "-")
	base, limit := 10, uint64(1)<<(t.width-1)<<1-1
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		digits, base = hex, 16
	} else if t.signed {
		limit >>= 1
	}
	value, err := strconv.ParseUint(digits, base, 64)
	if negative {
		if !t.signed {
			return 0, false
		}
		return -value, err == nil && value <= 1<<(t.width-1)
	}
	if err != nil || value > limit {
		return 0, false
	}
	if t.signed && t.width < 32 && value>>(t.width-1) != 0 {
		value -= 1 << t.width
	}
	return value, true
}

// parse returns the bits of a floating-point literal, decimal or hexadecimal. It reads the exponent above the largest,
// which formatHex writes for infinities and NaNs. Numbers of 16 bits are truncated, as spirv-as does.
func (l layout) parse(text string) (uint64, bool) {
	digits, negative := strings.CutPrefix(text, "-")
	if digits == "" || digits[0] != '.' && !isDigit(digits[0]) {
		return 0, false
	}
	sign := uint64(0)
	if negative {
		sign = 1 << (l.exponent + l.fraction)
	}
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		value, ok := l.parseHex(hex)
		return value | sign, ok
	}
	switch l.fraction {
	case 52:
		f, err := strconv.ParseFloat(digits, 64)
		return math.Float64bits(f) | sign, err == nil
	case 23:
		f, err := strconv.ParseFloat(digits, 32)
		return uint64(math.Float32bits(float32(f))) | sign, err == nil
	}
	f, err := strconv.ParseFloat(digits, 32)
	if err != nil || f >= 65536 {
		return 0, false
	}
	value, _ := l.scale(math.Float64bits(f)&(1<<52-1)|1<<52, 52, int(math.Float64bits(f)>>52)-1023)
	if f == 0 {
		value = 0
	}
	return value | sign, true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// parseHex returns the bits of a hexadecimal literal without sign and 0x, such as 1.8p+3.
func (l layout) parseHex(text string) (uint64, bool) {
	mantissa, power, ok := strings.Cut(text, "p")
	exponent := 0
	if ok {
		n, err := strconv.ParseInt(power, 10, 16)
		if err != nil {
			return 0, false
		}
		exponent = int(n)
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := strings.TrimRight(fraction, "0")
	m, err := strconv.ParseUint(whole+all, 16, 64)
	if err != nil {
		return 0, false
	}
	if m == 0 {
		return 0, true
	}
	top := bits.Len64(m) - 1
	return l.scale(m, top, exponent+top-4*len(all))
}

// scale returns the bits of m, whose highest set bit is top, as a number with this exponent. It cuts bits that do not
// fit.
func (l layout) scale(m uint64, top, exponent int) (uint64, bool) {
	bias := 1<<(l.exponent-1) - 1
	fraction := m &^ (1 << top)
	if top > l.fraction {
		fraction >>= top - l.fraction
	} else {
		fraction <<= l.fraction - top
	}
	biased := exponent + bias
	if biased >= 1<<l.exponent {
		return 0, false
	}
	if biased <= 0 {
		return (fraction | 1<<l.fraction) >> min(1-biased, 63), true
	}
	return uint64(biased)<<l.fraction | fraction, true
}
