package main

import (
	"bytes"
	"encoding/binary"
)

// functions locates the runtime's function tables (Go's runtime/symtab.go: pcHeader, _func;
// internal/abi/symtab.go).
type functions struct {
	begin, n int    // address of the table, and number of functions
	table    []byte // memory from begin on
	// Offsets in table of: function names, file names by package, values by instruction, and the
	// function index. Offsets in the index are relative to its start.
	names, units, values, index int
}

// The header: 8 bytes, then words.
const headerSize = 8

// Offsets of fields in a function record. Offsets of its values by instruction follow, and then
// those of its data.
const (
	nameField      = 4
	spField        = 16
	fileField      = 20
	lineField      = 24
	countField     = 28 // number of kinds of values
	unitField      = 32
	startLineField = 36
	dataCountField = 43 // a byte
	functionSize   = 44
)

// The kinds of values and of data that WebAssembly does not use: points of asynchronous preemption,
// and the arguments in stack traces.
const (
	unsafePoint                = 0
	argumentInfo, argumentLive = 5, 6
)

// functions returns the tables, or nil if they do not have the layout of Go 1.20 and later.
func (m *program) functions() *functions {
	begin := bytes.Index(m.memory, []byte("\xf1\xff\xff\xff\x00\x00\x01\x08")) // instructions of 1 byte, words of 8
	if begin < 0 {
		return nil
	}
	f := &functions{begin: begin, table: m.memory[begin:]}
	word := func(i int) int { return int(binary.LittleEndian.Uint64(f.table[headerSize+8*i:])) }
	f.n, f.names, f.units, f.values, f.index = word(0), word(3), word(4), word(6), word(7)
	return f
}

func (f *functions) number(at int) int { return int(binary.LittleEndian.Uint32(f.table[at:])) }
func (f *functions) set(at int, number int) {
	binary.LittleEndian.PutUint32(f.table[at:], uint32(number))
}
func (f *functions) offset(i int) int        { return f.number(f.index + 8*i + 4) }
func (f *functions) function(i int) (at int) { return f.index + f.offset(i) }

// size returns the size of a function record.
func (f *functions) size(at int) int {
	return functionSize + 4*(f.number(at+countField)+int(f.table[at+dataCountField]))
}

// dropNames removes the names of functions, and of their packages. It keeps the two names that the
// runtime looks up, and the prefix of runtime functions.
func (f *functions) dropNames() {
	const own = "runtime."
	kept := map[string]int{"": 0}
	text := []byte{0}
	for _, name := range []string{own, "reflect.makeFuncStub", "reflect.methodValueCall"} {
		kept[name] = len(text)
		text = append(append(text, name...), 0)
	}
	names := f.table[f.names:f.units]
	for i := range f.n {
		at := f.function(i)
		name, _, _ := bytes.Cut(names[f.number(at+nameField):], []byte{0})
		if bytes.HasPrefix(name, []byte(own)) {
			name = name[:len(own)]
		}
		f.set(at+nameField, kept[string(name)])
		f.set(at+unitField, 0)
	}
	clear(names)
	copy(names, text)
}

// dropLines removes the files and lines of instructions, and the locations of function arguments.
func (f *functions) dropLines() {
	clear(f.table[f.units:f.values]) // file names by package, and all file names
	for i := range f.n {
		at := f.function(i)
		for _, field := range []int{fileField, lineField, startLineField} {
			f.set(at+field, 0)
		}
		kinds := f.number(at + countField)
		if kinds > unsafePoint {
			f.set(at+functionSize+4*unsafePoint, 0)
		}
		for k := argumentInfo; k <= argumentLive && k < int(f.table[at+dataCountField]); k++ {
			copy(f.table[at+functionSize+4*(kinds+k):], "\xff\xff\xff\xff")
		}
	}
}

// dropTables keeps only the values by instruction that functions use, in the order of the
// functions.
func (f *functions) dropTables() {
	all := f.table[f.values:f.index]
	kept := []byte{0}
	moved := map[int]int{0: 0}
	for i := range f.n {
		at := f.function(i)
		for k := -1; k < f.number(at+countField); k++ {
			field := at + functionSize + 4*k
			if k < 0 {
				field = at + spField
			}
			old := f.number(field)
			to, ok := moved[old]
			if !ok {
				to = len(kept)
				moved[old] = to
				kept = append(kept, all[old:old+sizeOf(all[old:])]...)
			}
			f.set(field, to)
		}
	}
	clear(all)
	copy(all, kept)
}

// sizeOf returns the length of a table of values by instruction. It consists of pairs of a value
// difference and an address difference, up to a value difference of 0 that is not the first.
func sizeOf(table []byte) int {
	r := reader{table}
	for first := true; r.number() != 0 || first; first = false {
		r.number()
	}
	return len(table) - len(r.rest)
}
