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
	"github.com/shaderlift/shaderlift/internal/naming"
	"github.com/spf13/cobra"
)

// The exit statuses. A batch ends with the worst status of its inputs.
const (
	statusDone    = iota
	statusInput   // bad input or usage
	statusFit     // the result does not fit the profile
	statusRefused // the verdict of verify is below the required one, or a file is not the result of opt
	statusFault   // internal fault
)

const long = `Shaderlift optimizes Direct3D 9 vertex and pixel programs, as assembly text or
bytecode, and AMD IL kernels. It verifies that each result computes the same as its
input.

An input is one of these:

    VERTEX,PIXEL    a pair: two files joined by a comma
    FILE            a program, kernel or effect, or a file with programs inside
    FILE/NAME       a program inside a file, such as shaders.h/glow
    DIR             a directory; a folder with exactly one vertex and one pixel
                    program is a pair
    '*.psh'         a pattern that the shell did not expand
    @FILE           a list of inputs, one on each line; blank lines and lines that
                    begin with # are skipped
    -               standard input

Files are recognised by their content, not by their names. A file has at most 16 MiB.
Only opt -w overwrites a file that is read, and no file is written twice. As the name of
an output, - is standard output.

Exit status:

    0    success
    1    bad input or usage, or an interrupt
    2    the result does not fit the profile of --fit
    3    the verdict of verify is below --require, or opt --check found a stale file
    4    internal fault; the message names a reproducer file, and opt writes the
         input, or the sound part of the result

If there are several inputs, each one is processed, and the highest status is returned.
After an interrupt, the report covers the finished inputs.`

// app is one run of the command: the state that subcommands share. Errors of single inputs of a
// batch set status and do not end the run.
type app struct {
	ctx      context.Context
	in       stdin
	out, err *stream
	// paths are the files that the run reads and writes; no file may be both.
	paths       paths
	includeDirs includeDirs // -I
	compiling   compiling   // --compile
	pipeline    string      // -p
	passed      error       // the format of the first file that a walk skipped, if known
	// results is the directory of -o, if it exists already: a walk skips it.
	results fs.FileInfo
	opened  map[string]*opened // containers by path
	places  bool               // list each place of a container, not each program
	// held has the contents of files that several inputs read, for runs that replace files.
	held   map[string][]byte
	unused unusedFlags
	status int
}

// command builds the tree of subcommands. opt, stats and tune handle an interrupt themselves and
// report partial results; the others are abandoned (see interruptible).
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:           "shaderlift",
		Short:         "optimize compiled GPU programs",
		Long:          long,
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,

		DisableSuggestions: true, // commandError adds suggestions
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd.Flags(), err) })
	root.SetVersionTemplate("shaderlift {{.Version}}\n")
	root.SetUsageFunc(usage)
	root.SetHelpCommand(a.help())
	root.AddCommand(a.opt(), a.stats(), a.tune()) // these handle interrupts themselves
	for _, cmd := range []*cobra.Command{a.verify(), a.run(), a.asm(), a.dis(), a.passes(), a.split(), a.explain(), a.lint(),
		a.diff(), a.replay(), a.bisect(), a.reduce(), a.man(), a.version()} {
		work := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			return a.interruptible(func() error { return work(cmd, args) })
		}
		root.AddCommand(cmd)
	}
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.InitDefaultCompletionCmd() // keeps the output
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			limitShells(cmd)
			continue
		}
		complete(cmd)
		sayArgs(cmd)
		a.reportIdle(cmd)
	}
	return root
}

// otherNames maps command names of other tools to those of this one.
var otherNames = map[string]string{
	"optimize": "opt", "optimise": "opt", "compile": "opt",
	"assemble": "asm", "as": "asm", "disassemble": "dis", "disasm": "dis", "dump": "dis",
	"validate": "verify", "check": "verify", "compare": "diff", "cost": "stats", "info": "stats", "interpret": "run",
}

// commandError returns an error of root with suggestions for a misspelt or missing command.
func commandError(root *cobra.Command, err error) error {
	var word string
	if _, other := fmt.Sscanf(err.Error(), "unknown command %q", &word); other != nil {
		return err
	}
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	near := naming.Suggest(word, names)
	file, _, _ := strings.Cut(word, ",")
	if other := otherNames[word]; other != "" {
		near = fmt.Sprintf("; did you mean %q?", other)
	} else if _, err := os.Stat(file); near == "" && err == nil {
		near = fmt.Sprintf("; shaderlift opt %s optimizes it", asm.Shown(word))
	} else if near == "" {
		near = "; shaderlift help lists the commands"
	}
	return usagef("unknown command %q%s", word, near)
}

// limitShells makes completion fail without a known shell.
func limitShells(cmd *cobra.Command) {
	cmd.Short, cmd.Long = "write a script that completes commands and flags", "Completion writes a script for a shell."
	var shells []string
	for _, c := range cmd.Commands() {
		shells = append(shells, c.Name())
		c.Short = "write the script for " + c.Name()
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("give a shell: %s", strings.Join(shells, ", "))
		}
		return oneOf("shell", args[0], shells...)
	}
}

// sayArgs replaces cobra's message about a wrong number of arguments by a usage line.
func sayArgs(cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if check != nil && check(cmd, args) != nil {
			return usagef("usage: shaderlift %s (arguments given: %d); see shaderlift %s --help", cmd.Use, len(args), cmd.Name())
		}
		return nil
	}
}

func (a *app) help() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "print the help of a command", Args: cobra.MaximumNArgs(1),
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
// worst status of its inputs, which is the largest number.
func (a *app) fail(err error) {
	a.status = max(a.status, statusOf(err))
	fmt.Fprintln(a.err, sources(a.source).message(err))
}

// statusOf returns the exit status for an error.
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

// isDiag reports whether err consists of diagnostics with positions, which are printed without the
// name of the command.
func isDiag(err error) bool {
	switch err := err.(type) {
	case asm.Diags:
		return true
	case *asm.Diag:
		return err.Pos.IsValid()
	}
	return false
}

// ofOptions reports whether err concerns an option that does not fit an input, and so has no
// position in it.
func ofOptions(err error) bool {
	d, ok := err.(*asm.Diag)
	return ok && d.Pos.File == "<options>"
}

// usagef returns an error about the command line.
func usagef(format string, args ...any) error { return fmt.Errorf(format, args...) }
