package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/shaderlift/shaderlift"
	"golang.org/x/term"
)

// terminal holds the features of the terminal that shows the report.
type terminal struct {
	live   bool // show the progress of a batch on a line that is overwritten
	colour bool
}

// terminalOf returns the features of w, considering the environment: https://no-color.org defines
// NO_COLOR, and a dumb terminal only supports lines.
func terminalOf(w io.Writer) terminal {
	if os.Getenv("TERM") == "dumb" || !isTerminal(w) {
		return terminal{}
	}
	return terminal{live: true, colour: os.Getenv("NO_COLOR") == ""}
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	if s, ok := w.(*stream); ok {
		w = s.Writer
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Control sequences of ECMA-48: return to the beginning of the line and erase it, and colours.
const (
	clearLine = "\r\x1b[K"
	green     = "\x1b[32m"
	red       = "\x1b[31m"
	faint     = "\x1b[2m"
	plain     = "\x1b[m"
)

// status returns the word for an input's status, coloured if possible.
func (t *terminal) status(s shaderlift.Status) string {
	if !t.colour {
		return s.String()
	}
	colour := map[shaderlift.Status]string{shaderlift.Improved: green, shaderlift.Changed: green, shaderlift.Failed: red,
		shaderlift.Unchanged: faint}[s]
	return colour + s.String() + plain
}

// progressText returns the progress of a batch, and an estimate of the remaining time at the current rate.
func (h *human) progressText(spent time.Duration) string {
	done := h.totals.Inputs
	text := fmt.Sprintf("%d done", done)
	if h.all > 0 {
		text = fmt.Sprintf("%d of %d done (%d %%)", done, h.all, 100*done/h.all)
	}
	text += fmt.Sprintf(", %d improved, %d failed", h.totals.Improved, h.totals.Failed)
	if left := h.all - done; left > 0 && done > 0 {
		text += fmt.Sprintf("; %v left", (spent / time.Duration(done) * time.Duration(left)).Round(time.Second))
	}
	return text
}
