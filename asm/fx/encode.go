package fx

import (
	"bytes"
	"encoding/binary"

	"github.com/shaderlift/shaderlift/asm"
)

// Encode writes an effect. What has a place in the pool stays there, anything else is
// appended to it. The error, an *asm.Diag, names the first thing that cannot be
// written: a value that is not of its type, or a record for a state that there is not.
// For the layout see [Decode].
func Encode(e *Effect) ([]byte, error) {
	w := encoder{pool: bytes.Clone(e.Pool), objects: e.ObjectCount}
	w.body = binary.LittleEndian.AppendUint32(w.body, uint32(len(e.Parameters)))
	w.word(uint32(len(e.Techniques)))
	w.word(e.ShaderSlots)
	// The count of objects is known at the end: this word is filled in then.
	count := len(w.body)
	w.word(0)
	for i := range e.Parameters {
		w.parameter(&e.Parameters[i])
	}
	for i := range e.Techniques {
		w.technique(&e.Techniques[i])
	}
	w.word(uint32(len(e.Objects)))
	w.word(uint32(len(e.Assignments)))
	for i := range e.Objects {
		o := &e.Objects[i]
		w.object(o.ID)
		w.word(o.ID)
		w.blob(o.Data, o.pad)
	}
	for i := range e.Assignments {
		a := &e.Assignments[i]
		if e.target(a) == nil {
			w.fail("unknown-state", "a record is for a state that there is not")
		}
		for _, n := range [...]uint32{a.Technique, a.Index, a.Element, a.State, uint32(a.Usage)} {
			w.word(n)
		}
		w.blob(a.Data, a.pad)
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

// encoder is the pool, which grows, and the records after it.
type encoder struct {
	pool, body []byte
	objects    uint32
	diag       *asm.Diag
}

// fail notes the first fault.
func (w *encoder) fail(code asm.Code, format string, args ...any) {
	if w.diag == nil {
		w.diag = asm.Errorf(asm.Pos{File: "<effect>"}, code, format, args...)
	}
}

// word appends a word to the records.
func (w *encoder) word(n uint32) { w.body = binary.LittleEndian.AppendUint32(w.body, n) }

// object makes the count of objects cover an id.
func (w *encoder) object(id uint32) { w.objects = max(w.objects, id+1) }

// blob appends a size, bytes, and bytes up to a multiple of four: those that were read,
// while they are as many as needed.
func (w *encoder) blob(data, pad []byte) {
	w.word(uint32(len(data)))
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
	w.word(typ)
	w.word(value)
	w.word(p.Flags)
	w.word(uint32(len(p.Annotations)))
	w.annotations(p.Annotations)
}

// annotations appends the records of annotations.
func (w *encoder) annotations(list []Variable) {
	for i := range list {
		typ, value := w.variable(&list[i])
		w.word(typ)
		w.word(value)
	}
}

// technique appends a technique with all that belongs to it.
func (w *encoder) technique(t *Technique) {
	w.word(w.str(&t.Name))
	w.word(uint32(len(t.Annotations)))
	w.word(uint32(len(t.Passes)))
	w.annotations(t.Annotations)
	for i := range t.Passes {
		p := &t.Passes[i]
		w.word(w.str(&p.Name))
		w.word(uint32(len(p.Annotations)))
		w.word(uint32(len(p.States)))
		w.annotations(p.Annotations)
		for k := range p.States {
			for _, n := range w.state(&p.States[k]) {
				w.word(n)
			}
		}
	}
}

// state is the record of a state, which passes have among the records and samplers in
// the pool.
func (w *encoder) state(s *State) [4]uint32 {
	typ, value := w.variable(&s.Variable)
	return [4]uint32{uint32(s.Operation), s.Index, typ, value}
}

// add appends to the pool, at a whole word, and returns the offset. The pool begins
// with the word that stands for no string.
func (w *encoder) add(data []byte) uint32 {
	if len(w.pool) == 0 {
		w.pool = make([]byte, 4)
	}
	w.pool = append(w.pool, make([]byte, -len(w.pool)&3)...)
	at := len(w.pool)
	w.pool = append(w.pool, data...)
	return uint32(at)
}

// str is where a string is. No string is a length of 0, for which the first word of the
// pool does.
func (w *encoder) str(s *String) uint32 {
	switch {
	case s.Place.Kept:
		return s.Place.Offset
	case s.Present:
		data := binary.LittleEndian.AppendUint32(nil, uint32(len(s.Text)+1))
		data = append(append(data, s.Text...), 0)
		return w.add(append(data, make([]byte, -len(data)&3)...))
	case len(w.pool) == 0 || len(w.pool) >= 4 && binary.LittleEndian.Uint32(w.pool) == 0:
		w.add(nil)
		return 0
	}
	return w.add(make([]byte, 4))
}

// variable is where the type and the value of v are.
func (w *encoder) variable(v *Variable) (typ, value uint32) {
	typ, value = v.TypePlace.Offset, v.ValuePlace.Offset
	if !v.TypePlace.Kept {
		typ = w.add(w.typ(nil, &v.Type))
	}
	if v.ValuePlace.Kept {
		return typ, value
	}
	if v.Type.isSamplers() {
		if len(v.Samplers) != v.Type.count() {
			w.fail("value-size", "%s %q has %d samplers", &v.Type, v.Type.Name.Text, len(v.Samplers))
		}
		return typ, w.add(w.samplers(v.Samplers))
	}
	if n, ok := v.Type.size(); !ok || n != len(v.Data) {
		w.fail("value-size", "%d bytes are no value of the type of %q", len(v.Data), v.Type.Name.Text)
	}
	if v.Type.Class == ObjectClass {
		for _, id := range v.Words() {
			w.object(id)
		}
	}
	return typ, w.add(v.Data)
}

// samplers is the value of samplers. What their states point at goes to the pool before
// it.
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

// typ appends the words of t; its strings go to the pool.
func (w *encoder) typ(data []byte, t *Type) []byte {
	words := []uint32{uint32(t.Type), uint32(t.Class), w.str(&t.Name), w.str(&t.Semantic), t.Elements}
	switch t.Class {
	case Vector:
		words = append(words, t.Columns, t.Rows)
	case Scalar, MatrixRows, MatrixColumns:
		words = append(words, t.Rows, t.Columns)
	case Struct:
		words = append(words, uint32(len(t.Members)))
	}
	for _, n := range words {
		data = binary.LittleEndian.AppendUint32(data, n)
	}
	for i := range t.Members {
		data = w.typ(data, &t.Members[i])
	}
	return data
}
