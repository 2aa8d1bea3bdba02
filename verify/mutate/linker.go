package mutate

import "github.com/shaderlift/shaderlift/asm/il"

// link finds where the statements of flow may lead to.
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
			f.units[i].next = []int{len(f.units)} // reached from above, not called
		case il.Return, il.EndFunc, il.EndMain, il.End:
			l.returns = append(l.returns, exit{i, function})
		}
	}
	return l.finish()
}

// linker finds where statements of flow may lead to: a superset of the ways there are.
type linker struct {
	units   []unit
	stack   []opened
	calls   []int
	returns []exit
	entries map[string]int // first statements of functions
	broken  bool
}

// exit is a statement that leaves a function.
type exit struct {
	at       int
	function string
}

type opened struct {
	at       int
	loop     bool // or a switch: what a break leaves
	middles  []int
	leaving  []int
	again    []int
	choosing bool // a switch
}

func (l *linker) open(i int, loop bool) {
	l.stack = append(l.stack, opened{at: i, loop: loop})
}

func (l *linker) top() *opened {
	if len(l.stack) == 0 {
		l.broken = true
		return &opened{}
	}
	return &l.stack[len(l.stack)-1]
}

// middle is an else or a case.
func (l *linker) middle(i int) { t := l.top(); t.middles = append(t.middles, i) }

// ways are where a statement may lead to: behind it if it has a condition.
func (l *linker) ways(i int, to ...int) {
	if !l.units[i].sure {
		to = append(to, i+1)
	}
	l.units[i].next = to
}

// leave is a break.
func (l *linker) leave(i int) {
	for k := len(l.stack) - 1; k >= 0; k-- {
		if l.stack[k].loop {
			l.stack[k].leaving = append(l.stack[k].leaving, i)
			return
		}
	}
	l.broken = true
}

// repeat is a continue.
func (l *linker) repeat(i int) {
	for k := len(l.stack) - 1; k >= 0; k-- {
		if l.stack[k].loop && !l.stack[k].choosing {
			l.stack[k].again = append(l.stack[k].again, i)
			return
		}
	}
	l.broken = true
}

// close is the end of the block that is open.
func (l *linker) close(i int, loop bool) {
	t := *l.top()
	if l.broken {
		return
	}
	l.stack = l.stack[:len(l.stack)-1]
	ways := []int{t.at + 1}
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
		l.units[i].next = []int{t.at + 1, i + 1}
	}
	for _, e := range t.leaving {
		l.ways(e, i+1)
	}
	for _, e := range t.again {
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
