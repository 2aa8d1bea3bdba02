package asm

import "testing"

func TestTextEnd(t *testing.T) {
	for s, want := range map[string]int{
		"":                        0,
		"a\r\n":                   3,
		"a\n\x1a":                 2,
		"a\x00":                   1,
		"a \n\x1a\r\n\x00\x1a \n": 3,
		"a\x1ab\n":                4, // not a terminator
		"\x00b\x00":               2,
		"\x1a":                    0,
	} {
		if got := TextEnd(s); got != want {
			t.Errorf("the text of %q ends at %d, want %d", s, got, want)
		}
	}
}
