package mutate

import "github.com/shaderlift/shaderlift/asm/il"

// link fills in next, the successors of each statement of flow, in one pass over the text and one over
// calls and returns. It reports whether blocks nest and functions exist.
func (f *flat) link() bool {
	l := linker{units: f.units, entries: map[string]int{}}
	function := "" // that statements belong to, empty for the main program
	for i := range f.units {
		if f.units[i].flow == "" {
			continue
		}
		switch f.units[i].role {
		case il.If:
			l.open(i, false)
		case il.Loop:
			l.open(i, true)
		case il.Switch:
			l.open(i, true)
			l.top().choosing = true
		case il.Else, il.Case:
			l.middle(i)
		case il.EndIf:
			l.close(i, false)
		case il.EndLoop, il.EndSwitch:
			l.close(i, true)
		case il.Break:
			l.leave(i)
		case il.Continue:
			l.repeat(i)
		case il.Call:
			l.calls = append(l.calls, i)
		case il.Func:
			function = f.units[i].label
			l.entries[function] = i + 1
			// The main program ends above the first function; a call enters behind the label.
			f.units[i].next = []int{len(f.units)}
		case il.Return, il.EndFunc, il.EndMain, il.End:
			l.returns = append(l.returns, exit{i, function})
		}
	}
	return l.finish()
}

// linker finds the control flow graph. It is a superset of the ways there are: any condition may have
// either outcome, and a return goes back behind any call of its function. For liveness that is sound.
type linker struct {
	units   []unit
	stack   []opened       // blocks that are open, the innermost last
	calls   []int          // statements that call
	returns []exit         // statements that return
	entries map[string]int // first statements of functions, by label
	broken  bool           // blocks do not nest, or a break or continue has none to leave
}

// exit is a statement that leaves a function.
type exit struct {
	at       int
	function string // its label, empty for the main program
}

// opened is a block whose end has not been seen.
type opened struct {
	at       int   // the statement that opens it
	loop     bool  // or a switch: what a break leaves
	middles  []int // its else, or its cases
	leaving  []int // breaks that leave it
	again    []int // continues of it
	choosing bool  // a switch
}

func (l *linker) open(i int, loop bool) {
	l.stack = append(l.stack, opened{at: i, loop: loop})
}

// top is the innermost open block; without one the program is broken.
func (l *linker) top() *opened {
	if len(l.stack) == 0 {
		l.broken = true
		return &opened{}
	}
	return &l.stack[len(l.stack)-1]
}

// middle notes an else or a case of the innermost block.
func (l *linker) middle(i int) { t := l.top(); t.middles = append(t.middles, i) }

// ways sets the successors of a statement: those in to and, if it has a condition, the next one.
func (l *linker) ways(i int, to ...int) {
	if !l.units[i].sure {
		to = append(to, i+1)
	}
	l.units[i].next = to
}

// leave notes a break with the innermost loop or switch.
func (l *linker) leave(i int) {
	for k := len(l.stack) - 1; k >= 0; k-- {
		if l.stack[k].loop {
			l.stack[k].leaving = append(l.stack[k].leaving, i)
			return
		}
	}
	l.broken = true
}

// repeat notes a continue with the innermost loop.
func (l *linker) repeat(i int) {
	for k := len(l.stack) - 1; k >= 0; k-- {
		if l.stack[k].loop && !l.stack[k].choosing {
			l.stack[k].again = append(l.stack[k].again, i)
			return
		}
	}
	l.broken = true
}

// close links the innermost block, which ends at statement i, and removes it from the stack: the
// statement that opens it, its middles and its end, breaks and continues.
func (l *linker) close(i int, loop bool) {
	t := *l.top()
	if l.broken {
		return
	}
	l.stack = l.stack[:len(l.stack)-1]
	ways := []int{t.at + 1}
	// A loop may make no trip, no case may match, and an if without else may not hold.
	if loop || len(t.middles) == 0 {
		ways = append(ways, i+1)
	}
	for _, m := range t.middles {
		ways = append(ways, m+1)
		l.units[m].next = []int{i + 1}
		if loop { // a case goes on, an else does not
			l.units[m].next = []int{m + 1}
		}
	}
	l.units[t.at].next = ways
	if loop && !t.choosing {
		// The back edge; the way out is for loops with a count.
		l.units[i].next = []int{t.at + 1, i + 1}
	}
	for _, e := range t.leaving {
		l.ways(e, i+1)
	}
	for _, e := range t.again {
		// The next trip, or the test at the end.
		l.ways(e, t.at+1, i)
	}
}

// finish links calls and returns: a return of a function leads behind any call of it,
// one of the main program to the end.
func (l *linker) finish() bool {
	behind := map[string][]int{"": {len(l.units)}}
	for _, c := range l.calls {
		f := l.units[c].label
		entry, ok := l.entries[f]
		if !ok {
			return false
		}
		behind[f] = append(behind[f], c+1)
		l.ways(c, entry)
	}
	for _, r := range l.returns {
		l.ways(r.at, behind[r.function]...)
	}
	return !l.broken && len(l.stack) == 0
}
