package fx

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// The words that begin an effect (the version token of fx_2_0), and the wrapper of XNA, whose
// second word is its size.
const (
	effectTag  = 0xfeff0901
	wrapperTag = 0xbcf00bcf
)

// headerSize is the size of the tag and the pool size; offsets count from there.
const headerSize = 8

// maxRecords bounds parameters, techniques, passes, states, members and objects
// together. The largest effects of games have a few thousand.
const maxRecords = 1 << 16

// maxDepth bounds structures within structures.
const maxDepth = 16

// IsEffect reports whether data begins with an effect, or with a wrapper that contains one.
func IsEffect(data []byte) bool {
	_, rest, ok := unwrap(data)
	return ok && len(rest) >= 4 && binary.LittleEndian.Uint32(rest) == effectTag
}

// unwrap splits off the wrapper, if there is one; ok is false if it is truncated.
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

// Decode reads an effect. It stops at the first error, an *asm.Diag whose position is a byte
// offset. The effect shares no memory with data.
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
// Records that another one counts follow it, annotations first. Wine's effect.c and MojoShader's
// mojoshader_effects.c read the same layout.
func Decode(file string, data []byte) (*Effect, error) {
	d := decoder{file: file, data: slices.Clone(data)}
	e := d.effect()
	if d.diag != nil {
		return nil, d.diag
	}
	return e, nil
}

// decoder reads the records in order, and the pool data that they point to. It keeps the first
// fault in diag. After a fault it yields zeros and ends all loops, so its methods return no errors.
type decoder struct {
	file    string
	data    []byte
	start   int // start of the effect, which is the size of the wrapper
	pool    []byte
	text    string // the pool, whose memory strings share
	at      int    // the next record
	records int
	objects uint32 // bound of ids
	diag    *asm.Diag
}

// failAt records a fault at a byte of the file, unless there is one already.
func (d *decoder) failAt(at int, code asm.Code, format string, args ...any) {
	if d.diag == nil {
		d.diag = asm.Errorf(asm.Pos{File: d.file, Offset: at}, code, format, args...)
	}
}

// failPool records a fault at an offset of the pool.
func (d *decoder) failPool(offset uint32, code asm.Code, format string, args ...any) {
	d.failAt(d.start+headerSize+int(offset), code, format, args...)
}

// effect reads the whole file, including the wrapper.
func (d *decoder) effect() *Effect {
	wrapper, rest, ok := unwrap(d.data)
	if !ok {
		d.failAt(4, "truncated", "the wrapper before the effect is longer than the file")
		return nil
	}
	d.start = len(wrapper)
	d.at = d.start
	if tag := d.nextWord(); tag != effectTag {
		d.failAt(d.start, "unknown-format", "the file is not a compiled effect (fx_2_0)")
		return nil
	}
	size := d.nextWord()
	if int64(size) > int64(len(rest)-headerSize) {
		d.failAt(d.start+4, "truncated", "a pool of %d bytes does not fit into the file", size)
		return nil
	}
	d.pool = d.data[d.at : d.at+int(size) : d.at+int(size)]
	d.text = string(d.pool)
	d.at += int(size)

	e := &Effect{Wrapper: wrapper, Pool: d.pool}
	// The position of the counts, for diagnostics.
	counts := d.at
	parameters, techniques := d.nextWord(), d.nextWord()
	e.ShaderSlots, e.ObjectCount = d.nextWord(), d.nextWord()
	d.objects = e.ObjectCount
	e.Parameters = readList(d, counts, parameters, 16, d.parameter)
	e.Techniques = readList(d, counts+4, techniques, 12, d.technique)
	counts = d.at
	objects, assignments := d.nextWord(), d.nextWord()
	e.Objects = readList(d, counts, objects, 8, d.object)
	e.Assignments = readList(d, counts+4, assignments, 24, func() (a Assignment) { return d.assignment(e) })
	if d.diag != nil {
		return nil
	}
	e.Rest = d.data[d.at:]
	return e
}

// readList reads count records of at least size bytes each; at is the position of the count. The size
// bounds false counts before anything is allocated.
func readList[T any](d *decoder, at int, count uint32, size int, read func() T) []T {
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

// count reports whether count records fit into room bytes, and records a fault if not.
func (d *decoder) count(at int, count uint32, size, room int) bool {
	if d.diag != nil {
		return false
	}
	if uint64(count)*uint64(size) > uint64(max(room, 0)) {
		d.failAt(at, "truncated", "%d records do not fit into the file", count)
		return false
	}
	if d.records += int(count); d.records > maxRecords {
		d.failAt(at, "too-many-records", "the effect has more than %d parameters, passes, states and objects", maxRecords)
		return false
	}
	return true
}

// countPool works like count, for records in the pool. Data that variables share counts for each of
// them, which bounds the work whatever overlaps.
func (d *decoder) countPool(offset, count uint32, size int) bool {
	return d.count(d.start+headerSize+int(offset), count, size, len(d.pool)-int(offset))
}

// nextWord returns the next word of the records.
func (d *decoder) nextWord() uint32 {
	if d.diag != nil {
		return 0
	}
	if d.at+4 > len(d.data) {
		d.failAt(d.at, "truncated", "the effect ends within a record")
		return 0
	}
	d.at += 4
	return binary.LittleEndian.Uint32(d.data[d.at-4:])
}

// parameter reads a parameter's record with its annotations, type and value.
func (d *decoder) parameter() (p Parameter) {
	p.TypePlace, p.ValuePlace = kept(d.nextWord()), kept(d.nextWord())
	p.Flags = d.nextWord()
	at, n := d.at, d.nextWord()
	p.Annotations = readList(d, at, n, 8, d.annotation)
	d.variable(&p.Variable, true)
	return p
}

// kept returns the place of data that was read.
func kept(offset uint32) Place { return Place{offset, true} }

// annotation reads an annotation, which is a variable without flags.
func (d *decoder) annotation() (v Variable) {
	v.TypePlace, v.ValuePlace = kept(d.nextWord()), kept(d.nextWord())
	d.variable(&v, true)
	return v
}

// technique reads a technique with its passes.
func (d *decoder) technique() (t Technique) {
	t.Name = d.readString(d.nextWord())
	at := d.at
	annotations, passes := d.nextWord(), d.nextWord()
	t.Annotations = readList(d, at, annotations, 8, d.annotation)
	t.Passes = readList(d, at+4, passes, 12, d.readPass)
	return t
}

// readPass reads a pass with its states.
func (d *decoder) readPass() (p Pass) {
	p.Name = d.readString(d.nextWord())
	at := d.at
	annotations, states := d.nextWord(), d.nextWord()
	p.Annotations = readList(d, at, annotations, 8, d.annotation)
	p.States = readList(d, at+4, states, 16, func() (s State) {
		s.Operation, s.Index = Operation(d.nextWord()), d.nextWord()
		s.TypePlace, s.ValuePlace = kept(d.nextWord()), kept(d.nextWord())
		d.variable(&s.Variable, true)
		return s
	})
	return p
}

// object reads the record of an object.
func (d *decoder) object() (o Object) {
	at := d.at
	o.ID = d.nextWord()
	d.checkID(at, o.ID)
	o.Data, o.pad = d.readBlob()
	return o
}

// checkID checks that an id is below the number of objects.
func (d *decoder) checkID(at int, id uint32) {
	if id >= d.objects {
		d.failAt(at, "unknown-object", "unknown object %d; the effect has %d", id, d.objects)
	}
}

// assignment reads the value that a state is set to. All passes and parameters have been read, so
// that it can check the state.
func (d *decoder) assignment(e *Effect) (a Assignment) {
	at := d.at
	a.Technique, a.Index, a.Element, a.State = d.nextWord(), d.nextWord(), d.nextWord(), d.nextWord()
	a.Usage = Usage(d.nextWord())
	a.Data, a.pad = d.readBlob()
	if d.diag == nil && e.target(&a) == nil {
		d.failAt(at, "unknown-state", "a record has an unknown state")
	}
	return a
}

// readBlob reads a length, that number of bytes, and the padding to a multiple of four.
func (d *decoder) readBlob() (data, pad []byte) {
	at := d.at
	n := d.nextWord()
	if d.diag != nil {
		return nil, nil
	}
	end := int64(d.at) + int64(n)
	if end+int64(-n&3) > int64(len(d.data)) {
		d.failAt(at, "truncated", "an object of %d bytes does not fit into the file", n)
		return nil, nil
	}
	data = d.data[d.at:end:end]
	d.at = int(end) + int(-n&3)
	return data, d.data[end:d.at:d.at]
}

// poolWord returns the word at an offset of the pool.
func (d *decoder) poolWord(offset uint32) uint32 {
	if d.diag != nil {
		return 0
	}
	if uint64(offset)+4 > uint64(len(d.pool)) {
		d.failPool(offset, "out-of-pool", "an offset points outside the pool of types and values")
		return 0
	}
	return binary.LittleEndian.Uint32(d.pool[offset:])
}

// poolBytes returns n bytes at an offset of the pool, without copying.
func (d *decoder) poolBytes(offset uint32, n int) []byte {
	if d.diag == nil && uint64(offset)+uint64(n) > uint64(len(d.pool)) {
		d.failPool(offset, "out-of-pool", "%d bytes of a value do not fit into the pool", n)
	}
	if d.diag != nil {
		return nil
	}
	end := int(offset) + n
	return d.pool[offset:end:end]
}

// readString reads a string at an offset: a word with its length including the NUL, and its bytes. The
// length 0 means no string.
func (d *decoder) readString(offset uint32) String {
	n := d.poolWord(offset)
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

// variable reads the type and the value at the places in v. samplers is false for states within a
// sampler, which cannot be samplers; this ends the recursion.
func (d *decoder) variable(v *Variable, samplers bool) {
	v.Type, _ = d.readType(v.TypePlace.Offset, 0)
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
		d.failPool(v.TypePlace.Offset, "value-size",
			"a value of type %s is larger than any pool, or a structure of samplers", t)
		return
	}
	v.Data = d.poolBytes(at, n)
	// Check the ids of objects.
	if t.Class == ObjectClass && d.countPool(at, uint32(n/4), 4) {
		for i, id := range v.Words() {
			d.checkID(d.start+headerSize+int(at)+4*i, id)
		}
	}
}

// samplers reads the states of each sampler of a value in order: a count, then operation, index,
// type and value of each state.
func (d *decoder) samplers(t *Type, at uint32) (all [][]State) {
	count := uint32(t.count())
	if !d.countPool(at, count, 4) {
		return nil
	}
	for range count {
		n := d.poolWord(at)
		if !d.countPool(at, n, 16) {
			return nil
		}
		at += 4
		states := make([]State, n)
		for i := range states {
			s := &states[i]
			s.Operation, s.Index = Operation(d.poolWord(at)), d.poolWord(at+4)
			s.TypePlace, s.ValuePlace = kept(d.poolWord(at+8)), kept(d.poolWord(at+12))
			d.variable(&s.Variable, false)
			if at += 16; d.diag != nil {
				return nil
			}
		}
		all = append(all, states)
	}
	return all
}

// readType reads the type at an offset, and returns its end. All types begin with base type, class,
// name, semantic and elements. Rows and columns follow, which vectors have in reverse order, or the
// number of members and their types. depth is the nesting depth of structures.
func (d *decoder) readType(at uint32, depth int) (t Type, end uint32) {
	t.Type, t.Class = BaseType(d.poolWord(at)), Class(d.poolWord(at+4))
	t.Name, t.Semantic = d.readString(d.poolWord(at+8)), d.readString(d.poolWord(at+12))
	t.Elements = d.poolWord(at + 16)
	switch t.Class {
	case ObjectClass:
		return t, at + 20
	case Vector:
		t.Columns, t.Rows = d.poolWord(at+20), d.poolWord(at+24)
		return t, at + 28
	case Scalar, MatrixRows, MatrixColumns:
		t.Rows, t.Columns = d.poolWord(at+20), d.poolWord(at+24)
		return t, at + 28
	case structClass:
		t.Members, end = d.members(at+20, depth)
		return t, end
	}
	d.failPool(at+4, "unknown-class", "unknown class of types %d", uint32(t.Class))
	return t, at
}

// members reads the members of a structure, which are stored consecutively.
func (d *decoder) members(at uint32, depth int) (all []Type, end uint32) {
	if depth == maxDepth {
		d.failPool(at, "nested-too-deep", "structures are nested deeper than %d", maxDepth)
		return nil, at
	}
	n := d.poolWord(at)
	if !d.countPool(at, n, 20) {
		return nil, at
	}
	all, end = make([]Type, n), at+4
	for i := range all {
		if all[i], end = d.readType(end, depth+1); d.diag != nil {
			return nil, at
		}
	}
	return all, end
}
