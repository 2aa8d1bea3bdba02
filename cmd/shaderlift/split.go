package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/spf13/cobra"
)

// tableName is the file that split writes next to the kernels.
const tableName = "dispatch.json"

// splitFlags are the flags of split.
type splitFlags struct {
	flags
	to, caseFile, domain, report string
	most                         int
	quiet                        bool
}

func (a *app) split() *cobra.Command {
	var f splitFlags
	cmd := &cobra.Command{
		Use:   "split INPUT -o DIR",
		Short: "make a kernel for each outcome of constant conditions",
		Long: `Split makes several kernels of one AMD IL kernel, if conditions of its branches depend only on
constant buffers. Each outcome of these conditions gets a kernel without the branches and their
dead code, optimized as by opt. DIR gets:

  - the kernels, and the input for all other constants
  - ` + tableName + `: the conditions as expressions over elements of constant buffers, and
    the kernel of each outcome; the host evaluates them when it sets the constants

Each kernel is verified as by opt. The version with fixed conditions is also compared with the
input by execution, for constants with these outcomes; every bit must be the same.`,
		Example: `  shaderlift split -o out gem.il           write out/gem.0.il and so on, and out/dispatch.json
  shaderlift split -o out --most 4 gem.il`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.options(cmd)
			if err != nil {
				return err
			}
			if err := parseDomain(f.domain, &o); err != nil {
				return err
			}
			return a.apart(args[0], o, &f)
		},
	}
	set := cmd.Flags()
	set.StringVarP(&f.to, "output", "o", "", "write to this `DIR`")
	set.IntVar(&f.most, "most", opt.MostKernels, "make at most `N` kernels")
	set.StringVar(&f.caseFile, "case", "", "predict the time of the kernels for the launch in this `FILE` and compare results on it, with constants that give each outcome")
	addDomain(set, &f.domain)
	set.StringVar(&f.report, "report", "", "also write the report as JSON to this `FILE` (- for standard output)")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "report only failures")
	f.addPipeline(set)
	f.addVerify(set)
	f.addConstants(set)
	f.addTarget(set)
	hideProgramFlags(set)
	return cmd
}

// apart splits the kernel arg.
func (a *app) apart(arg string, o shaderlift.Options, f *splitFlags) error {
	if f.most == 0 { // the library would use its default
		return usagef("--most 0: want a number from 2 to %d", opt.MaxKernels)
	}
	if f.to == "" {
		return usagef("give -o DIR for the kernels and " + tableName)
	}
	in, err := a.single(arg)
	if err != nil {
		return err
	}
	if !isKernel(in) {
		return usagef("%s is not an AMD IL kernel; opt optimizes other inputs", arg)
	}
	if in.Files[0].Name == stdinName {
		in.Files[0].Name = in.Name // the base name of the kernels
	}
	start := time.Now()
	given, err := a.readCase(f.caseFile)
	if err != nil {
		return err
	}
	if err := given.parse(shaderlift.KindKernel, &o); err != nil {
		return err
	}
	told, err := a.reports(o, f.report, "")
	if err != nil {
		return err
	}
	defer told.staged.discard()
	s, err := shaderlift.Split(a.ctx, in, o, f.most)
	if err != nil {
		return err
	}
	if err := a.writeKernels(s, f.to); err != nil {
		return err
	}
	h := a.human(f.quiet, false)
	for _, r := range s.Results {
		a.faults(h, r, nil, f.to)
	}
	if !f.quiet {
		h.kernels(s)
	}
	for _, r := range s.Results {
		a.unused.observeResult(r)
		told.add(&outcome{res: r}, nil)
	}
	return told.finishReports(time.Since(start).Seconds())
}

// writeKernels writes the kernels and their table into dir, all or none.
func (a *app) writeKernels(s *shaderlift.Splitting, dir string) error {
	table, err := s.JSON()
	if err != nil {
		return err
	}
	var staged stagedFiles
	defer staged.discard()
	for _, file := range append(s.Files, shaderlift.File{Name: tableName, Data: table}) {
		path := filepath.Join(dir, file.Name)
		if err := a.paths.writes(path, file.Name); err != nil {
			return err
		}
		if err := staged.stageFile(path, file.Data); err != nil {
			return err
		}
	}
	return staged.commit()
}

// kernels lists the conditions and the kernels of a split.
func (h *human) kernels(s *shaderlift.Splitting) {
	for i, c := range s.Conditions {
		h.linef("condition %d, line %d: %s", i, c.Line, c.Expr)
	}
	for i, k := range s.Kernels {
		h.linef("%s where %s: %s", k.File, outcomes(k.When), h.resultLine(s.Results[i]))
	}
	for _, l := range s.Left {
		h.linef("%s where %s: %s", s.Otherwise, outcomes(l.When), l.Why)
	}
}

// outcomes returns the text of condition outcomes, by number.
func outcomes(when []kernel.Outcome) string {
	words := make([]string, len(when))
	for i, o := range when {
		words[i] = fmt.Sprintf("%d is %t", o.Condition, o.Holds)
	}
	return strings.Join(words, ", ")
}
