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

// Image is what a draw leaves: rows from the top, four floats a pixel.
type Image struct {
	W, H    int
	Targets [4][]float32 // nil where the program writes no such colour
	// Written tells which components of a target the program writes at all; of a
	// covered pixel the others read 0.
	Written [4]d3d9.Mask
	Depth   []float32 // 1 where nothing was drawn
	Covered []bool    // some fragment reached the pixel and was not killed
}

// Coverage is how many pixels were drawn to.
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
		b.Write(word[:]) // the error, if any, is Flush's
	}
	return b.Flush()
}

// WritePNG writes a target as an 8-bit image, components clamped to 0..1 and rounded to nearest.
// Package image/png does no more, but what links it has its reader, too, which is most of it.
func (m *Image) WritePNG(w io.Writer, target int) error {
	const depth, withAlpha, differences = 8, 6, 1 // what its specification numbers so
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(m.W)), uint32(m.H))
	var rows bytes.Buffer
	var line []byte
	z := packers.Get().(*zlib.Writer)
	defer packers.Put(z)
	z.Reset(&rows) // memory, to which writing does not fail
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

// packers are used again: tables of 0.8 MB are in each, more than all else that a picture takes.
var packers = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

// appendChunk appends a part of a PNG file: its size, its name and data, and their checksum.
func appendChunk(out []byte, name string, data []byte) []byte {
	out = append(binary.BigEndian.AppendUint32(out, uint32(len(data))), name...)
	out = append(out, data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[len(out)-len(data)-len(name):]))
}
