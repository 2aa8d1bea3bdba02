package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	steps := flag.Int("steps", 1_500_000, "steps of a launch to simulate; the rest is extrapolated")
	flag.Parse()
	w := bufio.NewWriter(os.Stdout)
	if err := write(w, *steps); err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(1)
	}
	w.Flush()
}

// sections are the parts of the document, in order.
var sections = []func(d *document) error{intro, counts, packing, jangShape, wavefronts, cache, ranking, assumptions}

func write(w io.Writer, steps int) error {
	d := &document{w: w, steps: steps, kernels: map[string]*compiled{}}
	for _, section := range sections {
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
