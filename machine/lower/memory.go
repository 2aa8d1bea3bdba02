package lower

import (
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// space returns the number of the memory that in accesses.
func (l *lowerer) space(in *ir.Instr) mir.Space {
	r := ir.Reg{File: in.Base.File, Index: in.Base.Index}
	if _, ok := l.spaces[r]; !ok {
		l.spaces[r] = mir.Space(len(l.spaces) + 1)
	}
	return l.spaces[r]
}

// isArray reports whether in accesses an array whose index has an offset.
func isArray(in *ir.Instr) bool {
	switch il.File(in.Base.File) {
	case il.Global, il.TempArray, il.Persistent:
		return true
	}
	return false
}

// scale returns the bytes of one unit of the address of in: elements of arrays and typed views have
// 16 bytes, other addresses count bytes.
func scale(in *ir.Instr) int {
	if isArray(in) {
		return 16
	}
	switch amdil.Access(in.Imm).Op() {
	case il.OpUavLoad, il.OpUavStore, il.OpUavStructLoad, il.OpUavStructStore:
		return 16
	}
	return 1
}

// address returns the address of a memory op, lane by lane.
func (l *lowerer) address(in *ir.Instr) (a []mir.Arg) {
	for i := range in.Src[0] {
		if in.Src[0][i].V != nil {
			a = append(a, l.src(in, 0, i))
		}
	}
	return a
}

// shared adds an operation on the global data share. Instructions of fetch clauses perform these.
func (l *lowerer) shared(in *ir.Instr, writes bool, args ...mir.Arg) {
	if l.t.Family != r600.Evergreen {
		l.recordFailure("not-supported", "%s has no global data share", l.t.Name)
	}
	for i, a := range args {
		args[i] = mir.V(l.inRegister(a))
	}
	l.fetch(in, r600.FetchShare, args...).Mem = mir.Access{Space: l.space(in), Write: writes}
}

// memoryLoad reads memory. On R600 and R700 every load is a fetch. Evergreen has vertex fetches for
// buffers, and arithmetic operations for the local data share, which return single words. Arrays of
// temporaries are in scratch memory.
func memoryLoad(l *lowerer, in *ir.Instr) {
	if !l.wanted(in) {
		return
	}
	at := l.address(in)
	op := r600.FetchReadGlobal
	switch {
	case in.Base.File == amdil.Share:
		l.shared(in, false, at...)
		return
	case il.File(in.Base.File) == il.TempArray:
		op = r600.FetchReadScratch
	case in.Base.File == amdil.Local || in.Base.File == amdil.LocalPerThread:
		if l.t.Family == r600.Evergreen {
			l.localLoad(in, at)
			return
		}
		op = r600.FetchReadLocal
		l.needsLocal(in)
	case l.t.Family == r600.Evergreen:
		op = r600.FetchVertex
	}
	if isArray(in) {
		at[0] = l.op(r600.OpAddInt, at[0], mir.L(in.Imm))
	}
	at[0] = mir.V(l.inRegister(at[0])) // an index cannot be a selection, not even 0
	f := l.fetch(in, op, at...)
	f.Resource = int(in.Base.Index)
	f.Mem, f.Scale = mir.Access{Space: l.space(in)}, scale(in)
}

// needsLocal reports an error on R600, which has no local memory.
func (l *lowerer) needsLocal(in *ir.Instr) {
	if l.t.Family == r600.R600 {
		l.recordFailure("not-supported", "%s has no local data share", l.t.Name)
	}
}

// memoryStore writes memory: a control-flow instruction with an array of registers (MEM_EXPORT,
// MEM_SCRATCH, MEM_RAT), or operations on the local data share. A constant index becomes part of
// the base address.
func memoryStore(l *lowerer, in *ir.Instr) {
	at := l.address(in)
	if in.Base.File == amdil.Share {
		for i, word := range in.Src[1] {
			if word.V != nil {
				l.shared(in, true, l.op(r600.OpAddInt, at[0], mir.L(uint32(4*i))), l.src(in, 1, i))
			}
		}
		return
	}
	m := &mir.Memory{Op: r600.CFMemExport, Name: "WRITE_IND", Resource: int(in.Base.Index), Scale: scale(in),
		Mem: mir.Access{Space: l.space(in), Write: true}, Line: l.line}
	switch {
	case il.File(in.Base.File) == il.TempArray:
		m.Op = r600.CFMemScratch
	case in.Base.File == amdil.Local || in.Base.File == amdil.LocalPerThread:
		if l.t.Family == r600.Evergreen {
			l.localStore(in, at)
			return
		}
		m.Op = r600.CFMemLocal
		l.needsLocal(in)
	case in.Base.File == amdil.View && l.t.Family == r600.Evergreen:
		m.Op, m.Name = r600.CFMemRat, "STORE_RAW"
		if amdil.Access(in.Imm).Op() == il.OpUavStore {
			m.Name = "STORE_TYPED"
		}
	}
	switch {
	case isArray(in):
		m.Base = int(in.Imm)
	case in.Base.File == amdil.LocalPerThread:
		m.Base = ownOffset(in)
	}
	if len(at) > 0 && isArray(in) && at[0].Kind == mir.LiteralArg {
		m.Base += int(at[0].Bits)
		m.Name, at = "WRITE", nil
	}
	for i, a := range at {
		m.Index[i] = l.inRegister(a)
	}
	if len(in.Src) > 1 {
		for i := range in.Src[1] {
			if in.Src[1][i].V != nil {
				m.Data[i] = l.inRegister(l.src(in, 1, i))
			}
		}
	}
	l.emitItem(m)
}

// ownOffset returns the first word that in writes in its thread's own part of local memory.
func ownOffset(in *ir.Instr) int {
	var how il.Inst
	amdil.Access(in.Imm).Apply(&how)
	return int(how.Ctl.Number)
}

// ownPart returns the words of local memory that belong to a thread. The declaration does not state
// the number, so it is the number of words that the program writes, in whole vectors.
func (l *lowerer) ownPart() uint32 {
	n := 4
	l.f.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpMemStore && in.Base.File == amdil.LocalPerThread {
			n = max(n, ownOffset(in)+4)
		}
	})
	return uint32(n+3) &^ 3
}

// localAddress returns the byte address in the local data share. The parts of threads are
// consecutive.
func (l *lowerer) localAddress(in *ir.Instr, at []mir.Arg) mir.Arg {
	switch {
	case in.Base.File == amdil.LocalPerThread && in.Op == ir.OpMemStore:
		part := l.op(r600.OpMulLoUint, mir.V(l.inputs[threadInGroup]), mir.L(4*l.ownPart()))
		return l.op(r600.OpAddInt, part, mir.L(uint32(4*ownOffset(in))))
	case in.Base.File == amdil.LocalPerThread:
		part := l.op(r600.OpMulLoUint, at[0], mir.L(4*l.ownPart()))
		return l.op(r600.OpAddInt, part, l.op(r600.OpLShlInt, at[1], mir.L(2)))
	case len(at) > 1:
		return l.op(r600.OpAddInt, at[0], at[1])
	}
	return at[0]
}

// local adds an operation on the local data share and returns its result.
func (l *lowerer) local(in *ir.Instr, op r600.Op, write bool, args ...mir.Arg) mir.Arg {
	u := l.effect(op, args...)
	u.Mem = mir.Access{Space: l.space(in), Write: write}
	v := l.newVal()
	u.Slots[0].Dst = v
	l.emitItem(u)
	return mir.V(v)
}

func (l *lowerer) localLoad(in *ir.Instr, at []mir.Arg) {
	base := l.localAddress(in, at)
	for i, v := range in.Out {
		if v != nil && l.need.Live[v.ID] {
			l.define(v, l.local(in, r600.OpLDSReadRet, false, l.op(r600.OpAddInt, base, mir.L(uint32(4*i)))))
		}
	}
}

func (l *lowerer) localStore(in *ir.Instr, at []mir.Arg) {
	base := l.localAddress(in, at)
	for i := range in.Src[1] {
		if in.Src[1][i].V != nil {
			u := l.effect(r600.OpLDSWrite, l.op(r600.OpAddInt, base, mir.L(uint32(4*i))), l.src(in, 1, i))
			u.Mem = mir.Access{Space: l.space(in), Write: true}
			l.emitItem(u)
		}
	}
}

// localAtomics lists the operations on the local data share, without and with a result.
var localAtomics = map[il.Atomic][2]r600.Op{
	il.AtomicAdd:  {r600.OpLDSAdd, r600.OpLDSAddRet},
	il.AtomicSub:  {r600.OpLDSSub, r600.OpLDSSubRet},
	il.AtomicRSub: {r600.OpLDSRsub, r600.OpLDSRsubRet},
	il.AtomicMin:  {r600.OpLDSMinInt, r600.OpLDSMinIntRet},
	il.AtomicMax:  {r600.OpLDSMaxInt, r600.OpLDSMaxIntRet},
	il.AtomicUMin: {r600.OpLDSMinUint, r600.OpLDSMinUintRet},
	il.AtomicUMax: {r600.OpLDSMaxUint, r600.OpLDSMaxUintRet},
	il.AtomicAnd:  {r600.OpLDSAnd, r600.OpLDSAndRet},
	il.AtomicOr:   {r600.OpLDSOr, r600.OpLDSOrRet},
	il.AtomicXor:  {r600.OpLDSXor, r600.OpLDSXorRet},
	il.AtomicInc:  {r600.OpLDSInc, r600.OpLDSIncRet},
	il.AtomicDec:  {r600.OpLDSDec, r600.OpLDSDecRet},
	il.AtomicUInc: {r600.OpLDSInc, r600.OpLDSIncRet},
	il.AtomicUDec: {r600.OpLDSDec, r600.OpLDSDecRet},
	il.AtomicXchg: {r600.OpLDSXchgRet, r600.OpLDSXchgRet},
}

// atomicNames lists the names of atomic operations on views (RAT instructions) in Evergreen's
// documents.
var atomicNames = map[il.Atomic]string{
	il.AtomicAdd: "ADD", il.AtomicSub: "SUB", il.AtomicRSub: "RSUB", il.AtomicMin: "MIN_INT", il.AtomicMax: "MAX_INT",
	il.AtomicUMin: "MIN_UINT", il.AtomicUMax: "MAX_UINT", il.AtomicAnd: "AND", il.AtomicOr: "OR", il.AtomicXor: "XOR",
	il.AtomicInc: "INC_UINT", il.AtomicDec: "DEC_UINT", il.AtomicUInc: "INC_UINT", il.AtomicUDec: "DEC_UINT", il.AtomicXchg: "XCHG",
}

// memoryAtomic lowers an atomic operation. The previous contents of a view return through a buffer
// that a following fetch reads (_RTN).
func memoryAtomic(l *lowerer, in *ir.Instr) {
	if l.t.Family != r600.Evergreen {
		l.recordFailure("not-supported", "%s has no atomic operations", l.t.Name)
		return
	}
	at := l.address(in)
	var how il.Inst
	amdil.Access(in.Imm).Apply(&how)
	var data []mir.Arg
	for s := 1; s < len(in.Src); s++ {
		// The operand is in one lane: the lowest that the statement writes.
		lane := slices.IndexFunc(in.Src[s][:], func(p ir.Lane) bool { return p.V != nil })
		data = append(data, l.src(in, s, lane))
	}
	if in.Base.File == amdil.Share {
		l.shared(in, true, append(at, data...)...)
		return
	}
	compares := len(data) > 1
	wanted := l.wanted(in)
	if in.Base.File == amdil.Local {
		ops := localAtomics[how.Ctl.Atomic]
		if compares {
			ops = [2]r600.Op{r600.OpLDSCmpStore, r600.OpLDSCmpXchgRet}
		}
		args := append([]mir.Arg{l.localAddress(in, at)}, data...)
		if !wanted {
			u := l.effect(ops[0], args...)
			u.Mem = mir.Access{Space: l.space(in), Write: true}
			l.emitItem(u)
			return
		}
		old := l.local(in, ops[1], true, args...)
		for _, v := range in.Out {
			if v != nil && l.need.Live[v.ID] {
				l.define(v, old)
			}
		}
		return
	}
	m := &mir.Memory{Op: r600.CFMemRat, Name: atomicNames[how.Ctl.Atomic], Resource: int(in.Base.Index),
		Scale: scale(in), Mem: mir.Access{Space: l.space(in), Write: true}, Line: l.line}
	switch {
	case compares:
		m.Name = "CMPXCHG_INT"
	case how.Op == il.OpAppendAlloc:
		m.Name = "INC_UINT"
	case how.Op == il.OpAppendConsume:
		m.Name = "DEC_UINT"
	}
	for i, a := range at {
		m.Index[i] = l.inRegister(a)
	}
	for i, a := range data {
		m.Data[i] = l.inRegister(a)
	}
	if wanted {
		m.Name += "_RTN"
	}
	l.emitItem(m)
	if wanted {
		f := l.fetch(in, r600.FetchVertex, at...)
		f.Resource, f.Scale, f.Mem = m.Resource, m.Scale, mir.Access{Space: m.Mem.Space, Write: true}
	}
}

// fence waits for writes and, if requested, for the other threads of the group.
func fence(l *lowerer, in *ir.Instr) {
	all := mir.Access{Space: mir.AllSpace, Write: true}
	if il.Fence(in.Imm)&il.FenceThreads != 0 && l.t.Family == r600.Evergreen {
		u := l.effect(r600.OpGroupBarrier)
		u.Mem = all
		l.emitItem(u)
		return
	}
	l.emitItem(&mir.Memory{Op: r600.CFWaitAck, Name: "WAIT_ACK", Mem: all, Line: l.line})
}

// arrayLoad reads a constant with a computed number. It adds no operation: readers address the
// constant relative to the address register.
func arrayLoad(l *lowerer, in *ir.Instr) {
	base := ir.Reg{File: in.Base.File, Index: in.Base.Index}
	bank := int(base.Index)
	if il.File(base.File) == il.ImmConstBuf {
		bank = mir.ImmediateBank
	}
	at := l.src(in, 0, 0)
	for i, v := range in.Out {
		if v == nil || !l.need.Live[v.ID] {
			continue
		}
		a := mir.K(bank, int(in.Imm)+int(at.Bits), uint8(i)) // the bits are 0 except for literals
		if at.Kind != mir.LiteralArg {
			a.Rel = l.inRegister(at)
		}
		l.args[v.ID] = a
	}
}
