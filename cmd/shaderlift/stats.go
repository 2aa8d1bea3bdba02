package main

import (
	"encoding/csv"
	"fmt"
	"strconv"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/spf13/cobra"
)

func (a *app) stats() *cobra.Command {
	var f flags
	var format string
	var listing bool
	cmd := &cobra.Command{
		Use:   "stats INPUT...",
		Short: "print what programs cost, without changing anything",
		Long: `Stats prints what programs take of the limits of their shader models, slots as the
instruction tables of the models count them. With --listing it prints the programs
instead, every instruction with its slots and their sum so far; the listing of a
program is text that assembles again.`,
		Example: `  shaderlift stats shaders/
  shaderlift stats --format csv shaders/ > costs.csv
  shaderlift stats --listing water.psh`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.options(cmd)
			if err != nil {
				return err
			}
			if listing {
				return a.listing(args, f.jobs)
			}
			p, err := a.statsPrinter(format, o)
			if err != nil {
				return err
			}
			jobs, err := a.jobs(args)
			if err != nil {
				return err
			}
			work := func(in shaderlift.Input) (*shaderlift.Result, error) { return shaderlift.Stats(in, o) }
			a.batch(jobs, f.jobs, work, func(d *outcome) {
				if d.err != nil {
					a.fail(d.err)
				}
				p.add(d)
			})
			return p.end()
		},
	}
	set := cmd.Flags()
	f.addTarget(set)
	f.addJobs(set)
	set.StringVar(&format, "format", "text", "print in this `FORM`: text, json or csv")
	set.BoolVar(&listing, "listing", false, "print the programs with the slots of every instruction")
	return cmd
}

// listing prints the listings of the inputs.
func (a *app) listing(args []string, workers int) error {
	jobs, err := a.jobs(args)
	if err != nil {
		return err
	}
	var text []byte
	a.batch(jobs, workers, func(in shaderlift.Input) (*shaderlift.Result, error) {
		text, err := shaderlift.Listing(in)
		if err != nil {
			return shaderlift.Failure(in, err), err
		}
		return &shaderlift.Result{Files: []shaderlift.File{{Data: text}}}, nil
	}, func(d *outcome) {
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
	return nil
}

// statsPrinter prints outcomes in one of the formats.
type statsPrinter struct {
	add func(*outcome)
	end func() error
}

func (a *app) statsPrinter(format string, o shaderlift.Options) (*statsPrinter, error) {
	switch format {
	case "text":
		return a.statsText(), nil
	case "csv":
		return a.statsCSV(), nil
	case "json":
		rep := shaderlift.NewReport(o)
		rep.Pipeline, rep.Numerics = "", "" // nothing runs
		return &statsPrinter{
			add: func(d *outcome) { rep.Add(d.res) },
			end: func() error { return rep.WriteJSON(a.out) },
		}, nil
	}
	return nil, usagef("unknown format %q (want text, json or csv)", format)
}

// statsText prints a line a program, in columns that do not depend on what comes.
func (a *app) statsText() *statsPrinter {
	var totals shaderlift.Totals
	return &statsPrinter{
		add: func(d *outcome) {
			if totals.Inputs == 0 {
				fmt.Fprintln(a.out, "model    slots  arith    tex  temps  const interp  nearest limit                  program")
			}
			totals.Add(d.res)
			for i := range d.res.Stages {
				s := &d.res.Stages[i]
				c := s.Before
				fmt.Fprintf(a.out, "%-7s %6d %6d %6d %6d %6d %6d  %-30s %s\n",
					s.Model, c.Slots, c.Arithmetic, c.Texture, c.Temps, c.Constants, c.Interpolators, s.Binding(), d.paths[i])
			}
		},
		end: func() error {
			if totals.Inputs > 1 {
				fmt.Fprintf(a.out, "%d inputs", totals.Inputs)
				for _, s := range []struct {
					stage d3d9.Stage
					sum   *shaderlift.Change
				}{{d3d9.Vertex, totals.VertexSlots}, {d3d9.Pixel, totals.PixelSlots}} {
					if s.sum != nil {
						fmt.Fprintf(a.out, ", %d %s slots", s.sum.Before, s.stage)
					}
				}
				fmt.Fprintln(a.out)
			}
			return nil
		},
	}
}

func (a *app) statsCSV() *statsPrinter {
	w := csv.NewWriter(a.out)
	w.Write([]string{"input", "program", "stage", "model", "slots", "arithmetic", "texture", "temps", "constants", "interpolators"})
	return &statsPrinter{
		add: func(d *outcome) {
			for i, s := range d.res.Stages {
				row := []string{d.res.Input, d.paths[i], s.Stage, s.Model}
				c := s.Before
				for _, n := range []int{c.Slots, c.Arithmetic, c.Texture, c.Temps, c.Constants, c.Interpolators} {
					row = append(row, strconv.Itoa(n))
				}
				w.Write(row)
			}
		},
		end: func() error { w.Flush(); return w.Error() },
	}
}
