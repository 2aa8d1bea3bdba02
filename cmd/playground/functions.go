package main

import (
	"bytes"
	"encoding/binary"
)

// functions is what the runtime knows of functions (Go's runtime/symtab.go: pcHeader, _func; internal/abi/symtab.go).
type functions struct {
	begin, n int    // its address, and how many there are
	table    []byte // from there to the end of memory
	// Where there are in table: names of functions, names of files by package, values by instruction, and
	// the index of functions, to whose begin it has them.
	names, units, values, index int
}

// The header: so many bytes, then words.
const headerSize = 8

// Fields of a function; behind them are places of its values by instruction, and then of its data.
const (
	nameField      = 4
	spField        = 16
	fileField      = 20
	lineField      = 24
	countField     = 28 // of kinds of values
	unitField      = 32
	startLineField = 36
	dataCountField = 43 // a byte
	functionSize   = 44
)

// The kinds of values and of data that nobody asks for in WebAssembly: where goroutines may be stopped
// from without, and the arguments in stack traces.
const (
	unsafePoint                = 0
	argumentInfo, argumentLive = 5, 6
)

// functions are nil if they are not as Go 1.20 and later have them.
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

// size is how long a function is.
func (f *functions) size(at int) int {
	return functionSize + 4*(f.number(at+countField)+int(f.table[at+dataCountField]))
}

// dropNames forgets the names of functions, and of their packages. The runtime asks for two, and which ones are its own.
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

// dropLines forgets the files and lines of instructions, and where arguments of functions are.
func (f *functions) dropLines() {
	clear(f.table[f.units:f.values]) // the names of files by package, and of all
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

// dropTables leaves no values by instruction but those that a function has, in the order in which functions do.
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

// sizeOf is how long a table of values by instruction is: pairs of a difference of values and one of
// addresses, up to a difference of 0 that is not the first.
func sizeOf(table []byte) int {
	r := reader{table}
	for first := true; r.number() != 0 || first; first = false {
		r.number()
	}
	return len(table) - len(r.rest)
}
