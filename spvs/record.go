package spvs

import (
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// operandLanes returns the lanes of the operands of in that are values and no constants, by word.
func (l *lifter) operandLanes(in *spirv.Inst) [][]*ir.Value {
	args := make([][]*ir.Value, len(in.Args))
	operands(in, func(k int, id spirv.ID) { args[k] = l.varying(id) })
	return args
}

// varying returns the lanes of an id, or nil for a constant, a pointer or a handle.
func (l *lifter) varying(id spirv.ID) []*ir.Value {
	if _, in := l.x.definition(id); in == nil || l.x.isConstant(in.Op) || !l.x.types[in.Type].isValue() {
		return nil
	}
	return l.lanes(id)
}

// accessed records the target of the last definition, a load. The variables that are values are not accessed.
func (l *lifter) accessed(q *pointer) {
	if l.err == nil && (q.v.memory || q.v.isBlock() || q.v.class == spirv.StorageClassInput) {
		d := &l.definitions[len(l.definitions)-1]
		d.pointer, d.path = q, l.pathLanes(q)
	}
}

// pathLanes returns the lanes of the indices of a pointer, nil for constants. The coordinates of a texel follow.
func (l *lifter) pathLanes(q *pointer) [][]*ir.Value {
	path := make([][]*ir.Value, len(q.path))
	for k, id := range q.path {
		path[k] = l.varying(id)
	}
	if q.texel > 0 {
		path = append(path, l.varying(spirv.ID(l.x.Insts[q.texel].Args[1])))
	}
	return path
}

// recordStores records the stores that an instruction became, from number first of the code on. Their states take the
// place of lanes.
func (l *lifter) recordStores(at, first int, args [][]*ir.Value, q *pointer) {
	d := Definition{Orig: int32(at), args: args}
	for _, in := range (*l.Code)[first:] {
		if in.Op == ir.OpMemStore || in.Op == ir.OpMemAtomic {
			d.Lanes = append(d.Lanes, in.Results...)
		}
	}
	if len(d.Lanes) > 0 && l.err == nil {
		if q != nil {
			d.pointer, d.path = q, l.pathLanes(q)
		}
		l.definitions = append(l.definitions, d)
	}
}

// recordImage records the image or the pointer of an instruction on images, or of an atomic one. The code from first on
// and the definitions from count on belong to it.
func (l *lifter) recordImage(fr *frame, in *spirv.Inst, first, count int) {
	if len(l.definitions) == count {
		l.recordStores(l.at, first, l.operandLanes(in), nil)
	}
	if len(l.definitions) == count || l.err != nil {
		return
	}
	d := &l.definitions[count]
	if h := fr.handles[spirv.ID(in.Args[0])]; h != nil {
		d.handle, d.path = h, l.pathLanes(h.image)
		if h.sampler != nil {
			d.sampler = l.pathLanes(h.sampler)
		}
	} else if q := fr.pointers[spirv.ID(in.Args[0])]; q != nil {
		d.pointer, d.path = q, l.pathLanes(q)
	}
}
