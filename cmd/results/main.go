package main

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/shaderlift/shaderlift/machine/sim"
)

// garbage is how much may lie about before it is collected, in percent of what is in use: inputs
// are small.
const garbage = 400

// simulated are the times of all launches, none of which runs twice: every pipeline begins with the same kernels,
// and many end with them.
var simulated sim.Memo

func main() {
	debug.SetGCPercent(garbage)
	steps := flag.Int("steps", 1_500_000, "steps of a launch to simulate; the rest is extrapolated")
	corpus := flag.String("corpus", "../shared/corpus", "a `directory` with kernels in il; if empty, what needs them is left out")
	only := flag.String("only", "", "write these `SECTIONS` alone, separated by commas: "+strings.Join(names(), ", "))
	plots := flag.String("plots", "docs/results", "write plots into this `directory`, which the document names as one beside it")
	flag.Parse()
	w := bufio.NewWriter(os.Stdout)
	if err := write(w, *steps, *corpus, *plots, *only); err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(1)
	}
	w.Flush()
}

// section is a part of the document. Sections do not depend on each other and are written several
// at a time.
type section struct {
	name   string
	corpus bool // it needs the kernels and pairs that others wrote
	write  func(d *document) error
}

// sections are the parts of the document, in order.
var sections = []section{
	{"intro", false, intro},
	{"tutorial-counts", false, counts},
	{"constants", false, packing},
	{"jang-counts", false, jangShape},
	{"wavefronts", false, wavefronts},
	{"tutorial-cache", false, cache},
	{"tutorial-passes", false, tutorialByPasses},
	{"jang-time", false, ranking},
	{"jang-passes", false, jangByPasses},
	{"jang-projection", false, jangProjection},
	{"volkov", false, volkov},
	{"saturation", false, saturation},
	{"daga", false, combinations},
	{"ikeda", false, codeMotion},
	{"model", false, assumptions},
	{"corpus-kernels", true, sweeps},
	{"corpus-pairs", true, pairs},
}

// names lists the sections.
func names() (list []string) {
	for _, s := range sections {
		list = append(list, s.name)
	}
	return list
}

// write writes the sections that only names, all there can be if it is empty.
func write(w io.Writer, steps int, corpus, plots, only string) error {
	var wanted []string
	if only != "" {
		wanted = strings.Split(only, ",")
	}
	for _, name := range wanted {
		switch i := slices.Index(names(), name); {
		case i < 0:
			return fmt.Errorf("there is no section %q: there are %s", name, strings.Join(names(), ", "))
		case sections[i].corpus && corpus == "":
			return fmt.Errorf("section %q needs the corpus", name)
		}
	}
	// Each section writes into a buffer of its own; they are put together in order.
	texts, errs := make([]bytes.Buffer, len(sections)), make([]error, len(sections))
	each(len(sections), func(i int) {
		s := &sections[i]
		if s.corpus && corpus == "" || wanted != nil && !slices.Contains(wanted, s.name) {
			return
		}
		errs[i] = s.write(&document{w: &texts[i], steps: steps, corpus: corpus, plots: plots, kernels: map[string]*compiled{}, made: map[rewriting]*made{}})
	})
	for i := range texts {
		if _, err := texts[i].WriteTo(w); errs[i] != nil || err != nil {
			return cmp.Or(errs[i], err)
		}
	}
	return nil
}

// each does f of all numbers below n, several at a time.
func each(n int, f func(i int)) {
	var wait sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range next {
				f(i)
			}
		}()
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
}

// document is one section while it is being written.
type document struct {
	w       io.Writer
	steps   int
	corpus  string
	plots   string               // where they are written
	kernels map[string]*compiled // for the default target
	made    map[rewriting]*made
}

// text writes a paragraph, or the beginning of one.
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

// number spells n for a table.
func number(n int) string { return fmt.Sprint(n) }

// beside puts ours beside what was published, with the difference in per cent.
func beside(ours, published int) string {
	return fmt.Sprintf("%d / %d (%+.1f %%)", ours, published, 100*off(ours, published))
}
