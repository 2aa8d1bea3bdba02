package spirv

import (
	"encoding/binary"
	"runtime"
	"testing"
)

// assembleWords assembles instructions: opcode and operands.
func assembleWords(bound uint32, list ...[]uint32) []byte {
	words := []uint32{magic, 1 << 16, 0, bound, 0}
	for _, in := range list {
		words = append(words, uint32(len(in))<<16|in[0])
		words = append(words, in[1:]...)
	}
	data := make([]byte, 0, 4*len(words))
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

// entry holds the start of a vertex module with the entry point 1, void as 2, its function type as 3, uint as 4, and the
// constant 65536 as 5.
var entry = [][]uint32{{17, 1}, {14, 0, 1}, {15, 0, 1, 'm'}, {19, 2}, {33, 3, 2}, {21, 4, 32, 0}, {43, 4, 5, 65536}}

// Modules that would take much time or memory are rejected or run within bounds.
func TestHostile(t *testing.T) {
	function := func(body ...[]uint32) [][]uint32 {
		return append(append([][]uint32{{54, 2, 1, 0, 3}, {248, 6}}, body...), []uint32{253}, []uint32{56})
	}
	// Each of many buffers has a type of its own with 65536 words.
	var types, stores [][]uint32
	id := uint32(100)
	types = append(types, []uint32{46, 4, 8})
	for range 5000 {
		types = append(types, []uint32{28, id, 4, 5}, []uint32{71, id, 6, 4}, []uint32{30, id + 1, id}, []uint32{32, id + 2, 12, id + 1},
			[]uint32{59, id + 2, id + 3, 12}, []uint32{32, id + 4, 12, 4})
		stores = append(stores, []uint32{65, id + 4, id + 5, id + 3, 8, 8}, []uint32{62, id + 5, 8})
		id += 6
	}
	// One large value is stored often.
	large := [][]uint32{{28, 10, 4, 5}, {71, 10, 6, 4}, {30, 11, 10}, {46, 11, 12}, {32, 13, 12, 11}, {59, 13, 14, 12}}
	var often [][]uint32
	for range 20000 {
		often = append(often, []uint32{62, 14, 12})
	}
	// Structs double their members to a depth beyond the limit.
	nested := [][]uint32{{30, 20, 4}}
	for k := uint32(21); k < 400; k++ {
		nested = append(nested, []uint32{30, k, k - 1, k - 1})
	}
	nested = append(nested, []uint32{32, 400, 6, 399}, []uint32{59, 400, 401, 6})
	for name, data := range map[string][]byte{
		"bound":   assembleWords(maxBound, append(entry, function()...)...),
		"types":   assembleWords(id, append(append(entry, types...), function(stores...)...)...),
		"stores":  assembleWords(100, append(append(entry, large...), function(often...)...)...),
		"structs": assembleWords(500, append(append(entry, nested...), function([]uint32{62, 401, 5})...)...),
		"loop":    assembleWords(10, append(entry, function([]uint32{249, 7}, []uint32{248, 7}, []uint32{246, 8, 7, 0}, []uint32{249, 7}, []uint32{248, 8})...)...),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tryModule(data)
		runtime.ReadMemStats(&after)
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 128 {
			t.Errorf("%s: %d MiB allocated", name, used)
		}
	}
}

// An invocation that does not end is unfinished, and the others have results.
func TestUnfinished(t *testing.T) {
	list := append(entry, [][]uint32{{32, 30, 1, 4}, {59, 30, 31, 1}, {20, 33}, {43, 4, 34, 7}, {32, 35, 3, 4}, {59, 35, 36, 3},
		{54, 2, 1, 0, 3}, {248, 6}, {61, 4, 40, 31}, {249, 7}, // x = input
		{248, 7}, {246, 8, 9, 0}, {249, 10}, {248, 10}, {170, 33, 41, 40, 34}, {250, 41, 9, 8}, {248, 9}, {249, 7}, // while (x == 7)
		{248, 8}, {62, 36, 40}, {253}, {56}}...)
	p, err := Compile(assembleWords(50, list...), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	b := batch(p, Lanes, func(c Component, lane int) uint32 { return uint32(lane) })
	r := runs(t, p, &Env{}, b)
	if r.Unfinished != 1<<7 {
		t.Errorf("unfinished %#x", r.Unfinished)
	}
	for lane := range Lanes {
		if got := r.Out[0][lane]; lane != 7 && got != uint32(lane) {
			t.Errorf("lane %d: %d", lane, got)
		}
	}
}
