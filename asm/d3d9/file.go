package d3d9

import "encoding/binary"

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
// nothing but blanks, comments and directives.
func IsText(data []byte) bool {
	var diags diagList
	p := parser{lexer: lexer{src: string(data), line: 1, fresh: true, diags: &diags}}
	return p.version()
}

// Read reads a program in either form, told apart by content. Data that is
// neither gets the diagnostics of a text.
func Read(file string, data []byte) (*Program, error) {
	if IsBytecode(data) {
		return Decode(file, data)
	}
	return Parse(file, data)
}

// Write writes p in the form it was read in.
func Write(p *Program) ([]byte, error) {
	if p.Binary {
		return Encode(p)
	}
	return Print(p), nil
}
