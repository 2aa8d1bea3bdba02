package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// unheeded finds options that no input uses. In a batch of several kinds each input uses the
// options for its kind; an option that none uses is a user error.
type unheeded struct {
	inputs int
	kinds  map[shaderlift.Kind]bool
	stages map[d3d9.Stage]bool
	unread map[string]int // for each constant, the number of inputs that do not read it
	failed bool           // an input failed, which may have used the option
}

func newUnheeded() *unheeded {
	return &unheeded{kinds: map[shaderlift.Kind]bool{}, stages: map[d3d9.Stage]bool{}, unread: map[string]int{}}
}

func (u *unheeded) observeResult(r *shaderlift.Result) {
	u.inputs++
	u.failed = u.failed || r.Status == shaderlift.Failed
	u.kinds[r.Kind] = true
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

// lines returns messages about unused options.
func (u *unheeded) lines(a *app, o *shaderlift.Options, f *optFlags) (lines []string) {
	if u.failed || u.inputs == 0 {
		return nil
	}
	say := func(idle bool, format string, args ...any) {
		if idle {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	kernel := u.kinds[shaderlift.KindKernel]
	if p, err := d3d9.ParseProfile(o.Fit); err == nil {
		say(!u.stages[p.Model.Stage], "--fit %s has no effect: no input has a %s program", o.Fit, p.Model.Stage)
	}
	say(o.Kernel.Coarsen != (shaderlift.Tile{}) && !kernel, "--coarsen %s has no effect: no input is an AMD IL kernel", o.Kernel.Coarsen)
	say(f.domain != "" && !kernel, "--domain %s has no effect: no input is an AMD IL kernel", f.domain)
	say(f.writeCase != "" && !kernel, "--write-case %s has no effect: no input is an AMD IL kernel", f.writeCase)
	say(a.compiling.set && len(a.compiling.done) == 0, "--compile has no effect: no input is HLSL")
	say(len(a.includeDirs) > 0 && !u.kinds[shaderlift.KindProgram] && !u.kinds[shaderlift.KindPair],
		"--include has no effect: no input is a Direct3D 9 program")
	for _, message := range slices.Sorted(maps.Keys(u.unread)) {
		say(u.unread[message] == u.inputs, "--constant: %s", message)
	}
	return lines
}
