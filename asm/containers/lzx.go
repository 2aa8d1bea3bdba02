package containers

import (
	"encoding/binary"
	"errors"
	"slices"
)

// lzxFrame is the number of bytes in each frame except the last.
const lzxFrame = 1 << 15

// The alphabets of the codes. A symbol of the main tree is a literal byte, or 256 + 8*slot +
// length. slot is the position slot of a match, and length its length minus 2, where 7 means that a
// symbol of the length tree follows. The pretree's 20 symbols encode the lengths of codes; the
// aligned tree has the lowest three bits of positions.
const (
	literals       = 256
	lengthHeaders  = 8 // lengths that a symbol of the main tree includes
	maxSlots       = 50
	mainSymbols    = literals + lengthHeaders*maxSlots
	lengthSymbols  = 249
	preSymbols     = 20
	alignedSymbols = 8

	lzxMinMatch = 2
	maxLength   = 16 // maximum length of a code
)

// The kinds of blocks, as their headers number them. A block may span several frames.
const (
	noBlock = iota
	verbatim
	aligned
	uncompressed
)

// errCorrupt is the error for data that no encoder produces.
var errCorrupt = errors.New("corrupt LZX data")

// footer is the number of bits after the slot of a position, and base is the lowest position of
// each slot. Slots 0 to 3 have one position each; then each two slots have twice as many as the two
// before.
var footer, base = func() (footer [maxSlots]uint, base [maxSlots]int) {
	for slot, at := 0, 0; slot < maxSlots; slot++ {
		if slot >= 4 {
			footer[slot] = min(uint(slot/2-1), 17)
		}
		base[slot] = at
		at += 1 << footer[slot]
	}
	return footer, base
}()

// lzxWindow is the size of the window as a power of two, 15 to 21.
type lzxWindow uint

// xnaWindow is the window of content files.
const xnaWindow lzxWindow = 16

// slots returns the number of position slots that cover the window.
func (w lzxWindow) slots() int {
	n := 0
	for n < maxSlots && base[n] < 1<<w {
		n++
	}
	return n
}

// lzxDecoder decompresses the frames of a stream, in order. Codes, recent positions and the current
// block persist across frames.
type lzxDecoder struct {
	// window size in bytes
	window int
	// symbols of the main tree
	symbols int
	bits    bitReader
	out     []byte // all output so far, from which matches are copied
	started bool
	// size of the stream in which call targets were translated, or 0
	calls int32

	kind int
	// bytes of the block not yet read
	left int
	// the last three positions of matches, the latest first
	recent  [3]int
	main    tree
	lengths tree
	aligned tree

	// The code lengths of the last block; the next block encodes differences to them.
	mainLengths   [mainSymbols]uint8
	lengthLengths [lengthSymbols]uint8
}

// newLZX returns a decoder for a new stream.
func newLZX(w lzxWindow) *lzxDecoder {
	return &lzxDecoder{window: 1 << w, symbols: literals + lengthHeaders*w.slots()}
}

// Frame decompresses a frame of the given size. After an error the decoder is unusable.
func (d *lzxDecoder) Frame(data []byte, size int) ([]byte, error) {
	start := len(d.out)
	if err := d.frame(data, size); err != nil {
		return nil, err
	}
	out := slices.Clone(d.out[start:])
	if d.calls != 0 {
		translate(out, start, d.calls)
		// Only in the result: matches copy from untranslated bytes.
	}
	return out, nil
}

// translate reverses the translation of x86 call targets (the byte 0xe8 and four bytes). Encoders
// make them absolute so that more of them are equal. Every byte 0xe8 counts as a call.
func translate(frame []byte, start int, size int32) {
	const room = 10 // bytes at the end of a frame that are not translated
	for i := 0; i < len(frame)-room; i++ {
		if frame[i] != 0xe8 {
			continue
		}
		at := int32(start + i)
		target := frame[i+1 : i+5]
		switch absolute := int32(binary.LittleEndian.Uint32(target)); {
		case absolute >= 0 && absolute < size:
			binary.LittleEndian.PutUint32(target, uint32(absolute-at))
		case absolute < 0 && absolute >= -at:
			binary.LittleEndian.PutUint32(target, uint32(absolute+size))
		}
		i += 4
	}
}

// frame appends the bytes of a frame to out.
func (d *lzxDecoder) frame(data []byte, size int) error {
	d.bits = bitReader{data: data}
	if !d.started {
		d.started = true
		d.recent = [3]int{1, 1, 1}
		if d.bits.readBits(1) != 0 {
			d.calls = int32(d.bits.readBits(16)<<16 | d.bits.readBits(16))
		}
	}
	for end := len(d.out) + size; len(d.out) < end; {
		if d.left == 0 {
			if err := d.block(); err != nil {
				return err
			}
		}
		n := min(d.left, end-len(d.out))
		d.left -= n
		if d.kind == uncompressed {
			if !d.copyUncompressed(n) {
				return errCorrupt
			}
		} else if !d.expand(n) {
			return errCorrupt
		}
		if d.bits.over {
			return errCorrupt
		}
	}
	return nil
}

// block reads the header of a block: its kind, its size, and the data of the kind.
func (d *lzxDecoder) block() error {
	d.kind = int(d.bits.readBits(3))
	d.left = int(d.bits.readBits(16))<<8 | int(d.bits.readBits(8))
	if d.left == 0 || d.bits.over {
		return errCorrupt
	}
	ok := false
	switch d.kind {
	case uncompressed:
		ok = d.bits.align()
		for i := range d.recent {
			d.recent[i] = int(d.bits.readUint32())
		}
	case aligned:
		var lengths [alignedSymbols]uint8
		for i := range lengths {
			lengths[i] = uint8(d.bits.readBits(3))
		}
		ok = d.aligned.buildCode(lengths[:]) && d.trees()
	case verbatim:
		ok = d.trees()
	}
	if !ok || d.bits.over {
		return errCorrupt
	}
	return nil
}

// trees reads the codes of a block, as differences to the previous block: literals, matches, and
// lengths.
func (d *lzxDecoder) trees() bool {
	return d.codes(d.mainLengths[:literals]) && d.codes(d.mainLengths[literals:d.symbols]) &&
		d.main.buildCode(d.mainLengths[:d.symbols]) &&
		d.codes(d.lengthLengths[:]) && d.lengths.buildCode(d.lengthLengths[:])
}

// codes reads lengths of codes, which are themselves coded: 0 to 16 are a difference modulo 17, 17
// and 18 runs of zeros, 19 a run of one length.
func (d *lzxDecoder) codes(lengths []uint8) bool {
	var pre [preSymbols]uint8
	for i := range pre {
		pre[i] = uint8(d.bits.readBits(4))
	}
	var t tree
	if !t.buildCode(pre[:]) {
		return false
	}
	for i := 0; i < len(lengths); {
		symbol := t.symbol(&d.bits)
		if symbol < 0 || d.bits.over {
			return false
		}
		run, length := 1, uint8(0)
		switch symbol {
		case 17:
			run = 4 + int(d.bits.readBits(4))
		case 18:
			run = 20 + int(d.bits.readBits(5))
		case 19:
			run = 4 + int(d.bits.readBits(1))
			if symbol = t.symbol(&d.bits); symbol < 0 || symbol > maxLength {
				return false
			}
			fallthrough
		default:
			length = uint8((int(lengths[i]) - symbol + maxLength + 1) % (maxLength + 1))
		}
		if i+run > len(lengths) {
			return false
		}
		for ; run > 0; run-- {
			lengths[i] = length
			i++
		}
	}
	return true
}

// copyUncompressed copies n bytes of an uncompressed block. A byte of padding follows an odd length.
func (d *lzxDecoder) copyUncompressed(n int) bool {
	b := &d.bits
	if n > len(b.data)-b.at {
		return false
	}
	d.out = append(d.out, b.data[b.at:b.at+n]...)
	b.at += n
	if d.left == 0 && b.at%2 != 0 {
		b.at++
	}
	return true
}

// expand decompresses n bytes of a block. Matches end with the frame.
func (d *lzxDecoder) expand(n int) bool {
	for end := len(d.out) + n; len(d.out) < end; {
		symbol := d.main.symbol(&d.bits)
		switch {
		case symbol < 0 || d.bits.over:
			return false
		case symbol < literals:
			d.out = append(d.out, byte(symbol))
			continue
		}
		symbol -= literals
		length := symbol%lengthHeaders + lzxMinMatch
		if symbol%lengthHeaders == lengthHeaders-1 {
			more := d.lengths.symbol(&d.bits)
			if more < 0 {
				return false
			}
			length += more
		}
		offset := d.offset(symbol / lengthHeaders)
		// A match may overlap its own output, so it is copied byte by byte.
		if length > end-len(d.out) || offset <= 0 || offset > len(d.out) || offset > d.window {
			return false
		}
		for range length {
			d.out = append(d.out, d.out[len(d.out)-offset])
		}
	}
	return true
}

// offset returns the distance of a match, from the slot and the bits after it. The first three
// slots are the recent positions; the used one moves to the front. Other positions become the most
// recent one.
func (d *lzxDecoder) offset(slot int) int {
	switch slot {
	case 0:
	case 1:
		d.recent[0], d.recent[1] = d.recent[1], d.recent[0]
	case 2:
		d.recent[0], d.recent[2] = d.recent[2], d.recent[0]
	default:
		n := footer[slot]
		position := base[slot]
		if d.kind == aligned && n >= 3 {
			position += int(d.bits.readBits(n-3)) << 3
			position += max(d.aligned.symbol(&d.bits), 0)
		} else {
			position += int(d.bits.readBits(n))
		}
		d.recent = [3]int{position - 2, d.recent[0], d.recent[1]}
	}
	return d.recent[0]
}

// bitReader reads the bits of a frame: 16-bit words, least byte first, highest bit first. It yields
// zeros after the end, and sets over when some were read.
type bitReader struct {
	data   []byte
	at     int    // the next word
	buffer uint32 // read ahead, from the highest bit
	count  uint
	ahead  int // bits of the buffer beyond the end
	over   bool
}

// fill ensures that the buffer has 16 bits.
func (b *bitReader) fill() {
	if b.count > 16 {
		return
	}
	var word uint32
	switch {
	case b.at+1 < len(b.data):
		word = uint32(binary.LittleEndian.Uint16(b.data[b.at:]))
	case b.at < len(b.data):
		word = uint32(b.data[b.at])
	default:
		b.ahead += 16
	}
	b.at += 2
	b.buffer |= word << (16 - b.count)
	b.count += 16
}

// peekBits returns the next n bits, at most 16.
func (b *bitReader) peekBits(n uint) uint32 {
	b.fill()
	return b.buffer >> (32 - n)
}

// skipBits drops n bits that peek has returned.
func (b *bitReader) skipBits(n uint) {
	b.buffer <<= n
	if b.count -= n; int(b.count) < b.ahead {
		b.over = true
	}
}

// readBits returns and drops the next n bits, at most 16.
func (b *bitReader) readBits(n uint) uint32 {
	if n == 0 {
		return 0
	}
	v := b.peekBits(n)
	b.skipBits(n)
	return v
}

// align skips the padding before the bytes of an uncompressed block, which is at least one bit.
func (b *bitReader) align() bool {
	b.fill()
	if b.count > 16 { // a whole word has been read ahead
		b.at -= 2
	}
	if b.ahead > 0 {
		return false
	}
	b.buffer, b.count = 0, 0
	return true
}

// readUint32 returns the next four bytes; the bits must be aligned.
func (b *bitReader) readUint32() uint32 {
	if b.at+4 > len(b.data) {
		b.over = true
		return 0
	}
	b.at += 4
	return binary.LittleEndian.Uint32(b.data[b.at-4:])
}
