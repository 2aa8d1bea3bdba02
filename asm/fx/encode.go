package fx

import (
	"bytes"
	"encoding/binary"

	"github.com/shaderlift/shaderlift/asm"
)

// Encode writes an effect. Data with a place in the pool stays there; Encode appends other data.
// The error, an *asm.Diag, names the first part that cannot be written: a value that does not fit
// its type, or a record for a missing state. For the layout see [Decode].
func Encode(e *Effect) ([]byte, error) {
	w := encoder{pool: bytes.Clone(e.Pool), objects: e.ObjectCount}
	w.body = binary.LittleEndian.AppendUint32(w.body, uint32(len(e.Parameters)))
	w.appendWord(uint32(len(e.Techniques)))
	w.appendWord(e.ShaderSlots)
	// The count of objects is known at the end; this word is filled in then.
	count := len(w.body)
	w.appendWord(0)
	for i := range e.Parameters {
		w.parameter(&e.Parameters[i])
	}
	for i := range e.Techniques {
		w.technique(&e.Techniques[i])
	}
	w.appendWord(uint32(len(e.Objects)))
	w.appendWord(uint32(len(e.Assignments)))
	for i := range e.Objects {
		o := &e.Objects[i]
		w.object(o.ID)
		w.appendWord(o.ID)
		w.appendBlob(o.Data, o.pad)
	}
	for i := range e.Assignments {
		a := &e.Assignments[i]
		if e.target(a) == nil {
			w.recordFault("unknown-state", "a record has an unknown state")
		}
		for _, n := range [...]uint32{a.Technique, a.Index, a.Element, a.State, uint32(a.Usage)} {
			w.appendWord(n)
		}
		w.appendBlob(a.Data, a.pad)
	}
	if w.diag != nil {
		return nil, w.diag
	}
	binary.LittleEndian.PutUint32(w.body[count:], w.objects)

	out := bytes.Clone(e.Wrapper)
	out = binary.LittleEndian.AppendUint32(out, effectTag)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(w.pool)))
	out = append(out, w.pool...)
	out = append(out, w.body...)
	return append(out, e.Rest...), nil
}

// encoder holds the growing pool and the records after it.
type encoder struct {
	pool, body []byte
	objects    uint32
	diag       *asm.Diag
}

// recordFault records the first fault.
func (w *encoder) recordFault(code asm.Code, format string, args ...any) {
	if w.diag == nil {
		w.diag = asm.Errorf(asm.Pos{File: "<effect>"}, code, format, args...)
	}
}

// appendWord appends a word to the records.
func (w *encoder) appendWord(n uint32) { w.body = binary.LittleEndian.AppendUint32(w.body, n) }

// object raises the count of objects above id.
func (w *encoder) object(id uint32) { w.objects = max(w.objects, id+1) }

// appendBlob appends a size, bytes, and padding to a multiple of four. It keeps the padding that was read
// if its length still fits.
func (w *encoder) appendBlob(data, pad []byte) {
	w.appendWord(uint32(len(data)))
	w.body = append(w.body, data...)
	if n := -len(data) & 3; len(pad) == n {
		w.body = append(w.body, pad...)
	} else {
		w.body = append(w.body, make([]byte, n)...)
	}
}

// parameter appends a parameter's record.
func (w *encoder) parameter(p *Parameter) {
	typ, value := w.variable(&p.Variable)
	w.appendWord(typ)
	w.appendWord(value)
	w.appendWord(p.Flags)
	w.appendWord(uint32(len(p.Annotations)))
	w.annotations(p.Annotations)
}

// annotations appends the records of annotations.
func (w *encoder) annotations(list []Variable) {
	for i := range list {
		typ, value := w.variable(&list[i])
		w.appendWord(typ)
		w.appendWord(value)
	}
}

// technique appends a technique with its passes.
func (w *encoder) technique(t *Technique) {
	w.appendWord(w.stringOffset(&t.Name))
	w.appendWord(uint32(len(t.Annotations)))
	w.appendWord(uint32(len(t.Passes)))
	w.annotations(t.Annotations)
	for i := range t.Passes {
		p := &t.Passes[i]
		w.appendWord(w.stringOffset(&p.Name))
		w.appendWord(uint32(len(p.Annotations)))
		w.appendWord(uint32(len(p.States)))
		w.annotations(p.Annotations)
		for k := range p.States {
			for _, n := range w.state(&p.States[k]) {
				w.appendWord(n)
			}
		}
	}
}

// state returns the record of a state. Passes have it among the records, samplers in the pool.
func (w *encoder) state(s *State) [4]uint32 {
	typ, value := w.variable(&s.Variable)
	return [4]uint32{uint32(s.Operation), s.Index, typ, value}
}

// addToPool appends data to the pool, aligned to a word, and returns the offset. The first word of the
// pool represents a missing string.
func (w *encoder) addToPool(data []byte) uint32 {
	if len(w.pool) == 0 {
		w.pool = make([]byte, 4)
	}
	w.pool = append(w.pool, make([]byte, -len(w.pool)&3)...)
	at := len(w.pool)
	w.pool = append(w.pool, data...)
	return uint32(at)
}

// stringOffset returns the offset of a string. A missing string has length 0, like the first word of the
// pool.
func (w *encoder) stringOffset(s *String) uint32 {
	switch {
	case s.Place.Kept:
		return s.Place.Offset
	case s.Present:
		data := binary.LittleEndian.AppendUint32(nil, uint32(len(s.Text)+1))
		data = append(append(data, s.Text...), 0)
		return w.addToPool(append(data, make([]byte, -len(data)&3)...))
	case len(w.pool) == 0 || len(w.pool) >= 4 && binary.LittleEndian.Uint32(w.pool) == 0:
		w.addToPool(nil)
		return 0
	}
	return w.addToPool(make([]byte, 4))
}

// variable returns the offsets of the type and the value of v.
func (w *encoder) variable(v *Variable) (typ, value uint32) {
	typ, value = v.TypePlace.Offset, v.ValuePlace.Offset
	if !v.TypePlace.Kept {
		typ = w.addToPool(w.appendType(nil, &v.Type))
	}
	if v.ValuePlace.Kept {
		return typ, value
	}
	if v.Type.isSamplers() {
		if len(v.Samplers) != v.Type.count() {
			w.recordFault("value-size", "%s %q has %d samplers", &v.Type, v.Type.Name.Text, len(v.Samplers))
		}
		return typ, w.addToPool(w.samplers(v.Samplers))
	}
	if n, ok := v.Type.size(); !ok || n != len(v.Data) {
		w.recordFault("value-size", "a value of %d bytes does not match the type of %q", len(v.Data), v.Type.Name.Text)
	}
	if v.Type.Class == ObjectClass {
		for _, id := range v.Words() {
			w.object(id)
		}
	}
	return typ, w.addToPool(v.Data)
}

// samplers returns the encoded value of samplers. It appends the data that their states point to
// first.
func (w *encoder) samplers(all [][]State) (data []byte) {
	for _, states := range all {
		data = binary.LittleEndian.AppendUint32(data, uint32(len(states)))
		for i := range states {
			for _, n := range w.state(&states[i]) {
				data = binary.LittleEndian.AppendUint32(data, n)
			}
		}
	}
	return data
}

// appendType appends the words of t to data, and its strings to the pool.
func (w *encoder) appendType(data []byte, t *Type) []byte {
	words := []uint32{uint32(t.Type), uint32(t.Class), w.stringOffset(&t.Name), w.stringOffset(&t.Semantic), t.Elements}
	switch t.Class {
	case Vector:
		words = append(words, t.Columns, t.Rows)
	case Scalar, MatrixRows, MatrixColumns:
		words = append(words, t.Rows, t.Columns)
	case structClass:
		words = append(words, uint32(len(t.Members)))
	}
	for _, n := range words {
		data = binary.LittleEndian.AppendUint32(data, n)
	}
	for i := range t.Members {
		data = w.appendType(data, &t.Members[i])
	}
	return data
}
