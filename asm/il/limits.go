package il

import "github.com/shaderlift/shaderlift/asm"

// MaxStatements bounds a kernel, as written and after inlining all calls, which is the form that
// these hardware families run best and that the optimizer processes and prices. It equals the bound
// of Direct3D 9 programs; the largest known kernel has 6700 statements.
const MaxStatements = 1 << 16

// MaxNesting bounds the blocks around a statement. The hardware keeps the execution masks of the
// enclosing control flow in a stack of 32 entries ("R600-Family Instruction Set Architecture", on
// the stack of control-flow programs). The bound assumes one entry for each if, loop, switch and
// active call; a chip may need fewer or more for a particular one.
const MaxNesting = 32

// inlined is the size of a function, or the main program, after inlining. statements stops counting
// at MaxStatements+1, because functions that call each other twice double with each level.
type inlined struct {
	statements, nesting int
}

// call is a call with its number of enclosing blocks.
type call struct {
	inst  *Inst
	depth int
}

// body is a function, or the main program, as it is written.
type body struct {
	first *Inst // func, or the first statement
	own   inlined
	calls []call
}

// bodies splits k, whose blocks nest, into its main program and its functions, in their order. The
// main program is the first, even if empty.
func bodies(k *Kernel) []*body {
	if len(k.Insts) == 0 {
		return nil
	}
	now := &body{first: &k.Insts[0]}
	all := []*body{now}
	depth := 0
	for i := range k.Insts {
		in := &k.Insts[i]
		switch in.Op.Role() {
		case Func:
			now = &body{first: in}
			all = append(all, now)
			depth = 0
		case If, Loop, Switch:
			depth++
			now.own.nesting = max(now.own.nesting, depth)
		case EndIf, EndLoop, EndSwitch:
			depth--
		case Call:
			now.calls = append(now.calls, call{in, depth})
		}
		now.own.statements++
	}
	return all
}

// Limits returns the limit that k exceeds, or nil. It requires that blocks nest and that functions
// are not recursive, or size would not terminate. It takes time linear in statements and calls.
func Limits(k *Kernel) *asm.Diag {
	all := bodies(k)
	if len(all) == 0 {
		return nil
	}
	s := sizes{of: map[uint32]*body{}, done: map[*body]inlined{}}
	for _, b := range all {
		if b.first.Op.Role() == Func {
			s.of[b.first.Imm[0]] = b
		}
	}
	switch n := s.inlinedSize(all[0]); {
	case n.statements > MaxStatements || len(k.Insts) > MaxStatements:
		return tooLarge(all[0].first.Pos)
	case n.nesting > MaxNesting:
		return asm.Errorf(all[0].first.Pos, "nesting-too-deep",
			"blocks and calls nest %d deep: the hardware's stack has %d entries", n.nesting, MaxNesting)
	}
	return nil
}

// sizes computes the sizes of functions, each once.
type sizes struct {
	of   map[uint32]*body // by label
	done map[*body]inlined
}

// inlinedSize returns the size of b including the functions that it calls. A call adds the nesting of its
// blocks and one level.
func (s *sizes) inlinedSize(b *body) inlined {
	if n, ok := s.done[b]; ok {
		return n
	}
	total := b.own
	for _, x := range b.calls {
		f := s.of[x.inst.Imm[0]]
		if f == nil {
			continue
		}
		n := s.inlinedSize(f)
		total.statements = min(total.statements+n.statements, MaxStatements+1)
		total.nesting = max(total.nesting, x.depth+1+n.nesting)
	}
	s.done[b] = total
	return total
}

// tooLarge returns the diagnostic for a kernel with too many statements.
func tooLarge(at asm.Pos) *asm.Diag {
	return asm.Errorf(at, "too-large", "a kernel has at most %d statements; statements of functions count at each call",
		MaxStatements)
}
