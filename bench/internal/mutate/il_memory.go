package mutate

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm/il"
)

// ilMemoryKinds change the fetches, loads and stores of a kernel, and their order. Kinds are Declared if
// invocations that run one after the other cannot show the change: fences, caches and the order of stores
// only affect other threads.
var ilMemoryKinds = []Kind{
	{Name: "resource", Dialect: IL, Doc: "a fetch reads another resource", il: (*ilSite).resource},
	{Name: "sampler", Declared: true, Dialect: IL, Doc: "a fetch uses another sampler", il: (*ilSite).sampler},
	{Name: "texel-offset", Dialect: IL, Doc: "a fetch reads the next texel", il: (*ilSite).texelOffset},
	{Name: "fetch-form", Dialect: IL, Doc: "a fetch computes its level of detail in another way", il: (*ilSite).fetchForm},
	{Name: "view", Declared: true, Dialect: IL, Doc: "an access goes to another view", il: (*ilSite).redirectView},
	{Name: "load-over-store", Dialect: IL, Doc: "a load and a store change places",
		il: func(m *ilSite) bool { return m.accessesExchanged(false) }},
	{Name: "store-order", Declared: true, Dialect: IL, Doc: "two stores change places",
		il: func(m *ilSite) bool { return m.accessesExchanged(true) }},
	{Name: "store-lost", Dialect: IL, Doc: "a store is removed", il: (*ilSite).storeLost},
	{Name: "store-repeated", Declared: true, Dialect: IL,
		Doc: "a store to shared memory is made a second time at the end", il: (*ilSite).storeRepeated},
	{Name: "fence-lost", Declared: true, Dialect: IL, Doc: "a fence is removed", il: (*ilSite).fenceLost},
	{Name: "fence-weaker", Declared: true, Dialect: IL, Doc: "a fence orders less, or holds no threads",
		il: (*ilSite).fenceWeaker},
	{Name: "fence-moved", Declared: true, Dialect: IL, Doc: "a fence and the statement before it change places",
		il: (*ilSite).fenceMoved},
	{Name: "atomic", Dialect: IL, Doc: "an atomic operation is another one", il: (*ilSite).atomic},
	{Name: "cached", Declared: true, Dialect: IL, Doc: "a load may come from a cache where it did not",
		il: (*ilSite).cached},
}

func (m *ilSite) resource() bool {
	in := m.statement()
	if in.Op.Kind() != il.Fetch {
		return false
	}
	old := in.Ctl.ID
	in.Ctl.ID = uint16(m.r.IntN(int(old) + 2))
	return in.Ctl.ID != old
}

func (m *ilSite) sampler() bool {
	in := m.statement()
	if in.Op.Kind() != il.Fetch || in.Op == il.OpLoad || in.Op == il.OpResInfo {
		return false
	}
	old := in.Ctl.Sampler
	in.Ctl.Sampler = uint16(m.r.IntN(int(old) + 3))
	return in.Ctl.Sampler != old
}

// texelOffset adds one texel: offsets of AMD IL are in halves.
func (m *ilSite) texelOffset() bool {
	in := m.statement()
	if in.Op.Kind() != il.Fetch || in.Op == il.OpResInfo {
		return false
	}
	in.Ctl.Texel[0] += 2
	return true
}

// fetchForm exchanges a level of detail and a bias.
func (m *ilSite) fetchForm() bool {
	in := m.statement()
	switch in.Op {
	case il.OpSampleL:
		in.Op = il.OpSampleB
	case il.OpSampleB:
		in.Op = il.OpSampleL
	default:
		return false
	}
	return true
}

// redirectView redirects an access to a new view, which has the declaration of the old one with another ID.
func (m *ilSite) redirectView() bool {
	in := m.statement()
	if in.Op.Kind() != il.MemoryOp || in.Op == il.OpFence {
		return false
	}
	highest, dcl := in.Ctl.ID, (*il.Inst)(nil)
	for i := range m.k.Insts {
		switch o := &m.k.Insts[i]; o.Op {
		case il.OpDclRawUav, il.OpDclArenaUav, il.OpDclUav, il.OpDclStructUav, il.OpDclLds:
			highest = max(highest, o.Ctl.ID)
			if o.Ctl.ID == in.Ctl.ID && (o.Op == il.OpDclLds) == strings.HasPrefix(in.Op.String(), "lds") {
				dcl = o
			}
		}
	}
	if dcl == nil || highest > 10 {
		return false
	}
	other := *dcl
	other.Ctl.ID = highest + 1
	in.Ctl.ID = other.Ctl.ID
	m.insert(0, other)
	return true
}

// access reports whether in accesses memory, and whether it writes. Everything except known loads counts as
// a write.
func access(in *il.Inst) (touches, writes bool) {
	if !computesIL(in) || in.Op == il.OpFence {
		return false, false
	}
	if in.Op.Kind() == il.MemoryOp {
		switch in.Op {
		case il.OpGdsLoad, il.OpLdsLoad, il.OpLdsLoadVec, il.OpLdsReadVec, il.OpUavLoad, il.OpUavRawLoad, il.OpUavArenaLoad,
			il.OpUavStructLoad:
			return true, false
		}
		return true, true
	}
	if in.HasDst && in.Dst.File.IsArray() {
		return true, true
	}
	for i := range in.Sources() {
		switch in.Src[i].File {
		case il.Global, il.TempArray, il.Persistent:
			return true, false
		}
	}
	return false, false
}

// accessesExchanged exchanges the statement and the next access in its block: two writes if both is set,
// else a load and a store. Statements between that access no memory remain in place.
func (m *ilSite) accessesExchanged(both bool) bool {
	touches, writes := access(m.statement())
	if !touches {
		return false
	}
	for j := m.i + 1; j < len(m.k.Insts) && computesIL(&m.k.Insts[j]); j++ {
		t, w := access(&m.k.Insts[j])
		switch {
		case !t:
		case both && writes && w, !both && writes != w:
			m.k.Insts[m.i], m.k.Insts[j] = m.k.Insts[j], m.k.Insts[m.i]
			return true
		default:
			return false
		}
	}
	return false
}

// storeLost removes any statement that writes memory, including arrays of temporaries.
func (m *ilSite) storeLost() bool {
	if _, writes := access(m.statement()); !writes {
		return false
	}
	m.remove(m.i)
	return true
}

// storeRepeated repeats a store at the end of the main program, if there is no return before it. Other
// threads may have stored there in the meantime. A single thread sees a difference only if it stored there
// itself. Atomics that return the old value are excluded.
func (m *ilSite) storeRepeated() bool {
	in := m.statement()
	if _, writes := access(in); !writes || in.HasDst && in.Dst.File == il.TempArray || in.Op == il.OpUavReadAtomic ||
		in.Op == il.OpLdsReadAtomic {
		return false
	}
	for j := m.i + 1; j < len(m.k.Insts); j++ {
		switch m.k.Insts[j].Op.Role() {
		case il.End, il.EndMain:
			m.insert(j, *in)
			return true
		case il.Return, il.Func:
			return false
		}
	}
	return false
}

func (m *ilSite) fenceLost() bool {
	if m.statement().Op != il.OpFence {
		return false
	}
	m.remove(m.i)
	return true
}

// fenceWeaker removes one of a fence's flags, but not the last.
func (m *ilSite) fenceWeaker() bool {
	in := m.statement()
	if in.Op != il.OpFence {
		return false
	}
	old := in.Ctl.Fence
	in.Ctl.Fence &^= choose(m.r, il.FenceThreads, il.FenceLds, il.FenceMemory)
	if in.Ctl.Fence == old || in.Ctl.Fence == 0 {
		in.Ctl.Fence = old
		return false
	}
	return true
}

// fenceMoved moves the statement before a fence behind it: an access there is no longer ordered.
func (m *ilSite) fenceMoved() bool {
	if m.statement().Op != il.OpFence || m.i == 0 || !computesIL(&m.k.Insts[m.i-1]) {
		return false
	}
	m.k.Insts[m.i], m.k.Insts[m.i-1] = m.k.Insts[m.i-1], m.k.Insts[m.i]
	return true
}

func (m *ilSite) atomic() bool {
	in := m.statement()
	switch in.Op {
	case il.OpGdsAtomic, il.OpGdsReadAtomic, il.OpUavAtomic, il.OpUavReadAtomic, il.OpLdsAtomic, il.OpLdsReadAtomic:
		old := in.Ctl.Atomic
		in.Ctl.Atomic = il.Atomic(m.r.IntN(int(il.AtomicXor) + 1))
		return in.Ctl.Atomic != old
	}
	return false
}

// cached permits a load from a cache, which other threads' stores need not reach.
func (m *ilSite) cached() bool {
	in := m.statement()
	switch in.Op {
	case il.OpUavRawLoad, il.OpUavArenaLoad, il.OpUavLoad, il.OpUavStructLoad:
		if !in.Ctl.Cached {
			in.Ctl.Cached = true
			return true
		}
	}
	return false
}
