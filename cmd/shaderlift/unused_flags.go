package main

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// unusedFlags finds options that no input of a run uses. In a batch of several kinds each input uses the
// options for its kind; an option that none uses is reported.
type unusedFlags struct {
	mu     sync.Mutex
	kinds  map[shaderlift.Kind]bool // of the inputs read
	inputs int                      // with results
	stages map[d3d9.Stage]bool
	unread map[string]int // for each constant, the number of inputs that do not read it
	failed bool           // an input failed, which may have used the option
	said   []string       // other messages
}

// observeInput records an input that was read.
func (u *unusedFlags) observeInput(kind shaderlift.Kind) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.kinds == nil {
		u.kinds = map[shaderlift.Kind]bool{}
	}
	u.kinds[kind] = true
}

// observeResult records the result for an input.
func (u *unusedFlags) observeResult(r *shaderlift.Result) {
	if u.inputs++; u.inputs == 1 {
		u.stages, u.unread = map[d3d9.Stage]bool{}, map[string]int{}
	}
	u.failed = u.failed || r.Status == shaderlift.Failed
	for _, p := range r.Units() {
		for _, s := range p.Stages {
			u.stages[s.Stage] = true
		}
	}
	said := map[string]bool{}
	for _, m := range r.Remarks {
		if m.Code == "constant-unread" && !said[m.Message] {
			said[m.Message] = true
			u.unread[m.Message]++
		}
	}
}

// say adds a message about an option without effect.
func (u *unusedFlags) say(format string, args ...any) {
	u.said = append(u.said, fmt.Sprintf(format, args...))
}

// The flags that one kind of input uses.
var (
	kernelFlags  = []string{"coarsen", "domain", "write-case"}
	programFlags = []string{"arithmetic", "assume", "box", "fit", "host-constants", "ignore-names", "include", "partner",
		"pixels-per-vertex", "upload"}
)

// idleFlags returns messages about flags of cmd that were given, but that no input used.
func (a *app) idleFlags(cmd *cobra.Command) []string {
	u, set := &a.unused, cmd.Flags()
	if u.failed || len(u.kinds) == 0 {
		return nil
	}
	kernel := u.kinds[shaderlift.KindKernel]
	programs := len(u.kinds) > 1 || !kernel
	value := func(name string) string {
		f := set.Lookup(name)
		if f == nil {
			return ""
		}
		return f.Value.String()
	}
	set.Visit(func(f *pflag.Flag) {
		what := "--" + f.Name
		if list, some := f.Value.(pflag.SliceValue); some && len(list.GetSlice()) == 1 {
			what += " " + list.GetSlice()[0]
		} else if !some && f.Value.Type() != "bool" && f.Name != "include" {
			what += " " + f.Value.String()
		}
		switch {
		case slices.Contains(kernelFlags, f.Name) && !kernel:
			u.say("%s has no effect: no input is an AMD IL kernel", what)
		case slices.Contains(programFlags, f.Name) && !programs:
			u.say("%s has no effect: no input is a Direct3D 9 program", what)
		case f.Name == "case" && cmd.Name() == "stats" && !kernel:
			u.say("%s has no effect: no input is an AMD IL kernel", what)
		case f.Name == "target" && value("format") == "csv" && programs && !pair.Target(f.Value.String()).CountsSlots():
			u.say("%s has no effect on Direct3D 9 programs: tables have no times; --format json has them", what)
		case f.Name == "include" && !u.kinds[shaderlift.KindProgram] && !u.kinds[shaderlift.KindPair]:
			u.say("%s has no effect: no input is a Direct3D 9 program", what)
		case f.Name == "compile" && len(a.compiling.done) == 0:
			u.say("--compile has no effect: no input is HLSL")
		case f.Name == "cache-size" && value("cache") == "":
			u.say("%s has no effect without --cache", what)
		case f.Name == "pixels-per-vertex" && pair.Target(value("target")).CountsSlots() &&
			(value("target") != "" || value("fit") != "" || cmd.Name() == "stats"):
			u.say("%s has no effect: the target counts slots", what)
		case f.Name == "fit" && u.inputs > 0:
			if p, err := d3d9.ParseProfile(f.Value.String()); err == nil && !u.stages[p.Model.Stage] {
				u.say("%s has no effect: no input has a %s program", what, p.Model.Stage)
			}
		}
	})
	for _, message := range slices.Sorted(maps.Keys(u.unread)) {
		if u.unread[message] == u.inputs {
			u.say("--constant: %s", message)
		}
	}
	return u.said
}

// reportIdle makes a command report flags without effect at its end.
func (a *app) reportIdle(cmd *cobra.Command) {
	work := cmd.RunE
	if work == nil {
		return
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := work(cmd, args)
		if quiet := cmd.Flags().Lookup("quiet"); statusOf(err) != statusInput && a.status != statusInput &&
			(quiet == nil || quiet.Value.String() == "false") {
			for _, line := range a.idleFlags(cmd) {
				fmt.Fprintln(a.err, line)
			}
		}
		return err
	}
}
