package mutate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/il"
)

// samePaths reports whether two programs set what is read after them to the same terms
// on every path. It follows both at once: a condition that literals or earlier decisions
// do not decide splits the path, and what a path decided holds on it for both. Loops are
// followed trip by trip where that ends. Where it does not, they are cut: both have to
// stand before a loop with equal values of all that is live in it, then everything that
// the loop sets is unknown, and both have to come back to its start with equal values.
//
// It proves what [simulates] cannot: that branches without effects differ, that literals
// decide, that code moved over flow.
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

// maxSteps bounds the statements that are followed, maxTrips the trips of a loop.
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

// walk follows two programs.
type walk struct {
	terms
	f     [2]*flat
	nav   [2]*navigation
	live  [2][]map[string]bool // before every statement of flow's successor, by statement
	exits []string
	uses  map[int]bool // terms that something depends on, if that is asked for
	atEnd func(*path)  // is told of the ends of paths, if not nil
	merge bool         // a branch that only sets places does not split a path
	cut   map[int]bool // loops by their ordinal in the text
	open  map[int]int  // how often the outcome of a condition in a loop was not known
	steps int
	fresh int
}

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

// liveAt are the places that are live before each statement that begins a block, and at
// the end.
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

// cutMore chooses loops to cut in another attempt: those that a condition leaves which
// was not known, or else all.
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

// navigation is the block structure of a program.
type navigation struct {
	end, middle []int // of the statement that opens a block
	opener      []int // of the statement that closes it, or stands in its middle
	ordinal     map[int]int
	entry       map[string]int
	cases       map[int][]int
	simple      map[int]bool // branches around statements that set places, and such branches
}

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

// side is one side of a walk.
type side struct {
	pc    int
	env   map[string]int
	calls []call
	open  []frame
	under []int // conditions that the statement is executed under, and their negations
}

type call struct{ pc, open, under int }

// frame is a block that was entered.
type frame struct {
	opener int
	trip   int
	under  int // how many conditions there were outside
	cut    int // of a loop that is cut, its number
	al     int // what aL was outside
}

func (s *side) clone() side {
	c := *s
	c.env = maps.Clone(s.env)
	c.calls, c.open, c.under = slices.Clone(s.calls), slices.Clone(s.open), slices.Clone(s.under)
	return c
}

// path is a state of both sides.
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
	atEnd
	atFork // an unknown condition
	atHead // before a loop that is cut
	atBack // at the end of its body
	lost
)

// explore follows a path to its end, on all ways that it splits into.
func (w *walk) explore(p *path) bool {
	for {
		w.known = p.known
		var ev [2]event
		for s := range p.side {
			var cond int
			ev[s], cond = w.advance(p, s)
			switch {
			case ev[s] == lost || w.steps > maxSteps:
				return false
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

// carried are the places that the loops which both sides stand in or before may set, and
// that are live in or behind the loop of before.
func (w *walk) carried(b, a int) map[string]bool {
	m := w.setIn(0, b)
	maps.Copy(m, w.setIn(1, a))
	maps.DeleteFunc(m, func(place string, _ bool) bool {
		return !w.live[0][b+1][place] && !w.live[0][w.nav[0].end[b]+1][place]
	})
	return m
}

// agree reports whether both sides have equal values of what their loops carry.
func (w *walk) agree(p *path, carried map[string]bool) bool {
	for place := range carried {
		if w.at(p, 0, place) != w.at(p, 1, place) {
			return false
		}
	}
	return true
}

// inputsOf are the places whose first values the paths of a program depend on: what they
// decide, and what is there in the end. It reports whether they could all be followed.
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

// use notes all that a term depends on.
func (w *walk) use(n int) {
	if w.uses == nil || w.uses[n] {
		return
	}
	w.uses[n] = true
	for _, a := range w.args[n] {
		w.use(a)
	}
}

// enter cuts a loop that both sides stand before.
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
	w.fresh++
	start := maps.Clone(x.env)
	for s := range p.side {
		d := &p.side[s]
		for place := range w.setIn(s, d.pc) { // what is not carried is not read, and of no value that both know
			d.env[place] = w.cons(fmt.Sprint("#", w.fresh, " ", place, " of ", s))
		}
		for place := range carried {
			d.env[place] = w.cons(fmt.Sprint("#", w.fresh, " ", place))
		}
	}
	w.inRange(start, x.env, x.pc)
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
	// A loop that counts in a register may make no more trips.
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

// setIn are the places that a loop may set, with all functions where it calls one.
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
