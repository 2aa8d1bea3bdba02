package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/htmlreport"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/spf13/cobra"
)

// optFlags are the flags of opt.
type optFlags struct {
	flags
	to, report, html          string
	caseFile, domain, remarks string
	cache                     string
	cacheSize                 int // MiB
	quiet, verbose            bool
	dry, changes, all         bool
}

func (a *app) opt() *cobra.Command {
	var f optFlags
	cmd := &cobra.Command{
		Use:   "opt INPUT...",
		Short: "optimize programs, pairs, effects and kernels",
		Long: `Opt makes programs cheaper by what --target counts: of Direct3D 9 programs the time
that GPUs take for a pixel, on none of them more than before, or instruction slots; of a
kernel the cycles of a launch. Where that stays it saves vertex slots and registers. A program
never gets worse: if nothing is gained, what is written is the input, byte for byte.
Everything written was verified against the input, and reaches the verdict that
--require asks for: what keeps the result from it is taken apart, stage by stage and
then rewrite by rewrite, and left out. If a result is refuted that is an internal fault:
what is to blame is left out, a reproducer is written, and the exit status is 4.

Without -o, text goes to standard output, of a pair both programs, each under a
comment with its name; bytecode is refused. With -o, a lone program, effect or kernel goes to
that file, anything else into that directory, under the names it had; the form (text or
bytecode) stays that of the input. What would be written over an input is refused.
What was saved is reported on standard error.

Of a compiled effect the two programs of a pass are optimized together where the pass
owns both, any other one alone. Nothing is asked of the application: what moves to the
vertex program with constants of the pixel program gets these by its constant table.`,
		Example: `  shaderlift opt water.vsh,water.psh           show the result and what was saved
  shaderlift opt -o out water.vsh,water.psh    write out/water.vsh and out/water.psh
  shaderlift opt -o out --report out.json shaders/
  shaderlift opt -p fold,gvn,dce glow.psh      run these passes only`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.options(cmd, &f.flags)
			if err != nil {
				return err
			}
			if err := parseDomain(f.domain, &o); err != nil {
				return err
			}
			if f.changes || f.all {
				o.AfterStage = func(_ shaderlift.Input, stage string, changed bool, u *passes.Unit) {
					if changed || f.all {
						a.dump(stage, u)
					}
				}
			}
			if f.remarks != "" {
				if err := o.ParseRemarks(f.remarks); err != nil {
					return err
				}
				f.verbose = f.verbose || f.report == "" && f.html == ""
			}
			return a.optimize(args, o, &f)
		},
	}
	set := cmd.Flags()
	set.StringVarP(&f.to, "output", "o", "", "write to this `PATH`: a file for one program, a directory for anything else")
	f.addPipeline(set)
	f.addVerify(set)
	f.addConstants(set)
	f.addPartner(set)
	f.addGrow(set)
	f.addTarget(set)
	set.StringVar(&f.caseFile, "case", "", "predict the time of kernels for the launch in this `FILE`, and compare results on it; or on the draw of a pair that it holds")
	addDomain(set, &f.domain)
	set.StringVar(&f.report, "report", "", "also write the report as JSON to this `FILE`, - for standard output")
	set.StringVar(&f.html, "html", "", "also write a page to this `FILE` that shows the programs before and after, instruction by instruction, with what explain tells, and of one input what each rewrite made of it; the report then has that too")
	f.addJobs(set)
	set.BoolVarP(&f.dry, "dry-run", "n", false, "write no programs")
	set.BoolVar(&f.changes, "print-after-change", false, "print the dataflow of a program to standard error after each pass that changed it, under the banners that LLVM has")
	set.BoolVar(&f.all, "print-after-all", false, "the same after every pass")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "report only what fails")
	set.StringVar(&f.cache, "cache", "", "keep results in this `DIR`, and take those that are there for the same files, options and build of this command; several runs may share it")
	set.IntVar(&f.cacheSize, "cache-size", 1024, "keep no more than about `N` MiB there, what was not used longest goes first")
	set.StringVar(&f.remarks, "remarks", "", "tell in the report, or else as -v does, all there is of these `KINDS`: passed (every rewrite that was made), missed (why each instruction stays where it is), analysis (what limits programs), all; or gains (what each rewrite saves, which takes some time)")
	set.BoolVarP(&f.verbose, "verbose", "v", false, "report remarks: what was not done, and why")
	return cmd
}

// optimize runs the batch of opt. Everything that can be refused without work is refused first:
// outputs that would overwrite inputs, bytecode for a terminal, reports that cannot be written.
func (a *app) optimize(args []string, o shaderlift.Options, f *optFlags) error {
	h := a.human(f.quiet, f.verbose)
	cache, err := a.openCache(f.cache, f.cacheSize)
	if err != nil {
		return err
	}
	defer cache.bound()
	start := time.Now()
	a.results, _ = os.Stat(f.to) // nil where nothing is there yet
	jobs, err := a.jobs(args)
	if err != nil {
		return err
	}
	given, err := a.readCase(f.caseFile)
	if err != nil {
		return err
	}
	out := newOutput(f.to, args, a.out, f.dry)
	if out.printed() {
		if err := a.paths.writes(stdinName, "the text of programs"); err != nil {
			return err
		}
	}
	told, err := a.reports(o, f.report, f.html)
	if err != nil {
		return err
	}
	defer told.staged.discard()
	out.protect(jobs, &a.paths)
	h.all = len(jobs)
	// A history has every version of a program; for many inputs the page would be too large.
	o.History = f.html != "" && len(jobs) == 1
	work := func(in shaderlift.Input) (*shaderlift.Result, error) {
		if err := out.check(in); err != nil {
			return shaderlift.Failure(in, err), err
		}
		o := o
		if err := given.parse(isKernel(in), &o); err != nil {
			return shaderlift.Failure(in, err), err
		}
		if f.html != "" {
			return cache.result("explain", in, o, func(in shaderlift.Input) (*shaderlift.Result, error) { return shaderlift.Explain(a.ctx, in, o) })
		}
		return cache.result("optimize", in, o, func(in shaderlift.Input) (*shaderlift.Result, error) { return shaderlift.Optimize(a.ctx, in, o) })
	}
	idle := newUnheeded()
	ready := func(d *outcome) {
		if d.err == nil {
			d.found = out.found(&d.job, d.res.Files)
		}
		d.text = told.encoded(d.res)
	}
	ended := a.batch(jobs, f.jobs, work, ready, func(d *outcome) {
		if d.err == nil {
			if d.err = out.write(&d.job, d.res.Files, d.found); d.err != nil {
				d.res.Fail(d.err)
				d.text = told.encoded(d.res)
			}
		}
		if a.status = max(a.status, statusOf(d.err)); len(d.res.Misfits) > 0 {
			a.status = max(a.status, statusFit)
		}
		h.result(d.res, d.err)
		a.faults(h, d.res, d.err, out.faultDir())
		idle.add(d.res)
		var drawn *htmlreport.Draw
		if f.html != "" && d.err == nil {
			drawn, _ = a.draw(&d.job, d.res, o, given) // a page without one will do
		}
		d.res.Files = nil // written: a page keeps no programs
		told.add(d, drawn)
	})
	seconds := time.Since(start).Seconds()
	h.total(len(jobs), seconds)
	if ended == nil && !f.quiet {
		for _, line := range idle.lines(&o, f) {
			h.linef("%s", line)
		}
	}
	if len(args) == 2 && len(jobs) == 2 {
		h.together()
	} else {
		h.named()
	}
	return errors.Join(ended, told.end(seconds))
}

// draw is what a page shows of a draw with a pair, before and after.
func (a *app) draw(j *job, res *shaderlift.Result, o shaderlift.Options, given *caseFile) (*htmlreport.Draw, error) {
	if res.Kind != shaderlift.KindPair {
		return nil, nil
	}
	in, err := a.load(j)
	if err == nil {
		err = given.parse(false, &o)
	}
	if err != nil {
		return nil, err
	}
	return htmlreport.NewDraw(a.ctx, in, res, o)
}

// dump prints the programs of a unit after a stage under the banner of LLVM's -print-after-all, so
// that tools that read those dumps read these. Inputs are worked on concurrently, so each dump is
// one write.
func (a *app) dump(stage string, u *passes.Unit) {
	var b bytes.Buffer
	for _, f := range u.Funcs() {
		fmt.Fprintf(&b, "; *** IR Dump After %s on %s/%s ***\n", stage, u.Name, f.Name)
		f.Fprint(&b)
	}
	a.err.Write(b.Bytes())
}

// faultDir is where reproducers go: to the output, or else the current directory.
func (o *output) faultDir() string {
	switch {
	case o.dir:
		return o.to
	case o.to != "" && o.to != stdinName:
		return filepath.Dir(o.to)
	}
	return "."
}

// faults writes the reproducers of a result into dir and names them.
func (a *app) faults(h *human, r *shaderlift.Result, err error, dir string) {
	for _, f := range r.Faults {
		if !errors.Is(err, shaderlift.ErrRefused) {
			a.status = max(a.status, statusFault)
		}
		data := f.Reproducer()
		name := strings.Map(func(r rune) rune {
			if strings.ContainsRune(`/\:,`, r) {
				return '_'
			}
			return r
		}, r.Name)
		path := filepath.Join(dir, fmt.Sprintf("shaderlift-fault-%s-%08x.txtar", name, crc32.ChecksumIEEE(data)))
		werr := a.paths.free(path)
		if werr == nil {
			werr = writeFile(path, data)
		}
		if werr != nil {
			h.linef("shaderlift: %v; the reproducer cannot be written: %v", f, werr)
			continue
		}
		h.linef("shaderlift: %v; reproducer: %s", f, path)
	}
	r.Faults = nil // they hold the programs
}
