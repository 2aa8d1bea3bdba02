package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/machine/draw"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: targets COUNTS")
		os.Exit(1)
	}
	w := bufio.NewWriter(os.Stdout)
	err := write(w, os.Args[1])
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "targets:", err)
		os.Exit(1)
	}
}

func write(w io.Writer, counts string) error {
	f, err := os.Open(counts)
	if err != nil {
		return err
	}
	defer f.Close()
	changes, err := read(f, newPricer().price)
	if err != nil {
		return err
	}
	fmt.Fprint(w, `# Targets

Written by `+"`go run ./cmd/targets COUNTS`"+`; do not edit. COUNTS are what compilers count, in the form that the documentation of the
command states; here they are Mesa 25.0.7's, of the drivers r300, r600 and RADV (with ACO) without a GPU.

## What each counts

The time of a pixel is that of the part of the GPU that has most to do: arithmetic, functions (and what is beside the
arithmetic), textures, the output. What a vertex takes is divided by the pixels that it stands for. Copies, swizzles, signs,
literals, what nothing reads and what was computed before cost nothing anywhere.

| target | GPUs | unit |
|---|---|---|
`)
	for _, t := range draw.Targets() {
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", t.Name, t.Doc, t.Unit())
	}
	fmt.Fprint(w, "\n| target | constant | value | source |\n|---|---|---|---|\n")
	for _, t := range draw.Targets() {
		for _, c := range t.Constants() {
			fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", t.Name, c.Name, figures(c.Values), c.Source)
		}
	}
	fmt.Fprint(w, `
Measured: with Mesa 25.0.7's compilers, as slopes between small programs. From a vendor's document: with what follows from it.

## Beside compilers

Versions of pairs that differ from their originals: of the levels and targets, of single passes and of what was kept although
it costs more. Pixel programs that write several colours are left out for R420 to Cypress, of which Mesa's tool counts the
first colour's part alone. Both changes are shares of the original's figure. Spearman's rank correlation is 1 where both put changes in the same order; "figures" compares the figures of the originals in place of changes. Of versions that the model
finds no worse, so many get worse by the compiler.

Ranks of groups end well below 1, since how many there are hangs on the order of the program. On RV670 and Cypress (1204 and
1290 versions without flow control) the number of operations that Mesa itself packs ranks the groups that it makes of them
with 0.62 and 0.56. A scheduler after Mesa's, with registers, lanes and read ports, ranks them with 0.94 and 0.95 if it is given
Mesa's own operations, but only with 0.71 and 0.80 (of all 1466 and 1541 versions) what it makes itself of the same operations
when the first value is in another lane.
Prices are such a scheduler's, the mean for the first value in two lanes, or in all four where these differ.

Changes of less than 1 % are an operation or two, and what a compiler makes of that hangs on its order as much; RDNA 3 pairs
operations besides.

| compiler's target | target | stage | versions | rank of changes | of those over 1 % | of figures | found no worse | but worse |
|---|---|---|---:|---:|---:|---:|---:|---:|
`)
	for _, j := range judges {
		for _, stage := range []string{"pixel", "vertex"} {
			if list := changes[key{j.name, stage}]; len(list) > 1 {
				fmt.Fprintf(w, "| %s, %s | `%s` | %s | %s |\n", j.name, j.counts, j.target, stage, summary(list))
			}
		}
	}
	return nil
}

func figures(list []float64) string {
	var texts []string
	for _, x := range list {
		texts = append(texts, strconv.FormatFloat(x, 'g', -1, 64))
	}
	return strings.Join(texts, ", ")
}
