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

// splitFlags are the flags of split.
type splitFlags struct {
	flags
	to    string
	most  int
	quiet bool
}

func (a *app) split() *cobra.Command {
	var f splitFlags
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
			return a.apart(args[0], o, &f)
		},
	}
	set := cmd.Flags()
	set.StringVarP(&f.to, "output", "o", "", "write to this `DIR`")
	set.IntVar(&f.most, "most", shaderlift.MostKernels, "make no more than `N` kernels")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "report only what fails")
	f.addPipeline(set)
	f.addVerify(set)
	f.addConstants(set)
	f.addTarget(set)
	return cmd
}

// apart splits the kernel that arg names.
func (a *app) apart(arg string, o shaderlift.Options, f *splitFlags) error {
	if f.most == 0 { // for the library that is the default
		return usagef("--most 0: want a number from 2 to %d", shaderlift.MaxKernels)
	}
	if f.to == "" {
		return usagef("give -o, the directory for the kernels and " + tableName)
	}
	in, err := a.single(arg)
	if err != nil {
		return err
	}
	if !isKernel(in) {
		return usagef("%s is no kernel", arg)
	}
	if in.Files[0].Name == stdinName {
		in.Files[0].Name = in.Name // which kernels are called after
	}
	s, err := shaderlift.Split(a.ctx, in, o, f.most)
	if err != nil {
		return err
	}
	if err := a.writeKernels(s, f.to); err != nil {
		return err
	}
	h := a.human(f.quiet, false)
	for _, r := range s.Results {
		a.faults(h, r, nil, f.to)
	}
	if !f.quiet {
		h.kernels(s)
	}
	return nil
}

// writeKernels writes the kernels and their table into dir, all or none.
func (a *app) writeKernels(s *shaderlift.Splitting, dir string) error {
	table, err := s.JSON()
	if err != nil {
		return err
	}
	var staged stagedFiles
	defer staged.discard()
	for _, file := range append(s.Files, shaderlift.File{Name: tableName, Data: table}) {
		path := filepath.Join(dir, file.Name)
		if err := a.paths.writes(path, file.Name); err != nil {
			return err
		}
		if err := staged.add(path, file.Data); err != nil {
			return err
		}
	}
	return staged.commit()
}

// kernels lists the conditions and the kernels of a split.
func (h *human) kernels(s *shaderlift.Splitting) {
	for i, c := range s.Conditions {
		h.linef("condition %d, line %d: %s", i, c.Line, c.Expr)
	}
	for i, k := range s.Kernels {
		h.linef("%s where %s: %s", k.File, outcomes(k.When), h.line(s.Results[i]))
	}
	for _, l := range s.Left {
		h.linef("%s where %s: %s", s.Otherwise, outcomes(l.When), l.Why)
	}
}

// outcomes writes how conditions come out, by number.
func outcomes(when []split.Outcome) string {
	words := make([]string, len(when))
	for i, o := range when {
		words[i] = fmt.Sprintf("%d is %t", o.Condition, o.Holds)
	}
	return strings.Join(words, ", ")
}
