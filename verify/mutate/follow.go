package mutate

import (
	"fmt"
	"maps"
	"strings"

	"github.com/shaderlift/shaderlift/asm/il"
)

// leave leaves the block at a depth of the stack of open blocks, with all blocks in it, and goes behind
// its end. Conditions of the block no longer hold; aL is again that of the loop around.
func (w *walk) leave(d *side, s, depth int) {
	f := d.open[depth]
	d.open, d.under = d.open[:depth], d.under[:f.under]
	if w.f[s].units[f.opener].role == il.Loop && f.al != 0 {
		d.env["aL"] = f.al
	}
	d.pc = w.nav[s].end[f.opener] + 1
}

// inner is the depth of the innermost block that a break (loop is false: loops and switches) or a
// continue (loop is true) of the current function is about, or -1.
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

// advance runs a side until it needs the other one or a decision: to the end, a cut loop, the end of a
// cut loop's body, or a fork, whose condition it gives. The side then stands before that statement.
func (w *walk) advance(p *path, s int) (event, int) {
	d, f := &p.side[s], w.f[s]
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
		if ev, cond := w.decide(d, s, u); ev != onward {
			return ev, cond
		}
	}
}

// decide executes a statement of flow by what is known of its condition: yes says that it takes effect,
// sure that this depends on no decision of the path. Conditions that were decided and not
// literals are noted in under, for operations that look at neighbouring fragments.
func (w *walk) decide(d *side, s int, u *unit) (event, int) {
	yes, sure := true, true
	switch u.role {
	case il.If, il.Break, il.Continue, il.Call, il.Return:
		if u.sure {
			break
		}
		cond, not, known := w.condition(d.env, u)
		// If-conversion: a branch without flow in it needs no fork.
		if !known && w.merge && u.role == il.If && w.nav[s].simple[d.pc] {
			w.both(d, s, cond, not)
			return onward, 0
		}
		if !known {
			w.noteOpen(d, s)
			return atFork, cond
		}
		yes, sure = w.decided(cond) != not, w.isLiteral(cond)
		if !sure {
			d.under = append(d.under, w.signed(cond, yes != not))
		}
	case il.Switch:
		return w.enterSwitch(d, s, u)
	}
	if yes || u.role == il.If {
		return w.turn(d, s, u, yes, sure), 0
	}
	if u.role == il.Call && !sure { // what follows is executed either way
		d.under = d.under[:len(d.under)-1]
	}
	d.pc++
	return onward, 0
}

// turn executes a statement of flow that takes effect, or an if whose condition has the outcome yes.
// Unless its condition is sure, the last element of under is that condition: it stays for
// the blocks that it guards, and goes when they are left.
func (w *walk) turn(d *side, s int, u *unit, yes, sure bool) event {
	nav := w.nav[s]
	outside := len(d.under)
	if !sure {
		outside--
	}
	switch u.role {
	case il.If:
		d.open = append(d.open, frame{opener: d.pc, under: outside})
		switch {
		case yes:
			d.pc++
		// Into the second side.
		case nav.middle[d.pc] >= 0:
			d.pc = nav.middle[d.pc] + 1
		default:
			d.pc = nav.end[d.pc]
		}
	// The end of the first side.
	case il.Else:
		d.pc = nav.end[nav.opener[d.pc]]
	case il.EndIf, il.EndSwitch:
		w.leave(d, s, len(d.open)-1)
	// A case that the case above falls into.
	case il.Case:
		d.pc++
	case il.Loop:
		return w.enterLoop(d, s, u)
	case il.EndLoop, il.Continue:
		return w.again(d, s)
	case il.Break:
		k := w.inner(d, s, false)
		if k < 0 {
			return lost
		}
		w.leave(d, s, k)
	case il.Call:
		to, ok := nav.entry[u.label]
		// Recursion: neither dialect nests calls so deep.
		if !ok || len(d.calls) > 32 {
			return lost
		}
		d.calls = append(d.calls, call{d.pc + 1, len(d.open), outside})
		d.pc = to
	case il.Return, il.EndFunc, il.EndMain, il.End, il.Func:
		n := len(d.calls)
		// The main program ends; statements behind it are functions.
		if n == 0 || u.role == il.Func {
			d.pc = len(w.f[s].units)
			break
		}
		back := d.calls[n-1]
		for k := len(d.open) - 1; k >= back.open; k-- {
			w.leave(d, s, k)
		}
		d.calls, d.under, d.pc = d.calls[:n-1], d.under[:back.under], back.pc
	default:
		return lost
	}
	return onward
}

// enterSwitch goes to the case that a switch chooses, or asks for the decision on the first case that
// is not known. The conditions of a switch are one: the case on the value.
func (w *walk) enterSwitch(d *side, s int, u *unit) (event, int) {
	to, cond, known := w.choose(d, s)
	if !known {
		w.noteOpen(d, s)
		return atFork, cond
	}
	d.open = append(d.open, frame{opener: d.pc, under: len(d.under)})
	d.under = append(d.under, w.cons("case "+w.f[s].units[to].label, w.arg(d.env, u.reads[0])))
	d.pc = to
	return onward, 0
}

// enterLoop goes into the first trip of a loop, unless it is cut. An unrolled loop of Direct3D 9 needs
// a literal count; otherwise the attempt is given up, with the loop noted for the next one to cut.
func (w *walk) enterLoop(d *side, s int, u *unit) event {
	ordinal, ends := w.nav[s].ordinal[d.pc], w.f[s].ends
	if w.cut[ordinal] {
		return atHead
	}
	// Setting steps beyond the limit tells samePaths that another attempt may succeed.
	if ends && u.trips == 0 || len(u.reads) > 0 {
		w.open[ordinal]++ // nothing here says how often
		w.steps = maxSteps + 1
		return lost
	}
	d.open = append(d.open, frame{opener: d.pc, under: len(d.under), al: w.place(d.env, "aL")})
	if ends && u.trips == 1 {
		w.leave(d, s, len(d.open)-1)
		return onward
	}
	w.setAL(d, u, 0)
	d.pc++
	return onward
}

// again ends a trip: of a cut loop that is an event, of an unrolled one it leads into the next trip, or
// behind the loop after the last one.
func (w *walk) again(d *side, s int) event {
	k := w.inner(d, s, true)
	if k < 0 {
		return lost
	}
	d.open = d.open[:k+1]
	f := &d.open[k]
	if f.cut > 0 {
		return atBack
	}
	f.trip++
	loop := &w.f[s].units[f.opener]
	switch {
	// trips is one more than there are.
	case w.f[s].ends && f.trip >= loop.trips-1:
		w.leave(d, s, k)
	case f.trip > maxTrips:
		w.steps = maxSteps + 1
		return lost
	default:
		w.setAL(d, loop, f.trip)
		d.pc = f.opener + 1
	}
	return onward
}

// sides are the statements of the two sides of the if at i, as half-open intervals.
func (n *navigation) sides(i int) (yes, no [2]int) {
	end := n.end[i]
	if m := n.middle[i]; m >= 0 {
		return [2]int{i + 1, m}, [2]int{m + 1, end}
	}
	return [2]int{i + 1, end}, [2]int{end, end}
}

// both executes a branch that only sets places on both sides, and gives each place a choice of its two
// values: if-conversion, which keeps the number of paths from doubling. The condition counts as
// decided within either side, so that nested branches on it fold.
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

// straight executes assignments and simple branches from part[0] to part[1]; it leaves pc there.
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

// noteOpen notes for the unrolled loops around a side that a condition in them was not known; cutMore
// reads it.
func (w *walk) noteOpen(d *side, s int) {
	for _, f := range d.open {
		if w.f[s].units[f.opener].role == il.Loop && f.cut == 0 {
			w.open[w.nav[s].ordinal[f.opener]]++
		}
	}
}

// setAL gives the loop counter aL its value in a trip: an opaque term of the trip and the loop's text,
// which names the i# that start and step come from.
func (w *walk) setAL(d *side, u *unit, trip int) {
	if strings.Contains(u.flow, " aL") {
		d.env["aL"] = w.cons(fmt.Sprint("aL of trip ", trip, " ", u.flow))
	}
}

// execute executes an assignment: all values are computed before the first place changes.
func (w *walk) execute(env map[string]int, u *unit) {
	values := make([]int, len(u.sets))
	for k := range u.sets {
		values[k] = w.set(env, &u.sets[k])
	}
	for k := range u.sets {
		env[u.sets[k].to] = values[k]
	}
}

// looksAround reports whether an operation of either dialect depends on neighbouring fragments: explicit
// derivatives, and fetches that compute their level of detail from derivatives of coordinates.
func looksAround(op string) bool {
	op, _, _ = strings.Cut(op, "|")
	switch {
	case strings.HasPrefix(op, "sample"), strings.HasPrefix(op, "texld"), strings.HasPrefix(op, "dsx"), strings.HasPrefix(op, "dsy"), op == "lod", op == "fetch4":
		return true
	}
	return false
}

// condition is what a statement of flow looks at, whether the statement takes effect where it does not
// hold, and whether its outcome is known on this path.
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

// choose finds the case that a switch goes to, the default or the end if none matches. Cases are compared
// in the order of the text; the first whose outcome is unknown is the condition to decide.
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

// decided is the outcome of a condition that is known; signed is the condition, or its negation, as a
// term of the list under.
func (w *walk) decided(cond int) bool    { yes, _ := w.value(cond); return yes }
func (w *walk) isLiteral(cond int) bool  { return strings.HasPrefix(w.key[cond], "=") }
func (w *walk) signed(c int, y bool) int { return w.cons(fmt.Sprint("is ", y), c) }
