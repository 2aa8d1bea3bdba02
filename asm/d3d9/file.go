package d3d9

import (
	"encoding/binary"
	"strings"
)

// IsBytecode reports whether data begins with the version token of a vertex or
// pixel program. (A compiled effect begins with 0xFEFF0901, which is none.)
func IsBytecode(data []byte) bool {
	if len(data) < 4 {
		return false
	}
	_, ok := modelOf(binary.LittleEndian.Uint32(data))
	return ok
}

// IsText reports whether data looks like assembly text: a version line after
// nothing but blanks, comments and directives, which are not carried out.
func IsText(data []byte) bool {
	lx := lexer{source: newSource("", strings.TrimPrefix(string(data), bom)), diags: &diagList{}}
	for lx.skipBlank(); lx.fresh && lx.pos < len(lx.src) && lx.src[lx.pos] == '#'; lx.skipBlank() {
		lx.logicalLine()
	}
	_, _, ok := scanVersion(lx.src[lx.pos:])
	return ok
}

// Read reads a program in either form, told apart by content. Data that is
// neither gets the diagnostics of a text.
func Read(file string, data []byte) (*Program, error) { return ReadWith(file, data, nil) }

// ReadWith is Read with files that a text includes from open.
func ReadWith(file string, data []byte, open Opener) (*Program, error) {
	if IsBytecode(data) {
		return Decode(file, data)
	}
	return ParseWith(file, data, open)
}

// Write writes p in the form it was read in.
func Write(p *Program) ([]byte, error) {
	if p.Binary {
		return Encode(p)
	}
	return Print(p), nil
}
