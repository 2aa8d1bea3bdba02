package containers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Element types of arrays, by their size in bytes.
const (
	byteTypes = `BYTE|unsigned\s+char|(?:std::)?uint8_t|uint8|Uint8|u8|byte`
	wordTypes = `DWORD|unsigned(?:\s+(?:int|long))?|(?:std::)?uint32_t|uint32|Uint32|u32|ULONG|UINT`
)

// arrayHead matches the beginning of an array up to its brace: types, name, size.
var (
	arrayHead = regexp.MustCompile(`\b(?:(` + byteTypes + `)|(` + wordTypes + `))\s+(?:const\s+)?(\w+)\s*\[\s*(\w*)\s*\]\s*=\s*\{`)
	directive = regexp.MustCompile(`(?m)^[ \t]*#`)
	number    = regexp.MustCompile(`\w+`)
	capitals  = regexp.MustCompile(`0[xX]\w*[A-F]`)
)

// plain has the characters of plain numbers and between them.
const plain = " \t\r\n\f,0123456789abcdefABCDEFxXuUlL"

// array is an array of numbers that holds one or more programs, or a shader of bgfx.
type array struct {
	*source
	name     string
	from, to int // between the braces
	cells    [][]int
	width    int // bytes of an element
	bytes    []byte
	programs []*Program
	ends     []int // offset of the end of each program in bytes
}

// readArrays reads the arrays whose first element is a version token.
func (s *source) readArrays() {
	listing := 0
	for _, m := range arrayHead.FindAllSubmatchIndex(s.code, -1) {
		a := &array{source: s, name: string(s.code[m[6]:m[7]]), from: m[1], width: 1}
		if m[2] < 0 {
			a.width = 4
		}
		size := bytes.IndexFunc(s.code[a.from:], func(r rune) bool { return !strings.ContainsRune(plain, r) })
		if size < 0 || s.code[a.from+size] != '}' {
			continue
		}
		a.to = a.from + size
		const enough = 4 // numbers to recognize a program
		if !a.readNumbers(enough) || !a.readNumbers(-1) {
			continue
		}
		if directive.Match(s.data[a.from:a.to]) {
			s.note(s.position(a.from), "foreign-format", "array %s has directives between its numbers: preprocess the file first", a.name)
			continue
		}
		if !a.readPrograms() {
			continue
		}
		s.Form = "C source with arrays"
		if m[8] < m[9] {
			a.editSize(m[8], m[9])
		}
		// The listing of fxc precedes the array directly.
		for listing < len(s.off) && s.off[listing][1] < m[0] {
			listing++
		}
		if listing > 0 {
			const near = 1 << 10
			last := s.off[listing-1]
			if m[0]-last[1] < near && len(bytes.Fields(s.code[last[1]:m[0]])) <= 2 { // static const
				a.editListing(last)
			}
		}
		s.edits = append(s.edits, edit{a.from, a.to, a.programs[0], a.render})
	}
}

// readNumbers sets the bytes of the array, of the first numbers if most is not negative. It returns false for a number
// that does not fit into an element, and if the array does not begin like a shader.
func (a *array) readNumbers(most int) bool {
	a.cells, a.bytes = number.FindAllIndex(a.code[a.from:a.to], most), nil
	for _, m := range a.cells {
		n, err := strconv.ParseUint(strings.TrimRight(string(a.code[a.from+m[0]:a.from+m[1]]), "uUlL"), 0, 8*a.width)
		if err != nil {
			return false
		}
		if a.width == 1 {
			a.bytes = append(a.bytes, byte(n))
		} else {
			a.bytes = binary.LittleEndian.AppendUint32(a.bytes, uint32(n))
		}
	}
	return isBgfx(a.bytes) || bytes.HasPrefix(a.bytes, []byte("DXBC")) || d3d9.IsBytecode(a.bytes)
}

// readPrograms reads the programs of the array. It notes an array that holds something similar.
func (a *array) readPrograms() bool {
	pos := a.position(a.from)
	switch {
	case isBgfx(a.bytes):
		from, to, diag := bgfxProgram(a.file, a.bytes)
		if diag != nil {
			a.other = append(a.other, asm.Errorf(pos, diag.Code, "array %s: %s", a.name, diag.Msg))
			return false
		}
		a.programs, a.ends = []*Program{a.add(a.name, a.bytes[from:to:to], pos)}, []int{len(a.bytes)}
		return true
	case !d3d9.IsBytecode(a.bytes):
		a.note(pos, "foreign-format", "array %s is a shader of Direct3D 10 or later (DXBC): %s", a.name, recompile)
		return false
	}
	words := make([]uint32, len(a.bytes)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(a.bytes[4*i:])
	}
	for at := 0; 4*at < len(a.bytes); {
		n, ok := d3d9.Extent(words[at:])
		if !ok {
			a.note(pos, "truncated", "the program at element %d of array %s has no end token", 4*at/a.width, a.name)
			return false
		}
		a.ends = append(a.ends, 4*(at+n))
		at += n
	}
	for i, to := range a.ends {
		from, name := 0, a.name
		if i > 0 {
			from = a.ends[i-1]
		}
		if len(a.ends) > 1 {
			name = fmt.Sprintf("%s.%d", a.name, i)
		}
		a.programs = append(a.programs, a.add(name, a.bytes[from:to:to], a.position(a.from+a.cells[from/a.width][0])))
	}
	for _, p := range a.programs[1:] {
		// The edit of the whole array belongs to its first program, unless that is unchanged.
		a.edits = append(a.edits, edit{a.from, a.to, p, a.render})
	}
	return true
}

// content returns the bytes of the array with the current programs. In an array of several programs, code outside has
// offsets into it, so all programs keep their places: a comment fills the rest of a shorter one.
func (a *array) content() ([]byte, error) {
	if isBgfx(a.bytes) {
		from, to, _ := bgfxProgram(a.file, a.bytes)
		data := a.programs[0].Data
		out := binary.LittleEndian.AppendUint32(bytes.Clone(a.bytes[:from-4]), uint32(len(data)))
		return append(append(out, data...), a.bytes[to:]...), nil
	}
	if len(a.programs) == 1 {
		return a.programs[0].Data, nil
	}
	var out []byte
	for _, p := range a.programs {
		spare := (len(p.original) - len(p.Data)) / 4
		if spare < 0 || len(p.Data) < 8 {
			return nil, asm.Errorf(p.Pos, "no-room", "program %s has %d bytes, and its place in the array has %d",
				p.Names[0], len(p.Data), len(p.original))
		}
		out = append(out, p.Data[:4]...)
		if spare > 0 {
			const comment = 0xfffe
			out = binary.LittleEndian.AppendUint32(out, uint32(spare-1)<<16|comment)
			out = append(out, make([]byte, 4*(spare-1))...)
		}
		out = append(out, p.Data[4:]...)
	}
	return out, nil
}

// render writes the numbers of the array with the base, the width, and the numbers a line of the old ones.
func (a *array) render([]byte) ([]byte, error) {
	data, err := a.content()
	if err != nil {
		return nil, err
	}
	code := string(a.code[a.from:a.to])
	first := code[a.cells[0][0]:a.cells[0][1]]
	digits := strings.TrimRight(first, "uUlL")
	hex, width := len(digits) > 1 && digits[1]|0x20 == 'x', 0
	if !hex && strings.Contains(code, ",  ") {
		width = 3 * a.width // fxc aligns decimal bytes
	}
	gap := func(from, i int) string { // the text before a number, without its alignment
		text := trimLines(code[from:a.cells[i][0]])
		aligned := max(0, width-(a.cells[i][1]-a.cells[i][0]))
		return text[:max(len(text)-aligned, len(strings.TrimRight(text, " ")))]
	}
	between, lines, line, shortest := ", ", ", ", len(a.cells), len(first)
	for i := 1; i < len(a.cells); i++ {
		shortest = min(shortest, a.cells[i][1]-a.cells[i][0])
		if text := gap(a.cells[i-1][1], i); !strings.Contains(text, "\n") {
			between = text
		} else if line == len(a.cells) {
			lines, line = text, i
		}
	}
	format := fmt.Sprintf("%%%dd", width)
	if hex {
		format = fmt.Sprintf("%s%%0%dx", digits[:2], shortest-2-len(first)+len(digits))
		if capitals.MatchString(code) {
			format = format[:len(format)-1] + "X"
		}
	}
	out := []byte(gap(0, 0))
	for i := range len(data) / a.width {
		switch {
		case i > 0 && i%line == 0:
			out = append(out, lines...)
		case i > 0:
			out = append(out, between...)
		}
		value := uint32(data[i*a.width])
		if a.width == 4 {
			value = binary.LittleEndian.Uint32(data[4*i:])
		}
		out = fmt.Appendf(out, format+first[len(digits):], value)
	}
	return append(out, trimLines(code[a.cells[len(a.cells)-1][1]:])...), nil
}

// trimLines removes the blanks before the ends of lines, which comments leave.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines[:len(lines)-1] {
		end := ""
		if strings.HasSuffix(lines[i], "\r") {
			end = "\r"
		}
		lines[i] = strings.TrimRight(lines[i], " \t\r") + end
	}
	return strings.Join(lines, "\n")
}

// editSize keeps a size in brackets current.
func (a *array) editSize(from, to int) {
	was := string(a.code[from:to])
	if n, err := strconv.Atoi(was); err != nil || n != len(a.cells) {
		return
	}
	a.edits = append(a.edits, edit{from, to, a.programs[0], func([]byte) ([]byte, error) {
		data, err := a.content()
		return strconv.AppendInt(nil, int64(len(data)/a.width), 10), err
	}})
}

// editListing keeps the listing before an array current.
func (a *array) editListing(lines [2]int) {
	if len(a.programs) > 1 || !d3d9.IsText(a.data[lines[0]:lines[1]]) {
		return
	}
	a.edits = append(a.edits, edit{lines[0], lines[1], a.programs[0], func(data []byte) ([]byte, error) {
		p, err := d3d9.Decode(a.file, data)
		if err != nil {
			return nil, err
		}
		text := append(bytes.TrimRight(d3d9.Print(p), "\n"), '\n')
		if bytes.Contains(a.data[lines[0]:lines[1]], []byte("\r\n")) {
			text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		}
		return text, nil
	}})
}
