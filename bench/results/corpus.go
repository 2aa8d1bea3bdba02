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
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
)

// figures are the total costs of kernels.
type figures struct {
	groups, fetchClauses, registers, cycles int
}

func (f *figures) add(c shaderlift.KernelCost) {
	f.groups += c.ALU
	f.fetchClauses += c.FetchClauses
	f.registers += c.GPRs
	f.cycles += int(c.Cycles)
}

// sweep is the effect of a pipeline on kernels.
type sweep struct {
	read, improved, malformed int
	verdicts                  map[verify.Verdict]int // of improved kernels
	before, after             figures
}

// optimize runs o on inputs concurrently. A malformed input has no result; any other error ends the
// run.
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

// kernelResult is the result of a kernel; Result is nil if it is malformed.
type kernelResult struct {
	path string
	*shaderlift.Result
}

// sum returns the total of the results.
func sum(list []kernelResult) (*sweep, error) {
	s := &sweep{verdicts: map[verify.Verdict]int{}}
	for _, r := range list {
		if r.Result == nil {
			s.malformed++
			continue
		}
		s.read++
		if r.Kernel == nil {
			continue // could not be analysed, and is unchanged
		}
		if r.Status == shaderlift.Improved {
			s.improved++
			s.verdicts[r.Verdict()]++
		}
		// The tool promises not to make kernels slower by its own model; verify this.
		if now, old := r.Kernel.CurrentCost(), r.Kernel.Before; now.Cycles > old.Cycles*(1+kernel.Threshold) {
			return nil, fmt.Errorf("%s, %s: %.0f cycles became %.0f", r.path, r.Pipeline, old.Cycles, now.Cycles)
		}
		s.before.add(r.Kernel.Before)
		s.after.add(r.Kernel.CurrentCost())
	}
	return s, nil
}

// files returns the kernels that match a pattern.
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

// sweeps shows the effect of levels and of single passes on all kernels.
func sweeps(d *document) error {
	all, err := files(filepath.Join(d.corpus, "il", "*.il"))
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("no kernels in %s; set -corpus", d.corpus)
	}
	own, err := files("testdata/il/*.il")
	if err != nil {
		return err
	}
	d.text("## Corpus: kernels\n")
	d.text(`The kernels are a corpus of programs written by others, and those of testdata/il. Each is optimized for the RV670. If that lacks
a feature that the kernel needs, the target is RV770, and then Cypress. The table adds up the bundles, fetch clauses and registers
of all programs, and the predicted cycles of a launch over a domain of 256 by 256. Every result is verified against its input.
If one were refuted or took more cycles than its input, the command would fail and not write this document.
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
		results[i], errs[i] = run(sets[i].inputs, shaderlift.Options{Pipeline: sets[i].pipeline})
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
			d.text("%d of the %d files are malformed or are not kernels. shaderlift rejects them with the position of the error.\n", malformed, len(all))
		}
	}
	tuned := slices.DeleteFunc(slices.Clone(results[1]),
		func(r kernelResult) bool { return !strings.Contains(r.path, "caldgemm") })
	if _, err := add("caldgemm (part of the corpus), -O2", tuned); err != nil {
		return err
	}
	const head = "kernels | improved | verdicts | bundles | fetch clauses | registers | cycles"
	d.table(head, rows)
	d.text("Each pass alone, on the corpus and on testdata/il:\n")
	rows = nil
	for i, set := range sets[levels:] {
		if _, err := add(set.label, results[levels+i]); err != nil {
			return err
		}
	}
	d.table("pass | "+strings.SplitN(head, " | ", 2)[1], rows)
	return nil
}

// verdicts lists the number of results for each verdict, strongest first.
func verdicts(count map[verify.Verdict]int) string {
	var parts []string
	for _, v := range []verify.Verdict{verify.Proved, verify.ProvedReal, verify.Bounded, verify.Tested} {
		if n := count[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// change returns the text of a figure before and after, with the difference in per cent.
func change(before, after int) string {
	if before == after {
		return number(before)
	}
	return fmt.Sprintf("%d → %d (%+.1f %%)", before, after, 100*off(after, before))
}
