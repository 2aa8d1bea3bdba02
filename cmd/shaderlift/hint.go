package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/explain"
)

// hintSlots limits the slots of an input for which other options are tried. Inputs of this size take less than a
// second, and each option takes as long again.
const hintSlots = 1024

// mayHint reports whether other options are tried: only for a single small input from files that stays unchanged with
// the default target and pipeline, and without limits. A pair that is improved may still lose more slots.
func (h *human) mayHint(d *outcome, o shaderlift.Options) bool {
	if h.quiet || h.all != 1 || d.err != nil || slices.Contains(d.paths, stdinName) {
		return false
	}
	if d.res.Status != shaderlift.Unchanged && !(d.res.Status == shaderlift.Improved &&
		d.res.Kind == shaderlift.KindPair && o.Host.PixelConstants == shaderlift.Separate) {
		return false
	}
	slots := 0
	for i := range d.res.Stages {
		slots += d.res.Stages[i].Before.Slots
	}
	return o.Target == "" && o.Pipeline == "" && o.Fit == "" && o.Limits == (shaderlift.Limits{}) && slots > 0 && slots <= hintSlots
}

// hints prints why an unchanged input does not get cheaper, and the options with which it does. For an improved pair,
// it prints the options that lead to fewer pixel slots.
func (a *app) hints(h *human, d *outcome, o shaderlift.Options) {
	if !h.mayHint(d, o) {
		return
	}
	in := shaderlift.Input{Name: d.name, Files: d.read, Include: a.include}
	if d.res.Status == shaderlift.Improved {
		a.tryOptions(h, in, o, true, d.res.Stages[len(d.res.Stages)-1].CurrentCost().Slots)
		return
	}
	switch last := d.res.Stages[len(d.res.Stages)-1]; {
	case last.Stage == d3d9.Vertex:
		h.linef("    a vertex program alone keeps all outputs; give VERTEX,PIXEL to remove those that the pixel program does not read")
		return
	case last.Model.Major < 2:
		h.linef("    shaderlift does not change programs of %s; compile the shader for ps_2_0 if your GPUs have it", last.Model)
		return
	}
	found := a.tryOptions(h, in, o, d.res.Kind == shaderlift.KindPair, math.MaxInt)
	if d.res.Kind == shaderlift.KindProgram && o.Host.Partner == "" {
		alone := d.res.Stages[0].Before.Slots
		in.Files = []shaderlift.File{{Name: "vertex", Data: passThrough(d.res.Stages[0].Model.Major)}, in.Files[0]}
		with := o
		with.Target, with.Host.PixelConstants = shaderlift.SlotTarget, shaderlift.Mirrored
		if res, err := shaderlift.Optimize(a.ctx, in, with); err == nil && res.Status == shaderlift.Improved &&
			len(res.Stages) == 2 && res.Stages[1].CurrentCost().Slots < min(alone, found) {
			h.linef("    nothing can move to a vertex program, because none is given; VERTEX,PIXEL with --target %s --host-constants mirrored may lead to pixel %s slots",
				shaderlift.SlotTarget, change(alone, res.Stages[1].CurrentCost().Slots))
			return
		}
	}
	if found == math.MaxInt {
		o.Host.PixelConstants = shaderlift.Mirrored // these did not help, so they are no reason
		if res, err := shaderlift.Explain(a.ctx, in, o); err == nil && len(res.Programs) > 0 {
			h.linef("    no option helps: %s; see shaderlift explain", stays(res.Programs[len(res.Programs)-1].Instructions))
		}
	}
}

// tryOptions prints the options under which an input gets fewer pixel slots than reached. It returns the least slots
// found.
func (a *app) tryOptions(h *human, in shaderlift.Input, o shaderlift.Options, pair bool, reached int) (least int) {
	least = reached
	for _, try := range []struct { // the fewest flags first
		target   string
		mirrored bool
	}{{"", true}, {shaderlift.SlotTarget, false}, {shaderlift.SlotTarget, true}} {
		if try.mirrored && (!pair || o.Host.PixelConstants == shaderlift.Mirrored) {
			continue
		}
		with, flags, reason := o, "", "nothing found saves time on a GPU"
		if reached < math.MaxInt {
			reason = "nothing else found saves time on a GPU"
		}
		if with.Target = try.target; try.target != "" {
			flags = " --target " + try.target
		}
		if try.mirrored {
			with.Host.PixelConstants = shaderlift.Mirrored
			flags += " --host-constants mirrored"
		}
		res, err := shaderlift.Optimize(a.ctx, in, with)
		if err != nil || res.Status != shaderlift.Improved {
			continue
		}
		text, slots := costs(res, false), res.Stages[len(res.Stages)-1].CurrentCost().Slots
		if slots >= least || !strings.Contains(text, "->") {
			continue
		}
		least = slots
		if len(res.Uploads) > 0 {
			var from []string
			for _, u := range res.Uploads {
				from = append(from, u.From.String())
			}
			reason = "the application sets " + strings.Join(from, ", ") + " for the pixel program only"
		}
		h.linef("    %s; with%s: %s", reason, flags, text)
	}
	return least
}

// passThrough returns a vertex program that passes its attributes to all texture coordinates and to a colour. It
// stands for the vertex program of a pixel program that is given alone.
func passThrough(major uint8) []byte {
	text, position, coordinates := "vs_2_0\n", "oPos", 8
	output := func(i int) string { return fmt.Sprint("oT", i) }
	if major >= 3 {
		text, position, coordinates = "vs_3_0\ndcl_position o0\n", "o0", 10
		output = func(i int) string { return fmt.Sprint("o", i+1) }
	}
	text += "dcl_position v0\n"
	code := "mov " + position + ", v0\n"
	for i := range coordinates {
		text += fmt.Sprintf("dcl_texcoord%d v%d\n", i, i+1)
		if code += fmt.Sprintf("mov %s, v%d\n", output(i), i+1); major >= 3 {
			text += fmt.Sprintf("dcl_texcoord%d %s\n", i, output(i))
		}
	}
	return []byte(text + code)
}

// stays counts the reasons why instructions of a pixel program stay there.
func stays(list []explain.Instruction) string {
	counts := map[asm.Code]int{}
	all := 0
	for i := range list {
		if why := list[i].Why; why != nil {
			counts[why.Code]++
			all++
		}
	}
	var texts []string
	rest := all
	add := func(n int, singular, more string) {
		switch rest -= n; {
		case n == 1:
			texts = append(texts, "1 "+singular)
		case n > 1:
			texts = append(texts, fmt.Sprint(n, " ", more))
		}
	}
	add(counts["texture-read"], "needs a texture", "need textures")
	add(counts["not-affine"], "is not affine in its inputs", "are not affine in their inputs")
	add(counts["ends-fragment"], "discards fragments", "discard fragments")
	add(counts["depth"], "determines the depth", "determine the depth")
	add(counts["not-interpolated"], "reads a colour or another special input", "read colours or other special inputs")
	add(counts["movable"], "could move without gain", "could move without gain")
	add(rest, "stays for another reason", "stay for other reasons")
	return fmt.Sprintf("of %d pixel %s, %s", all, plural("operation", all), strings.Join(texts, ", "))
}
