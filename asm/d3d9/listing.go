package d3d9

import (
	"fmt"
	"strings"
)

// appendTable appends the constant table in a comment block as ordinary comments, like Microsoft's
// disassembler. It appends nothing for other blocks.
//
//	// Registers:
//	//
//	//   Name     Reg   Size
//	//   -------- ----- ----
//	//   worldVP  c0       4
func appendTable(b []byte, in *Inst, newline string) []byte {
	if !in.IsConstantTable() {
		return b
	}
	t, ok := ReadConstantTable(in.Comment[1:])
	if !ok || len(t.Constants) == 0 {
		return b
	}
	width := len("Name")
	for i := range t.Constants {
		width = max(width, len(t.Constants[i].Name))
	}
	line := func(name, reg, size string) {
		b = fmt.Appendf(b, "//   %-*s %-5s %4s%s", width, name, reg, size, newline)
	}
	b = fmt.Appendf(b, "// Registers:%s//%s", newline, newline)
	line("Name", "Reg", "Size")
	line(strings.Repeat("-", width), "-----", "----")
	for i := range t.Constants {
		c := &t.Constants[i]
		line(printable(c.Name), Reg{c.Set.File(), uint16(c.Index)}.String(), fmt.Sprint(c.Count))
	}
	return fmt.Appendf(b, "//%s", newline)
}

// printable replaces characters of a name that would end the comment or are not printable, such as
// a newline.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}
