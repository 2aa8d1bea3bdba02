package ilgen

import (
	"bytes"
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
)

// function is a function that was made, and how deep in loops its first call stands. It must not be
// called from deeper ones: its own loops multiply with those around the call, and the kernel could run
// for very long.
type function struct {
	label int    // its number, unique but not dense
	code  []byte // its body as text
	loops int
	open  bool // still in the making
}

// context is what surrounds the place where the next statement goes. It is saved and restored around
// blocks.
type context struct {
	loops       int  // around it, those around the calls included
	calls       int  // functions around it
	mayBreak    bool // there is a loop within this body, which threads need not leave together
	mayContinue bool // and the loop has counted its trip, so that a continue cannot make it endless
	inSwitch    bool // rather than in a loop within it
	inFunc      bool
	parted      bool // threads may take different ways here, so that no barrier may stand
}

// Limits of nesting, and of functions in a kernel. Assumed: they keep run times short.
const (
	maxLoops = 3
	maxCalls = 3
	maxFuncs = 6
)

// block adds about n statements. It ends early where control leaves, as a rule; one time in ten unreachable
// statements follow. Each statement takes one of g.left, so that nested blocks share the size wanted.
func (g *gen) block(n int) {
	g.r.Repeat(n, func() bool {
		if n <= 0 || g.left <= 0 {
			return false
		}
		n--
		g.left--
		return !g.statement(n) || g.chance(10)
	})
}

// nest adds a block within another, of up to half of what is wanted around it.
func (g *gen) nest(n int) {
	g.depth++
	g.block(1 + g.r.IntN(n/2+1))
	g.depth--
}

// statement adds one statement or block; n is what is wanted beyond it. It reports whether control ends
// there. The shares are percentages; what does not apply here becomes another case below. Last makes
// arithmetic the simplest choice for shrinking.
func (g *gen) statement(n int) (left bool) {
	switch k := g.r.Last(100); {
	case k < 9 && len(g.resources) > 0:
		g.fetch()
	case k < 19:
		g.access()
	case g.o.Straight:
		g.arithmetic()
	case k < 24 && n > 1:
		g.conditional(n)
	case k < 28 && n > 2 && g.now.loops < maxLoops:
		g.loop(n)
	case k < 31 && n > 2:
		g.choice(n)
	case k < 34 && n > 2 && !g.o.NoCalls:
		g.call(n)
	case k < 38:
		return g.leave()
	default:
		g.arithmetic()
	}
	return false
}

// condition names a component that is zero or not: as a rule the outcome of a comparison, which it
// adds, else any integer.
func (g *gen) condition() string {
	if g.chance(30) {
		return g.component(integer)
	}
	at := fmt.Sprintf("r%d.%c", scratch, lanes[g.r.IntN(4)])
	if g.chance(50) && !g.o.NoInteger {
		g.line("%s %s, %s, %s", pick(g, "ilt", "ige", "ieq", "ult"), at, g.component(integer), g.component(integer))
	} else {
		g.line("%s %s, %s, %s", pick(g, "lt", "ge", "eq", "ne"), at, g.component(float), g.component(float))
	}
	return at
}

func (g *gen) relation() string { return pick(g, "eq", "ne", "ge", "gt", "le", "lt") }

// conditional adds an if, perhaps with an else.
func (g *gen) conditional(n int) {
	if g.chance(10) {
		g.line("ifc_relop(%s) %s, %s", g.relation(), g.component(float), g.component(float))
	} else {
		c := g.condition()
		g.line("if_logical%s %s", pick(g, "nz", "z"), c)
	}
	outer := g.now
	g.now.parted = true
	g.nest(n)
	if g.chance(50) {
		g.line("else")
		g.nest(n)
	}
	g.now = outer
	g.line("endif")
}

// counter takes a lane that nothing else uses, for the rest of the kernel.
func (g *gen) counter() string {
	at := fmt.Sprintf("r%d.%c", counterRegs+g.counters/4, lanes[g.counters%4])
	g.counters++
	return at
}

// loop adds a loop that counts up to a bound, in a lane of its own, by integers or floats:
//
//	mov r65.x, r20.0          ; zero, as the selection 0 gives
//	whileloop
//	    ...                   ; may break, must not continue
//	    iadd r65.x, r65.x, l101
//	    ige r62.y, r65.x, l102
//	    break_logicalnz r62.y
//	    ...                   ; may continue: the trip is counted and tested
//	endloop
//
// Counting and test come in either order. Either body may be missing, not both.
func (g *gen) loop(n int) {
	c := integer
	if g.chance(30) || g.o.NoInteger {
		c = float
	}
	count, bound, outer := g.counter(), "", g.now
	g.now.loops++
	g.now.inSwitch, g.now.mayContinue = false, false
	switch {
	// A bound from 0 to 3 that differs between threads.
	case c == integer && g.chance(40):
		bound = g.counter()
		g.line("iand %s, %s, %s", bound, g.component(integer), g.number(3))
		g.now.parted = true
	// A literal bound from 1 to 4: threads stay together unless they may break.
	case c == integer:
		bound = g.number(uint32(1 + g.r.IntN(4)))
		g.now.parted = outer.parted || g.chance(60)
	default:
		bound = g.number(0x3f800000 + uint32(g.r.IntN(5))<<22) // 1, 1.5, 2, 3, 4
		g.now.parted = true
	}
	g.now.mayBreak = g.now.parted
	g.line("mov %s, %s.0", count, g.reg(c))
	g.line("whileloop")
	where := g.r.IntN(4)
	if where > 0 {
		g.nest(n)
	}
	g.depth++
	if g.chance(50) {
		g.step(c, count)
		g.test(c, count, bound)
	} else {
		g.test(c, count, bound)
		g.step(c, count)
	}
	g.depth--
	if g.now.mayContinue = g.now.mayBreak; where < 3 {
		g.nest(n)
	}
	g.line("endloop")
	g.now = outer
}

// step counts.
func (g *gen) step(c class, count string) {
	if c == integer {
		g.line("iadd %s, %s, %s", count, count, g.number(1))
		return
	}
	g.line("add %s, %s, %s.1", count, count, g.reg(float))
}

// test leaves the loop when it has counted to the bound, by one of four forms of break.
func (g *gen) test(c class, count, bound string) {
	if c == float && g.chance(40) {
		g.line("breakc_relop(ge) %s, %s", count, bound)
		return
	}
	at := fmt.Sprintf("r%d.%c", scratch, lanes[g.r.IntN(4)])
	less, notLess := "ilt", "ige"
	if c == float {
		less, notLess = "lt", "ge"
	}
	switch g.r.IntN(4) {
	case 0:
		g.line("%s %s, %s, %s", less, at, count, bound)
		g.line("break_logicalz %s", at)
	case 1:
		g.line("%s %s, %s, %s", notLess, at, count, bound)
		g.line("if_logicalnz %s", at)
		g.depth++
		for range g.r.IntN(3) {
			g.arithmetic()
		}
		g.line("break")
		g.depth--
		g.line("endif")
	default:
		g.line("%s %s, %s, %s", notLess, at, count, bound)
		g.line("break_logicalnz %s", at)
	}
}

// choice adds a switch: with and without default, cases that share a body or fall into the next one, breaks
// anywhere. The value is mostly between 0 and 7, the cases between -1 and 7.
func (g *gen) choice(n int) {
	on := g.component(integer)
	if g.chance(80) {
		at := fmt.Sprintf("r%d.%c", scratch, lanes[g.r.IntN(4)])
		g.line("iand %s, %s, %s", at, on, g.number(pick(g, uint32(3), 7)))
		on = at
	}
	outer := g.now
	g.now.inSwitch, g.now.parted = true, true
	g.line("switch %s", on)
	values := g.r.Perm(9)[:1+g.r.IntN(4)]
	fallback := g.r.IntN(2 * (len(values) + 1)) // half the time there is none
	for i, v := range values {
		if i == fallback {
			g.line("default")
			g.body(n)
		}
		g.line("case %s", pick(g, fmt.Sprint(v-1), fmt.Sprint(v-1), fmt.Sprintf("0x%x", uint32(v-1))))
		if g.chance(85) {
			g.body(n)
		}
	}
	if fallback == len(values) {
		g.line("default")
		g.body(n)
	}
	g.line("endswitch")
	g.now = outer
}

// body adds what a case does.
func (g *gen) body(n int) {
	g.nest(n)
	if g.chance(75) {
		g.depth++
		g.line("break")
		g.depth--
	}
}

// leave adds a statement that leaves a block, a function or the kernel, where threads may part, and reports
// whether it leaves always. Threads leave the main program only where results stand from the start (early).
func (g *gen) leave() bool {
	if !g.now.parted {
		return false
	}
	mayReturn := g.now.inFunc || g.early
	switch k := g.r.IntN(10); {
	case k < 2 && g.now.inSwitch, k < 2 && g.now.mayBreak:
		g.line("break")
		return true
	case k < 5 && g.now.mayBreak && !g.now.inSwitch:
		g.exit("break")
	case k < 6 && g.now.mayContinue:
		g.line("continue")
		return true
	case k < 7 && g.now.mayContinue:
		g.exit("continue")
	case k < 8 && mayReturn && g.depth > 0:
		g.line("ret")
		return true
	case k < 9 && mayReturn:
		c := g.condition()
		g.line("ret_logical%s %s", pick(g, "nz", "z"), c)
	case g.o.Stage == il.Pixel:
		c := g.condition()
		g.line("discard_logical%s %s", pick(g, "nz", "z"), c)
	}
	return false
}

// exit adds a conditional break or continue.
func (g *gen) exit(op string) {
	if g.chance(25) {
		g.line("%sc_relop(%s) %s, %s", op, g.relation(), g.component(float), g.component(float))
		return
	}
	c := g.condition()
	g.line("%s_logical%s %s", op, pick(g, "nz", "z"), c)
}

// call adds a call of a function, one that is there or a new one.
func (g *gen) call(n int) {
	f := g.callee(n)
	if f == nil {
		return
	}
	if g.chance(30) {
		c := g.condition()
		g.line("call_logical%s %s, %d", pick(g, "nz", "z"), c, f.label)
		return
	}
	g.line("call %d", f.label)
}

// callee finds a function that may be called here, or makes one. A function may call those made after
// it, of which none is open: the call graph has no cycles.
func (g *gen) callee(n int) *function {
	first := 0
	for i, f := range g.funcs {
		if f.open {
			first = i + 1
		}
	}
	for _, f := range g.funcs[first:] {
		if g.now.loops <= f.loops && g.chance(60) {
			return f
		}
	}
	if len(g.funcs) == maxFuncs || g.now.calls == maxCalls {
		return nil
	}
	f := &function{label: 3*len(g.funcs) + g.r.IntN(3), loops: g.now.loops, open: true}
	g.funcs = append(g.funcs, f)
	// Its body is made right away, in a buffer of its own.
	outer, code, depth := g.now, g.code, g.depth
	g.now = context{loops: outer.loops, calls: outer.calls + 1, inFunc: true, parted: true}
	g.code, g.depth = bytes.Buffer{}, 0
	g.block(1 + g.r.IntN(n/2+1))
	f.code = g.code.Bytes()
	g.now, g.code, g.depth = outer, code, depth
	f.open = false
	return f
}
