package main

import (
	"fmt"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/replay"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// injected are passes that pipelines may name in addition to those of the suite. Tests set it to
// passes that fail.
var injected []*passes.Pass

func (a *app) replay() *cobra.Command {
	return &cobra.Command{
		Use:   "replay FAULT.txtar",
		Short: "run a reproducer again with the same options",
		Long: `Replay runs the case of a reproducer again: an internal fault of opt, verify, stats or
run. The reproducer has all options except a time limit, whose effect depends on the machine.
If the fault happens again, the exit status is 4. If a verdict is below --require, it is 3.
Otherwise it is 0.`,
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
				return usagef("%s is not a reproducer", args[0])
			}
			r := replay.Replay(a.ctx, f)
			for _, g := range r.Others {
				fmt.Fprintf(a.out, "a different fault happens: %v\n", g)
				a.status = max(a.status, statusFault)
			}
			switch {
			case r.Again != nil:
				fmt.Fprintf(a.out, "the fault happens again: %v\n", r.Again)
				if a.status = max(a.status, statusRefused); f.Err != nil {
					a.status = max(a.status, statusFault)
				}
			case r.Err != nil:
				return r.Err
			default:
				fmt.Fprintln(a.out, "the fault does not happen any more")
			}
			return nil
		},
	}
}

// subjectHelp describes the arguments of bisect and reduce.
const subjectHelp = `

FAULT.txtar is a reproducer, which has all options. An INPUT takes the flags of opt; the
command then looks for a verdict below --require.`

func (a *app) bisect() *cobra.Command {
	var s subject
	cmd := &cobra.Command{
		Use:   "bisect FAULT.txtar|INPUT",
		Short: "find the rewrite that causes a fault",
		Long: `Bisect finds the first rewrite that causes a fault or a wrong result, by running the
pipeline with more or less fuel. It prints the rewrite's number for --fuel, its stage, the
line of the input, and the change there.` + subjectHelp,
		Example: `  shaderlift bisect shaderlift-fault-water-1234abcd.txtar
  shaderlift bisect --require proved water.vsh,water.psh     find a rewrite that changes terms`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := s.fault(a, cmd, args[0])
			if err != nil {
				return err
			}
			b, err := replay.Bisect(a.ctx, f)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			fmt.Fprintln(a.out, b)
			return nil
		},
	}
	s.addFlags(a, cmd.Flags())
	return cmd
}

func (a *app) reduce() *cobra.Command {
	var s subject
	var to string
	var trials int
	cmd := &cobra.Command{
		Use:   "reduce FAULT.txtar|INPUT",
		Short: "reduce a program and a pipeline that cause a fault",
		Long: `Reduce deletes statements, stages of the pipeline and options, and simplifies operands,
while the fault still happens. Its output is a smaller reproducer.` + subjectHelp,
		Example: `  shaderlift reduce shaderlift-fault-water-1234abcd.txtar -o small.txtar`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if trials < 1 {
				return usagef("--trials %d: want a number above 0", trials)
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
			small, note, err := replay.Reduce(a.ctx, f, trials)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			done := ""
			if !note.Done {
				done = " (the limit of --trials; a higher limit may reduce it further)"
			}
			fmt.Fprintf(a.err, "%d -> %d statements in %d trials%s; pipeline %s\n", note.Before, note.After, note.Trials, done,
				small.Options.Pipeline)
			return a.write(to, small.Reproducer())
		},
	}
	s.addFlags(a, cmd.Flags())
	cmd.Flags().StringVarP(&to, "output", "o", "", "write to this `FILE` (- for standard output, the default)")
	cmd.Flags().IntVar(&trials, "trials", replay.DefaultTrials, "try at most `N` smaller versions")
	return cmd
}

// subject is the argument of bisect and reduce: a reproducer, which contains all options, or an
// input with the flags of opt. Flags that would contradict a reproducer are errors.
type subject struct {
	f                flags
	caseFile, domain string
	shared           []string // flags whose values a reproducer contains
}

func (s *subject) addFlags(a *app, set *pflag.FlagSet) {
	s.f.addPipeline(set)
	a.addInclude(set)
	s.f.addVerify(set)
	s.f.addConstants(set)
	s.f.addTarget(set)
	set.StringVar(&s.caseFile, "case", "", "use the draw or launch in this `FILE`, as opt does")
	addDomain(set, &s.domain)
	set.VisitAll(func(f *pflag.Flag) { s.shared = append(s.shared, f.Name) })
	set.Lookup("time-limit").Hidden = true
}

// fault reads the reproducer or input arg.
func (s *subject) fault(a *app, cmd *cobra.Command, arg string) (*shaderlift.Fault, error) {
	f, err := a.reproducer(arg)
	if err != nil {
		return nil, err
	}
	if f != nil {
		for _, name := range s.shared {
			if cmd.Flags().Changed(name) {
				return nil, usagef("--%s is already part of the reproducer; leave it out", name)
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
	if o.Limits.Time > 0 {
		a.unused.say("--time-limit %v has no effect: %s runs the whole pipeline", o.Limits.Time, cmd.Name())
	}
	in, err := a.single(arg)
	if err != nil {
		return nil, err
	}
	given, err := a.readCase(s.caseFile)
	if err != nil {
		return nil, err
	}
	if err := given.parse(in.Kind(), &o); err != nil {
		return nil, err
	}
	return &shaderlift.Fault{Task: opt.TaskOptimize, Input: in, Options: o}, nil
}

// reproducer reads the reproducer arg, or returns nil if arg is another kind of input.
func (a *app) reproducer(arg string) (*shaderlift.Fault, error) {
	if !isFile(arg) {
		return nil, nil
	}
	data, err := a.readFile(arg)
	if err != nil {
		return nil, err
	}
	if !opt.IsReproducer(data) {
		return nil, nil
	}
	f, err := opt.ParseReproducer(arg, data)
	if err != nil {
		return nil, err
	}
	f.Options.Hooks.Passes = injected
	return f, nil
}
