package draw

import (
	"fmt"

	"github.com/shaderlift/shaderlift/budget"
)

// Pipe is a part of a GPU that works beside the others.
type Pipe uint8

// The pipes.
const (
	Arithmetic Pipe = iota
	Special         // functions, and on some interpolation
	Texture
	Output
	Vertex    // vertex programs where they have units of their own
	Primitive // what brings vertices in, and what they send to where pixel programs read it
	NumPipes
)

var pipeNames = [NumPipes]string{"arithmetic", "special functions", "texture", "output", "vertex", "primitives"}

func (p Pipe) String() string { return pipeNames[p] }

// Load is what a draw has to do in each pipe for a pixel, in the unit of its target.
type Load [NumPipes]float64

// Texel is what textures hold.
type Texel uint8

// The texels.
const (
	RGBA8 Texel = iota
	RGBA16F
	RGBA32F
	numTexels
)

// Write is what is done with the colour of a pixel.
type Write uint8

// The writes.
const (
	NoWrite Write = iota
	WriteRGBA8
	BlendRGBA16F
	numWrites
)

// Scene is what a draw is drawn with.
type Scene struct {
	Texel           Texel
	Write           Write
	PixelsPerVertex float64
}

// Target is a GPU, or a family of such, as draws are priced for it. The unit of its prices
// is the time in which it does one multiply-add on one component, or one instruction where
// these take vectors, in as many pixels as it does so at a time.
// Times of pipes are in that unit, too.
type Target struct {
	Name, Doc string
	// One of these says how programs are priced.
	scalars *scalars
	groups  *groups
	vectors *vectors
	export  float64 // what a component takes that leaves the vertex program
	// primitives is what a vertex takes, with the triangles that it stands for, by how many
	// components the pixel program reads, and attribute what each of its attributes does. They
	// have units of their own.
	primitives []float64
	attribute  float64
	linking    linking
	// fetch is what a filtered fetch takes of the texture units by texel, and write what a
	// pixel takes of the output.
	fetch [numTexels]float64
	write [numWrites]float64
	// Where the programs' prices come from, that of export, and those of fetch and write.
	prices, exports, rates Source
}

// ByName finds a target.
func ByName(name string) (*Target, error) {
	for i := range targets {
		if targets[i].Name == name {
			return &targets[i], nil
		}
	}
	return nil, fmt.Errorf("there is no target %q", name)
}

// Price is what a draw costs on a target: what it has to do for a pixel and for a vertex, by pipe.
// How long that takes depends on the scene.
type Price struct {
	Target        *Target
	Pixel, Vertex Load
	// Operations of the pixel program before they are packed, on targets that do so: how many
	// instructions or groups they fill hangs on their order as well.
	Operations int
	pixels     bool // there is a pixel program
}

// Price prices d, as long as the budgets of its programs last.
func (t *Target) Price(d *Draw) (p Price, err error) {
	defer budget.Catch(&err)
	p.Target = t
	d.poll()
	q := d.view(t.linking)
	if p.pixels = q.pixel != nil; p.pixels {
		p.Pixel, p.Operations = d.memo.load(t, q.pixel)
	}
	if q.vertex != nil {
		p.Vertex, _ = d.memo.load(t, q.vertex)
		p.Vertex[Arithmetic] += t.export * float64(q.sent)
		p.Vertex[Primitive] = max(t.primitive(q.sent), t.attribute*float64(q.vertex.attributes()))
	}
	return p, nil
}

// primitive is what a vertex takes of which the pixel program reads n components: the measured
// figure, or beyond the table a continuation by its mean slope.
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

// loads is what a stage has to do, by how often its parts run.
type loads [numRuns]Load

// add adds to the load of a pipe.
func (l *loads) add(p Pipe, x often) {
	for k := range l {
		l[k][p] += x[k]
	}
}

// spread adds to the arithmetic what a schedule comes to in which every operation ran once: so many
// of them, which run so often together.
func (l *loads) spread(x float64, operations int, ran often) {
	for k := range l {
		if l[k][Arithmetic] = x; operations > 0 {
			l[k][Arithmetic] *= ran[k] / float64(operations)
		}
	}
}

// load is what a stage has to do, in so many operations.
func (t *Target) load(s *stage) (loads, int) {
	if t.vectors != nil {
		return t.vectors.load(s)
	}
	if t.groups != nil {
		return t.groups.load(s)
	}
	return t.scalars.load(s), 0
}

// Quick reports whether prices take no packing of groups.
func (t *Target) Quick() bool { return t.scalars != nil }

// Work is the sum over the parts of the GPU, fetches and output aside: unlike a time, it shows a
// saving in a part that is not the busiest.
func (l *Load) Work() float64 { return l[Arithmetic] + l[Special] + l[Vertex] + l[Primitive] }

// Work is what the draw does for a pixel.
func (p *Price) Work(pixelsPerVertex float64) float64 {
	return p.Pixel.Work() + p.Vertex.Work()/pixelsPerVertex
}

// Times are how long each part of the target has to do for a pixel in a scene.
func (p *Price) Times(s Scene) (times [NumPipes]float64) {
	for pipe := range NumPipes {
		x := p.Pixel[pipe] + p.Vertex[pipe]/s.PixelsPerVertex
		switch pipe {
		case Texture:
			x *= p.Target.fetch[s.Texel]
		case Output:
			if p.pixels {
				x = p.Target.write[s.Write]
			}
		}
		times[pipe] = x
	}
	return times
}

// Time is how long a pixel takes in a scene, and in which part: pipes work side by side, so the
// busiest decides.
func (p *Price) Time(s Scene) (t float64, by Pipe) {
	for pipe, x := range p.Times(s) {
		if x > t {
			t, by = x, Pipe(pipe)
		}
	}
	return t, by
}

// Targets lists the machines that draws are priced for.
func Targets() []*Target {
	list := make([]*Target, len(targets))
	for i := range targets {
		list[i] = &targets[i]
	}
	return list
}
