package xnb

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/pierrec/lz4/v4"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/fx/xnb/lzx"
)

// The header: "XNB", the platform, the version, flags, and the size of the file.
// Platforms are letters such as w for Windows and x for the Xbox; versions are 4 for
// XNA 3.1 and 5 for XNA 4. LZ4 is an addition of MonoGame's.
const (
	magic      = "XNB"
	headerSize = 10
	flagLZX    = 0x80
	flagLZ4    = 0x40
)

// maxBody bounds what is decompressed: effects are thousands of bytes.
const maxBody = 16 << 20

// maxReaders bounds the readers a file names.
const maxReaders = 1 << 10

// maxHead is how much of a body is looked at to tell what is in it.
const maxHead = 1 << 16

// effectReader begins the name of the reader of effects, whatever the assembly.
const effectReader = "Microsoft.Xna.Framework.Content.EffectReader"

// File is a content file with an effect. Its body is
//
//	readers    n, n times a name and a version
//	resources  how many are shared
//	asset      the number of its reader, 0 for none
//	effect     size, bytes
//
// before which numbers and the lengths of names are in groups of seven bits
// (Microsoft's "Compiled (XNB) Content Format").
type File struct {
	Platform, Version, Flags byte
	// Compressed tells how the file was read; it is written plain.
	Compressed bool
	// Effect is the bytes of the effect, for package fx.
	Effect []byte

	before, after []byte // of the body, around the length and the bytes of the effect
}

// Is reports whether data begins as a content file does.
func Is(data []byte) bool {
	return len(data) >= headerSize && string(data[:3]) == magic && (data[4] == 4 || data[4] == 5)
}

// Decode reads a content file. The error is an *asm.Diag: with the code not-an-effect if
// there is something else in the file.
func Decode(file string, data []byte) (*File, error) {
	d := decoder{file: file}
	f := d.decode(data)
	if d.diag != nil {
		return nil, d.diag
	}
	return f, nil
}

// Peek is the beginning of the effect in data, a content file or its beginning; it is
// nil if there is none. No more is decompressed than it takes.
func Peek(data []byte) []byte {
	if !Is(data) {
		return nil
	}
	d := decoder{limit: maxHead}
	d.open(data)
	d.diag = nil // what could be decompressed will do
	if !isEffectReader(d.asset()) {
		return nil
	}
	n := d.long()
	return d.body[d.at:][:min(uint64(n), uint64(len(d.body)-d.at))]
}

// isEffectReader reports whether a reader is that of effects. Behind its name stand an
// assembly and a version, which differ.
func isEffectReader(name string) bool { return strings.HasPrefix(name, effectReader) }

// Encode writes f as a plain file, which every client reads.
func Encode(f *File) []byte {
	out := append([]byte(magic), f.Platform, f.Version, f.Flags&^(flagLZX|flagLZ4))
	out = binary.LittleEndian.AppendUint32(out, 0)
	out = append(out, f.before...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(f.Effect)))
	out = append(append(out, f.Effect...), f.after...)
	binary.LittleEndian.PutUint32(out[6:], uint32(len(out)))
	return out
}

// decoder reads a body; its offsets are those of the file where that is plain. The
// first fault stays in diag.
type decoder struct {
	file string
	body []byte
	at   int
	base int // of the body in the file, if it is there as it is
	// limit is how much of the body is wanted, 0 for all of it. LZ4 gives it at once.
	limit int
	diag  *asm.Diag
}

// fail notes the first fault, at where the reading is.
func (d *decoder) fail(code asm.Code, format string, args ...any) {
	if d.diag == nil {
		d.diag = asm.Errorf(asm.Pos{File: d.file, Offset: d.base + d.at}, code, format, args...)
	}
}

// decode reads a whole file.
func (d *decoder) decode(data []byte) *File {
	if !Is(data) {
		d.fail("unknown-format", "this is no content file of XNA")
		return nil
	}
	if n := binary.LittleEndian.Uint32(data[6:]); uint64(n) != uint64(len(data)) {
		d.fail("wrong-size", "the header says that the file has %d bytes, it has %d", n, len(data))
		return nil
	}
	f := &File{Platform: data[3], Version: data[4], Flags: data[5], Compressed: compressed(data)}
	d.open(data)
	if name := d.asset(); d.diag == nil && !isEffectReader(name) {
		d.fail("not-an-effect", "the content of this file is no effect: its reader is %q", name)
	}
	start := d.at
	n := d.long()
	if d.diag == nil && uint64(n) > uint64(len(d.body)-d.at) {
		d.fail("truncated", "an effect of %d bytes does not fit into the file", n)
	}
	if d.diag != nil {
		return nil
	}
	end := d.at + int(n)
	f.before, f.Effect, f.after = bytes.Clone(d.body[:start]), bytes.Clone(d.body[d.at:end]), bytes.Clone(d.body[end:])
	return f
}

// compressed reports whether the body is, by the flags.
func compressed(data []byte) bool { return data[5]&(flagLZX|flagLZ4) != 0 }

// open makes the body plain. After a fault body is what could be decompressed.
func (d *decoder) open(data []byte) {
	if compressed(data) {
		d.expand(data)
	} else {
		d.body, d.base = data[headerSize:], headerSize
	}
}

// asset reads what stands before the effect, and is the name of its reader.
func (d *decoder) asset() string {
	n := d.number()
	if n > maxReaders {
		d.fail("too-many-readers", "the file names %d readers", n)
	}
	var names []string
	for i := uint32(0); i < n && d.diag == nil; i++ {
		names = append(names, d.text())
		d.long() // the version of the reader
	}
	d.number() // how many shared resources there are
	switch id := d.number(); {
	case d.diag != nil:
	case id == 0:
		d.fail("not-an-effect", "there is nothing in this file")
	case id > n:
		d.fail("unknown-reader", "there is no reader %d among %d", id, n)
	default:
		return names[id-1]
	}
	return ""
}

// number reads a number in groups of seven bits, the lowest first.
func (d *decoder) number() (n uint32) {
	for shift := 0; shift < 35; shift += 7 {
		if d.diag != nil || d.at >= len(d.body) {
			d.fail("truncated", "the file ends within a number")
			return 0
		}
		b := d.body[d.at]
		d.at++
		n |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	d.fail("bad-number", "a number has more than 32 bits")
	return 0
}

// long is a number of four bytes.
func (d *decoder) long() uint32 {
	if d.diag != nil || len(d.body)-d.at < 4 {
		d.fail("truncated", "the file ends within a number")
		return 0
	}
	d.at += 4
	return binary.LittleEndian.Uint32(d.body[d.at-4:])
}

// text is a string behind its length.
func (d *decoder) text() string {
	n := d.number()
	if d.diag != nil || uint64(n) > uint64(len(d.body)-d.at) {
		d.fail("truncated", "a name of %d bytes does not fit into the file", n)
		return ""
	}
	d.at += int(n)
	return string(d.body[d.at-int(n) : d.at])
}

// expand decompresses the body, whose size stands before it.
func (d *decoder) expand(data []byte) {
	d.at = headerSize
	if len(data) < headerSize+4 {
		d.fail("truncated", "the file ends within its header")
		return
	}
	size := binary.LittleEndian.Uint32(data[headerSize:])
	if size > maxBody {
		d.fail("too-large", "the file holds %d bytes compressed, and at most %d are read", size, maxBody)
		return
	}
	packed := data[headerSize+4:]
	if data[5]&flagLZX != 0 {
		if d.limit > 0 {
			size = min(size, uint32(d.limit))
		}
		d.lzx(packed, int(size))
	} else {
		body := make([]byte, min(int(size), 256*len(packed)+16)) // no block expands more
		n, err := lz4.UncompressBlock(packed, body)
		if err != nil || n != int(size) {
			d.fail("corrupt", "the compressed bytes (LZ4) are damaged")
		}
		d.body = body
	}
	d.at = 0
}

// lzx decompresses frames: each behind its compressed size, big-endian, or behind 0xff,
// its size and its compressed size. The short form is for frames of the full size and
// for the last one.
func (d *decoder) lzx(packed []byte, size int) {
	z := lzx.New(lzx.XNA)
	for len(d.body) < size {
		n, in, head := lzx.FrameSize, 0, 2
		switch {
		case len(packed) >= 5 && packed[0] == 0xff:
			n, in, head = int(binary.BigEndian.Uint16(packed[1:])), int(binary.BigEndian.Uint16(packed[3:])), 5
		case len(packed) >= 2:
			in = int(binary.BigEndian.Uint16(packed))
			n = min(n, size-len(d.body))
		}
		if in == 0 || n == 0 || n > size-len(d.body) && d.limit == 0 || head+in > len(packed) {
			d.fail("truncated", "the compressed bytes (LZX) end early")
			return
		}
		out, err := z.Frame(packed[head:head+in], n)
		if err != nil {
			d.fail("corrupt", "the compressed bytes (LZX) are damaged")
			return
		}
		d.body = append(d.body, out...)
		packed = packed[head+in:]
	}
}
