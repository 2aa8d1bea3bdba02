package r600

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// kcacheLine is the number of constants in a line of the constant cache.
const kcacheLine = 16

// aluGroup prints an instruction group, one line per slot, and returns the text of the slots. The
// first line has the group's number.
func (l *lister) aluGroup(cf *CF, g *Group) (slots [NumSlots]string) {
	first := true
	for slot, in := range g.Slots {
		if in == nil {
			continue
		}
		number := ""
		if first {
			number = strconv.Itoa(l.group)
		}
		first = false
		slots[slot] = l.slotText(cf, g, slot, in)
		fmt.Fprintf(&l.b, "%7s  %c: %s\n", number, "xyzwt"[slot], slots[slot])
	}
	l.last = l.group
	l.group++
	return slots
}

// slotText returns the text of one slot. It includes the order of reads if that is not the default of
// assemblers.
func (l *lister) slotText(cf *CF, g *Group, slot int, in *Inst) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s  %s", in.Op.String()+in.OMod.String(), in.Dst)
	for i := range in.Op.Sources() {
		b.WriteString(",  ")
		b.WriteString(l.source(cf, g, &in.Src[i]))
	}
	if in.Clamp {
		b.WriteString("  CLAMP")
	}
	if usual := [2]Swizzle{Vec012, Scl210}[slot/T]; in.Swizzle != usual && in.Op.Sources() > 1 {
		b.WriteString("  " + in.Swizzle.String())
	}
	if in.Op.Predicate() {
		b.WriteString("  UPDATE_EXEC_MASK UPDATE_PRED")
	}
	return b.String()
}

// String returns d as in listings: ____ for a result that is only forwarded.
func (d Dst) String() string {
	switch d.Kind {
	case DstGPR:
		return fmt.Sprintf("R%d.%c", d.Index, "xyzw"[d.Chan])
	case DstTemp:
		return fmt.Sprintf("T%d.%c", d.Index, "xyzw"[d.Chan])
	}
	return "____"
}

// source returns an operand with its modifiers. It names constants by the window of the constant
// cache that the clause has locked for them, and literals by their position in the group.
func (l *lister) source(cf *CF, g *Group, s *Src) string {
	text := l.plain(cf, g, s)
	if s.Abs {
		text = "|" + text + "|"
	}
	if s.Neg {
		text = "-" + text
	}
	return text
}

// plain returns an operand without modifiers. PV and PS carry the number of the group that produced
// them, which is the last one.
func (l *lister) plain(cf *CF, g *Group, s *Src) string {
	ch := "xyzw"[s.Chan&3]
	switch s.Kind {
	case SrcGPR:
		if s.Rel {
			return fmt.Sprintf("R[A0.x+%d].%c", s.Index, ch)
		}
		return fmt.Sprintf("R%d.%c", s.Index, ch)
	case SrcTemp:
		return fmt.Sprintf("T%d.%c", s.Index, ch)
	case SrcPV:
		return fmt.Sprintf("PV%d.%c", l.last, ch)
	case SrcPS:
		return fmt.Sprintf("PS%d", l.last)
	case SrcConst:
		return constant(cf, s) + "." + string(ch)
	// The literals of a group are one vector: the second one is .y.
	case SrcLiteral:
		at := max(slices.Index(g.Literals, s.Bits), 0)
		return fmt.Sprintf("(0x%08X, %s).%c", s.Bits, float(s.Bits), "xyzw"[at&3])
	case SrcInline:
		switch s.Bits {
		case 1:
			return "1"
		case math.MaxUint32:
			return "-1"
		}
		return float(s.Bits)
	}
	return "____"
}

// constant returns the name of a constant: its window and its index there. It names a constant
// outside all windows by its buffer.
func constant(cf *CF, s *Src) string {
	rel := ""
	if s.Rel {
		rel = "A0.x+"
	}
	for k, lock := range cf.Locks {
		if at := int(s.Index) - kcacheLine*lock.Line; int(s.Bank) == lock.Bank && at >= 0 &&
			at < kcacheLine*max(lock.Lines, 1) {
			return fmt.Sprintf("KC%d[%s%d]", k, rel, at)
		}
	}
	return fmt.Sprintf("CB%d[%s%d]", s.Bank, rel, s.Index)
}

// float returns a word as a float, as in listings: 2.0f.
func float(bits uint32) string {
	text := strconv.FormatFloat(float64(math.Float32frombits(bits)), 'g', -1, 32)
	if !strings.ContainsAny(text, ".eIN") {
		text += ".0"
	}
	return text + "f"
}
