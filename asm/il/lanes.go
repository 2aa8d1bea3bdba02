package il

// Lanes is a set of lanes, bit 0 = x .. bit 3 = w.
type Lanes uint8

// AllLanes are x, y, z and w.
const AllLanes Lanes = 0xf

// Has reports whether lane (0..3) is in the set.
func (l Lanes) Has(lane int) bool { return l>>lane&1 != 0 }

// Count returns the size of the set.
func (l Lanes) Count() int { return int(l&1 + l>>1&1 + l>>2&1 + l>>3&1) }

// Write is the effect of an instruction on one lane of its destination.
type Write uint8

// The effects on a lane.
const (
	Keep   Write = iota // unchanged; spelt _ or omitted
	Result              // the result; spelt as the lane's letter
	Zero                // 0.0 instead of the result; spelt 0
	One                 // 1.0 instead of the result; spelt 1
)

// Mask is a write mask: a Write for each of four lanes, two bits a lane, lane x lowest.
// mov r0.x_01, r1 computes x, keeps y, and sets z to 0.0 and w to 1.0.
type Mask uint8

// MaskAll computes all four lanes.
const MaskAll Mask = 0x55

// MakeMask packs the writes of four lanes into a mask.
func MakeMask(x, y, z, w Write) Mask { return Mask(x | y<<2 | z<<4 | w<<6) }

// WriteAt returns the write of lane (0..3).
func (m Mask) WriteAt(lane int) Write { return Write(m>>(2*lane)) & 3 }

// set replaces the write of a lane.
func (m *Mask) set(lane int, w Write) { *m = *m&^(3<<(2*lane)) | Mask(w)<<(2*lane) }

// Computed returns the lanes that receive the result.
func (m Mask) Computed() Lanes { return m.lanes(func(w Write) bool { return w == Result }) }

// Written returns the lanes that are written, including constants.
func (m Mask) Written() Lanes { return m.lanes(func(w Write) bool { return w != Keep }) }

// lanes returns the lanes whose write satisfies in.
func (m Mask) lanes(in func(Write) bool) (l Lanes) {
	for i := range 4 {
		if in(m.WriteAt(i)) {
			l |= 1 << i
		}
	}
	return l
}

// Sel is the selection at one place of a swizzle: a component, or the bits of 0.0 or 1.0.
type Sel uint8

// The selections.
const (
	SelX Sel = iota
	SelY
	SelZ
	SelW
	Sel0
	Sel1
	SelNone // nothing is read
)

// selNames are the spellings of selections; the first four are also those of lanes.
const selNames = "xyzw01"

// Swizzle is a selection of up to four components as written. The zero Swizzle is empty and selects
// xyzw.
//
// It has three bits per place, the first lowest, and above them the number of places. The number is
// part of the meaning: see Packed.
type Swizzle uint16

// MakeSwizzle packs up to four selections.
func MakeSwizzle(places ...Sel) Swizzle {
	s := Swizzle(len(places)) << 12
	for k, sel := range places {
		s |= Swizzle(sel) << (3 * k)
	}
	return s
}

// Len returns the number of places written, 0 for no swizzle.
func (s Swizzle) Len() int { return int(s >> 12) }

// SelectionAt returns the selection at place k, which must exist.
func (s Swizzle) SelectionAt(k int) Sel { return Sel(s>>(3*k)) & 7 }

// Vector returns the selection for an operand that is read as a vector: the places in order, the
// last one repeated. Coordinates and factors of dot products are read like this.
func (s Swizzle) Vector() [4]Sel {
	n := s.Len()
	if n == 0 {
		return [4]Sel{SelX, SelY, SelZ, SelW}
	}
	var v [4]Sel
	for k := range v {
		v[k] = s.SelectionAt(min(k, n-1))
	}
	return v
}

// Packed returns the selection for each lane that m computes, and SelNone for the others.
//
// One place serves every lane, and four places belong to the four lanes. Two or three places are
// assigned to the computed lanes in order: .xy written to .zw moves x to z and y to w. If there are
// fewer places than lanes, the last one is repeated; no known program depends on this.
func (s Swizzle) Packed(m Mask) [4]Sel {
	v := s.Vector()
	packed := s.Len() == 2 || s.Len() == 3
	var lanes [4]Sel
	k := 0
	for i := range lanes {
		switch {
		case m.WriteAt(i) != Result:
			lanes[i] = SelNone
		case packed:
			lanes[i] = v[k]
			k++
		default:
			lanes[i] = v[i]
		}
	}
	return lanes
}
