package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/machinetest"
)

// look makes a line the first of its set, and reports whether it was present.
func look(c *cache, line uint32) (way int, hit bool) {
	way, hit = c.first(line)
	return way, hit || c.lookup(way, line)
}

// TestCacheReplacesTheLeastRecentlyUsed compares a cache of one set with a list in order of use.
// The arrival time of a line must stay with it.
func TestCacheReplacesTheLeastRecentlyUsed(t *testing.T) {
	const ways = 8
	c := newCache(ways*64, 64, ways)
	var order []uint32 // most recent last
	arrives := map[uint32]float64{}
	r := rand.New(rand.NewPCG(1, 2))
	for now := range 10_000 {
		line := uint32(r.IntN(12))
		at := slices.Index(order, line)
		way, hit := look(c, line)
		if hit != (at >= 0) || hit && c.ready[way] != arrives[line] {
			t.Fatalf("line %d: hit %v, there at %v and not %v; the list is %v", line, hit, c.ready[way], arrives[line], order)
		}
		if !hit {
			c.ready[way], arrives[line] = float64(now), float64(now)
		}
		if at >= 0 {
			order = slices.Delete(order, at, at+1)
		} else if len(order) == ways {
			order = order[1:]
		}
		order = append(order, line)
	}
}

// TestCacheSpreadsLines checks that a working set that fits stays in the cache. The lines of
// neighbouring addresses, and of surfaces a power of two apart, must spread over the sets.
func TestCacheSpreadsLines(t *testing.T) {
	for name, stride := range map[string]uint32{"row": 1, "column": 1 << 10, "far column": 1 << 14} {
		c := newCache(32<<10, 64, 16)
		const lines = 384 // three quarters of its lines
		for range 2 {
			for i := range uint32(lines) {
				look(c, 1000+i*stride)
			}
		}
		hits := 0
		for i := range uint32(lines) {
			if _, hit := look(c, 1000+i*stride); hit {
				hits++
			}
		}
		if hits < lines*95/100 {
			t.Errorf("%s: %d of %d lines are still there", name, hits, lines)
		}
	}
}

func TestLinesOfASurface(t *testing.T) {
	m := machinetest.Target(t, "rv670")
	surfaces := []Surface{{Width: 50, Height: 30, Bytes: 16}, {Width: 50, Height: 30, Bytes: 4},
		{Width: 1000, Height: 1, Bytes: 16, Linear: true}}
	layout(surfaces, m)
	seen := map[uint64]bool{}
	for i := range surfaces {
		s := &surfaces[i]
		s.tiles()
		for y := range s.Height {
			for x := range s.Width {
				a := s.base + s.texelOffset(uint32(x), uint32(y))
				for b := range uint64(s.Bytes) {
					if seen[a+b] {
						t.Fatalf("surface %d (%d,%d): byte %#x is already taken", i, x, y, a+b)
					}
					seen[a+b] = true
				}
			}
		}
	}
	// A quad of float4 is a line; so are 4x4 floats.
	lineOf := func(i int, x, y uint32) uint64 { return surfaces[i].texelOffset(x, y) / 64 }
	for y := range uint32(2) {
		for x := range uint32(2) {
			if lineOf(0, 12+x, 6+y) != lineOf(0, 12, 6) {
				t.Errorf("float4 (%d,%d) is in another line than its quad", 12+x, 6+y)
			}
		}
	}
	if lineOf(0, 13, 6) == lineOf(0, 14, 6) {
		t.Error("two quads of float4 share a line")
	}
	for y := range uint32(4) {
		for x := range uint32(4) {
			if lineOf(1, 8+x, 4+y) != lineOf(1, 8, 4) {
				t.Errorf("float (%d,%d) is in another line than its 4x4", 8+x, 4+y)
			}
		}
	}
}

// TestAlong checks coordinates that are integers, texel counts or shares of a side; beyond the edge
// they read the edge.
func TestAlong(t *testing.T) {
	f, minus := math.Float32bits, func(n int32) uint32 { return uint32(-n) }
	for _, c := range []struct {
		whole, counts bool
		offset        int8
		words, want   []uint32
	}{
		{true, false, 0, []uint32{0, 3, 29, 30, minus(1), math.MaxInt32}, []uint32{0, 3, 29, 29, 0, 29}},
		{true, false, -4, []uint32{0, 3, 40}, []uint32{0, 1, 29}},
		{false, true, 0, []uint32{f(0.9), f(2.5), f(29.99), f(1e30), f(-0.1), f(float32(math.NaN()))},
			[]uint32{0, 2, 29, 29, 0, 0}},
		{false, true, 1, []uint32{f(2.25), f(2.5), f(-0.25)}, []uint32{2, 3, 0}},
		{false, true, -2, []uint32{f(0.5), f(1.5)}, []uint32{0, 0}},
		{false, false, 0, []uint32{f(0.5), f(0.999), f(1), f(2)}, []uint32{15, 29, 29, 29}},
	} {
		tr := new(Tracer)
		side := tr.traceSide(30)
		var words, got lanes
		copy(words[:], c.words)
		tr.along(&got, &words, c.whole, c.counts, &side, c.offset)
		if got := got[:len(c.want)]; !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestQuadLanes checks that every thread of a block has its own position, and that four consecutive
// lanes form a quad.
func TestQuadLanes(t *testing.T) {
	var at [8][8]bool
	for lane := range 64 {
		x, y := quadLane(lane)
		at[y][x] = true
		if qx, qy := quadLane(lane &^ 3); x/2 != qx/2 || y/2 != qy/2 {
			t.Errorf("lane %d at (%d,%d) is not in the quad of (%d,%d)", lane, x, y, qx, qy)
		}
	}
	for y := range at {
		for x := range at[y] {
			if !at[y][x] {
				t.Errorf("no lane at (%d,%d)", x, y)
			}
		}
	}
}
