package interp

import (
	"bufio"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

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
func (m *Image) WritePNG(w io.Writer, target int) error {
	img := image.NewNRGBA(image.Rect(0, 0, m.W, m.H))
	for i := 0; i+4 <= len(m.Targets[target]); i += 4 {
		var px [4]uint8
		for c, v := range m.Targets[target][i : i+4] {
			px[c] = uint8(saturate(v)*255 + 0.5)
		}
		img.SetNRGBA(i/4%m.W, i/4/m.W, color.NRGBA{px[0], px[1], px[2], px[3]})
	}
	return png.Encode(w, img)
}
