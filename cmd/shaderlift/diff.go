package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt/compare"
	"github.com/shaderlift/shaderlift/opt/wording"
	"github.com/spf13/cobra"
)

func (a *app) diff() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "diff A.json B.json",
		Short: "compare two reports, cost by cost",
		Long: `Diff compares the costs of programs in two reports of opt or stats. For opt these are the
costs after it. Diff first lists the programs with different costs. Then it prints for each cost:

  - the total of all programs, and that of the programs with different costs
  - the number of improved and regressed programs, and the changes: least, most, mean and median
  - the median and the geometric mean of the ratio over all programs

Draws have a time on each GPU for which both reports have prices. If a kernel has costs on
different GPUs in the two reports, these are a separate cost that names both GPUs.

Two programs are the same if they have the same path. If no path is in both reports, paths are
compared relative to the common folder of each report. LOST and GAINED mark programs with a
result in only one report.

With --format markdown, diff prints a table for a pull request instead: slots, the mean time on
GPUs and on phones, cycles of kernels, and the programs that cost more.`,
		Example: `  shaderlift opt -n --report a.json shaders/; shaderlift opt -n -O1 --report b.json shaders/
  shaderlift diff a.json b.json
  shaderlift stats --format json old/ > old.json; shaderlift stats --format json new/ > new.json
  shaderlift diff --format json old.json new.json
  shaderlift diff --format markdown old.json new.json > comment.md`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("format", format, "text", "json", "markdown"); err != nil {
				return err
			}
			var reports [2]*shaderlift.Report
			for i, path := range args {
				data, err := a.readFile(path)
				if err != nil {
					return err
				}
				if reports[i], err = shaderlift.ReadReport(path, data); err != nil {
					return err
				}
			}
			c := compare.Reports(reports[0], reports[1])
			if format == "json" {
				e := json.NewEncoder(a.out)
				e.SetIndent("", "  ")
				e.SetEscapeHTML(false)
				return e.Encode(c)
			}
			if format == "markdown" {
				_, err := a.out.Write(c.Markdown())
				return err
			}
			printComparison(a.out, c)
			return nil
		},
	}
	addForm(cmd.Flags(), &format)
	cmd.Flags().Lookup("format").Usage += "; or markdown, a short table for a pull request"
	return cmd
}

// printComparison prints c in the style of shader-db: a line for each program whose cost changed,
// then the sums.
func printComparison(w io.Writer, c *compare.Comparison) {
	gap := ""
	for _, m := range c.Measures {
		for _, s := range sidesOf(&m) {
			for _, p := range s.Programs {
				fmt.Fprintf(w, "%s %s: %s %s\n", m.Name, s.what, p.Program, percent(p.Change))
				gap = "\n"
			}
		}
	}
	for _, m := range c.Measures {
		fmt.Fprintf(w, gap+"total %s in %d shared %s: %s\n", m.Name, m.Programs, wording.Plural("program", m.Programs),
			percent(m.Total))
		gap = "\n"
		if m.Total.Before == m.Total.After && len(m.Helped.Programs) == 0 {
			continue
		}
		affected := m.Helped.Total
		affected.Before += m.Hurt.Total.Before
		affected.After += m.Hurt.Total.After
		fmt.Fprintf(w, "%s in affected programs: %s\n", m.Name, percent(affected))
		for _, s := range sidesOf(&m) {
			fmt.Fprintf(w, "%s: %d\n", s.what, len(s.Programs))
		}
		for _, s := range sidesOf(&m) {
			if len(s.Programs) > 0 {
				a, r := s.Absolute, s.Relative
				fmt.Fprintf(w, "%s stats (abs) least: %s most: %s mean: %.2f median: %s\n", s.what, amount(a.Least),
					amount(a.Most), a.Mean, amount(a.Median))
				if r == (compare.Spread{}) { // the old value was zero
					continue
				}
				fmt.Fprintf(w, "%s stats (rel) least: %.2f%% most: %.2f%% mean: %.2f%% median: %.2f%%\n", s.what, 100*r.Least,
					100*r.Most, 100*r.Mean, 100*r.Median)
			}
		}
		fmt.Fprintf(w, "after/before of all programs: median %.4f, geometric mean %.4f\n", m.Median, m.GeometricMean)
	}
	io.WriteString(w, gap)
	for _, l := range []struct {
		what  string
		names []string
	}{{"LOST", c.Lost}, {"GAINED", c.Gained}} {
		fmt.Fprintf(w, "%s: %d\n", l.what, len(l.names))
		for _, n := range l.names {
			fmt.Fprintf(w, "    %s\n", n)
		}
	}
}

type namedSide struct {
	what string
	compare.Side
}

func sidesOf(m *compare.Measure) []namedSide {
	return []namedSide{{"helped", m.Helped}, {"HURT", m.Hurt}}
}

// percent returns a change with its relative size, if the old value is not zero.
func percent(c compare.Change) string {
	text := amount(c.Before) + " -> " + amount(c.After)
	if c.Before == 0 || c.Before == c.After {
		return text
	}
	return fmt.Sprintf("%s (%+.2f%%)", text, 100*(c.After/c.Before-1))
}

// amount returns a cost with two decimals, as many as distinguish times on GPUs.
func amount(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}
