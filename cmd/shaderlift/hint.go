package main

import (
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
)

// hintSlots limits the slots of an input for which other options are tried. Inputs of this size take less than a
// second, and each option takes as long again.
const hintSlots = 1024

// mayHint reports whether other options are tried: only for a single small input from files that stays unchanged with
// the default target and pipeline, and without limits.
func (h *human) mayHint(d *outcome, o shaderlift.Options) bool {
	if h.quiet || h.all != 1 || d.err != nil || d.res.Status != shaderlift.Unchanged || slices.Contains(d.paths, stdinName) {
		return false
	}
	slots := 0
	for i := range d.res.Stages {
		slots += d.res.Stages[i].Before.Slots
	}
	return o.Target == "" && o.Pipeline == "" && o.Fit == "" && o.Limits == (shaderlift.Limits{}) && slots > 0 && slots <= hintSlots
}

// hints prints other options under which an unchanged input gets cheaper.
func (a *app) hints(h *human, d *outcome, o shaderlift.Options) {
	if !h.mayHint(d, o) {
		return
	}
	in, err := a.loadFiles(&d.job)
	if err != nil {
		return
	}
	target := "--target " + shaderlift.SlotTarget
	for _, try := range []struct {
		flags, target string
		mirrored      bool
	}{
		{"--host-constants mirrored", "", true},
		{target, shaderlift.SlotTarget, false},
		{target + " --host-constants mirrored", shaderlift.SlotTarget, true},
	} {
		with := o
		with.Target = try.target
		if try.mirrored {
			if d.res.Kind != shaderlift.KindPair || o.Host.PixelConstants == shaderlift.Mirrored {
				continue
			}
			with.Host.PixelConstants = shaderlift.Mirrored
		}
		res, err := shaderlift.Optimize(a.ctx, in, with)
		if err == nil && res.Status == shaderlift.Improved && strings.Contains(costs(res, false), "->") {
			h.linef("    with %s: %s", try.flags, costs(res, false))
		}
	}
}
