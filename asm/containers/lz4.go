package containers

import (
	"encoding/binary"
	"errors"
)

var errLZ4 = errors.New("xnb: a damaged LZ4 block")

// minMatch is the length of the shortest match of an LZ4 block.
const minMatch = 4

// unpackLZ4 returns the size bytes that an LZ4 block holds (LZ4 Block Format Description). A block
// is a series of sequences: a byte with two lengths of four bits, literal bytes, and the distance
// and length of a match. The last sequence has only literals.
func unpackLZ4(block []byte, size int) ([]byte, error) {
	out := make([]byte, 0, min(size, 256*len(block)+16)) // a byte of a block expands to at most 255
	for len(block) > 0 {
		token := block[0]
		literals, rest, err := lengthLZ4(int(token>>4), block[1:])
		if err != nil || literals > len(rest) || literals > size-len(out) {
			return nil, errLZ4
		}
		out = append(out, rest[:literals]...)
		if block = rest[literals:]; len(block) == 0 {
			break
		}
		if len(block) < 2 {
			return nil, errLZ4
		}
		distance := int(binary.LittleEndian.Uint16(block))
		if distance == 0 || distance > len(out) {
			return nil, errLZ4
		}
		var length int
		if length, block, err = lengthLZ4(int(token&15), block[2:]); err != nil || length+minMatch > size-len(out) {
			return nil, errLZ4
		}
		for length += minMatch; length > 0; {
			part := out[len(out)-distance:]
			part = part[:min(length, len(part))] // a match may run into the bytes that it writes
			out = append(out, part...)
			length -= len(part)
		}
	}
	if len(out) != size {
		return nil, errLZ4
	}
	return out, nil
}

// lengthLZ4 returns a length that begins with four bits of a token, and the bytes after it. 15
// means that the following bytes are added, up to the first below 255. Lengths over maxBody are
// errors.
func lengthLZ4(n int, data []byte) (int, []byte, error) {
	if n < 15 {
		return n, data, nil
	}
	for i, b := range data {
		if n += int(b); n > maxBody {
			break
		}
		if b < 255 {
			return n, data[i+1:], nil
		}
	}
	return 0, nil, errLZ4
}
