package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	steps := flag.Int("steps", 1_500_000, "steps of a launch to simulate; the rest is extrapolated")
	corpus := flag.String("corpus", "../shared/corpus", "a `directory` with kernels in il; if empty, what needs them is left out")
	flag.Parse()
	w := bufio.NewWriter(os.Stdout)
	if err := write(w, *steps, *corpus); err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(1)
	}
	w.Flush()
}

// sections are the parts of the document, in order, and corpusSections those that follow
// where there is a corpus.
var (
	sections       = []func(d *document) error{intro, counts, packing, jangShape, wavefronts, cache, tutorialByPasses, ranking, jangByPasses, volkov, codeMotion, assumptions}
	corpusSections = []func(d *document) error{sweeps, pairs}
)

func write(w io.Writer, steps int, corpus string) error {
	d := &document{w: w, steps: steps, corpus: corpus, kernels: map[string]*compiled{}}
	list := sections
	if corpus != "" {
		list = slices.Concat(sections, corpusSections)
	}
	for _, section := range list {
		if err := section(d); err != nil {
			return err
		}
	}
	return nil
}

// document is what is being written.
type document struct {
	w       io.Writer
	steps   int
	corpus  string
	kernels map[string]*compiled // for the default target
}

func (d *document) text(format string, args ...any) { fmt.Fprintf(d.w, format+"\n", args...) }

// kernel compiles a kernel for rv670, the chip of the published figures, once.
func (d *document) kernel(name string) (*compiled, error) {
	if c := d.kernels[name]; c != nil {
		return c, nil
	}
	c, err := compile(name, "rv670")
	d.kernels[name] = c
	return c, err
}

// table writes rows under a head.
func (d *document) table(head string, rows [][]string) {
	n := strings.Count(head, "|") + 1
	d.text("| %s |", head)
	d.text("|%s", strings.Repeat("---|", n))
	for _, r := range rows {
		d.text("| %s |", strings.Join(r, " | "))
	}
	d.text("")
}

func number(n int) string { return fmt.Sprint(n) }

// beside puts ours beside what was published, with the difference in per cent.
func beside(ours, published int) string {
	return fmt.Sprintf("%d / %d (%+.1f %%)", ours, published, 100*off(ours, published))
}
