package compare

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/stat"
	"github.com/shaderlift/shaderlift/opt/pair"
)

// maxHurt bounds the programs that Markdown lists because they cost more.
const maxHurt = 10

// Markdown returns c as a short table for a pull request: slots, the time on GPUs and on phones, and cycles of
// kernels. Programs that cost more follow, the most affected first.
func (c *Comparison) Markdown() []byte {
	var b bytes.Buffer
	groups := []*group{{name: "GPUs"}, {name: "phones"}}
	phones := map[string]bool{}
	if list, err := pair.PhonesTarget.GPUs(); err == nil {
		for _, t := range list {
			phones[t.Name] = true
		}
	}
	rows := 0
	row := func(name string, programs int, before, after string, change float64, better, worse int) {
		if rows++; rows == 1 {
			b.WriteString("| cost | programs | before | after | change | better | worse |\n|---|---:|---:|---:|---:|---:|---:|\n")
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %d | %d |\n", name, programs, before, after, percent(change), better, worse)
	}
	var hurt []string
	for i := range c.Measures {
		m := &c.Measures[i]
		gpu, timed := strings.CutPrefix(m.Name, "time on ")
		switch {
		case timed && phones[gpu]:
			groups[1].add(m)
		case timed:
			groups[0].add(m)
		case m.Name == "pixel slots" || m.Name == "vertex slots" || strings.HasPrefix(m.Name, "cycles"):
			row(m.Name, m.Programs, amount(m.Total.Before), amount(m.Total.After), ratio(m.Total), len(m.Helped.Programs),
				len(m.Hurt.Programs))
		default:
			continue
		}
		for _, p := range m.Hurt.Programs {
			hurt = append(hurt, fmt.Sprintf("* %s: %s %s -> %s (%s)\n", code(p.Program), m.Name, amount(p.Before), amount(p.After),
				percent(ratio(p.Change))))
		}
	}
	for _, g := range groups {
		if len(g.ratios) > 0 {
			name := fmt.Sprintf("time on %s (mean of %d)", g.name, len(g.ratios))
			row(name, g.programs, "", "", stat.GeometricMean(g.ratios), len(g.helped)-both(g.helped, g.hurt), len(g.hurt))
		}
	}
	if rows == 0 {
		b.WriteString("No program has a cost in both reports.\n")
	}
	for _, l := range []struct {
		title string
		lines []string
	}{{"Higher costs", hurt}, {"Without a result in the second report", codes(c.Lost)}, {"Only in the second report", codes(c.Gained)}} {
		if len(l.lines) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s:\n\n%s", l.title, strings.Join(l.lines[:min(len(l.lines), maxHurt)], ""))
		if n := len(l.lines) - maxHurt; n > 0 {
			fmt.Fprintf(&b, "* and %d more\n", n)
		}
	}
	return b.Bytes()
}

// group is the time on several GPUs.
type group struct {
	name         string
	programs     int
	ratios       []float64
	helped, hurt map[string]bool
}

func (g *group) add(m *Measure) {
	if g.helped == nil {
		g.helped, g.hurt = map[string]bool{}, map[string]bool{}
	}
	g.programs = max(g.programs, m.Programs)
	g.ratios = append(g.ratios, m.GeometricMean)
	for _, p := range m.Helped.Programs {
		g.helped[p.Program] = true
	}
	for _, p := range m.Hurt.Programs {
		g.hurt[p.Program] = true
	}
}

// both counts the common elements of two sets.
func both(a, b map[string]bool) (n int) {
	for x := range a {
		if b[x] {
			n++
		}
	}
	return n
}

// ratio returns after/before, or 1 if before is 0.
func ratio(c Change) float64 {
	if c.Before == 0 {
		return 1
	}
	return c.After / c.Before
}

// percent returns a ratio as a change in percent.
func percent(ratio float64) string {
	if text := fmt.Sprintf("%+.1f %%", 100*(ratio-1)); text != "-0.0 %" && text != "+0.0 %" {
		return text
	}
	return "0 %"
}

func amount(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }

// code returns a name as code in a line of Markdown.
func code(name string) string {
	return "`" + strings.NewReplacer("`", "'", "\n", " ").Replace(asm.Shown(name)) + "`"
}

func codes(names []string) (lines []string) {
	for _, n := range names {
		lines = append(lines, "* "+code(n)+"\n")
	}
	return lines
}
