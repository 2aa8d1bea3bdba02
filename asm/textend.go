package asm

import "strings"

// TextEnd returns the offset at which the text in s ends. It leaves out terminators after the last
// line: ^Z from CP/M and DOS editors, NULs from C strings, and the blanks among these.
func TextEnd(s string) int {
	const closing = "\x1a\x00"
	end := len(strings.TrimRight(s, closing+" \t\r\n\v\f"))
	if n := strings.IndexAny(s[end:], closing); n >= 0 {
		return end + n
	}
	return len(s)
}
