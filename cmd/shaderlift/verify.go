package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/spf13/cobra"
)

func (a *app) verify() *cobra.Command {
	var f flags
	var format, caseFile, shown string
	var uploads []string
	cmd := &cobra.Command{
		Use:   "verify BEFORE AFTER",
		Short: "judge whether one version of a program, pair or kernel may replace another",
		Long: `Verify compares two versions of a program, pair or kernel: as terms, over the reals,
and by running both on draws or launches it makes up. It prints the verdict: proved, proved-real (equal
but for rounding), bounded, tested (no difference found), unknown or refuted, with a
counterexample: the inputs, the values on either side, and the first statement of each
that computes a value which the other side never has. A verdict below the one that --require asks for is exit status 3.`,
		Example: `  shaderlift verify water.vsh,water.psh out/water.vsh,out/water.psh
  shaderlift verify --numerics terms glow.psh smaller.psh
  shaderlift verify --counterexample a.case a.psh b.psh; shaderlift run a.psh --case a.case
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
			if o.Uploads, err = parseUploads(uploads); err != nil {
				return err
			}
			before, err := a.single(args[0])
			if err != nil {
				return err
			}
			given, err := a.readCase(caseFile)
			if err != nil {
				return err
			}
			if err := given.parse(isKernel(before), &o); err != nil {
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
			if shown != "" && len(res.Case) > 0 {
				err = errors.Join(err, a.write(shown, res.Case))
			}
			return a.verdict(res, err, format, o)
		},
	}
	set := cmd.Flags()
	f.addVerify(set)
	f.addConstants(set)
	f.addPartner(set)
	f.addGrow(set)
	set.StringVar(&shown, "counterexample", "", "write what shows a difference as a case to this `FILE`, - for standard output; run --case takes it")
	addForm(set, &format)
	set.StringVar(&caseFile, "case", "", "compare the versions on the draw, or the launch of a kernel, in this `FILE` too")
	set.StringArrayVar(&uploads, "upload", nil, "for AFTER the application sets a vertex constant to a pixel constant, as `V=P` says, such as c5=c0, or the other way, as ps:c5=vs:c0; may be repeated")
	return cmd
}

// verdict prints the outcome of a verification.
func (a *app) verdict(res *shaderlift.Result, err error, format string, o shaderlift.Options) error {
	if format == "json" {
		rep := shaderlift.NewReport(o)
		rep.Pipeline = "" // nothing runs
		rep.Add(res)
		if werr := rep.WriteJSON(a.out); werr != nil {
			return werr
		}
	} else if res.Judgement != nil {
		fmt.Fprintln(a.out, verdict(res))
		for _, m := range res.Remarks {
			fmt.Fprintln(a.out, remark(m))
		}
	}
	a.faults(a.human(false, false), res, err, ".")
	return err
}

// single loads the one input that arg names.
func (a *app) single(arg string) (in shaderlift.Input, err error) {
	var jobs []job
	a.expand([]string{arg}, func(j job) bool {
		a.paths.job(&j)
		jobs = append(jobs, j)
		return len(jobs) < 2
	})
	if len(jobs) != 1 {
		return in, usagef("%s is not one input", arg)
	}
	return a.load(&jobs[0])
}

func isKernel(in shaderlift.Input) bool {
	return shaderlift.Recognize(in.Files[0].Data) == shaderlift.IL
}

// parseUploads reads c5=c0, vertex constant first, and ps:c5=vs:c0.
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
			return nil, usagef("upload %q is not like c5=c0 or ps:c5=vs:c0", text)
		}
		ups = append(ups, shaderlift.Upload{From: shaderlift.HostRegister{Stage: stage.Other(), Index: f}, To: shaderlift.HostRegister{Stage: stage, Index: t}})
	}
	return ups, nil
}

func constant(s string) (uint16, bool) {
	digits, ok := strings.CutPrefix(strings.TrimSpace(s), "c")
	n, err := strconv.ParseUint(digits, 10, 16)
	return uint16(n), ok && err == nil
}
