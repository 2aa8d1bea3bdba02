package unroll

import (
	"fmt"
	"strconv"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/dce"
)

// Unroll is loop unrolling.
var Unroll = &passes.Pass{
	Name: "unroll",
	Doc: `make several trips of a loop at a time

factor=N puts a loop that makes N trips at a time before the loop, which is left to
make the rest: the exit is tested once for N trips. factor=full replaces a loop whose
trip count is known by that many copies of its body. factor=auto does the latter where
the trip count is known and small and the cost model likes it; elsewhere it tries 2, 4, 8 and
16 and keeps what the cost model likes best, or the loop as it is. More copies have to
save one part in a hundred.

A loop is unrolled by a factor if one break alone, not within a branch, leaves it, on
a comparison by order of a counter with a value that the loop does not change. Each
trip must add to the counter, or subtract from it, literals or, of integers, values
that the loop does not change, and that must take it away from the bound: so the exit
stays met once it is, and the test of the last of N trips tells of the others. Integers
that might wrap round on the way are tested for that before the loop, and if need be
the loop that is left makes all trips. A loop that takes differences between
neighbouring invocations, or has them wait for each other, must make the same number of
trips for all.

A loop is replaced in full if its test can be computed from literals, whatever it is. Of
those that Direct3D 9 counts in a register the count must be stated in the program,
nothing may break out of them and nothing read the counter. Trips come in the same
order and do the same, so stores and order-sensitive sums are no obstacle.

A loop that was unrolled is not unrolled again, nor is what is left of it. To replace a
loop in full keeps all terms (class terms); else integers may be counted otherwise
(class bits).

maxsize bounds the instructions that a loop may become: an eighth of that if factor is
auto.`,
	Class: passes.Terms,
	Options: []passes.Option{
		{Name: "factor", Default: "auto", Doc: "trips at a time: a number, full or auto"},
		{Name: "maxsize", Default: "4096", Doc: "instructions that a loop may become"},
		{Name: "inner", Default: "true", Doc: "leave loops alone that hold loops"},
	},
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		for i := range u.Funcs() {
			w := &unroller{c: c, u: u, which: i}
			w.run()
		}
		return nil
	},
}

// maxTrips bounds the trips that are replaced by copies.
const maxTrips = 1024

type unroller struct {
	c     *passes.Ctx
	u     *passes.Unit
	which int // of the programs of u
}

func (w *unroller) run() {
	f := w.u.Funcs()[w.which]
	changed := false
	// Loops are numbered in program order from the last one on, so that unrolling one
	// does not change the numbers of those still to come.
	for k := len(loops(f)) - 1; k >= 0; k-- {
		changed = w.loop(k) || changed
	}
	if changed {
		dce.Sweep(w.u.Funcs()[w.which])
	}
}

// site is where a loop stands.
type site struct {
	region *ir.Region
	at     int
}

// loops lists the loops of f in program order, an outer one before those in it.
func loops(f *ir.Func) (list []site) {
	var walk func(r *ir.Region)
	walk = func(r *ir.Region) {
		for i, in := range r.Code {
			if in.Op == ir.OpLoop {
				list = append(list, site{r, i})
			}
			for _, sub := range in.Sub {
				walk(sub)
			}
		}
	}
	walk(f.Body)
	return list
}

// loop unrolls the k-th loop and reports whether it did.
func (w *unroller) loop(k int) bool {
	f := w.u.Funcs()[w.which]
	s := loops(f)[k]
	in := s.region.Code[s.at]
	size, holds, convergent := measure(in)
	if holds && w.c.Bool("inner") {
		return w.decline(in, "nested", "it holds loops")
	}
	option := w.c.Option("factor")
	room := func(copies int) bool { return (copies+1)*size <= w.maxSize(option) }
	e, n, err := plan(in)
	known := err == nil
	switch {
	case option == "full" && err != nil:
		return w.decline(in, "trip-count", "%v", err)
	case option == "full" && !room(n):
		return w.decline(in, "too-large", "%d trips of %d instructions", n, size)
	case option == "full", option == "auto" && known && n <= autoTrips && room(n) && w.pays(k, n):
		if !w.c.Step(in) {
			return false
		}
		w.copier(f).full(s.region, s.at, e, n)
		return true
	case e == nil && known:
		return w.decline(in, "exit", "a register counts its trips")
	case e == nil:
		return w.decline(in, "exit", "%v", err)
	}
	c, err := e.counted(in)
	switch {
	case !w.c.Allows(passes.Bits, in):
		return w.decline(in, "numerics", "to count otherwise keeps the bits, but not all terms")
	case err != nil:
		return w.decline(in, "not-counted", "%v", err)
	case convergent && !c.uniform(in):
		return w.decline(in, "convergent", "it needs neighbouring invocations, which may make fewer trips")
	case c.continues(in) || c.isContinued(s):
		return w.decline(in, "unrolled", "it has been, or is what was left")
	}
	factor := 0
	if option == "auto" {
		if factor = w.best(k, room); factor == 0 {
			return w.decline(in, "cost", "no factor pays")
		}
	} else if factor, _ = strconv.Atoi(option); !room(factor) {
		return w.decline(in, "too-large", "%d copies of %d instructions", factor, size)
	}
	if factor < 2 {
		return false
	}
	if err := c.bounded(in, factor); err != nil {
		return w.decline(in, "range", "%v", err)
	}
	if !w.c.Step(in) {
		return false
	}
	c.partial(f, s.region, s.at, factor)
	return true
}

func (w *unroller) copier(f *ir.Func) *copier { return &copier{f, w.u.Kernel == nil} }

// plan finds by what a loop is left, nil if a register counts it, and how many trips it
// makes; the error says why that is not known.
func plan(in *ir.Instr) (e *exit, trips int, err error) {
	if len(in.Src) == 0 {
		if e, err = onlyExit(in); err == nil {
			trips, err = e.trips(in, maxTrips)
		}
		return e, trips, err
	}
	switch count := in.Src[0][0].V; {
	case !isLiteral(count):
		err = fmt.Errorf("its trip count is not in the program")
	case readsIndex(in.Sub[0]):
		err = fmt.Errorf("it counts addresses")
	case breaks(in.Sub[0]):
		err = fmt.Errorf("it has an exit beside its count")
	default:
		trips = max(0, min(int(int32(count.Bits)), maxCount))
	}
	return nil, trips, err
}

// readsIndex reports whether anything reads the counter that Direct3D 9 keeps for r.
func readsIndex(r *ir.Region) (found bool) {
	r.Walk(func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) { found = found || l.V == r.Index })
	})
	return found
}

// maxCount is what a register can count to, by the rules of Direct3D 9.
const maxCount = 255

// uniform reports whether all invocations make the same number of trips.
func (c *counter) uniform(in *ir.Instr) bool {
	for _, v := range append([]*ir.Value{in.Args[c.index], c.bound.V}, c.steps...) {
		if !origin(v).IsConst() {
			return false
		}
	}
	return true
}

// continues reports whether in counts on from where another loop ended.
func (c *counter) continues(in *ir.Instr) bool {
	first := in.Args[c.index]
	return first.Def != nil && first.Def.Op == ir.OpLoop
}

// isContinued reports whether the next loop counts on from where the one at s ends.
func (c *counter) isContinued(s site) bool {
	last := s.region.Code[s.at].Results[c.index]
	for _, in := range s.region.Code[s.at+1:] {
		if in.Op != ir.OpLoop {
			continue
		}
		for _, v := range in.Args {
			if v == last {
				return true
			}
		}
	}
	return false
}

// measure counts the instructions of a loop, and tells whether it holds loops and
// whether it reads, or waits for, neighbouring invocations.
func measure(in *ir.Instr) (size int, holds, convergent bool) {
	in.Sub[0].Walk(func(x *ir.Instr) {
		size++
		holds = holds || x.Op == ir.OpLoop
		convergent = convergent || x.Op == ir.OpDsx || x.Op == ir.OpDsy || x.Op == ir.OpFence
	})
	return size, holds, convergent
}

// decline says why a loop is left alone.
func (w *unroller) decline(in *ir.Instr, code, format string, args ...any) bool {
	w.c.Remarkf(in.Pos, code, "this loop is not unrolled: "+format, args...)
	return false
}
