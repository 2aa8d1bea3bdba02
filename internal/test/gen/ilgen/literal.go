package ilgen

import (
	"fmt"
	"math"
	"strconv"
)

// firstLiteral is the number of the first literal of a class. Literals that are declared in the middle of
// the code have numbers from loneLiterals on.
var firstLiteral = [numClasses]int{float: 0, integer: 10, double: 20}

const loneLiterals = 100

// specials lists words that arithmetic treats specially. For floats: zeros, infinities, a NaN, denormals,
// both ends of the normal range, 2^23 (where floats become integers) and 2^31 (where integers end). For
// integers: the extremes, shift counts and masks.
var specials = [numClasses][]uint32{
	float: {0, 1 << 31, 0x3f800000, 0xbf800000, 0x3f000000, 0x40000000, 0x7f800000, 0xff800000, 0x7fc00000,
		1, 0x80000001, 0x7fffff, 0x800000, 0x7f7fffff, 0x4b000000, 0x4b7fffff, 0x4f000000, 0xcf000000, 0x3effffff},
	integer: {0, 1, 2, 3, 5, 8, 16, 31, 32, 33, 255, 0xffff, 0xffffff, 0x7fffffff, 1 << 31, 0x80000001, ^uint32(0),
		^uint32(0) - 1, 0x55555555},
}

var specialDoubles = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2, 1e300, -1e-300, math.MaxFloat64, 0x1p-1022,
	0x1p-1070, 1 << 53, 3e9, -5e9, math.Inf(1), math.Pi}

// declareLiterals declares some literals of each class.
func (g *generator) declareLiterals() {
	for c := range numClasses {
		g.literals[c] = 2 + g.r.IntN(4)
		for i := range g.literals[c] {
			g.declare("%s", g.literalText(firstLiteral[c]+i, c))
		}
	}
}

// literal names a literal of a class, sometimes a new one.
func (g *generator) literal(c class) string {
	if g.chance(85) {
		return fmt.Sprintf("l%d", firstLiteral[c]+g.r.IntN(g.literals[c]))
	}
	n := g.newLiteral()
	g.addLine("%s", g.literalText(n, c))
	return fmt.Sprintf("l%d", n)
}

// number names a literal component with a given value.
func (g *generator) number(v uint32) string {
	n := g.newLiteral()
	g.addLine("dcl_literal l%d, %d, %d, %d, %d", n, v, v, v, v)
	return fmt.Sprintf("l%d", n)
}

// newLiteral returns the number of a new literal.
func (g *generator) newLiteral() int {
	g.lits++
	return loneLiterals + g.lits
}

// literalText returns the declaration of literal n: four words, or two doubles with the low word first.
func (g *generator) literalText(n int, c class) string {
	text := fmt.Sprintf("dcl_literal l%d", n)
	for range 2 {
		if c == double {
			bits := math.Float64bits(g.doubleValue())
			text += fmt.Sprintf(", 0x%08X, 0x%08X", uint32(bits), uint32(bits>>32))
			continue
		}
		for range 2 {
			text += ", " + g.spellWord(g.pickWord(c))
		}
	}
	return text
}

// pickWord picks a word of a class: a special one, a small fraction or integer, or any.
func (g *generator) pickWord(c class) uint32 {
	switch {
	case g.chance(35):
		return pickOne(g, specials[c]...)
	case c == float:
		return math.Float32bits(float32(g.r.IntN(65)-32) / pickOne(g, float32(1), 2, 4, 10))
	case g.chance(50):
		return uint32(g.r.IntN(64))
	}
	return g.r.Uint32()
}

func (g *generator) doubleValue() float64 {
	if g.chance(35) {
		return pickOne(g, specialDoubles...)
	}
	return float64(g.r.IntN(2001)-1000) / pickOne(g, 1.0, 8, 10, 3)
}

// spellWord writes 32 bits in one of their spellings.
func (g *generator) spellWord(w uint32) string {
	v := float64(math.Float32frombits(w))
	// Exact with three decimals.
	plain := v == math.Trunc(8*v)/8 && math.Abs(v) < 1000 && (v != 0 || w == 0)
	switch k := g.r.IntN(5); {
	case plain && k < 3:
		return strconv.FormatFloat(v, 'f', 3, 32) + pickOne(g, "", "", "f")
	case k == 3:
		return strconv.FormatInt(int64(int32(w)), 10)
	}
	return fmt.Sprintf(pickOne(g, "0x%08X", "0x%x"), w)
}
