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
	lx := lexer{source: newSource("", strings.TrimPrefix(string(data), bom)), diags: &diagList{}}
	for lx.skipBlank(); lx.fresh && lx.pos < len(lx.src) && lx.src[lx.pos] == '#'; lx.skipBlank() {
		lx.logicalLine()
	}
	_, _, ok := scanVersion(lx.src[lx.pos:])
	return ok
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
