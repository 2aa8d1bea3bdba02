package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/split"
	"github.com/spf13/cobra"
)

// tableName is the file that split writes beside the kernels.
const tableName = "dispatch.json"

func (a *app) split() *cobra.Command {
	var f flags
	var to string
	var most int
	var quiet bool
	cmd := &cobra.Command{
		Use:   "split INPUT -o DIR",
		Short: "make a kernel for each outcome of conditions that constants alone decide",
		Long: `Split takes an AMD IL kernel apart by the conditions of its branches that constant buffers alone
decide: a kernel for each way that they come out, optimized as opt does, without the branches and
what is dead then. DIR gets the kernels, the input for all other constants, and ` + tableName + `: the
conditions as expressions over elements of constant buffers, which the host evaluates when it sets these,
and which kernel belongs to which outcomes. Every kernel is verified as opt does, and the text in which the
conditions are decided against the input by executing both for constants that make them come out so,
where every bit has to be the same.`,
		Example: `  shaderlift split -o out gem.il           out/gem.0.il, out/gem.1.il, ..., out/gem.il and out/dispatch.json
  shaderlift split -o out --most 4 gem.il`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.options(cmd)
			if err != nil {
				return err
			}
			if most == 0 { // for the library that is the default
				return usagef("--most 0: want a number from 2 to %d", shaderlift.MaxKernels)
			}
			if to == "" {
				return usagef("give -o, the directory for the kernels and " + tableName)
			}
			in, err := a.single(args[0])
			if err != nil {
				return err
			}
			if !isKernel(in) {
				return usagef("%s is no kernel", args[0])
			}
			if in.Files[0].Name == stdinName {
				in.Files[0].Name = in.Name // which kernels are called after
			}
			s, err := shaderlift.Split(a.ctx, in, o, most)
			if err != nil {
				return err
			}
			h := a.human(quiet, false)
			var staged stagedFiles
			defer staged.discard()
			table, err := s.JSON()
			if err != nil {
				return err
			}
			for _, file := range append(s.Files, shaderlift.File{Name: tableName, Data: table}) {
				path := filepath.Join(to, file.Name)
				if err := a.paths.writes(path, file.Name); err != nil {
					return err
				}
				if err := staged.add(path, file.Data); err != nil {
					return err
				}
			}
			if err := staged.commit(); err != nil {
				return err
			}
			for _, r := range s.Results {
				a.faults(h, r, nil, to)
			}
			if quiet {
				return nil
			}
			for i, c := range s.Conditions {
				h.linef("condition %d, line %d: %s", i, c.Line, c.Expr)
			}
			for i, k := range s.Kernels {
				h.linef("%s where %s: %s", k.File, outcomes(k.When), h.line(s.Results[i]))
			}
			for _, l := range s.Left {
				h.linef("%s where %s: %s", s.Otherwise, outcomes(l.When), l.Why)
			}
			return nil
		},
	}
	set := cmd.Flags()
	set.StringVarP(&to, "output", "o", "", "write to this `DIR`")
	set.IntVar(&most, "most", shaderlift.MostKernels, "make no more than `N` kernels")
	set.BoolVarP(&quiet, "quiet", "q", false, "report only what fails")
	f.addPipeline(set)
	f.addVerify(set)
	f.addConstants(set)
	f.addTarget(set)
	return cmd
}

// outcomes writes how conditions come out, by number.
func outcomes(when []split.Outcome) string {
	words := make([]string, len(when))
	for i, o := range when {
		words[i] = fmt.Sprintf("%d is %t", o.Condition, o.Holds)
	}
	return strings.Join(words, ", ")
}
