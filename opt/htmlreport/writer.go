package htmlreport

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// markup is HTML or SVG text; put escapes all other text.
type markup string

// writer generates a page with functions that call each other like its parts are nested. A template
// would look up values by name, so that linkers keep every method: a seventh of the library in
// browsers.
type writer struct{ bytes.Buffer }

// writef writes HTML with fmt's formatting. It escapes all arguments except numbers and markup, so
// that they may be text or attributes, and shortens paths.
func (w *writer) writef(format string, args ...any) {
	for i, a := range args {
		switch a.(type) {
		case markup, int, float64:
		default:
			args[i] = escaper.Replace(local(fmt.Sprint(a)))
		}
	}
	fmt.Fprintf(w, format, args...)
}

// escaper escapes text as html.EscapeString does. Package html would add its table of 2,231 names to the playground.
var escaper = strings.NewReplacer("&", "&amp;", "'", "&#39;", "<", "&lt;", ">", "&gt;", `"`, "&#34;")

// textIf returns text if condition holds.
func textIf(condition bool, text markup) markup {
	if condition {
		return text
	}
	return ""
}

// folders matches the folders of an absolute path at the start of a text or of a word.
var folders = regexp.MustCompile(`^` + root + `(?:[^/\\:\s][^/\\:\n]*[/\\]+)+|([\s(])` + root + `(?:[^/\\:\s]+[/\\]+)+`)

const root = `(?:/|[A-Za-z]:[/\\]+|\\\\)`

// local removes the folders from absolute paths, because readers of a page have other folders.
func local(text string) string { return folders.ReplaceAllString(text, "$1") }
