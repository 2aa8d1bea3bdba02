package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/machine/chip"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// platform is a form of Daga's kernel of one vertex. Beside the kernel is its launch: constants that select the model
// with a probe, as for the kernel that splitting produces.
type platform struct {
	kernel string
	views  bool // the memory of OpenCL, not resources and g[]
}

var (
	gem      = platform{kernel: "testdata/gem/gem.il"}
	gemViews = platform{kernel: "testdata/gem/gem_uav.il", views: true}
)

// gemTarget is the chip of Daga's figures, the Radeon HD 5870.
const gemTarget = "cypress"

// splitting represents the optimization that is not a pass.
const splitting = "split"

// dagas are Daga's optimizations, in the order of application: a letter, the corresponding
// pipeline, the one for views, and the published speed-up in isolation.
var dagas = []struct {
	letter, name, pipeline, views string
	published                     string
}{
	{"S", "kernel splitting", splitting, splitting, "1.7"},
	{"A", "register accumulator", "accumulate", "accumulate", "1.3"},
	{"P", "register preloading", "preload", "restrict,preload", "up to 1.6"},
	{"V", "vectorized access", "vectorize-fetches{resource=all}", "vectorize-memory", "in a figure"},
	{"U", "unrolling by four", "unroll{factor=4}", "unroll{factor=4}", "in a figure"},
}

// read returns the kernel with its launch and the options for it.
func (p platform) read() (data []byte, launch *interpreter.Case, o shaderlift.Options, err error) {
	if data, err = os.ReadFile(p.kernel); err != nil {
		return nil, nil, o, err
	}
	name := strings.TrimSuffix(p.kernel, ".il") + ".case"
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, o, err
	}
	if launch, err = interpreter.ParseCase(name, text); err != nil {
		return nil, nil, o, err
	}
	atoms, err := shaderlift.ParseConstant(fmt.Sprintf("cb0[0].x=0x%x", launch.Constants[0][0][0]))
	return data, launch, shaderlift.Options{Target: gemTarget, Keep: true, Kernel: shaderlift.KernelOptions{Case: launch},
		Host: shaderlift.HostOptions{Constants: []shaderlift.Constant{atoms}}}, err
}

// version returns the kernel with the optimizations whose bits are set.
func (p platform) version(set int) (*shaderlift.Result, error) {
	data, launch, o, err := p.read()
	if err != nil {
		return nil, err
	}
	var stages []string
	for i, d := range dagas {
		pipeline := d.pipeline
		if p.views {
			pipeline = d.views
		}
		switch {
		case set>>i&1 == 0:
		case pipeline == splitting:
			if data, err = p.chosen(data, launch, o); err != nil {
				return nil, err
			}
		default:
			stages = append(stages, pipeline)
		}
	}
	o.Pipeline = strings.Join(append(stages, "dce"), ",")
	return shaderlift.Optimize(context.Background(), shaderlift.Input{Files: []shaderlift.File{{Name: p.kernel, Data: data}}},
		o)
}

// speedup returns by how much a pipeline makes the kernel faster on a chip.
func (p platform) speedup(pipeline, target string) (float64, error) {
	data, _, o, err := p.read()
	if err != nil {
		return 0, err
	}
	o.Pipeline, o.Target = pipeline, shaderlift.Target(target)
	res, err := shaderlift.Optimize(context.Background(), shaderlift.Input{Files: []shaderlift.File{{Name: p.kernel, Data: data}}},
		o)
	if err != nil {
		return 0, err
	}
	return res.Kernel.Before.Cycles / res.Kernel.CurrentCost().Cycles, nil
}

// chosen splits a kernel and returns the part that the dispatch table selects for a launch.
func (p platform) chosen(data []byte, launch *interpreter.Case, o shaderlift.Options) ([]byte, error) {
	o.Pipeline, o.Host.Constants = "dce", nil
	s, err := shaderlift.Split(context.Background(), shaderlift.Input{Files: []shaderlift.File{{Name: p.kernel, Data: data}}},
		o, 0)
	if err != nil {
		return nil, err
	}
	file := s.Choose(func(name string) uint32 {
		var buffer, element int
		var component rune
		if _, err := fmt.Sscanf(name, "cb%d[%d].%c", &buffer, &element, &component); err != nil {
			return 0
		}
		return launch.Constants[buffer][element][strings.IndexRune("xyzw", component)]
	})
	at := slices.IndexFunc(s.Files, func(f shaderlift.File) bool { return f.Name == file })
	return s.Files[at].Data, nil
}

// dagaRegisters is the number of registers that a thread can use without spills in Daga's paper.
const dagaRegisters = 124

// compareVectors enters the figures about unrolling, vectors and memories. As in the paper, vectors hold several
// atoms, so that the loop is unrolled. Vector math is the pass vectorize.
func (d *document) compareVectors() error {
	const access = ",gvn,copyprop,vectorize-memory"
	var faster [7]float64
	for i, pipeline := range []string{"unroll{factor=2}", "unroll{factor=4}", "unroll{factor=2}" + access,
		"unroll{factor=2}" + access + ",vectorize", "unroll{factor=4}" + access + ",vectorize", "images", "stage-local"} {
		var err error
		if faster[i], err = gemViews.speedup(pipeline+",dce", gemTarget); err != nil {
			return err
		}
	}
	t, err := chip.ByName(gemTarget)
	if err != nil {
		return err
	}
	uncached, err := gemViews.speedup("stage-local,dce", "rv770")
	if err != nil {
		return err
	}
	d.compare("D06", []float64{2.3}, faster[6:], fmt.Sprintf("%.2f", uncached))
	d.compare("D07", []float64{1.2}, faster[5:6])
	d.compare("D08, D09", []float64{1, 1}, []float64{faster[1] / faster[0], faster[3] / faster[4]})
	d.compare("D10", []float64{3}, []float64{faster[3]}, fmt.Sprintf("%.2f", faster[2]))
	d.compare("D15", []float64{dagaRegisters}, []float64{float64(t.Usable())})
	return nil
}

// combinations applies Daga's optimizations alone and in all combinations.
func combinations(d *document) error {
	d.text("## Daga 2011: optimizations alone and together\n")
	type version struct {
		letters  string
		cost     shaderlift.KernelCost
		verdict  string
		speedup  float64
		expected float64 // the product of the individual speed-ups
		views    float64 // cycles of the form with raw views
		proof    string  // its verdict
	}
	var list []version
	// All subsets of the five optimizations, by bit.
	for set := range 1 << len(dagas) {
		res, err := gem.version(set)
		if err != nil {
			return err
		}
		ofViews, err := gemViews.version(set)
		if err != nil {
			return err
		}
		v := version{cost: res.Kernel.CurrentCost(), verdict: res.Verdict().String(), speedup: 1, expected: 1,
			views: ofViews.Kernel.CurrentCost().Cycles, proof: ofViews.Verdict().String()}
		for i, part := range dagas {
			if set>>i&1 != 0 {
				v.letters += part.letter
			}
		}
		if set > 0 {
			v.speedup = list[0].cost.Cycles / v.cost.Cycles
		} else {
			v.letters, v.verdict = "-", "-"
		}
		list = append(list, v)
	}
	// Speed-ups of independent optimizations multiply; list[1<<i] is optimization i alone.
	for set := range list {
		for i := range dagas {
			if set>>i&1 != 0 {
				list[set].expected *= list[1<<i].speedup
			}
		}
	}
	var rows [][]string
	for i, part := range dagas {
		v := &list[1<<i]
		rows = append(rows, []string{part.letter, part.name, "`" + part.pipeline + "`", fmt.Sprintf("%.2f", v.speedup),
			part.published, v.verdict, "`" + part.views + "`", fmt.Sprintf("%.2f", list[0].views/v.views), v.proof})
	}
	d.text(`The kernel `+"`%s`"+` follows Daga's GEM. Each invocation sums up charges over distances to all atoms and stores the sum to an
element of g[]. A constant chooses one of two formulas. The kernel fetches single numbers, and fetches those of the vertex on
every trip. Figures are for the HD 5870 (%s) and %s. Daga measured another kernel, with its transfers.
`+"`%s`"+` is the kernel as OpenCL for Evergreen compiles it, with raw views that it loads word by word.
`, gem.kernel, gemTarget, "4096 vertices and 256 atoms", gemViews.kernel)
	d.table("letter | optimization | pass or command | speed-up | published | verdict | with raw views | speed-up | verdict",
		rows)
	if err := d.compareVectors(); err != nil {
		return err
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(list[a].cost.Cycles - list[b].cost.Cycles) })
	rows = nil
	least, most := 1.0, 1.0 // speed-ups relative to the products
	for _, i := range order {
		v := &list[i]
		least, most = min(least, v.speedup/v.expected), max(most, v.speedup/v.expected)
		rows = append(rows, []string{v.letters, fmt.Sprintf("%.0f", v.cost.Cycles), fmt.Sprintf("%.2f", v.speedup),
			fmt.Sprintf("%.2f", v.expected),
			number(v.cost.ALU), number(v.cost.Fetches), number(v.cost.GPRs), v.verdict,
			fmt.Sprintf("%.0f", v.views), fmt.Sprintf("%.2f", list[0].views/v.views)})
	}
	d.text("All combinations, the fastest first, with the product of the speed-ups of their parts:\n")
	d.table("combination | cycles | speed-up | product of single speed-ups | bundles | fetches | registers | verdict"+
		" | cycles with raw views | speed-up", rows)
	d.text(`The fastest combination is %s. Speed-ups do not multiply: the speed-up of a combination is from %.2f to %.2f times the product of
the single ones. If the loop has no branch and no stores, unrolled trips share their fetches; no single optimization achieves
this. Daga found splitting, preloading and image memory to be the fastest combination. Image memory does not pay here.
All combinations with raw views are proved.
`, list[order[0]].letters, least, most)
	return nil
}
