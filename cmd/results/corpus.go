package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
)

// figures are what kernels cost together.
type figures struct {
	groups, fetchClauses, registers, cycles int
}

func (f *figures) add(c shaderlift.KernelCost) {
	f.groups += c.ALU
	f.fetchClauses += c.FetchClauses
	f.registers += c.GPRs
	f.cycles += int(c.Cycles)
}

// sweep is what a pipeline makes of kernels.
type sweep struct {
	read, improved, malformed int
	verdicts                  map[verify.Verdict]int // of what improved
	before, after             figures
}

// optimize runs o on inputs, several at a time. One that is malformed as it was found has
// no result; anything else that goes wrong ends the run.
func optimize(inputs []shaderlift.Input, o shaderlift.Options) ([]*shaderlift.Result, error) {
	results, errs := make([]*shaderlift.Result, len(inputs)), make([]error, len(inputs))
	each(len(inputs), func(i int) {
		results[i], errs[i] = shaderlift.Optimize(context.Background(), inputs[i], o)
	})
	for i, r := range results {
		var d *asm.Diag
		switch err := errs[i]; {
		// A diagnostic with a line is about the text: the file is malformed.
		case errors.As(err, &d) && d.Pos.Line > 0:
			results[i] = nil
		case err != nil:
			return nil, fmt.Errorf("%s, %s: %w", inputs[i].Path(), o.Pipeline, err)
		case len(r.Faults) > 0:
			return nil, fmt.Errorf("%s, %s: %w", inputs[i].Path(), o.Pipeline, r.Faults[0])
		}
	}
	return results, nil
}

// run optimizes kernels.
func run(inputs []shaderlift.Input, o shaderlift.Options) (list []kernelResult, err error) {
	results, err := optimize(inputs, o)
	for i, r := range results {
		list = append(list, kernelResult{inputs[i].Path(), r})
	}
	return list, err
}

// kernelResult is what becomes of a kernel; it has no result if it is malformed.
type kernelResult struct {
	path string
	*shaderlift.Result
}

// sum is what became of kernels together.
func sum(list []kernelResult) (*sweep, error) {
	s := &sweep{verdicts: map[verify.Verdict]int{}}
	for _, r := range list {
		if r.Result == nil {
			s.malformed++
			continue
		}
		s.read++
		if r.Kernel == nil {
			continue // not understood, and left as it is
		}
		if r.Status == shaderlift.Improved {
			s.improved++
			s.verdicts[r.Verdict()]++
		}
		// The tool promises not to make kernels slower by its own model; hold it to that.
		if now, old := r.Kernel.Now(), r.Kernel.Before; now.Cycles > old.Cycles*(1+shaderlift.Threshold) {
			return nil, fmt.Errorf("%s, %s: %.0f cycles came to %.0f", r.path, r.Pipeline, old.Cycles, now.Cycles)
		}
		s.before.add(r.Kernel.Before)
		s.after.add(r.Kernel.Now())
	}
	return s, nil
}

// files are the kernels that match a pattern.
func files(pattern string) (list []shaderlift.Input, err error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		list = append(list, shaderlift.Input{Files: []shaderlift.File{{Name: path, Data: data}}})
	}
	return list, nil
}

// sweeps shows what levels, and passes alone, make of all kernels there are.
func sweeps(d *document) error {
	all, err := files(filepath.Join(d.corpus, "il", "*.il"))
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("there are no kernels in %s", d.corpus)
	}
	own, err := files("testdata/il/*.il")
	if err != nil {
		return err
	}
	d.text("## Corpus: kernels\n")
	d.text(`Kernels that nobody wrote for this project, and those of testdata/il. Each is optimized for the RV670, or for the
first of RV770 and Cypress that has what it needs, and costs are summed up: bundles, fetch clauses and registers of the
programs, and the cycles that a launch over a domain of 256 by 256 is predicted to take. What is written was verified
against the input; none is refuted, and none takes more cycles than it came with, or this document would not be written.
`)
	sets := []struct {
		label, pipeline string
		inputs          []shaderlift.Input
	}{{"corpus, -O1", "O1", all}, {"corpus, -O2", "O2", all}, {"corpus, -O3", "O3", all}, {"own, -O2", "O2", own}}
	const levels = 4
	for _, p := range suite.Passes {
		if p != codemotion.Pass && p != codemotion.Varyings { // kernels have no second stage
			set := sets[0]
			set.label, set.pipeline, set.inputs = "`"+p.Name+"`", p.Name, slices.Concat(all, own)
			sets = append(sets, set)
		}
	}
	results, errs := make([][]kernelResult, len(sets)), make([]error, len(sets))
	each(len(sets), func(i int) {
		results[i], errs[i] = run(sets[i].inputs, shaderlift.Options{Pipeline: sets[i].pipeline, Times: &simulated})
	})
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	var rows [][]string
	add := func(label string, list []kernelResult) (malformed int, err error) {
		s, err := sum(list)
		if err != nil {
			return 0, err
		}
		rows = append(rows, []string{label, fmt.Sprintf("%d of %d", s.improved, s.read), verdicts(s.verdicts),
			change(s.before.groups, s.after.groups), change(s.before.fetchClauses, s.after.fetchClauses),
			change(s.before.registers, s.after.registers), change(s.before.cycles, s.after.cycles)})
		return s.malformed, nil
	}
	for i := range levels {
		malformed, err := add(sets[i].label, results[i])
		if err != nil {
			return err
		}
		if malformed > 0 && i == 0 {
			d.text("%d files of %d are malformed, or no kernels, as they were found, and are refused with their place.\n", malformed, len(all))
		}
	}
	tuned := slices.DeleteFunc(slices.Clone(results[1]), func(r kernelResult) bool { return !strings.Contains(r.path, "caldgemm") })
	if _, err := add("caldgemm, of the corpus, -O2", tuned); err != nil {
		return err
	}
	const head = "kernels | improved | verdicts | bundles | fetch clauses | registers | cycles"
	d.table(head, rows)
	d.text("Each pass alone, on the corpus and on ours:\n")
	rows = nil
	for i, set := range sets[levels:] {
		if _, err := add(set.label, results[levels+i]); err != nil {
			return err
		}
	}
	d.table("pass | "+strings.SplitN(head, " | ", 2)[1], rows)
	return nil
}

// verdicts lists how many results have which, the strongest first.
func verdicts(count map[verify.Verdict]int) string {
	var parts []string
	for _, v := range []verify.Verdict{verify.Proved, verify.ProvedReal, verify.Bounded, verify.Tested} {
		if n := count[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// change is a figure before and after, with the difference in per cent.
func change(before, after int) string {
	if before == after {
		return number(before)
	}
	return fmt.Sprintf("%d → %d (%+.1f %%)", before, after, 100*off(after, before))
}
