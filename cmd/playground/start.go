package main

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// The table by which the runtime finds the function of an address (runtime.findfuncbucket) has a
// record for every 4096 addresses. In WebAssembly a function has 65536 addresses, so 16 consecutive
// records are equal, and each differs from the next group only in its number.
const (
	recordSize   = 20
	perFunctions = 16 // records with the same number
)

// Instructions of WebAssembly.
const (
	i32Const, end                 = 0x41, 0x0b
	loop, void, branchIf          = 0x03, 0x40, 0x0d
	get, set, tee                 = 0x20, 0x21, 0x22
	load, loadByte, store         = 0x28, 0x2d, 0x36
	less, plus, times, and, shift = 0x49, 0x6a, 0x6c, 0x71, 0x76
	i32                           = 0x7f
	byteAlign, wordAlign          = 0, 2
)

// computeTables removes the redundant parts of function tables, and adds a start function that
// computes them.
func (m *program) computeTables() {
	types, imports, functions, code := m.section(typeSection), m.section(importSection), m.section(functionSection), m.section(codeSection)
	at := slices.IndexFunc(m.sections, func(s section) bool { return s.id == elementSection || s.id == codeSection })
	if types == nil || imports == nil || functions == nil || code == nil || m.section(startSection) != nil {
		return
	}
	body := []byte{1, 3, i32} // local variables
	rest := len(body)
	if begin, n := m.buckets(); n > 0 {
		clear(m.memory[begin : begin+recordSize*n])
		body = append(body, bucketFiller(begin, n)...)
	}
	if f := m.functions(); f != nil && f.inOrder() {
		body = append(body, f.dropIndex()...)
	}
	if len(body) == rest {
		return
	}
	body = append(body, end)
	signature := add(types, []byte{0x60, 0, 0})
	own := add(functions, binary.AppendUvarint(nil, uint64(signature)))
	add(code, append(binary.AppendUvarint(nil, uint64(len(body))), body...))
	imported := reader{*imports} // the linker imports only functions
	start := section{startSection, binary.AppendUvarint(nil, uint64(imported.number()+own))}
	m.sections = slices.Insert(m.sections, at, start)
}

// buckets returns the start of the table, and the number of its records with the expected contents.
func (m *program) buckets() (begin, n int) {
	is := func(record []byte, k int) bool {
		return len(record) >= recordSize && int(binary.LittleEndian.Uint32(record)) == k/perFunctions &&
			bytes.Equal(record[4:recordSize], make([]byte, recordSize-4))
	}
	// The first record with a nonzero number follows those with zero.
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

// add appends an element to a section that is a vector, and returns its index.
func add(body *[]byte, element []byte) int {
	r := reader{*body}
	n := r.number()
	*body = slices.Concat(binary.AppendUvarint(nil, uint64(n+1)), r.rest, element)
	return n
}

// bucketFiller returns code that writes the numbers of n records from begin on; their other bytes
// are zero.
func bucketFiller(begin, n int) []byte {
	code := []byte{loop, void, get, 0, i32Const, recordSize, times, get, 0, i32Const, 4, shift}
	code = access(code, store, wordAlign, begin)
	return again(code, 0, n)
}

// align rounds a size up to a multiple of 8. The function index has the number and the offset of
// each function, and the function record repeats the number. Functions are contiguous and in order,
// at multiples of 8.
func align(size int) int { return (size + 7) &^ 7 }

// inOrder reports whether the index has the form that dropIndex generates.
func (f *functions) inOrder() bool {
	for i := range f.n {
		at := f.function(i)
		if number := f.number(f.index) + i; f.number(f.index+8*i) != number || f.number(at) != number {
			return false
		}
		if i+1 < f.n && f.offset(i+1) != align(f.offset(i)+f.size(at)) {
			return false
		}
	}
	return f.n > 0
}

// dropIndex clears the index and the numbers of functions, and returns the code that writes them.
// Local variable 1 is the counter, 2 the offset of a function.
func (f *functions) dropIndex() []byte {
	first, from := f.number(f.index), f.offset(0)
	for i := range f.n {
		clear(f.table[f.function(i):][:4])
		clear(f.table[f.index+8*i:][:8])
	}
	at := f.begin + f.index
	number := append(signed([]byte{get, 1, i32Const}, first), plus)
	code := append(signed([]byte{i32Const}, from), set, 2, loop, void)
	code = access(append(append(code, get, 1, i32Const, 8, times), number...), store, wordAlign, at)
	code = access(append(code, get, 1, i32Const, 8, times, get, 2), store, wordAlign, at+4)
	code = access(append(append(code, get, 2), number...), store, wordAlign, at)
	code = access(append(code, get, 2), load, wordAlign, at+countField)
	code = access(append(code, get, 2), loadByte, byteAlign, at+dataCountField)
	code = append(code, plus, i32Const, 4, times, get, 2, plus, i32Const, functionSize+7, plus, i32Const, 0x78, /* -8 */
		and, set, 2)
	return again(code, 1, f.n)
}

// access appends a memory instruction with an offset from the computed address.
func access(code []byte, op, align byte, offset int) []byte {
	return binary.AppendUvarint(append(code, op, align), uint64(offset))
}

// again increments a local variable, and ends a loop after n iterations.
func again(code []byte, variable byte, n int) []byte {
	code = append(code, get, variable, i32Const, 1, plus, tee, variable, i32Const)
	return append(signed(code, n), less, branchIf, 0, end)
}
