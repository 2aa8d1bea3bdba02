package draw

import (
	"fmt"

	"github.com/shaderlift/shaderlift/internal/budget"
)

// Pipe is a part of a GPU that works in parallel with the others.
type Pipe uint8

// The pipes.
const (
	Arithmetic    Pipe = iota
	Special            // functions, and on some targets interpolation
	Interpolation      // on targets where it has its own unit
	Texture
	Output
	Vertex    // vertex programs with their own units
	Primitive // vertex input, and transfer of outputs to the pixel program
	numPipes
)

var pipeNames = [numPipes]string{"arithmetic", "special functions", "interpolation", "texture", "output", "vertex", "primitives"}

func (p Pipe) String() string { return pipeNames[p] }

// Load is the work of a draw in each pipe for a pixel, in the unit of its target.
type Load [numPipes]float64

// Texel is the format of textures.
type Texel uint8

// The texels.
const (
	RGBA8 Texel = iota
	RGBA16F
	RGBA32F
	numTexels
)

// Write is the operation on the colour of a pixel.
type Write uint8

// The writes.
const (
	NoWrite Write = iota
	WriteRGBA8
	BlendRGBA16F
	numWrites
)

// Scene holds the parameters of a draw that are not in its programs.
type Scene struct {
	Texel           Texel
	Write           Write
	PixelsPerVertex float64
}

// Target is a GPU, or a family of GPUs, for which draws are priced. The unit of its prices is the
// time of one multiply-add on one component, or of one vector instruction. It covers as many pixels
// as run at a time. Times of pipes have the same unit.
type Target struct {
	Name, Doc string
	// One of these describes how programs are priced.
	scalars *scalars
	groups  *groups
	vectors *vectors
	export  float64 // cost of a component output of the vertex program
	// primitives is the cost of a vertex with its share of triangles, by the number of components
	// that the pixel program reads. attribute is the cost of each vertex attribute. They have a
	// separate unit.
	primitives []float64
	attribute  float64
	linking    linking
	// fetch is the cost of a filtered fetch in the texture units, by texel. write is the cost of a
	// pixel in the output.
	fetch [numTexels]float64
	write [numWrites]float64
	// Sources of the programs' prices, of export, and of fetch and write.
	prices, exports, rates Source
	// Phone is set for GPUs of phones. slowest is set if only the slowest part of the GPU counts, and work in
	// the others may rise.
	Phone, slowest bool
}

// ByName returns the target with the given name.
func ByName(name string) (*Target, error) {
	for i := range targets {
		if targets[i].Name == name {
			return &targets[i], nil
		}
	}
	return nil, fmt.Errorf("unknown target %q", name)
}

// Price is the cost of a draw on a target: its load for a pixel and for a vertex, by pipe. The time
// depends on the scene.
type Price struct {
	target        *Target
	Pixel, Vertex Load
	// Operations counts the operations of the pixel program before packing, on targets that pack.
	// The number of filled instructions or groups also depends on their order.
	Operations int
	pixels     bool // there is a pixel program
}

// Price prices d within the budgets of its programs.
func (t *Target) Price(d *Draw) (p Price, err error) {
	defer budget.Catch(&err)
	p.target = t
	d.poll()
	q := d.programsFor(t.linking)
	if p.pixels = q.pixel != nil; p.pixels {
		p.Pixel, p.Operations = d.memo.stageLoad(t, q.pixel)
	}
	if q.vertex != nil {
		p.Vertex, _ = d.memo.stageLoad(t, q.vertex)
		p.Vertex[Arithmetic] += t.export * float64(q.sent)
		p.Vertex[Primitive] = max(t.primitive(q.sent), t.attribute*float64(q.vertex.attributes()))
	}
	return p, nil
}

// primitive returns the cost of a vertex with n components read by the pixel program. It is the
// measured figure or, beyond the table, a continuation by its mean slope.
func (t *Target) primitive(n int) float64 {
	known := len(t.primitives)
	if n < known {
		return t.primitives[n]
	}
	if known < 2 {
		return 0
	}
	slope := (t.primitives[known-1] - t.primitives[0]) / float64(known-1)
	return t.primitives[known-1] + slope*float64(n-known+1)
}

// loads is the load of a stage, by the way of counting executions.
type loads [numRuns]Load

// work is the load of a stage in each pipe, by the rates of its graph. Its code counts as run once at
// each rate.
type work struct {
	pipes [numPipes][]float64
	// operations is the number of operations and packed that of the instructions that hold them, on
	// targets that pack. Arithmetic then counts operations.
	operations, packed int
}

// load returns the load of a pipe for a sum of its work: that of instructions, not of operations.
func (w *work) load(p Pipe, x float64) float64 {
	if p == Arithmetic && w.operations > 0 {
		return float64(w.packed) * (x / float64(w.operations))
	}
	return x
}

// stageWork returns the work of a stage.
func (t *Target) stageWork(s *stage) work {
	if t.vectors != nil {
		return t.vectors.stageWork(s)
	}
	if t.groups != nil {
		return t.groups.stageWork(s)
	}
	return t.scalars.stageWork(s)
}

// stageLoad returns the load of a stage, and its number of operations.
func (t *Target) stageLoad(s *stage) (l loads, operations int) {
	w := t.stageWork(s)
	for p, tally := range w.pipes {
		for k, x := range s.total(tally) {
			l[k][p] = w.load(Pipe(p), x)
		}
	}
	return l, w.operations
}

// Quick reports whether prices need no packing.
func (t *Target) Quick() bool { return t.scalars != nil }

// FillsGroups reports whether programs on t run groups of operations.
func (t *Target) FillsGroups() bool { return t.groups != nil }

// MayWorkMore reports whether the work in some parts of t may rise if the slowest part takes no longer.
func (t *Target) MayWorkMore() bool { return t.slowest }

// Work returns the sum over the parts of the GPU, without fetches and output. Unlike a time, it
// shows a saving in a part that is not the busiest.
func (l *Load) Work() float64 {
	return l[Arithmetic] + l[Special] + l[Interpolation] + l[Vertex] + l[Primitive]
}

// Work returns the work of the draw for a pixel.
func (p *Price) Work(pixelsPerVertex float64) float64 {
	return p.Pixel.Work() + p.Vertex.Work()/pixelsPerVertex
}

// Times returns the time of each part of the target for a pixel in a scene.
func (p *Price) Times(s Scene) (times [numPipes]float64) {
	for pipe := range numPipes {
		x := p.Pixel[pipe] + p.Vertex[pipe]/s.PixelsPerVertex
		switch pipe {
		case Texture:
			x *= p.target.fetch[s.Texel]
		case Output:
			if p.pixels {
				x = p.target.write[s.Write]
			}
		}
		times[pipe] = x
	}
	return times
}

// Time returns the time of a pixel in a scene, and the part that determines it: pipes work in
// parallel, so the busiest decides.
func (p *Price) Time(s Scene) (t float64, by Pipe) {
	for pipe, x := range p.Times(s) {
		if x > t {
			t, by = x, Pipe(pipe)
		}
	}
	return t, by
}

// Targets returns the machines for which draws are priced.
func Targets() []*Target {
	list := make([]*Target, len(targets))
	for i := range targets {
		list[i] = &targets[i]
	}
	return list
}
