package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) man() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "write manual pages",
		Long: `Man writes a manual page for each command into a directory: shaderlift.1,
shaderlift-opt.1 and so on. The program man finds them if the directory is in its path.`,
		Example: "  shaderlift man ~/.local/share/man/man1; man shaderlift-opt",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			for _, c := range append(cmd.Root().Commands(), cmd.Root()) {
				if c.IsAvailableCommand() || c == cmd.Root() {
					err = errors.Join(err, writeFile(filepath.Join(args[0], pageName(c)+".1"), manual(c)))
				}
			}
			return err
		},
	}
}

// pageName returns the name of the manual page of cmd.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// roff escapes special characters of manual pages (man(7)): backslashes, hyphens, and lines that
// begin with a dot or an apostrophe.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

// manual returns the manual page of cmd.
func manual(cmd *cobra.Command) []byte {
	var b bytes.Buffer
	text := func(s string) string { return strings.TrimPrefix(roff.Replace("\n"+s), "\n") }
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"shaderlift %s\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(text(pageName(cmd))),
		shaderlift.Version, text(pageName(cmd)), text(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", text(cmd.UseLine()))
	if cmd.Long != "" {
		fmt.Fprint(&b, ".SH DESCRIPTION\n")
		for i, paragraph := range strings.Split(cmd.Long, "\n\n") {
			if i > 0 {
				fmt.Fprint(&b, ".PP\n")
			}
			if strings.HasPrefix(paragraph, " ") {
				paragraph = ".nf\n" + text(paragraph) + "\n.fi"
			} else {
				paragraph = text(paragraph)
			}
			fmt.Fprintf(&b, "%s\n", paragraph)
		}
	}
	choices := choicesOf(cmd)
	fmt.Fprint(&b, ".SH OPTIONS\n")
	for _, g := range grouped(cmd) {
		if g.title != plainTitle {
			fmt.Fprintf(&b, ".SS %s\n", g.title)
		}
		g.flags.VisitAll(func(f *pflag.Flag) {
			what, usage := pflag.UnquoteUsage(f)
			fmt.Fprint(&b, ".TP\n")
			if f.Shorthand != "" {
				fmt.Fprintf(&b, "\\fB\\-%s\\fR, ", f.Shorthand)
			}
			fmt.Fprintf(&b, "\\fB\\-\\-%s\\fR", text(f.Name))
			if what != "" {
				fmt.Fprintf(&b, " \\fI%s\\fR", text(what))
			}
			fmt.Fprintf(&b, "\n%s", text(usage))
			if names := choices[f.Name].names(); !mentions(usage, names) {
				fmt.Fprintf(&b, ": %s", text(strings.Join(names, ", ")))
			}
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
				fmt.Fprintf(&b, " (default %s)", text(f.DefValue))
			}
			fmt.Fprint(&b, "\n")
		})
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprint(&b, ".SH COMMANDS\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", text(c.Name()), text(c.Short))
			}
		}
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", text(cmd.Example))
	}
	if cmd.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", text(pageName(cmd.Root())))
	}
	return b.Bytes()
}

// mentions reports whether text contains all names.
func mentions(text string, names []string) bool {
	for _, n := range names {
		if !strings.Contains(text, n) {
			return false
		}
	}
	return true
}
