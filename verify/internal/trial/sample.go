package trial

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Sample is the observable result of one execution: channels of values over points. Points are the pixels of
// a picture or the invocations of a batch. Samples of both versions on one input have the same points.
type Sample struct {
	chans []Channel
	on    []bool // points that are drawn, or not killed; nil: all
	N     int
	width int       // of a picture
	parts []*Sample // with their own points, such as memories
	// written is the number of changed elements of a memory.
	written int
	// loose: undefined values decide which points are on.
	loose bool
	Alike bool // all points have the same input
	// Wild are the points with an infinite or NaN value on the way, if recorded. unfit marks all points as
	// such.
	Wild  map[int]bool
	Unfit bool
	// Broken, if not empty, states why the execution did not end.
	Broken string
}

// Channel is one output component. Point i is data[i*stride], or words[i*stride] if the component has no
// type, as in kernels. exact outputs have to stay the same term.
type Channel struct {
	name   string
	exact  bool
	data   []float32
	words  []uint32 // of a channel without a type
	stride int
	loose  bool // the value depends on undefined values
}

// bitsAt returns the bits of point i.
func (c *Channel) bitsAt(i int) uint32 {
	if c.data == nil {
		return c.words[i*c.stride]
	}
	return math.Float32bits(c.data[i*c.stride])
}

// ofImage converts the result of a draw to a sample.
func ofImage(img *interp.Image) *Sample {
	s := &Sample{on: img.Covered, N: img.W * img.H, width: img.W}
	for t, data := range img.Targets {
		for c := range 4 {
			if data != nil && img.Written[t].Has(c) {
				name := fmt.Sprintf("oC%d.%c", t, "xyzw"[c])
				s.chans = append(s.chans, Channel{name: name, data: data[c:], stride: 4})
			}
		}
	}
	if img.Depth != nil {
		s.chans = append(s.chans, Channel{name: "oDepth", data: img.Depth, stride: 1})
	}
	return s
}

// ofBatch converts the results of n invocations to a sample. With fixed, it takes only outputs that feed fixed
// function. Channels are sorted by name, so that those of two models line up.
func ofBatch(sh *interp.Shader, res *interp.Result, n int, fixed bool) *Sample {
	s := &Sample{N: n}
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
				s.chans = append(s.chans, Channel{name: outputName(p, c), exact: exact, data: data, stride: 1})
			}
		}
	}
	slices.SortFunc(s.chans, func(a, b Channel) int { return strings.Compare(a.name, b.name) })
	return s
}

// Writes returns the number of changed elements of the memory to which an output belongs, or 0.
func (s *Sample) Writes(output string) int {
	for _, p := range s.parts {
		if slices.ContainsFunc(p.chans, func(c Channel) bool { return c.name == output }) {
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

// apart reports whether point i is skipped, because of values on the way.
func (s *Sample) apart(o *Sample, i int) bool { return s.Unfit || o.Unfit || s.Wild[i] || o.Wild[i] }

// HasValue reports whether an output equals bits at point i.
func (s *Sample) HasValue(output string, i int, bits uint32) bool {
	if output == Coverage && i < s.N {
		return math.Float32bits(truth(s.shows(i))) == bits
	}
	for k := range s.chans {
		if ch := &s.chans[k]; ch.name == output && i < s.N {
			return ch.bitsAt(i) == bits
		}
	}
	return slices.ContainsFunc(s.parts, func(part *Sample) bool { return part.HasValue(output, i, bits) })
}
