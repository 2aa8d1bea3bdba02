package fx

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// The words that begin an effect (the version token of fx_2_0), and the wrapper that
// XNA puts before it, whose second word is its size.
const (
	effectTag  = 0xfeff0901
	wrapperTag = 0xbcf00bcf
)

// headerSize is that of the tag and the size of the pool; offsets count from behind it.
const headerSize = 8

// maxRecords bounds parameters, techniques, passes, states, members and objects
// together. The largest effects of games have a few thousand.
const maxRecords = 1 << 16

// maxDepth bounds structures within structures.
const maxDepth = 16

// Is reports whether data begins as an effect does, or as a wrapper with one.
func Is(data []byte) bool {
	_, rest, ok := unwrap(data)
	return ok && len(rest) >= 4 && binary.LittleEndian.Uint32(rest) == effectTag
}

// unwrap takes the wrapper off, if there is one; ok is false if it has no end.
func unwrap(data []byte) (wrapper, rest []byte, ok bool) {
	if len(data) < 8 || binary.LittleEndian.Uint32(data) != wrapperTag {
		return nil, data, true
	}
	n := binary.LittleEndian.Uint32(data[4:])
	if n < 8 || uint64(n) > uint64(len(data)) {
		return nil, data, false
	}
	return data[:n:n], data[n:], true
}

// Decode reads an effect. The first thing wrong ends the reading; the error is an
// *asm.Diag whose position is a byte offset. The effect shares no memory with data.
//
// The file is, in words, with offsets o into the pool:
//
//	tag, size of the pool, pool
//	parameters, techniques, shader slots, objects     (counts)
//	parameter    o type, o value, flags, annotations
//	annotation   o type, o value
//	technique    o name, annotations, passes
//	pass         o name, annotations, states
//	state        operation, index, o type, o value
//	objects, assignments                              (counts)
//	object       id, size, bytes
//	assignment   technique, index, element, state, usage, size, bytes
//
// Records that another one counts follow it, annotations first. Wine's effect.c and
// MojoShader's mojoshader_effects.c read the same.
func Decode(file string, data []byte) (*Effect, error) {
	d := decoder{file: file, data: slices.Clone(data)}
	e := d.effect()
	if d.diag != nil {
		return nil, d.diag
	}
	return e, nil
}

// decoder reads records one after the other, and what these point at in the pool. The
// first fault stays in diag; from then on it yields zeros, and no loop goes on. So its
// methods need not return errors.
type decoder struct {
	file    string
	data    []byte
	start   int // of the effect: the size of the wrapper
	pool    []byte
	text    string // the pool, for strings to share
	at      int    // of the next record
	records int
	objects uint32 // ids are below
	diag    *asm.Diag
}

// fail notes a fault at a byte of the file, unless there is one already.
func (d *decoder) fail(at int, code asm.Code, format string, args ...any) {
	if d.diag == nil {
		d.diag = asm.Errorf(asm.Pos{File: d.file, Offset: at}, code, format, args...)
	}
}

// failPool is fail for a place in the pool.
func (d *decoder) failPool(offset uint32, code asm.Code, format string, args ...any) {
	d.fail(d.start+headerSize+int(offset), code, format, args...)
}

// effect reads the file from its wrapper to its end.
func (d *decoder) effect() *Effect {
	wrapper, rest, ok := unwrap(d.data)
	if !ok {
		d.fail(4, "truncated", "the wrapper before the effect is longer than the file")
		return nil
	}
	d.start = len(wrapper)
	d.at = d.start
	if tag := d.word(); tag != effectTag {
		d.fail(d.start, "unknown-format", "this is no compiled effect (fx_2_0)")
		return nil
	}
	size := d.word()
	if int64(size) > int64(len(rest)-headerSize) {
		d.fail(d.start+4, "truncated", "a pool of %d bytes does not fit into the file", size)
		return nil
	}
	d.pool = d.data[d.at : d.at+int(size) : d.at+int(size)]
	d.text = string(d.pool)
	d.at += int(size)

	e := &Effect{Wrapper: wrapper, Pool: d.pool}
	// Where the counts are, for what may be wrong with them.
	counts := d.at
	parameters, techniques := d.word(), d.word()
	e.ShaderSlots, e.ObjectCount = d.word(), d.word()
	d.objects = e.ObjectCount
	e.Parameters = list(d, counts, parameters, 16, d.parameter)
	e.Techniques = list(d, counts+4, techniques, 12, d.technique)
	counts = d.at
	objects, assignments := d.word(), d.word()
	e.Objects = list(d, counts, objects, 8, d.object)
	e.Assignments = list(d, counts+4, assignments, 24, func() (a Assignment) { return d.assignment(e) })
	if d.diag != nil {
		return nil
	}
	e.Rest = d.data[d.at:]
	return e
}

// list reads so many records, each of at least size bytes; the count is at at. The size
// keeps a count that cannot be true from allocating anything.
func list[T any](d *decoder, at int, count uint32, size int, read func() T) []T {
	if !d.count(at, count, size, len(d.data)-d.at) {
		return nil
	}
	all := make([]T, 0, count)
	for range count {
		if all = append(all, read()); d.diag != nil {
			return nil
		}
	}
	return all
}

// count reports whether so many records can be where there is room for so many bytes,
// and notes it if not.
func (d *decoder) count(at int, count uint32, size, room int) bool {
	if d.diag != nil {
		return false
	}
	if uint64(count)*uint64(size) > uint64(max(room, 0)) {
		d.fail(at, "truncated", "%d records do not fit into the file", count)
		return false
	}
	if d.records += int(count); d.records > maxRecords {
		d.fail(at, "too-many-records", "there are more than %d parameters, passes, states and objects", maxRecords)
		return false
	}
	return true
}

// countPool is count for records at an offset of the pool. What variables share counts
// for each of them, so that the work is bounded whatever overlaps.
func (d *decoder) countPool(offset, count uint32, size int) bool {
	return d.count(d.start+headerSize+int(offset), count, size, len(d.pool)-int(offset))
}

// word is the next word among the records.
func (d *decoder) word() uint32 {
	if d.diag != nil {
		return 0
	}
	if d.at+4 > len(d.data) {
		d.fail(d.at, "truncated", "the effect ends within a record")
		return 0
	}
	d.at += 4
	return binary.LittleEndian.Uint32(d.data[d.at-4:])
}

// parameter reads a parameter's record with its annotations, type and value.
func (d *decoder) parameter() (p Parameter) {
	p.TypePlace, p.ValuePlace = kept(d.word()), kept(d.word())
	p.Flags = d.word()
	at, n := d.at, d.word()
	p.Annotations = list(d, at, n, 8, d.annotation)
	d.variable(&p.Variable, true)
	return p
}

// kept is the place of something that was read.
func kept(offset uint32) Place { return Place{offset, true} }

// annotation reads one, which is a variable without flags.
func (d *decoder) annotation() (v Variable) {
	v.TypePlace, v.ValuePlace = kept(d.word()), kept(d.word())
	d.variable(&v, true)
	return v
}

// technique reads a technique with its passes.
func (d *decoder) technique() (t Technique) {
	t.Name = d.str(d.word())
	at := d.at
	annotations, passes := d.word(), d.word()
	t.Annotations = list(d, at, annotations, 8, d.annotation)
	t.Passes = list(d, at+4, passes, 12, d.pass)
	return t
}

// pass reads a pass with its states.
func (d *decoder) pass() (p Pass) {
	p.Name = d.str(d.word())
	at := d.at
	annotations, states := d.word(), d.word()
	p.Annotations = list(d, at, annotations, 8, d.annotation)
	p.States = list(d, at+4, states, 16, func() (s State) {
		s.Operation, s.Index = Operation(d.word()), d.word()
		s.TypePlace, s.ValuePlace = kept(d.word()), kept(d.word())
		d.variable(&s.Variable, true)
		return s
	})
	return p
}

// object reads the record of an object.
func (d *decoder) object() (o Object) {
	at := d.at
	o.ID = d.word()
	d.checkID(at, o.ID)
	o.Data, o.pad = d.blob()
	return o
}

// checkID checks that an id is below the number of objects.
func (d *decoder) checkID(at int, id uint32) {
	if id >= d.objects {
		d.fail(at, "unknown-object", "there is no object %d among %d", id, d.objects)
	}
}

// assignment reads what a state is set to. All passes and parameters are there by now,
// so that its state can be checked.
func (d *decoder) assignment(e *Effect) (a Assignment) {
	at := d.at
	a.Technique, a.Index, a.Element, a.State = d.word(), d.word(), d.word(), d.word()
	a.Usage = Usage(d.word())
	a.Data, a.pad = d.blob()
	if d.diag == nil && e.target(&a) == nil {
		d.fail(at, "unknown-state", "a record is for a state that there is not")
	}
	return a
}

// blob reads a length, so many bytes, and those up to a multiple of four.
func (d *decoder) blob() (data, pad []byte) {
	at := d.at
	n := d.word()
	if d.diag != nil {
		return nil, nil
	}
	end := int64(d.at) + int64(n)
	if end+int64(-n&3) > int64(len(d.data)) {
		d.fail(at, "truncated", "an object of %d bytes does not fit into the file", n)
		return nil, nil
	}
	data = d.data[d.at:end:end]
	d.at = int(end) + int(-n&3)
	return data, d.data[end:d.at:d.at]
}

// load is the word at an offset of the pool.
func (d *decoder) load(offset uint32) uint32 {
	if d.diag != nil {
		return 0
	}
	if uint64(offset)+4 > uint64(len(d.pool)) {
		d.failPool(offset, "out-of-pool", "an offset leads out of the pool of types and values")
		return 0
	}
	return binary.LittleEndian.Uint32(d.pool[offset:])
}

// span is n bytes at an offset of the pool, not copied.
func (d *decoder) span(offset uint32, n int) []byte {
	if d.diag == nil && uint64(offset)+uint64(n) > uint64(len(d.pool)) {
		d.failPool(offset, "out-of-pool", "%d bytes of a value do not fit into the pool", n)
	}
	if d.diag != nil {
		return nil
	}
	end := int(offset) + n
	return d.pool[offset:end:end]
}

// str reads a string at an offset: a word with its length including the NUL, and its
// bytes. The length 0 means that there is none.
func (d *decoder) str(offset uint32) String {
	n := d.load(offset)
	if d.diag != nil || n == 0 {
		return String{Place: kept(offset)}
	}
	if uint64(offset)+4+uint64(n) > uint64(len(d.text)) {
		d.failPool(offset, "out-of-pool", "a string of %d bytes does not fit into the pool", n)
		return String{}
	}
	text, ok := strings.CutSuffix(d.text[offset+4:][:n], "\x00")
	if !ok {
		d.failPool(offset, "string-end", "a string does not end with a NUL")
	}
	return String{Text: text, Present: true, Place: kept(offset)}
}

// variable reads the type and the value that v has places of. Samplers have no states
// whose values are samplers: samplers is false within one, which ends the recursion.
func (d *decoder) variable(v *Variable, samplers bool) {
	v.Type, _ = d.typ(v.TypePlace.Offset, 0)
	if d.diag != nil {
		return
	}
	t, at := &v.Type, v.ValuePlace.Offset
	if t.isSamplers() {
		if !samplers {
			d.failPool(at, "nested-sampler", "the value of a state of a sampler is a sampler")
			return
		}
		v.Samplers = d.samplers(t, at)
		return
	}
	n, ok := t.size()
	if !ok {
		d.failPool(v.TypePlace.Offset, "value-size", "a value of type %s is larger than any pool, or a structure of samplers", t)
		return
	}
	v.Data = d.span(at, n)
	// The ids of objects have to be known.
	if t.Class == ObjectClass && d.countPool(at, uint32(n/4), 4) {
		for i, id := range v.Words() {
			d.checkID(d.start+headerSize+int(at)+4*i, id)
		}
	}
}

// samplers reads the states of each sampler of a value, one sampler after the other: a
// count, then operation, index, type and value of each state.
func (d *decoder) samplers(t *Type, at uint32) (all [][]State) {
	count := uint32(t.count())
	if !d.countPool(at, count, 4) {
		return nil
	}
	for range count {
		n := d.load(at)
		if !d.countPool(at, n, 16) {
			return nil
		}
		at += 4
		states := make([]State, n)
		for i := range states {
			s := &states[i]
			s.Operation, s.Index = Operation(d.load(at)), d.load(at+4)
			s.TypePlace, s.ValuePlace = kept(d.load(at+8)), kept(d.load(at+12))
			d.variable(&s.Variable, false)
			if at += 16; d.diag != nil {
				return nil
			}
		}
		all = append(all, states)
	}
	return all
}

// typ reads the type at an offset, and where it ends. Types have different lengths: all
// begin with base type, class, name, semantic and elements; then come rows and columns,
// which vectors have the other way round, or the number of members and their types.
// depth is that of structures.
func (d *decoder) typ(at uint32, depth int) (t Type, end uint32) {
	t.Type, t.Class = BaseType(d.load(at)), Class(d.load(at+4))
	t.Name, t.Semantic = d.str(d.load(at+8)), d.str(d.load(at+12))
	t.Elements = d.load(at + 16)
	switch t.Class {
	case ObjectClass:
		return t, at + 20
	case Vector:
		t.Columns, t.Rows = d.load(at+20), d.load(at+24)
		return t, at + 28
	case Scalar, MatrixRows, MatrixColumns:
		t.Rows, t.Columns = d.load(at+20), d.load(at+24)
		return t, at + 28
	case Struct:
		t.Members, end = d.members(at+20, depth)
		return t, end
	}
	d.failPool(at+4, "unknown-class", "there is no class of types %d", uint32(t.Class))
	return t, at
}

// members reads the members of a structure, one after the other without offsets.
func (d *decoder) members(at uint32, depth int) (all []Type, end uint32) {
	if depth == maxDepth {
		d.failPool(at, "nested-too-deep", "structures are nested deeper than %d", maxDepth)
		return nil, at
	}
	n := d.load(at)
	if !d.countPool(at, n, 20) {
		return nil, at
	}
	all, end = make([]Type, n), at+4
	for i := range all {
		if all[i], end = d.typ(end, depth+1); d.diag != nil {
			return nil, at
		}
	}
	return all, end
}
