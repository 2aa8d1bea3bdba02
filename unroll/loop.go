package unroll

import (
	"fmt"

	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
)

// loop is a candidate for unrolling.
type loop struct {
	region *ir.Region
	at     int // index of the loop in the region
	in     *ir.Instr
	size   int   // of the body, in instructions
	exit   *exit // the only break, nil if a register counts the trips
	trips  int
	open   error    // why the trip count is unknown, nil if it is known
	stays  bool     // a register counts the trips, and the body requires that it stays a loop
	count  *counter // the induction variable, if the trip count is unknown
}

// maxTrips bounds the trips that are followed: each computes a test.
const maxTrips = 1 << 16

// The ranges of the counts and strides of a loop register in Direct3D 9 ("loop - vs": the count is
// 0 to 255, the step -128 to 127).
const (
	maxCount             = 255
	minStride, maxStride = -128, 127
)

// loops lists the loops of f in program order; an outer loop precedes its inner loops.
func loops(f *ir.Func) (list []loop) {
	var walk func(r *ir.Region)
	walk = func(r *ir.Region) {
		for i, in := range r.Code {
			if in.Op == ir.OpLoop {
				list = append(list, loop{region: r, at: i, in: in})
			}
			for _, sub := range in.Sub {
				walk(sub)
			}
		}
	}
	walk(f.Body)
	return list
}

// analyze finds the exit and the trip count of l.
func (l *loop) analyze() {
	if len(l.in.Src) == 0 {
		if l.exit, l.open = onlyExit(l.in); l.open == nil {
			l.trips, l.open = l.exit.trips(l.in, maxTrips)
		}
		return
	}
	body, n := l.in.Sub[0], l.in.Src[0][0].V
	if !affine.IsLiteral(n) {
		l.open = fmt.Errorf("its trip count is not a literal of the program")
		return
	}
	l.trips = ir.LoopCount(n.Bits)
	l.stays = l.trips > 0 && (breaks(body) || readsIndex(body))
}

// copyAnalysis copies the analysis of old to l, which is a copy of old.
func (l *loop) copyAnalysis(old *loop) (err error) {
	l.size, l.trips, l.open, l.stays = old.size, old.trips, old.open, old.stays
	if old.exit != nil {
		l.exit, err = onlyExit(l.in)
	}
	if old.count != nil && err == nil {
		l.count, err = l.exit.counted(l.in)
	}
	return err
}

// copies returns the number of copies of the body that unrolling by n makes.
func (l *loop) copies(n int) int {
	switch {
	case l.open != nil:
		return n + 1
	case l.stays:
		return min(n, l.trips)
	case l.trips < 2*n:
		return l.trips + 1
	}
	return n + l.trips%n
}

// readsIndex reports whether anything reads the counter that Direct3D 9 keeps for r.
func readsIndex(r *ir.Region) (found bool) {
	r.Walk(func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) { found = found || l.V == r.Index })
	})
	return found
}

// shiftable returns an error if unrolling l by n would push counter-relative addresses out of
// range, or if another instruction reads the counter.
func (l *loop) shiftable(n int) (err error) {
	body := l.in.Sub[0]
	if body.Index == nil {
		return nil
	}
	if by := l.stride() * n; n < l.trips && (by < minStride || by > maxStride) {
		return fmt.Errorf("its counter cannot go up by %d", by)
	}
	last := l.stride() * (n - 1)
	body.Walk(func(in *ir.Instr) {
		in.EachUse(func(x *ir.Lane) {
			if at := int(in.Base.Index) + last; x.V == body.Index && (in.Op != ir.OpLoad || at < 0 || at > maxCount) {
				err = fmt.Errorf("its counter cannot be read elsewhere")
			}
		})
	})
	return err
}

// stride returns the increment of the counter in one trip.
func (l *loop) stride() int { return ir.LoopStep(l.in.Src[0][2].V.Bits) }

// measure counts the instructions of a loop. It also reports whether the loop contains loops, and
// whether it reads or waits for neighbouring invocations. Two kinds of operations do not count as
// convergent. Fetches that select a mip level by neighbour differences do not: resources of kernels
// have one level, and Direct3D 9 loops have known trip counts. Fences without a barrier do not
// either.
func measure(in *ir.Instr, d ir.Dialect) (size int, holds, convergent bool) {
	launch := d.Launch()
	in.Sub[0].Walk(func(x *ir.Instr) {
		size++
		holds = holds || x.Op == ir.OpLoop
		free := x.Op.Has(ir.IsFetch) || x.Op == ir.OpFence && launch != nil && !launch.Waits(x)
		convergent = convergent || x.Op.Has(ir.Convergent) && !free
	})
	return size, holds, convergent
}
