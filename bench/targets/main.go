package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/bench/internal/root"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: targets COUNTS")
		os.Exit(1)
	}
	w := bufio.NewWriter(os.Stdout)
	err := root.Enter()
	if err == nil {
		err = write(w, os.Args[1])
	}
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "targets:", err)
		os.Exit(1)
	}
}

//go:embed page.txt
var page string

// write writes the page with the tables of constants and of comparisons in place of their marks.
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
	var constants, comparison strings.Builder
	writeConstants(&constants)
	for _, j := range judges {
		if list := changes[key{j.name, "pixel"}]; len(list) > 1 {
			fmt.Fprintf(&comparison, "| %s, %s | `%s` | %s |\n", j.name, j.counts, j.target, summary(list))
		}
	}
	_, err = strings.NewReplacer("{constants}\n", constants.String(), "{comparison}\n",
		comparison.String()).WriteString(w, page)
	return err
}

// figures returns a cell of the table of constants. It shortens a long list to its range.
func figures(list []float64) string {
	if len(list) > 4 {
		return figures([]float64{slices.Min(list)}) + " to " + figures([]float64{slices.Max(list)})
	}
	var texts []string
	for _, x := range list {
		texts = append(texts, strconv.FormatFloat(x, 'g', -1, 64))
	}
	return strings.Join(texts, ", ")
}
