package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift"
	"github.com/spf13/cobra"
)

// statsFlags are the flags of stats.
type statsFlags struct {
	flags
	format, caseFile, domain string
	listing                  bool
}

func (a *app) stats() *cobra.Command {
	var f statsFlags
	cmd := &cobra.Command{
		Use:   "stats INPUT...",
		Short: "print what programs cost, without changing anything",
		Long: `Stats prints what programs take of the limits of their shader models, slots as the
instruction tables of the models count them. With --listing it prints the programs
instead, every instruction with its slots, their sum so far, how many components of
temporaries are still read behind it, and whether what it computes may change for a draw,
a vertex (and is interpolated) or a fragment; the listing of a program is text that
assembles again.

With GPUs for --target it predicts how long a draw takes for a pixel, in multiply-adds of
one component (on r420 to cypress in instructions), with textures and a target of four bytes:
the part of the GPU that has most to do, and what the pixel program does in each; then
what the vertex program does for a vertex.

Of kernels it prints what AMD's shader analyzer would, for the GPU that --target
names: instruction groups (alu), operations in them and the share of slots these fill,
fetches and the share of their components that is used, groups a fetch, registers,
the wavefronts that a SIMD then has room for, and clauses. With --listing it prints the
program that a compiler might make of the kernel, group by group.

Cycles, the share of fetches that the first cache has, the arithmetic done and the
unit that has most to do are predicted for one launch: that of --case, whose constants,
domain and sizes of resources count, or one made up.`,
		Example: `  shaderlift stats shaders/
  shaderlift stats --format csv shaders/ > costs.csv
  shaderlift stats --listing water.psh
  shaderlift stats --target gcn,nvidia water.vsh,water.psh
  shaderlift stats --target rv770 kernels/`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.options(cmd)
			if err != nil {
				return err
			}
			given, err := a.readCase(f.caseFile)
			if err != nil {
				return err
			}
			if err := given.parse(true, &o); err != nil {
				return err
			}
			if err := parseDomain(f.domain, &o); err != nil {
				return err
			}
			switch {
			case f.listing && f.format == "text":
				return a.listing(args, o, f.jobs)
			case f.listing && f.format != "json":
				return usagef("a listing is text or json, not %s", f.format)
			case f.listing:
				return a.costs(args, o, &f, shaderlift.Instructions)
			}
			return a.costs(args, o, &f, shaderlift.Stats)
		},
	}
	set := cmd.Flags()
	f.addTarget(set)
	f.addJobs(set)
	set.StringVar(&f.format, "format", "text", "print in this `FORM`: text, json or csv")
	set.BoolVar(&f.listing, "listing", false, "print the programs with the slots of every instruction, or the groups of kernels, as text or, with --format json, as data")
	set.StringVar(&f.caseFile, "case", "", "predict the time of kernels for the launch in this `FILE`")
	addDomain(set, &f.domain)
	return cmd
}

// costs prints what price tells of the inputs.
func (a *app) costs(args []string, o shaderlift.Options, f *statsFlags, price func(context.Context, shaderlift.Input, shaderlift.Options) (*shaderlift.Result, error)) error {
	p, err := a.statsPrinter(f.format, o)
	if err != nil {
		return err
	}
	jobs, err := a.jobs(args)
	if err != nil {
		return err
	}
	work := func(in shaderlift.Input) (*shaderlift.Result, error) { return price(a.ctx, in, o) }
	ended := a.batch(jobs, f.jobs, work, nil, func(d *outcome) {
		if d.err != nil {
			a.fail(d.err)
		}
		p.add(d)
	})
	return errors.Join(ended, p.end())
}

// listing prints the listings of the inputs, with an empty line between them. Results of the batch
// carry the text in place of programs.
func (a *app) listing(args []string, o shaderlift.Options, workers int) error {
	jobs, err := a.jobs(args)
	if err != nil {
		return err
	}
	var text []byte
	return a.batch(jobs, workers, func(in shaderlift.Input) (*shaderlift.Result, error) {
		text, err := shaderlift.Listing(a.ctx, in, o)
		if err != nil {
			return shaderlift.Failure(in, err), err
		}
		return &shaderlift.Result{Files: []shaderlift.File{{Data: text}}}, nil
	}, nil, func(d *outcome) {
		if d.err != nil {
			a.fail(d.err)
			return
		}
		if text != nil {
			fmt.Fprintln(a.out)
		}
		text = d.res.Files[0].Data
		a.out.Write(text)
	})
}
