package main

import (
	"fmt"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// injected are passes that pipelines may name besides those of the suite. Tests set it, to
// have something that fails.
var injected []*passes.Pass

func (a *app) replay() *cobra.Command {
	return &cobra.Command{
		Use:   "replay FAULT.txtar",
		Short: "run a reproducer again, with every option it had",
		Long: `Replay does again what a reproducer is of: an internal fault that opt, verify, stats
or run met. Every option is in the reproducer but a time limit, which would cut off
something else on another machine. If the fault happens again the exit status is 4, if it
is a verdict below --require 3, and 0 if it does not.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := a.reproducer(args[0])
			if err != nil {
				return err
			}
			if f == nil {
				if _, err := a.readFile(args[0]); err != nil {
					return err
				}
				return usagef("%s is no reproducer", args[0])
			}
			r := shaderlift.Replay(a.ctx, f)
			for _, g := range r.Others {
				fmt.Fprintf(a.out, "another fault: %v\n", g)
				a.status = max(a.status, statusFault)
			}
			switch {
			case r.Again != nil:
				fmt.Fprintf(a.out, "it happens again: %v\n", r.Again)
				if a.status = max(a.status, statusRefused); f.Err != nil {
					a.status = max(a.status, statusFault)
				}
			case r.Err != nil:
				return r.Err
			default:
				fmt.Fprintln(a.out, "it does not happen any more")
			}
			return nil
		},
	}
}

// subjectHelp says what bisect and reduce take.
const subjectHelp = `

FAULT.txtar is a reproducer, with every option in it. An INPUT takes the flags of opt:
then what is looked for is a verdict below the one that --require asks for.`

func (a *app) bisect() *cobra.Command {
	var s subject
	cmd := &cobra.Command{
		Use:   "bisect FAULT.txtar|INPUT",
		Short: "find the rewrite that brings about a fault",
		Long: `Bisect finds the first rewrite after which a fault happens or a result is wrong, by
running the pipeline with more or less fuel. It names the rewrite's number, for --fuel,
its stage, the line of the input, and what was done there.` + subjectHelp,
		Example: `  shaderlift bisect shaderlift-fault-water-1234abcd.txtar
  shaderlift bisect --require proved water.vsh,water.psh     what is more than the same terms?`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := s.fault(a, cmd, args[0])
			if err != nil {
				return err
			}
			b, err := shaderlift.Bisect(a.ctx, f)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			fmt.Fprintln(a.out, b)
			return nil
		},
	}
	s.add(cmd.Flags())
	return cmd
}

func (a *app) reduce() *cobra.Command {
	var s subject
	var to string
	var trials int
	cmd := &cobra.Command{
		Use:   "reduce FAULT.txtar|INPUT",
		Short: "make a program and a pipeline smaller that a fault happens with",
		Long: `Reduce leaves out statements, stages of the pipeline and options, and makes operands
simpler, as long as the fault still happens. What it writes is a reproducer again.` + subjectHelp,
		Example: `  shaderlift reduce shaderlift-fault-water-1234abcd.txtar -o small.txtar`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if trials < 1 {
				return usagef("--trials %d: at least one version has to be tried", trials)
			}
			f, err := s.fault(a, cmd, args[0])
			if err != nil {
				return err
			}
			if to == "" {
				to = stdinName
			}
			if err := a.paths.writes(to, "the reproducer"); err != nil {
				return err
			}
			small, note, err := shaderlift.Reduce(a.ctx, f, trials)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			done := ""
			if !note.Done {
				done = ", which are all that it may take: more trials may make it smaller"
			}
			fmt.Fprintf(a.err, "%d -> %d statements in %d trials%s; pipeline %s\n", note.Before, note.After, note.Trials, done, small.Options.Pipeline)
			return a.write(to, small.Reproducer())
		},
	}
	s.add(cmd.Flags())
	cmd.Flags().StringVarP(&to, "output", "o", "", "write to this `FILE`, - for standard output, which is the default")
	cmd.Flags().IntVar(&trials, "trials", shaderlift.DefaultTrials, "try no more than `N` smaller versions")
	return cmd
}

// subject is what bisect and reduce work on: a reproducer, which has all options in it, or an input
// with the flags of opt. Flags that would contradict a reproducer are refused.
type subject struct {
	f                flags
	caseFile, domain string
	shared           []string // flags that a reproducer has in it
}

func (s *subject) add(set *pflag.FlagSet) {
	s.f.addPipeline(set)
	s.f.addVerify(set)
	s.f.addConstants(set)
	s.f.addTarget(set)
	set.StringVar(&s.caseFile, "case", "", "take the draw or launch in this `FILE`, as opt does")
	addDomain(set, &s.domain)
	set.VisitAll(func(f *pflag.Flag) { s.shared = append(s.shared, f.Name) })
}

// fault reads what arg names.
func (s *subject) fault(a *app, cmd *cobra.Command, arg string) (*shaderlift.Fault, error) {
	f, err := a.reproducer(arg)
	if err != nil {
		return nil, err
	}
	if f != nil {
		for _, name := range s.shared {
			if cmd.Flags().Changed(name) {
				return nil, usagef("--%s is part of the reproducer already", name)
			}
		}
		return f, nil
	}
	o, err := s.f.options(cmd)
	if err != nil {
		return nil, err
	}
	if err := parseDomain(s.domain, &o); err != nil {
		return nil, err
	}
	in, err := a.single(arg)
	if err != nil {
		return nil, err
	}
	given, err := a.readCase(s.caseFile)
	if err != nil {
		return nil, err
	}
	if err := given.parse(isKernel(in), &o); err != nil {
		return nil, err
	}
	return &shaderlift.Fault{Task: shaderlift.TaskOptimize, Input: in, Options: o}, nil
}

// reproducer reads the reproducer that arg names, nil if that is something else.
func (a *app) reproducer(arg string) (*shaderlift.Fault, error) {
	if !isFile(arg) {
		return nil, nil
	}
	data, err := a.readFile(arg)
	if err != nil {
		return nil, err
	}
	if !shaderlift.IsReproducer(data) {
		return nil, nil
	}
	f, err := shaderlift.ParseReproducer(arg, data)
	if err != nil {
		return nil, err
	}
	f.Options.Passes = injected
	return f, nil
}
