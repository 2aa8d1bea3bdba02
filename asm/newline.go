package asm

import "strings"

// NewlineStyle returns the end of the first line of s, "\n" or "\r\n", or "" if s has one line.
// Printers use the source's style for the lines that they add.
func NewlineStyle(s string) string {
	switch i := strings.IndexByte(s, '\n'); {
	case i < 0:
		return ""
	case i > 0 && s[i-1] == '\r':
		return "\r\n"
	}
	return "\n"
}
