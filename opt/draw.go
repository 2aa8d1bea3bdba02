package opt

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/naming"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/draw"
)

// DefaultPixelsPerVertex is the assumed number of pixels per vertex.
const DefaultPixelsPerVertex = 256

// DrawCosts is the cost of a draw on a GPU, with a pair or with one Direct3D 9 program.
type DrawCosts struct {
	Target string    `json:"target"`
	Before DrawCost  `json:"before"`
	After  *DrawCost `json:"after,omitempty"`
}

// CurrentCost returns the cost after optimization; an unchanged draw keeps its cost.
func (c *DrawCosts) CurrentCost() DrawCost {
	if c.After != nil {
		return *c.After
	}
	return c.Before
}

// DrawCost is the cost of a draw per pixel. The unit is a multiply-add of one component, or an
// instruction on GPUs whose instructions do more.
type DrawCost struct {
	// Time is the time per pixel, with filtered textures of four bytes a texel and a target of four
	// bytes a pixel. Bound is the busiest unit of the GPU.
	Time  float64 `json:"time"`
	Bound string  `json:"bound"`
	// The shares of the pixel program, and the cost of a vertex.
	Arithmetic float64 `json:"arithmetic"`
	Special    float64 `json:"special"` // function units and interpolators
	Fetches    float64 `json:"fetches"`
	Vertex     float64 `json:"vertex"`
	// Parts is the time of each busy unit of the GPU, by its name.
	Parts map[string]float64 `json:"parts,omitempty"`
}

// targets splits the list of targets.
func (o *Options) targets() []string {
	if o.Target == "" {
		return nil
	}
	return strings.Split(o.Target, ",")
}

// names reports whether the list of targets contains a target.
func (o *Options) names(target string) bool { return slices.Contains(o.targets(), target) }

// countsSlots reports whether the cost of Direct3D 9 programs is slots, not the price of a draw.
func (o *Options) countsSlots() bool { return len(o.gpuNames()) == 0 }

// gpuNames returns the targets without the one that counts slots.
func (o *Options) gpuNames() []string {
	return slices.DeleteFunc(o.targets(), func(name string) bool { return name == SlotTarget })
}

// Targets returns the names that Options.Target may contain.
func Targets() []string {
	names := append([]string{SlotTarget, PortableTarget}, chip.Names()...)
	for _, t := range draw.Targets() {
		if !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// checkTarget rejects unknown targets.
func (o *Options) checkTarget() error {
	for _, name := range o.targets() {
		if !slices.Contains(Targets(), name) {
			meant := cmp.Or(naming.Suggest(name, Targets()), "; want some of "+strings.Join(Targets(), ", "))
			return asm.Errorf(asm.Pos{File: "<options>"}, "unknown-target", "unknown target %q%s", name, meant)
		}
	}
	if o.PixelsPerVertex < 0 || o.PixelsPerVertex != o.PixelsPerVertex {
		return asm.Errorf(asm.Pos{File: "<options>"}, "pixels-per-vertex", "--pixels-per-vertex %g is out of range",
			o.PixelsPerVertex)
	}
	return nil
}

// drawTargets returns the GPUs that draws are priced for; empty means that slots are counted. A target for
// kernels alone is an error.
func (o *Options) drawTargets() (list []*draw.Target, err error) {
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
			return nil, asm.Errorf(asm.Pos{File: "<options>"}, "wrong-target",
				"Direct3D 9 programs need %s, %s or a GPU (%s) as --target, not %s",
				SlotTarget, PortableTarget, strings.Join(known, ", "), name)
		}
		list = append(list, t)
	}
	return list, nil
}

// scene returns the draw whose time is reported: textures of four bytes a texel and a target of four
// bytes a pixel.
func (o *Options) scene() draw.Scene {
	s := draw.Scene{Texel: draw.RGBA8, Write: draw.WriteRGBA8, PixelsPerVertex: o.PixelsPerVertex}
	if s.PixelsPerVertex == 0 {
		s.PixelsPerVertex = DefaultPixelsPerVertex
	}
	return s
}

// drawOf returns the draw of a pair, or of one program, to be priced within b.
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

// draws notes in r the cost of a draw on the targets of o, as the cost before.
func (r *Result) draws(o *Options, b *budget.Budget, programs []*d3d9.Program) error {
	costs, err := o.drawCosts(r, b, programs)
	for _, c := range costs {
		r.Draws = append(r.Draws, DrawCosts{Target: c.target, Before: c.DrawCost})
	}
	return err
}

// drawsAfter notes the costs after. If the time limit expires meanwhile, r gets no costs at all.
func (r *Result) drawsAfter(o *Options, b *budget.Budget, programs []*d3d9.Program) {
	costs, err := o.drawCosts(r, b, programs)
	if budget.IsExhausted(err) {
		r.Draws = nil
		r.noteExhausted(err, "the time cannot be predicted")
	}
	if err != nil || len(costs) != len(r.Draws) {
		return
	}
	for i := range costs {
		r.Draws[i].After = &costs[i].DrawCost
	}
}

// targetCost is the cost of a draw on a target.
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

// drawCosts prices a draw on the targets of o. Programs without a price give an empty list and no
// error; a remark in r has the reason.
func (o *Options) drawCosts(r *Result, b *budget.Budget, programs []*d3d9.Program) (list []targetCost, err error) {
	gpus, err := o.drawTargets()
	if err != nil || len(gpus) == 0 {
		return nil, err
	}
	d, err := drawOf(b, programs)
	if err != nil {
		for _, x := range diagsOf(err) {
			r.remark(x.Pos, x.Code, "the time cannot be predicted: "+x.Msg)
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
