package vsps

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// maxLifted bounds the instructions that inlining subroutines may produce, because nested calls
// multiply.
const maxLifted = 1 << 17

// maxDepth bounds the nesting of blocks and calls; the models allow 24 and 4 ("Flow Control
// Limitations"). It protects the stack of the lifter, which recurses to the same depth.
const maxDepth = 128

// Lift reads a program into the IR. It supports every construct of vs_1_1 to vs_3_0 and ps_1_1 to
// ps_3_0 except stores to indexed outputs (o[aL]).
//
// It walks the statements once with an environment that maps each register component to its value.
// This constructs SSA form directly, as in Braun et al., "Simple and Efficient Construction of
// Static Single Assignment Form" (CC 2013), for structured code. The environments are merged at the
// ends of branches ([lifter.branch]), and loops carry every register that their body may write.
// Time and memory are linear in the product of the statements after inlining and the registers that
// loops carry.
func Lift(p *d3d9.Program) (*ir.Func, error) { return NewDialect(p).Lift() }

// Lift works like [Lift] for the program of d, with d as dialect.
func (d *Dialect) Lift() (*ir.Func, error) {
	l, err := d.liftWith(new(Memory))
	if err != nil {
		return nil, err
	}
	return l.f, nil
}

// Memory is an allocator for instructions and their operands. The zero value is empty.
type Memory struct {
	instrs   chunk[ir.Instr]
	operands chunk[ir.Operand]
}

// Again frees all memory. Functions lifted with it may not be used afterwards.
func (m *Memory) Again() {
	m.instrs.again()
	m.operands.again()
}

// LiftIn works like [Lift], and allocates from m.
func LiftIn(m *Memory, p *d3d9.Program) (*ir.Func, error) {
	l, err := NewDialect(p).liftWith(m)
	if err != nil {
		return nil, err
	}
	return l.f, nil
}

func (d *Dialect) liftWith(memory *Memory) (*lifter, error) {
	p, m := d.program, d.model
	l := &lifter{prog: p, model: m, limits: &d.limits, Memory: memory, f: ir.NewFunc(m.String(), d),
		literals: map[d3d9.Reg][4]uint32{}, labels: map[uint16]int{}, dims: map[uint16]ir.Dim{}}
	if err := l.scanProgram(); err != nil {
		return nil, err
	}
	l.code = l.f.Body
	if fixedPoint(m) {
		if err := l.fixed(); err != nil {
			return nil, err
		}
	} else if err := l.block(l.entry, 0, nil); err != nil {
		return nil, err
	}
	l.outputs()
	markPrecise(p, l.f)
	return l, nil
}

func firstPos(p *d3d9.Program) asm.Pos {
	if len(p.Insts) > 0 {
		return p.Insts[0].Pos
	}
	return asm.Pos{}
}

// lifter is the state of one lift.
type lifter struct {
	prog   *d3d9.Program
	model  d3d9.Model
	limits *d3d9.Limits
	f      *ir.Func
	entry  int // index of the first statement of the main program
	// literals are the values of def, defi and defb by register; they override host constants.
	literals map[d3d9.Reg][4]uint32
	labels   map[uint16]int // label number to the statement after the label
	// dims are the shapes of textures by sampler, from dcl_2d and similar declarations.
	dims  map[uint16]ir.Dim
	match []int32 // per statement: the matching else, endif, endloop or endrep, set by scan

	code *ir.Region // the current region
	// env has the current value of a register component, by file and by 4*index+component; nil
	// means not yet written.
	env     [][]*ir.Value
	journal []change // writes since the start of the innermost region, to undo and to merge; empty in the outermost one
	loops   []*loopFrame
	lifted  int
	*Memory
}

// change is a write to env: the component, and its previous value.
type change struct {
	reg ir.Reg
	old *ir.Value
}

// loopFrame is a loop being lifted.
type loopFrame struct {
	vars  []ir.Reg // carried registers, in the order of params and results
	index *ir.Value
}

// scanProgram collects definitions, labels and sampler types, and matches block ends: match[if] is its
// else or endif, match[else] the endif, match[loop] the endloop. The last def of a register wins.
// scan also reserves memory for one instruction per statement, with its operands.
func (l *lifter) scanProgram() error {
	type open struct {
		at int
		op d3d9.Op
	}
	var stack []open
	l.match = make([]int32, len(l.prog.Insts))
	instrs, operands := 0, 0
	for i := range l.prog.Insts {
		in := &l.prog.Insts[i]
		if k := in.Op.Kind(); k != d3d9.Trivia && k != d3d9.Declaration {
			instrs, operands = instrs+1, operands+len(in.Sources())
		}
		switch in.Op {
		case d3d9.OpDef, d3d9.OpDefI, d3d9.OpDefB:
			l.literals[in.Dst.Reg] = in.Imm
		case d3d9.OpDcl:
			if in.Dst.File == d3d9.Sampler {
				l.dims[in.Dst.Index] = dimOf(in.Decl.Tex)
			}
		case d3d9.OpLabel:
			l.labels[in.Src[0].Index] = i + 1
		case d3d9.OpIf, d3d9.OpIfc, d3d9.OpLoop, d3d9.OpRep:
			stack = append(stack, open{i, in.Op})
			if len(stack) > maxDepth {
				return asm.Errorf(in.Pos, "nesting", "blocks nest deeper than %d", maxDepth)
			}
		case d3d9.OpElse, d3d9.OpEndIf, d3d9.OpEndLoop, d3d9.OpEndRep:
			if len(stack) == 0 || !closes(in.Op, stack[len(stack)-1].op) {
				return asm.Errorf(in.Pos, "unmatched-block", "%s does not close an open block", in.Op)
			}
			l.match[stack[len(stack)-1].at] = int32(i)
			stack = stack[:len(stack)-1]
			if in.Op == d3d9.OpElse {
				stack = append(stack, open{i, in.Op})
			}
		}
	}
	l.instrs.reserveSpace(instrs)
	l.operands.reserveSpace(operands)
	if len(stack) > 0 {
		at := stack[len(stack)-1]
		return asm.Errorf(l.prog.Insts[at.at].Pos, "unmatched-block", "%s is never closed", at.op)
	}
	return nil
}

// closes reports whether end ends a block that open began.
func closes(end, open d3d9.Op) bool {
	switch end {
	case d3d9.OpElse:
		return open == d3d9.OpIf || open == d3d9.OpIfc
	case d3d9.OpEndIf:
		return open == d3d9.OpIf || open == d3d9.OpIfc || open == d3d9.OpElse
	case d3d9.OpEndLoop:
		return open == d3d9.OpLoop
	}
	return open == d3d9.OpRep
}

func dimOf(t d3d9.TexType) ir.Dim {
	switch t {
	case d3d9.Tex1D:
		return ir.Dim1D
	case d3d9.TexCube:
		return ir.DimCube
	case d3d9.TexVolume:
		return ir.DimVolume
	}
	return ir.Dim2D
}

// envSlot returns the place of a register component in env. The lists grow on demand.
func (l *lifter) envSlot(r ir.Reg) **ir.Value {
	for int(r.File) >= len(l.env) {
		l.env = append(l.env, nil)
	}
	i := int(r.Index)*4 + int(r.Comp)
	for i >= len(l.env[r.File]) {
		l.env[r.File] = append(l.env[r.File], nil)
	}
	return &l.env[r.File][i]
}

// readReg returns the value of r; for an unwritten component this is an Undef value, the same at every
// read.
func (l *lifter) readReg(r ir.Reg) *ir.Value {
	s := l.envSlot(r)
	if *s == nil {
		*s = l.f.Leaf(ir.Undef, r)
	}
	return *s
}

// writeReg writes r and journals the write.
func (l *lifter) writeReg(r ir.Reg, v *ir.Value) {
	s := l.envSlot(r)
	if l.code != l.f.Body {
		l.journal = append(l.journal, change{r, *s})
	}
	*s = v
}

// block lifts statements from i until the code ends (ret, label or the last statement).
func (l *lifter) block(i, depth int, calls []uint16) error {
	_, err := l.until(i, len(l.prog.Insts), depth, calls)
	return err
}

// until lifts statements from i to before end. left reports that control always leaves by a break,
// so that the following code does not run. A ret ends a body wherever it is; the models allow it
// only at the end.
func (l *lifter) until(i, end, depth int, calls []uint16) (left bool, err error) {
	if depth > maxDepth {
		return false, asm.Errorf(firstPos(l.prog), "nesting", "blocks and calls nest deeper than %d", maxDepth)
	}
	for i < end {
		in := &l.prog.Insts[i]
		next := i + 1
		switch in.Op {
		case d3d9.OpRet, d3d9.OpLabel:
			return false, nil
		case d3d9.OpIf, d3d9.OpIfc:
			next, left, err = l.conditional(i, depth, calls)
			if left {
				return true, err
				// The code after a break in the same block is dead.
			}
		case d3d9.OpLoop, d3d9.OpRep:
			next = int(l.match[i]) + 1
			err = l.liftLoop(i, depth, calls)
		case d3d9.OpBreak, d3d9.OpBreakc, d3d9.OpBreakp:
			if len(l.loops) == 0 {
				return false, asm.Errorf(in.Pos, "break-outside-loop", "break outside a loop")
			}
			l.breakOut(i)
			if in.Op == d3d9.OpBreak {
				return true, nil
			}
		case d3d9.OpCall:
			err = l.inlineCall(in, depth, calls)
		case d3d9.OpCallnz:
			err = l.callnz(i, depth, calls)
		default:
			err = l.statement(i)
		}
		if err != nil {
			return false, err
		}
		if l.lifted > maxLifted {
			return false, asm.Errorf(in.Pos, "too-large", "inlining subroutines gives more than %d instructions", maxLifted)
		}
		i = next
	}
	return false, nil
}

// emit appends an instruction to the current region and counts it.
func (l *lifter) emit(in *ir.Instr) *ir.Instr {
	l.lifted++
	l.code.Code = append(l.code.Code, in)
	return in
}

// inlineCall inlines a subroutine. calls are the active calls, for detecting recursion, which is an
// error.
func (l *lifter) inlineCall(in *d3d9.Inst, depth int, calls []uint16) error {
	label := in.Src[0].Index
	at, ok := l.labels[label]
	if !ok {
		return asm.Errorf(in.Pos, "unknown-label", "label l%d is not defined", label)
	}
	for _, c := range calls {
		if c == label {
			return asm.Errorf(in.Pos, "recursive-call", "subroutine l%d calls itself", label)
		}
	}
	return l.block(at, depth+1, append(calls[:len(calls):len(calls)], label))
}

// callnz lifts a conditional around an inlined call.
func (l *lifter) callnz(i, depth int, calls []uint16) error {
	in := &l.prog.Insts[i]
	cond := l.emit(&ir.Instr{Op: ir.OpIf, Orig: int32(i), Pos: in.Pos, Src: []ir.Operand{ir.Splat(l.boolean(in.Src[1]))}})
	_, err := l.branch(cond, func() (bool, error) { return false, l.inlineCall(in, depth, calls) },
		func() (bool, error) { return false, nil })
	return err
}

// outputs collects the final values of all output register components, in order of file, index and
// component. A component that only some branches write is still an output; its other value is
// Undef.
func (l *lifter) outputs() {
	for file, vals := range l.env {
		if !d3d9.File(file).IsOutput() {
			continue
		}
		for i, v := range vals {
			if v != nil && (v.Kind != ir.Undef || d3d9.File(v.Home.File) == d3d9.Temp) { // the result r0 of ps_1_x may be unwritten
				l.f.Outs = append(l.f.Outs, ir.Output{Reg: ir.Reg{File: ir.File(file), Index: uint16(i / 4), Comp: uint8(i % 4)},
					V: v})
			}
		}
	}
}
