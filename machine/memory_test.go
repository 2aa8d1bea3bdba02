package machine_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/machine/mir"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

func (b *board) constant(bank int, at uint32, ch uint8) uint32 {
	var file [][4]uint32
	switch {
	case bank < kernel.Banks:
		file = b.c.Constants[bank]
	case bank == mir.ImmediateBank:
		file = b.c.Immediate
	default:
		file = b.c.Ints
	}
	if uint64(at) < uint64(len(file)) {
		return file[at][ch]
	}
	return 0
}

// changed returns the result of an atomic operation on a word.
func changed(name string, old, x uint32) uint32 {
	switch name {
	case "ADD":
		return old + x
	case "SUB":
		return old - x
	case "RSUB":
		return x - old
	case "MIN_INT":
		return uint32(min(int32(old), int32(x)))
	case "MAX_INT":
		return uint32(max(int32(old), int32(x)))
	case "MIN_UINT":
		return min(old, x)
	case "MAX_UINT":
		return max(old, x)
	case "AND":
		return old & x
	case "OR":
		return old | x
	case "XOR":
		return old ^ x
	case "XCHG":
		return x
	}
	panic("no meaning of " + name)
}

func (th *boardThread) lds(op r600.Op, a [3]uint32) (old uint32) {
	at := a[0] / 4
	if int(at) >= len(th.local) {
		return 0
	}
	w := &th.local[at]
	old = *w
	switch name := op.String(); op {
	case r600.OpLDSReadRet:
	case r600.OpLDSWrite:
		*w = a[1]
	default:
		name = name[len("LDS_"):]
		if len(name) > 4 && name[len(name)-4:] == "_RET" {
			name = name[:len(name)-4]
		}
		*w = changed(name, old, a[1])
	}
	return old
}

func (th *boardThread) fetch(f *r600.Fetch) {
	var co [4]uint32
	for i, s := range f.SrcSel {
		switch {
		case s <= r600.SelW:
			co[i] = th.gpr[f.Src][s]
		case s == r600.SelOne:
			co[i] = machinetest.FloatWord(1)
		}
	}
	got := th.fetched(f, co)
	for ch, s := range f.DstSel {
		if s <= r600.SelW && th.active() {
			th.gpr[f.Dst][ch] = got[s]
		}
	}
}

func wordsFrom(words []uint32, at uint64) (out [4]uint32) {
	for i := range out {
		if k := at + uint64(i); k < uint64(len(words)) {
			out[i] = words[k]
		}
	}
	return out
}

func (th *boardThread) fetched(f *r600.Fetch, co [4]uint32) (out [4]uint32) {
	in := th.at[f.Line]
	switch f.Op {
	case r600.FetchReadScratch:
		if a := th.arrays[f.Resource]; uint64(co[0]) < uint64(len(a)) {
			return a[co[0]]
		}
		return out
	case r600.FetchReadLocal:
		if in.Op == il.OpLdsReadVec {
			if int(co[1]) >= th.stride {
				return out
			}
			return wordsFrom(th.local, uint64(co[0])*uint64(th.stride)+uint64(co[1]))
		}
		return wordsFrom(th.local, uint64(co[0]/4))
	case r600.FetchVertex, r600.FetchReadGlobal:
		switch in.Op {
		case il.OpUavRawLoad, il.OpUavArenaLoad:
			return wordsFrom(th.views[f.Resource], uint64(co[0]/4))
		case il.OpUavReadAtomic, il.OpUavReadCmpXchg:
			return [4]uint32{th.returned[f.Line]}
		case il.OpLoad, il.OpSample:
		default:
			if uint64(co[0]) < 1<<30 {
				return wordsFrom(th.global, 4*uint64(co[0]))
			}
			return out
		}
	}
	return th.texel(f, co)
}

// texel reads the nearest texel.
func (th *boardThread) texel(f *r600.Fetch, co [4]uint32) (out [4]uint32) {
	for i := range th.c.Resources {
		r := &th.c.Resources[i]
		if r.ID != f.Resource {
			continue
		}
		n := 2
		size := [3]int{r.Width, r.Height, r.Depth}
		switch th.decl[r.ID].Ctl.Tex {
		case il.Tex1D:
			n = 1
		case il.TexBuffer:
			n, size[0] = 1, r.Width*r.Height*r.Depth
		case il.Tex3D, il.Tex2DArray:
			n = 3
		}
		whole := f.Op == r600.FetchLD || f.Op == r600.FetchVertex && th.at[f.Line].Op == il.OpLoad
		at, stride := 0, 1
		for c := range n {
			var k int
			if whole {
				k = int(int32(co[c])) + int(f.Offset[c]>>1)
				if k < 0 || k >= size[c] {
					return out
				}
			} else {
				x := float64(machinetest.Float(co[c]))
				if !f.Unnormal && f.Op != r600.FetchVertex {
					x *= float64(size[c])
				}
				x += float64(f.Offset[c]) / 2
				k = size[c] - 1
				if !(x > 0) {
					k = 0
				} else if x < float64(size[c]) {
					k = int(x)
				}
			}
			at += stride * k
			stride *= size[c]
		}
		w := th.data[r.ID]
		switch f.Op { // against the reference, which follows the coordinates
		case r600.FetchSampleC, r600.FetchSampleCL, r600.FetchSampleCLB, r600.FetchSampleCLZ:
			passed := machinetest.FloatWord(machinetest.PickFloat(machinetest.Float(co[n]) <= machinetest.Float(w[r.Format.Components()*at]), 1, 0))
			return [4]uint32{passed, passed, passed, passed}
		}
		switch r.Format {
		case kernel.Float1:
			return [4]uint32{w[at], w[at], w[at], w[at]}
		case kernel.Float2:
			return [4]uint32{w[2*at], w[2*at+1], 0, machinetest.FloatWord(1)}
		}
		copy(out[:], w[4*at:])
	}
	return out
}

func (th *boardThread) export(e *r600.Export) {
	if !th.active() {
		return
	}
	for i := range e.Count {
		if e.Base+i >= len(th.out) {
			continue // depth
		}
		for ch, s := range e.Sel {
			if s <= r600.SelW {
				th.out[e.Base+i][4*th.id+ch] = th.gpr[e.Reg+i][s]
			}
		}
	}
}

func (th *boardThread) memory(cf *r600.CF) {
	m := cf.Memory
	if !th.active() || cf.Op == r600.CFWaitAck {
		return
	}
	var index [4]uint32
	if m.IndexReg >= 0 {
		for i, s := range m.IndexSel {
			if s <= r600.SelW {
				index[i] = th.gpr[m.IndexReg][s]
			}
		}
	}
	put := func(words []uint32, at uint64) {
		for i, s := range m.Sel {
			if k := at + uint64(i); s <= r600.SelW && k < uint64(len(words)) {
				words[k] = th.gpr[m.Reg][s]
			}
		}
	}
	in := th.at[cf.Line]
	element := index[0] + uint32(m.Base)
	switch {
	case cf.Op == r600.CFMemScratch:
		if a := th.arrays[m.Resource]; uint64(element) < uint64(len(a)) {
			put(a[element][:], 0)
		}
	case cf.Op == r600.CFMemLocal:
		if in.Op == il.OpLdsWriteVec {
			put(th.local[th.id%th.group*th.stride:][:th.stride], uint64(m.Base))
			return
		}
		put(th.local, uint64(index[0]/4))
	case in.Op == il.OpUavAtomic || in.Op == il.OpUavReadAtomic:
		if words, at := th.views[m.Resource], int(index[0]/4); at < len(words) {
			name := m.Name
			if n := len(name); n > 4 && name[n-4:] == "_RTN" {
				name = name[:n-4]
				th.returned[cf.Line] = words[at]
			}
			words[at] = changed(name, words[at], th.gpr[m.Reg][m.Sel[0]])
		}
	case in.Op == il.OpUavRawStore || in.Op == il.OpUavArenaStore:
		put(th.views[m.Resource], uint64(index[0]/4))
	case in.HasDst && in.Dst.File == il.Global:
		put(th.global, 4*uint64(element))
	default:
		th.t.Fatal(fmt.Sprint("no meaning of a write by ", in.Op))
	}
}
