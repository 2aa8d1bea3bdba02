package alike

import (
	"cmp"
	"maps"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
)

// word is a component of a register after statement at, the last one that may have written it; -1 for a component
// that nothing has written.
type word struct {
	reg  il.Reg
	comp il.Sel
	at   int
}

// sum is an integer modulo 2^32: multiples of words plus a number.
type sum struct {
	times map[word]uint32
	more  uint32
}

// maxSteps bounds the statements that the computation of an address expands to.
const maxSteps = 32

// distance returns b - a. ok is false if it is not a number.
func (a sum) distance(b sum) (d uint32, ok bool) {
	c := plus(b, 1, a, 1<<32-1)
	return c.more, len(c.times) == 0
}

// plus returns p*a + q*b.
func plus(a sum, p uint32, b sum, q uint32) sum {
	c := sum{map[word]uint32{}, p*a.more + q*b.more}
	for x, n := range a.times {
		c.times[x] += p * n
	}
	for x, n := range b.times {
		c.times[x] += q * n
	}
	for x, n := range c.times {
		if n == 0 {
			delete(c.times, x)
		}
	}
	return c
}

// times returns a product. ok is false if neither factor is a number.
func times(a, b sum) (c sum, ok bool) {
	if len(a.times) == 0 {
		a, b = b, a
	}
	return plus(a, b.more, sum{}, 0), len(b.times) == 0
}

// elementSum returns the index of an element of g[] in statement i.
func (h *holder) elementSum(i int, at il.Addr) (x sum, ok bool) {
	if at.Rel == nil {
		return sum{more: at.Offset}, true
	}
	if at.Rel.Addr.Rel != nil {
		return sum{}, false
	}
	x, ok = h.addressSum(i, at.Rel)
	x.more += at.Offset
	return x, ok
}

// addressSum returns the first component of an operand of statement i.
func (h *holder) addressSum(i int, s *il.Src) (x sum, ok bool) { return h.partSum(i, s, 0) }

// partSum returns component part of an operand of statement i.
func (h *holder) partSum(i int, s *il.Src, part int) (x sum, ok bool) {
	steps := maxSteps
	return h.operandSum(i, s, s.Swz.Vector()[part], &steps)
}

// operandSum returns a component of an operand of statement i.
func (h *holder) operandSum(i int, s *il.Src, comp il.Sel, steps *int) (x sum, ok bool) {
	if *steps--; s.Mods != 0 || s.Div != 0 || s.Neg != 0 || s.File.IsArray() || comp > il.SelW || *steps < 0 {
		return sum{}, false
	}
	switch s.File {
	case il.Literal:
		words, declared := h.literals[s.Reg]
		return sum{more: words[comp]}, declared
	case il.Temp:
	case il.Output, il.SharedTemp, il.Address: // statements may write them
		return sum{}, false
	default:
		return sum{times: map[word]uint32{{s.Reg, comp, -1}: 1}}, true
	}
	at, certain := h.lastWrite(i, s.Reg, comp)
	if certain {
		if x, ok := h.resultSum(at, comp, steps); ok {
			return x, true
		}
	}
	return sum{times: map[word]uint32{{s.Reg, comp, at}: 1}}, true
}

// resultSum returns a component that statement i writes, if the statement is a sum or a product.
func (h *holder) resultSum(i int, comp il.Sel, steps *int) (x sum, ok bool) {
	in := &h.insts[i]
	if in.Dst.Mask.WriteAt(int(comp)) != il.Result || in.Dst.Sat || in.Dst.Shift != 0 {
		return sum{}, false
	}
	var args [3]sum
	switch in.Op {
	case il.OpMov, il.OpIAdd, il.OpIMul, il.OpIMad, il.OpIShl:
		for k := range in.Sources() {
			if args[k], ok = h.operandSum(i, &in.Src[k], in.Reads(k)[comp], steps); !ok {
				return sum{}, false
			}
		}
	}
	switch in.Op {
	case il.OpMov:
		return args[0], true
	case il.OpIAdd:
		return plus(args[0], 1, args[1], 1), true
	case il.OpIMul:
		return times(args[0], args[1])
	case il.OpIMad:
		x, ok = times(args[0], args[1])
		return plus(x, 1, args[2], 1), ok
	case il.OpIShl:
		return plus(args[0], 1<<(args[1].more&31), sum{}, 0), len(args[1].times) == 0
	}
	return sum{}, false
}

// lastWrite returns the last statement before i that may write a component, -1 for none. certain reports that every
// path to i has executed it last. For a write in a block that has ended it is the end of the block, and the beginning
// of a loop around i if the loop writes the component.
func (h *holder) lastWrite(i int, r il.Reg, comp il.Sel) (at int, certain bool) {
	writes := func(k int) bool {
		in := &h.insts[k]
		return in.HasDst && in.Dst.Reg == r && in.Dst.Mask.WriteAt(int(comp)) != il.Keep
	}
	for k := i - 1; k >= 0; k-- {
		switch h.insts[k].Op.Role() {
		case il.EndIf, il.EndLoop, il.EndSwitch:
			begin := h.beginBlock(k)
			for j := begin; j < k; j++ {
				if writes(j) {
					return k, false
				}
			}
			k = begin
		case il.Else: // the other branch is not on the way
			k = h.beginBlock(k)
		case il.Case, il.Switch, il.Call, il.Func, il.EndFunc, il.EndMain:
			return k, false
		case il.Loop:
			for j, depth := k, 0; j < len(h.insts); j++ {
				switch h.insts[j].Op.Role() {
				case il.Loop:
					depth++
				case il.EndLoop:
					depth--
				}
				if depth == 0 {
					break
				}
				if writes(j) {
					return k, false
				}
			}
		default:
			if writes(k) {
				return k, true
			}
		}
	}
	return -1, false
}

// available reports whether the registers of a sum hold its words before statement i.
func (h *holder) available(x sum, i int) bool {
	for w := range x.times {
		if at, _ := h.lastWrite(i, w.reg, w.comp); w.reg.File == il.Temp && at != w.at {
			return false
		}
	}
	return true
}

// compute returns statements that compute a sum, and the operand that holds it.
func (h *holder) compute(x sum) (code []il.Inst, result il.Src) {
	result = il.Src{Reg: il.Reg{File: il.Temp, Num: h.temps}, Swz: il.MakeSwizzle(il.SelX)}
	h.temps++
	step := func(op il.Op, src ...il.Src) {
		in := il.Inst{Op: op, HasDst: true, NSrc: uint8(len(src))}
		in.Dst.Reg, in.Dst.Mask = result.Reg, il.MakeMask(il.Result, il.Keep, il.Keep, il.Keep)
		copy(in.Src[:], src)
		code = append(code, in)
	}
	step(il.OpMov, h.literal(x.more))
	words := slices.SortedFunc(maps.Keys(x.times), func(a, b word) int {
		return cmp.Or(cmp.Compare(a.reg.File, b.reg.File), cmp.Compare(a.reg.Num, b.reg.Num), cmp.Compare(a.comp, b.comp))
	})
	for _, w := range words {
		step(il.OpIMad, il.Src{Reg: w.reg, Swz: il.MakeSwizzle(w.comp)}, h.literal(x.times[w]), result)
	}
	return code, result
}

// literal declares a literal and returns an operand that reads it.
func (h *holder) literal(n uint32) il.Src {
	d := il.Inst{Op: il.OpDclLiteral, HasDst: true, NImm: 4, Imm: [4]uint32{n}}
	d.Dst.Reg, d.Dst.Mask = il.Reg{File: il.Literal, Num: h.newLiteral}, il.MaskAll
	h.newLiteral++
	h.literals[d.Dst.Reg] = d.Imm
	h.declared = append(h.declared, d)
	return il.Src{Reg: d.Dst.Reg, Swz: il.MakeSwizzle(il.SelX)}
}

// beginBlock returns the statement that begins the block that statement end, or an else, ends.
func (h *holder) beginBlock(end int) int {
	depth := 0
	if h.insts[end].Op.Role() == il.Else {
		depth = 1
	}
	for i := end; i >= 0; i-- {
		switch h.insts[i].Op.Role() {
		case il.EndIf, il.EndLoop, il.EndSwitch:
			depth++
		case il.If, il.Loop, il.Switch:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}
