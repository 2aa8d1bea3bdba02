package mutate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/il"
)

// samePaths reports whether two programs set their exits to the same terms on every path. It executes
// both at once, symbolically (King, CACM 1976): a condition that neither literals nor earlier
// decisions decide splits the path, and what a path decided holds on it for both programs.
//
// Loops are unrolled where their conditions are decided in each trip. Where they are not, they are
// cut, which is a proof by induction over the trips with equality as the invariant: both programs
// have to stand before a loop with equal values in all that the loops set and that is live; then
// each of these places gets a fresh value, the same on both sides; and both have to come back to
// the beginning of their loop with equal values again. All ways that leave the loop are followed
// from the fresh values.
//
// It proves what [simulates] cannot: that branches without effects differ, that literals decide, that
// code moved over flow. Up to four attempts are made: the first splits at every branch; the
// second executes simple branches both ways and chooses values (see both); the others cut loops, too.
func samePaths(b, a *flat, reals bool) bool {
	if b == nil || a == nil || b.frame != a.frame {
		return false
	}
	if !followable(b) || !followable(a) {
		return false
	}
	cut := map[int]bool{}
	for try := range 4 {
		w := newWalk(b, a, cut)
		w.reals = reals
		w.merge = try > 0
		same := w.explore(w.start())
		if same && w.steps <= maxSteps {
			return true
		}
		if try > 0 && (w.steps <= maxSteps || !w.cutMore()) {
			return false
		}
	}
	return false
}

// maxSteps bounds the statements that are followed on all paths of an attempt together, maxTrips the
// trips of a loop that is unrolled. Both are assumed.
const maxSteps, maxTrips = 20000, 300

// followable reports whether the flow is of the kinds that a walk knows.
func followable(f *flat) bool {
	for i := range f.units {
		if u := &f.units[i]; u.flow != "" && u.role == il.NoRole {
			return false
		}
	}
	return true
}

// walk follows two programs in step. Index 0 is the program before, 1 the one after. Both share the
// terms, so that equal values have equal numbers across the two.
type walk struct {
	terms
	f     [2]*flat
	nav   [2]*navigation
	live  [2][]map[string]bool // live places before the statements that begin blocks, by statement
	exits []string             // places that are compared at the end, those of either program
	uses  map[int]bool         // terms that something depends on, if that is asked for
	atEnd func(*path)          // is told of the ends of paths, if not nil
	merge bool                 // a branch that only sets places does not split a path
	cut   map[int]bool         // loops by their ordinal in the text
	open  map[int]int          // how often the outcome of a condition in a loop was not known
	steps int                  // statements followed; beyond maxSteps the attempt has failed
	fresh int                  // cut loops entered so far, which numbers their fresh values
}

// newWalk prepares an attempt; cut says which loops to cut, and is shared between attempts.
func newWalk(b, a *flat, cut map[int]bool) *walk {
	w := &walk{f: [2]*flat{b, a}, cut: cut, open: map[int]int{}}
	exits := map[string]bool{}
	for _, p := range slices.Concat(b.exits, a.exits) {
		exits[p] = true
	}
	w.exits = sortedKeys(exits)
	for s, f := range w.f {
		w.nav[s] = navigate(f)
		w.live[s] = f.liveAt(exits)
	}
	return w
}

// liveAt are the places that are live before each statement that begins a block, and at the end; nil
// for statements within blocks.
func (f *flat) liveAt(exits map[string]bool) []map[string]bool {
	list := blocks(f)
	in, _ := liveness(f, list, exits)
	at := make([]map[string]bool, len(f.units)+1)
	at[len(f.units)] = exits
	for i, b := range list {
		if b.from < len(at) && at[b.from] == nil {
			at[b.from] = in[i]
		}
	}
	return at
}

// cutMore chooses loops to cut in the next attempt: those with a condition in them that was not known,
// because unrolling them splits the path in each trip; if there are none left, all. It reports
// whether there are more than before.
func (w *walk) cutMore() bool {
	n := len(w.cut)
	for k := range w.open {
		w.cut[k] = true
	}
	if len(w.cut) == n {
		for s := range w.f {
			for _, k := range w.nav[s].ordinal {
				w.cut[k] = true
			}
		}
	}
	return len(w.cut) > n
}

// navigation is the block structure of a program: where statements of flow find their ends. Slices are
// indexed by statement.
type navigation struct {
	end, middle []int          // of the statement that opens a block: its end, and its else or -1
	opener      []int          // of the statement that closes a block, or stands in its middle
	ordinal     map[int]int    // of the statement that opens a loop, the number of the loop in the text
	entry       map[string]int // of a function's label, its first statement
	cases       map[int][]int  // of a switch, its cases in the text's order, the default among them
	simple      map[int]bool   // branches that contain assignments and such branches only
}

// navigate finds the block structure. The program's blocks are known to nest: link has succeeded.
func navigate(f *flat) *navigation {
	n := &navigation{make([]int, len(f.units)), make([]int, len(f.units)), make([]int, len(f.units)), map[int]int{}, map[string]int{}, map[int][]int{}, map[int]bool{}}
	var stack []int
	for i := range f.units {
		n.middle[i] = -1
		switch f.units[i].role {
		case il.If, il.Loop, il.Switch:
			stack = append(stack, i)
			if f.units[i].role == il.Loop {
				n.ordinal[i] = len(n.ordinal)
			}
		case il.Else:
			n.opener[i] = stack[len(stack)-1]
			n.middle[n.opener[i]] = i
		case il.Case:
			n.opener[i] = stack[len(stack)-1]
			n.cases[n.opener[i]] = append(n.cases[n.opener[i]], i)
		case il.EndIf, il.EndLoop, il.EndSwitch:
			n.opener[i] = stack[len(stack)-1]
			n.end[n.opener[i]] = i
			stack = stack[:len(stack)-1]
		case il.Func:
			n.entry[f.units[i].label] = i + 1
		}
	}
	for i := range f.units {
		if f.units[i].role == il.If {
			n.simple[i] = !slices.ContainsFunc(f.units[i:n.end[i]], func(u unit) bool {
				return u.flow != "" && u.role != il.If && u.role != il.Else && u.role != il.EndIf
			})
		}
	}
	return n
}

// side is the state of one program on a path.
type side struct {
	pc    int            // the next statement
	env   map[string]int // values of the places that were set; others hold "@place"
	calls []call         // return addresses, the innermost last
	open  []frame        // blocks that were entered, the innermost last, through all calls
	under []int          // conditions that the statement is executed under, and their negations
}

// call is a call that was entered: where to go on, and how many blocks were open and conditions held.
type call struct{ pc, open, under int }

// frame is a block that was entered and not yet left.
type frame struct {
	opener int // the statement that opened it
	trip   int // of a loop that is unrolled, the number of the trip, from 0
	under  int // how many conditions there were outside
	cut    int // of a loop that is cut, its number from 1; 0 for others
	al     int // what aL was outside
}

// clone is a copy for another path; nothing is shared that changes.
func (s *side) clone() side {
	c := *s
	c.env = maps.Clone(s.env)
	c.calls, c.open, c.under = slices.Clone(s.calls), slices.Clone(s.open), slices.Clone(s.under)
	return c
}

// path is a state of both programs, and what was decided on the way to it.
type path struct {
	side  [2]side
	known map[int]bool // conditions that were decided
}

func (w *walk) start() *path {
	return &path{[2]side{{env: map[string]int{}}, {env: map[string]int{}}}, map[int]bool{}}
}

// event is why a side stopped.
type event uint8

const (
	onward event = iota // it did not
	atEnd               // of the program
	atFork              // an unknown condition
	atHead              // before a loop that is cut
	atBack              // at the end of its body
	lost                // the flow is of a kind that is not followed, or there was too much of it
)

// explore follows a path to its end, on all ways that it splits into, and reports whether both sides
// agree everywhere. Each side runs alone to the next event; then the events of both have to match.
// A fork is no such event: it splits the path for both sides, and the side is run again with
// the condition decided. The number of paths is exponential in the number of independent branches;
// maxSteps ends that.
func (w *walk) explore(p *path) bool {
	for {
		// Terms are simplified by the decisions of this path alone.
		w.known = p.known
		var ev [2]event
		for s := range p.side {
			var cond int
			ev[s], cond = w.advance(p, s)
			switch {
			case ev[s] == lost || w.steps > maxSteps:
				return false
			// A side that stopped at a fork stands before its statement and goes on from there. The
			// other side, if it ran already, stays at its event.
			case ev[s] == atFork:
				w.use(cond)
				q := &path{[2]side{p.side[0].clone(), p.side[1].clone()}, maps.Clone(p.known)}
				p.known[cond], q.known[cond] = true, false
				return w.explore(p) && w.explore(q)
			}
		}
		if ev[0] != ev[1] {
			return false
		}
		switch ev[0] {
		// Exits are compared on this path; inputsOf and equalVaryings look at it as well.
		case atEnd:
			if w.atEnd != nil {
				w.atEnd(p)
			}
			for _, e := range w.exits {
				w.use(w.at(p, 0, e))
				if !w.agrees(w.at(p, 0, e), w.at(p, 1, e)) {
					return false
				}
			}
			return true
		// The step of the induction: equal again at the end of the trip.
		case atBack:
			x, y := &p.side[0], &p.side[1]
			fx, fy := x.open[len(x.open)-1], y.open[len(y.open)-1]
			return fx.cut == fy.cut && w.agree(p, w.carried(fx.opener, fy.opener))
		case atHead:
			if !w.enter(p) {
				return false
			}
		}
	}
}

// at is the value of a place.
func (w *walk) at(p *path, s int, place string) int { return w.place(p.side[s].env, place) }

// carried are the loop-carried places of a cut loop: what the loops that start at b and a may set, and
// that is live in the loop of the program before or behind it. These have to be equal in both
// programs whenever a trip begins. Liveness of the program before suffices: what it never reads
// again is no reason for a difference unless the other program reads it, and that shows in a term.
func (w *walk) carried(b, a int) map[string]bool {
	m := w.setIn(0, b)
	maps.Copy(m, w.setIn(1, a))
	maps.DeleteFunc(m, func(place string, _ bool) bool {
		return !w.live[0][b+1][place] && !w.live[0][w.nav[0].end[b]+1][place]
	})
	return m
}

// agree reports whether both sides have equal values in the carried places.
func (w *walk) agree(p *path, carried map[string]bool) bool {
	for place := range carried {
		if w.at(p, 0, place) != w.at(p, 1, place) {
			return false
		}
	}
	return true
}

// inputsOf are the places whose initial values some path depends on, in a condition that splits it or
// in an exit: the inputs of a program, by symbolic execution against itself. The second result is
// false if not all paths could be followed.
func inputsOf(f *flat) (map[string]bool, bool) {
	if !followable(f) {
		return nil, false
	}
	w := newWalk(f, f, map[int]bool{})
	w.uses = map[int]bool{}
	if !w.explore(w.start()) {
		return nil, false
	}
	read := map[string]bool{}
	for n := range w.key {
		if place, ok := strings.CutPrefix(w.key[n], "@"); ok && w.uses[n] {
			read[place] = true
		}
	}
	return read, true
}

// use notes a term and all that it is made of, where that is asked for.
func (w *walk) use(n int) {
	if w.uses == nil || w.uses[n] {
		return
	}
	w.uses[n] = true
	for _, a := range w.args[n] {
		w.use(a)
	}
}

// enter cuts a loop that both sides stand before: the base case of the induction and the assumption of
// its step. Both sides must be before the same statement of flow with equal operands and equal
// carried places.
func (w *walk) enter(p *path) bool {
	x, y := &p.side[0], &p.side[1]
	ux, uy := &w.f[0].units[x.pc], &w.f[1].units[y.pc]
	if ux.flow != uy.flow || len(ux.reads) != len(uy.reads) {
		return false
	}
	carried := w.carried(x.pc, y.pc)
	if !w.agree(p, carried) {
		return false
	}
	for k := range ux.reads {
		if w.arg(x.env, ux.reads[k]) != w.arg(y.env, uy.reads[k]) {
			return false
		}
	}
	// Forget what the loops set. What is not carried is dead, but the terms of one side must not
	// be taken for those of the other; hence " of 0" and " of 1".
	w.fresh++
	start := maps.Clone(x.env)
	for s := range p.side {
		d := &p.side[s]
		for place := range w.setIn(s, d.pc) {
			d.env[place] = w.cons(fmt.Sprint("#", w.fresh, " ", place, " of ", s))
		}
		for place := range carried {
			d.env[place] = w.cons(fmt.Sprint("#", w.fresh, " ", place))
		}
	}
	w.inRange(start, x.env, x.pc)
	// The body is executed under the condition that there is another trip, the same for both.
	more := w.cons(fmt.Sprint("#", w.fresh, " more"))
	for s := range p.side {
		d := &p.side[s]
		f := frame{opener: d.pc, under: len(d.under), cut: w.fresh, al: w.place(d.env, "aL")}
		d.open = append(d.open, f)
		d.under = append(d.under, more)
		if strings.Contains(ux.flow, " aL") {
			d.env["aL"] = w.cons(fmt.Sprint("#", w.fresh, " aL"))
		}
		d.pc++
	}
	if !w.f[0].ends {
		return true
	}
	// A rep or loop of Direct3D 9 may make no more trips from here: that way out is followed at once.
	// whileloop of AMD IL is left by statements in its body alone.
	q := &path{[2]side{p.side[0].clone(), p.side[1].clone()}, maps.Clone(p.known)}
	for s := range q.side {
		w.leave(&q.side[s], s, len(q.side[s].open)-1)
	}
	if !w.explore(q) {
		return false
	}
	w.known = p.known
	return true
}

// setIn are the places that a loop may set. If it calls a function, anything that is set anywhere: no
// call graph is built for so rare a case.
func (w *walk) setIn(s, loop int) map[string]bool {
	f, m := w.f[s], map[string]bool{}
	from, to := loop, w.nav[s].end[loop]
	for i := from; i < to; i++ {
		if f.units[i].role == il.Call {
			from, to = 0, len(f.units)
			break
		}
	}
	for i := from; i < to; i++ {
		for _, x := range f.units[i].sets {
			m[x.to] = true
		}
	}
	return m
}
