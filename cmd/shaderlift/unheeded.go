package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// unheeded finds options that none of the inputs has a use for. In a batch of several kinds each input
// takes what is for it; what is for none of them is a mistake of who asks.
type unheeded struct {
	inputs int
	kinds  map[shaderlift.Kind]bool
	stages map[d3d9.Stage]bool
	unread map[string]int // how many inputs say so of a constant
	failed bool           // something: it may have been for that
}

func newUnheeded() *unheeded {
	return &unheeded{kinds: map[shaderlift.Kind]bool{}, stages: map[d3d9.Stage]bool{}, unread: map[string]int{}}
}

func (u *unheeded) add(r *shaderlift.Result) {
	u.inputs++
	u.failed = u.failed || r.Status == shaderlift.Failed
	u.kinds[r.Kind] = true
	for _, s := range r.Stages {
		u.stages[s.Stage] = true
	}
	for _, p := range r.Parts {
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

// lines say what was not heeded.
func (u *unheeded) lines(o *shaderlift.Options, f *optFlags) (lines []string) {
	if u.failed || u.inputs == 0 {
		return nil
	}
	say := func(idle bool, format string, args ...any) {
		if idle {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	kernel, effect := u.kinds[shaderlift.KindKernel], u.kinds[shaderlift.KindEffect]
	if p, err := d3d9.ParseProfile(o.Fit); err == nil {
		say(!u.stages[p.Model.Stage], "--fit %s: there is no %s program that it could be for", o.Fit, p.Model.Stage)
	}
	say(o.Coarsen != "" && !kernel, "--coarsen %s: there is no kernel that it could be for", o.Coarsen)
	say(f.domain != "" && !kernel, "--domain %s: there is no kernel that it could be for", f.domain)
	say(o.Grow && !effect, "--grow: there is no effect that it could be for")
	for _, message := range slices.Sorted(maps.Keys(u.unread)) {
		say(u.unread[message] == u.inputs, "--constant: %s", message)
	}
	return lines
}
