package ilgen

import (
	"fmt"
	"strings"
)

const lanes = "xyzw"

// firstReg is the first register of a class. Registers beyond the classes belong to the generator, and
// random instructions do not write them.
var firstReg = [numClasses]int{float: 0, integer: 20, double: 40}

const (
	threadReg   = 60 + iota // see start
	coordReg                // the thread's coordinates, as floats
	scratch                 // indices and conditions
	coordinates             // of a fetch
	address                 // of an access to memory
	counterRegs             // counters of loops from here on
)

// pickRegister names a register of a class.
func (g *generator) pickRegister(c class) string {
	return fmt.Sprintf("r%d", firstReg[c]+g.r.IntN(g.regs[c]))
}

// destination names a register to write, with modifiers of the result.
func (g *generator) destination(c class, mods string) string {
	if c == float && g.early && g.outputs > 0 && g.chance(8) {
		return fmt.Sprintf("o%d%s", g.r.IntN(g.outputs), mods)
	}
	return g.pickRegister(c) + mods
}

func singleMask(lane int) string {
	return strings.Repeat("_", lane) + lanes[lane:lane+1] + strings.Repeat("_", 3-lane)
}

// pickMask picks a write mask, one character a lane: its letter, _ for a kept lane, 0 or 1. At least one lane
// is written; doubles take pairs.
func (g *generator) pickMask(c class) string {
	if c == double {
		return pickOne(g, "xy__", "__zw", "xyzw")
	}
	if g.chance(35) {
		return "xyzw"
	}
	constants := g.chance(12)
	for {
		m := []byte("____")
		for i := range m {
			switch {
			case constants && g.chance(25):
				m[i] = pickOne(g, byte('0'), '1')
			case g.chance(55):
				m[i] = lanes[i]
			}
		}
		if strings.ContainsAny(string(m), lanes) || constants && g.chance(10) && strings.ContainsAny(string(m), "01") {
			return string(m)
		}
	}
}

// spellMask writes a mask with its dot, in one of its spellings: none for all lanes, .xz or ._y or .x_z_.
func (g *generator) spellMask(m string) string {
	short := strings.ReplaceAll(m, "_", "")
	switch run := strings.Trim(m, "_"); {
	case m == lanes && g.chance(70):
		return ""
	case !strings.ContainsAny(m, "01") && g.chance(50):
		return "." + short
	case !strings.Contains(run, "_") && strings.ContainsAny(run, lanes) && g.chance(50):
		return "." + run
	}
	return "." + m
}

// operand generates a source for an instruction that computes the lanes of m that are letters. letter is
// the class of the source in the row's form.
func (g *generator) operand(letter byte, m string, negates bool) string {
	c := classOf[letter]
	computed := 0
	for i := range m {
		if m[i] == lanes[i] {
			computed++
		}
	}
	var swizzle string
	switch letter {
	case 'f', 'i':
		swizzle = g.swizzle(c, computed)
	case 'V':
		swizzle = g.swizzle(c, 1+g.r.IntN(4))
	case 'F', 'I':
		if swizzle = g.selections(c, 1); g.chance(10) {
			swizzle = g.swizzle(c, 4)
		}
	case 'D':
		swizzle = g.pairs(1, 2)
	case 'd':
		swizzle = g.pairs(computed/2, 2)
	}
	name := g.source(c)
	swizzle = within(name, swizzle)
	if swizzle != "" {
		name += "." + swizzle
	}
	return name + g.modify(letter, negates)
}

// within restricts a swizzle to the components of a register.
func within(name, swizzle string) string {
	switch {
	case name != winCoord:
		return swizzle
	case swizzle == "":
		return "xyxy"
	}
	return strings.NewReplacer("z", "x", "w", "y").Replace(swizzle)
}

// swizzle picks a swizzle for n lanes: none, one place, four places, or one for each of two or three lanes.
func (g *generator) swizzle(c class, n int) string {
	switch k := g.r.IntN(10); {
	case k < 3:
		return ""
	case k < 6:
		return g.selections(c, 1)
	case k < 8 && (n == 2 || n == 3):
		return g.selections(c, n)
	case k == 8 && n > 0 && g.chance(15):
		return g.selections(c, 2+g.r.IntN(2)) // more or fewer places than lanes
	}
	return g.selections(c, 4)
}

func (g *generator) selections(c class, n int) string {
	b := make([]byte, n)
	for i := range b {
		switch {
		case g.chance(5):
			b[i] = '0'
		case g.chance(5) && c == float:
			b[i] = '1'
		default:
			b[i] = lanes[g.r.IntN(4)]
		}
	}
	return string(b)
}

// pairs picks a swizzle that selects n doubles, or as many as most; no swizzle selects both.
func (g *generator) pairs(n, most int) string {
	if g.chance(20) {
		n = most
	}
	if n == 2 && g.chance(30) {
		return ""
	}
	s := ""
	for range n {
		s += pickOne(g, "xy", "zw")
	}
	return s
}

// source picks an operand of a class: mostly a register, else a constant, a literal, an input, a readable
// output, or an element of an array.
func (g *generator) source(c class) string {
	if !g.o.Typed && g.chance(4) {
		c = class(g.r.IntN(int(numClasses))) // the bits of another class
		if c == double && g.o.NoDouble {
			c = float
		}
	}
	switch k := g.r.IntN(100); {
	case k < 8:
		return g.constant()
	case k < 22:
		return g.literal(c)
	case k < 28 && c == float && len(g.inputs) > 0:
		return g.inputs[g.r.IntN(len(g.inputs))]
	case k < 30 && c == float && g.early && g.outputs > 0:
		return fmt.Sprintf("o%d", g.r.IntN(g.outputs))
	case k < 31 && c == integer:
		return fmt.Sprintf("r%d", threadReg)
	case k < 35 && g.memory.arrays[c] > 0:
		return g.element(c)
	}
	return g.pickRegister(c)
}

// constant names an element of the constant buffer, usually by number.
func (g *generator) constant() string {
	return fmt.Sprintf("cb0[%s]", g.index(g.consts, 20))
}

// reach is the number of elements among which an index can select, besides its offset.
const reach = 4

// index generates an index below n, with a computed part in percent of the cases: any integer, masked to
// less than reach, plus an offset that keeps it below n.
func (g *generator) index(n, percent int) string {
	if !g.chance(percent) || n < reach {
		return fmt.Sprint(g.r.IntN(n))
	}
	at := fmt.Sprintf("r%d.%c", scratch, lanes[g.r.IntN(4)])
	g.addLine("iand %s, %s, %s", at, g.component(integer), g.number(reach-1))
	if offset := g.r.IntN(n - reach + 1); offset > 0 || g.chance(10) {
		return fmt.Sprintf(pickOne(g, "%s+%d", "%s + %d", "%s +  %d"), at, offset)
	}
	return at
}

// component names one lane of a register.
func (g *generator) component(c class) string {
	return fmt.Sprintf("%s.%c", g.pickRegister(c), lanes[g.r.IntN(4)])
}

// modify picks source modifiers of the class: floats have all; doubles have the sign bit of the high word;
// integers have negation if the instruction does.
func (g *generator) modify(letter byte, negates bool) string {
	switch letter {
	case 'd', 'D':
		if g.chance(15) {
			return pickOne(g, "_neg(y)", "_neg(yw)") // the signs are in the high words
		}
		return ""
	case 'i', 'I':
		if negates && g.chance(20) {
			return pickOne(g, "_neg", "_neg(xyzw)")
		}
		return ""
	}
	mods := ""
	if g.chance(4) {
		mods += pickOne(g, "_invert", "_bias", "_x2", "_bx2", "_sign")
	}
	if g.chance(8) {
		mods += "_abs"
	}
	if g.chance(14) {
		mods += pickOne(g, "_neg", "_neg(xyzw)")
	} else if g.chance(4) {
		mods += pickOne(g, "_neg(x)", "_neg(yz)", "_neg(xzw)")
	}
	return mods
}
