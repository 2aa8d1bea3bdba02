package explain

import (
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/machine/draw"
)

// Cost is the price of an instruction on a GPU.
type Cost struct {
	Target string `json:"target"`
	// Time is the sum of Parts, the times for which the instruction occupies units of the GPU. They have the
	// unit of the time of a draw; that of a vertex program is for a vertex.
	Time  float64            `json:"time"`
	Parts map[string]float64 `json:"parts,omitempty"`
}

// Costs prices the instructions of the programs of a draw on GPUs. The zero value has no price.
type Costs struct {
	gpus  []*draw.Target
	loads [2][]map[asm.Pos]draw.Load // by stage, then by GPU
}

// CostsOf prices the instructions of d.
func CostsOf(d *draw.Draw, gpus []*draw.Target) (c Costs, err error) {
	for _, t := range gpus {
		vertex, pixel, err := t.Shares(d)
		if err != nil {
			return Costs{}, err
		}
		c.loads[d3d9.Vertex], c.loads[d3d9.Pixel] = append(c.loads[d3d9.Vertex], vertex), append(c.loads[d3d9.Pixel], pixel)
	}
	c.gpus = gpus
	return c, nil
}

// at returns the price of the instruction at a position of the program of a stage, on each GPU.
func (c *Costs) at(stage d3d9.Stage, pos asm.Pos) (list []Cost) {
	for i, t := range c.gpus {
		x := Cost{Target: t.Name}
		for part, time := range t.PartTimes(c.loads[stage][i][pos], draw.RGBA8) {
			if time > 0 {
				if x.Parts == nil {
					x.Parts = map[string]float64{}
				}
				x.Parts[draw.Pipe(part).String()] = time
				x.Time += time
			}
		}
		list = append(list, x)
	}
	return list
}

// Add adds the prices of the instructions of programs to list.
func (c *Costs) Add(programs []*d3d9.Program, list []Program) {
	for i, q := range programs {
		n := 0
		for _, inst := range Statements(q) {
			list[i].Instructions[n].Costs = c.at(q.Model.Stage, inst.Pos)
			n++
		}
	}
}

// heading and row return the columns of GPUs in a listing.
func (c *Costs) heading() string {
	var b strings.Builder
	for _, t := range c.gpus {
		fmt.Fprintf(&b, " %7s", t.Name)
	}
	return b.String()
}

func (c *Costs) row(stage d3d9.Stage, pos asm.Pos) string {
	var b strings.Builder
	for _, x := range c.at(stage, pos) {
		fmt.Fprintf(&b, " %7.4g", x.Time)
	}
	return b.String()
}
