package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/explain"
	"github.com/shaderlift/shaderlift/opt/htmlreport"
	"github.com/shaderlift/shaderlift/opt/wording"
	"github.com/spf13/cobra"
)

func (a *app) explain() *cobra.Command {
	var f flags
	var format string
	cmd := &cobra.Command{
		Use:   "explain INPUT[:LINE]",
		Short: "explain why instructions stay, and what limits a draw",
		Long: `Explain prints for each instruction of a pair, program, effect or kernel:

  - how often its value may change: once for a draw, a vertex or a fragment
  - its outcome in the optimized program: kept, moved to the vertex program, merged into
    another instruction, or deleted; for a merge also that instruction and the rewrite
  - why it is computed so often: the condition that keeps it from the vertex program, the
    instruction that causes it, and the option that would lift it; or else the cost of
    moving it, with all instructions that must move too; repeated reasons come last
  - its price: slots for d3d9, the time in the units of a single GPU of --target, or its mean
    share of the work on several; operations that several instructions need, and interpolation,
    count for the first instruction that reads them

For a statement of a kernel, explain prints how often its value changes (for a launch, an
invocation or a trip of a loop), and the number of operations and fetches that a compiler
makes of it. Before the statements, it names versions that are faster if the application
changes its launch, if they can be verified; tune --host searches longer and writes them.

To explain a single line, append it: FILE:LINE, for a pair FILE:LINE,FILE:LINE. For bytecode,
append an offset, and for an effect also --pass TECHNIQUE/PASS.ps. The rewrites of this line
follow. Before the instructions, explain prints the limits: the model's limit that each program
is closest to, and the limiting part of each GPU of desktops and of --target, with advice.

With -p, the passes of a pipeline run first, and explain shows their result.`,
		Example: `  shaderlift explain water.vsh,water.psh
  shaderlift explain water.vsh,water.psh:23
  shaderlift explain --format svg water.vsh,water.psh > water.svg
  shaderlift explain --format json --host-constants mirrored water.vsh,water.psh`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.options(cmd, &f)
			if err != nil {
				return err
			}
			if err := oneOf("format", format, "text", "json", "svg"); err != nil {
				return err
			}
			name, places, err := splitPlaces(args[0])
			if err != nil {
				return err
			}
			in, err := a.single(name)
			if err != nil {
				return err
			}
			o.Report.Remarks = []shaderlift.RemarkKind{shaderlift.Passed}
			res, err := shaderlift.Explain(a.ctx, in, o)
			a.faults(a.human(false, false), res, err, ".")
			if err != nil {
				return err
			}
			a.unused.observeResult(res)
			next := after(res, places)
			switch one := slices.Max(places) > 0; {
			case one && res.Kind == shaderlift.KindEffect:
				if err := filterPass(res, places[0], f.pass); err != nil {
					return fmt.Errorf("%s: %w", asm.Shown(args[0]), err)
				}
			case !filterPlaces(res, places):
				return usagef("no instruction at %s%s", args[0], next)
			}
			if format == "json" {
				rep := shaderlift.NewReport(o)
				rep.Pipeline, rep.Numerics = "", nil
				rep.Add(res)
				return rep.WriteJSON(a.out)
			}
			if format == "svg" {
				return htmlreport.WritePicture(a.out, res)
			}
			a.explained(res, slices.Max(places) > 0)
			return nil
		},
	}
	set := cmd.Flags()
	a.addInclude(set)
	addPass(set, &f.pass)
	a.addCompile(set)
	f.addVerify(set)
	f.addPipeline(set)
	f.addConstants(set)
	f.addPartner(set)
	f.addTarget(set)
	addForm(set, &format)
	set.Lookup("format").Usage += "; or svg, a picture of the moved instructions"
	return cmd
}

// splitPlaces splits lines or offsets off the file names of an input, such as a.vsh,b.psh:23; 0
// means none. A name with a colon that exists as a file is not split. It also accepts the column of
// diagnostics, as in b.psh:23:5, and drops it.
func splitPlaces(arg string) (name string, places []int, err error) {
	files := strings.Split(arg, ",")
	for i, file := range files {
		places = append(places, 0)
		path, line, found := cutLast(file, ":")
		if _, err := os.Stat(file); err == nil || !found {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			if m := placed.FindStringSubmatch(file); m != nil {
				path, line = m[1], m[2]
			}
		}
		n, err := strconv.ParseInt(line, 0, 32)
		if err != nil || n < 1 {
			if _, err := os.Stat(path); err != nil {
				continue // reading it will fail with a better message
			}
			return "", nil, usagef("%q is not a line number", line)
		}
		files[i], places[i] = path, int(n)
	}
	return strings.Join(files, ","), places, nil
}

// placed matches a name with a line and a column.
var placed = regexp.MustCompile(`^(.+):(\d+):\d+:?$`)

// cutLast is strings.Cut at the last separator, because names of drives and directories may contain
// colons.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// after returns the end of a sentence that reports no instruction at places: the next or the last
// line with one.
func after(res *shaderlift.Result, places []int) string {
	for i, place := range places[:min(len(places), len(res.Programs))] {
		next, last := math.MaxInt, 0
		for _, in := range res.Programs[i].Instructions {
			if at := max(in.Line, in.Offset); in.From == "" {
				if last = max(last, at); at > place {
					next = min(next, at)
				}
			}
		}
		switch {
		case place == 0:
		case next < math.MaxInt:
			return fmt.Sprintf("; the next one is at %d", next)
		case last > 0:
			return fmt.Sprintf("; the last one is at %d", last)
		}
	}
	return ""
}

// filterPass removes the instructions of an effect that are not at the offset place of the program that pass names.
func filterPass(res *shaderlift.Result, place int, pass string) error {
	stage := filepath.Ext(pass)
	if stage != ".vs" && stage != ".ps" {
		return usagef("an offset is one of a single program; give it as --pass TECHNIQUE/PASS.vs or .ps")
	}
	next := ""
	res.Parts = slices.DeleteFunc(res.Parts, func(p *shaderlift.Result) bool {
		places := make([]int, len(p.Programs))
		for i := range p.Programs {
			if strings.HasSuffix(p.Programs[i].Name, stage) {
				places[i] = place
			}
		}
		next = after(p, places)
		return slices.Max(append(places, 0)) == 0 || !filterPlaces(p, places)
	})
	if len(res.Parts) == 0 {
		return usagef("no instruction of %s is there%s", asm.Shown(pass), next)
	}
	return nil
}

// filterPlaces removes the instructions and remarks that are not at places, unless no place is given. It
// reports whether an instruction remains.
func filterPlaces(res *shaderlift.Result, places []int) bool {
	if slices.Max(places) == 0 {
		return true
	}
	some := false
	res.Rewritten = nil
	if res.Kernel != nil && len(res.Programs) > 1 {
		res.Programs = res.Programs[:1] // the other one is a listing
	}
	for i := range res.Programs {
		p := &res.Programs[i]
		p.Instructions = slices.DeleteFunc(p.Instructions, func(in shaderlift.Instruction) bool {
			return i >= len(places) || places[i] == 0 || places[i] != max(in.Line, in.Offset) || in.From != ""
		})
		some = some || len(p.Instructions) > 0
	}
	res.Remarks = slices.DeleteFunc(res.Remarks, func(m shaderlift.Remark) bool {
		at := max(m.Line, m.Offset)
		for i, place := range places {
			if at == place && (m.Stage == "" || m.Stage == d3d9.Stage(i).String()) {
				return false
			}
		}
		return at > 0
	})
	return some
}

// explainedModules prints the costs of SPIR-V modules, the components that a pair could omit, and the rewrites.
func (a *app) explainedModules(res *shaderlift.Result) {
	for i := range res.Modules {
		m := &res.Modules[i]
		before, after := m.Before, m.CurrentCost()
		fmt.Fprintf(a.out, "%s module: %s, %s\n", dash(m.Stage), wording.Count("instruction", before.Instructions, after.Instructions),
			wording.Count("component", before.Components, after.Components))
	}
	if len(res.Modules) == 0 {
		return
	}
	a.printOmittable(res.Varyings)
	for _, m := range res.Remarks {
		fmt.Fprintf(a.out, "    %s\n", wording.Remark(m))
	}
}

// explained prints the result of Explain: costs and limits, then the instructions with rate,
// outcome and reason. It prints trivial reasons only if a single line was asked for.
func (a *app) explained(res *shaderlift.Result, asked bool) {
	for _, p := range res.Parts {
		fmt.Fprintf(a.out, "%s\n", asm.Shown(p.Name))
		a.explained(p, asked)
		fmt.Fprintln(a.out)
	}
	for i := range res.Stages {
		s := &res.Stages[i]
		fmt.Fprintf(a.out, "%s program: %s of %s; the nearest limit is %s\n", s.Stage,
			wording.Count("slot", s.Before.Slots, s.CurrentCost().Slots), s.NowModel(), s.Binding())
	}
	a.explainedModules(res)
	a.limits(res)
	if k := res.Kernel; k != nil {
		now := k.CurrentCost()
		fmt.Fprintf(a.out, "kernel: %s, %s, %s, %s per SIMD on %s", wording.Count("group", k.Before.ALU, k.CurrentCost().ALU),
			wording.Count("fetch", k.Before.Fetches, k.CurrentCost().Fetches),
			wording.Registers(&k.Before, &now), wording.Count("wavefront", k.Before.Wavefronts,
				k.CurrentCost().Wavefronts), k.Target)
		fmt.Fprintln(a.out)
		if k.Before.Bottleneck != "" {
			fmt.Fprintln(a.out, explain.Bound("a launch", k.Before.Bottleneck, k.Target))
		}
		for _, v := range res.Advice {
			host, _ := v.Host.MarshalText()
			fmt.Fprintf(a.out, "if the host may change %s: about %.0f cycles, not %.0f, by %s; verified: %s; tune --host may-change=%[1]s writes such versions\n",
				host, v.Cycles, now.Cycles, v.Pipeline, v.Verdict)
		}
	}
	for i, p := range res.Programs {
		if len(p.Instructions) == 0 || i > 0 && res.Kernel != nil { // it is a listing
			continue
		}
		fmt.Fprintf(a.out, "\n%s\n", asm.Shown(p.Name))
		price := pricesOf(res, &p, asked)
		repeated := repeatedReasons(p.Instructions, asked)
		for _, in := range p.Instructions {
			line := fmt.Sprintf("%6s: %-40s  %-8s  %-8s%s", placeOf(&in), in.Text, in.Rate, in.Fate, price(&in))
			fmt.Fprintln(a.out, strings.TrimRight(line, " "))
			if asked && len(in.Costs) > 1 {
				var times []string
				for _, c := range in.Costs {
					times = append(times, fmt.Sprintf("%.3g on %s", c.Time, c.Target))
				}
				fmt.Fprintf(a.out, "        its time is %s\n", wording.Listed(times))
			}
			if len(in.Merged) > 0 {
				fmt.Fprintf(a.out, "        %s\n", mergedInto(in.Merged))
			}
			if text := shownReason(&in, asked); text != "" && len(repeated[text]) == 1 {
				fmt.Fprintf(a.out, "        this %s\n", text)
			}
			for _, m := range res.Remarks {
				if m.Kind == shaderlift.Passed && asked && m.IsAbout(i, len(res.Programs), &in) {
					fmt.Fprintf(a.out, "        %s: %s [%s]\n", m.Pass, m.Message, m.Code)
				}
			}
		}
		for _, in := range p.Instructions {
			text := shownReason(&in, asked)
			if at := repeated[text]; len(at) > 1 {
				fmt.Fprintf(a.out, "each of %s %s\n", placeList(p.Instructions, at), text)
				delete(repeated, text)
			}
		}
	}
}

// shownReason returns the text after the instruction for its reason, or an empty one if it is trivial and not asked for.
func shownReason(in *explain.Instruction, asked bool) string {
	if in.Why == nil || in.Why.Plain() && !asked {
		return ""
	}
	return strings.TrimPrefix(reasonText(in.Why), "this ")
}

// repeatedReasons returns the indices of the instructions with each reason that is shown.
func repeatedReasons(list []explain.Instruction, asked bool) map[string][]int {
	found := map[string][]int{}
	for i := range list {
		if text := shownReason(&list[i], asked); text != "" {
			found[text] = append(found[text], i)
		}
	}
	return found
}

// placeOf returns the line or offset of an instruction, with the file if it was included.
func placeOf(in *explain.Instruction) string {
	switch {
	case in.From != "":
		return fmt.Sprintf("%s:%d", in.From, in.Line)
	case in.Line == 0:
		return fmt.Sprintf("+%#x", in.Offset)
	}
	return fmt.Sprint(in.Line)
}

// placeList returns the places of the instructions of list at these indices. Three or more in a row are a range.
func placeList(list []explain.Instruction, at []int) string {
	var places []string
	for i := 0; i < len(at); i++ {
		first := i
		for i+1 < len(at) && at[i+1] == at[i]+1 {
			i++
		}
		if i > first+1 {
			places = append(places, placeOf(&list[at[first]])+" to "+placeOf(&list[at[i]]))
			continue
		}
		for _, k := range at[first : i+1] {
			places = append(places, placeOf(&list[k]))
		}
	}
	text := wording.Listed(places)
	if list[at[0]].Line > 0 {
		return "lines " + text
	}
	return text
}

// pricesOf returns a function that describes the price of an instruction of p: the compiled form of a kernel statement,
// the slots, the time on a GPU, or its share of the work on several, unless it is asked for alone.
func pricesOf(res *shaderlift.Result, p *explain.Program, asked bool) func(*explain.Instruction) string {
	if res.Kernel != nil {
		return compiledForm
	}
	totals := map[string]float64{}
	for _, in := range p.Instructions {
		for _, c := range in.Costs {
			totals[c.Target] += c.Time
		}
	}
	return func(in *explain.Instruction) string {
		switch {
		case len(in.Costs) == 0 && in.Slots > 0:
			return fmt.Sprintf("  %d %s", in.Slots, wording.Plural("slot", in.Slots))
		case len(in.Costs) == 0:
			return ""
		case len(in.Costs) == 1:
			var parts []string
			for _, name := range slices.Sorted(maps.Keys(in.Costs[0].Parts)) {
				parts = append(parts, fmt.Sprintf("%.3g %s", in.Costs[0].Parts[name], name))
			}
			return "  " + cmp.Or(strings.Join(parts, ", "), "free")
		case asked:
			return ""
		}
		var share float64
		for _, c := range in.Costs {
			share += 100 * c.Time / max(totals[c.Target], 1e-9) / float64(len(in.Costs))
		}
		if share == 0 {
			return "  free"
		}
		return fmt.Sprintf("  %.1f %% of work", share)
	}
}

// compiledForm describes the compiled form of a kernel statement.
func compiledForm(in *shaderlift.Instruction) string {
	ops := in.Slots - in.Texture
	switch {
	case in.Slots == 0:
		return ""
	case in.Texture == 0:
		return fmt.Sprintf("  %d %s", ops, wording.Plural("operation", ops))
	case ops == 0:
		return fmt.Sprintf("  %d %s", in.Texture, wording.Plural("fetch", in.Texture))
	}
	return fmt.Sprintf("  %d %s, %d %s", ops, wording.Plural("operation", ops), in.Texture, wording.Plural("fetch", in.Texture))
}

// mergedInto returns a text about the result instruction that absorbed a statement, and the rewrite
// that merged it.
func mergedInto(list []explain.Merge) string {
	m := list[0]
	text := "in the result, it is part of "
	switch {
	case m.From != "" && m.Line > 0:
		text += fmt.Sprintf("%s:%d, ", asm.Shown(m.From), m.Line)
	case m.From != "":
		text += fmt.Sprintf("%s+%#x, ", asm.Shown(m.From), m.Offset)
	case m.Line > 0:
		text += fmt.Sprintf("line %d, ", m.Line)
	case m.Offset > 0:
		text += fmt.Sprintf("+%#x, ", m.Offset)
	}
	text += m.Text
	if n := len(list) - 1; n > 0 {
		text += fmt.Sprintf(", and of %d %s", n, wording.Plural("other", n))
	}
	if m.Pass != "" {
		text += fmt.Sprintf("; %s: %s [%s]", m.Pass, m.Message, m.Code)
	}
	return text
}

// reasonText returns the text of a reason with its position, its code, and an option that would lift it.
func reasonText(r *explain.Reason) string {
	text := fmt.Sprintf("%s [%s]", r, r.Code)
	return text + wording.Unlocked(r.Code, r.Unlock)
}

// limits prints the busiest unit of each GPU, and groups GPUs with the same unit.
func (a *app) limits(res *shaderlift.Result) {
	var bounds []string
	targets := map[string][]string{}
	for _, d := range res.Draws {
		if targets[d.Before.Bound] == nil {
			bounds = append(bounds, d.Before.Bound)
		}
		targets[d.Before.Bound] = append(targets[d.Before.Bound], d.Target)
	}
	for _, b := range bounds {
		fmt.Fprintln(a.out, explain.Bound("a draw", b, strings.Join(targets[b], ", ")))
	}
}
