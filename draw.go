package shaderlift

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/internal/suggest"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/draw"
)

// DefaultPixelsPerVertex is how many pixels a vertex is taken to stand for.
const DefaultPixelsPerVertex = 256

// DrawCosts is what a draw with a pair, or with one Direct3D 9 program, takes on a GPU.
type DrawCosts struct {
	Target string    `json:"target"`
	Before DrawCost  `json:"before"`
	After  *DrawCost `json:"after,omitempty"`
}

// Now is what the draw takes afterwards; one that is not changed takes what it did.
func (c *DrawCosts) Now() DrawCost {
	if c.After != nil {
		return *c.After
	}
	return c.Before
}

// DrawCost is what a draw takes for a pixel, in multiply-adds of one component, or in
// instructions of GPUs whose instructions take more.
type DrawCost struct {
	// Time is how long a pixel takes, with textures of four bytes a texel, filtered, and a
	// target of four bytes a pixel; Bound is the part of the GPU that has most to do.
	Time  float64 `json:"time"`
	Bound string  `json:"bound"`
	// What of it the pixel program does, and what a vertex takes.
	Arithmetic float64 `json:"arithmetic"`
	Special    float64 `json:"special"` // in units for functions, and for interpolation
	Fetches    float64 `json:"fetches"`
	Vertex     float64 `json:"vertex"`
	// Parts are how long each part of the GPU that has to do something takes, by its name.
	Parts map[string]float64 `json:"parts,omitempty"`
}

// targets splits the list of targets.
func (o *Options) targets() []string {
	if o.Target == "" {
		return nil
	}
	return strings.Split(o.Target, ",")
}

// countsSlots reports whether draws have no price, of programs of Direct3D 9.
func (o *Options) countsSlots() bool { return o.Target == "" || o.Target == SlotTarget }

// Targets are the names that Options.Target may have in its list.
func Targets() []string {
	names := append([]string{SlotTarget, PortableTarget}, chip.Names()...)
	for _, t := range draw.Targets() {
		if !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// checkTarget refuses targets that there are not.
func (o *Options) checkTarget() error {
	for _, name := range o.targets() {
		if !slices.Contains(Targets(), name) {
			meant := cmp.Or(suggest.For(name, Targets()), "; want some of "+strings.Join(Targets(), ", "))
			return asm.Errorf(asm.Pos{File: "<options>"}, "unknown-target", "there is no target %q%s", name, meant)
		}
	}
	if o.PixelsPerVertex < 0 || o.PixelsPerVertex != o.PixelsPerVertex {
		return asm.Errorf(asm.Pos{File: "<options>"}, "pixels-per-vertex", "a vertex cannot stand for %g pixels", o.PixelsPerVertex)
	}
	return nil
}

// gpus are the machines that draws are priced for; empty means that slots are counted. A target for
// kernels alone is an error here.
func (o *Options) gpus() (list []*draw.Target, err error) {
	for _, name := range o.targets() {
		switch name {
		case SlotTarget:
			continue
		case PortableTarget:
			list = append(list, draw.Targets()...)
			continue
		}
		t, err := draw.ByName(name)
		if err != nil {
			var known []string
			for _, t := range draw.Targets() {
				known = append(known, t.Name)
			}
			return nil, asm.Errorf(asm.Pos{File: "<options>"}, "wrong-target", "Direct3D 9 programs are priced for %s, %s or a GPU (%s), not for %s",
				SlotTarget, PortableTarget, strings.Join(known, ", "), name)
		}
		list = append(list, t)
	}
	return list, nil
}

// scene is the draw whose time is reported: textures of four bytes a texel, a target of four bytes
// a pixel.
func (o *Options) scene() draw.Scene {
	s := draw.Scene{Texel: draw.RGBA8, Write: draw.WriteRGBA8, PixelsPerVertex: o.PixelsPerVertex}
	if s.PixelsPerVertex == 0 {
		s.PixelsPerVertex = DefaultPixelsPerVertex
	}
	return s
}

// drawOf is the draw of a pair, or of one program, to be priced within b.
func drawOf(b *budget.Budget, programs []*d3d9.Program) (*draw.Draw, error) {
	var vs, ps *d3d9.Program
	for _, p := range programs {
		if p.Model.Stage == d3d9.Vertex {
			vs = p
		} else {
			ps = p
		}
	}
	return draw.New(b, vs, ps)
}

// draws notes in r what a draw with programs takes on the targets of o, as the price before.
func (r *Result) draws(o *Options, b *budget.Budget, programs []*d3d9.Program) error {
	costs, err := o.drawCosts(r, b, programs)
	for _, c := range costs {
		r.Draws = append(r.Draws, DrawCosts{Target: c.target, Before: c.DrawCost})
	}
	return err
}

// drawsAfter notes the prices after. If the time runs out meanwhile, r has no prices at all rather
// than half of them.
func (r *Result) drawsAfter(o *Options, b *budget.Budget, programs []*d3d9.Program) {
	costs, err := o.drawCosts(r, b, programs)
	if budget.Is(err) {
		r.Draws = nil
		r.noteExhausted(err, "no time is predicted")
	}
	if err != nil || len(costs) != len(r.Draws) {
		return
	}
	for i := range costs {
		r.Draws[i].After = &costs[i].DrawCost
	}
}

// targetCost is what a draw takes on a target.
type targetCost struct {
	target string
	DrawCost
}

// costOfDraw converts a price to its form in reports, for one scene.
func costOfDraw(p *draw.Price, s draw.Scene) DrawCost {
	time, by := p.Time(s)
	parts := map[string]float64{}
	for pipe, x := range p.Times(s) {
		if x > 0 {
			parts[draw.Pipe(pipe).String()] = x
		}
	}
	return DrawCost{
		Time: time, Bound: by.String(), Arithmetic: p.Pixel[draw.Arithmetic], Special: p.Pixel[draw.Special],
		Fetches: p.Pixel[draw.Texture], Vertex: p.Vertex[draw.Arithmetic] + p.Vertex[draw.Vertex] + p.Vertex[draw.Primitive],
		Parts: parts,
	}
}

// drawCosts prices a draw on the targets of o. Programs without a price (r has a remark with the
// reason) give an empty list and no error.
func (o *Options) drawCosts(r *Result, b *budget.Budget, programs []*d3d9.Program) (list []targetCost, err error) {
	gpus, err := o.gpus()
	if err != nil || len(gpus) == 0 {
		return nil, err
	}
	d, err := drawOf(b, programs)
	if err != nil {
		for _, x := range diagsOf(err) {
			r.remark(x.Pos, x.Code, "no time is predicted: "+x.Msg)
		}
		return nil, nil
	}
	defer d.Close()
	for _, t := range gpus {
		p, err := t.Price(d)
		if err != nil {
			return nil, err
		}
		list = append(list, targetCost{t.Name, costOfDraw(&p, o.scene())})
	}
	return list, nil
}
