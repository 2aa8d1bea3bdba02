package interp

import (
	"math"
	"sync"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
)

// Constants holds the registers that the host sets. Others are zero, and so are reads past the end.
type Constants struct {
	Float [][4]float32
	Int   [16][4]int32
	Bool  [16]bool
}

// Env is the environment of a program apart from its inputs.
type Env struct {
	Constants *Constants // nil: all zero
	Textures  Textures   // nil: every texture reads (0,0,0,1)
	Numerics  Numerics
	// Steps bounds the executed instructions, one per batch of Lanes; 0 means runSteps. Exceeding it is
	// an error, so every run ends.
	Steps int
	// Budget, if set, also pays for the steps. Its exhaustion ends the run.
	Budget *budget.Budget
	// Trace, if set, records the values computed for one invocation.
	Trace *Trace
	// Seen, if set, records the kinds of computed numbers.
	Seen *Seen
}

// runSteps bounds a run without a limit of its own: some tens of seconds.
const runSteps = 1 << 28

// batchSteps bounds a single batch.
const batchSteps = 1 << 22

// machine runs one shader in one environment, batch after batch. It contains the register file, the lane
// masks of control flow, and the remaining steps.
//
// Masks implement control flow, as on SIMD hardware. A statement runs in the live lanes, except those that
// have left the loop (broken) or the body (gone).
type machine struct {
	sh  *Shader
	num Numerics
	// prog is the shader for kernels, or nil if operations are interpreted one by one.
	prog *program
	// r is the register file, by slot.
	r []Vec
	// scalars holds constants and literals, numbered as the program's scalars.
	scalars []float32
	// The constants, including those that the program defines.
	float [][4]float32
	ints  [16][4]int32
	bools [16]bool
	tex   Textures
	req   Fetch

	// pred is p0, one mask per component. killed holds the lanes that texkill hit.
	pred   [4]uint64
	killed uint64
	write  [4]uint64 // lanes that a masked instruction writes, by component
	broken uint64    // lanes that left the innermost loop
	gone   uint64    // lanes that left the body
	// aL is the loop counter, the same for all lanes because constants count loops.
	aL int

	// steps remain in the batch, left in the run.
	steps, left int
	budget      *budget.Budget

	trace *Trace
	lane  int // traced lane, or -1
	seen  *Seen
	// digests is the index of this machine's register digests in Seen.
	digests  int
	digested bool
}

// files pools register files.
var files sync.Pool

// newFile returns a zeroed file of n registers.
func newFile(n int) []Vec {
	if f, _ := files.Get().(*[]Vec); f != nil && cap(*f) >= n {
		r := (*f)[:n]
		clear(r)
		return r
	}
	return make([]Vec, n)
}

// release returns the memory of m.
func (m *machine) release() {
	r := m.r
	m.r = nil
	files.Put(&r)
}

// newMachine returns a machine, which must be released after use.
func newMachine(s *Shader, env *Env) *machine {
	m := &machine{sh: s, num: env.Numerics, r: newFile(s.slots), tex: env.Textures, left: env.Steps, budget: env.Budget,
		trace: env.Trace, lane: -1, seen: env.Seen}
	if m.tex == nil {
		m.tex = &TextureSet{}
	}
	if m.left <= 0 {
		m.left = runSteps
	}
	if env.Constants != nil {
		m.float = env.Constants.Float
		m.ints, m.bools = env.Constants.Int, env.Constants.Bool
	}
	m.prog = s.program(&m.num, m.trace != nil || m.seen != nil)
	m.define()
	m.constants()
	return m
}

// constants sets the scalars, with modifiers applied, and the Vecs of constants that are read as Vecs. It
// clamps constants of ps_1_x to -1..1.
func (m *machine) constants() {
	s := m.sh
	m.scalars = make([]float32, 0, len(s.consts)+len(s.preset))
	for _, k := range s.consts {
		v := float32(0)
		switch {
		case k.reg >= stageState:
			v = stateOfStage(k.reg-stageState, k.comp)
		case k.reg < len(m.float):
			v = m.float[k.reg][k.comp]
		}
		if s.fixedPoint() && k.reg < stageState {
			v = max32(-1, min32(v, 1))
		}
		switch k.mod {
		case d3d9.ModNeg:
			v = -v
		case d3d9.ModAbs:
			v = abs32(v)
		case d3d9.ModAbsNeg:
			v = -abs32(v)
		}
		m.scalars = append(m.scalars, v)
	}
	for _, f := range s.preset {
		m.scalars = append(m.scalars, f.value)
	}
	if m.prog == nil {
		for i, v := range m.scalars {
			m.fill(s.scalarAt(i), v)
		}
		return
	}
	for _, i := range m.prog.spread {
		m.fill(s.scalarAt(int(i)), m.scalars[i])
	}
}

// define overrides the host's constants with the program's, and flushes all of them under FlushDenormals.
func (m *machine) define() {
	if len(m.sh.defs) == 0 && !m.num.FlushDenormals {
		return
	}
	m.float = append([][4]float32(nil), m.float...)
	for _, d := range m.sh.defs {
		switch {
		case d.file == d3d9.Const:
			for len(m.float) <= d.reg {
				m.float = append(m.float, [4]float32{})
			}
			for c, b := range d.bits {
				m.float[d.reg][c] = math.Float32frombits(b)
			}
		case d.reg >= 16:
		case d.file == d3d9.ConstInt:
			for c, b := range d.bits {
				m.ints[d.reg][c] = int32(b)
			}
		case d.file == d3d9.ConstBool:
			m.bools[d.reg] = d.bits[0] != 0
		}
	}
	if m.num.FlushDenormals {
		for i := range m.float {
			for c := range 4 {
				m.float[i][c] = flush(m.float[i][c])
			}
		}
	}
}

// fill sets a slot in all lanes.
func (m *machine) fill(at slot, v float32) {
	d := &m.r[at]
	for i := range d {
		d[i] = v
	}
}

// batch runs the program over the lanes whose inputs have been stored. Lanes without an invocation must
// repeat one with an invocation, so that they follow its path.
func (m *machine) batch() error {
	return m.spend(m.execute(min(batchSteps, m.left)))
}

// spend pays for the steps of a batch, which may have ended with an error.
func (m *machine) spend(steps int, err error) error {
	m.left -= steps
	if out := m.budget.SpendSteps(steps); out != nil && err == nil {
		err = asm.Errorf(asm.Pos{}, "step-limit", "%v", out)
	}
	return err
}

// execute runs a batch with a limit on steps and returns the number of steps used.
func (m *machine) execute(most int) (int, error) {
	clear(m.r[m.sh.temps[0]:m.sh.temps[1]])
	if m.seen != nil {
		m.seen.lanes = 0
	}
	for _, f := range m.sh.fills {
		m.fill(f.at, f.value)
	}
	m.pred = [4]uint64{}
	m.killed, m.broken, m.gone, m.aL = 0, 0, 0, 0
	m.steps = most
	err := m.runStatements(m.sh.main, allLanes)
	if m.seen != nil {
		m.seen.leave(m)
	}
	return most - m.steps, err
}

// patience is the number of steps between checks of the deadline.
const patience = 1 << 14

// countSteps counts n statements from s on, and checks the budget's deadline every patience steps.
func (m *machine) countSteps(s *stmt, n int) error {
	looks := (m.steps - 1) / patience
	if m.steps -= n; m.steps < 0 {
		return asm.Errorf(s.pos, "step-limit", "the program runs for too long")
	}
	if (m.steps-1)/patience != looks || m.steps == 0 {
		if out := m.budget.Err(); out != nil {
			return asm.Errorf(s.pos, "step-limit", "%v", out)
		}
	}
	return nil
}

// runStatements runs statements in the lanes of live that have not left the body. It returns early when no lane is
// left.
func (m *machine) runStatements(code []stmt, live uint64) error {
	for i := 0; i < len(code); i++ {
		s := &code[i]
		on := live &^ (m.broken | m.gone)
		if on == 0 {
			return nil
		}
		// Consecutive straight-line statements run as one program. Steps count as if they ran one by one,
		// up to the statement where the steps are exhausted.
		if s.span > 1 && m.together(s, on) {
			if m.steps < s.span { // of the first statement without a step
				return m.countSteps(&code[i+m.steps], m.steps+1)
			}
			if err := m.countSteps(s, s.span); err != nil {
				return err
			}
			m.write = [4]uint64{allLanes, allLanes, allLanes, allLanes}
			m.runList(&s.group)
			i += s.span - 1
			continue
		}
		if err := m.countSteps(s, 1); err != nil {
			return err
		}
		var err error
		switch s.kind {
		case sExec:
			if on == allLanes && !s.pred.on && s.direct.ops != nil {
				if m.runList(&s.direct); m.lane >= 0 {
					m.recordTrace(s, s.direct.ops)
				}
				if m.seen != nil {
					m.seen.numbers(m, s.direct.ops, on)
				}
				continue
			}
			m.predicated(s.pred, on)
			if m.runList(&s.masked); m.traces(on) {
				m.recordTrace(s, s.masked.ops)
			}
			if m.seen != nil {
				m.seen.numbers(m, s.operations(), on)
			}
		case sIf:
			t := m.conditionLanes(&s.cond)
			if m.seen != nil {
				m.seen.recordBranch(s, on, t)
			}
			if on&t != 0 {
				err = m.runStatements(s.body, on&t)
			}
			if on&^t != 0 && err == nil {
				err = m.runStatements(s.other, on&^t)
			}
		case sRep, sLoop:
			err = m.runLoop(s, on)
		case sBreak:
			t := m.conditionLanes(&s.cond)
			if m.broken |= on & t; m.seen != nil {
				m.seen.recordBranch(s, on, t)
			}
		case sCall:
			if t := on & m.conditionLanes(&s.cond); t != 0 {
				gone := m.gone
				m.gone = 0
				err = m.runStatements(m.sh.subs[s.reg], t)
				m.gone = gone
			}
		case sReturn:
			m.gone |= on
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// together reports whether s and the statements grouped with it can run as one program, because nothing
// inspects the state between them.
func (m *machine) together(s *stmt, on uint64) bool {
	return on == allLanes && m.prog != nil && m.lane < 0 && m.seen == nil
}

// operations returns the operations that identify s.
func (s *stmt) operations() []uop {
	if s.direct.ops != nil {
		return s.direct.ops
	}
	return s.masked.ops
}

// predicated computes the lanes in which each component is written: the active lanes, limited to those
// where the component's predicate holds.
func (m *machine) predicated(p predicate, on uint64) {
	for c := range m.write {
		m.write[c] = on
		if p.on {
			t := m.pred[p.swz.ComponentAt(c)]
			if p.not {
				t = ^t
			}
			m.write[c] &= t
		}
	}
}

// conditionLanes returns the lanes in which a condition holds.
func (m *machine) conditionLanes(c *condition) (t uint64) {
	switch c.kind {
	case condAlways:
		return allLanes
	case condBool:
		if c.reg < len(m.bools) && m.bools[c.reg] {
			t = allLanes
		}
	case condPred:
		t = m.pred[c.reg]
	case condCmp:
		m.runList(&c.prep)
		t = compare(c.cmp, &m.r[c.a], &m.r[c.b])
	}
	if c.not {
		t = ^t
	}
	return t
}

// registered returns the effective values of an integer constant for a loop: count and start in 0..255,
// step in -128..127 (the reference page of loop).
func registered(k [4]int32) [4]int32 {
	return [4]int32{max(0, min(k[0], 255)), max(0, min(k[1], 255)), max(-128, min(k[2], 127)), k[3]}
}

// runLoop runs a rep or loop block at most 255 times, until no lane is left. An empty body still takes a step.
func (m *machine) runLoop(s *stmt, on uint64) error {
	// An unset i# is zero, so the loop makes no trip.
	var k [4]int32
	if s.reg < len(m.ints) {
		k = registered(m.ints[s.reg])
	}
	broken, aL := m.broken, m.aL
	m.broken = 0
	if s.kind == sLoop {
		m.aL = int(k[1])
	}
	for n := k[0]; n > 0 && on&^(m.broken|m.gone) != 0; n-- {
		if err := m.countSteps(s, 1); err != nil {
			return err
		}
		if err := m.runStatements(s.body, on); err != nil {
			return err
		}
		if s.kind == sLoop {
			m.aL += int(k[2])
		}
	}
	m.broken, m.aL = broken, aL
	return nil
}

// gather reads or writes relatively addressed registers. Reads out of range give 0; writes out of range
// have no effect.
func (m *machine) gather(u *uop, d, a *Vec) {
	switch u.code {
	// Each lane has its own index.
	case uGatherConst:
		for i := range d {
			v := float32(0)
			if k, ok := indexOf(a[i], int(u.aux), len(m.float)); ok {
				v = m.float[k][u.comp]
			}
			d[i] = v
		}
	// aL is the same in all lanes.
	case uGatherLoop:
		v := float32(0)
		if k := m.aL + int(u.aux); k >= 0 && k < len(m.float) {
			v = m.float[k][u.comp]
		}
		m.fill(u.dst, v)
	case uGatherReg:
		t := &m.sh.tables[u.aux]
		if t.loop {
			*d = Vec{}
			if k := m.aL + t.base; k >= 0 && k < t.count {
				*d = m.r[t.first+slot(4*k)+slot(u.comp)]
			}
			return
		}
		for i := range d {
			v := float32(0)
			if k, ok := indexOf(a[i], t.base, t.count); ok {
				v = m.r[t.first+slot(4*k)+slot(u.comp)][i]
			}
			d[i] = v
		}
	case uScatterReg:
		t, from, w := &m.sh.tables[u.aux], &m.r[u.src[1]], m.write[u.comp]
		if t.loop {
			if k := m.aL + t.base; k >= 0 && k < t.count {
				m.blend(&m.r[t.first+slot(4*k)+slot(u.comp)], from, w)
			}
			return
		}
		for i := range from {
			if k, ok := indexOf(a[i], t.base, t.count); ok && w>>i&1 != 0 {
				m.r[t.first+slot(4*k)+slot(u.comp)][i] = from[i]
			}
		}
	}
}
