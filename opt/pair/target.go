package pair

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

// Target states how costs are counted. It is a list, with commas, of SlotTarget, PortableTarget, DesktopTarget,
// PhonesTarget, VulkanTarget and names of GPUs.
type Target string

// SlotTarget counts instruction slots, according to the tables of the shader models. PortableTarget
// stands for all GPUs of desktops that draws are priced for, on which times may rise slightly. DesktopTarget names the
// same GPUs, and PhonesTarget those of phones. VulkanTarget stands for all GPUs that run SPIR-V: those of phones, and
// those of desktops with scalar instructions.
const (
	SlotTarget     Target = "d3d9"
	PortableTarget Target = "portable"
	DesktopTarget  Target = "desktop"
	PhonesTarget   Target = "phones"
	VulkanTarget   Target = "vulkan"
)

// Limits of the number of pixels per vertex. Beyond them, times overflow or lose the vertices.
const (
	minPixels = 1e-6
	maxPixels = 1e12
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

// ParseTarget reads a list of targets. The error is a diagnostic that lists them.
func ParseTarget(text string) (Target, error) { return Target(text), Target(text).Check() }

func (t Target) names() (list []Target) {
	for name := range strings.SplitSeq(string(t), ",") {
		if t != "" {
			list = append(list, Target(name))
		}
	}
	return list
}

// Has reports whether the list contains a target.
func (t Target) Has(name Target) bool { return slices.Contains(t.names(), name) }

// CountsSlots reports whether the cost is slots, not the price of a draw.
func (t Target) CountsSlots() bool {
	return !slices.ContainsFunc(t.names(), func(name Target) bool { return name != SlotTarget })
}

// NamesGPUs reports whether the list names single GPUs only.
func (t Target) NamesGPUs() bool {
	kinds := []Target{SlotTarget, PortableTarget, DesktopTarget, PhonesTarget, VulkanTarget}
	return t != "" && !slices.ContainsFunc(t.names(), func(name Target) bool { return slices.Contains(kinds, name) })
}

// Targets returns the names that a list of targets may contain, for any kind of input.
func Targets() []string {
	names := []string{string(SlotTarget), string(PortableTarget), string(DesktopTarget), string(PhonesTarget), string(VulkanTarget)}
	names = append(names, chip.Names()...)
	for _, t := range draw.Targets() {
		if !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// Check rejects unknown targets.
func (t Target) Check() error {
	for _, name := range t.names() {
		if !slices.Contains(Targets(), string(name)) {
			meant := cmp.Or(naming.Suggest(string(name), Targets()), "; want some of "+strings.Join(Targets(), ", "))
			return asm.Errorf(asm.Pos{File: "<options>"}, "unknown-target", "unknown target %q%s", name, meant)
		}
	}
	return nil
}

// CheckPixels rejects a number of pixels per vertex that is out of range.
func CheckPixels(perVertex float64) error {
	if perVertex == 0 || perVertex >= minPixels && perVertex <= maxPixels {
		return nil
	}
	return asm.Errorf(asm.Pos{File: "<options>"}, "pixels-per-vertex", "--pixels-per-vertex %g is out of range (want %g to %g)",
		perVertex, minPixels, maxPixels)
}

// GPUs returns the GPUs that draws are priced for, each once; empty means that slots are counted. A target for
// kernels alone is an error.
func (t Target) GPUs() (list []*draw.Target, err error) {
	add := func(t *draw.Target) {
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	for _, name := range t.names() {
		switch name {
		case SlotTarget:
			continue
		case PortableTarget, DesktopTarget, PhonesTarget, VulkanTarget:
			for _, t := range draw.Targets() {
				desktop, phone := name != PhonesTarget, name == PhonesTarget || name == VulkanTarget
				if t.Phone && phone || !t.Phone && desktop && (name != VulkanTarget || t.Quick()) {
					add(t)
				}
			}
			continue
		}
		t, err := draw.ByName(string(name))
		if err != nil {
			var known []string
			for _, t := range draw.Targets() {
				known = append(known, t.Name)
			}
			return nil, asm.Errorf(asm.Pos{File: "<options>"}, "wrong-target",
				"draws need %s, %s, %s, %s, %s or a GPU (%s) as --target, not %s",
				SlotTarget, PortableTarget, DesktopTarget, PhonesTarget, VulkanTarget, strings.Join(known, ", "), name)
		}
		add(t)
	}
	return list, nil
}

// Scene returns the draw whose time is reported: textures of four bytes a texel and a target of four
// bytes a pixel. 0 pixels per vertex stand for DefaultPixelsPerVertex.
func Scene(pixelsPerVertex float64) draw.Scene {
	return draw.Scene{Texel: draw.RGBA8, Write: draw.WriteRGBA8,
		PixelsPerVertex: cmp.Or(pixelsPerVertex, DefaultPixelsPerVertex)}
}

// DrawOf returns the draw of a pair, or of one program, to be priced within b.
func DrawOf(b *budget.Budget, programs []*d3d9.Program) (*draw.Draw, error) {
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

// CostOfDraw converts a price to its form in reports, for one scene.
func CostOfDraw(p *draw.Price, s draw.Scene) DrawCost {
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
