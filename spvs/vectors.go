package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// formVector returns a vector of lanes that need no conversion, by the fewest new instructions.
func (w *writer) formVector(typ spirv.ID, k Scalar, lanes []ir.Lane, key string) spirv.ID {
	for _, l := range lanes {
		if !isFixed(l) {
			w.ensure(l.V, k)
		}
	}
	if id := w.heldAs(typ, lanes); id != 0 {
		return id
	}
	if id := w.column(typ, k, lanes, key); id != 0 {
		return id
	}
	parts, cost := w.constituents(k, lanes)
	if cost > 1 {
		w.splitColumns(k, lanes)
		parts, cost = w.constituents(k, lanes)
	}
	if cost > 0 {
		if id := w.shuffle(typ, k, lanes, key); id != 0 {
			return id
		}
		if id := w.insert(typ, k, lanes, key); id != 0 {
			return id
		}
		if cost > 1 {
			if id := w.oddLane(typ, k, lanes, key); id != 0 {
				return id
			}
		}
	}
	args := make([]uint32, 0, len(lanes))
	for i := 0; i < len(lanes); {
		if h := parts[i]; h != nil {
			args = append(args, uint32(h.id))
			i += len(h.lanes)
			continue
		}
		args = append(args, uint32(w.form(w.e.scalar(k), lanes[i:i+1])))
		i++
	}
	return w.pure(key, lanes, spirv.OpCompositeConstruct, typ, args...)
}

// column returns a part of a matrix or structure with these lanes, or 0.
func (w *writer) column(typ spirv.ID, k Scalar, lanes []ir.Lane, key string) spirv.ID {
	if isFixed(lanes[0]) {
		return 0
	}
	for _, h := range w.by[lanes[0].V] {
		if !h.reads(lanes[0].V, k) || !h.isOpen() || len(h.lanes) <= len(lanes) {
			continue
		}
		if _, n := w.e.kindOf(h.typ); n > 0 {
			continue
		}
		at := slices.Index(h.lanes, lanes[0])
		if at < 0 || at+len(lanes) > len(h.lanes) || !slices.Equal(h.lanes[at:at+len(lanes)], lanes) {
			continue
		}
		path := w.path(h.typ, at)
		path, last := path[:len(path)-1], path[len(path)-1]
		t := h.typ
		for _, i := range path {
			t = w.e.part(t, int(i))
		}
		if t == typ && last == 0 {
			return w.pure(key, lanes, spirv.OpCompositeExtract, typ, append([]uint32{uint32(h.id)}, path...)...)
		}
	}
	return 0
}

// splitColumns extracts the columns of matrices, and other vectors in composites, of which lanes are several.
func (w *writer) splitColumns(k Scalar, lanes []ir.Lane) {
	for i, l := range lanes {
		if isFixed(l) {
			continue
		}
		var best *held
		most := 1
		for _, h := range w.by[l.V] {
			if w.isVector(h) || !h.reads(l.V, k) || !h.isOpen() {
				continue
			}
			_, _, first := w.vectorAt(h.typ, slices.Index(h.lanes, l))
			if n := w.sharedWith(h, first, lanes[i:]); n > most {
				best, most = h, n
			}
		}
		if best == nil {
			continue
		}
		typ, path, first := w.vectorAt(best.typ, slices.Index(best.lanes, l))
		column := best.lanes[first : first+w.e.lanes(typ)]
		if key := laneKey(typ, column); w.find(key) == nil {
			w.pure(key, column, spirv.OpCompositeExtract, typ, append([]uint32{uint32(best.id)}, path...)...)
		}
	}
}

// sharedWith returns the number of lanes that are in the vector of a composite that starts at lane first.
func (w *writer) sharedWith(h *held, first int, lanes []ir.Lane) (n int) {
	typ, _, _ := w.vectorAt(h.typ, first)
	column := h.lanes[first : first+w.e.lanes(typ)]
	for _, l := range lanes {
		if slices.Contains(column, l) {
			n++
		}
	}
	return n
}

// vectorAt returns the vector or scalar that contains a lane of a composite, its indices, and its first lane.
func (w *writer) vectorAt(typ spirv.ID, lane int) (part spirv.ID, path []uint32, first int) {
	for {
		if _, n := w.e.kindOf(typ); n > 0 {
			return typ, path, first
		}
		for k := range w.e.parts(typ) {
			p := w.e.part(typ, k)
			if n := w.e.lanes(p); lane >= first+n {
				first += n
				continue
			}
			path, typ = append(path, uint32(k)), p
			break
		}
	}
}

// constituents divides lanes into existing ids, by the lane that each starts at, and returns the number of lanes that
// have to be extracted from vectors first.
func (w *writer) constituents(k Scalar, lanes []ir.Lane) (parts [4]*held, cost int) {
	for i := 0; i < len(lanes); {
		if isFixed(lanes[i]) {
			i++
			continue
		}
		var best *held
		for _, h := range w.by[lanes[i].V] {
			n := len(h.lanes)
			if h.kind == k && h.isOpen() && n < len(lanes) && i+n <= len(lanes) && (best == nil || n > len(best.lanes)) &&
				w.isVector(h) && slices.Equal(h.lanes, lanes[i:i+n]) {
				best = h
			}
		}
		if parts[i] = best; best == nil {
			cost++
			i++
			continue
		}
		i += len(best.lanes)
	}
	return parts, cost
}

// isVector reports whether an id is a scalar or a vector.
func (w *writer) isVector(h *held) bool {
	_, n := w.e.kindOf(h.typ)
	return n > 0
}

// undefinedLane marks an undefined lane of OpVectorShuffle.
const undefinedLane = ^uint32(0)

// shuffle returns lanes of one or two vectors, one of which may be a constant. It returns 0 if they come from more.
// Undefined lanes repeat a lane, because some compilers move a constant to them.
func (w *writer) shuffle(typ spirv.ID, k Scalar, lanes []ir.Lane, key string) spirv.ID {
	var sources []*held
	var literals []ir.Lane
	index := make([]uint32, len(lanes))
	for i, l := range lanes {
		switch {
		case l.V == nil || l.V.Kind == ir.Undef:
			index[i] = undefinedLane
			continue
		case l.V.Kind == ir.Literal:
			if len(literals) == 4 {
				return 0
			}
			literals = append(literals, l)
			continue
		}
		if slices.ContainsFunc(sources, func(h *held) bool { return slices.Contains(h.lanes, l) }) {
			continue
		}
		h := w.bestSource(k, lanes[i:])
		if h == nil || len(sources) == 2 {
			return 0
		}
		sources = append(sources, h)
	}
	if len(literals) > 0 && len(sources) != 1 {
		return 0
	}
	second := sources[len(sources)-1].id
	var constants []ir.Lane
	if len(literals) > 0 {
		constants = literals
		if len(constants) == 1 {
			constants = append(constants, constants[0])
		}
		second = w.constant(w.e.vector(k, len(constants)), constants)
	}
	used := 0
	for i, l := range lanes {
		if index[i] != 0 {
			continue
		}
		if l.V.Kind == ir.Literal {
			index[i] = uint32(len(sources[0].lanes) + used)
			used++
			continue
		}
		at := slices.Index(sources[0].lanes, l)
		if at < 0 {
			at = len(sources[0].lanes) + slices.Index(sources[1].lanes, l)
		}
		index[i] = uint32(at)
	}
	for i, x := range index {
		switch {
		case x == undefinedLane && i > 0:
			index[i] = index[i-1]
		case x == undefinedLane:
			index[i] = index[slices.IndexFunc(index, func(x uint32) bool { return x != undefinedLane })]
		}
	}
	args := append([]uint32{uint32(sources[0].id), uint32(second)}, index...)
	return w.pure(key, lanes, spirv.OpVectorShuffle, typ, args...)
}

// bestSource returns the vector that has the first lane, and most of the other lanes.
func (w *writer) bestSource(k Scalar, lanes []ir.Lane) (best *held) {
	most := 0
	list := w.by[lanes[0].V]
	for i := len(list) - 1; i >= 0; i-- {
		h := list[i]
		if h.kind != k || !h.isOpen() || len(h.lanes) < 2 || !w.isVector(h) || !slices.Contains(h.lanes, lanes[0]) {
			continue
		}
		n := 0
		for _, l := range lanes {
			if slices.Contains(h.lanes, l) {
				n++
			}
		}
		if n > most {
			best, most = h, n
		}
	}
	return best
}

// insert returns an existing vector with one lane replaced, or 0 if no vector has the other lanes.
func (w *writer) insert(typ spirv.ID, k Scalar, lanes []ir.Lane, key string) spirv.ID {
	for at := range lanes {
		rest := slices.Clone(lanes)
		rest[at] = ir.Lane{}
		if h := w.heldAs(typ, rest); h != 0 {
			one := w.form(w.e.scalar(k), lanes[at:at+1])
			return w.pure(key, lanes, spirv.OpCompositeInsert, typ, uint32(one), uint32(h), uint32(at))
		}
	}
	return 0
}

// oddLane returns lanes of one vector with one scalar among them: a shuffle and an insertion. It returns 0 if there are
// others, or less than three lanes.
func (w *writer) oddLane(typ spirv.ID, k Scalar, lanes []ir.Lane, key string) spirv.ID {
	for at, l := range lanes {
		rest := slices.Clone(lanes)
		rest[at] = ir.Lane{}
		plain := w.isPlain(k, rest) && !slices.ContainsFunc(rest, func(l ir.Lane) bool { return l.V != nil && isFixed(l) })
		if len(lanes) < 3 || isFixed(l) || !plain || !w.isOneVector(rest) || w.isOneVector(lanes) && l.Mod == 0 {
			continue
		}
		base := w.form(typ, rest)
		one := w.form(w.e.scalar(k), lanes[at:at+1])
		return w.pure(key, lanes, spirv.OpCompositeInsert, typ, uint32(one), uint32(base), uint32(at))
	}
	return 0
}

// formAggregate returns a matrix, array or structure with these lanes.
func (w *writer) formAggregate(typ spirv.ID, lanes []ir.Lane, key string) spirv.ID {
	if id := w.heldAs(typ, lanes); id != 0 {
		return id
	}
	if id := w.loadWhole(typ, lanes, key); id != 0 {
		return id
	}
	if id := w.transpose(typ, lanes, key); id != 0 {
		return id
	}
	if id := w.patched(typ, lanes); id != 0 {
		return id
	}
	var args []uint32
	rest := lanes
	for i := range w.e.parts(typ) {
		part := w.e.part(typ, i)
		n := w.e.lanes(part)
		args = append(args, uint32(w.form(part, rest[:n])))
		rest = rest[n:]
	}
	return w.pure(key, lanes, spirv.OpCompositeConstruct, typ, args...)
}

// transpose returns a matrix as the transpose of another, if the columns of that are available. Else it returns 0.
func (w *writer) transpose(typ spirv.ID, lanes []ir.Lane, key string) spirv.ID {
	in := w.e.global(typ)
	if in.Op != spirv.OpTypeMatrix || w.hasColumns(typ, lanes) {
		return 0
	}
	columns := int(in.Args[1])
	rows := len(lanes) / columns
	k := w.laneKind(typ)
	other := w.e.intern(spirv.OpTypeMatrix, 0, uint32(w.e.vector(k, columns)), uint32(rows))
	list := make([]ir.Lane, 0, len(lanes))
	for r := range rows {
		for c := range columns {
			list = append(list, lanes[c*rows+r])
		}
	}
	if w.heldAs(other, list) == 0 && !w.hasColumns(other, list) {
		return 0
	}
	return w.pure(key, lanes, spirv.OpTranspose, typ, uint32(w.form(other, list)))
}

// hasColumns reports whether each column of a matrix takes its lanes from one vector, or is constant.
func (w *writer) hasColumns(typ spirv.ID, lanes []ir.Lane) bool {
	n := w.e.lanes(w.e.part(typ, 0))
	for first := 0; first < len(lanes); first += n {
		if !w.isOneVector(lanes[first : first+n]) {
			return false
		}
	}
	return true
}

// isOneVector reports whether lanes that are no constants are part of one vector that exists or can be loaded.
func (w *writer) isOneVector(lanes []ir.Lane) bool {
	i := slices.IndexFunc(lanes, func(l ir.Lane) bool { return !isFixed(l) })
	if i < 0 {
		return true
	}
	within := func(vector []ir.Lane) bool {
		return !slices.ContainsFunc(lanes, func(l ir.Lane) bool { return !isFixed(l) && !slices.Contains(vector, l) })
	}
	for _, h := range w.by[lanes[i].V] {
		if at := slices.Index(h.lanes, lanes[i]); h.isOpen() && at >= 0 {
			typ, _, first := w.vectorAt(h.typ, at)
			if within(h.lanes[first : first+w.e.lanes(typ)]) {
				return true
			}
		}
	}
	if !lanes[i].V.IsLeaf() {
		return false
	}
	for _, o := range w.objects(lanes[i].V) {
		if o.shape.kind == vectorType && within(w.leafLanes(o)) {
			return true
		}
	}
	return false
}

// patched returns a matrix of a block with a few lanes replaced, or 0.
func (w *writer) patched(typ spirv.ID, lanes []ir.Lane) spirv.ID {
	i := slices.IndexFunc(lanes, func(l ir.Lane) bool { return !isFixed(l) })
	if i < 0 || !lanes[i].V.IsLeaf() {
		return 0
	}
	for _, o := range w.objects(lanes[i].V) {
		if o.shape.id != typ || len(o.path) == 0 {
			continue
		}
		have := w.leafLanes(o)
		var wrong []int
		for k := range lanes {
			if !agree(have[k:k+1], lanes[k:k+1]) {
				wrong = append(wrong, k)
			}
		}
		if len(wrong) > o.shape.count {
			return 0
		}
		id := w.load(o, have)
		for n, k := range wrong {
			have = slices.Clone(have)
			have[k] = lanes[k]
			one := w.form(w.e.scalar(w.laneKind(typ)), lanes[k:k+1])
			args := append([]uint32{uint32(one), uint32(id)}, w.path(typ, k)...)
			key := laneKey(typ, have)
			if n == len(wrong)-1 {
				key = laneKey(typ, lanes)
			}
			id = w.pure(key, have, spirv.OpCompositeInsert, typ, args...)
		}
		return id
	}
	return 0
}
