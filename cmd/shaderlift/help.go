package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is the number of columns that help fits.
const helpWidth = 100

// fewFlags is the number of flags of a command that help lists without groups.
const fewFlags = 8

// plainTitle is the title of the flags of a command that has few.
const plainTitle = "Flags"

// flagGroups are the uses by which help groups flags. Each flag of the command is in one of them.
var flagGroups = []struct {
	title string
	names []string
}{
	{"Input", []string{"against", "case", "compile", "include", "jobs", "pass"}},
	{"Output", []string{"backup", "cache", "cache-size", "check", "color", "counterexample", "dry-run", "format", "help", "html",
		"keep", "listing", "most", "output", "quiet", "remarks", "report", "verbose", "version", "write", "write-case"}},
	{"Target", []string{"client", "domain", "fit", "pixels-per-vertex", "strict", "target"}},
	{"Promises of the application", []string{"assume", "coarsen", "constant", "host", "host-constants", "partner", "promises",
		"upload"}},
	{"Verification", []string{"arithmetic", "box", "ignore-names", "numerics", "require", "seed", "verify"}},
	{"Search", []string{"budget", "level", "passes", "state", "time-limit", "trials"}},
	{"Debugging", []string{"fuel", "print-after-all", "print-after-change"}},
}

// group is a group of the flags of one command.
type group struct {
	title string
	flags *pflag.FlagSet
}

// hideProgramFlags hides the flags of a command for kernels that only Direct3D 9 programs use. They are reported if given.
func hideProgramFlags(set *pflag.FlagSet) {
	for _, name := range programFlags {
		if f := set.Lookup(name); f != nil {
			f.Hidden = true
		}
	}
}

// grouped returns the visible flags of cmd by use, or in one group if there are few.
func grouped(cmd *cobra.Command) (list []group) {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	all := group{plainTitle, pflag.NewFlagSet("", pflag.ContinueOnError)}
	of := map[string]*pflag.FlagSet{}
	count := 0
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		count++
		all.flags.AddFlag(f)
		title := groupOf(f.Name)
		if of[title] == nil {
			of[title] = pflag.NewFlagSet("", pflag.ContinueOnError)
		}
		of[title].AddFlag(f)
	})
	if count <= fewFlags {
		return []group{all}
	}
	for _, g := range flagGroups {
		if of[g.title] != nil {
			list = append(list, group{g.title, of[g.title]})
		}
	}
	return list
}

// groupOf returns the title of the group of a flag. The flags of completion are in none.
func groupOf(name string) string {
	for _, g := range flagGroups {
		if slices.Contains(g.names, name) {
			return g.title
		}
	}
	return "Output"
}

// usage prints the part of help below the description: the form of the command line, examples,
// commands, and flags by use.
func usage(cmd *cobra.Command) error {
	w := cmd.OutOrStderr()
	fmt.Fprintf(w, "Usage:\n")
	if cmd.Runnable() {
		fmt.Fprintf(w, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s [command]\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				fmt.Fprintf(w, "  %-*s %s\n", c.NamePadding(), c.Name(), c.Short)
			}
		}
	}
	for _, g := range grouped(cmd) {
		fmt.Fprintf(w, "\n%s:\n%s", g.title, g.flags.FlagUsagesWrapped(helpWidth))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%q prints the help of a command.\n", cmd.CommandPath()+" [command] --help")
	}
	return nil
}
