package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/internal/naming"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/spf13/cobra"
)

func (a *app) passes() *cobra.Command {
	return &cobra.Command{
		Use:   "passes [NAME]",
		Short: "list the passes, or document one",
		Long: `Passes lists the passes, and the pipelines of -O0 to -O3. With a name, it prints the
documentation and the options of this pass. A pipeline is a list of passes such as

    unroll{factor=4},fold,dce

The class of a pass is its guarantee. A pass runs only if --numerics allows its class:
terms (the same computation), bits (the same results), real (equal except for
rounding) or approx (nearly equal).`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: passNames,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				a.passTable()
				return nil
			}
			p := suite.Lookup(args[0])
			if p == nil {
				var names []string
				for _, p := range suite.Passes {
					names = append(names, p.Name)
				}
				return usagef("unknown pass %q%s", args[0],
					cmp.Or(naming.Suggest(args[0], names), "; shaderlift passes lists the passes"))
			}
			a.passDoc(p)
			return nil
		},
	}
}

func passNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, p := range suite.Passes {
		names = append(names, p.Name+"\t"+summary(p))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func summary(p *passes.Pass) string {
	first, _, _ := strings.Cut(p.Doc, "\n")
	return first
}

// passTable prints the passes and the levels.
func (a *app) passTable() {
	for _, p := range suite.Passes {
		fmt.Fprintf(a.out, "%-17s %-7s %s\n", p.Name, p.Class, summary(p))
	}
	fmt.Fprintln(a.out)
	for n := range suite.MaxLevel + 1 {
		note := ""
		if n == suite.DefaultLevel {
			note = " (default)"
		}
		fmt.Fprintf(a.out, "-O%d%s\n", n, note)
		p, err := suite.Level(n)
		g, gerr := suite.GPULevel(n)
		k, kerr := suite.KernelLevel(n)
		if err != nil || gerr != nil || kerr != nil {
			panic("a level is missing")
		}
		if len(p)+len(k) == 0 {
			fmt.Fprintln(a.out, "    no passes: the output is the input")
			continue
		}
		fmt.Fprintf(a.out, "    %s\n    for GPUs: %s\n", p, g)
		if k.String() != p.String() {
			fmt.Fprintf(a.out, "    for kernels: %s\n", k)
		}
		if k := suite.KernelOpening(n); k != nil {
			fmt.Fprintf(a.out, "    and if this saves much, before it: %s\n", k)
		}
		for _, k := range suite.KernelLeast(n) {
			fmt.Fprintf(a.out, "    or if these bring no gain: %s\n", k)
		}
		for _, k := range slices.Concat(suite.KernelWholes(n)...) {
			fmt.Fprintf(a.out, "    or if this brings a gain as a whole: %s\n", k)
		}
	}
}

// passDoc prints the full description of a pass.
func (a *app) passDoc(p *passes.Pass) {
	fmt.Fprintf(a.out, "%s: %s\n", p.Name, p.Doc)
	fmt.Fprintf(a.out, "\nClass: %s\n", p.Class)
	for i, o := range p.Options {
		if i == 0 {
			fmt.Fprint(a.out, "\nOptions:\n")
		}
		fmt.Fprintf(a.out, "    %s=%s\n        %s\n", o.Name, o.Default, o.Doc)
	}
}
