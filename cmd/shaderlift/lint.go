package main

import (
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt/lint"
	"github.com/shaderlift/shaderlift/opt/wording"
	"github.com/spf13/cobra"
)

func (a *app) lint() *cobra.Command {
	var client string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "lint --client NAME INPUT...",
		Short: "list what a client refuses or computes wrongly",
		Long: `Lint lists the statements of programs, pairs and effects that a client refuses or
computes wrongly: the place, the rule and the repair. The clients are mojoshader (the
library of FNA), d3dx (the assembler and effects of Direct3D), d3d8to9 and wine.

The exit status is 1 if there is a finding.`,
		Example: `  shaderlift lint --client mojoshader effects/
  shaderlift lint --client d3d8to9 fog.vsh`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if client == "" {
				return usagef("give --client: %s", strings.Join(shaderlift.LintClients(), ", "))
			}
			if _, err := lint.Check(shaderlift.Input{}, client); err != nil {
				return err
			}
			jobs, err := a.listJobs(args)
			if err != nil {
				return err
			}
			found := 0
			for i := range jobs {
				in, err := a.loadFiles(&jobs[i])
				var list []shaderlift.Finding
				if err == nil {
					list, err = shaderlift.Lint(in, client)
				}
				if err != nil {
					a.fail(err)
				}
				for k := range list {
					text := list[k].Error()
					if k < maxDiags { // an excerpt reads the file again
						text += sources(a.source).excerpt(&asm.Diag{Pos: list[k].Pos})
					}
					fmt.Fprintln(a.out, text)
				}
				found += len(list)
			}
			if found > 0 {
				a.status = max(a.status, statusInput)
			}
			if !quiet {
				fmt.Fprintf(a.err, "%d %s, %d %s for %s\n", len(jobs), wording.Plural("input", len(jobs)), found,
					wording.Plural("finding", found), client)
			}
			return nil
		},
	}
	set := cmd.Flags()
	set.StringVar(&client, "client", "", "check the rules of this `CLIENT`: "+strings.Join(shaderlift.LintClients(), ", "))
	set.BoolVarP(&quiet, "quiet", "q", false, "print only findings")
	a.addInclude(set)
	return cmd
}
