package main

import (
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
)

// hints prints other options under which an unchanged input gets cheaper. It tries them only for a single input
// from files, with the default target and pipeline, since each takes as long as the input itself.
func (a *app) hints(h *human, d *outcome, o shaderlift.Options) {
	alone := h.all == 1 && d.err == nil && d.res.Status == shaderlift.Unchanged && len(d.res.Stages) > 0
	if !alone || h.quiet || o.Target != "" || o.Pipeline != "" || o.Fit != "" || slices.Contains(d.paths, stdinName) {
		return
	}
	in, err := a.loadFiles(&d.job)
	if err != nil {
		return
	}
	slots := "--target " + shaderlift.SlotTarget
	for _, try := range []struct {
		flags, target string
		mirrored      bool
	}{
		{"--host-constants mirrored", "", true},
		{slots, shaderlift.SlotTarget, false},
		{slots + " --host-constants mirrored", shaderlift.SlotTarget, true},
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
