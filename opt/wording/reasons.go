package wording

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/explain"
)

// hintSlots limits the slots of an input for which other options are tried. Inputs of this size take less than a
// second, and each option takes as long again.
const hintSlots = 1024

// reasons collects the texts of Reasons about an input with options.
type reasons struct {
	ctx  context.Context
	in   shaderlift.Input
	o    shaderlift.Options
	list []string
}

// Reasons returns the reasons why an unchanged input does not get cheaper, and the options with which it does. An
// improved pair may still lose more slots; then they are the options that lead to fewer pixel slots. Inputs that are
// large or have limits get no reasons. Reasons tries other options only for the default target and pipeline.
func Reasons(ctx context.Context, in shaderlift.Input, o shaderlift.Options, r *shaderlift.Result) []string {
	if !mayReason(o, r) {
		return nil
	}
	s := &reasons{ctx: ctx, in: in, o: o}
	switch given := o.Target != "" || o.Pipeline != ""; {
	case r.Status == shaderlift.Unchanged:
		s.unchanged(r, given)
	case r.Status == shaderlift.Improved && r.Kind == shaderlift.KindPair && !given && o.Host.PixelConstants == shaderlift.Separate:
		s.tryOptions(true, r.Stages[len(r.Stages)-1].CurrentCost().Slots)
	}
	return s.list
}

// mayReason reports whether a result may have reasons.
func mayReason(o shaderlift.Options, r *shaderlift.Result) bool {
	slots := 0
	for i := range r.Stages {
		slots += r.Stages[i].Before.Slots
	}
	return o.Fit == "" && o.Limits == (shaderlift.Limits{}) && slots > 0 && slots <= hintSlots
}

func (s *reasons) addf(format string, args ...any) {
	s.list = append(s.list, fmt.Sprintf(format, args...))
}

// unchanged adds the reasons for an unchanged result. It tries no options if a target or a pipeline is given.
func (s *reasons) unchanged(r *shaderlift.Result, given bool) {
	in, o := s.in, s.o
	switch last := r.Stages[len(r.Stages)-1]; {
	case last.Stage == d3d9.Vertex:
		s.addf("a vertex program alone keeps all outputs; give VERTEX,PIXEL to remove those that the pixel program does not read")
		return
	case last.Model.Major < 2:
		s.addf("shaderlift does not change programs of %s; compile the shader for ps_2_0 if your GPUs have it", last.Model)
		return
	}
	lone := r.Kind == shaderlift.KindProgram && o.Host.Partner == ""
	if lone {
		in.Files = []shaderlift.File{{Name: "vertex", Data: passThrough(r.Stages[0].Model.Major)}, in.Files[0]}
	}
	if given {
		s.addStays("", in, o)
		return
	}
	found := s.tryOptions(r.Kind == shaderlift.KindPair, math.MaxInt)
	if lone {
		alone := r.Stages[0].Before.Slots
		with := o
		with.Target, with.Host.PixelConstants = shaderlift.SlotTarget, shaderlift.Mirrored
		if res, err := shaderlift.Optimize(s.ctx, in, with); err == nil && res.Status == shaderlift.Improved &&
			len(res.Stages) == 2 && res.Stages[1].CurrentCost().Slots < min(alone, found) {
			s.addf("nothing can move to a vertex program, because none is given; VERTEX,PIXEL with --target %s --host-constants mirrored may lead to pixel %s slots",
				shaderlift.SlotTarget, Change(alone, res.Stages[1].CurrentCost().Slots))
			return
		}
	}
	if found == math.MaxInt {
		o.Host.PixelConstants = shaderlift.Mirrored // these did not help, so they are no reason
		s.addStays("no option helps: ", in, o)
	}
}

// addStays adds the reasons why the instructions of a pixel program stay there.
func (s *reasons) addStays(before string, in shaderlift.Input, o shaderlift.Options) {
	res, err := shaderlift.Explain(s.ctx, in, o)
	if err != nil || len(res.Programs) == 0 {
		return
	}
	if text := stays(res.Programs[len(res.Programs)-1].Instructions); text != "" {
		s.addf("%s%s; see shaderlift explain", before, text)
	}
}

// tryOptions adds the options under which an input gets fewer pixel slots than reached. It returns the least slots
// found.
func (s *reasons) tryOptions(pair bool, reached int) (least int) {
	least = reached
	for _, try := range []struct { // the fewest flags first
		target   shaderlift.Target
		mirrored bool
	}{{"", true}, {shaderlift.SlotTarget, false}, {shaderlift.SlotTarget, true}} {
		if try.mirrored && (!pair || s.o.Host.PixelConstants == shaderlift.Mirrored) {
			continue
		}
		with, flags, reason := s.o, "", "nothing found saves time on a GPU"
		if reached < math.MaxInt {
			reason = "nothing else found saves time on a GPU"
		}
		if with.Target = try.target; try.target != "" {
			flags = " --target " + string(try.target)
		}
		if try.mirrored {
			with.Host.PixelConstants = shaderlift.Mirrored
			flags += " --host-constants mirrored"
		}
		res, err := shaderlift.Optimize(s.ctx, s.in, with)
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
		s.addf("%s; with%s: %s", reason, flags, text)
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

// stays counts the reasons why instructions of a pixel program stay there. It is empty without any.
func stays(list []explain.Instruction) string {
	counts := map[asm.Code]int{}
	all := 0
	for i := range list {
		if why := list[i].Why; why != nil {
			counts[why.Code]++
			all++
		}
	}
	if all == 0 {
		return ""
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
	return fmt.Sprintf("of %d pixel %s, %s", all, Plural("operation", all), strings.Join(texts, ", "))
}
