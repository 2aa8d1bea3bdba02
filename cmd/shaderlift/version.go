package main

import (
	"fmt"
	"runtime/debug"

	"github.com/shaderlift/shaderlift"
	"github.com/spf13/cobra"
)

// commit is the commit of a release. The linker sets it; other builds get theirs from the go command.
var commit string

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version and the commit", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.out, "shaderlift", versionText())
			return err
		},
	}
}

// versionText returns the version, and the commit if it is known.
func versionText() string {
	if commit != "" {
		return shaderlift.Version + " (commit " + commit + ")"
	}
	info, _ := debug.ReadBuildInfo()
	return shaderlift.Version + revision(info)
}

// revision returns the commit that the go command recorded in a build from a checkout, in parentheses, or "".
func revision(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	id := settings["vcs.revision"]
	if id == "" {
		return ""
	}
	text := " (commit " + id[:min(12, len(id))]
	if settings["vcs.modified"] == "true" {
		text += ", modified"
	}
	return text + ")"
}
