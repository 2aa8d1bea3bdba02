package trial

import (
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
)

// operator is a mutation operator: a small change of a statement that executions have to detect.
type operator struct {
	What string // completes "the statement were"
	// shared exempts statements that the other version has too, by their ops, literals and constants. Inputs
	// need not lie at an edge where both versions behave alike.
	shared bool
	// Early marks a change that leaves a loop sooner. A different number of steps then also kills the mutant,
	// because the remainder of an unrolled loop may do the skipped work.
	Early bool
	// change mutates statement i of k and reports whether it can.
	change func(k *il.Kernel, i int) bool
}

// operators lists the mutation operators. Fixed conditions ask for decision coverage with an effect (Myers,
// The Art of Software Testing, 1979). Changes of comparisons test boundary values (ibid.). They are also
// operators of Mothra, relational operator and constant replacement (King and Offutt, A Fortran Language
// System for Mutation-based Software Testing, 1991).
var operators = []operator{
	{What: "one whose condition always holds", change: func(k *il.Kernel, i int) bool {
		return k.Insts[i].Op.Role() != il.Break && fixCondition(&k.Insts[i], true)
	}},
	{What: "one whose condition always holds", Early: true, change: func(k *il.Kernel, i int) bool {
		return k.Insts[i].Op.Role() == il.Break && fixCondition(&k.Insts[i], true)
	}},
	{What: "one whose condition never holds",
		change: func(k *il.Kernel, i int) bool { return fixCondition(&k.Insts[i], false) }},
	{What: "one that takes equality the other way", shared: true,
		change: func(k *il.Kernel, i int) bool { return turnEquality(&k.Insts[i]) }},
	{What: "one with a literal one more", shared: true,
		change: func(k *il.Kernel, i int) bool { return shiftLiteral(k, i, 1) }},
	{What: "one with a literal one less", shared: true,
		change: func(k *il.Kernel, i int) bool { return shiftLiteral(k, i, -1) }},
	{What: "one that divides by zero in another way", shared: true,
		change: func(k *il.Kernel, i int) bool { return turnZero(&k.Insts[i]) }},
}

// mutant is an alteration of one statement.
type mutant struct {
	*operator
	Index int
	Pos   asm.Pos
}

// Mutants lists the mutants of k that executions have to kill. It leaves out shared alterations of
// statements that other has too.
func Mutants(k, other *il.Kernel) (list []mutant) {
	same := map[string]bool{}
	for i := range other.Insts {
		same[statementKey(other, i)] = true
	}
	for i := range k.Insts {
		for j := range operators {
			a := &operators[j]
			if m := (mutant{a, i, k.Insts[i].Pos}); !(a.shared && same[statementKey(k, i)]) && m.Apply(k) != nil {
				list = append(list, m)
			}
		}
	}
	return list
}

// Apply returns a mutated copy of k, or nil if the alteration does not apply to the statement.
func (m mutant) Apply(k *il.Kernel) *il.Kernel {
	d := *k
	d.Insts = slices.Clone(k.Insts)
	if !m.change(&d, m.Index) {
		return nil
	}
	return &d
}

// statementKey returns a key of a statement: its op, the words of its literal operands, and the constants that it
// reads.
func statementKey(k *il.Kernel, i int) string {
	in := &k.Insts[i]
	text := fmt.Sprint(in.Op, in.Ctl.Rel, in.Ctl.Zero)
	for s := range in.Sources() {
		switch src := &in.Src[s]; {
		case src.File == il.Literal:
			text += fmt.Sprint(" ", LiteralWords(k, src.Reg), in.Reads(s))
		case src.File == il.ConstBuf && src.Rel == nil:
			text += fmt.Sprint(" ", src.Reg, src.Offset, in.Reads(s))
		default:
			text += " computed"
		}
	}
	return text
}

// LiteralWords returns the words of literal r.
func LiteralWords(k *il.Kernel, r il.Reg) (words [4]uint32) {
	for i := range k.Insts {
		if in := &k.Insts[i]; in.Op == il.OpDclLiteral && in.Dst.Reg == r {
			words = in.Imm
		}
	}
	return words
}

// conditions lists the statements that test whether a word is zero. The value is true for those that act on
// zero.
var conditions = map[il.Op]bool{
	il.OpIfLogicalNZ: false, il.OpBreakLogicalNZ: false, il.OpContinueLogicalNZ: false, il.OpCallLogicalNZ: false, il.OpRetLogicalNZ: false, il.OpDiscardLogicalNZ: false,
	il.OpIfLogicalZ: true, il.OpBreakLogicalZ: true, il.OpContinueLogicalZ: true, il.OpCallLogicalZ: true, il.OpRetLogicalZ: true, il.OpDiscardLogicalZ: true,
	il.OpIfNZ: false, il.OpCallNZ: false, il.OpCmov: false, il.OpCmovLogical: false, il.OpDMovc: false,
}

// fixCondition makes a decision always fall one way, and reports whether in is a decision. A condition
// becomes the literal 0 or 1; a comparison compares 0 with 0.
func fixCondition(in *il.Inst, holds bool) bool {
	fix := func(s *il.Src, one bool) {
		s.Mods, s.Neg, s.Div = 0, 0, 0
		if s.Swz = il.MakeSwizzle(il.Sel0); one {
			s.Swz = il.MakeSwizzle(il.Sel1)
		}
	}
	switch in.Op {
	case il.OpIfC, il.OpBreakC, il.OpContinueC:
		fix(&in.Src[0], false)
		fix(&in.Src[1], false)
		if in.Ctl.Rel = il.RelNE; holds {
			in.Ctl.Rel = il.RelEQ
		}
		return true
	case il.OpKill:
		fix(&in.Src[0], true)
		if holds {
			in.Src[0].Neg = il.AllLanes
		}
		return true
	}
	atZero, ok := conditions[in.Op]
	if ok {
		fix(&in.Src[0], holds != atZero)
	}
	return ok
}

// strict pairs the comparisons a < b and b >= a, which differ where operands are equal.
var strict = map[il.Op]il.Op{
	il.OpLt: il.OpGe, il.OpILt: il.OpIGe, il.OpULt: il.OpUGe, il.OpDLt: il.OpDGe,
	il.OpGe: il.OpLt, il.OpIGe: il.OpILt, il.OpUGe: il.OpULt, il.OpDGe: il.OpDLt,
}

// strictRel does the same for the relations of flow statements.
var strictRel = map[il.RelOp]il.RelOp{il.RelGE: il.RelGT, il.RelGT: il.RelGE, il.RelLE: il.RelLT, il.RelLT: il.RelLE}

// turnEquality changes the result of a comparison for equal operands.
func turnEquality(in *il.Inst) bool {
	if op, ok := strict[in.Op]; ok {
		in.Op, in.Src[0], in.Src[1] = op, in.Src[1], in.Src[0]
		return true
	}
	switch in.Op {
	case il.OpIfC, il.OpBreakC, il.OpContinueC:
		rel, ok := strictRel[in.Ctl.Rel]
		if ok {
			in.Ctl.Rel = rel
		}
		return ok
	}
	return false
}

// shiftLiteral adds n to the literal operand of a comparison.
func shiftLiteral(k *il.Kernel, i, n int) bool {
	in := &k.Insts[i]
	if _, ok := strict[in.Op]; !ok || in.Op.Kind() == il.Double {
		return false
	}
	at := slices.IndexFunc(in.Sources(), func(s il.Src) bool { return s.File == il.Literal })
	if at < 0 {
		return false
	}
	fresh := il.Reg{File: il.Literal}
	for j := range k.Insts {
		if d := &k.Insts[j]; d.Op == il.OpDclLiteral {
			fresh.Num = max(fresh.Num, d.Dst.Num+1)
		}
	}
	words := LiteralWords(k, in.Src[at].Reg)
	for j, w := range words {
		if words[j] = w + uint32(n); in.Op.Kind() == il.Float {
			words[j] = math.Float32bits(math.Float32frombits(w) + float32(n))
		}
	}
	in.Src[at].Reg = fresh
	k.Insts = slices.Insert(k.Insts, 0, il.Inst{Op: il.OpDclLiteral, HasDst: true,
		Dst: il.Dst{Reg: fresh, Mask: il.MaskAll}, NImm: 4, Imm: words})
	return true
}

// zeroDivides lists the ops that define the result of a division by zero.
var zeroDivides = []il.Op{il.OpDiv, il.OpRcp, il.OpRcpVec, il.OpRsq, il.OpRsqVec, il.OpLn, il.OpNrm, il.OpDDiv,
	il.OpDRcp, il.OpDRsq}

// turnZero changes the result of a division by zero.
func turnZero(in *il.Inst) bool {
	if !slices.Contains(zeroDivides, in.Op) {
		return false
	}
	if in.Ctl.Zero == il.ZeroZero {
		in.Ctl.Zero = il.ZeroInfinity
	} else {
		in.Ctl.Zero = il.ZeroZero
	}
	return true
}
