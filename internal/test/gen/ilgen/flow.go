package ilgen

import (
	"bytes"
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
)

// function is a generated function with the loop depth of its first call. It must not be called from deeper
// loops: its own loops multiply with those around the call, and the kernel could run for very long.
type function struct {
	label int    // its number, unique but not dense
	code  []byte // its body as text
	loops int
	open  bool // not complete yet
}

// context describes the surroundings of the next statement. Blocks save and restore it.
type context struct {
	loops       int  // around it, including those around the calls
	calls       int  // functions around it
	mayBreak    bool // this body has a loop that threads may leave separately
	mayContinue bool // the loop has counted its trip, so that a continue cannot make it endless
	inSwitch    bool // in a switch inside the innermost loop
	inFunc      bool
	parted      bool // control flow may diverge here, so barriers are not allowed
}

// Limits of nesting, and of functions in a kernel. Assumed: they keep run times short.
const (
	maxLoops = 3
	maxCalls = 3
	maxFuncs = 6
)

// block adds about n statements. It usually ends early where control leaves; one time in ten unreachable
// statements follow. Each statement takes one of g.left, so that nested blocks share the requested size.
func (g *generator) block(n int) {
	g.r.Repeat(n, func() bool {
		if n <= 0 || g.left <= 0 {
			return false
		}
		n--
		g.left--
		return !g.statement(n) || g.chance(10)
	})
}

// addNested adds a nested block of up to half of the statements remaining around it.
func (g *generator) addNested(n int) {
	g.depth++
	g.block(1 + g.r.IntN(n/2+1))
	g.depth--
}

// statement adds one statement or block; n is the number of statements wanted after it. It reports whether
// control ends there. The shares are percentages; a case that does not apply falls through to a later one.
// Last makes arithmetic the simplest choice for shrinking.
func (g *generator) statement(n int) (left bool) {
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
		g.addLoop(n)
	case k < 31 && n > 2:
		g.choice(n)
	case k < 34 && n > 2 && !g.o.NoCalls:
		g.addCall(n)
	case k < 38:
		return g.leave()
	default:
		g.arithmetic()
	}
	return false
}

// condition names a component that is zero or not: usually the result of a comparison, which it adds, else
// any integer.
func (g *generator) condition() string {
	if g.chance(30) {
		return g.component(integer)
	}
	at := fmt.Sprintf("r%d.%c", scratch, lanes[g.r.IntN(4)])
	if g.chance(50) && !g.o.NoInteger {
		g.addLine("%s %s, %s, %s", pickOne(g, "ilt", "ige", "ieq", "ult"), at, g.component(integer), g.component(integer))
	} else {
		g.addLine("%s %s, %s, %s", pickOne(g, "lt", "ge", "eq", "ne"), at, g.component(float), g.component(float))
	}
	return at
}

func (g *generator) relation() string { return pickOne(g, "eq", "ne", "ge", "gt", "le", "lt") }

// conditional adds an if, possibly with an else.
func (g *generator) conditional(n int) {
	if g.chance(10) {
		g.addLine("ifc_relop(%s) %s, %s", g.relation(), g.component(float), g.component(float))
	} else {
		c := g.condition()
		g.addLine("if_logical%s %s", pickOne(g, "nz", "z"), c)
	}
	outer := g.now
	g.now.parted = true
	g.addNested(n)
	if g.chance(50) {
		g.addLine("else")
		g.addNested(n)
	}
	g.now = outer
	g.addLine("endif")
}

// counter reserves a lane for the rest of the kernel.
func (g *generator) counter() string {
	at := fmt.Sprintf("r%d.%c", counterRegs+g.counters/4, lanes[g.counters%4])
	g.counters++
	return at
}

// addLoop adds a loop that counts up to a bound in a separate lane, with integers or floats:
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
// Counting and test come in either order. One of the two bodies may be missing.
func (g *generator) addLoop(n int) {
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
		g.addLine("iand %s, %s, %s", bound, g.component(integer), g.number(3))
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
	g.addLine("mov %s, %s.0", count, g.pickRegister(c))
	g.addLine("whileloop")
	where := g.r.IntN(4)
	if where > 0 {
		g.addNested(n)
	}
	g.depth++
	if g.chance(50) {
		g.incrementCounter(c, count)
		g.addLoopTest(c, count, bound)
	} else {
		g.addLoopTest(c, count, bound)
		g.incrementCounter(c, count)
	}
	g.depth--
	if g.now.mayContinue = g.now.mayBreak; where < 3 {
		g.addNested(n)
	}
	g.addLine("endloop")
	g.now = outer
}

// incrementCounter increments the counter.
func (g *generator) incrementCounter(c class, count string) {
	if c == integer {
		g.addLine("iadd %s, %s, %s", count, count, g.number(1))
		return
	}
	g.addLine("add %s, %s, %s.1", count, count, g.pickRegister(float))
}

// addLoopTest leaves the loop when the counter reaches the bound, by one of four forms of break.
func (g *generator) addLoopTest(c class, count, bound string) {
	if c == float && g.chance(40) {
		g.addLine("breakc_relop(ge) %s, %s", count, bound)
		return
	}
	at := fmt.Sprintf("r%d.%c", scratch, lanes[g.r.IntN(4)])
	less, notLess := "ilt", "ige"
	if c == float {
		less, notLess = "lt", "ge"
	}
	switch g.r.IntN(4) {
	case 0:
		g.addLine("%s %s, %s, %s", less, at, count, bound)
		g.addLine("break_logicalz %s", at)
	case 1:
		g.addLine("%s %s, %s, %s", notLess, at, count, bound)
		g.addLine("if_logicalnz %s", at)
		g.depth++
		for range g.r.IntN(3) {
			g.arithmetic()
		}
		g.addLine("break")
		g.depth--
		g.addLine("endif")
	default:
		g.addLine("%s %s, %s, %s", notLess, at, count, bound)
		g.addLine("break_logicalnz %s", at)
	}
}

// choice adds a switch: with or without default, with cases that share a body or fall through, and breaks
// anywhere. The value is mostly between 0 and 7, the cases between -1 and 7.
func (g *generator) choice(n int) {
	on := g.component(integer)
	if g.chance(80) {
		at := fmt.Sprintf("r%d.%c", scratch, lanes[g.r.IntN(4)])
		g.addLine("iand %s, %s, %s", at, on, g.number(pickOne(g, uint32(3), 7)))
		on = at
	}
	outer := g.now
	g.now.inSwitch, g.now.parted = true, true
	g.addLine("switch %s", on)
	values := g.r.Perm(9)[:1+g.r.IntN(4)]
	fallback := g.r.IntN(2 * (len(values) + 1)) // half the time there is none
	for i, v := range values {
		if i == fallback {
			g.addLine("default")
			g.addCaseBody(n)
		}
		g.addLine("case %s", pickOne(g, fmt.Sprint(v-1), fmt.Sprint(v-1), fmt.Sprintf("0x%x", uint32(v-1))))
		if g.chance(85) {
			g.addCaseBody(n)
		}
	}
	if fallback == len(values) {
		g.addLine("default")
		g.addCaseBody(n)
	}
	g.addLine("endswitch")
	g.now = outer
}

// addCaseBody adds the body of a case.
func (g *generator) addCaseBody(n int) {
	g.addNested(n)
	if g.chance(75) {
		g.depth++
		g.addLine("break")
		g.depth--
	}
}

// leave adds a statement that leaves a block, a function or the kernel, where control flow may diverge. It
// reports whether the statement always leaves. Threads leave the main program only if results are stored
// from the start (early).
func (g *generator) leave() bool {
	if !g.now.parted {
		return false
	}
	mayReturn := g.now.inFunc || g.early
	switch k := g.r.IntN(10); {
	case k < 2 && g.now.inSwitch, k < 2 && g.now.mayBreak:
		g.addLine("break")
		return true
	case k < 5 && g.now.mayBreak && !g.now.inSwitch:
		g.addExit("break")
	case k < 6 && g.now.mayContinue:
		g.addLine("continue")
		return true
	case k < 7 && g.now.mayContinue:
		g.addExit("continue")
	case k < 8 && mayReturn && g.depth > 0:
		g.addLine("ret")
		return true
	case k < 9 && mayReturn:
		c := g.condition()
		g.addLine("ret_logical%s %s", pickOne(g, "nz", "z"), c)
	case g.o.Stage == il.Pixel:
		c := g.condition()
		g.addLine("discard_logical%s %s", pickOne(g, "nz", "z"), c)
	}
	return false
}

// addExit adds a conditional break or continue.
func (g *generator) addExit(op string) {
	if g.chance(25) {
		g.addLine("%sc_relop(%s) %s, %s", op, g.relation(), g.component(float), g.component(float))
		return
	}
	c := g.condition()
	g.addLine("%s_logical%s %s", op, pickOne(g, "nz", "z"), c)
}

// addCall adds a call of an existing or new function.
func (g *generator) addCall(n int) {
	f := g.callee(n)
	if f == nil {
		return
	}
	if g.chance(30) {
		c := g.condition()
		g.addLine("call_logical%s %s, %d", pickOne(g, "nz", "z"), c, f.label)
		return
	}
	g.addLine("call %d", f.label)
}

// callee returns a function that may be called here, or generates one. A function may call complete
// functions that were generated after it, so the call graph has no cycles.
func (g *generator) callee(n int) *function {
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
	// Its body is generated immediately, in a separate buffer.
	outer, code, depth := g.now, g.code, g.depth
	g.now = context{loops: outer.loops, calls: outer.calls + 1, inFunc: true, parted: true}
	g.code, g.depth = bytes.Buffer{}, 0
	g.block(1 + g.r.IntN(n/2+1))
	f.code = g.code.Bytes()
	g.now, g.code, g.depth = outer, code, depth
	f.open = false
	return f
}
