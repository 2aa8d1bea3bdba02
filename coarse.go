package shaderlift

import (
	"fmt"
	"maps"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/coarsen"
	"github.com/shaderlift/shaderlift/machine/sim"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/tile"
)

// Coarsened is what the host has to do where an invocation of a kernel does the work of several
// of the kernel as it came.
type Coarsened struct {
	// Tile is which: X across and Y down of the domain, or of tables.
	Tile tile.Tile `json:"tile"`
	// Divide is what the sides of the domain are divided by, across and down. They have to be
	// divisible, unless the kernel does no harm beyond the domain.
	Divide [2]int `json:"divide_domain"`
	// Outputs tell which output holds which of an invocation, by how far that is from the first
	// one of its tile, in the domain and in the tables. What is stored goes where it went.
	Outputs []CoarseOutput `json:"outputs,omitempty"`
	// Tables are resources that have to hold coordinates of the first invocations of tiles alone.
	Tables []CoarseTable `json:"tables,omitempty"`
}

// CoarseOutput says that output Holds holds what output Of held of the invocation At.
type CoarseOutput struct {
	Holds string `json:"holds"`
	Of    string `json:"of"`
	At    [2]int `json:"at"`
}

// CoarseTable is a resource that holds the first coordinate of each tile, of which there are so
// many.
type CoarseTable struct {
	Resource int    `json:"resource"`
	Axis     string `json:"axis"` // across or down
	Count    int    `json:"count"`
}

// coarsened is what the host has to do for t, where the kernel as it came has so many outputs.
func coarsened(t tile.Tile, outputs int) *Coarsened {
	if !t.Coarse() {
		return nil
	}
	c := &Coarsened{Tile: t, Divide: t.Scale()}
	for k := range t.Count() {
		for m := range outputs {
			i, j := t.At(k)
			c.Outputs = append(c.Outputs, CoarseOutput{fmt.Sprintf("o%d", outputs*k+m), fmt.Sprintf("o%d", m), [2]int{i, j}})
		}
	}
	if t.XTable > 0 {
		c.Tables = append(c.Tables, CoarseTable{t.XTable - 1, "across", t.X})
	}
	if t.YTable > 0 {
		c.Tables = append(c.Tables, CoarseTable{t.YTable - 1, "down", t.Y})
	}
	return c
}

// String says it in a line.
func (c *Coarsened) String() string {
	text := fmt.Sprintf("the host launches a domain divided by %d by %d", c.Divide[0], c.Divide[1])
	for _, t := range c.Tables {
		text += fmt.Sprintf(", with where each tile begins, of %d %s, in resource %d", t.Count, t.Axis, t.Resource)
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

// tile is what Coarsen names, none if it is empty.
func (o *Options) tile() (tile.Tile, error) {
	if o.Coarsen == "" {
		return tile.Tile{}, nil
	}
	t, err := tile.Parse(o.Coarsen)
	if err != nil {
		return t, asm.Errorf(asm.Pos{File: "<options>"}, "bad-tile", "%v", err)
	}
	return t, nil
}

// coarser is a pipeline behind what Coarsen asks for.
func (o *Options) coarser(p passes.Pipeline) passes.Pipeline {
	t, err := o.tile()
	if err != nil || !t.Coarse() {
		return p
	}
	first, err := passes.Parse(coarsen.Pass.Name+"{"+t.String()+"}", []*passes.Pass{coarsen.Pass})
	if err != nil {
		panic("shaderlift: " + err.Error())
	}
	return slices.Concat(first, p)
}

// coarseLaunch is launch l of the kernel as it came as one of tiles.
func coarseLaunch(l *sim.Launch, t tile.Tile) *sim.Launch {
	d := *l
	d.Width, d.Height = t.Domain(l.Width, l.Height)
	if l.Group != [3]int{} {
		d.Groups = groups(&d)
	}
	d.Resources = maps.Clone(l.Resources)
	for id, surface := range d.Resources {
		if _, is := t.Table(id, 0); is && t.Tabled() {
			surface.Width = (surface.Width + t.Count() - 1) / t.Count()
			d.Resources[id] = surface
		}
	}
	return &d
}

// pricerOf is what prices units of tile t: launches of tiles are measured with the first version
// that is priced.
func (k *kernel) pricerOf(t tile.Tile, c *compiled) *pricer {
	if !t.Coarse() {
		return &k.pricer
	}
	p := k.coarse[t]
	if p == nil {
		l := coarseLaunch(k.pricer.launch, t)
		_, time := k.z.o.kernelCost(c.program, l)
		made := newPricer(l, &time, k.target)
		made.tile = t
		if p = &made; k.coarse == nil {
			k.coarse = map[tile.Tile]*pricer{}
		}
		k.coarse[t] = p
	}
	return p
}
