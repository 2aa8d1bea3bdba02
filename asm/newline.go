package asm

import "strings"

// NewlineStyle is how the first line of s ends, "\n" or "\r\n", or "" if s is of one
// line. Printers follow the source's style in what they add to it.
func NewlineStyle(s string) string {
	switch i := strings.IndexByte(s, '\n'); {
	case i < 0:
		return ""
	case i > 0 && s[i-1] == '\r':
		return "\r\n"
	}
	return "\n"
}
