package spvs

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// image returns the image, or the image with its sampler, that took the place of an id. Its type is that of the id.
func (w *writer) image(id spirv.ID, h *handle, path, sampler [][]ir.Lane) spirv.ID {
	want := w.x.typeOf(id)
	list := w.x.decorations[id]
	loaded := w.loadHandle(h.image, path, list)
	switch {
	case want.kind == sampledImageType && h.sampler != h.image:
		second := w.loadHandle(h.sampler, sampler, list)
		// The result may be used in its block only.
		key := fmt.Sprint("sampled ", w.cur.label, loaded, second)
		return w.beside(key, list, spirv.OpSampledImage, want.id, loaded, second)
	case want.kind == imageType && h.image.shape.kind == sampledImageType:
		return w.beside(fmt.Sprint("image ", w.cur.label, loaded), list, spirv.OpImage, want.id, loaded)
	}
	return loaded
}

// beside returns the result of an instruction in the current block that must not move.
func (w *writer) beside(key string, list []decoration, op spirv.Op, typ spirv.ID, args ...spirv.ID) spirv.ID {
	if h := w.find(key); h != nil {
		return h.id
	}
	words := make([]uint32, len(args))
	for i, a := range args {
		words[i] = uint32(a)
	}
	id, _ := w.append(op, typ, words...)
	w.nonUniform(id, list)
	return w.record(key, &held{id: id, typ: typ, block: w.cur})
}

// loadHandle loads an image or a sampler.
func (w *writer) loadHandle(q *pointer, path [][]ir.Lane, list []decoration) spirv.ID {
	from := w.dynamicChain(q, path)
	key := fmt.Sprint("handle ", from, has(list, spirv.DecorationNonUniform))
	if h := w.find(key); h != nil {
		return h.id
	}
	if from != q.v.id {
		w.nonUniform(from, list)
	}
	id := w.pure(key, nil, spirv.OpLoad, q.shape.id, uint32(from))
	w.nonUniform(id, list)
	return id
}

// nonUniform decorates a new id as not uniform if the list says so.
func (w *writer) nonUniform(id spirv.ID, list []decoration) {
	if has(list, spirv.DecorationNonUniform) && !w.marked[id] {
		w.marked[id] = true
		w.e.notes = append(w.e.notes, spirv.Inst{Op: spirv.OpDecorate, Args: []uint32{uint32(id),
			uint32(spirv.DecorationNonUniform)}})
	}
}

// texel returns a pointer to a texel.
func (w *writer) texel(q *pointer, path [][]ir.Lane) spirv.ID {
	in := w.x.Insts[q.texel]
	words := []uint32{uint32(w.dynamicChain(q, path)), in.Args[1], in.Args[2]}
	if coord := path[len(path)-1]; coord != nil {
		words[1] = uint32(w.form(w.x.typeOf(spirv.ID(in.Args[1])).id, coord))
	}
	id, _ := w.append(in.Op, in.Type, words...)
	return id
}
