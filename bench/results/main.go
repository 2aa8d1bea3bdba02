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

	"github.com/shaderlift/shaderlift/bench/internal/root"
)

// garbage is the percentage of live memory that may be allocated between collections: inputs are
// small.
const garbage = 400

func main() {
	debug.SetGCPercent(garbage)
	steps := flag.Int("steps", 1_500_000, "simulate this many `steps` of a launch and extrapolate the rest")
	corpus := flag.String("corpus", "../shared/corpus",
		"read kernels and pairs from this `directory`; if empty, omit the sections that need them")
	only := flag.String("only", "", "write only these `sections`, separated by commas: "+strings.Join(names(), ", "))
	plots := flag.String("plots", "docs/results",
		"write plots into this `directory`; the document links to them by its last element")
	flag.Parse()
	w := bufio.NewWriter(os.Stdout)
	err := root.Enter()
	if err == nil {
		err = write(w, *steps, *corpus, *plots, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(1)
	}
	w.Flush()
}

// section is a part of the document. Sections are independent and written concurrently.
type section struct {
	name   string
	corpus bool // it needs the corpus of kernels and pairs
	write  func(d *document) error
}

// sections are the parts of the document, in order.
var sections = []section{
	{"intro", false, intro},
	{"differences", false, nil}, // after the others, which enter its rows
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

// names returns the names of the sections.
func names() (list []string) {
	for _, s := range sections {
		list = append(list, s.name)
	}
	return list
}

// write writes the sections listed in only, or all available sections if it is empty.
func write(w io.Writer, steps int, corpus, plots, only string) error {
	var wanted []string
	if only != "" {
		wanted = strings.Split(only, ",")
	}
	for _, name := range wanted {
		switch i := slices.Index(names(), name); {
		case i < 0:
			return fmt.Errorf("unknown section %q; the sections are %s", name, strings.Join(names(), ", "))
		case sections[i].corpus && corpus == "":
			return fmt.Errorf("section %q needs the corpus; set -corpus", name)
		}
	}
	// Each section writes into its own buffer; they are joined in order.
	texts, errs := make([]bytes.Buffer, len(sections)), make([]error, len(sections))
	compared := comparisons{cells: map[string][]string{}}
	isWanted := func(name string) bool { return wanted == nil || slices.Contains(wanted, name) }
	each(len(sections), func(i int) {
		s := &sections[i]
		if s.write == nil || s.corpus && corpus == "" || !isWanted(s.name) {
			return
		}
		errs[i] = s.write(&document{w: &texts[i], steps: steps, corpus: corpus, plots: plots,
			kernels: map[string]*compiled{}, made: map[rewriting]*made{}, compared: &compared})
	})
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	if i := slices.Index(names(), "differences"); isWanted(sections[i].name) {
		errs[i] = differences(&document{w: &texts[i], compared: &compared}, wanted == nil)
	}
	for i := range texts {
		if _, err := texts[i].WriteTo(w); errs[i] != nil || err != nil {
			return cmp.Or(errs[i], err)
		}
	}
	return nil
}

// each calls f concurrently with all numbers below n.
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

// document is one section during writing.
type document struct {
	w       io.Writer
	steps   int
	corpus  string
	plots   string               // their output folder
	kernels map[string]*compiled // for the default target
	made    map[rewriting]*made
	// compared collects figures for the table of differences.
	compared *comparisons
}

// text writes a paragraph, or the beginning of one.
func (d *document) text(format string, args ...any) { fmt.Fprintf(d.w, format+"\n", args...) }

// kernel compiles a kernel for rv670, the chip of the published figures, and memoizes it.
func (d *document) kernel(name string) (*compiled, error) {
	if c := d.kernels[name]; c != nil {
		return c, nil
	}
	c, err := compile(name, "rv670")
	d.kernels[name] = c
	return c, err
}

// table writes rows below a header.
func (d *document) table(head string, rows [][]string) {
	n := strings.Count(head, "|") + 1
	d.text("| %s |", head)
	d.text("|%s", strings.Repeat("---|", n))
	for _, r := range rows {
		d.text("| %s |", strings.Join(r, " | "))
	}
	d.text("")
}

// number returns n as text for a table.
func number(n int) string { return fmt.Sprint(n) }

// beside formats our figure, the published one, and the difference in per cent.
func beside(ours, published int) string {
	return fmt.Sprintf("%d / %d (%+.1f %%)", ours, published, 100*off(ours, published))
}
