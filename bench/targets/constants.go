package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/machine/draw"
)

// writeConstants writes the table of targets and, for each unit, a table of constants with a column
// for each target.
func writeConstants(w io.Writer) {
	var units []string
	families := map[string][]*draw.Target{}
	for _, t := range draw.Targets() {
		programs, outputs, rates := t.Sources()
		fmt.Fprintf(w, "| `%s` | %s | %s | %s | %s |\n", t.Name, t.Doc, programs, outputs, rates)
		if families[t.Unit()] == nil {
			units = append(units, t.Unit())
		}
		families[t.Unit()] = append(families[t.Unit()], t)
	}
	for _, unit := range units {
		fmt.Fprintf(w, "\nUnit: %s.\n", unit)
		writeFamily(w, families[unit])
	}
}

// writeFamily writes the table of targets that count in one unit.
func writeFamily(w io.Writer, targets []*draw.Target) {
	var header, rows []string
	cells := map[string][]string{}
	for i, t := range targets {
		header = append(header, "`"+t.Name+"`")
		for _, c := range t.Constants() {
			if cells[c.Name] == nil {
				rows, cells[c.Name] = append(rows, c.Name), slices.Repeat([]string{""}, len(targets))
			}
			cells[c.Name][i] = figures(c.Values)
		}
	}
	fmt.Fprintf(w, "\n| constant | %s |\n|---|%s\n", strings.Join(header, " | "), strings.Repeat("---:|", len(targets)))
	for _, name := range rows {
		fmt.Fprintf(w, "| %s | %s |\n", name, strings.Join(cells[name], " | "))
	}
}
