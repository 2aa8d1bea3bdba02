package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/spf13/cobra"
)

func (a *app) explain() *cobra.Command {
	var f flags
	var format string
	cmd := &cobra.Command{
		Use:   "explain INPUT[:LINE]",
		Short: "tell why instructions are where they are, and what limits a draw",
		Long: `Explain tells of every instruction of a pair, a program or an effect, or of those of one line
(in bytecode, at one offset; of a pair FILE:LINE,FILE:LINE), how often what it computes may
change (for a draw, a vertex or a fragment), what becomes of it when the program is optimized
(kept, moved to the vertex program, or gone), and why it is computed as often as it is: which
condition keeps it from the vertex program, the instruction in which that begins, and the
option that would lift it; or what it would cost there, found by moving it with all that it
takes. Of those of one line, the rewrites follow that were made there. Before them stands what limits the programs: the limit of the model that is nearest,
and the part of each GPU that has most to do.

With -p the passes of a pipeline run first, and what they leave is explained.`,
		Example: `  shaderlift explain water.vsh,water.psh
  shaderlift explain water.vsh,water.psh:23
  shaderlift explain --format json --host-constants mirrored water.vsh,water.psh`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.options(cmd, &f)
			if err != nil {
				return err
			}
			if err := checkForm(format); err != nil {
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
			o.Remarks = []shaderlift.RemarkKind{shaderlift.Passed}
			res, err := shaderlift.Explain(a.ctx, in, o)
			a.faults(a.human(false, false), res, err, ".")
			if err != nil {
				return err
			}
			if kind := res.Kind; slices.Max(places) > 0 && (kind == shaderlift.KindKernel || kind == shaderlift.KindEffect) {
				return usagef("%s: lines are told apart in programs and pairs, not in one of kind %s", args[0], kind)
			}
			if !only(res, places) {
				return usagef("there is no instruction at %s", args[0])
			}
			if format == "json" {
				rep := shaderlift.NewReport(o)
				rep.Pipeline, rep.Numerics = "", nil
				rep.Add(res)
				return rep.WriteJSON(a.out)
			}
			a.explained(res, slices.Max(places) > 0)
			return nil
		},
	}
	set := cmd.Flags()
	f.addVerify(set)
	f.addPipeline(set)
	f.addConstants(set)
	f.addPartner(set)
	addForm(set, &format)
	return cmd
}

// splitPlaces takes the lines, or offsets, off the files of an input; of files without one
// there is 0. A file that is there under its whole name has none.
func splitPlaces(arg string) (name string, places []int, err error) {
	files := strings.Split(arg, ",")
	for i, file := range files {
		places = append(places, 0)
		path, line, found := cutLast(file, ":")
		if _, err := os.Stat(file); err == nil || !found {
			continue
		}
		n, err := strconv.ParseInt(line, 0, 32)
		if err != nil || n < 1 {
			if _, err := os.Stat(path); err != nil {
				continue // whoever reads it says that it is not there
			}
			return "", nil, usagef("%q is no line", line)
		}
		files[i], places[i] = path, int(n)
	}
	return strings.Join(files, ","), places, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// only leaves the instructions at places, if there are any, and reports whether some are left.
func only(res *shaderlift.Result, places []int) bool {
	if slices.Max(places) == 0 {
		return true
	}
	some := false
	res.Rewritten = nil
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

// explained prints what Explain found. That vertices are computed for vertices it says only
// where it was asked.
func (a *app) explained(res *shaderlift.Result, asked bool) {
	for _, p := range res.Parts {
		fmt.Fprintf(a.out, "%s\n", p.Name)
		a.explained(p, asked)
		fmt.Fprintln(a.out)
	}
	for i := range res.Stages {
		s := &res.Stages[i]
		fmt.Fprintf(a.out, "%s program: %s slots of %s, nearest to a limit with %s\n", s.Stage, change(s.Before.Slots, s.Now().Slots), s.Model, s.Binding())
	}
	a.limits(res)
	if k := res.Kernel; k != nil {
		fmt.Fprintf(a.out, "kernel: %d groups and %d fetches, %d registers, room for %d wavefronts on %s", k.Before.ALU, k.Before.Fetches, k.Before.GPRs, k.Before.Wavefronts, k.Target)
		if k.Before.Bottleneck != "" {
			fmt.Fprintf(a.out, "; %s limits it", k.Before.Bottleneck)
		}
		fmt.Fprintln(a.out)
	}
	for i, p := range res.Programs {
		if len(p.Instructions) == 0 {
			continue
		}
		fmt.Fprintf(a.out, "\n%s\n", p.Name)
		for _, in := range p.Instructions {
			where := fmt.Sprint(in.Line)
			switch {
			case in.From != "": // it is included
				where = fmt.Sprintf("%s:%d", in.From, in.Line)
			case res.Kernel != nil: // a listing has numbers of its own
				fmt.Fprint(a.out, in.Text)
				continue
			case in.Line == 0:
				where = fmt.Sprintf("+%#x", in.Offset)
			}
			fmt.Fprintf(a.out, "%6s: %-40s", where, in.Text)
			for _, what := range []string{string(in.Rate), string(in.Fate)} {
				fmt.Fprintf(a.out, "  %-8s", what)
			}
			fmt.Fprintln(a.out)
			if in.Why != nil && (asked || in.Why.Code != "per-vertex") {
				fmt.Fprintf(a.out, "        %s\n", why(in.Why))
			}
			for _, m := range res.Remarks {
				if m.Kind == shaderlift.Passed && asked && m.At(i, len(res.Programs), &in) {
					fmt.Fprintf(a.out, "        %s: %s [%s]\n", m.Pass, m.Message, m.Code)
				}
			}
		}
	}
}

// why is a reason with where it lies, its code, and what would lift it.
func why(r *shaderlift.Reason) string {
	text := fmt.Sprintf("%s [%s]", r, r.Code)
	if r.Unlock != "" {
		text += "; with " + r.Unlock + " it could move"
	}
	return text
}

// limits prints what part of each GPU has most to do, GPUs of the same one together.
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
		fmt.Fprintf(a.out, "a draw is bound by %s on %s\n", b, strings.Join(targets[b], ", "))
	}
}
