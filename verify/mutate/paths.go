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
		if w.steps <= maxSteps {
			return same
		}
		if try > 0 && !w.cutMore() {
			return false
		}
	}
	return false
}

// maxSteps bounds the statements that are followed, maxTrips the trips of a loop.
const maxSteps, maxTrips = 10000, 300

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
	atEnd  event = iota
	atFork       // an unknown condition
	atHead       // before a loop that is cut
	atBack       // at the end of its body
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
			for _, e := range w.exits {
				w.use(w.at(p, 0, e))
				if w.at(p, 0, e) != w.at(p, 1, e) {
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
	for s := range p.side {
		d := &p.side[s]
		for place := range w.setIn(s, d.pc) { // what is not carried is not read, and of no value that both know
			d.env[place] = w.cons(fmt.Sprint("#", w.fresh, " ", place, " of ", s))
		}
		for place := range carried {
			d.env[place] = w.cons(fmt.Sprint("#", w.fresh, " ", place))
		}
	}
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

// leave goes behind the end of the block at a depth.
func (w *walk) leave(d *side, s, depth int) {
	f := d.open[depth]
	d.open, d.under = d.open[:depth], d.under[:f.under]
	if w.f[s].units[f.opener].role == il.Loop && f.al != 0 {
		d.env["aL"] = f.al
	}
	d.pc = w.nav[s].end[f.opener] + 1
}

// inner is the depth of the innermost block that a break or a continue is about, or -1.
func (w *walk) inner(d *side, s int, loop bool) int {
	from := 0
	if n := len(d.calls); n > 0 {
		from = d.calls[n-1].open
	}
	for k := len(d.open) - 1; k >= from; k-- {
		switch w.f[s].units[d.open[k].opener].role {
		case il.Loop:
			return k
		case il.Switch:
			if !loop {
				return k
			}
		}
	}
	return -1
}

// advance follows a side to where it needs the other one, or a decision.
func (w *walk) advance(p *path, s int) (event, int) {
	d, f, nav := &p.side[s], w.f[s], w.nav[s]
	for {
		if w.steps++; w.steps > maxSteps {
			return lost, 0
		}
		if d.pc >= len(f.units) {
			return atEnd, 0
		}
		u := &f.units[d.pc]
		if u.flow == "" {
			w.under = d.under
			w.execute(d.env, u)
			d.pc++
			continue
		}
		yes, sure := true, true
		switch u.role {
		case il.If, il.Break, il.Continue, il.Call, il.Return:
			if !u.sure {
				cond, not, known := w.condition(d.env, u)
				if !known && w.merge && u.role == il.If && nav.simple[d.pc] {
					w.both(d, s, cond, not)
					continue
				}
				if !known {
					w.noteOpen(d, s)
					return atFork, cond
				}
				yes, sure = w.decided(cond) != not, w.isLiteral(cond)
				if !sure {
					d.under = append(d.under, w.signed(cond, yes != not))
				}
			}
		}
		switch u.role {
		case il.If:
			under := len(d.under)
			if !sure {
				under--
			}
			d.open = append(d.open, frame{opener: d.pc, under: under})
			switch {
			case yes:
				d.pc++
			case nav.middle[d.pc] >= 0:
				d.pc = nav.middle[d.pc] + 1
			default:
				d.pc = nav.end[d.pc]
			}
		case il.Else:
			d.pc = nav.end[nav.opener[d.pc]]
		case il.EndIf, il.EndSwitch:
			w.leave(d, s, len(d.open)-1)
		case il.Case:
			d.pc++
		case il.Switch:
			to, cond, known := w.choose(d, s)
			if !known {
				w.noteOpen(d, s)
				return atFork, cond
			}
			d.open = append(d.open, frame{opener: d.pc, under: len(d.under)})
			d.under = append(d.under, w.cons("case "+f.units[to].label, w.arg(d.env, u.reads[0])))
			d.pc = to
		case il.Loop:
			if w.cut[nav.ordinal[d.pc]] {
				return atHead, 0
			}
			if f.ends && u.trips == 0 || u.role == il.Loop && len(u.reads) > 0 {
				w.open[nav.ordinal[d.pc]]++ // nothing here says how often
				w.steps = maxSteps + 1
				return lost, 0
			}
			d.open = append(d.open, frame{opener: d.pc, under: len(d.under), al: w.place(d.env, "aL")})
			if f.ends && u.trips == 1 {
				w.leave(d, s, len(d.open)-1)
				continue
			}
			w.setAL(d, u, 0)
			d.pc++
		case il.EndLoop, il.Continue:
			if u.role == il.Continue && !yes {
				d.pc++
				continue
			}
			k := w.inner(d, s, true)
			if k < 0 {
				return lost, 0
			}
			d.open = d.open[:k+1]
			if d.open[k].cut > 0 {
				return atBack, 0
			}
			loop := &f.units[d.open[k].opener]
			d.open[k].trip++
			switch {
			case f.ends && d.open[k].trip >= loop.trips-1:
				w.leave(d, s, k)
			case d.open[k].trip > maxTrips:
				w.steps = maxSteps + 1
				return lost, 0
			default:
				w.setAL(d, loop, d.open[k].trip)
				d.pc = d.open[k].opener + 1
			}
		case il.Break:
			if !yes {
				d.pc++
				continue
			}
			k := w.inner(d, s, false)
			if k < 0 {
				return lost, 0
			}
			w.leave(d, s, k)
		case il.Call:
			if !yes {
				d.under = d.under[:len(d.under)-b2i(!sure)]
				d.pc++
				continue
			}
			to, ok := nav.entry[u.label]
			if !ok || len(d.calls) > 32 {
				return lost, 0
			}
			d.calls = append(d.calls, call{d.pc + 1, len(d.open), len(d.under) - b2i(!sure)})
			d.pc = to
		case il.Return, il.EndFunc, il.EndMain, il.End, il.Func:
			if !yes {
				d.pc++
				continue
			}
			n := len(d.calls)
			if n == 0 || u.role == il.Func {
				d.pc = len(f.units)
				continue
			}
			back := d.calls[n-1]
			for k := len(d.open) - 1; k >= back.open; k-- {
				w.leave(d, s, k)
			}
			d.calls, d.under, d.pc = d.calls[:n-1], d.under[:back.under], back.pc
		default:
			return lost, 0
		}
	}
}

// sides are the statements of the two sides of a branch, from and to.
func (n *navigation) sides(i int) (yes, no [2]int) {
	end := n.end[i]
	if m := n.middle[i]; m >= 0 {
		return [2]int{i + 1, m}, [2]int{m + 1, end}
	}
	return [2]int{i + 1, end}, [2]int{end, end}
}

// both executes a branch that only sets places, both ways, and goes behind it.
func (w *walk) both(d *side, s, cond int, not bool) {
	var env [2]map[string]int
	yes, no := w.nav[s].sides(d.pc)
	for k, part := range [][2]int{no, yes} {
		w.known[cond] = k == 1 != not
		c := side{env: maps.Clone(d.env), under: append(d.under[:len(d.under):len(d.under)], w.signed(cond, w.known[cond]))}
		w.straight(&c, s, part)
		env[k] = c.env
	}
	delete(w.known, cond)
	for _, e := range env {
		for p := range e {
			d.env[p] = w.either(cond, not, w.place(env[1], p), w.place(env[0], p))
		}
	}
	d.pc = w.nav[s].end[d.pc] + 1
}

// straight executes statements that set places, and branches around such.
func (w *walk) straight(d *side, s int, part [2]int) {
	for d.pc = part[0]; d.pc < part[1]; {
		w.steps++
		u := &w.f[s].units[d.pc]
		if u.role != il.If {
			w.under = d.under
			w.execute(d.env, u)
			d.pc++
			continue
		}
		cond, not, known := w.condition(d.env, u)
		if !known {
			w.both(d, s, cond, not)
			continue
		}
		yes, no := w.nav[s].sides(d.pc)
		if w.decided(cond) == not {
			yes = no
		}
		c := side{env: d.env, under: d.under}
		if !w.isLiteral(cond) {
			c.under = append(d.under[:len(d.under):len(d.under)], w.signed(cond, w.decided(cond)))
		}
		w.straight(&c, s, yes)
		d.pc = w.nav[s].end[d.pc] + 1
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// noteOpen says of the loops around that something in them was not known.
func (w *walk) noteOpen(d *side, s int) {
	for _, f := range d.open {
		if w.f[s].units[f.opener].role == il.Loop && f.cut == 0 {
			w.open[w.nav[s].ordinal[f.opener]]++
		}
	}
}

// setAL gives aL its value in a trip of a loop that counts it.
func (w *walk) setAL(d *side, u *unit, trip int) {
	if strings.Contains(u.flow, " aL") {
		d.env["aL"] = w.cons(fmt.Sprint("aL of trip ", trip, " ", u.flow))
	}
}

// execute sets places.
func (w *walk) execute(env map[string]int, u *unit) {
	values := make([]int, len(u.sets))
	for k := range u.sets {
		values[k] = w.set(env, &u.sets[k])
	}
	for k := range u.sets {
		env[u.sets[k].to] = values[k]
	}
}

// looksAround reports whether an operation of either dialect depends on what neighbouring
// fragments compute, and so on the conditions that it is executed under.
func looksAround(op string) bool {
	op, _, _ = strings.Cut(op, "|")
	switch {
	case strings.HasPrefix(op, "sample"), strings.HasPrefix(op, "texld"), strings.HasPrefix(op, "dsx"), strings.HasPrefix(op, "dsy"), op == "lod", op == "fetch4":
		return true
	}
	return false
}

// condition is what a statement of flow looks at, and whether its outcome is known.
func (w *walk) condition(env map[string]int, u *unit) (cond int, not, known bool) {
	if u.taken > 0 {
		return w.cons("=" + allBits(u.taken == 1)), false, true
	}
	switch {
	case strings.HasPrefix(u.rel, "bool"):
		cond = w.cons(u.rel)
	case u.rel == "nz":
		cond, not = w.truth(w.arg(env, u.reads[0]))
	default:
		cond, not = w.relation(u.rel, w.arg(env, u.reads[0]), w.arg(env, u.reads[1]))
	}
	_, known = w.value(cond)
	return cond, not != u.not, known
}

// choose finds the case that a switch goes to.
func (w *walk) choose(d *side, s int) (to, cond int, known bool) {
	u := &w.f[s].units[d.pc]
	if len(u.reads) != 1 {
		return 0, 0, true
	}
	value := w.arg(d.env, u.reads[0])
	to = w.nav[s].end[d.pc]
	for _, c := range w.nav[s].cases[d.pc] {
		k := &w.f[s].units[c]
		if k.label == "" { // default
			if to == w.nav[s].end[d.pc] {
				to = c
			}
			continue
		}
		cond, not := w.relation("ieq", value, w.cons("="+k.label))
		yes, known := w.value(cond)
		if !known {
			return 0, cond, false
		}
		if yes != not {
			return c, 0, true
		}
	}
	return to, 0, true
}

func (w *walk) decided(cond int) bool    { yes, _ := w.value(cond); return yes }
func (w *walk) isLiteral(cond int) bool  { return strings.HasPrefix(w.key[cond], "=") }
func (w *walk) signed(c int, y bool) int { return w.cons(fmt.Sprint("is ", y), c) }
