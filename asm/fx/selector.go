package fx

import (
	"bytes"
	"encoding/binary"
)

// selector splits the bytes of a Selection. These are the length of a name, the name of an array of
// shaders with its NUL, padded to a word, and the expression for the index of the element (see
// package preshader).
func selector(data []byte) (array string, expression []byte, ok bool) {
	if len(data) < 4 {
		return "", nil, false
	}
	n := binary.LittleEndian.Uint32(data)
	end := 4 + uint64(n) + uint64(-n&3)
	if end > uint64(len(data)) {
		return "", nil, false
	}
	name, _, ok := bytes.Cut(data[4:][:n], []byte{0})
	return string(name), data[end:], ok
}
