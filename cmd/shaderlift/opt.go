package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt/htmlreport"
	"github.com/shaderlift/shaderlift/opt/wording"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/spf13/cobra"
)

// optFlags are the flags of opt.
type optFlags struct {
	flags
	to, report, html          string
	caseFile, domain, remarks string
	writeCase                 string
	cache                     string
	cacheSize                 int // MiB
	quiet, verbose            bool
	dry, changes, all         bool
	inPlace, backup, check    bool
}

func (a *app) opt() *cobra.Command {
	var f optFlags
	cmd := &cobra.Command{
		Use:   "opt INPUT...",
		Short: "optimize programs, pairs, effects and kernels",
		Long: `Opt reduces the costs that --target selects. For Direct3D 9 programs this is the time that each
GPU takes for a pixel, or the number of instruction slots. For a kernel it is the cycles of a
launch. If these costs stay equal, it saves vertex slots, registers and interpolators. If no
cheaper version is found, opt writes the input unchanged. With the default target, a pixel may
take 0.5 % longer on a GPU; with a named GPU as the target it never does.

Each result is verified against its input and reaches the verdict of --require. If a rewrite
would lower the verdict, opt finds it, by stages and then by single rewrites, and leaves it out.
A refuted result is an internal fault. Opt then leaves out the faulty rewrite, writes a
reproducer and ends with exit status 4.

Without -o, opt writes text to standard output. For a pair it writes both programs, each below
a comment with its name. Bytecode and effects go there too, one input at a time, but never to a
terminal. With -o, a single program, effect or kernel goes to that file. Other inputs go into
that directory under their own names. The output has the form of the input, text or bytecode.
Opt does not overwrite an input. A summary goes to standard error: an aligned line for each of
several inputs, or more with -v.

If several inputs share a program, such as the vertex program of two pairs, opt optimizes it
alone and writes it once. The other program of each pair is optimized against that version.
Pixel programs of ps_1_1 to ps_1_4 stay unchanged; their vertex programs are optimized.

In a compiled effect, opt optimizes the two programs of a pass together if only this pass uses
them. Other programs are optimized alone. The application needs no change: if code with
constants of the pixel program moves, the vertex program gets them by its constant table.`,
		Example: `  shaderlift opt water.vsh,water.psh           show the result and the savings
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
			if f.inPlace && a.compiling.set {
				return usagef("-w would replace the source of a compiled program; give -o instead")
			}
			if err := f.checkOutput(); err != nil {
				return err
			}
			if f.changes || f.all {
				o.Hooks.AfterStage = func(_ shaderlift.Input, stage string, changed bool, u *passes.Unit) {
					if changed || f.all {
						a.dumpUnit(stage, u)
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
	set.BoolVarP(&f.inPlace, "write", "w", false,
		"replace the inputs by the results, atomically and with their modes; an unchanged input is not touched. The result is optimized again until another run changes nothing")
	set.BoolVar(&f.backup, "backup", false,
		"with -w, keep each replaced file as NAME.orig; if another file has this name, the input stays and is an error")
	set.BoolVar(&f.check, "check", false,
		"write no programs; name each file of -o that is missing or differs from its result, or with -w each input that would change, and end with status 3 if there is one")
	f.addPipeline(set)
	a.addInclude(set)
	a.addCompile(set)
	f.addVerify(set)
	f.addConstants(set)
	f.addPartner(set)
	f.addGrow(set)
	f.addTarget(set)
	set.StringVar(&f.caseFile, "case", "", "predict the time of kernels for the launch in this `FILE` and compare results on it; for a pair, compare results on the draw in it")
	addDomain(set, &f.domain)
	set.StringVar(&f.writeCase, "write-case", "",
		"write the launches that kernels were priced on below this `DIR`, as KERNEL.LAUNCH.case, or as .before.case and .after.case if the result is launched differently; stats, verify, run and tune read them with --case")
	set.StringVar(&f.report, "report", "", "also write the report as JSON to this `FILE` (- for standard output)")
	set.StringVar(&f.html, "html", "", "also write a page to this `FILE` that shows each instruction before and after, with the output of explain; for a single input also the effect of each rewrite; the report then has these data too")
	f.addJobs(set)
	set.BoolVarP(&f.dry, "dry-run", "n", false, "write no programs")
	set.BoolVar(&f.changes, "print-after-change", false,
		"print the dataflow of a program to standard error after each pass that changed it, with the headings of LLVM dumps")
	set.BoolVar(&f.all, "print-after-all", false, "print the dataflow of a program to standard error after every pass")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "report only failures")
	set.StringVar(&f.cache, "cache", "", "store results in this `DIR` and reuse them for the same files, options and build of this command; several runs may share it")
	set.IntVar(&f.cacheSize, "cache-size", 1024,
		"limit the --cache directory to about `N` MiB; the least recently used results are deleted first")
	set.StringVar(&f.remarks, "remarks", "",
		"write all remarks of these `KINDS` to the report, or as -v does if there is no report: passed (every rewrite), missed (why each instruction stays), analysis (the limits of programs), all, or gains (the savings of each rewrite; this takes longer)")
	set.BoolVarP(&f.verbose, "verbose", "v", false, "print remarks: rewrites that were not made, and why")
	return cmd
}

// optimize runs the batch of opt. It first reports all errors that need no work: outputs that would
// overwrite inputs, bytecode for a terminal, reports that cannot be written.
func (a *app) optimize(args []string, o shaderlift.Options, f *optFlags) error {
	h := a.human(f.quiet, f.verbose)
	cache, err := a.openCache(f.cache, f.cacheSize)
	if err != nil {
		return err
	}
	defer cache.bound()
	start := time.Now()
	a.results, _ = os.Stat(f.to) // nil if it does not exist yet
	jobs, err := a.listJobs(args)
	if err != nil {
		return err
	}
	given, err := a.readCase(f.caseFile)
	if err != nil {
		return err
	}
	out := newOutput(f.to, args, a.out, f.dry)
	out.inPlace, out.backup, out.check = f.inPlace, f.backup, f.check
	if err := out.claimStdout(&a.paths, "the text of programs"); err != nil {
		return err
	}
	if err := a.checkFirst(jobs, out); err != nil {
		return err
	}
	told, err := a.reports(o, f.report, f.html)
	if err != nil {
		return err
	}
	defer told.staged.discard()
	out.protect(jobs, &a.paths)
	shared := a.newSharing(jobs, out)
	if f.inPlace {
		completeCommits(jobs)
		a.held = shared.hold(jobs)
	}
	cases, err := a.writeCases(f.writeCase, f.caseFile, out)
	if err != nil {
		return err
	}
	h.all = len(jobs)
	h.align(jobs)
	// A history contains every version of a program; for many inputs the page would be too large.
	o.Report.History = f.html != "" && len(jobs) == 1
	o.Report.SkipRounding = len(jobs) > 1 && !f.verbose && f.report == "" && f.html == "" // no output shows it
	optionsOf := a.retargeted(jobs, o)
	work := func(in shaderlift.Input) (*shaderlift.Result, error) {
		if o, _ := a.containerOf(in.Files[0].Name); o != nil && !o.Binary && !out.header {
			// The output is text, even if the program is bytecode.
		} else if err := out.checkForm(in); err != nil {
			return shaderlift.Failure(in, err), err
		}
		o := optionsOf(in)
		o.Host.Shared, o.Hooks.Versions = shared.stages(in), &shared.versions
		if err := given.parse(in.Kind(), &o); err != nil {
			return shaderlift.Failure(in, err), err
		}
		if f.html != "" {
			return cache.result("explain", in, o,
				func(in shaderlift.Input) (*shaderlift.Result, error) { return shaderlift.Explain(a.ctx, in, o) })
		}
		if f.inPlace {
			return cache.result("stable", in, o, func(in shaderlift.Input) (*shaderlift.Result, error) {
				return shaderlift.OptimizeStable(a.ctx, in, o)
			})
		}
		return cache.result("optimize", in, o,
			func(in shaderlift.Input) (*shaderlift.Result, error) { return shaderlift.Optimize(a.ctx, in, o) })
	}
	ready := func(d *outcome) {
		if d.err == nil {
			d.found = out.found(&d.job, d.res.Files)
		}
		d.text = told.encoded(d.res)
	}
	ended := a.batch(jobs, f.jobs, work, ready, func(d *outcome) {
		of, files, err := a.collect(d, out)
		if err == nil {
			err = out.write(of, files, of.found)
		}
		if err != nil && (d.err == nil || of != d) {
			if d.err != nil { // of the last program of a container
				err = errors.Join(d.err, err)
			}
			d.err = err
			d.res.Fail(d.err)
			d.text = told.encoded(d.res)
		}
		if err := cases.write(d); err != nil {
			d.err = err
			d.res.Fail(err)
			d.text = told.encoded(d.res)
		}
		if a.status = max(a.status, statusOf(d.err)); len(d.res.Misfits) > 0 {
			a.status = max(a.status, statusFit)
		}
		h.result(d.res, d.err)
		a.faults(h, d.res, d.err, out.faultDir())
		if !h.quiet && h.all == 1 && d.err == nil && !slices.Contains(d.paths, stdinName) {
			in := shaderlift.Input{Name: d.name, Files: d.read, Include: a.include}
			for _, text := range wording.Reasons(a.ctx, in, o, d.res) {
				h.linef("    %s", text)
			}
		}
		a.staleFiles(h, out)
		a.unused.observeResult(d.res)
		var drawn *htmlreport.Draw
		if f.html != "" && d.err == nil {
			drawn, _ = a.drawPictures(&d.job, d.res, o, given) // the page can omit the drawing
		}
		d.res.Files, d.read = nil, nil // written: the page does not need the programs
		told.add(d, drawn)
	})
	seconds := time.Since(start).Seconds()
	h.total(len(jobs), seconds)
	switch {
	case !out.check || f.quiet:
	case out.differ > 0:
		h.linef("not current: %d %s; run the command without --check", out.differ, wording.Plural("file", out.differ))
	case ended == nil:
		h.linef("all files are current")
	}
	if len(args) == 2 && len(jobs) == 2 {
		h.together()
	} else {
		h.named()
	}
	h.single()
	return errors.Join(ended, told.finishReports(seconds))
}

// checkOutput reports contradictions between the flags for outputs.
func (f *optFlags) checkOutput() error {
	switch {
	case f.inPlace && f.to != "":
		return usagef("give -o or -w, not both")
	case f.inPlace && f.html != "":
		return usagef("--html compares the programs of one run, and -w may run several times; give -n instead of -w")
	case f.backup && !f.inPlace:
		return usagef("--backup keeps the files that -w replaces; give -w too")
	case f.check && f.dry:
		return usagef("give --check or -n, not both")
	case f.check && !f.inPlace && (f.to == "" || f.to == stdinName):
		return usagef("--check compares files with results; give -o PATH or -w too")
	}
	return nil
}

// staleFiles prints the files of the last input that are not its results, and sets the exit status.
func (a *app) staleFiles(h *human, out *output) {
	for _, line := range out.stale {
		h.linef("    %s", line)
		a.status = max(a.status, statusRefused)
	}
	out.differ, out.stale = out.differ+len(out.stale), nil
}

// drawPictures returns the pictures of a draw with a pair, before and after, for the page.
func (a *app) drawPictures(j *job, res *shaderlift.Result, o shaderlift.Options, given *caseFile) (*htmlreport.Draw,
	error) {
	if res.Kind != shaderlift.KindPair {
		return nil, nil
	}
	in, err := a.loadFiles(j)
	if err == nil {
		err = given.parse(shaderlift.KindPair, &o)
	}
	if err != nil {
		return nil, err
	}
	return htmlreport.NewDraw(a.ctx, in, res, o)
}

// dumpUnit prints the programs of a unit after a stage under the banner of LLVM's -print-after-all, so
// that tools for LLVM dumps can read them. Inputs are processed concurrently, so each dump is a
// single write.
func (a *app) dumpUnit(stage string, u *passes.Unit) {
	var b bytes.Buffer
	for _, f := range u.Funcs() {
		fmt.Fprintf(&b, "; *** IR Dump After %s on %s/%s ***\n", stage, u.Name, f.Name)
		f.Fprint(&b)
	}
	a.err.Write(b.Bytes())
}

// faultDir returns the folder for reproducers: that of the output, or else the current directory.
func (o *output) faultDir() string {
	switch {
	case o.dir:
		return o.to
	case o.to != "" && o.to != stdinName:
		return filepath.Dir(o.to)
	}
	return "."
}

// faults writes the reproducers of a result into dir and prints their names.
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
		werr := a.paths.checkFree(path)
		if werr == nil {
			werr = writeFile(path, data)
		}
		if werr != nil {
			h.linef("shaderlift: %v; cannot write the reproducer: %v", f, werr)
			continue
		}
		h.linef("shaderlift: %v; reproducer: %s", f, path)
	}
	r.Faults = nil // they hold the programs
}
