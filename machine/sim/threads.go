package sim

import (
	"math"

	"github.com/shaderlift/shaderlift/machine/chip"
)

// threadsOf returns the mask of the lanes of a wavefront that have a thread. Not all do at the
// edges of a domain, and in the last wavefront of a group.
func (tr *Tracer) threadsOf(id int) uint64 {
	if x, y := tr.block(id); tr.perGroup == 0 && x+8 <= tr.l.Width && y+8 <= tr.l.Height && tr.t.Wave == 64 {
		return ^uint64(0)
	}
	if tr.perGroup > 0 {
		n := min(tr.threads-id%tr.perGroup*tr.t.Wave, tr.t.Wave)
		return 1<<n - 1
	}
	var mask uint64
	for lane := range tr.t.Wave {
		if x, y := tr.pixel(id, lane); x < tr.l.Width && y < tr.l.Height {
			mask |= 1 << lane
		}
	}
	return mask
}

// pixel returns the position of a thread in the domain: blocks row by row.
func (tr *Tracer) pixel(id, lane int) (x, y int) {
	x, y = quadLane(lane)
	left, top := tr.block(id)
	return left + x, top + y
}

// block returns the corner of a wavefront's block of pixels.
func (tr *Tracer) block(id int) (x, y int) {
	row := max(blocks(tr.l.Width), 1)
	return 8 * (id % row), 8 * (id / row)
}

// builtins computes the values that the hardware gives the threads of a wavefront. Except for
// positions, they are the sum of a part for the work group or block and a part for the thread in
// it.
func (tr *Tracer) builtins(b chip.Builtin, id int, to *lanes) {
	left, top := tr.block(id)
	switch b {
	case chip.PositionX:
		for lane := range tr.t.Wave {
			to[lane] = math.Float32bits(float32(left+int(quads[lane].x)) + 0.5)
		}
		return
	case chip.PositionY:
		for lane := range tr.t.Wave {
			to[lane] = math.Float32bits(float32(top+int(quads[lane].y)) + 0.5)
		}
		return
	}
	part := 0
	if tr.perGroup > 0 {
		part = id % tr.perGroup
	}
	from := tr.pattern(b, part)
	start := uint32(0)
	if b != chip.PositionW && b != chip.FrontFace {
		start = tr.builtin(b, id-part, 0)
	}
	for lane := range tr.t.Wave {
		to[lane] = from[lane] + start
	}
}

// pattern returns the values for a wavefront of the first work group, or for the first block.
func (tr *Tracer) pattern(b chip.Builtin, part int) *lanes {
	key := pattern{b, part}
	to := tr.patterns[key]
	if to == nil {
		to = new(lanes)
		for lane := range tr.t.Wave {
			to[lane] = tr.builtin(b, part, lane)
		}
		if tr.patterns == nil {
			tr.patterns = map[pattern]*lanes{}
		}
		if len(tr.patterns) < maxPatterns {
			tr.patterns[key] = to
		}
	}
	return to
}

// pattern is the key of the values of a part of a work group.
type pattern struct {
	holds chip.Builtin
	part  int
}

// maxPatterns bounds the cached patterns: work groups have few wavefronts.
const maxPatterns = 1 << 10

// builtin returns the value for one thread, except for positions.
func (tr *Tracer) builtin(b chip.Builtin, id, lane int) uint32 {
	l := tr.l
	switch b {
	case chip.PositionW, chip.FrontFace:
		return math.Float32bits(1)
	case chip.ThreadFlat:
		if tr.perGroup == 0 {
			x, y := tr.pixel(id, lane)
			return uint32(y*l.Width + x)
		}
	}
	if tr.perGroup == 0 {
		return 0
	}
	flat := id%tr.perGroup*tr.t.Wave + lane
	group := id / tr.perGroup
	at := [3]int{flat % l.Group[0], flat / l.Group[0] % l.Group[1], flat / l.Group[0] / l.Group[1]}
	of := [3]int{group % l.Groups[0], group / l.Groups[0] % l.Groups[1], group / l.Groups[0] / l.Groups[1]}
	switch b {
	case chip.ThreadFlat:
		return uint32(group*tr.threads + flat)
	case chip.ThreadInGroupX, chip.ThreadInGroupY, chip.ThreadInGroupZ:
		return uint32(at[b-chip.ThreadInGroupX])
	case chip.ThreadInGroupFlat:
		return uint32(flat)
	case chip.GroupX, chip.GroupY, chip.GroupZ:
		return uint32(of[b-chip.GroupX])
	case chip.GroupFlat:
		return uint32(group)
	case chip.ThreadX, chip.ThreadY, chip.ThreadZ:
		i := b - chip.ThreadX
		return uint32(of[i]*l.Group[i] + at[i])
	}
	return 0
}
