package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/shaderlift/shaderlift"
	"golang.org/x/term"
)

// terminal is what may be done to the one that the report goes to, if that is one.
type terminal struct {
	live   bool // show how far a batch is, in a line that is written over
	colour bool
}

// terminalOf asks the environment, too: https://no-color.org says what NO_COLOR means, and a
// terminal that calls itself dumb has lines alone.
func terminalOf(w io.Writer) terminal {
	if s, ok := w.(*stream); ok {
		w = s.Writer
	}
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return terminal{}
	}
	return terminal{live: true, colour: os.Getenv("NO_COLOR") == ""}
}

// Sequences of ECMA-48: back to the beginning of the line and erase it, and colours.
const (
	clearLine = "\r\x1b[K"
	green     = "\x1b[32m"
	red       = "\x1b[31m"
	faint     = "\x1b[2m"
	plain     = "\x1b[m"
)

// status is the word for what became of an input.
func (t *terminal) status(s shaderlift.Status) string {
	if !t.colour {
		return s.String()
	}
	colour := map[shaderlift.Status]string{shaderlift.Improved: green, shaderlift.Changed: green, shaderlift.Failed: red, shaderlift.Unchanged: faint}[s]
	return colour + s.String() + plain
}

// far is how far a batch is that has been worked on for so long, and how long it may still
// take if the rest is like what is done.
func (h *human) far(spent time.Duration) string {
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
