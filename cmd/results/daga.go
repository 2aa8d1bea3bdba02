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

// gem is the kernel of one vertex, and gemLaunch what it is launched on: constants that choose the
// model with a probe, as the kernel that is split off does.
const (
	gem       = "testdata/gem/gem.il"
	gemLaunch = "testdata/gem/gem.case"
)

// gemTarget is the chip of Daga's figures, the Radeon HD 5870.
const gemTarget = "cypress"

// splitting stands for the optimization that is no pass.
const splitting = "split"

// dagas are Daga's optimizations, in the order in which they are run together: a letter, what does
// it here, and the speed-up in isolation that is printed.
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

// gemVersion is the kernel with those optimizations whose bits are set.
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
	o := shaderlift.Options{Target: gemTarget, Keep: true, KernelCase: launch, Times: &simulated, Constants: []shaderlift.Constant{atoms}}
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
	return shaderlift.Optimize(context.Background(), shaderlift.Input{Files: []shaderlift.File{{Name: gem, Data: data}}}, o)
}

// chosen is the kernel that the dispatch table of a kernel that is split names for a launch.
func chosen(data []byte, launch *interpreter.Case, o shaderlift.Options) ([]byte, error) {
	o.Pipeline, o.Constants = "dce", nil
	s, err := shaderlift.Split(context.Background(), shaderlift.Input{Files: []shaderlift.File{{Name: gem, Data: data}}}, o, 0)
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

// combinations runs Daga's optimizations alone and in all combinations.
func combinations(d *document) error {
	d.text("## Daga 2011: optimizations alone and together\n")
	type version struct {
		letters  string
		cost     shaderlift.KernelCost
		verdict  string
		speedup  float64
		expected float64 // the product of what its parts gain alone
	}
	var list []version
	// All subsets of the five optimizations, by bit.
	for set := range 1 << len(dagas) {
		res, err := gemVersion(set)
		if err != nil {
			return err
		}
		v := version{cost: res.Kernel.Now(), verdict: res.Verdict().String(), speedup: 1, expected: 1}
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
	// Gains that were independent would multiply; list[1<<i] is optimization i alone.
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
		rows = append(rows, []string{part.letter, part.name, "`" + part.pipeline + "`", fmt.Sprintf("%.2f", v.speedup), part.published, v.verdict})
	}
	d.text(`A kernel after Daga's GEM, `+"`%s`"+`: each invocation sums up charges over distances to all atoms, by one of two formulas that
a constant chooses, into an element of g[]. It fetches numbers one by one, those of the vertex on every trip. On the HD 5870
(%s), for %s; the kernel of theirs is another, and measured with its transfers.
`, gem, gemTarget, "4096 vertices and 256 atoms")
	d.table("| optimization | what does it | speed-up | printed | verdict", rows)
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(list[a].cost.Cycles - list[b].cost.Cycles) })
	rows = nil
	least, most := 1.0, 1.0 // speed-ups as parts of what they would multiply to
	for _, i := range order {
		v := &list[i]
		least, most = min(least, v.speedup/v.expected), max(most, v.speedup/v.expected)
		rows = append(rows, []string{v.letters, fmt.Sprintf("%.0f", v.cost.Cycles), fmt.Sprintf("%.2f", v.speedup), fmt.Sprintf("%.2f", v.expected),
			number(v.cost.ALU), number(v.cost.Fetches), number(v.cost.GPRs), v.verdict})
	}
	d.text("All combinations, the fastest first, beside what their parts alone would multiply to:\n")
	d.table("together | cycles | speed-up | product of those alone | bundles | fetches | registers | verdict", rows)
	d.text(`Fastest is %s. Speed-ups do not multiply: together they are from %.2f to %.2f times the product of those alone. Where the branch
and the stores are gone from the loop, trips that are unrolled share what they fetch, which none of these does by itself. Printed is that
splitting, preloading and image memory, of which there is no counterpart here, were the fastest together.
`, list[order[0]].letters, least, most)
	return nil
}
