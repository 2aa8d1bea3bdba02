package kernel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/coarsen"
	"github.com/shaderlift/shaderlift/passes/fetches"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/unroll"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Coarsened lists the changes to the host program for a coarsened kernel. A thread of that kernel does
// the work of several threads of the input kernel, or reads views and resources in another form.
type Coarsened struct {
	// Tile is the tile of threads: X across and Y down the domain, the tables, or the part of a work group.
	Tile ir.Tile `json:"tile"`
	// Divide is the divisor of the sides of the domain, across and down. It has to divide the sides,
	// unless the kernel does no harm beyond the domain or Only fixes them.
	Divide [2]int `json:"divide_domain"`
	// Only is the one domain of the input kernel that this kernel is for, across and down. A 0 stands
	// for all sides that can be divided. A remainder counts as one more tile, whose outputs beyond the
	// domain are unused.
	Only [2]int `json:"only_domain,omitzero"`
	// Outputs maps each output to the thread whose result it holds. The thread is an offset from the
	// first thread of its tile, in the domain and in the tables. Stores keep their addresses.
	Outputs []CoarseOutput `json:"outputs,omitempty"`
	// Tables are the resources that must hold only the coordinates of the first threads of tiles.
	Tables []CoarseTable `json:"tables,omitempty"`
	// Packed are the one-component resources that the host must bind as vectors. All fetches must lie
	// within them.
	Packed []PackedResource `json:"packed,omitempty"`
	// Elements is the number of elements of g[] for a thread, if the kernel stores its outputs there. Output m of thread
	// (x, y) is element Elements*(Only[0]*y+x)+m. No resource may be bound to this memory. It is 0 for kernels with
	// outputs.
	Elements int `json:"elements,omitempty"`
	// Exclusive is set if no other thread and no other view may access elements of memory that a thread stores to in a
	// loop.
	Exclusive bool `json:"exclusive,omitempty"`
	// Restrict is set if no memory that the kernel writes may be bound to a view that it only reads.
	Restrict bool `json:"restrict,omitempty"`
	// Images are the views that the kernel reads as resources. It may write their memory through no other view.
	Images []ImageBinding `json:"images,omitempty"`
}

// ImageBinding states that the memory of a view is also bound to a resource, as a buffer of Width numbers an element.
type ImageBinding struct {
	View     int `json:"view"`
	Resource int `json:"resource"`
	Width    int `json:"width"`
}

// CoarseOutput states that output Holds contains the value of output Of of thread At.
type CoarseOutput struct {
	Holds string `json:"holds"`
	Of    string `json:"of"`
	At    [2]int `json:"at"`
}

// CoarseTable is a resource with the first coordinate of each of Count tiles.
type CoarseTable struct {
	Resource int    `json:"resource"`
	Axis     string `json:"axis"` // across or down
	Count    int    `json:"count"`
}

// PackedResource is a resource whose rows are By times shorter and whose elements are By times wider.
type PackedResource struct {
	Resource int `json:"resource"`
	By       int `json:"by"`
}

// Coarsen describes the changes to the host program for tile t, or returns nil if there are none.
// outputs is the number of outputs of the input kernel.
func Coarsen(t ir.Tile, outputs int) *Coarsened {
	if t.Same() {
		return nil
	}
	c := &Coarsened{Tile: t, Divide: t.Scale(), Only: [2]int{t.Width, t.Height}, Exclusive: t.Held,
		Restrict: t.Restrict}
	if t.Stored {
		c.Elements = outputs
	}
	if !t.Coarse() || t.Stored {
		outputs = 0 // outputs are unchanged, or in memory
	}
	for k := range t.Count() {
		for m := range outputs {
			i, j := t.PositionOf(k)
			at, component, all := t.Output(k, m, outputs)
			holds, of := fmt.Sprintf("o%d", at), fmt.Sprintf("o%d", m)
			if !all {
				holds, of = holds+"."+"xyzw"[component:component+1], of+".x"
			}
			c.Outputs = append(c.Outputs, CoarseOutput{holds, of, [2]int{i, j}})
		}
	}
	for _, r := range t.Texels.Resources() {
		c.Packed = append(c.Packed, PackedResource{r, t.Texels.ElementSize(r)})
	}
	for _, i := range t.Images.List() {
		c.Images = append(c.Images, ImageBinding{int(i.View), int(i.Resource), int(i.Width)})
	}
	if t.XTable > 0 {
		c.Tables = append(c.Tables, CoarseTable{t.XTable - 1, "across", t.X})
	}
	if t.YTable > 0 {
		c.Tables = append(c.Tables, CoarseTable{t.YTable - 1, "down", t.Y})
	}
	return c
}

// manyOutputs is the largest number of outputs that String lists one by one.
const manyOutputs = 8

// String describes the changes in a line.
func (c *Coarsened) String() string {
	text := fmt.Sprintf("the host must divide the sides of the domain by %d and %d", c.Divide[0], c.Divide[1])
	if side := [2]string{"any", "any"}; c.Only == [2]int{} {
		text += ", without remainders"
	} else {
		for axis, n := range c.Only {
			if n > 0 {
				side[axis] = strconv.Itoa(n)
			}
		}
		text += fmt.Sprintf(" and round up; the domain must be %s by %s", side[0], side[1])
	}
	if c.Tile.Group != 0 {
		text = fmt.Sprintf("the host must launch as many groups, each of %d times fewer threads", c.Tile.X)
	}
	if !c.Tile.Coarse() {
		text = "the host must launch the same domain"
	}
	if c.Exclusive {
		text += ", and no other invocation or view may access data that one stores in a loop"
	}
	if c.Restrict {
		text += ", and bind no memory that the kernel writes to a view that it only reads"
	}
	if c.Elements > 0 {
		text += fmt.Sprintf(", and read output m of (x, y) from element %d*(%d*y+x)+m of g[], "+
			"to whose memory no resource may be bound", c.Elements, c.Only[0])
	}
	for _, p := range c.Packed {
		text += fmt.Sprintf(", bind resource %d as float%d and divide its row length by %d", p.Resource, p.By, p.By)
	}
	for _, i := range c.Images {
		text += fmt.Sprintf(", bind the memory of view %d, which the kernel must not write, to resource %d "+
			"as a buffer of float%d", i.View, i.Resource, i.Width)
	}
	for _, t := range c.Tables {
		text += fmt.Sprintf(", and store the beginnings of tiles, of %d %s, in resource %d", t.Count, t.Axis, t.Resource)
	}
	if n := len(c.Outputs); n > manyOutputs {
		return text + fmt.Sprintf("; outputs %s to %s belong to the tile, row by row", c.Outputs[0].Holds,
			c.Outputs[n-1].Holds)
	}
	for i, o := range c.Outputs {
		if i == 0 {
			text += "; "
		} else {
			text += ", "
		}
		text += fmt.Sprintf("%s is %s of (+%d,+%d)", o.Holds, o.Of, o.At[0], o.At[1])
	}
	return text
}

// ParseTile parses the text of a tile. It returns the zero tile for an empty text. The error is a diagnostic.
func ParseTile(text string) (t ir.Tile, err error) { return t, badTile(t.UnmarshalText([]byte(text))) }

// CheckTile rejects a tile that is neither zero nor valid.
func CheckTile(t ir.Tile) error {
	if t == (ir.Tile{}) {
		return nil
	}
	return badTile(t.Check())
}

// badTile converts an error of a tile into a diagnostic.
func badTile(err error) error {
	if err == nil {
		return nil
	}
	return asm.Errorf(asm.Pos{File: "<options>"}, "bad-tile", "%v", err)
}

// Coarser adds the stages that make tiles to a pipeline. Coarsening runs first, after accumulation in
// registers if accesses are exclusive; packed fetches run last.
func Coarser(p passes.Pipeline, t ir.Tile) passes.Pipeline {
	if t.Same() {
		return p
	}
	stages := func(src string) passes.Pipeline {
		list, err := suite.Parse(src)
		if err != nil {
			panic("shaderlift: " + err.Error())
		}
		return list
	}
	if t.Coarse() {
		p = slices.Concat(stages(coarsen.Pass.Name+"{"+t.Shape().String()+"}"), p)
	}
	if t.Restrict {
		p = slices.Concat(stages(unroll.Restrict.Name), p)
	}
	if t.Held {
		p = slices.Concat(stages(unroll.Accumulate.Name), p)
	}
	for _, r := range t.Texels.Resources() {
		p = slices.Concat(p, stages(fmt.Sprintf("%s{resource=%d,width=%d}", fetches.Vectorize.Name, r,
			t.Texels.ElementSize(r))))
	}
	for _, i := range t.Images.List() {
		p = slices.Concat(p, stages(fmt.Sprintf("%s{view=%d,resource=%d,width=%d}", fetches.Images.Name, i.View, i.Resource,
			i.Width)))
	}
	return p
}

// OnlyDomain returns the sides of the one domain that the versions of a pipeline are for. A side of 0
// means every domain.
func OnlyDomain(p passes.Pipeline) (sides [2]int) {
	for _, s := range p {
		if s.Pass != coarsen.Pass {
			continue
		}
		for _, set := range s.Settings {
			if axis := slices.Index([]string{"width", "height"}, set.Name); axis >= 0 {
				sides[axis], _ = strconv.Atoi(set.Value) // a number: passes.Parse checked it
			}
		}
	}
	return sides
}

// Overruled explains why versions are priced on other domains than the requested one, or the one of the
// case: coarser versions are for one domain only.
func (o *Settings) Overruled() (list []string) {
	asked, by := o.Domain, "was requested"
	if c := o.Case; asked == [2]int{} && c != nil {
		asked, by = [2]int{c.Width, c.Height}, "the case has"
	}
	for axis, n := range o.Only {
		if n != 0 && asked[axis] != 0 && n != asked[axis] {
			list = append(list,
				fmt.Sprintf("costs are for a domain of %d %s, the only one for the coarsened kernel, not for %d, which %s",
					n, axisNames[axis], asked[axis], by))
		}
	}
	return list
}

// axisNames are the names of the sides of a domain in messages.
var axisNames = [2]string{"across", "down"}

// Uneven warns of a launch whose sides are not multiples of the tile. The behaviour of threads beyond the
// domain is unknown.
func Uneven(c *interpreter.Case, t ir.Tile) (list []string) {
	if !t.Coarse() || t.Tabled() {
		return nil
	}
	scale, only := t.Scale(), [2]int{t.Width, t.Height}
	for axis, n := range [2]int{c.Width, c.Height} {
		if n%scale[axis] != 0 && only[axis] == 0 {
			list = append(list, fmt.Sprintf("the launch has %d %s, which is not a multiple of %d: give %s=%d to repeat the last invocation beyond the domain",
				n, axisNames[axis], scale[axis], [2]string{"width", "height"}[axis], n))
		}
	}
	return list
}

// Tiled returns the launch in tiles that does the work of launch c of a kernel with the given
// number of outputs: a smaller domain, tables with an entry for each tile, and packed resources with
// shorter rows of wider elements.
func Tiled(c *interpreter.Case, t ir.Tile, outputs int) *interpreter.Case {
	d := *c
	if t.Same() {
		return &d
	}
	d.Width, d.Height = t.Domain(c.Width, c.Height)
	if d.Width != c.Width || d.Height != c.Height {
		d.Inputs = anyDomain(c.Inputs)
	}
	d.Resources = slices.Clone(c.Resources)
	for i := range d.Resources {
		r := &d.Resources[i]
		if _, ok := t.Table(r.ID, 0); ok && t.Tabled() {
			*r = r.Thinned(t.Count())
		}
		if by := t.Texels.ElementSize(r.ID); by > 1 {
			*r = r.Packed(by)
		}
	}
	for _, i := range t.Images.List() {
		d.Resources = d.WithImage(int(i.View), int(i.Resource), int(i.Width)).Resources
	}
	d.Out = nil
	held := Coarsen(t, outputs).Outputs
	for _, name := range c.Out {
		var names []string
		for _, o := range held {
			holds, _, _ := strings.Cut(o.Holds, ".")
			if of, _, _ := strings.Cut(o.Of, "."); of == name && !slices.Contains(names, holds) {
				names = append(names, holds)
			}
		}
		if names == nil {
			names = []string{name}
		}
		d.Out = append(d.Out, names...)
	}
	return &d
}
