package unroll

import (
	"fmt"

	"github.com/shaderlift/shaderlift/ir"
)

// loop is one to unroll.
type loop struct {
	region *ir.Region
	at     int // where in that it stands
	in     *ir.Instr
	size   int   // of its body, in instructions
	exit   *exit // by which it is left, nil if a register counts it
	trips  int
	open   error    // why the trips are not known, nil if they are
	stays  bool     // a register counts it, and what it does needs it to stay a loop
	count  *counter // what it counts, if the trips are not known
}

// maxTrips bounds the trips that are followed: a test is computed for each.
const maxTrips = 1 << 16

// What a register can count to, and by, by the rules of Direct3D 9 ("loop - vs": the
// count is 0 to 255, the step -128 to 127).
const (
	maxCount             = 255
	minStride, maxStride = -128, 127
)

// loops lists the loops of f in program order, an outer one before those in it.
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

// plan finds out by what l is left, and how many trips it makes.
func (l *loop) plan() {
	if len(l.in.Src) == 0 {
		if l.exit, l.open = onlyExit(l.in); l.open == nil {
			l.trips, l.open = l.exit.trips(l.in, maxTrips)
		}
		return
	}
	body, n := l.in.Sub[0], l.in.Src[0][0].V
	if !isLiteral(n) {
		l.open = fmt.Errorf("its trip count is not in the program")
		return
	}
	l.trips = ir.LoopCount(n.Bits)
	l.stays = l.trips > 0 && (breaks(body) || readsIndex(body))
}

// like takes over what was found out about old, of which l is a copy.
func (l *loop) like(old *loop) (err error) {
	l.size, l.trips, l.open, l.stays = old.size, old.trips, old.open, old.stays
	if old.exit != nil {
		l.exit, err = onlyExit(l.in)
	}
	if old.count != nil && err == nil {
		l.count, err = l.exit.counted(l.in)
	}
	return err
}

// copies is how many copies of the body unrolling by n takes.
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

// shiftable refuses to unroll l by n if it reads the counter and addresses would leave
// their range, or something else reads it.
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

// stride is what a trip adds to the counter.
func (l *loop) stride() int { return ir.LoopStep(l.in.Src[0][2].V.Bits) }

// measure counts the instructions of a loop, and tells whether it holds loops and
// whether it reads, or waits for, neighbouring invocations. Fetches that choose a level by
// the distance to the neighbours do not count: the resources of kernels have one level, and
// the loops of Direct3D 9 make trips that are known. Nor do fences that hold nobody up.
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
