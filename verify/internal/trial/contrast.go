package trial

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Merge merges x into c.
func (c *Contrast) Merge(x *Contrast) {
	if c.Differing == 0 {
		c.First = x.First
	}
	if c.Shape == "" {
		c.Shape = x.Shape
	}
	c.Exact = c.Exact || x.Exact
	c.Typeless = c.Typeless || x.Typeless
	c.Points += x.Points
	c.Differing += x.Differing
	c.MaxULP = max(c.MaxULP, x.MaxULP)
}

// Contrast describes how two samples differ.
type Contrast struct {
	Points    int // on in either sample
	Differing int
	Exact     bool   // some differ in an output that has to stay the same term
	Typeless  bool   // some differ in words that are probably no floats
	Loose     bool   // equality by the field proof would explain the differences
	Doubtful  bool   // too few unexplained differences for a verdict
	Overflows bool   // unexplained differences occur only with nearly infinite numbers
	Few       bool   // few points differ, and the field proof confirms the difference
	First     Point  // first difference
	MaxULP    uint32 // of all channels at equal points
	// Shape names an output that only one version has.
	Shape string
}

// Coverage is the pseudo-output for points that only one version covers.
const Coverage = "coverage"

// Point is a difference: its place, its output and the values.
type Point struct {
	Index         int
	Output        string
	Before, After uint32
}

// judge reports whether two values of a channel are equal. NaN equals NaN in typed channels.
type judge func(c *Channel, b, a uint32) bool

// SameBits accepts equal bits.
func SameBits(c *Channel, b, a uint32) bool {
	return b == a || c.words == nil && isNaN(b) && isNaN(a)
}

// isNaN reports whether bits are a NaN: without the sign, larger than infinity (IEEE 754, 3.4).
func isNaN(bits uint32) bool { return bits&^symbolic.SignBit > 0x7f800000 }

// Tolerance is the largest relative distance of values that are equal over the reals: 2^14 roundings of
// 2^-24. A larger distance needs an explanation (see Unexplained).
const Tolerance = 1.0 / 1024

// plausible reports whether a word without a type is probably a float: zero, or of a size from 2^-40 to 2^64.
// Counts, flags and addresses seldom have that size.
func plausible(bits uint32) bool {
	const low, high = (127 - 40) << 23, (127 + 64) << 23
	size := bits &^ symbolic.SignBit
	return size == 0 || size >= low && size < high
}

// CloseEnough accepts values within the tolerance, but only equal bits in outputs that have to stay the same
// term.
func CloseEnough(c *Channel, b, a uint32) bool {
	return SameBits(c, b, a) || !c.exact && CloseBy(c, b, a)
}

// Describe describes the difference in an output.
func (c *Contrast) Describe(output string) string {
	if c.Shape != "" {
		return "execution: " + c.Shape
	}
	return fmt.Sprintf("execution: %s differs in %d of %d points", output, c.Differing, c.Points)
}

// Compare contrasts two samples of the same input. A point counts once, by its first channel that differs.
// Points that neither version covers, or wild ones, do not count.
func Compare(before, after *Sample, equal judge) *Contrast {
	c := &Contrast{Shape: after.Broken}
	for i := 0; i < max(len(before.chans), len(after.chans)) && c.Shape == ""; i++ {
		switch {
		case i >= len(before.chans):
			c.Shape = after.chans[i].name + " is of one version alone"
		case i >= len(after.chans) || before.chans[i].name != after.chans[i].name:
			c.Shape = before.chans[i].name + " is of one version alone"
		}
	}
	if c.Shape != "" || before.loose {
		return c
	}
	for i := range before.N {
		if before.apart(after, i) {
			continue
		}
		onB, onA := before.on == nil || before.on[i], after.on == nil || after.on[i]
		if !onB && !onA {
			continue
		}
		c.Points++
		if onB != onA {
			c.differs(Point{i, Coverage, math.Float32bits(truth(onB)), math.Float32bits(truth(onA))})
			continue
		}
		c.comparePoint(before, after, i, equal)
	}
	for k, part := range before.parts[:min(len(before.parts), len(after.parts))] {
		c.Merge(Compare(part, after.parts[k], equal))
	}
	return c
}

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

func (c *Contrast) differs(p Point) {
	if c.Differing == 0 {
		c.First = p
	}
	c.Differing++
}

// comparePoint compares one point that both versions cover.
func (c *Contrast) comparePoint(before, after *Sample, i int, equal judge) {
	for k := range before.chans {
		ch := &before.chans[k]
		if b, a := ch.bitsAt(i), after.chans[k].bitsAt(i); !ch.loose && !equal(ch, b, a) {
			c.Exact = c.Exact || ch.exact
			c.Typeless = c.Typeless || ch.words != nil && !(plausible(b) && plausible(a))
			c.differs(Point{i, ch.name, b, a})
			return
		}
	}
	for k := range before.chans {
		b, a := before.chans[k].bitsAt(i), after.chans[k].bitsAt(i)
		if b == a || before.chans[k].loose {
			continue
		}
		if before.chans[k].words != nil && !(plausible(b) && plausible(a)) {
			continue
		}
		c.MaxULP = max(c.MaxULP, ulpDistance(math.Float32frombits(b), math.Float32frombits(a)))
	}
}

// ulpDistance returns the number of float32 steps between a and b, or 0 if either is NaN.
func ulpDistance(a, b float32) uint32 {
	if a != a || b != b {
		return 0
	}
	x, y := ordered(a), ordered(b)
	return uint32(max(x, y) - min(x, y))
}

// ordered maps floats to integers in the same order, both zeros to 0.
func ordered(f float32) int64 {
	if b := math.Float32bits(f); b&symbolic.SignBit != 0 {
		return -int64(b &^ symbolic.SignBit)
	}
	return int64(math.Float32bits(f))
}
