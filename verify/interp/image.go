package interp

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Image is the result of a draw: rows from the top, four floats a pixel.
type Image struct {
	W, H    int
	Targets [4][]float32 // nil if the program does not write the colour
	// Written holds the components of a target that the program writes. In a covered pixel the others read
	// 0.
	Written [4]d3d9.Mask
	Depth   []float32 // 1 where nothing was drawn
	Covered []bool    // some fragment reached the pixel and was not killed
}

// Coverage returns the number of covered pixels.
func (m *Image) Coverage() int {
	n := 0
	for _, c := range m.Covered {
		if c {
			n++
		}
	}
	return n
}

// WriteF32 writes a target as little-endian float32, RGBA, top row first.
func (m *Image) WriteF32(w io.Writer, target int) error {
	b := bufio.NewWriter(w)
	var word [4]byte
	for _, v := range m.Targets[target] {
		binary.LittleEndian.PutUint32(word[:], math.Float32bits(v))
		b.Write(word[:]) // Flush returns the error, if any
	}
	return b.Flush()
}

// WritePNG writes a target as an 8-bit image, with components clamped to 0..1 and rounded to nearest.
// Package image/png would link its reader too, which is most of the package.
func (m *Image) WritePNG(w io.Writer, target int) error {
	const depth, withAlpha, differences = 8, 6, 1 // as the PNG specification numbers them
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(m.W)), uint32(m.H))
	var rows bytes.Buffer
	var line []byte
	z := packers.Get().(*zlib.Writer)
	defer packers.Put(z)
	z.Reset(&rows) // a write to memory cannot fail
	for row := range slices.Chunk(m.Targets[target], 4*m.W) {
		line = append(line[:0], differences)
		var left [4]uint8
		for i, v := range row {
			x := uint8(saturate(v)*255 + 0.5)
			line = append(line, x-left[i%4])
			left[i%4] = x
		}
		z.Write(line)
	}
	z.Close()
	out := []byte("\x89PNG\r\n\x1a\n")
	out = appendChunk(out, "IHDR", append(head, depth, withAlpha, 0, 0, 0))
	out = appendChunk(out, "IDAT", rows.Bytes())
	_, err := w.Write(appendChunk(out, "IEND", nil))
	return err
}

// packers pools writers. Each holds tables of 0.8 MB, more than the rest of writing a picture.
var packers = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

// appendChunk appends a chunk of a PNG file: its size, name, data and checksum.
func appendChunk(out []byte, name string, data []byte) []byte {
	out = append(binary.BigEndian.AppendUint32(out, uint32(len(data))), name...)
	out = append(out, data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[len(out)-len(data)-len(name):]))
}
