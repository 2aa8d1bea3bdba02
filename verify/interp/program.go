package interp

import "github.com/shaderlift/shaderlift/verify/interp/internal/lanes"

// list is a list of straight-line micro-operations, with its number in programs.
type list struct {
	ops []uop
	id  int
}

// numbered is a list by its number.
type numbered struct {
	ops []uop
	// grouped marks a list that runs as part of a group, except on machines that inspect statements one by
	// one.
	grouped bool
}

// program contains the lists of a shader for kernels, under some numerics. The program stops at an
// operation without a kernel. The machine executes that operation itself and continues behind it. A program
// is immutable and shared by all machines of a shader.
type program struct {
	ops    []lanes.Op
	from   []int32 // for each stop, the operation of its list at which it stops, or done
	start  []int32 // of each executed list
	spread []int32 // constants that are read as Vecs
}

// done marks the Stop at the end of a list.
const done = -1

// kernels is the set of kernels that machines use.
var kernels = lanes.BestSet()

// kernelOf maps an operation to its kernel in plain arithmetic, or to Stop, which is 0.
var kernelOf = [...]lanes.Code{
	uCopy: lanes.Copy, uNeg: lanes.Neg, uAbs: lanes.Abs, uAdd: lanes.Add, uSub: lanes.Sub, uMul: lanes.Mul, uMad: lanes.Mad,
	uMsub: lanes.Msub, uNmsub: lanes.Nmsub, uDp2: lanes.Dp2, uDp3: lanes.Dp3, uDp4: lanes.Dp4, uLrp: lanes.Lrp,
	uCross: lanes.Cross, uMin: lanes.Min, uMax: lanes.Max, uSlt: lanes.Slt, uSge: lanes.Sge, uCmp: lanes.Cmp, uFrc: lanes.Frc,
	uFloor: lanes.Floor, uRound: lanes.Round, uSgn: lanes.Sgn, uRcp: lanes.Rcp, uRsq: lanes.Rsq, uNormFactor: lanes.NormFactor,
	uSat: lanes.Sat, uDsx: lanes.Dsx, uDsy: lanes.Dsy, uBlend: lanes.Blend, uDiv: lanes.Div, uFetch: lanes.Stop, uRange: lanes.Stop,
}

// under maps multiplying operations to kernels of the other arithmetics: products of zero are zero, sums of
// products are rounded once, or both.
var under = map[ucode][3]lanes.Code{
	uMul:   {lanes.MulZ, lanes.Mul, lanes.MulZ},
	uMad:   {lanes.MadZ, lanes.MadF, lanes.MadZF},
	uMsub:  {lanes.MsubZ, lanes.MsubF, lanes.MsubZF},
	uNmsub: {lanes.NmsubZ, lanes.NmsubF, lanes.NmsubZF},
	uLrp:   {lanes.LrpZ, lanes.LrpF, lanes.LrpZF},
	uCross: {lanes.CrossZ, lanes.CrossF, lanes.CrossZF},
	uDp2:   {lanes.Dp2Z, lanes.Dp2F, lanes.Dp2ZF},
	uDp3:   {lanes.Dp3Z, lanes.Dp3F, lanes.Dp3ZF},
	uDp4:   {lanes.Dp4Z, lanes.Dp4F, lanes.Dp4ZF},
}

// operands gives the number of sources of an operation with a kernel.
var operands = [...]int{
	uCopy: 1, uNeg: 1, uAbs: 1, uAdd: 2, uSub: 2, uMul: 2, uMad: 3, uMsub: 3, uNmsub: 3, uDp2: 5, uDp3: 6, uDp4: 8, uLrp: 3,
	uCross: 4, uMin: 2, uMax: 2, uSlt: 2, uSge: 2, uCmp: 3, uFrc: 1, uFloor: 1, uRound: 1, uSgn: 1, uRcp: 1, uRsq: 1,
	uNormFactor: 1, uSat: 1, uDsx: 1, uDsy: 1, uBlend: 1, uDiv: 2, uFetch: 0, uRange: 1,
}

// variant returns the number of the numerics among those that have programs.
func (n *Numerics) variant() (v int) {
	for i, on := range [...]bool{n.MulZero, n.FuseMad, n.FlushDenormals} {
		if on {
			v |= 1 << i
		}
	}
	return v
}

// program returns the program of s under n, created on first use. With singly set, statements run one by
// one because something inspects them; otherwise they run in groups. Random roundings have no program: no
// kernel follows their order of operations and lanes.
func (s *Shader) program(n *Numerics, singly bool) *program {
	if kernels == lanes.None || n.Scatter != 0 {
		return nil
	}
	variant := n.variant()
	if singly {
		variant |= 1 << 3
	}
	at := &s.programs[variant]
	p := at.Load()
	if p == nil {
		p = s.translate(n, singly)
		at.Store(p) // another goroutine may have stored an equal one
	}
	return p
}

// translate creates the program of s under n.
func (s *Shader) translate(n *Numerics, singly bool) *program {
	size := 0
	for _, l := range s.lists {
		if singly || !l.grouped {
			size += len(l.ops) + 1
		}
	}
	p := &program{ops: make([]lanes.Op, 0, size), from: make([]int32, 0, size), start: make([]int32, len(s.lists))}
	spread := make([]bool, len(s.consts)+len(s.preset))
	for _, at := range s.vectors {
		if s.isScalar(at) {
			spread[s.scalars[at]] = true
		}
	}
	for id, list := range s.lists {
		if list.grouped && !singly {
			continue
		}
		l := list.ops
		p.start[id] = int32(len(p.ops))
		for i := 0; i < len(l); i++ {
			u, saturate := l[i], !singly && *n == Numerics{} && i+1 < len(l) && l[i].saturatedBy(&l[i+1])
			if saturate {
				u.dst = l[i+1].dst
			}
			p.translateOp(s, &u, int32(i), n, spread, saturate)
			if saturate {
				i++
			}
		}
		p.ops, p.from = append(p.ops, lanes.Op{}), append(p.from, done)
	}
	for i, need := range spread {
		if need {
			p.spread = append(p.spread, int32(i))
		}
	}
	return p
}

// saturatedBy reports whether next saturates the result that u leaves in scratch, and a kernel does both.
func (u *uop) saturatedBy(next *uop) bool {
	_, ok := lanes.Saturating(kernelOf[u.code])
	return ok && next.code == uSat && next.src[0] == u.dst && u.dst < scratchSlots
}

// translateOp translates operation number i of its list, optionally with the saturation of the next one. The kernel
// broadcasts scalar sources if it has such a form; otherwise the scalars are spread over Vecs.
func (p *program) translateOp(s *Shader, u *uop, i int32, n *Numerics, spread []bool, saturate bool) {
	code := kernelOf[u.code]
	if saturate {
		code, _ = lanes.Saturating(code)
	}
	if codes, ok := under[u.code]; ok && !n.plain() {
		code = codes[n.variant()&3-1]
	}
	o := lanes.Op{Code: code, Comp: u.comp, Dst: lanes.VecLocation(u.dst)}
	count := len(u.src)
	if code != lanes.Stop {
		count = operands[u.code]
	}
	mask := uint8(0)
	for k, at := range u.src[:count] {
		if s.isScalar(at) {
			mask |= 1 << k
		}
	}
	form, ok := lanes.ScalarForm(code, mask)
	if ok {
		o.Code = form
	}
	for k, at := range u.src[:count] {
		o.Src[k] = lanes.VecLocation(at)
		if mask>>k&1 == 0 {
			continue
		}
		if ok {
			o.Src[k] = lanes.AtScalar(s.scalars[at])
		} else {
			spread[s.scalars[at]] = true
		}
	}
	p.ops, p.from = append(p.ops, o), append(p.from, i)
	if code != lanes.Stop && n.FlushDenormals && u.code.rounds() {
		p.ops, p.from = append(p.ops, lanes.Op{Code: lanes.Flush, Dst: o.Dst}), append(p.from, i)
	}
}

// runList executes a list over all lanes, with kernels where they exist.
func (m *machine) runList(l *list) {
	if m.prog == nil || len(l.ops) == 0 {
		m.interpret(l.ops)
		return
	}
	for at := int(m.prog.start[l.id]); ; at++ {
		at += kernels.Run(m.prog.ops[at:], m.r, m.scalars, &m.write)
		i := m.prog.from[at]
		if i == done {
			return
		}
		m.interpret(l.ops[i : i+1])
	}
}

// isScalar reports whether a slot holds a constant or a literal.
func (s *Shader) isScalar(at slot) bool { return s.scalars[at] >= 0 }

// scalarAt returns the slot of scalar i.
func (s *Shader) scalarAt(i int) slot {
	if i < len(s.consts) {
		return s.consts[i].at
	}
	return s.preset[i-len(s.consts)].at
}

// rounds reports whether results are flushed under FlushDenormals.
func (c ucode) rounds() bool {
	switch c {
	case uCopy, uNeg, uAbs, uMin, uMax, uSlt, uSge, uCmp, uSat, uRange, uDiv, uBlend:
		return false
	}
	return !c.exact()
}

// arrange numbers the lists of a shader and groups consecutive straight-line statements.
func (c *compiler) arrange() {
	c.scalars = make([]int32, c.slots)
	for i := range c.scalars {
		c.scalars[i] = -1
	}
	for i := range len(c.consts) + len(c.preset) {
		c.scalars[c.scalarAt(i)] = int32(i)
	}
	c.number(c.main)
	for _, body := range c.subs {
		c.number(body)
	}
}

// number numbers the lists of a body and groups runs of straight-line statements.
func (c *compiler) number(body []stmt) {
	for i := range body {
		s := &body[i]
		for _, l := range [...]*list{&s.direct, &s.masked, &s.cond.prep} {
			c.enter(l)
		}
		c.number(s.body)
		c.number(s.other)
	}
	for i := 0; i < len(body); {
		n := 0
		for i+n < len(body) && body[i+n].straight() {
			n++
		}
		if n > 1 {
			s, size := &body[i], 0
			for k := range n {
				size += len(body[i+k].operations())
			}
			s.group.ops = make([]uop, 0, size)
			for k := range n {
				b := &body[i+k]
				s.group.ops = append(s.group.ops, b.operations()...)
				if b.direct.ops != nil {
					c.lists[b.direct.id].grouped = true
				}
			}
			s.span = n
			c.enter(&s.group)
		}
		i += max(n, 1)
	}
}

// enter gives a list its number.
func (c *compiler) enter(l *list) {
	if l.ops != nil {
		l.id = len(c.lists)
		c.lists = append(c.lists, numbered{ops: l.ops})
	}
}

// straight reports whether s executes the same operations for every set of lanes while all are live: those
// of its direct form, or those of a texkill, which has none.
func (s *stmt) straight() bool {
	return s.kind == sExec && !s.pred.on && (s.direct.ops != nil || len(s.masked.ops) > 0 && s.masked.ops[0].code == uKill)
}
