package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// sweep is a set of inputs under fixed options.
type sweep struct {
	name    string
	inputs  string // a pattern of files, of folders with pairs, or of a table of pairs
	options shaderlift.Options
}

const (
	kernels = "il/*.il"
	effects = "d3d9/effects/*.efb"
	pairs   = "d3d9/pairs/*"
	texts   = "d3d9/PAIRS.tsv"

	portable = shaderlift.PortableTarget
	slots    = shaderlift.SlotTarget
)

var sweeps = []sweep{
	{"pairs-portable-separate", pairs, shaderlift.Options{Target: portable}},
	{"pairs-portable-mirrored", pairs, shaderlift.Options{Target: portable,
		Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}}},
	{"pairs-d3d9-separate", pairs, shaderlift.Options{Target: slots}},
	{"pairs-d3d9-mirrored", pairs, shaderlift.Options{Target: slots,
		Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}}},
	{"text-portable", texts, shaderlift.Options{Target: portable}},
	{"text-d3d9", texts, shaderlift.Options{Target: slots}},
	{"effects-portable", effects, shaderlift.Options{Target: portable}},
	{"effects-d3d9", effects, shaderlift.Options{Target: slots}},
	{"kernels-O1", kernels, shaderlift.Options{Pipeline: "O1"}},
	{"kernels-O2", kernels, shaderlift.Options{Pipeline: "O2"}},
	{"kernels-O3", kernels, shaderlift.Options{Pipeline: "O3"}},
}

// task is an input of a sweep.
type task struct {
	shaderlift.Input
	options shaderlift.Options
	line    string
}

// tasks returns the inputs of s in the order of names. A program of several pairs is shared, as in a run
// of opt over all of them.
func (s *sweep) tasks(corpus string) (list []*task, err error) {
	found, err := filepath.Glob(filepath.Join(corpus, filepath.FromSlash(s.inputs)))
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("%s: no %s in %s (%v)", s.name, s.inputs, corpus, err)
	}
	if s.inputs == texts {
		table, err := os.ReadFile(found[0])
		if err != nil {
			return nil, err
		}
		found = strings.Split(strings.TrimSpace(string(table)), "\n")[1:] // below the head
	}
	versions, count := new(shaderlift.Versions), map[string]int{} // by path
	for _, path := range found {
		name, paths := filepath.Base(path), []string{path}
		switch s.inputs {
		case pairs:
			paths = []string{filepath.Join(path, "vs.vso"), filepath.Join(path, "ps.pso")}
		case texts:
			fields := strings.Split(path, "\t")
			name = fields[0] + "," + fields[1]
			paths = []string{filepath.Join(corpus, "d3d9", fields[0]), filepath.Join(corpus, "d3d9", fields[1])}
		}
		t := &task{Input: shaderlift.Input{Name: name}, options: s.options}
		t.options.Hooks.Versions = versions
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			t.Files = append(t.Files, shaderlift.File{Name: path, Data: data})
			count[path]++
		}
		list = append(list, t)
	}
	for _, t := range list {
		for i, f := range t.Files {
			if count[f.Name] > 1 {
				t.options.Host.Shared = append(t.options.Host.Shared, []d3d9.Stage{d3d9.Vertex, d3d9.Pixel}[i])
			}
		}
	}
	slices.SortFunc(list, func(a, b *task) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// run computes the line. It writes outputs and report to the folder sweep of out, unless out is empty.
func (t *task) run(out, sweep string) error {
	r, err := shaderlift.Optimize(context.Background(), t.Input, t.options)
	t.line = line(t.Name, r, err)
	if out == "" {
		return nil
	}
	var text bytes.Buffer
	report := shaderlift.NewReport(t.options)
	report.Add(r)
	dir := filepath.Join(out, sweep)
	errs := []error{report.WriteJSON(&text), os.MkdirAll(dir, 0o777)}
	for _, f := range append(r.Files, shaderlift.File{Name: "report.json", Data: text.Bytes()}) {
		errs = append(errs, os.WriteFile(filepath.Join(dir, filepath.Base(f.Name)), f.Data, 0o666))
	}
	return errors.Join(errs...)
}

// line returns the line of a result. err is the error of Optimize.
func line(name string, r *shaderlift.Result, err error) string {
	var hashes, texts []string
	if d := (*asm.Diag)(nil); errors.As(err, &d) {
		texts = append(texts, string(d.Code))
	}
	for _, f := range r.Files {
		hashes = append(hashes, fmt.Sprintf("%x", sha256.Sum256(f.Data)))
	}
	sums := map[string][2]float64{}
	add(sums, r)
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		// The order of additions can change digits beyond the eighth.
		before, after := fmt.Sprintf("%.8g", sums[name][0]), fmt.Sprintf("%.8g", sums[name][1])
		switch {
		case before != after:
			texts = append(texts, name+"="+before+">"+after)
		case before != "0":
			texts = append(texts, name+"="+before)
		}
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\n", name, r.Status, r.Verdict(), strings.Join(hashes, ","),
		strings.Join(texts, " "))
}

// add adds the costs of a result and of its parts, before and after, to sums.
func add(sums map[string][2]float64, r *shaderlift.Result) {
	put := func(name string, before, after float64) {
		sums[name] = [2]float64{sums[name][0] + before, sums[name][1] + after}
	}
	for _, p := range r.Parts {
		add(sums, p)
	}
	for i := range r.Stages {
		s := &r.Stages[i]
		stage := map[d3d9.Stage]string{d3d9.Vertex: "vs.", d3d9.Pixel: "ps."}[s.Stage]
		put(stage+"slots", float64(s.Before.Slots), float64(s.CurrentCost().Slots))
		put(stage+"temps", float64(s.Before.Temps), float64(s.CurrentCost().Temps))
	}
	for i := range r.Draws {
		put(r.Draws[i].Target, r.Draws[i].Before.Time, r.Draws[i].CurrentCost().Time)
	}
	if k := r.Kernel; k != nil {
		put("groups", float64(k.Before.ALU), float64(k.CurrentCost().ALU))
		put("registers", float64(k.Before.GPRs), float64(k.CurrentCost().GPRs))
		put("cycles", k.Before.Cycles, k.CurrentCost().Cycles)
	}
	put("uploads", 0, float64(len(r.Uploads)))
	put("faults", 0, float64(len(r.Faults)))
}
