package asm

import "strings"

// NewlineStyle returns the line ending of the first line of a source, "\n" or "\r\n", or "\n" if the source has no line
// ending. The source is head, then lead(i) for each of n statements, then tail. Printers use this style for the lines that
// they add.
func NewlineStyle(head string, n int, lead func(i int) string, tail string) string {
	part := head
	for i := 0; ; i++ {
		switch k := strings.IndexByte(part, '\n'); {
		case k > 0 && part[k-1] == '\r':
			return "\r\n"
		case k >= 0 || i > n:
			return "\n"
		case i < n:
			part = lead(i)
		default:
			part = tail
		}
	}
}
