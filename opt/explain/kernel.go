package explain

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/passes"
)

// KernelStatements lists the statements of kernel k, with the numbers of machine operations and fetches for
// each. The kernel was lifted to f and compiled to s. If origins is set, it is the same kernel with positions
// in the input, which are listed instead.
func KernelStatements(name string, k *il.Kernel, f *ir.Func, s *sched.Scheduled, origins *il.Kernel) Program {
	// Operations and fetches by the line of their source statement.
	ops, fetches := map[int]int{}, map[int]int{}
	for i := range s.Program.CF {
		cf := &s.Program.CF[i]
		for g := range cf.Groups {
			for _, op := range cf.Groups[g].Slots {
				if op != nil {
					ops[op.Line]++
				}
			}
		}
		for n := range cf.Fetches {
			fetches[cf.Fetches[n].Line]++
		}
	}
	p := Program{Name: name, Instructions: []Instruction{}}
	total := 0
	var at []int
	for i := range k.Insts {
		inst := &k.Insts[i]
		if inst.Op.Kind() == il.Declaration {
			continue
		}
		line := inst.Pos.Line
		statement := Instruction{Text: il.Format(inst), Line: line, Slots: ops[line] + fetches[line], Texture: fetches[line]}
		delete(ops, line) // the first of several statements in a line gets them
		delete(fetches, line)
		if origins != nil {
			from := &origins.Insts[i]
			statement.Line = from.Also.Place(from.Pos).Line
		}
		total += statement.Slots
		statement.Total = total
		p.Instructions, at = append(p.Instructions, statement), append(at, i)
	}
	connectReads(p.Instructions, at, readsOf(f, len(k.Insts)))
	return p
}

// KernelRates sets the rates of list, the statements of a kernel lifted to f, with their reasons.
func KernelRates(list []Instruction, f *ir.Func) {
	rates := kernelRates(f)
	for i := range list {
		r := rates[list[i].Line]
		list[i].Rate, list[i].Why, list[i].Fate = r.Rate, whyRate(r), Kept
	}
}

// KernelFates sets the fate of each statement in list, of the kernel of a name. now replaces the kernel and
// has positions in it; left has the lines from which now has instructions, and made the rewrites.
func KernelFates(name string, now *il.Kernel, left map[int]bool, made []passes.Step, list []Instruction) {
	m, n := newMerges([]string{name}, made), 0
	for i := range now.Insts {
		if inst := &now.Insts[i]; inst.Op.Kind() != il.Declaration {
			m.recordInstruction(0, n, il.Format(inst), inst.Pos, inst.Also)
			n++
		}
	}
	places := make([]asm.Pos, len(list))
	for i := range list {
		places[i] = asm.Pos{File: name, Line: list[i].Line}
		m.settle(&list[i], 0, places[i])
	}
	// Operands absorb negations and loads of arrays, as well as moves.
	m.follow(list, places, func(i int) bool {
		return left[list[i].Line] ||
			strings.HasPrefix(list[i].Text, il.OpMov.String())
	})
}
