package mutate

import "github.com/shaderlift/shaderlift/asm/il"

// link finds where the statements of flow may lead to.
func (f *flat) link() bool {
	l := linker{units: f.units}
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
			l.entries = append(l.entries, i+1)
		case il.Return, il.EndFunc, il.EndMain, il.End:
			l.returns = append(l.returns, i)
		}
	}
	return l.finish()
}

// linker finds where statements of flow may lead to: a superset of the ways there are.
type linker struct {
	units   []unit
	stack   []opened
	calls   []int
	returns []int
	entries []int // first statements of functions
	broken  bool
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

// leave is a break, conditional or not: it may go on as well.
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
		l.units[e].next = []int{e + 1, i + 1}
	}
	for _, e := range t.again {
		l.units[e].next = []int{e + 1, t.at + 1, i}
	}
}

// finish links calls and returns: a return leads behind any call, or to the end.
func (l *linker) finish() bool {
	behind := []int{len(l.units)}
	for _, c := range l.calls {
		behind = append(behind, c+1)
		l.units[c].next = append([]int{c + 1}, l.entries...)
	}
	for _, r := range l.returns {
		l.units[r].next = append([]int{r + 1}, behind...)
	}
	return !l.broken && len(l.stack) == 0
}
