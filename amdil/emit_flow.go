package amdil

import (
	"errors"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// construct adds the statements of a conditional or loop, or a break.
func (b *emitter) construct(in *ir.Instr) error {
	switch in.Op {
	case ir.OpIf:
		if c := b.folds.choices[in]; c != nil {
			return b.emitSwitch(c)
		}
		return b.conditional(in)
	case ir.OpLoop:
		return b.emitLoop(in)
	}
	return b.leave(in)
}

// condition makes s depend on the word of in: the bits decide, and Not makes it the test for zero.
// Comparisons are separate instructions in AMD IL.
func (b *emitter) condition(s *stmt, in *ir.Instr) error {
	if in.Cond != ir.CondNone {
		return errors.New("the condition is not a word")
	}
	s.not = in.Src[0][0].Mod&ir.Not != 0
	s.src = []operand{b.source(&in.Src[0], il.Scalar, false)}
	return nil
}

// conditional adds if, else and endif, with block arguments for the results. The arguments of the first side
// are moved before the else, those of the second before the endif. The results are live from there on.
func (b *emitter) conditional(in *ir.Instr) error {
	s := b.statement(il.OpIfLogicalNZ, in)
	s.kind = regalloc.If
	if err := b.condition(s, in); err != nil {
		return err
	}
	list := b.registers(in.Results)
	mid := b.statement(il.OpElse, nil)
	end := b.statement(il.OpEndIf, nil)
	mid.kind, mid.open, mid.into = regalloc.Else, s, end
	end.kind, end.open = regalloc.EndIf, s
	b.appendStmt(s)
	if err := b.region(in.Sub[0]); err != nil {
		return err
	}
	mid.args = b.argsOf(in.Sub[0].Results, in.Results, list)
	b.appendStmt(mid)
	if err := b.region(in.Sub[1]); err != nil {
		return err
	}
	end.args, end.params = b.argsOf(in.Sub[1].Results, in.Results, list), b.paramsOf(in.Results, list)
	b.appendStmt(end)
	return nil
}

// emitLoop adds whileloop and endloop. The arguments are moved into the parameters before the loop, and the next
// values at its end. Each break moves values into the results, which are live after the loop.
func (b *emitter) emitLoop(in *ir.Instr) error {
	body := in.Sub[0]
	if len(in.Src) > 0 || body.Index != nil {
		return errors.New("AMD IL has no loops with a counter")
	}
	s := b.statement(il.OpWhileLoop, in)
	end := b.statement(il.OpEndLoop, nil)
	s.kind = regalloc.Loop
	end.kind, end.open, end.into = regalloc.EndLoop, s, s
	list := b.registers(body.Params)
	s.args, s.params = b.argsOf(in.Args, body.Params, list), b.paramsOf(body.Params, list)
	b.appendStmt(s)
	b.loops, b.carry = append(b.loops, end), append(b.carry, in)
	err := b.region(body)
	b.loops, b.carry = b.loops[:len(b.loops)-1], b.carry[:len(b.carry)-1]
	end.args = b.argsOf(body.Results, body.Params, list)
	end.params = b.paramsOf(in.Results, b.registers(in.Results))
	b.appendStmt(end)
	return err
}

// leave adds a break, with arguments for the results of the enclosing loop.
func (b *emitter) leave(in *ir.Instr) error {
	s := b.statement(il.OpBreak, in)
	s.kind, s.into = regalloc.Leave, b.loops[len(b.loops)-1]
	if len(in.Src) > 0 {
		s.kind, s.op = regalloc.Break, il.OpBreakLogicalNZ
		if err := b.condition(s, in); err != nil {
			return err
		}
	}
	results := b.carry[len(b.carry)-1].Results
	s.args = b.argsOf(in.Args, results, b.registers(results))
	b.appendStmt(s)
	return nil
}
