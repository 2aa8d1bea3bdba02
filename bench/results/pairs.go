package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify"
)

// slots are the total costs of pairs.
type slots struct {
	pixel, vertex, temps, runs int
}

func (s *slots) add(stage d3d9.Stage, c d3d9.Cost) {
	if stage == d3d9.Pixel {
		s.pixel += c.Slots
	} else {
		s.vertex += c.Slots
	}
	s.temps += c.Temps
	s.runs += c.TextureRuns
}

// pairs shows the effect on pairs of the level and of the passes on loops, fetches and registers.
func pairs(d *document) error {
	paths, err := filepath.Glob(filepath.Join(d.corpus, "d3d9", "pairs", "*", "vs.vso"))
	if err != nil {
		return err
	}
	var inputs []shaderlift.Input
	for _, vertex := range paths {
		var in shaderlift.Input
		for _, path := range []string{vertex, filepath.Join(filepath.Dir(vertex), "ps.pso")} {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			in.Files = append(in.Files, shaderlift.File{Name: path, Data: data})
		}
		inputs = append(inputs, in)
	}
	d.text("## Corpus: Direct3D 9 pairs\n")
	d.text(`The corpus has %d pairs from other compilers. A texture read phase is a sequence of texture reads without other instructions
between them. No result has more slots than its input, except with `+"`--keep`"+`, which ignores the cost. No result is refuted.
`, len(inputs))
	var rows [][]string
	for _, set := range []struct {
		label string
		o     shaderlift.Options
	}{
		{"-O2", shaderlift.Options{}},
		{"-O2, host constants mirrored",
			shaderlift.Options{Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}}},
		{"`unroll`", shaderlift.Options{Pipeline: "unroll"}},
		{"`unroll{factor=full}`, with `--keep`", shaderlift.Options{Pipeline: "unroll{factor=full}", Keep: true}},
		{"`group-fetches`", shaderlift.Options{Pipeline: "group-fetches"}},
		{"`merge-registers`", shaderlift.Options{Pipeline: "merge-registers"}},
		{"`combine-alu`", shaderlift.Options{Pipeline: "combine-alu"}},
	} {
		set.o.Target = shaderlift.SlotTarget
		results, err := optimize(inputs, set.o)
		if err != nil {
			return err
		}
		var before, after slots
		rewritten, verdict := 0, map[verify.Verdict]int{}
		for i, r := range results {
			var old, now slots
			for _, s := range r.Stages {
				old.add(s.Stage, s.Before)
				now.add(s.Stage, s.CurrentCost())
				before.add(s.Stage, s.Before)
				after.add(s.Stage, s.CurrentCost())
			}
			if r.Status != shaderlift.Unchanged {
				rewritten++
				verdict[r.Verdict()]++
			}
			if now.pixel > old.pixel && !set.o.Keep {
				return fmt.Errorf("%s, %s: %d slots became %d", inputs[i].Path(), set.label, old.pixel, now.pixel)
			}
		}
		rows = append(rows, []string{set.label, number(rewritten), verdicts(verdict), change(before.pixel, after.pixel),
			change(before.vertex, after.vertex),
			change(before.temps, after.temps), change(before.runs, after.runs)})
	}
	d.table("passes | changed | verdicts | pixel slots | vertex slots | temporaries | texture read phases", rows)
	return nil
}
