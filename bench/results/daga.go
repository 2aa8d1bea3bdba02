package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// gem is the kernel of one vertex, and gemLaunch is its launch: constants that select the model
// with a probe, as for the kernel that splitting produces.
const (
	gem       = "testdata/gem/gem.il"
	gemLaunch = "testdata/gem/gem.case"
)

// gemTarget is the chip of Daga's figures, the Radeon HD 5870.
const gemTarget = "cypress"

// splitting represents the optimization that is not a pass.
const splitting = "split"

// dagas are Daga's optimizations, in the order of application: a letter, the corresponding
// pipeline, and the published speed-up in isolation.
var dagas = []struct {
	letter, name, pipeline string
	published              string
}{
	{"S", "kernel splitting", splitting, "1.7"},
	{"A", "register accumulator", "accumulate", "1.3"},
	{"P", "register preloading", "preload", "up to 1.6"},
	{"V", "vectorized access", "vectorize-fetches{resource=all}", "in a figure"},
	{"U", "unrolling by four", "unroll{factor=4}", "in a figure"},
}

// gemVersion returns the kernel with the optimizations whose bits are set.
func gemVersion(set int) (*shaderlift.Result, error) {
	data, err := os.ReadFile(gem)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(gemLaunch)
	if err != nil {
		return nil, err
	}
	launch, err := interpreter.ParseCase(gemLaunch, text)
	if err != nil {
		return nil, err
	}
	atoms, err := shaderlift.ParseConstant(fmt.Sprintf("cb0[0].x=%g", math.Float32frombits(launch.Constants[0][0][0])))
	if err != nil {
		return nil, err
	}
	o := shaderlift.Options{Target: gemTarget, Keep: true, Kernel: shaderlift.KernelOptions{Case: launch},
		Host: shaderlift.HostOptions{Constants: []shaderlift.Constant{atoms}}}
	var stages []string
	for i, d := range dagas {
		switch {
		case set>>i&1 == 0:
		case d.pipeline == splitting:
			if data, err = chosen(data, launch, o); err != nil {
				return nil, err
			}
		default:
			stages = append(stages, d.pipeline)
		}
	}
	o.Pipeline = strings.Join(append(stages, "dce"), ",")
	return shaderlift.Optimize(context.Background(), shaderlift.Input{Files: []shaderlift.File{{Name: gem, Data: data}}},
		o)
}

// chosen splits a kernel and returns the part that the dispatch table selects for a launch.
func chosen(data []byte, launch *interpreter.Case, o shaderlift.Options) ([]byte, error) {
	o.Pipeline, o.Host.Constants = "dce", nil
	s, err := shaderlift.Split(context.Background(), shaderlift.Input{Files: []shaderlift.File{{Name: gem, Data: data}}},
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

// combinations applies Daga's optimizations alone and in all combinations.
func combinations(d *document) error {
	d.text("## Daga 2011: optimizations alone and together\n")
	type version struct {
		letters  string
		cost     shaderlift.KernelCost
		verdict  string
		speedup  float64
		expected float64 // the product of the individual speed-ups
	}
	var list []version
	// All subsets of the five optimizations, by bit.
	for set := range 1 << len(dagas) {
		res, err := gemVersion(set)
		if err != nil {
			return err
		}
		v := version{cost: res.Kernel.CurrentCost(), verdict: res.Verdict().String(), speedup: 1, expected: 1}
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
			part.published, v.verdict})
	}
	d.text(`The kernel `+"`%s`"+` follows Daga's GEM. Each invocation sums up charges over distances to all atoms and stores the sum to an
element of g[]. A constant chooses one of two formulas. The kernel fetches single numbers, and fetches those of the vertex on
every trip. Figures are for the HD 5870 (%s) and %s. Daga measured another kernel, with its transfers.
`, gem, gemTarget, "4096 vertices and 256 atoms")
	d.table("letter | optimization | pass or command | speed-up | published | verdict", rows)
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
			number(v.cost.ALU), number(v.cost.Fetches), number(v.cost.GPRs), v.verdict})
	}
	d.text("All combinations, the fastest first, with the product of the speed-ups of their parts:\n")
	d.table("combination | cycles | speed-up | product of single speed-ups | bundles | fetches | registers | verdict",
		rows)
	d.text(`The fastest combination is %s. Speed-ups do not multiply: the speed-up of a combination is from %.2f to %.2f times the product of
the single ones. If the loop has no branch and no stores, unrolled trips share their fetches; no single optimization achieves
this. Daga found splitting, preloading and image memory to be the fastest combination. Image memory has no counterpart here.
`, list[order[0]].letters, least, most)
	return nil
}
