package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/suggest"
	"github.com/spf13/cobra"
)

// The exit statuses. A batch ends with the worst of its inputs.
const (
	statusDone    = iota
	statusInput   // bad input or usage
	statusFit     // the result does not fit the profile
	statusRefused // verify judged below what was required
	statusFault   // internal fault
)

const long = `Shaderlift optimizes compiled Direct3D 9 vertex and pixel programs, as assembly
text or bytecode, and AMD IL kernels, and checks that what it writes computes the
same.

An input is a pair VERTEX,PIXEL (two files joined by a comma), one program or kernel,
a directory, - for standard input, a pattern such as *.psh where the shell leaves it
to the command, or @FILE for a list of inputs, one a line, where blank lines and those
that begin with # are skipped. In a directory, a folder of
exactly one vertex and one pixel program is a pair. Files are recognised by content,
whatever their names; none may be larger than 16 MiB. No file is written over one that
is read, or twice; as the name of an output, - is standard output.

Exit status: 0 done, 1 bad input or usage, 2 the result does not fit the profile,
3 verify judged below --require, 4 internal fault (a reproducer file is named, and opt
gives the input back, or what of the result is sound). Of several inputs every one is
attempted, and the worst status is returned. An interrupt ends with 1, after the report
of what was done.`

// app is one run of the command: what subcommands share. Errors of single inputs of a batch set
// status and do not end the run.
type app struct {
	ctx      context.Context
	in       stdin
	out, err *stream
	// paths are the files that the run reads and writes, so that none is both.
	paths    paths
	pipeline string // -p
	passed   error  // what the first file is that a walk passed over, if that is known
	// results is the directory that -o writes to, if it is there already: a walk does not go there.
	results fs.FileInfo
	status  int
}

// command builds the tree of subcommands. opt, stats and tune end by themselves on an interrupt,
// with what is done so far; the others are abandoned (see interruptible).
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:           "shaderlift",
		Short:         "optimize compiled GPU programs",
		Long:          long,
		Version:       shaderlift.Version,
		SilenceErrors: true,
		SilenceUsage:  true,

		DisableSuggestions: true, // commandError has them
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd.Flags(), err) })
	root.SetVersionTemplate("shaderlift {{.Version}}\n")
	root.SetHelpCommand(a.help())
	root.AddCommand(a.opt(), a.stats(), a.tune()) // which end by themselves
	for _, cmd := range []*cobra.Command{a.verify(), a.run(), a.asm(), a.dis(), a.passes(), a.split(), a.explain(), a.diff(), a.replay(), a.bisect(), a.reduce(), a.man(), a.version()} {
		work := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			return a.interruptible(func() error { return work(cmd, args) })
		}
		root.AddCommand(cmd)
	}
	for _, cmd := range root.Commands() {
		complete(cmd)
		sayArgs(cmd)
	}
	return root
}

// otherNames are what other tools call commands.
var otherNames = map[string]string{
	"optimize": "opt", "optimise": "opt", "compile": "opt",
	"assemble": "asm", "as": "asm", "disassemble": "dis", "disasm": "dis", "dump": "dis",
	"validate": "verify", "check": "verify", "compare": "diff", "cost": "stats", "info": "stats", "interpret": "run",
}

// commandError is an error of root, which says what a command may be that is misspelt or left out.
func commandError(root *cobra.Command, err error) error {
	var word string
	if _, other := fmt.Sscanf(err.Error(), "unknown command %q", &word); other != nil {
		return err
	}
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	near := suggest.For(word, names)
	file, _, _ := strings.Cut(word, ",")
	if other := otherNames[word]; other != "" {
		near = fmt.Sprintf("; did you mean %q?", other)
	} else if _, err := os.Stat(file); near == "" && err == nil {
		near = fmt.Sprintf("; shaderlift opt %s optimizes it", asm.Shown(word))
	} else if near == "" {
		near = "; shaderlift help lists them"
	}
	return usagef("there is no command %q%s", word, near)
}

// sayArgs replaces cobra's message on a wrong number of arguments by a usage line.
func sayArgs(cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if check != nil && check(cmd, args) != nil {
			return usagef("usage: shaderlift %s (arguments given: %d); shaderlift %s --help tells more", cmd.Use, len(args), cmd.Name())
		}
		return nil
	}
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.out, "shaderlift", shaderlift.Version)
			return err
		},
	}
}

func (a *app) help() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "tell about a command", Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			for _, c := range cmd.Root().Commands() {
				if len(args) == 0 && c.IsAvailableCommand() {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, _, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// fail reports an error and raises the exit status to that of the error. A batch thus ends with the
// worst status of its inputs, which is the greatest number.
func (a *app) fail(err error) {
	a.status = max(a.status, statusOf(err))
	fmt.Fprintln(a.err, sources(a.source).message(err))
}

// statusOf is the exit status for an error.
func statusOf(err error) int {
	var fault *shaderlift.Fault
	var panicked *crash
	switch {
	case err == nil:
		return statusDone
	case errors.As(err, &fault), errors.As(err, &panicked):
		return statusFault
	case errors.Is(err, shaderlift.ErrRefused):
		return statusRefused
	case errors.Is(err, shaderlift.ErrFit):
		return statusFit
	}
	return statusInput
}

// isDiag reports whether err is one or more diagnostics with positions, which are printed without
// the name of the command.
func isDiag(err error) bool {
	switch err := err.(type) {
	case asm.Diags:
		return true
	case *asm.Diag:
		return err.Pos.IsValid()
	}
	return false
}

// ofOptions reports whether err is about an option that does not go with an input, and so has no place
// in it.
func ofOptions(err error) bool {
	d, ok := err.(*asm.Diag)
	return ok && d.Pos.File == "<options>"
}

// usagef is an error of how the command was called.
func usagef(format string, args ...any) error { return fmt.Errorf(format, args...) }
