package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt/wording"
)

// Widths of a row: of all of it, and of a name at most.
const (
	rowWidth  = 100
	nameWidth = 36
)

// align sets the width of the names of a batch, and finds names that several inputs have.
func (h *human) align(jobs []job) {
	names := make([]string, len(jobs))
	seen := map[string]bool{}
	h.repeated = map[string]bool{}
	for i := range jobs {
		in := shaderlift.Input{Name: jobs[i].name}
		for _, p := range jobs[i].paths {
			in.Files = append(in.Files, shaderlift.File{Name: p})
		}
		names[i] = in.DisplayName()
		h.repeated[names[i]], seen[names[i]] = seen[names[i]], true
	}
	for i, name := range names {
		h.names = min(nameWidth, max(h.names, utf8.RuneCountInString(h.label(name, jobs[i].input))))
	}
}

// label returns the name of an input in a batch: its path if another input has the same name.
func (h *human) label(name, path string) string {
	if h.repeated[name] && path != "" {
		name = path
	}
	return asm.Shown(name)
}

// row returns the line of an input of a batch in columns: name, status, costs, gain. It shortens the gain, and names
// in the middle, to fit in rowWidth.
func (h *human) row(r *shaderlift.Result) string {
	name := []rune(h.label(r.Name, r.Input))
	if n := len(name) - h.names; n > 0 {
		name = append(append(name[:h.names/2:h.names/2], '…'), name[h.names/2+n+1:]...)
	}
	line := fmt.Sprintf("%-*s  %s%*s", h.names, string(name), h.status(r.Status), 11-len(r.Status.String()), "")
	used := h.names + 13
	var t shaderlift.Totals
	t.Add(r)
	type column struct {
		name  string
		sum   *shaderlift.Change
		width int
	}
	columns := []column{{"ps ", t.PixelSlots, 16}, {"vs ", t.VertexSlots, 14}}
	switch {
	case t.Cycles != nil:
		columns = []column{{"cycles ", t.Cycles, 28}, {"groups ", t.ALU, 20}}
	case t.Instructions != nil:
		columns = []column{{"components ", t.Components, 20}, {"instructions ", t.Instructions, 26}}
	case t.PixelSlots == nil && t.VertexSlots == nil:
		columns = nil
	}
	for _, c := range columns {
		text := ""
		if c.sum != nil {
			text = c.name + wording.Change(c.sum.Before, c.sum.After)
		}
		line += fmt.Sprintf("%-*s ", c.width-1, text)
		used += max(c.width, len(text)+1)
	}
	if r.Status == shaderlift.Improved || r.Status == shaderlift.Changed {
		for _, text := range wording.Gains(r) {
			if used+len(text) <= rowWidth {
				line += text
				break
			}
		}
	}
	return strings.TrimRight(line, " ")
}
