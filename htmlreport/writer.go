package htmlreport

import (
	"bytes"
	"fmt"
	"html"
)

// markup is text that is HTML or SVG; all other text is escaped where it is written.
type markup string

// writer makes a page by functions that call each other as its parts are nested. A template
// would find what it shows by name, so that linkers keep every method there is: a seventh of
// the library in browsers.
type writer struct{ bytes.Buffer }

// put writes what fmt makes of a piece of HTML as the format. Numbers and markup go in as they
// are, all else as text, which may stand between tags and in attributes.
func (w *writer) put(format string, args ...any) {
	for i, a := range args {
		switch a.(type) {
		case markup, int, float64:
		default:
			args[i] = html.EscapeString(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(w, format, args...)
}

// when is what is written where a condition holds.
func when(condition bool, text markup) markup {
	if condition {
		return text
	}
	return ""
}
