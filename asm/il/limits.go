package il

import "github.com/shaderlift/shaderlift/asm"

// MaxStatements bounds a kernel, as written and with the bodies of functions in the
// place of their calls, which is how hardware of these families runs them best and how
// they are optimized and priced. It is that of Direct3D 9 programs; the largest kernel known
// in the field has 6700 statements.
const MaxStatements = 1 << 16

// MaxNesting bounds the blocks around a statement. The hardware keeps the execution
// masks of the flow around in a stack of 32 entries ("R600-Family Instruction Set
// Architecture", on the stack of control-flow programs). The reading taken: an if, a
// loop, a switch and a call under way take one entry each, whatever the chip may make
// of a particular one.
const MaxNesting = 32

// inlined is what a function, or the main program, takes once calls are inlined.
// statements stops counting at MaxStatements+1: functions that call each other twice
// double with each level.
type inlined struct {
	statements, nesting int
}

// call is a call and how many blocks are open around it.
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

// bodies splits k, whose blocks nest, into its main program and its functions, in their
// order. The main program is the first, empty or not.
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

// Limits is the limit that k exceeds, nil if there is none. It wants a kernel whose
// blocks nest and whose functions do not call themselves, or size would not end. It
// takes time linear in statements and calls.
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
	switch n := s.size(all[0]); {
	case n.statements > MaxStatements || len(k.Insts) > MaxStatements:
		return tooLarge(all[0].first.Pos)
	case n.nesting > MaxNesting:
		return asm.Errorf(all[0].first.Pos, "nesting-too-deep", "blocks and calls nest %d deep: the hardware's stack has %d entries", n.nesting, MaxNesting)
	}
	return nil
}

// sizes adds up what functions take, each once.
type sizes struct {
	of   map[uint32]*body // by label
	done map[*body]inlined
}

// size is what b takes with the functions that it calls. A call in a block nests within
// it, and is a level itself.
func (s *sizes) size(b *body) inlined {
	if n, ok := s.done[b]; ok {
		return n
	}
	total := b.own
	for _, x := range b.calls {
		f := s.of[x.inst.Imm[0]]
		if f == nil {
			continue
		}
		n := s.size(f)
		total.statements = min(total.statements+n.statements, MaxStatements+1)
		total.nesting = max(total.nesting, x.depth+1+n.nesting)
	}
	s.done[b] = total
	return total
}

// tooLarge reports that a kernel has more statements than one can have.
func tooLarge(at asm.Pos) *asm.Diag {
	return asm.Errorf(at, "too-large", "a kernel has at most %d statements, those of functions counted where they are called", MaxStatements)
}
