package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// sample is the observable result of one execution: channels of values over points. Points are the pixels of
// a picture or the invocations of a batch. Samples of both versions on one input have the same points.
type sample struct {
	chans []channel
	on    []bool // points that are drawn, or not killed; nil: all
	n     int
	width int       // of a picture
	parts []*sample // with their own points, such as memories
	// written is the number of changed elements of a memory.
	written int
	// loose: undefined values decide which points are on.
	loose bool
	alike bool // all points have the same input
	// wild are the points with an infinite or NaN value on the way, if recorded. unfit marks all points as
	// such.
	wild  map[int]bool
	unfit bool
	// broken, if not empty, states why the execution did not end.
	broken string
}

// channel is one output component. Point i is data[i*stride], or words[i*stride] if the component has no
// type, as in kernels. exact outputs have to stay the same term.
type channel struct {
	name   string
	exact  bool
	data   []float32
	words  []uint32 // of a channel without a type
	stride int
	loose  bool // the value depends on undefined values
}

// bitsAt returns the bits of point i.
func (c *channel) bitsAt(i int) uint32 {
	if c.data == nil {
		return c.words[i*c.stride]
	}
	return math.Float32bits(c.data[i*c.stride])
}

// picture converts the result of a draw to a sample.
func picture(img *interp.Image) *sample {
	s := &sample{on: img.Covered, n: img.W * img.H, width: img.W}
	for t, data := range img.Targets {
		for c := range 4 {
			if data != nil && img.Written[t].Has(c) {
				name := fmt.Sprintf("oC%d.%c", t, "xyzw"[c])
				s.chans = append(s.chans, channel{name: name, data: data[c:], stride: 4})
			}
		}
	}
	if img.Depth != nil {
		s.chans = append(s.chans, channel{name: "oDepth", data: img.Depth, stride: 1})
	}
	return s
}

// batch converts the results of n invocations to a sample. With fixed, it takes only outputs that feed fixed
// function. Channels are sorted by name, so that those of two models line up.
func batch(sh *interp.Shader, res *interp.Result, n int, fixed bool) *sample {
	s := &sample{n: n}
	if res.Killed != nil {
		s.on = make([]bool, n)
		for i, k := range res.Killed {
			s.on[i] = !k
		}
	}
	for i, p := range sh.Outputs() {
		exact := p.Reg.File == d3d9.DepthOut ||
			sh.Model().Stage == d3d9.Vertex && (iface.Port{Usage: p.Usage, Index: p.Index, Set: true}).FixedFunction()
		for c := range 4 {
			if data := res.Out[i][c]; data != nil && (exact || !fixed) {
				s.chans = append(s.chans, channel{name: outputName(p, c), exact: exact, data: data, stride: 1})
			}
		}
	}
	slices.SortFunc(s.chans, func(a, b channel) int { return strings.Compare(a.name, b.name) })
	return s
}

// writes returns the number of changed elements of the memory to which an output belongs, or 0.
func (s *sample) writes(output string) int {
	for _, p := range s.parts {
		if slices.ContainsFunc(p.chans, func(c channel) bool { return c.name == output }) {
			return p.written
		}
	}
	return 0
}

// outputName returns the same name for outputs with the same meaning. Outputs of a vertex program are named
// by semantic, because models name registers differently.
func outputName(p interp.Port, c int) string {
	switch p.Reg.File {
	case d3d9.Output, d3d9.RastOut, d3d9.AttrOut, d3d9.TexOut:
		return fmt.Sprintf("%s%d.%c", p.Usage, p.Index, "xyzw"[c])
	}
	return fmt.Sprintf("%s.%c", p.Reg, "xyzw"[c])
}

// contrast describes how two samples differ.
type contrast struct {
	points    int // on in either sample
	differing int
	exact     bool   // some differ in an output that has to stay the same term
	typeless  bool   // some differ in words that are probably no floats
	loose     bool   // equality by rung 3 would explain the differences
	doubtful  bool   // too few unexplained differences for a verdict
	overflows bool   // unexplained differences occur only with nearly infinite numbers
	few       bool   // few points differ, and rung 3 confirms the difference
	first     point  // first difference
	maxULP    uint32 // of all channels at equal points
	// shape names an output that only one version has.
	shape string
}

// apart reports whether point i is skipped, because of values on the way.
func (s *sample) apart(o *sample, i int) bool { return s.unfit || o.unfit || s.wild[i] || o.wild[i] }

// coverage is the pseudo-output for points that only one version covers.
const coverage = "coverage"

// point is a difference: its place, its output and the values.
type point struct {
	index         int
	output        string
	before, after uint32
}

// judge reports whether two values of a channel are equal. NaN equals NaN in typed channels.
type judge func(c *channel, b, a uint32) bool

// sameBits accepts equal bits.
func sameBits(c *channel, b, a uint32) bool {
	return b == a || c.words == nil && isNaN(b) && isNaN(a)
}

// isNaN reports whether bits are a NaN: without the sign, larger than infinity (IEEE 754, 3.4).
func isNaN(bits uint32) bool { return bits&^symbolic.SignBit > 0x7f800000 }

// tolerance is the largest relative distance of values that are equal over the reals: 2^14 roundings of
// 2^-24. A larger distance needs an explanation (see unexplained).
const tolerance = 1.0 / 1024

// plausible reports whether a word without a type is probably a float: zero, or of a size from 2^-40 to 2^64.
// Counts, flags and addresses seldom have that size.
func plausible(bits uint32) bool {
	const low, high = (127 - 40) << 23, (127 + 64) << 23
	size := bits &^ symbolic.SignBit
	return size == 0 || size >= low && size < high
}

// closeEnough accepts values within the tolerance, but only equal bits in outputs that have to stay the same
// term.
func closeEnough(c *channel, b, a uint32) bool {
	return sameBits(c, b, a) || !c.exact && closeBy(c, b, a)
}

// describeDifference describes the difference in an output.
func (c *contrast) describeDifference(output string) string {
	if c.shape != "" {
		return "R2: " + c.shape
	}
	return fmt.Sprintf("R2: %s differs in %d of %d points", output, c.differing, c.points)
}

// compare contrasts two samples of the same input. A point counts once, by its first channel that differs.
// Points that neither version covers, or wild ones, do not count.
func compare(before, after *sample, equal judge) *contrast {
	c := &contrast{shape: after.broken}
	for i := 0; i < max(len(before.chans), len(after.chans)) && c.shape == ""; i++ {
		switch {
		case i >= len(before.chans):
			c.shape = after.chans[i].name + " is of one version alone"
		case i >= len(after.chans) || before.chans[i].name != after.chans[i].name:
			c.shape = before.chans[i].name + " is of one version alone"
		}
	}
	if c.shape != "" || before.loose {
		return c
	}
	for i := range before.n {
		if before.apart(after, i) {
			continue
		}
		onB, onA := before.on == nil || before.on[i], after.on == nil || after.on[i]
		if !onB && !onA {
			continue
		}
		c.points++
		if onB != onA {
			c.differs(point{i, coverage, math.Float32bits(truth(onB)), math.Float32bits(truth(onA))})
			continue
		}
		c.point(before, after, i, equal)
	}
	for k, part := range before.parts[:min(len(before.parts), len(after.parts))] {
		c.mergeContrast(compare(part, after.parts[k], equal))
	}
	return c
}

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

func (c *contrast) differs(p point) {
	if c.differing == 0 {
		c.first = p
	}
	c.differing++
}

// point compares one point that both versions cover.
func (c *contrast) point(before, after *sample, i int, equal judge) {
	for k := range before.chans {
		ch := &before.chans[k]
		if b, a := ch.bitsAt(i), after.chans[k].bitsAt(i); !ch.loose && !equal(ch, b, a) {
			c.exact = c.exact || ch.exact
			c.typeless = c.typeless || ch.words != nil && !(plausible(b) && plausible(a))
			c.differs(point{i, ch.name, b, a})
			return
		}
	}
	for k := range before.chans {
		b, a := before.chans[k].bitsAt(i), after.chans[k].bitsAt(i)
		if before.chans[k].loose {
			continue
		}
		if b != a && before.chans[k].words != nil && !(plausible(b) && plausible(a)) {
			continue
		}
		c.maxULP = max(c.maxULP, ulpDistance(math.Float32frombits(b), math.Float32frombits(a)))
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
