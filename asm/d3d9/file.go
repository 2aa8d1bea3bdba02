package d3d9

import (
	"encoding/binary"
	"strings"
)

// IsBytecode reports whether data begins with the version token of a vertex or pixel program. (A
// compiled effect begins with 0xFEFF0901, which is not a version token.)
func IsBytecode(data []byte) bool {
	if len(data) < 4 {
		return false
	}
	_, ok := modelOf(binary.LittleEndian.Uint32(data))
	return ok
}

// IsText reports whether data looks like assembly text: a version line that only blanks, comments
// and directives precede. It does not execute the directives.
func IsText(data []byte) bool {
	_, ok := textModel(data)
	return ok
}

func textModel(data []byte) (Model, bool) {
	lx := lexer{source: newSource("", strings.TrimPrefix(string(data), bom)), diags: &diagList{}}
	for lx.skipBlank(); lx.fresh && lx.pos < len(lx.src) && lx.src[lx.pos] == '#'; lx.skipBlank() {
		lx.logicalLine()
	}
	m, _, ok := scanVersion(lx.src[lx.pos:])
	return m, ok
}

// PeekModel returns the shader model of a program, bytecode or text, without reading the rest. It returns false for
// other data.
func PeekModel(data []byte) (Model, bool) {
	if IsBytecode(data) {
		return modelOf(binary.LittleEndian.Uint32(data))
	}
	return textModel(data)
}

// Extent returns the number of words of the program at the beginning of words, with its end token. It returns false if
// there is none.
func Extent(words []uint32) (int, bool) {
	d := decoder{words: words}
	if len(words) == 0 {
		return 0, false
	}
	var ok bool
	if d.model, ok = modelOf(words[0]); !ok {
		return 0, false
	}
	for at := 1; at < len(words); {
		if words[at] == endToken {
			return at + 1, true
		}
		n, diag := d.extent(at)
		if diag != nil {
			return 0, false
		}
		at += n
	}
	return 0, false
}

// Read reads a program as bytecode or text, depending on its first bytes. Data that is neither gets
// the diagnostics of a text.
func Read(file string, data []byte) (*Program, error) { return ReadWith(file, data, nil) }

// ReadWith works like Read and uses open to read included files.
func ReadWith(file string, data []byte, open Opener) (*Program, error) {
	if IsBytecode(data) {
		return Decode(file, data)
	}
	return parseWith(file, data, open)
}

// Write writes p in the form it was read in.
func Write(p *Program) ([]byte, error) {
	if p.Binary {
		return Encode(p)
	}
	return Print(p), nil
}
