package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// shrink is a program of the Go linker without what a page has no use for or can make itself: the
// lines of source and arguments that stack traces would name, a tenth of what is packed, and the table by which the
// runtime finds functions, a fifth of the file. What a linker of another form has written stays.
func shrink(code []byte) ([]byte, error) {
	m, err := parse(code)
	if err != nil {
		return nil, err
	}
	m.dropLines()
	m.computeTable()
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

// Instructions that addresses of segments are made of.
const i32Const, end = 0x41, 0x0b

// program is a module of WebAssembly: its sections in their order, and the data as memory has it.
type program struct {
	sections []section
	memory   []byte
}

type section struct {
	id   byte
	body []byte
}

var header = []byte("\x00asm\x01\x00\x00\x00")

var errFormat = errors.New("this is no WebAssembly as the Go linker writes it")

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
			data.bytes(1) // the end of the address
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

// reader reads numbers and bytes; of what is not there it returns nothing.
type reader struct{ rest []byte }

// number reads an unsigned number, or a signed one that is not negative, in LEB128.
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

// section is the body of the section, nil if there is none.
func (m *program) section(id byte) *[]byte {
	for i := range m.sections {
		if m.sections[i].id == id {
			return &m.sections[i].body
		}
	}
	return nil
}

// bytes writes the module.
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

// gap is how many zeros are left out: a segment takes less.
const gap = 16

// segments are a data section that makes memory what it is.
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

// signed appends a number that is not negative as a signed one.
func signed(b []byte, n int) []byte {
	b = binary.AppendUvarint(b, uint64(n))
	if last := &b[len(b)-1]; *last&0x40 != 0 { // the sign
		*last |= 0x80
		b = append(b, 0)
	}
	return b
}

// dropLines forgets the files and lines of instructions, and where arguments of functions are (Go's
// runtime/symtab.go: pcHeader, _func; internal/abi/symtab.go): every function's tables of them are none,
// and names of files and what no other table shares with these is zero.
func (m *program) dropLines() {
	const (
		headerSize                 = 8
		pcsp, pcfile, pcln         = 16, 20, 24
		count, startLine           = 28, 36
		dataCount, funcSize        = 43, 44
		argumentInfo, argumentLive = 5, 6
	)
	none := []byte("\xff\xff\xff\xff")
	begin := bytes.Index(m.memory, []byte("\xf1\xff\xff\xff\x00\x00\x01\x08")) // of Go 1.20 and later; instructions of 1 byte, words of 8
	if begin < 0 {
		return
	}
	table := m.memory[begin:]
	word := func(i int) int { return int(binary.LittleEndian.Uint64(table[headerSize+8*i:])) }
	number := func(at int) int { return int(binary.LittleEndian.Uint32(table[at:])) }
	functions, units, tables, entries := word(0), word(4), word(6), word(7)
	clear(table[units:tables]) // the names of files by package, and of all
	kept := make([]bool, entries-tables)
	for i := range functions {
		f := entries + number(entries+8*i+4)
		for _, field := range append([]int{pcsp}, fields(funcSize, number(f+count))...) {
			if first := number(f + field); first > 0 {
				for k := range sizeOf(table[tables+first:]) {
					kept[first+k] = true
				}
			}
		}
		for _, field := range []int{pcfile, pcln, startLine} {
			clear(table[f+field : f+field+4])
		}
		data := f + funcSize + 4*number(f+count)
		for k := argumentInfo; k <= argumentLive && k < int(table[f+dataCount]); k++ {
			copy(table[data+4*k:], none)
		}
	}
	for i, k := range kept {
		if !k {
			table[tables+i] = 0
		}
	}
}

// fields are the places of n numbers from first on.
func fields(first, n int) (list []int) {
	for i := range n {
		list = append(list, first+4*i)
	}
	return list
}

// sizeOf is how long a table of values by instruction is: pairs of a difference of values and one of
// addresses, up to a difference of 0 that is not the first.
func sizeOf(table []byte) int {
	r := reader{table}
	for first := true; r.number() != 0 || first; first = false {
		r.number()
	}
	return len(table) - len(r.rest)
}

// The table by which the runtime finds the function of an address (runtime.findfuncbucket) has records for
// every 4096 addresses. In WebAssembly a function has 65536, so one record is like another but for its
// number.
const (
	recordSize   = 20
	perFunctions = 16 // so many records have the same number
)

// computeTable leaves the table out, and has a function make it before anything else.
func (m *program) computeTable() {
	begin, n := m.buckets()
	types, imports, functions, code := m.section(typeSection), m.section(importSection), m.section(functionSection), m.section(codeSection)
	at := slices.IndexFunc(m.sections, func(s section) bool { return s.id == elementSection || s.id == codeSection })
	if n == 0 || types == nil || imports == nil || functions == nil || code == nil || m.section(startSection) != nil {
		return
	}
	clear(m.memory[begin : begin+recordSize*n])
	body := filler(begin, n)
	signature := add(types, []byte{0x60, 0, 0})
	own := add(functions, binary.AppendUvarint(nil, uint64(signature)))
	add(code, append(binary.AppendUvarint(nil, uint64(len(body))), body...))
	imported := reader{*imports} // the linker imports nothing but functions
	start := section{startSection, binary.AppendUvarint(nil, uint64(imported.number()+own))}
	m.sections = slices.Insert(m.sections, at, start)
}

// buckets is where the table begins, and how many of its records are as they have to be.
func (m *program) buckets() (begin, n int) {
	is := func(record []byte, k int) bool {
		return len(record) >= recordSize && int(binary.LittleEndian.Uint32(record)) == k/perFunctions && bytes.Equal(record[4:recordSize], make([]byte, recordSize-4))
	}
	// The first record with another number than 0 follows those without.
	second := append([]byte{1, 0, 0, 0}, make([]byte, recordSize-4)...)
	begin = bytes.Index(m.memory, bytes.Repeat(second, perFunctions)) - perFunctions*recordSize
	if begin < 0 {
		return 0, 0
	}
	for is(m.memory[begin+recordSize*n:], n) {
		n++
	}
	return begin, n
}

// add appends an element to the vector that a section is, and returns its index.
func add(body *[]byte, element []byte) int {
	r := reader{*body}
	n := r.number()
	*body = slices.Concat(binary.AppendUvarint(nil, uint64(n+1)), r.rest, element)
	return n
}

// filler is a function that writes the numbers of n records from begin on; all else of them is zero.
func filler(begin, n int) []byte {
	const (
		i32                      = 0x7f
		loop, void, branchIf     = 0x03, 0x40, 0x0d
		get, tee                 = 0x20, 0x22
		store, align             = 0x36, 2
		less, plus, times, shift = 0x49, 0x6a, 0x6c, 0x76
	)
	body := []byte{1, 1, i32, loop, void, get, 0, i32Const, recordSize, times, get, 0, i32Const, 4, shift, store, align}
	body = append(binary.AppendUvarint(body, uint64(begin)), get, 0, i32Const, 1, plus, tee, 0)
	return append(signed(append(body, i32Const), n), less, branchIf, 0, end, end)
}
