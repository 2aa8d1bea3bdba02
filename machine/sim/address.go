package sim

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/machine/chip"
)

// Surface is a resource in memory from the view of the texture units: a 2-D image of tiles, or a
// row of elements.
type Surface struct {
	Width, Height int  // texels; a row has height 1
	Bytes         int  // of a texel: 4 for float1, 16 for float4
	Linear        bool // consecutive elements: buffers and 1-D resources
	unnormal      bool // coordinates count texels: declared unnorm

	base uint64 // a multiple of the L1 line
	// The offset of a texel in a tiled surface is the sum of one entry for its column and one for
	// its row, both in bytes; see tiles.
	column, row []uint64
	tile        int // the side of a tile
	sides       [2]sideTrace
}

// pageSize is the alignment of surfaces.
const pageSize = 4096

// layout assigns consecutive addresses to the surfaces of a launch. Page alignment prevents two
// surfaces from sharing a line.
func layout(surfaces []Surface, t *chip.Target) {
	align := roundUp(pageSize, uint64(t.L1Line))
	next := align
	for i := range surfaces {
		s := &surfaces[i]
		s.base = next
		size := uint64(s.Width) * uint64(s.Height) * uint64(s.Bytes)
		if !s.Linear {
			s.tile = t.Tile
			size = s.pitch() * uint64((s.Height+s.tile-1)/s.tile)
		}
		next += roundUp(size, align)
	}
}

func roundUp(n, to uint64) uint64 { return (n + to - 1) / to * to }

// pitch returns the size of a row of tiles.
func (s *Surface) pitch() uint64 {
	return uint64((s.Width+s.tile-1)/s.tile) * uint64(s.tile*s.tile) * uint64(s.Bytes)
}

// tiles computes column and row when the first address is needed. Callers that only count fetches
// need none.
//
// Within a tile texels are in Z order, so that four float4 of a quad are 64 consecutive bytes. This
// is the order of non-displayable micro tiles. The distribution of the tiles of a large image over
// channels and banks is not modelled, since caches hash it away.
func (s *Surface) tiles() {
	if s.Linear || s.column != nil {
		return
	}
	side, pitch := s.tile, s.pitch()
	tile := uint64(side*side) * uint64(s.Bytes)
	s.column, s.row = make([]uint64, s.Width), make([]uint64, s.Height)
	for x := range s.column {
		s.column[x] = uint64(x/side)*tile + uint64(spread(uint32(x%side)))*uint64(s.Bytes)
	}
	for y := range s.row {
		s.row[y] = uint64(y/side)*pitch + uint64(spread(uint32(y%side))<<1)*uint64(s.Bytes)
	}
}

// texelOffset returns the offset of a texel in bytes.
func (s *Surface) texelOffset(x, y uint32) uint64 {
	if s.Linear {
		return (uint64(y)*uint64(s.Width) + uint64(x)) * uint64(s.Bytes)
	}
	return s.column[x] + s.row[y]
}

// lineSize is the size of a line in bytes; shift is its base-2 logarithm, or 0 if it is not a power
// of two.
type lineSize struct {
	bytes uint64
	shift uint
}

func newLineSize(bytes int) lineSize {
	l := lineSize{bytes: uint64(bytes)}
	if l.bytes&(l.bytes-1) == 0 {
		l.shift = uint(bits.TrailingZeros64(l.bytes))
	}
	return l
}

// lineIndex returns the line of a byte.
func (l lineSize) lineIndex(at uint64) uint64 {
	if l.shift > 0 {
		return at >> (l.shift & 63)
	}
	return at / l.bytes
}

// spread inserts a zero between any two of the low 16 bits of v. The Z order (Morton order) of x
// and y is spread(x) | spread(y)<<1.
func spread(v uint32) uint32 {
	v = (v | v<<8) & 0x00FF00FF
	v = (v | v<<4) & 0x0F0F0F0F
	v = (v | v<<2) & 0x33333333
	return (v | v<<1) & 0x55555555
}

// quadLane returns the position of a pixel thread in its 8x8 block: 2x2 quads in Z order with four
// lanes each, as the rasteriser gathers them. The texture units serve one quad in a cycle.
func quadLane(lane int) (x, y int) { return int(quads[lane].x), int(quads[lane].y) }

var quads = func() (list [chip.MaxWave]struct{ x, y uint8 }) {
	for lane := range uint32(len(list)) {
		list[lane].x, list[lane].y = uint8(gather(lane)), uint8(gather(lane>>1))
	}
	return list
}()

// gather is the inverse of spread.
func gather(v uint32) uint32 {
	v &= 0x55555555
	v = (v | v>>1) & 0x33333333
	v = (v | v>>2) & 0x0F0F0F0F
	v = (v | v>>4) & 0x00FF00FF
	return (v | v>>8) & 0x0000FFFF
}
