package containers

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
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

// maxBody bounds decompressed sizes; effects have thousands of bytes.
const maxBody = 16 << 20

// maxReaders bounds the readers of a file.
const maxReaders = 1 << 10

// maxHead is the size of a body's beginning that Peek inspects.
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
// Numbers before the effect and the lengths of names are in groups of seven bits (Microsoft's
// "Compiled (XNB) Content Format").
type File struct {
	platform, version, flags byte
	// Compressed reports that the file was compressed; Encode writes it plain.
	Compressed bool
	// Effect holds the bytes of the effect, for package fx.
	Effect []byte

	before, after []byte // the body before and after the length and the bytes of the effect
}

// IsContentFile reports whether data begins with the header of a content file.
func IsContentFile(data []byte) bool {
	return len(data) >= headerSize && string(data[:3]) == magic && (data[4] == 4 || data[4] == 5)
}

// Decode reads a content file. The error is an *asm.Diag, with the code not-an-effect if the file
// holds another asset.
func Decode(file string, data []byte) (*File, error) {
	d := decoder{file: file}
	f := d.decode(data)
	if d.diag != nil {
		return nil, d.diag
	}
	return f, nil
}

// Peek returns the beginning of the effect in data, a content file or its beginning, or nil if
// there is none. It decompresses no more than necessary.
func Peek(data []byte) []byte {
	if !IsContentFile(data) {
		return nil
	}
	d := decoder{limit: maxHead}
	d.open(data)
	d.diag = nil // use the part that could be decompressed
	if !isEffectReader(d.asset()) {
		return nil
	}
	n := d.readUint32()
	return d.body[d.at:][:min(uint64(n), uint64(len(d.body)-d.at))]
}

// isEffectReader reports whether name is the reader of effects. An assembly and a version follow
// the name, which vary.
func isEffectReader(name string) bool { return strings.HasPrefix(name, effectReader) }

// Encode writes f as an uncompressed file, which every client reads.
func Encode(f *File) []byte {
	out := append([]byte(magic), f.platform, f.version, f.flags&^(flagLZX|flagLZ4))
	out = binary.LittleEndian.AppendUint32(out, 0)
	out = append(out, f.before...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(f.Effect)))
	out = append(append(out, f.Effect...), f.after...)
	binary.LittleEndian.PutUint32(out[6:], uint32(len(out)))
	return out
}

// decoder reads a body; its offsets are offsets in the file if that is plain. It keeps the first
// fault in diag.
type decoder struct {
	file string
	body []byte
	at   int
	base int // offset of a plain body in the file
	// limit is the number of bytes of the body that are wanted, or 0 for all of them. LZ4 always
	// yields the whole body.
	limit int
	diag  *asm.Diag
}

// recordFault records the first fault, at the current position.
func (d *decoder) recordFault(code asm.Code, format string, args ...any) {
	if d.diag == nil {
		d.diag = asm.Errorf(asm.Pos{File: d.file, Offset: d.base + d.at}, code, format, args...)
	}
}

// decode reads a whole file.
func (d *decoder) decode(data []byte) *File {
	if !IsContentFile(data) {
		d.recordFault("unknown-format", "the file is not a content file of XNA")
		return nil
	}
	if n := binary.LittleEndian.Uint32(data[6:]); uint64(n) != uint64(len(data)) {
		d.recordFault("wrong-size", "the file should have %d bytes by its header, but has %d", n, len(data))
		return nil
	}
	f := &File{platform: data[3], version: data[4], flags: data[5], Compressed: compressed(data)}
	d.open(data)
	if name := d.asset(); d.diag == nil && !isEffectReader(name) {
		d.recordFault("not-an-effect", "the content of the file is not an effect; its reader is %q", name)
	}
	start := d.at
	n := d.readUint32()
	if d.diag == nil && uint64(n) > uint64(len(d.body)-d.at) {
		d.recordFault("truncated", "an effect of %d bytes does not fit into the file", n)
	}
	if d.diag != nil {
		return nil
	}
	end := d.at + int(n)
	f.before, f.Effect, f.after = bytes.Clone(d.body[:start]), bytes.Clone(d.body[d.at:end]), bytes.Clone(d.body[end:])
	return f
}

// compressed reports whether the flags mark the body as compressed.
func compressed(data []byte) bool { return data[5]&(flagLZX|flagLZ4) != 0 }

// open decompresses the body if necessary. After a fault, body holds the part that could be
// decompressed.
func (d *decoder) open(data []byte) {
	if compressed(data) {
		d.expand(data)
	} else {
		d.body, d.base = data[headerSize:], headerSize
	}
}

// asset reads the data before the effect, and returns the name of its reader.
func (d *decoder) asset() string {
	n := d.number()
	if n > maxReaders {
		d.recordFault("too-many-readers", "the file names %d readers", n)
	}
	var names []string
	for i := uint32(0); i < n && d.diag == nil; i++ {
		names = append(names, d.readString())
		d.readUint32() // the version of the reader
	}
	d.number() // the number of shared resources
	switch id := d.number(); {
	case d.diag != nil:
	case id == 0:
		d.recordFault("not-an-effect", "the file is empty")
	case id > n:
		d.recordFault("unknown-reader", "unknown reader %d; the file has %d", id, n)
	default:
		return names[id-1]
	}
	return ""
}

// number reads a number in groups of seven bits, lowest first.
func (d *decoder) number() (n uint32) {
	for shift := 0; shift < 35; shift += 7 {
		if d.diag != nil || d.at >= len(d.body) {
			d.recordFault("truncated", "the file ends within a number")
			return 0
		}
		b := d.body[d.at]
		d.at++
		n |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	d.recordFault("bad-number", "a number has more than 32 bits")
	return 0
}

// readUint32 reads a number of four bytes.
func (d *decoder) readUint32() uint32 {
	if d.diag != nil || len(d.body)-d.at < 4 {
		d.recordFault("truncated", "the file ends within a number")
		return 0
	}
	d.at += 4
	return binary.LittleEndian.Uint32(d.body[d.at-4:])
}

// readString reads a string after its length.
func (d *decoder) readString() string {
	n := d.number()
	if d.diag != nil || uint64(n) > uint64(len(d.body)-d.at) {
		d.recordFault("truncated", "a name of %d bytes does not fit into the file", n)
		return ""
	}
	d.at += int(n)
	return string(d.body[d.at-int(n) : d.at])
}

// expand decompresses the body, whose size precedes it.
func (d *decoder) expand(data []byte) {
	d.at = headerSize
	if len(data) < headerSize+4 {
		d.recordFault("truncated", "the file ends within its header")
		return
	}
	size := binary.LittleEndian.Uint32(data[headerSize:])
	if size > maxBody {
		d.recordFault("too-large", "the file has %d compressed bytes; the limit is %d", size, maxBody)
		return
	}
	packed := data[headerSize+4:]
	if data[5]&flagLZX != 0 {
		if d.limit > 0 {
			size = min(size, uint32(d.limit))
		}
		d.decompressLZX(packed, int(size))
	} else {
		body, err := unpackLZ4(packed, int(size))
		if err != nil {
			d.recordFault("corrupt", "the compressed bytes (LZ4) are damaged")
		}
		d.body = body
	}
	d.at = 0
}

// decompressLZX decompresses frames. The compressed size, big-endian, precedes each, or 0xff, its size and
// its compressed size. The short form is for frames of the full size and for the last one.
func (d *decoder) decompressLZX(packed []byte, size int) {
	z := newLZX(xnaWindow)
	for len(d.body) < size {
		n, in, head := lzxFrame, 0, 2
		switch {
		case len(packed) >= 5 && packed[0] == 0xff:
			n, in, head = int(binary.BigEndian.Uint16(packed[1:])), int(binary.BigEndian.Uint16(packed[3:])), 5
		case len(packed) >= 2:
			in = int(binary.BigEndian.Uint16(packed))
			n = min(n, size-len(d.body))
		}
		if in == 0 || n == 0 || n > size-len(d.body) && d.limit == 0 || head+in > len(packed) {
			d.recordFault("truncated", "the compressed bytes (LZX) end early")
			return
		}
		out, err := z.Frame(packed[head:head+in], n)
		if err != nil {
			d.recordFault("corrupt", "the compressed bytes (LZX) are damaged")
			return
		}
		d.body = append(d.body, out...)
		packed = packed[head+in:]
	}
}
