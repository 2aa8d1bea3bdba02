package kernel

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
)

// localMemory is memory that the threads of a group share (LDS), zero at the start of a group. R700 has
// one, in which each thread has a part (number perThread). Evergreen and later have several, numbered by
// their declarations. The global data share (GDS), which all groups share, keeps its contents and starts
// with the contents that a case gives.
type localMemory struct {
	id     int    // as declared, or perThread
	global bool   // a part of the global data share
	words  int    // size in words
	stride uint32 // of a structured one; words of a thread for perThread
	keep   bool   // mode wavefrontAbs: groups keep the contents of earlier ones
}

// perThread is the number of R700's local memory.
const perThread = -1

// declareLocal records a declaration. R700's memory may have several declarations, for its size and its
// sharing mode.
func (c *compiler) declareLocal(in *il.Inst) {
	id, global := perThread, in.Op == il.OpDclGds || in.Op == il.OpDclStructGds
	if global || in.Op == il.OpDclLds || in.Op == il.OpDclStructLds {
		id = int(in.Ctl.ID)
	}
	at := -1
	for i := range c.local {
		if c.local[i].id == id && c.local[i].global == global {
			at = i
		}
	}
	if at < 0 {
		at = len(c.local)
		c.local = append(c.local, localMemory{id: id, global: global, keep: global})
	}
	m := &c.local[at]
	size := localBytes(in)
	switch in.Op {
	case il.OpDclLdsSharingMode:
		m.keep = in.Imm[0] == 1
		return
	case il.OpDclLdsSizePerThread:
		m.stride = in.Imm[0]
	case il.OpDclStructLds, il.OpDclStructGds:
		m.stride = in.Imm[0]
	}
	if size > maxLocal {
		c.fail(in, "local-size", "local memory is %d bytes at most", maxLocal)
		return
	}
	m.words = int(size+3) / 4
}

// localBytes returns the declared size of local memory in bytes, per thread for perThread.
func localBytes(in *il.Inst) uint64 {
	size := uint64(in.Imm[0])
	switch in.Op {
	case il.OpDclLdsSizePerThread:
		size *= 4
	case il.OpDclStructLds, il.OpDclStructGds:
		size *= uint64(in.Imm[1])
	}
	return size
}

// localMemory computes sizes that depend on the size of the group.
func (c *compiler) localMemory() {
	for i := range c.local {
		m := &c.local[i]
		if m.id != perThread {
			continue
		}
		if m.words *= c.groupThreads(); 4*m.words > maxLocal && c.err == nil {
			c.fail(&c.k.Insts[0], "local-size", "local memory is %d bytes at most", maxLocal)
		}
	}
}

// localOf returns the local memory that a statement accesses and its index among the declared ones. Such a
// statement makes a kernel grouped: its groups run as a whole.
func (l *lowering) localOf(id int) (int, localMemory) {
	l.grouped = true
	if l.stage != il.Compute {
		l.fail(l.in, "unsupported-op", "%s needs the groups of a compute kernel", l.in.Op)
	}
	for i, m := range l.local {
		if m.id == id && m.global == ofShare(l.in.Op) {
			return i, m
		}
	}
	l.fail(l.in, "undeclared", "local memory is not declared for %s", l.in.Op)
	return 0, localMemory{}
}

// ofShare reports whether a statement accesses the global data share instead of local memory.
func ofShare(op il.Op) bool {
	switch op {
	case il.OpGdsAtomic, il.OpGdsCmp, il.OpGdsLoad, il.OpGdsReadAtomic, il.OpGdsReadCmpXchg, il.OpGdsStore:
		return true
	}
	return false
}

// shares returns the parts of the global data share, in order of their numbers.
func (m *machine) shares() (list []Memory) {
	for i, l := range m.p.local {
		if l.global {
			list = append(list, Memory{l.id, m.local[i]})
		}
	}
	slices.SortFunc(list, func(a, b Memory) int { return a.ID - b.ID })
	return list
}

// localAddress returns a function for the byte address of an access in lane i. The address is one operand,
// or in vector forms an index and a byte offset. The index counts structures, or bytes in unstructured
// memory. data is the first source behind the address.
func (l *lowering) localAddress(mem localMemory, u *uop) (place func(m *machine, u *uop, i int) uint64, data int) {
	u.s[0], u.ns = l.scalar(0), 1
	if l.in.Op != il.OpLdsLoadVec && l.in.Op != il.OpLdsStoreVec {
		return func(m *machine, u *uop, i int) uint64 { return uint64(m.slotWords(u.s[0])[i]) }, 1
	}
	u.s[1], u.ns = l.scalar(1), 2
	stride := uint64(max(mem.stride, 1))
	return func(m *machine, u *uop, i int) uint64 {
		return uint64(m.slotWords(u.s[0])[i])*stride + uint64(m.slotWords(u.s[1])[i])
	}, 2
}

// localLoad reads consecutive words from the address on, one for each lane of the destination: y is the second word
// even if the mask is y alone. AMD's OpenCL compiler (the AMDIL backend for LLVM) loads single words to x and moves
// them, and loads 64 bits to xy; GRVK reads LDS_LOAD_VEC and structures so (amdilc_compiler.c, 03d43a5). The swizzle of
// an address selects its component. Words beyond the end are 0.
func localLoad(l *lowering, lanes il.Lanes) [4]slot {
	k, mem := l.localOf(int(l.in.Ctl.ID))
	u := uop{}
	place, _ := l.localAddress(mem, &u)
	return l.localWords(u, lanes, func(m *machine, u *uop, i, c int) uint32 {
		return loadWord(m.local[k], place(m, u, i)+4*uint64(c))
	})
}

// localWords adds a step that reads a word for each lane.
func (l *lowering) localWords(u uop, lanes il.Lanes, read func(m *machine, u *uop, i, c int) uint32) (results [4]slot) {
	var comps []int
	for c := range 4 {
		if lanes.Has(c) {
			results[c] = l.allocateTemp()
			u.d[u.nd] = results[c]
			u.nd++
			comps = append(comps, c)
		}
	}
	u.ext = func(m *machine, u *uop) {
		var w [4]uint32
		for i := range m.n {
			for k, c := range comps {
				w[k] = read(m, u, i, c)
			}
			for k := range comps {
				m.slotWords(u.d[k])[i] = w[k]
			}
		}
	}
	l.emit(u)
	return results
}

// localStore stores a word for each lane, in the order of the lanes.
func localStore(l *lowering, _ il.Lanes) (results [4]slot) {
	k, mem := l.localOf(int(l.in.Ctl.ID))
	u := uop{masked: true}
	place, from := l.localAddress(mem, &u)
	comps, data := l.storedLanes(from)
	u.ext = func(m *machine, u *uop) {
		for i := range m.writers {
			at := place(m, u, i)
			for j, c := range comps {
				store(m.local[k], at+4*c, m.slotWords(data[j])[i])
			}
		}
	}
	l.emit(u)
	return results
}

// localAtomic executes an atomic access to local memory. For cmp and cmp_xchg the comparison precedes the
// new value, the order that a compiler for local memory emits.
func localAtomic(l *lowering, lanes il.Lanes) [4]slot {
	k, _ := l.localOf(int(l.in.Ctl.ID))
	u := uop{s: [6]slot{l.scalar(0)}, ns: 1}
	return l.atomic(u, lanes, l.atomicData(lanes), false, func(m *machine, u *uop, i int) *uint32 {
		return wordAt(m.local[k], uint64(m.slotWords(u.s[0])[i]))
	})
}

// localWriteVec writes words of the thread's own part, from word _lOffset on. It drops words beyond the
// part, so no thread writes to the part of another.
func localWriteVec(l *lowering, _ il.Lanes) (results [4]slot) {
	k, mem := l.localOf(perThread)
	offset := uint64(l.in.Ctl.Number)
	comps, data := l.storedLanes(0)
	u := uop{masked: true, ext: func(m *machine, u *uop) {
		for i := range m.writers {
			for j, c := range comps {
				if offset+c < uint64(mem.stride) {
					store(m.local[k], 4*(uint64(i)*uint64(mem.stride)+offset+c), m.slotWords(data[j])[i])
				}
			}
		}
	}}
	l.emit(u)
	return results
}

// localReadVec reads words of the part of thread x of the group, from word y on.
func localReadVec(l *lowering, lanes il.Lanes) [4]slot {
	k, mem := l.localOf(perThread)
	if l.in.Ctl.Neighbor {
		l.fail(l.in, "unsupported-op", "lds_read_vec_neighborExch cannot be executed")
	}
	at := l.operand(0, 3)
	u := uop{s: [6]slot{at[0], at[1]}, ns: 2}
	return l.localWords(u, lanes, func(m *machine, u *uop, i, c int) uint32 {
		thread, word := m.slotWords(u.s[0])[i], uint64(m.slotWords(u.s[1])[i])+uint64(c)
		if word >= uint64(mem.stride) {
			return 0
		}
		return loadWord(m.local[k], 4*(uint64(thread)*uint64(mem.stride)+word))
	})
}
