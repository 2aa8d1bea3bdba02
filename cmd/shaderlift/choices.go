package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// choice describes a flag whose values have names.
type choice struct {
	values []string // each optionally with a tab and a description
	list   bool     // the flag takes a comma-separated list
	files  bool     // the flag also takes the name of a file
}

// choicesOf returns the choices of the flags of cmd, by name. Completion offers them, and manual
// pages list them.
func choicesOf(cmd *cobra.Command) map[string]choice {
	var passes, levels []string
	for _, p := range suite.Passes {
		passes = append(passes, p.Name+"\t"+summary(p))
	}
	for n := range suite.MaxLevel + 1 {
		levels = append(levels, strconv.Itoa(n))
	}
	all := map[string]choice{
		"arithmetic": {values: []string{"fp32", "fp24"}},
		"assume": {values: []string{"one-level\ttextures have one level and one filter",
			"unit-colours\tvertex programs write colours between 0 and 1"}},
		"client": {values: shaderlift.LintClients()},
		"fit":    {values: d3d9.Profiles()},
		"format": {values: []string{"text", "json"}},
		"host": {values: []string{"may-change=domain,bindings,outputs\tdomain, elements of resources, outputs",
			"may-change=domain,bindings,outputs,memory\talso who accesses memory"}},
		"host-constants": {values: []string{"separate\teach stage has its own",
			"mirrored\tpixel constants are also set in the vertex stage"}},
		"level": {values: levels},
		"numerics": {values: []string{"terms\tthe same computation", "bits\tthe same results",
			"real\tequal except for rounding", "approx\tnearly equal"}},
		"partner": {values: []string{"spritebatch\tthe one of XNA and FNA", "wpf\tan effect of WPF",
			"fullscreen\tthe position and TEXCOORD0 as they are", "reshade\ta triangle over the screen"}, files: true},
		"passes":  {values: passes, list: true},
		"remarks": {values: []string{"passed", "missed", "analysis", "gains", "all"}, list: true},
		"require": {values: []string{"proved", "proved-real", "bounded", "tested"}},
		"target":  {values: shaderlift.Targets(), list: true},
		"verify":  {values: []string{"quick", "full"}},
	}
	if cmd.Name() == "explain" {
		all["format"] = choice{values: append(all["format"].values, "svg")}
	}
	for name := range all {
		if cmd.Flags().Lookup(name) == nil {
			delete(all, name)
		}
	}
	return all
}

// complete registers shell completion for the flags of cmd: names if there are choices, files if
// the help mentions one, and nothing for numbers.
func complete(cmd *cobra.Command) {
	choices := choicesOf(cmd)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		c, found := choices[f.Name]
		var err error
		switch what, _ := pflag.UnquoteUsage(f); {
		case found:
			err = cmd.RegisterFlagCompletionFunc(f.Name, c.complete)
		case what == "DIR":
			err = cmd.MarkFlagDirname(f.Name)
		case what != "FILE" && what != "PATH":
			err = cmd.RegisterFlagCompletionFunc(f.Name, cobra.NoFileCompletions)
		}
		if err != nil {
			panic(err)
		}
	})
}

func (c choice) complete(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	switch {
	case c.files:
		return c.values, cobra.ShellCompDirectiveDefault
	case !c.list:
		return c.values, cobra.ShellCompDirectiveNoFileComp
	}
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	values := slices.Clone(c.values)
	for i := range values {
		values[i] = before + values[i]
	}
	return values, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// names returns the values without descriptions.
func (c choice) names() (list []string) {
	for _, v := range c.values {
		name, _, _ := strings.Cut(v, "\t")
		list = append(list, name)
	}
	return list
}
