package shaderlift

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/coarsen"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/accumulate"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/passes/vectorfetch"
	"github.com/shaderlift/shaderlift/tile"
)

// Coarsened is what the host has to do where an invocation of a kernel does the work of several
// of the kernel as it came, or fetches from packed resources.
type Coarsened struct {
	// Tile is which: X across and Y down of the domain, or of tables.
	Tile tile.Tile `json:"tile"`
	// Divide is what the sides of the domain are divided by, across and down. They have to be
	// divisible, unless the kernel does no harm beyond the domain or Only says what they are.
	Divide [2]int `json:"divide_domain"`
	// Only is the domain of the kernel as it came that this one is for alone, across and down;
	// 0 are all that can be divided. What is left over counts as one more tile, and what
	// outputs hold of that beyond the domain is of no use.
	Only [2]int `json:"only_domain,omitzero"`
	// Outputs tell which output holds which of an invocation, by how far that is from the first
	// one of its tile, in the domain and in the tables. What is stored goes where it went.
	Outputs []CoarseOutput `json:"outputs,omitempty"`
	// Tables are resources that have to hold coordinates of the first invocations of tiles alone.
	Tables []CoarseTable `json:"tables,omitempty"`
	// Packed are resources of one number an element that have to be bound as resources of
	// vectors. What is fetched has to lie within them.
	Packed []PackedResource `json:"packed,omitempty"`
	// Exclusive says that no invocation may access elements of g[] which another one stores to
	// in a loop.
	Exclusive bool `json:"exclusive,omitempty"`
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

// PackedResource is a resource whose rows are shorter by a factor, and whose elements so much wider.
type PackedResource struct {
	Resource int `json:"resource"`
	By       int `json:"by"`
}

// coarsened describes what the host has to do for tile t, where the kernel as it came has so many
// outputs; nil if nothing.
func coarsened(t tile.Tile, outputs int) *Coarsened {
	if t.Same() {
		return nil
	}
	c := &Coarsened{Tile: t, Divide: t.Scale(), Only: [2]int{t.Width, t.Height}, Exclusive: t.Held}
	if !t.Coarse() {
		outputs = 0 // they are as they were
	}
	for k := range t.Count() {
		for m := range outputs {
			i, j := t.At(k)
			at, component, all := t.Output(k, m, outputs)
			holds, of := fmt.Sprintf("o%d", at), fmt.Sprintf("o%d", m)
			if !all {
				holds, of = holds+"."+"xyzw"[component:component+1], of+".x"
			}
			c.Outputs = append(c.Outputs, CoarseOutput{holds, of, [2]int{i, j}})
		}
	}
	for _, r := range t.Texels.Resources() {
		c.Packed = append(c.Packed, PackedResource{r, t.Texels.By(r)})
	}
	if t.XTable > 0 {
		c.Tables = append(c.Tables, CoarseTable{t.XTable - 1, "across", t.X})
	}
	if t.YTable > 0 {
		c.Tables = append(c.Tables, CoarseTable{t.YTable - 1, "down", t.Y})
	}
	return c
}

// manyOutputs are more than a line tells one by one.
const manyOutputs = 8

// String says it in a line.
func (c *Coarsened) String() string {
	text := fmt.Sprintf("the host launches a domain divided by %d by %d", c.Divide[0], c.Divide[1])
	if side := [2]string{"any", "any"}; c.Only == [2]int{} {
		text += ", which divide its sides"
	} else {
		for axis, n := range c.Only {
			if n > 0 {
				side[axis] = strconv.Itoa(n)
			}
		}
		text += fmt.Sprintf(" and rounded up, which has to be %s by %s", side[0], side[1])
	}
	if !c.Tile.Coarse() {
		text = "the host launches the same domain"
	}
	if c.Exclusive {
		text += ", in which no invocation accesses what another one stores in a loop"
	}
	for _, p := range c.Packed {
		text += fmt.Sprintf(", with resource %d bound as float%d in rows divided by %d", p.Resource, p.By, p.By)
	}
	for _, t := range c.Tables {
		text += fmt.Sprintf(", with where each tile begins, of %d %s, in resource %d", t.Count, t.Axis, t.Resource)
	}
	if n := len(c.Outputs); n > manyOutputs {
		return text + fmt.Sprintf("; %s to %s are those of the tile, row by row", c.Outputs[0].Holds, c.Outputs[n-1].Holds)
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

// coarser puts the stages that Coarsen asks for around a pipeline: coarsening (and accumulation in
// registers, if accesses are exclusive) in front, packed fetches behind.
func (o *Options) coarser(p passes.Pipeline) passes.Pipeline {
	t, err := o.tile()
	if err != nil || t.Same() {
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
	if t.Held {
		p = slices.Concat(stages(accumulate.Pass.Name), p)
	}
	for _, r := range t.Texels.Resources() {
		p = slices.Concat(p, stages(fmt.Sprintf("%s{resource=%d,width=%d}", vectorfetch.Pass.Name, r, t.Texels.By(r))))
	}
	return p
}

// only is how wide and high the domain is for which alone coarser versions are, 0 where they are
// for every domain: what coarsen was told of it, in Coarsen or in the pipeline.
func (o *Options) only() (sides [2]int) {
	p, err := o.stages(true)
	if err != nil {
		return sides
	}
	for _, s := range o.coarser(p) {
		if s.Pass != coarsen.Pass {
			continue
		}
		for _, set := range s.Settings {
			if axis := slices.Index([]string{"width", "height"}, set.Name); axis >= 0 {
				sides[axis], _ = strconv.Atoi(set.Value) // a number, as passes.Parse has seen
			}
		}
	}
	return sides
}

// overruled warns of a domain that was asked for, where coarser versions are for another one alone,
// which is then what all versions are priced on.
func (k *kernel) overruled() {
	o := &k.z.o
	asked, by := o.Domain, "was asked for"
	if c := o.KernelCase; asked == [2]int{} && c != nil {
		asked, by = [2]int{c.Width, c.Height}, "the case has"
	}
	for axis, n := range o.only() {
		if n != 0 && asked[axis] != 0 && n != asked[axis] {
			k.z.res.remark(asm.Pos{}, "other-domain", fmt.Sprintf("prices are of a domain of %d %s, for which alone the coarser kernel is, not of %d, which %s",
				n, axisNames[axis], asked[axis], by))
		}
	}
}

// axisNames are how the sides of a domain are spoken of.
var axisNames = [2]string{"across", "down"}

// uneven warns of a launch whose sides tiles do not divide. What invocations beyond it would do is
// not known.
func (k *kernel) uneven(t tile.Tile) {
	l := k.pricer.launch
	if !t.Coarse() || t.Tabled() || l == nil {
		return
	}
	scale, only := t.Scale(), [2]int{t.Width, t.Height}
	for axis, n := range [2]int{l.Width, l.Height} {
		if n%scale[axis] != 0 && only[axis] == 0 {
			k.z.res.remark(asm.Pos{}, "uneven", fmt.Sprintf("the launch has %d %s, which %d does not divide: %s=%d has the last invocation done again for those beyond",
				n, axisNames[axis], scale[axis], [2]string{"width", "height"}[axis], n))
		}
	}
}

// coarseLaunch is the launch of tiles that does the work of launch l: a smaller domain, tables with
// an entry for each tile, packed resources with shorter rows of wider elements.
func coarseLaunch(l *sim.Launch, t tile.Tile) *sim.Launch {
	d := *l
	d.Width, d.Height = t.Domain(l.Width, l.Height)
	if l.Group != [3]int{} {
		d.Groups = groups(&d)
	}
	d.Resources = maps.Clone(l.Resources)
	for id, surface := range d.Resources {
		if _, ok := t.Table(id, 0); ok && t.Tabled() {
			surface.Width = (surface.Width + t.Count() - 1) / t.Count()
			d.Resources[id] = surface
		}
		if by := t.Texels.By(id); by > 1 {
			surface.Width, surface.Bytes = (surface.Width+by-1)/by, 4*by
			d.Resources[id] = surface
		}
	}
	return &d
}

// pricerOf is the pricer for versions of tile t. That of a tile is made with its first version,
// whose simulation tells the cache hits of the others.
func (k *kernel) pricerOf(t tile.Tile, s *sched.Scheduled) *pricer {
	if t.Same() {
		return &k.pricer
	}
	p := k.coarse[t]
	if p == nil {
		l := coarseLaunch(k.pricer.launch, t)
		_, time := k.z.o.kernelCost(s, l)
		made := newPricer(l, &time, k.target)
		made.tile = t
		if p = &made; k.coarse == nil {
			k.coarse = map[tile.Tile]*pricer{}
		}
		k.coarse[t] = p
	}
	return p
}
