package unroll

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Unroll implements loop unrolling.
var Unroll = &passes.Pass{
	Name: "unroll",
	Doc: `make several trips of a loop at a time

If literals decide the number of trips, factor=N makes N trips per test, with the remaining trips before the loop.
factor=full replaces the loop by all its trips. Otherwise factor=N inserts a loop of N trips at a time before the
loop, which runs the remaining trips. That needs one break on a comparison of a counter that moves towards a fixed
bound; a test before the loop excludes integer overflow. factor=auto replaces short loops, and else tries 2, 4, 8 and
16 and keeps the cheapest.

remainder=switch runs the remaining trips by branches before the loop, after AMD's tutorial. A counted loop of
Direct3D 9 needs a count in the program. Loops with derivatives or barriers must make the same number of trips for a
whole group. maxsize bounds the instructions of the result, an eighth of that for factor=auto.`,
	Class: passes.Terms,
	Options: []passes.Option{
		{Name: "factor", Default: "auto", Words: []string{"auto", "full"}, Number: true, Least: 1,
			Doc: "trips at a time: a number, full or auto"},
		{Name: "remainder", Default: "loop", Words: []string{"loop", "switch"},
			Doc: "trips that are left over: a loop behind, or branches before"},
		{Name: "maxsize", Default: "4096", Doc: "instructions that a loop may become"},
		{Name: "inner", Default: "true", Doc: "leave loops alone that hold loops"},
	},
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		for i := range u.Funcs() {
			w := &unroller{c: c, u: u, which: i}
			w.unrollLoops()
		}
		return nil
	},
}

// unroller visits the loops of one program.
type unroller struct {
	c       *passes.Ctx
	u       *passes.Unit
	which   int // index among the programs of u
	priced  int // units priced so far
	weighed int // instructions in them
	trial   passes.Cloner

	list []loop   // the loops of of, recomputed when of changes
	of   *ir.Func // the program
}

// nth returns the k-th loop.
func (w *unroller) nth(k int) *loop {
	if f := w.u.Funcs()[w.which]; w.of != f {
		w.list, w.of = loops(f), f
	}
	return &w.list[k]
}

func (w *unroller) unrollLoops() {
	f := w.u.Funcs()[w.which]
	changed := false
	// Loops are numbered in program order and visited from the last on, so that unrolling one does
	// not change the numbers of those still to visit.
	for k := len(loops(f)) - 1; k >= 0; k-- {
		if w.unrollLoop(k) {
			changed, w.of = true, nil
		}
	}
	if changed {
		cleanup.Sweep(f)
	}
}

// unrollLoop unrolls the k-th loop and reports whether it did. Otherwise it remarks why not.
func (w *unroller) unrollLoop(k int) bool {
	l := w.nth(k)
	var holds, convergent bool
	l.size, holds, convergent = measure(l.in, w.of.Dialect)
	if holds && w.c.Bool("inner") {
		return w.decline(l, "nested", "it contains loops")
	}
	l.analyze()
	switch option := w.c.Option("factor"); option {
	case "full":
		return w.unrollFully(k, l)
	case "auto":
		if l.open == nil && l.trips <= autoTrips && w.withinSize(l, all) && w.paysOff(k, l) {
			return w.unrollFully(k, l)
		}
		if !w.ready(l, convergent) {
			return false
		}
		n := w.cheapestFactor(k, l)
		if n == 0 {
			return w.decline(l, "cost", "no factor that was tried is cheaper")
		}
		return w.times(k, l, n)
	default:
		n, _ := strconv.Atoi(option)
		return w.ready(l, convergent) && n >= 2 && w.times(k, l, n)
	}
}

// all is the factor for full unrolling.
const all = maxTrips + 1

// unrollFully replaces l, the k-th loop, by all its trips.
func (w *unroller) unrollFully(k int, l *loop) bool {
	if l.open != nil {
		return w.decline(l, "trip-count", "%v", l.open)
	}
	return w.times(k, l, all)
}

// ready reports whether l can be unrolled by a factor.
func (w *unroller) ready(l *loop, convergent bool) bool {
	if l.open == nil {
		return true
	}
	if len(l.in.Src) > 0 {
		return w.decline(l, "trip-count", "%v", l.open)
	}
	if l.exit == nil {
		return w.decline(l, "exit", "%v", l.open)
	}
	var err error
	l.count, err = l.exit.counted(l.in)
	switch {
	case !w.c.Allows(passes.Bits, l.in):
		return w.decline(l, "numerics", "another way to count keeps the bits, but not all terms")
	case err != nil:
		return w.decline(l, "not-counted", "%v", err)
	case convergent && !l.count.uniform(l.in, w.of.Dialect):
		return w.decline(l, "convergent", "it needs neighbouring invocations, which may make fewer trips")
	case l.count.continues(l.in) || l.count.isContinued(l):
		return w.decline(l, "unrolled", "it was already unrolled, or has the remaining trips")
	}
	return true
}

// times unrolls l, the k-th loop, by n.
func (w *unroller) times(k int, l *loop, n int) bool {
	if code, err := w.checkFits(l, n); err != nil {
		return w.decline(l, code, "%v", err)
	}
	if err := w.unwritable(k, l, n); err != nil {
		return w.decline(l, "unfit", "the result cannot be written: %v", err)
	}
	by := n
	if l.open == nil {
		by = min(n, l.trips+1)
	}
	if !w.c.ShouldRewrite(l.in, "copies-of-body", "unrolled by "+strconv.Itoa(by)) {
		return false
	}
	w.rewrite(w.u.Funcs()[w.which], l, n)
	return true
}

// checkFits returns an error if l unrolled by n is too large or cannot be shown to be right.
func (w *unroller) checkFits(l *loop, n int) (code asm.Code, err error) {
	switch at := min(n, l.trips); {
	case !w.withinSize(l, n):
		return "too-large", fmt.Errorf("%d copies of %d instructions", l.copies(n), l.size)
	case l.count != nil && w.switches():
		return "remainder", l.count.switchable(n)
	case l.count != nil:
		return "range", l.count.bounded(l.in, n)
	case !l.stays:
		return "", nil
	case l.trips == 1:
		return "unrolled", errors.New("it makes one trip")
	case l.trips%at != 0:
		return "exit", fmt.Errorf("it has an early exit or counts addresses, and its %d trips are not a multiple of %d",
			l.trips, at)
	default:
		return "address", l.shiftable(at)
	}
}

// unwritable returns an error if the program cannot be emitted with l unrolled by n but can be
// emitted now. One loop that takes too much must not cost the gain of the others. If the current
// program does not fit either, the unrolling is not to blame.
func (w *unroller) unwritable(k int, l *loop, n int) error {
	if w.c.Measure == nil {
		return nil
	}
	_, err := w.priceUnrolled(k, l, n)
	if err != nil {
		if _, now := w.price(w.u); now != nil {
			return nil
		}
	}
	return err
}

// rewrite unrolls l, a loop of f, by n.
func (w *unroller) rewrite(f *ir.Func, l *loop, n int) {
	m := &copier{f: f}
	switch {
	case l.open != nil && w.switches():
		m.switched(l, n)
	case l.open != nil:
		l.count.partial(f, l, n)
	case l.stays:
		m.exact(l, min(n, l.trips), false)
	case l.trips < 2*n:
		m.unrollFully(l)
	default:
		merge(f, l)
		m.exact(l, n, w.c.Allows(passes.Bits, l.in))
	}
}

func (w *unroller) switches() bool { return w.c.Option("remainder") == "switch" }

// continues reports whether in counts on from the end of another loop: it is the remainder loop of
// an earlier unrolling.
func (c *counter) continues(in *ir.Instr) bool {
	first := in.Args[c.index]
	return first.Def != nil && first.Def.Op == ir.OpLoop
}

// isContinued reports whether the next loop counts on from where l ends.
func (c *counter) isContinued(l *loop) bool {
	last := l.in.Results[c.index]
	for _, in := range l.region.Code[l.at+1:] {
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

// decline remarks why a loop is not unrolled, and returns false.
func (w *unroller) decline(l *loop, code asm.Code, format string, args ...any) bool {
	w.c.Remarkf(l.in.Pos, code, "this loop is not unrolled: "+format, args...)
	return false
}
