package interp

import (
	"slices"
	"sync/atomic"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Shader is a compiled program. It is immutable except for programs, which is filled in atomically on first
// use. Any number of draws may share it.
type Shader struct {
	model d3d9.Model
	// Input and output registers, in register order.
	inputs  []Port
	outputs []Port

	// The code: the main body, subroutines in the order of their labels, and the tables that statements
	// index.
	main    []stmt
	subs    [][]stmt
	fetches []fetchInfo
	tables  []regTable

	// slots is the number of Vecs of a machine.
	slots int
	// consts and preset are the scalars of the program in this order: first constants of the host or the
	// program, then literals.
	consts  []constSlot
	fills   []fill  // start of every batch, after temps are zeroed
	preset  []fill  // once: literal operands
	scalars []int32 // of a slot: its number among consts and preset, -1 of a register
	vectors []slot  // that are always read as Vecs
	lists   []numbered
	// programs caches the lists for kernels, by variant of numerics.
	programs [16]atomic.Pointer[program]
	// temps is the half-open range of slots that are zeroed at the start of a batch. defs lists the
	// constants that the program defines.
	temps [2]slot
	defs  []def
	// samplers holds the declared types. usesTex marks the samplers that the program samples.
	samplers [16]d3d9.TexType
	usesTex  uint16
	reads    []bool // input components that some instruction reads, by slot
}

// def is a constant that the program defines; it hides the host's.
type def struct {
	file d3d9.File
	reg  int
	bits [4]uint32
}

// Model returns the shader model of the program.
func (s *Shader) Model() d3d9.Model { return s.model }

// Sampler returns the texture type of sampler i and reports whether the program samples it. An undeclared
// sampler counts as two-dimensional.
func (s *Shader) Sampler(i int) (d3d9.TexType, bool) {
	if i < 0 || i >= len(s.samplers) {
		return d3d9.Tex2D, false
	}
	t := s.samplers[i]
	if t == d3d9.TexUnknown || t == d3d9.Tex1D {
		t = d3d9.Tex2D
	}
	return t, s.usesTex>>i&1 != 0
}

// Inputs lists the input registers in register order, as Run expects them.
func (s *Shader) Inputs() []Port { return s.inputs }

// Outputs lists the output registers in register order, as Run returns them.
func (s *Shader) Outputs() []Port { return s.outputs }

// Port is an input or output register, or the part of one that carries a semantic.
type Port struct {
	Reg   d3d9.Reg
	Mask  d3d9.Mask // declared components of an input, written or declared components of an output
	Usage d3d9.Usage
	Index uint8

	base slot
}

// compiler is the state of one Compile.
type compiler struct {
	*Shader
	prog *d3d9.Program
	// files locates the register files. lits and constAt map literals and constants to slots.
	files   [d3d9.Predicate + 1]file
	lits    map[float32]slot
	constAt map[constSlot]slot
	// written holds the output components below 3.0 that some instruction writes.
	written map[d3d9.Reg]d3d9.Mask
	sure    []bool // written on every path, which needs no fill; by slot
	returns bool   // some invocations may leave a body before its end
	spare   []uop  // backing store of future lists
	labels  map[uint16]int
	// pc is the next instruction. depth and loops count the open blocks and loops.
	pc    int
	calls []call // checked to go forward
	depth int
	loops int
}

// call is a call of a label, made after statement from.
type call struct {
	label uint16
	from  int
	pos   asm.Pos
}

// newList returns an empty list for up to n operations. The caller must keep it before it makes the next one.
func (c *compiler) newList(n int) []uop {
	if len(c.spare) < n {
		c.spare = make([]uop, max(n, 64))
	}
	return c.spare[:0:n]
}

// keepList removes the contents of l from the backing store, and returns it.
func (c *compiler) keepList(l []uop) []uop {
	c.spare = c.spare[len(l):]
	return slices.Clip(l)
}

// Compile translates p into the form that the machine runs. Errors are *asm.Diag: unsupported models and
// instructions, or flow control that does not nest. It takes time linear in the program.
func Compile(p *d3d9.Program) (*Shader, error) {
	if p.Model.Major < 1 || p.Model.Major > 3 {
		return nil, asm.Errorf(programPos(p), "unsupported-model", "%s programs cannot be interpreted", p.Model)
	}
	c := &compiler{
		Shader:  &Shader{model: p.Model},
		prog:    p,
		lits:    map[float32]slot{},
		constAt: map[constSlot]slot{},
		written: map[d3d9.Reg]d3d9.Mask{},
		labels:  map[uint16]int{},
	}
	c.allocate()
	if err := c.program(); err != nil {
		return nil, err
	}
	c.startValues()
	c.arrange()
	return c.Shader, nil
}

// programPos returns the position where p begins.
func programPos(p *d3d9.Program) asm.Pos {
	if len(p.Insts) == 0 {
		return asm.Pos{}
	}
	first := p.Insts[0].Pos
	if first.Line == 0 {
		return asm.Pos{File: first.File}
	}
	return asm.Pos{File: first.File, Line: 1, Col: 1}
}

// program compiles the main body and the subroutines behind it. Calls must go forward, as the reference
// requires for call, so recursion cannot occur.
func (c *compiler) program() error {
	for i := range c.prog.Insts {
		in := &c.prog.Insts[i]
		c.returns = c.returns || in.Op == d3d9.OpRet
		if in.Op == d3d9.OpLabel {
			l := in.Src[0].Index
			if _, dup := c.labels[l]; dup {
				return asm.Errorf(in.Pos, "duplicate-label", "label l%d is defined twice", l)
			}
			c.labels[l] = len(c.labels)
		}
	}
	c.subs = make([][]stmt, len(c.labels))
	labelAt := make([]int, len(c.labels))
	var err error
	if c.main, err = c.compileBody(true); err != nil {
		return err
	}
	for n := 0; c.pc < len(c.prog.Insts); n++ {
		labelAt[n] = c.pc
		c.pc++ // the label
		if c.subs[n], err = c.compileBody(false); err != nil {
			return err
		}
	}
	for _, call := range c.calls {
		if labelAt[c.labels[call.label]] < call.from {
			return asm.Errorf(call.pos, "backward-call", "label l%d precedes its call", call.label)
		}
	}
	return nil
}

// compileBody compiles statements up to the next label or the end of the program.
func (c *compiler) compileBody(main bool) ([]stmt, error) {
	stmts, end, err := c.block(main)
	if err != nil {
		return nil, err
	}
	if end != nil && end.Op != d3d9.OpLabel {
		return nil, asm.Errorf(end.Pos, "unbalanced-block", "%s without an open block", end.Op)
	}
	return stmts, nil
}

// maxDepth bounds the nesting of blocks; the models allow 24.
const maxDepth = 256

// block compiles statements up to one that ends a block, and returns that one. It consumes else, endif,
// endloop and endrep, but not a label; at the end it returns nil. certain states that the block runs on
// every lane of every batch.
func (c *compiler) block(certain bool) (stmts []stmt, end *d3d9.Inst, err error) {
	stmts = make([]stmt, 0, c.ahead())
	for c.pc < len(c.prog.Insts) {
		in := &c.prog.Insts[c.pc]
		if in.Op == d3d9.OpLabel {
			return stmts, in, nil
		}
		c.pc++
		switch kind := in.Op.Kind(); {
		case kind == d3d9.Declaration || kind == d3d9.Trivia || in.Op == d3d9.OpNop:
			continue
		case kind == d3d9.Flow:
			switch in.Op {
			case d3d9.OpElse, d3d9.OpEndIf, d3d9.OpEndLoop, d3d9.OpEndRep:
				return stmts, in, nil
			}
			s, err := c.compileFlow(in)
			if err != nil {
				return nil, nil, err
			}
			stmts = append(stmts, s)
			if s.kind == sReturn {
				certain = false
			}
		default:
			var s stmt
			var err error
			switch next := c.pc; {
			case !c.fixedPoint():
				s, err = c.lower(in, certain)
			case next < len(c.prog.Insts) && c.prog.Insts[next].CoIssue:
				c.pc++
				s, err = c.lowerFixed(in, &c.prog.Insts[next])
			default:
				s, err = c.lowerFixed(in)
			}
			if err != nil {
				return nil, nil, err
			}
			stmts = append(stmts, s)
		}
	}
	return stmts, nil, nil
}

// ahead counts the statements of the block that begins here, without those of nested blocks. Lists of
// statements are allocated with exact length, because there may be as many subroutines as statements.
func (c *compiler) ahead() (n int) {
	depth := 0
	for i := range c.prog.Insts[c.pc:] {
		in := &c.prog.Insts[c.pc+i]
		switch in.Op {
		case d3d9.OpElse, d3d9.OpEndIf, d3d9.OpEndLoop, d3d9.OpEndRep:
			if depth == 0 {
				return n
			}
			if in.Op != d3d9.OpElse {
				depth--
			}
			continue
		case d3d9.OpLabel:
			return n
		}
		if kind := in.Op.Kind(); depth == 0 && kind != d3d9.Declaration && kind != d3d9.Trivia && in.Op != d3d9.OpNop {
			n++
		}
		switch in.Op {
		case d3d9.OpIf, d3d9.OpIfc, d3d9.OpLoop, d3d9.OpRep:
			depth++
		}
	}
	return n
}

// nested compiles a block that must end with one of the given instructions.
func (c *compiler) nested(open *d3d9.Inst, ends ...d3d9.Op) ([]stmt, d3d9.Op, error) {
	if c.depth++; c.depth > maxDepth {
		return nil, 0, asm.Errorf(open.Pos, "nesting-depth", "blocks are nested more than %d deep", maxDepth)
	}
	stmts, end, err := c.block(false)
	c.depth--
	if err != nil {
		return nil, 0, err
	}
	if end != nil {
		for _, op := range ends {
			if end.Op == op {
				return stmts, op, nil
			}
		}
		return nil, 0, asm.Errorf(end.Pos, "unbalanced-block", "%s does not end the %s at %s", end.Op, open.Op, open.Pos)
	}
	return nil, 0, asm.Errorf(open.Pos, "unbalanced-block", "%s is never ended", open.Op)
}

// compileFlow compiles a flow-control instruction and the blocks it opens.
func (c *compiler) compileFlow(in *d3d9.Inst) (s stmt, err error) {
	s.pos = in.Pos
	switch in.Op {
	case d3d9.OpIf, d3d9.OpIfc:
		s.kind = sIf
		s.cond = c.condition(in, in.Sources())
		var end d3d9.Op
		if s.body, end, err = c.nested(in, d3d9.OpElse, d3d9.OpEndIf); err == nil && end == d3d9.OpElse {
			s.other, _, err = c.nested(in, d3d9.OpEndIf)
		}
	case d3d9.OpRep, d3d9.OpLoop:
		s.kind, s.reg = sRep, int(in.Src[0].Index)
		end := d3d9.OpEndRep
		if in.Op == d3d9.OpLoop {
			s.kind, s.reg, end = sLoop, int(in.Src[1].Index), d3d9.OpEndLoop
		}
		c.loops++
		s.body, _, err = c.nested(in, end)
		c.loops--
	case d3d9.OpBreak, d3d9.OpBreakc, d3d9.OpBreakp:
		if c.loops == 0 {
			return s, asm.Errorf(in.Pos, "break-outside-loop", "%s outside a loop", in.Op)
		}
		s.kind = sBreak
		s.cond = c.condition(in, in.Sources())
	case d3d9.OpCall, d3d9.OpCallnz:
		s.kind = sCall
		label := in.Src[0].Index
		sub, ok := c.labels[label]
		if !ok {
			return s, asm.Errorf(in.Pos, "undefined-label", "label l%d is not defined", label)
		}
		s.reg = sub
		s.cond = c.condition(in, in.Src[1:in.NSrc])
		c.calls = append(c.calls, call{label, c.pc, in.Pos})
	case d3d9.OpRet:
		s.kind = sReturn
	default:
		return s, asm.Errorf(in.Pos, "unsupported-op", "%s cannot be interpreted", in.Op)
	}
	return s, err
}

// condition compiles the operands of a conditional: none, b# or p0.c, or two values to compare (if_gt,
// break_lt).
func (c *compiler) condition(in *d3d9.Inst, src []d3d9.Src) condition {
	switch {
	case len(src) == 0:
		return condition{}
	case len(src) == 1 && src[0].File == d3d9.ConstBool:
		return condition{kind: condBool, not: src[0].Mod == d3d9.ModNot, reg: int(src[0].Index)}
	case len(src) == 1:
		return condition{kind: condPred, not: src[0].Mod == d3d9.ModNot, reg: src[0].Swz.ComponentAt(0)}
	}
	l := lowering{compiler: c, in: in}
	cond := condition{kind: condCmp, cmp: in.Cmp, a: l.scalar(0), b: l.scalar(1)}
	cond.prep.ops = l.pre
	c.vectors = append(c.vectors, cond.a, cond.b)
	return cond
}
