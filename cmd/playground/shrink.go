package main

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// shrink removes data from a program of the Go linker that a page does not need or can compute. The
// names for stack traces are an eighth of the packed size. The tables by which the runtime finds
// functions are a fifth of the file. It keeps parts with an unknown layout.
func shrink(code []byte) ([]byte, error) {
	m, err := parse(code)
	if err != nil {
		return nil, err
	}
	if f := m.functions(); f != nil {
		f.dropNames()
		f.dropLines()
		f.dropTables()
	}
	m.computeTables()
	return m.bytes(), nil
}

// The sections of WebAssembly's binary format that shrink reads or changes.
const (
	typeSection     = 1
	importSection   = 2
	functionSection = 3
	startSection    = 8
	elementSection  = 9
	codeSection     = 10
	dataSection     = 11
)

// program is a WebAssembly module: its sections in order, and the initial memory.
type program struct {
	sections []section
	memory   []byte
}

type section struct {
	id   byte
	body []byte
}

var header = []byte("\x00asm\x01\x00\x00\x00")

var errFormat = errors.New("not a WebAssembly module of the Go linker")

// parse reads a module whose data are segments at constant addresses of one memory.
func parse(code []byte) (*program, error) {
	rest, ok := bytes.CutPrefix(code, header)
	if !ok {
		return nil, errFormat
	}
	m := &program{}
	for r := (reader{rest}); len(r.rest) > 0; {
		s := section{id: r.bytes(1)[0]}
		if s.body = r.bytes(r.number()); s.body == nil {
			return nil, errFormat
		}
		m.sections = append(m.sections, s)
		if s.id != dataSection {
			continue
		}
		data := reader{s.body}
		for range data.number() {
			if !bytes.Equal(data.bytes(2), []byte{0, i32Const}) {
				return nil, errFormat
			}
			at := data.number()
			data.bytes(1) // the end of the address expression
			segment := data.bytes(data.number())
			if at > 1<<30 || segment == nil {
				return nil, errFormat
			}
			m.memory = append(m.memory, make([]byte, max(0, at+len(segment)-len(m.memory)))...)
			copy(m.memory[at:], segment)
		}
	}
	return m, nil
}

// reader reads numbers and bytes. It returns zero values after the end.
type reader struct{ rest []byte }

// number reads an unsigned or a nonnegative signed number in LEB128.
func (r *reader) number() int {
	n, size := binary.Uvarint(r.rest)
	r.rest = r.rest[max(size, 0):]
	return int(n)
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.rest = nil
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

// section returns the body of a section, or nil.
func (m *program) section(id byte) *[]byte {
	for i := range m.sections {
		if m.sections[i].id == id {
			return &m.sections[i].body
		}
	}
	return nil
}

// bytes returns the encoded module.
func (m *program) bytes() []byte {
	out := bytes.Clone(header)
	for _, s := range m.sections {
		if s.id == dataSection {
			s.body = segments(m.memory)
		}
		out = append(binary.AppendUvarint(append(out, s.id), uint64(len(s.body))), s.body...)
	}
	return out
}

// gap is the number of zeros that separates segments: packed, fewer zeros take less space than the
// address and size of another segment.
const gap = 64

// segments returns a data section that initializes memory.
func segments(memory []byte) []byte {
	var body []byte
	n := 0
	for at := 0; at < len(memory); {
		size := bytes.Index(memory[at:], make([]byte, gap))
		if size < 0 {
			size = len(memory) - at
		}
		if size > 0 {
			body = append(signed(append(body, 0, i32Const), at), end)
			body = append(binary.AppendUvarint(body, uint64(size)), memory[at:at+size]...)
			n++
		}
		for at += size; at < len(memory) && memory[at] == 0; at++ {
		}
	}
	return append(binary.AppendUvarint(nil, uint64(n)), body...)
}

// signed appends a nonnegative number in signed LEB128.
func signed(b []byte, n int) []byte {
	b = binary.AppendUvarint(b, uint64(n))
	if last := &b[len(b)-1]; *last&0x40 != 0 { // the sign bit
		*last |= 0x80
		b = append(b, 0)
	}
	return b
}
