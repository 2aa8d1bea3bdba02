package asm

import "strings"

// TextEnd is where the text in s ends: before what closes it beyond its last line, which is ^Z
// from editors of CP/M and DOS, NULs from strings of C, and the blanks among these.
func TextEnd(s string) int {
	const closing = "\x1a\x00"
	end := len(strings.TrimRight(s, closing+" \t\r\n\v\f"))
	if n := strings.IndexAny(s[end:], closing); n >= 0 {
		return end + n
	}
	return len(s)
}
