package main

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// Offsets of the parts of fewFunctions.
const fewNames, fewUnits, fewValues, fewIndex = 72, 152, 176, 192

// fewFunctions returns three consecutive functions in the linker's layout.
func fewFunctions() *functions {
	put := binary.LittleEndian.PutUint32
	table := make([]byte, fewIndex+8*3)
	copy(table, "\xf1\xff\xff\xff\x00\x00\x01\x08")
	for i, word := range []uint64{3, 1, 0, fewNames, fewUnits, fewUnits, fewValues, fewIndex} {
		binary.LittleEndian.PutUint64(table[headerSize+8*i:], word)
	}
	copy(table[fewNames:], "\x00runtime.GC\x00main.main\x00reflect.methodValueCall\x00")
	copy(table[fewUnits:], "a/b.go\x00")
	copy(table[fewValues:], []byte{0, 2, 1, 0, 4, 1, 0, 6, 1, 0, 8, 1, 3, 1, 0})
	for i, f := range []struct {
		name                             uint32
		sp, file, line, unsafe, stackMap uint32
		kinds, data                      uint32
	}{
		{1, 7, 1, 4, 4, 10, 2, 7},
		{12, 10, 1, 4, 0, 7, 2, 0},
		{22, 7, 0, 0, 0, 0, 0, 2},
	} {
		at := len(table)
		put(table[fewIndex+8*i:], uint32(4096+i))
		put(table[fewIndex+8*i+4:], uint32(at-fewIndex))
		one := make([]byte, align(functionSize+4*int(f.kinds+f.data)))
		for field, v := range map[int]uint32{0: uint32(4096 + i), nameField: f.name, 8: 24, spField: f.sp,
			fileField: f.file, lineField: f.line,
			countField: f.kinds, unitField: 3, startLineField: 77} {
			put(one[field:], v)
		}
		one[dataCountField] = byte(f.data)
		for k, v := range []uint32{f.unsafe, f.stackMap}[:f.kinds] {
			put(one[functionSize+4*k:], v)
		}
		for k := range f.data {
			put(one[functionSize+4*(f.kinds+k):], 100+k)
		}
		table = append(table, one...)
	}
	return (&program{memory: table}).functions()
}

// TestForget checks that the names for stack traces are removed, and that the names the runtime
// looks up remain.
func TestForget(t *testing.T) {
	f := fewFunctions()
	f.dropNames()
	f.dropLines()
	f.dropTables()
	for i, want := range []struct {
		name                         string
		sp, unsafe, stackMap, values string
		kinds, data                  int
	}{
		{name: "runtime.", sp: "\x06\x01\x00", stackMap: "\x08\x01\x03\x01\x00", kinds: 2, data: 7},
		{name: "", sp: "\x08\x01\x03\x01\x00", stackMap: "\x06\x01\x00", kinds: 2},
		{name: "reflect.methodValueCall", sp: "\x06\x01\x00", data: 2},
	} {
		at := f.function(i)
		if name, _, _ := bytes.Cut(f.table[fewNames+f.number(at+nameField):fewUnits], []byte{0}); string(name) != want.name {
			t.Errorf("function %d is named %q, want %q", i, name, want.name)
		}
		for _, field := range []int{fileField, lineField, unitField, startLineField} {
			if f.number(at+field) != 0 {
				t.Errorf("function %d has %d at %d", i, f.number(at+field), field)
			}
		}
		if f.number(at) != 4096+i || f.number(at+8) != 24 || f.number(at+countField) != want.kinds ||
			int(f.table[at+dataCountField]) != want.data {
			t.Errorf("function %d is %x", i, f.table[at:at+functionSize])
		}
		values := func(field int) string {
			table := f.table[fewValues+f.number(field) : fewIndex]
			if f.number(field) == 0 {
				return ""
			}
			return string(table[:sizeOf(table)])
		}
		if got := values(at + spField); got != want.sp {
			t.Errorf("function %d moves the stack by %x, want %x", i, got, want.sp)
		}
		for k, text := range []string{"", want.stackMap}[:want.kinds] {
			if got := values(at + functionSize + 4*k); got != text {
				t.Errorf("function %d has %x of kind %d, want %x", i, got, k, text)
			}
		}
		for k := range want.data {
			wanted := 100 + k
			if k == argumentInfo || k == argumentLive {
				wanted = 1<<32 - 1
			}
			if got := f.number(at + functionSize + 4*(want.kinds+k)); got != wanted {
				t.Errorf("function %d has datum %d at %d, want %d", i, k, got, wanted)
			}
		}
	}
	if left := bytes.TrimRight(f.table[fewUnits:fewIndex], "\x00"); len(left) != fewValues-fewUnits+1+3+4 {
		t.Errorf("left is %x", left)
	}
	if (&program{memory: []byte("no table of functions")}).functions() != nil {
		t.Error("an unknown format is accepted")
	}
}

// TestSizeOf checks that a table of values ends at a difference of 0 that is not the first.
func TestSizeOf(t *testing.T) {
	for _, c := range []struct {
		table []byte
		want  int
	}{
		{[]byte{2, 1, 0}, 3},
		{[]byte{2, 1, 3, 0x80, 0x01, 0, 7, 7}, 6},
		{[]byte{0, 1, 4, 2, 0, 9}, 5},
	} {
		if got := sizeOf(c.table); got != c.want {
			t.Errorf("%x has %d bytes, want %d", c.table, got, c.want)
		}
	}
}
