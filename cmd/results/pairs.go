package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify"
)

// slots are what pairs cost together.
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

// pairs shows what the level and the passes on loops, fetches and registers make of pairs.
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
	d.text(`%d pairs that other compilers made. A run of texture reads has nothing else between its reads. No result that is not
asked for at any price has more slots than its input, and none is refuted.
`, len(inputs))
	var rows [][]string
	for _, set := range []struct {
		label string
		o     shaderlift.Options
	}{
		{"-O2", shaderlift.Options{}},
		{"-O2, host constants mirrored", shaderlift.Options{HostConstants: shaderlift.Mirrored}},
		{"`unroll`", shaderlift.Options{Pipeline: "unroll"}},
		{"`unroll{factor=full}`, at any price", shaderlift.Options{Pipeline: "unroll{factor=full}", Keep: true}},
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
				now.add(s.Stage, s.Now())
				before.add(s.Stage, s.Before)
				after.add(s.Stage, s.Now())
			}
			if r.Status != shaderlift.Unchanged {
				rewritten++
				verdict[r.Verdict()]++
			}
			if now.pixel > old.pixel && !set.o.Keep {
				return fmt.Errorf("%s, %s: %d slots came to %d", inputs[i].Path(), set.label, old.pixel, now.pixel)
			}
		}
		rows = append(rows, []string{set.label, number(rewritten), verdicts(verdict), change(before.pixel, after.pixel), change(before.vertex, after.vertex),
			change(before.temps, after.temps), change(before.runs, after.runs)})
	}
	d.table("passes | changed | verdicts | pixel slots | vertex slots | temporaries | runs of texture reads", rows)
	return nil
}
