package lanes

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Registers with a fixed meaning while a program runs. Kernels make no calls and use no stack, so all
// registers except the stack pointer are free. run saves none, because Go's ABI0 requires none.
var (
	opPtr   = reg.RDI // the current operation
	file    = reg.RSI // the register file
	scalars = reg.RDX // constants
	writes  = reg.RCX // write masks, one word for each component
	table   = reg.R11 // addresses of the kernels by code
	dstReg  = reg.RAX
	srcRegs = []reg.GPPhysical{reg.R8, reg.R9, reg.R10, reg.R12, reg.R13, reg.RBX, reg.R14, reg.R15}
)

// The layout of an Op, which lanes.go declares.
const (
	codeAt = 0 // 16 bits: the code, an index into the table
	compAt = 2 // 8 bits: the component, of Blend
	dstAt  = 4 // 32 bits each from here on: offsets into the register file, in bytes
	srcAt  = 8
	opSize = 40
)

// lanesOf is the number of lanes of a Vec.
const lanesOf = 64

// isa is an instruction set for kernels. AVX-512 has 32 vector registers, of which kernels use 16, so that
// both sets share the generator's code.
type isa struct {
	name string
	wide int            // lanes of a vector register
	regs []reg.Register // Y0 to Y15, or Z0 to Z15
}

var (
	avx2 = &isa{"AVX2", 8, []reg.Register{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15}}
	avx512 = &isa{"AVX512", 16, []reg.Register{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15}}
)

// kernel is a kernel in construction: an operation on whole Vecs, one vector register at a time. Values of
// one vector take registers from the bottom of the set. Values common to all vectors of a Vec take
// registers from the top and are broadcast once.
type kernel struct {
	*build.Context
	*isa
	pattern  string               // one letter per operand: V for a Vec, S for a broadcast scalar
	saturate bool                 // saturate the stored result
	shared   map[any]reg.Register // allocated registers from the top, by literal or operand number
	at       int                  // the current vector
	used     int                  // registers from the bottom that the current vector has allocated
}

// temp returns a register for the current vector. Registers are allocated in turn; every value is dead when
// its register comes round again. used starts at 0 for every vector, so that all vectors have the same
// code.
func (k *kernel) temp() reg.Register {
	k.used++
	return k.regs[(k.used-1)%(len(k.regs)-len(k.shared))]
}

// share returns a register with the same contents for all vectors. The first request for key broadcasts m,
// and must precede the first vector.
func (k *kernel) share(key any, m Mem) reg.Register {
	r, ok := k.shared[key]
	if !ok {
		r = k.regs[len(k.regs)-1-len(k.shared)]
		k.shared[key] = r
		k.VBROADCASTSS(m, r)
	}
	return r
}

// literal returns a shared register of one number. The first request must precede the first vector.
func (k *kernel) literal(x float32) reg.Register { return k.word(math.Float32bits(x)) }

// word returns a shared register of one word.
func (k *kernel) word(bits uint32) reg.Register { return k.share(bits, wordAt(bits)) }

// src returns operand i of the current vector: memory, or the register of a scalar.
func (k *kernel) src(i int) Op {
	if k.pattern[i] == 'S' {
		return k.share(i, Mem{Base: scalars, Index: srcRegs[i], Scale: 1})
	}
	return Mem{Base: file, Index: srcRegs[i], Scale: 1, Disp: k.at * 4 * k.wide}
}

// load returns operand i in a register that may not be written.
func (k *kernel) load(i int) reg.Register {
	if k.pattern[i] == 'S' {
		return k.src(i).(reg.Register)
	}
	t := k.temp()
	k.VMOVUPS(k.src(i), t)
	return t
}

// dst returns the location of the result of the current vector.
func (k *kernel) dst() Mem {
	return Mem{Base: file, Index: dstReg, Scale: 1, Disp: k.at * 4 * k.wide}
}

// store writes the result of the current vector, saturated if the operation requires it.
func (k *kernel) store(r reg.Register) {
	if k.saturate {
		r = k.saturated(r)
	}
	k.VMOVUPS(r, k.dst())
}

// saturated returns x > 0 ? min(x, 1) : 0. MAXPS returns its second operand if either is NaN or both are
// zero (Intel Software Developer's Manual, volume 2), so NaN and -0 become +0.
func (k *kernel) saturated(x reg.Register) reg.Register {
	return k.min(k.max(x, k.literal(0)), k.literal(1))
}

// binary is an instruction on registers, with operands in the order of Go's assembler: last first,
// destination at the end.
type binary func(ops ...Op)

// do returns a new register with the result of an instruction.
func (k *kernel) do(f binary, a Op, b Op) reg.Register {
	t := k.temp()
	f(b, a, t)
	return t
}

// Arithmetic on registers, or on a register and an operand in memory, which must be the second.
func (k *kernel) add(a, b Op) reg.Register { return k.do(k.VADDPS, a, b) }
func (k *kernel) sub(a, b Op) reg.Register { return k.do(k.VSUBPS, a, b) }
func (k *kernel) mul(a, b Op) reg.Register { return k.do(k.VMULPS, a, b) }
func (k *kernel) min(a, b Op) reg.Register { return k.do(k.VMINPS, a, b) }
func (k *kernel) max(a, b Op) reg.Register { return k.do(k.VMAXPS, a, b) }

// and, or and xor operate on words. AVX-512F has only the integer forms; the float forms belong to
// AVX-512DQ.
func (k *kernel) and(a, b Op) reg.Register {
	if k.wide == 16 {
		return k.do(k.VPANDD, a, b)
	}
	return k.do(two(k.VANDPS), a, b)
}

func (k *kernel) or(a, b Op) reg.Register {
	if k.wide == 16 {
		return k.do(k.VPORD, a, b)
	}
	return k.do(two(k.VORPS), a, b)
}

func (k *kernel) xor(a, b Op) reg.Register {
	if k.wide == 16 {
		return k.do(k.VPXORD, a, b)
	}
	return k.do(two(k.VXORPS), a, b)
}

// two converts a method with any number of operands to a binary.
func two(f func(...Op)) binary { return func(ops ...Op) { f(ops...) } }

// floor returns x rounded down. The immediate selects rounding towards minus infinity without exceptions.
func (k *kernel) floor(x Op) reg.Register {
	const down = U8(9) // and without an exception
	t := k.temp()
	if k.wide == 16 {
		k.VRNDSCALEPS(down, x, t)
	} else {
		k.VROUNDPS(down, x, t)
	}
	return t
}

// Predicates of comparisons, the immediates of VCMPPS: ordered and quiet, except for notEqual, which holds
// for NaN.
const (
	equal    = U8(0)
	notEqual = U8(4)
	less     = U8(0x11)
	greaterE = U8(0x1d)
	greater  = U8(0x1e)
)

// compare returns the lanes in which a comparison of two vectors holds: a mask register of AVX-512, or a
// vector of all ones and zeros.
func (k *kernel) compare(p U8, a, b Op) Op {
	if k.wide == 16 {
		k.VCMPPS(p, b, a, reg.K1)
		return reg.K1
	}
	t := k.temp()
	k.VCMPPS(p, b, a, t)
	return t
}

// nonzero returns the lanes in which neither a nor b is zero. With AVX-512 the first comparison masks the
// second.
func (k *kernel) nonzero(a, b Op) Op {
	zero := k.literal(0)
	if k.wide == 16 {
		k.VCMPPS(notEqual, zero, a, reg.K1)
		k.VCMPPS(notEqual, zero, b, reg.K1, reg.K2)
		return reg.K2
	}
	x, y := k.temp(), k.temp()
	k.VCMPPS(notEqual, zero, a, x)
	k.VCMPPS(notEqual, zero, b, y)
	k.VANDPS(x, y, x)
	return x
}

// choose returns yes in the lanes of a mask and no in the others.
func (k *kernel) choose(mask Op, yes, no Op) reg.Register {
	t := k.temp()
	if k.wide == 16 {
		k.VBLENDMPS(yes, no, mask, t)
	} else {
		k.VBLENDVPS(mask, yes, no, t)
	}
	return t
}

// where returns x in the lanes of a mask and 0 in the others.
func (k *kernel) where(mask Op, x Op) reg.Register {
	t := k.temp()
	if k.wide == 16 {
		k.VMOVUPS_Z(x, mask, t)
	} else {
		k.VANDPS(x, mask, t)
	}
	return t
}

// define writes a kernel: operand offsets into registers, shared registers, the body for each vector of a
// Vec, unrolled, and the jump to the next kernel. Shared registers must be complete before the first
// vector, because the code for all vectors assumes them.
func (k *kernel) define(o *operation, pattern string) {
	k.pattern, k.saturate, k.shared = pattern, o.saturates(), map[any]reg.Register{}
	k.Function(kernelName(k.isa, o.name, pattern))
	k.Attributes(nosplit)
	k.SignatureExpr("func()")
	k.MOVLQSX(Mem{Base: opPtr, Disp: dstAt}, dstReg)
	for i := range pattern {
		k.MOVLQSX(Mem{Base: opPtr, Disp: srcAt + 4*i}, srcRegs[i])
	}
	for i := range pattern {
		if pattern[i] == 'S' {
			k.src(i)
		}
	}
	for _, x := range o.literals {
		k.word(x)
	}
	for k.at = 0; k.at < lanesOf/k.wide; k.at++ {
		k.used = 0
		o.body(k)
	}
	k.next()
}

// next jumps to the kernel of the next operation. In threaded code every kernel has its own indirect jump,
// which the processor predicts separately.
func (k *kernel) next() {
	k.ADDQ(U8(opSize), opPtr)
	k.dispatch("JMP")
}

// dispatch jumps to the kernel of the current operation, or calls it.
func (k *kernel) dispatch(opcode string) {
	k.MOVWLZX(Mem{Base: opPtr, Disp: codeAt}, reg.EAX)
	k.MOVQ(Mem{Base: table, Index: reg.RAX, Scale: 8}, reg.RAX)
	k.Instruction(&ir.Instruction{Opcode: opcode, Operands: []Op{reg.RAX}, Inputs: []Op{reg.RAX},
		IsTerminal: opcode == "JMP"})
}

// kernelName returns the symbol of a kernel.
func kernelName(s *isa, op, pattern string) string {
	return fmt.Sprintf("kernel%s%s%s", s.name, op, suffix(pattern))
}

// suffix returns the suffix for the form of an operation with scalars.
func suffix(pattern string) string {
	for _, c := range pattern {
		if c == 'S' {
			return pattern
		}
	}
	return ""
}
