package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/opt/tune"
	"github.com/shaderlift/shaderlift/opt/wording"
	"github.com/spf13/cobra"
)

// tuneFlags are the flags that only tune has.
type tuneFlags struct {
	to, report, html, state, caseFile, domain, host string
	quiet, verbose, dry                             bool
}

func (a *app) tune() *cobra.Command {
	var f flags
	var g tuneFlags
	o := shaderlift.TuneOptions{}
	cmd := &cobra.Command{
		Use:   "tune KERNEL",
		Short: "search for the best pipeline for a kernel",
		Long: `Tune searches for the passes, their options and their order that give a kernel the fewest
cycles on a GPU. It starts from the results of -O2 and -O3. Each iteration then tries more
versions: it estimates every new version and simulates the best ones. The reported versions are
verified as by opt. Versions with the same text count once.

The output is the fastest version, or the input if none is better. The report names the pipeline,
so that opt -p makes the same bytes. It also has slower versions with fewer registers or shorter
programs, with their costs on the other GPUs.

The search ends when two iterations find nothing better, or when --budget is used up. The budget
counts work, not time, so the result is the same on every machine and for any --jobs. With
--time-limit, the search ends after three fifths of that time at the latest, and the result
depends on the machine. The result of -O2 is always computed, even if this takes longer. With
--state, tune saves the state of the search. A later run continues from there and gives the same
result as a run without an interruption.`,
		Example: `  shaderlift tune --target rv770 -o best.il kernel.il
  shaderlift tune --constant 'cb0[0].x=256' --state tune.json kernel.il
  shaderlift tune --time-limit 10s -n kernel.il`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.Options, err = f.options(cmd); err != nil {
				return err
			}
			if err := parseDomain(g.domain, &o.Options); err != nil {
				return err
			}
			if cmd.Flags().Changed("budget") && o.Budget < 1 {
				return usagef("--budget %d: want a number above 0", o.Budget)
			}
			if o.MayChange, err = parseHost(g.host); err != nil {
				return err
			}
			o.Jobs = f.jobs
			return a.search(args, o, &g)
		},
	}
	set := cmd.Flags()
	set.StringVarP(&g.to, "output", "o", "", "write the best version to this `FILE`")
	set.StringVar(&f.target, "target", "", "find the best pipeline for this `GPU`: r600, rv670, rv770 or cypress (default rv670)")
	set.StringVar(&g.report, "report", "", "also write the report as JSON to this `FILE` (- for standard output)")
	set.StringVar(&g.html, "html", "", "also write a page to this `FILE` that shows the versions found")
	set.StringVar(&g.state, "state", "", "continue the search whose state is in this `FILE`, and save the state there")
	set.Int64Var(&o.Budget, "budget", opt.DefaultTuneBudget,
		"limit the search to this much `WORK`, in steps of pricing and simulation")
	set.DurationVar(&f.limit, "time-limit", 0,
		"take at most this `TIME`, such as 10s, and three fifths of it for the search; the result then depends on the machine")
	f.addVerify(set)
	f.addConstants(set)
	set.StringVar(&g.caseFile, "case", "", "predict the time for the launch in this `FILE` and compare results on it")
	addDomain(set, &g.domain)
	set.StringVar(&g.host, "host", "",
		"may-change=`LIST` also tries versions for which the host changes the facts on the list: domain, bindings (element sizes of resources), outputs (their number and formats), memory (which others must not access)")
	f.addJobs(set)
	set.Lookup("jobs").Usage = "make `N` versions at the same time; the output does not depend on it"
	set.BoolVarP(&g.dry, "dry-run", "n", false, "write no program")
	set.BoolVarP(&g.quiet, "quiet", "q", false, "report only failures")
	set.BoolVarP(&g.verbose, "verbose", "v", false, "print remarks: rewrites that were not made, and why")
	hideProgramFlags(set)
	return cmd
}

// parseHost reads the value of --host.
func parseHost(text string) (may kernel.Change, err error) {
	if text == "" {
		return 0, nil
	}
	name, list, ok := strings.Cut(text, "=")
	if !ok || name != "may-change" {
		return 0, usagef("--host %s: want may-change=LIST, such as may-change=domain,outputs", text)
	}
	if err := may.UnmarshalText([]byte(list)); err != nil {
		return 0, usagef("--host %s: %v", text, err)
	}
	return may, nil
}

// search runs tune.
func (a *app) search(args []string, o shaderlift.TuneOptions, g *tuneFlags) error {
	start := time.Now()
	jobs, err := a.listJobs(args)
	if err != nil {
		return err
	}
	if len(jobs) != 1 {
		return usagef("%s: tune takes one kernel", args[0])
	}
	given, err := a.readCase(g.caseFile)
	if err != nil {
		return err
	}
	out := newOutput(g.to, args, a.out, g.dry)
	if err := out.claimStdout(&a.paths, "the text of the kernel"); err != nil {
		return err
	}
	told, err := a.reports(o.Options, g.report, g.html)
	if err != nil {
		return err
	}
	defer told.staged.discard()
	if err := a.remember(g.state, &o); err != nil {
		return err
	}
	out.protect(jobs, &a.paths)
	h := a.human(g.quiet, g.verbose)
	if h.live {
		o.Progress = func(p tune.Progress) { h.searching(p, o.Limits.Time*3/5-time.Since(start)) }
	}
	d := a.attempt(jobs[0], func(in shaderlift.Input) (*shaderlift.Result, error) {
		if err := out.checkForm(in); err != nil {
			return shaderlift.Failure(in, err), err
		}
		if err := given.parse(shaderlift.KindKernel, &o.Options); err != nil {
			return shaderlift.Failure(in, err), err
		}
		return shaderlift.Tune(a.ctx, in, o)
	}, nil)
	if errors.Is(d.err, context.Canceled) {
		return errInterrupted
	}
	if d.err == nil {
		if d.err = out.write(d, d.res.Files, nil); d.err != nil {
			d.res.Fail(d.err)
		}
	}
	a.status = max(a.status, statusOf(d.err))
	h.result(d.res, d.err)
	h.front(d.res.Tuning)
	a.faults(h, d.res, d.err, out.faultDir())
	seconds := time.Since(start).Seconds()
	h.total(1, seconds)
	a.unused.observeResult(d.res)
	told.add(d, nil)
	return told.finishReports(seconds)
}

// remember reads the state of an earlier search, and sets up its updates.
func (a *app) remember(path string, o *shaderlift.TuneOptions) error {
	if path == "" {
		return nil
	}
	if path == stdinName {
		return usagef("--state: give the name of a file")
	}
	if err := a.paths.writes(path, "the state of the search"); err != nil {
		return err
	}
	state, err := readPath(path, nil)
	switch _, missing := os.Stat(path); {
	case os.IsNotExist(missing):
		if err := writable(path); err != nil {
			return err
		}
	case err != nil:
		return err
	case len(bytes.TrimSpace(state)) == 0: // an empty file created for the state
	default:
		o.State, o.StateName = state, path
	}
	o.Save = func(state []byte) error { return writeFile(path, append(state, '\n')) }
	return nil
}

// searching shows the progress of a search on a terminal, and the remaining time: until the
// deadline, if there is one, or for the budget at the current rate.
func (h *human) searching(p tune.Progress, left time.Duration) {
	fmt.Fprintf(h.w, "%siteration %d: %d versions, %d simulated, best %.0f cycles, %d %% of the budget%s", clearLine,
		p.Lap, p.Versions, p.Timed, p.Best,
		100*p.Work/max(p.Budget, 1), h.timeLeft(p, left))
}

func (h *human) timeLeft(p tune.Progress, limit time.Duration) string {
	left := time.Duration(float64(time.Since(h.began)) * (float64(p.Budget)/float64(max(p.Work, 1)) - 1))
	if limit > 0 {
		left = min(left, limit)
	}
	return fmt.Sprintf(", %v left at most", left.Round(time.Second))
}

// front lists the versions that a search has found, with the tiles for which the host changes its launch.
func (h *human) front(t *shaderlift.Tuning) {
	if t == nil || h.quiet {
		return
	}
	how := "the search is complete"
	if !t.Complete {
		how = "a larger --budget or --time-limit continues the search"
	}
	h.linef("  %d %s in %d %s, %d simulated; %s", t.Versions, wording.Plural("version", t.Versions), t.Lap,
		wording.Plural("iteration", t.Lap), t.Timed, how)
	if len(t.Front) > 0 && t.Front[0].Bound > 0 {
		v := t.Front[0]
		h.linef("  the fastest version takes %.0f %% longer than the work of its busiest units", 100*(v.Cycles/v.Bound-1))
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	tiles := slices.ContainsFunc(t.Front, func(v shaderlift.Tuned) bool { return v.Coarsened != nil })
	for i, v := range t.Front {
		if i == 0 {
			fmt.Fprint(w, "cycles\tregisters\twords\t")
			for _, c := range v.Targets {
				fmt.Fprintf(w, "%s\t", c.Target)
			}
			if tiles {
				fmt.Fprint(w, "tile\t")
			}
			fmt.Fprintln(w, " \tpipeline")
		}
		fmt.Fprintf(w, "%.0f\t%d\t%d\t", v.Cycles, v.GPRs, v.Words)
		for _, c := range v.Targets {
			fmt.Fprintf(w, "%+.1f%%\t", 100*(c.After.Cycles/max(c.Before.Cycles, 1)-1))
		}
		if tile := "-"; tiles {
			if v.Coarsened != nil {
				tile = v.Coarsened.Tile.String()
			}
			fmt.Fprintf(w, "%s\t", tile)
		}
		fmt.Fprintf(w, " \t%s\n", cmp.Or(v.Pipeline, "(the input)"))
	}
	w.Flush()
	h.linef("%s", bytes.TrimRight(b.Bytes(), "\n"))
	for _, v := range t.Front {
		if v.Slower != "" {
			h.linef("  %.0f cycles: %s", v.Cycles, v.Slower)
		}
	}
}
