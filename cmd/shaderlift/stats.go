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
	format, caseFile, domain, against string
	listing                           bool
}

func (a *app) stats() *cobra.Command {
	var f statsFlags
	cmd := &cobra.Command{
		Use:   "stats INPUT...",
		Short: "print the costs of programs",
		Long: `Stats prints how much of the limits of its shader model each program uses, with slots as in
the instruction tables of the models. With --listing it prints each instruction instead, with
its slots, their running total, the number of live temporary components, and whether its value
may change for a draw, a vertex (and is interpolated) or a fragment. With GPUs for --target, a
column for each has the time of the instruction, as explain prints it. The listing of a program
is text that asm accepts.

For a pair, stats also lists the interpolated components that the pair could omit: dead ones are
never read, uniform ones are the same at all vertices of a draw, a duplicate equals the component
in parentheses, and a spanned one is an affine combination of the components in parentheses, with
coefficients that depend on constants only.

With GPUs for --target, stats predicts the time of a draw for each pixel, in multiply-adds of one
component (on r420 to cypress in instructions). Textures and target have four bytes a pixel. It
prints the limiting part of the GPU, the load of each part by the pixel program, and the work
of the vertex program for each vertex.

For kernels, stats prints the figures of AMD's shader analyzer for the GPU of --target:
instruction groups (alu), their operations and the share of slots filled, fetches and the share
of components used, groups per fetch, registers, wavefronts that fit on a SIMD, and clauses.
With --listing it prints the program that a compiler might make of the kernel, by groups.

Cycles, the hit rate of the first cache, the arithmetic rate and the limiting unit are
predictions for one launch. It comes from --case, with its constants, domain and sizes of
resources, or else is generated from the kernel. With --against, all kernels are priced on the
launches of another one: the launch on which opt compares versions, and launches with few and
with many trips of loops.`,
		Example: `  shaderlift stats shaders/
  shaderlift stats --format csv shaders/ > costs.csv
  shaderlift stats --listing water.psh
  shaderlift stats --target gcn,nvidia water.vsh,water.psh
  shaderlift stats --target rv770 kernels/
  shaderlift stats --against kernel.il kernel.il out/kernel.il`,
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
			if err := given.parse(shaderlift.KindKernel, &o); err != nil {
				return err
			}
			if err := parseDomain(f.domain, &o); err != nil {
				return err
			}
			if f.against != "" {
				if err := a.launchesOf(f.against, &o); err != nil {
					return err
				}
			}
			switch {
			case f.listing && f.format == "text":
				return a.listing(args, o, f.jobs)
			case f.listing && f.format != "json":
				return usagef("--listing --format %s: want text or json", f.format)
			case f.listing:
				return a.costs(args, o, &f, shaderlift.Instructions)
			}
			return a.costs(args, o, &f, shaderlift.Stats)
		},
	}
	set := cmd.Flags()
	a.addInclude(set)
	addPass(set, &f.pass)
	a.addCompile(set)
	f.addTarget(set)
	f.addJobs(set)
	set.StringVar(&f.format, "format", "text", "print in this `FORMAT`: text, json or csv")
	set.BoolVar(&f.listing, "listing", false,
		"print each instruction with its slots, or the groups of kernels; as text, or with --format json as data")
	set.StringVar(&f.caseFile, "case", "", "predict the time of kernels for the launch in this `FILE`")
	set.StringVar(&f.against, "against", "",
		"price all kernels on the launches generated from this `KERNEL`, and for its GPU")
	addDomain(set, &f.domain)
	return cmd
}

// launchesOf sets o to price kernels on the launches of the kernel arg, for the GPU of the target.
func (a *app) launchesOf(arg string, o *shaderlift.Options) error {
	in, err := a.single(arg)
	if err != nil {
		return err
	}
	if !isKernel(in) {
		return usagef("--against %s: this is not an AMD IL kernel, so it has no launches", arg)
	}
	res, err := shaderlift.Stats(a.ctx, in, *o)
	if err != nil {
		return err
	}
	if o.Target = shaderlift.Target(res.Kernel.Target); o.Kernel.Case != nil {
		return nil // the default holds for all
	}
	o.Kernel.Launches, err = shaderlift.Launches(a.ctx, in, *o)
	return err
}

// costs prints the prices of the inputs.
func (a *app) costs(args []string, o shaderlift.Options, f *statsFlags,
	price func(context.Context, shaderlift.Input, shaderlift.Options) (*shaderlift.Result, error)) error {
	p, err := a.statsPrinter(f.format, o)
	if err != nil {
		return err
	}
	jobs, err := a.listJobs(args)
	if err != nil {
		return err
	}
	optionsOf := a.retargeted(jobs, o)
	work := func(in shaderlift.Input) (*shaderlift.Result, error) {
		if f.against != "" && !isKernel(in) {
			err := usagef("%s: this is not an AMD IL kernel; --against %s accepts only kernels", in.Path(), f.against)
			return shaderlift.Failure(in, err), err
		}
		return price(a.ctx, in, optionsOf(in))
	}
	ended := a.batch(jobs, f.jobs, work, nil, func(d *outcome) {
		if d.err != nil {
			a.fail(d.err)
		}
		p.add(d)
	})
	return errors.Join(ended, p.end())
}

// listing prints the listings of the inputs, separated by empty lines. Results of the batch carry
// the text in place of programs.
func (a *app) listing(args []string, o shaderlift.Options, workers int) error {
	jobs, err := a.listJobs(args)
	if err != nil {
		return err
	}
	optionsOf := a.retargeted(jobs, o)
	var text []byte
	return a.batch(jobs, workers, func(in shaderlift.Input) (*shaderlift.Result, error) {
		text, err := shaderlift.Listing(a.ctx, in, optionsOf(in))
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
