package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/wording"
	"github.com/spf13/cobra"
)

func (a *app) verify() *cobra.Command {
	var f flags
	var format, caseFile, shown string
	var uploads []string
	var ignoreNames bool
	var promises string
	cmd := &cobra.Command{
		Use:   "verify BEFORE AFTER",
		Short: "decide whether one version of an input may replace another",
		Long: `Verify decides whether one version of a program, pair, kernel or SPIR-V module may replace
another. It compares their terms, first exactly and then over the reals, and runs both on
generated draws or launches. It prints one of these verdicts:

    proved         the same results
    proved-real    equal except for rounding
    bounded        rounding differs at most by a bound
    tested         no difference found
    unknown        not decided
    refuted        different, with a counterexample

A counterexample has the inputs, the values of both versions, and in each version the first
statement whose value the other version never computes. If the verdict is below --require, the
exit status is 3.

Of two folders, verify judges each input of BEFORE against the files with the same relative
paths in AFTER, and prints a line for each and a total. A file that only one folder has counts
as refused.`,
		Example: `  shaderlift verify water.vsh,water.psh out/water.vsh,out/water.psh
  shaderlift verify Effects Content/Effects
  shaderlift verify water.vert.spv,water.frag.spv out/water.vert.spv,out/water.frag.spv
  shaderlift verify --numerics terms glow.psh smaller.psh
  shaderlift verify --counterexample a.case a.psh b.psh; shaderlift run a.psh --case a.case
  shaderlift verify --promises out.json a.vsh,a.psh out/a.vsh,out/a.psh
  shaderlift verify --upload c5=c0 a.vsh,a.psh b.vsh,b.psh   vertex c5 holds pixel c0 in b`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.options(cmd, &f)
			if err != nil {
				return err
			}
			if err := checkForm(format); err != nil {
				return err
			}
			o.Host.IgnoreNames = ignoreNames
			if o.Host.Uploads, err = parseUploads(uploads); err != nil {
				return err
			}
			read, err := a.readPromises(promises)
			if err != nil {
				return err
			}
			if a.isFolder(args[0]) && a.isFolder(args[1]) {
				if caseFile != "" || shown != "" {
					return usagef("--case and --counterexample are for one input; name the two files instead of the folders")
				}
				return a.verifyFolders(args[0], args[1], o, f.jobs, format, read.apply)
			}
			before, err := a.single(args[0])
			if err != nil {
				return err
			}
			given, err := a.readCase(caseFile)
			if err != nil {
				return err
			}
			if err := given.parse(before.Kind(), &o); err != nil {
				return err
			}
			if err := read.apply(before, &o); err != nil {
				return err
			}
			after, err := a.single(args[1])
			if err != nil {
				return err
			}
			if shown != "" {
				if err := a.paths.writes(shown, "the counterexample"); err != nil {
					return err
				}
			}
			res, err := shaderlift.Verify(a.ctx, before, after, o)
			a.unused.observeResult(res)
			switch {
			case shown != "" && len(res.Case) > 0:
				err = errors.Join(err, a.write(shown, res.Case))
			case shown != "":
				a.unused.say("--counterexample %s: nothing is written, because no difference was found", shown)
			}
			return a.verdict(res, err, format, o)
		},
	}
	set := cmd.Flags()
	f.addVerify(set)
	a.addInclude(set)
	addPass(set, &f.pass)
	a.addCompile(set)
	f.addConstants(set)
	f.addPartner(set)
	f.addJobs(set)
	f.addGrow(set)
	set.StringVar(&shown, "counterexample", "",
		"write a counterexample as a case to this `FILE` (- for standard output); run --case reads it")
	addForm(set, &format)
	set.StringVar(&caseFile, "case", "", "also compare the versions on the draw or launch in this `FILE`")
	set.StringVar(&promises, "promises", "",
		"read uploads, constants, promises, and the tile and launches of a kernel from the report of opt in this `FILE`")
	set.BoolVar(&ignoreNames, "ignore-names", false,
		"ignore constant tables; the verdict then holds only if the application sets constants by register, not by name")
	set.StringArrayVar(&uploads, "upload", nil,
		"assume that for AFTER the application sets vertex constant V to pixel constant P, `V=P`, such as c5=c0, or the reverse, ps:c5=vs:c0; may be repeated")
	return cmd
}

// verdict prints the outcome of a verification.
func (a *app) verdict(res *shaderlift.Result, err error, format string, o shaderlift.Options) error {
	if format == "json" {
		rep := shaderlift.NewReport(o)
		rep.Pipeline = "" // no pipeline runs
		rep.Add(res)
		if werr := rep.WriteJSON(a.out); werr != nil {
			return werr
		}
	} else if res.Judgement != nil {
		fmt.Fprintln(a.out, wording.Verdict(res, true))
		for _, m := range res.Remarks {
			fmt.Fprintln(a.out, wording.Remark(m))
		}
	}
	a.faults(a.human(false, false), res, err, ".")
	return err
}

// single loads the one input arg.
func (a *app) single(arg string) (in shaderlift.Input, err error) {
	var jobs []job
	a.expand([]string{arg}, func(j job) bool {
		a.paths.recordJob(&j)
		jobs = append(jobs, j)
		return len(jobs) < 2
	})
	if len(jobs) != 1 {
		return in, usagef("%s is not one input; verify also takes two folders", arg)
	}
	return a.loadFiles(&jobs[0])
}

func isKernel(in shaderlift.Input) bool {
	return shaderlift.Recognize(in.Files[0].Data) == input.IL
}

// parseUploads parses c5=c0, vertex constant first, and ps:c5=vs:c0.
func parseUploads(list []string) (ups []shaderlift.Upload, err error) {
	for _, text := range list {
		to, from, ok := strings.Cut(text, "=")
		stage := d3d9.Vertex
		if below, lowered := strings.CutPrefix(to, "ps:"); lowered {
			stage, to, from = d3d9.Pixel, below, strings.TrimPrefix(from, "vs:")
		}
		t, okTo := constant(to)
		f, okFrom := constant(from)
		if !ok || !okTo || !okFrom {
			return nil, usagef("--upload %q: want a form such as c5=c0 or ps:c5=vs:c0", text)
		}
		ups = append(ups, shaderlift.Upload{From: shaderlift.HostRegister{Stage: stage.Other(), Index: f},
			To: shaderlift.HostRegister{Stage: stage, Index: t}})
	}
	return ups, nil
}

func constant(s string) (uint16, bool) {
	digits, ok := strings.CutPrefix(strings.TrimSpace(s), "c")
	n, err := strconv.ParseUint(digits, 10, 16)
	return uint16(n), ok && err == nil
}
