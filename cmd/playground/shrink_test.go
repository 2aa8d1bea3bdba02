package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/browsertest"
)

// handMade is a small program with a memory of one page that others can read, and a function that does nothing.
func handMade(memory []byte) *program {
	return &program{memory: memory, sections: []section{
		{typeSection, []byte{1, 0x60, 0, 0}},
		{importSection, []byte{0}},
		{functionSection, []byte{1, 0}},
		{5, []byte{1, 0, 1}}, // memories
		{7, []byte{1, 1, 'm', 2, 0}},
		{codeSection, []byte{1, 2, 0, end}},
		{dataSection, nil},
	}}
}

// Memory is what it was after it was written as segments, without its zeros.
func TestSegments(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var memory []byte
		for range random.IntN(20) {
			memory = append(memory, make([]byte, random.IntN(3*gap))...)
			for range random.IntN(200) {
				memory = append(memory, byte(random.IntN(4)))
			}
		}
		code := handMade(memory).bytes()
		m, err := parse(code)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(m.memory, bytes.TrimRight(memory, "\x00")) && !bytes.Equal(m.memory, memory) {
			t.Fatalf("%x is read as %x", memory, m.memory)
		}
		if !bytes.Equal(m.bytes(), code) {
			t.Fatalf("%x is written in another way the second time", memory)
		}
	}
	memory := make([]byte, 1<<16)
	memory[40000] = 1
	if n := len(segments(memory)); n != 9 {
		t.Errorf("a byte among zeros takes %d", n)
	}
}

// What is no module, or ends within a section, is an error.
func TestParseErrors(t *testing.T) {
	m := handMade([]byte{1, 2, 3})
	code := m.bytes()
	for n := range len(header) {
		if _, err := parse(code[:n]); err == nil {
			t.Errorf("%d bytes are a module", n)
		}
	}
	at := len(header)
	for _, s := range m.sections[:len(m.sections)-1] {
		for n := at + 2; n < at+2+len(s.body); n++ {
			if _, err := parse(code[:n]); err == nil {
				t.Errorf("%d of %d bytes are a module", n, len(code))
			}
		}
		at += 2 + len(s.body)
	}
	passive := slices.Concat(code[:at], []byte{dataSection, 4, 1, 1, 1, 7})
	if _, err := parse(passive); err == nil {
		t.Error("a segment without an address is data")
	}
}

func TestSigned(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 127, 128, 8191, 8192, 1 << 20, 1<<30 - 1} {
		b := signed(nil, n)
		// The definition of LEB128 for signed numbers.
		got, shift := 0, 0
		for _, c := range b {
			got |= int(c&0x7f) << shift
			shift += 7
		}
		if last := b[len(b)-1]; got != n || last&0x40 != 0 || last&0x80 != 0 {
			t.Errorf("%d is %x", n, b)
		}
	}
}

func TestSizeOf(t *testing.T) {
	for _, c := range []struct {
		table []byte
		want  int
	}{
		{[]byte{2, 1, 0}, 3},
		{[]byte{2, 1, 3, 0x80, 0x01, 0, 7, 7}, 6},
		{[]byte{0, 1, 4, 2, 0, 9}, 5}, // the first value may be like none
	} {
		if got := sizeOf(c.table); got != c.want {
			t.Errorf("%x has %d bytes, want %d", c.table, got, c.want)
		}
	}
}

// functionTable is what the runtime finds functions by: n records as the linker writes them.
func functionTable(n int) (table []byte) {
	for i := range n {
		table = append(binary.LittleEndian.AppendUint32(table, uint32(i/perFunctions)), make([]byte, recordSize-4)...)
	}
	return table
}

// begin and n are of the table that withTable has.
const begin, n = 304, 150

func withTable() []byte {
	return slices.Concat([]byte("before"), make([]byte, begin-6), functionTable(n), []byte{9, 9}, make([]byte, 30), []byte("behind"))
}

// A program that is without its table of functions makes it before anything else.
func TestTableIsMade(t *testing.T) {
	node := browsertest.Needs(t, "node", "nodejs")
	memory := withTable()
	m := handMade(bytes.Clone(memory))
	m.computeTable()
	for _, p := range []*program{handMade(memory), m} {
		if got := run(t, node, p.bytes())[:len(memory)]; !bytes.Equal(got, memory) {
			t.Errorf("memory is %x, want %x", got, memory)
		}
	}
}

// The table of functions is found where it is, and left out.
func TestComputeTable(t *testing.T) {
	memory := withTable()
	m := handMade(bytes.Clone(memory))
	if at, count := m.buckets(); at != begin || count != n {
		t.Fatalf("%d records at %d, want %d at %d", count, at, n, begin)
	}
	m.computeTable()
	if left := m.memory[begin : begin+recordSize*n]; !bytes.Equal(left, make([]byte, len(left))) {
		t.Error("the table is still there")
	}
	if !bytes.Equal(m.memory[:begin], memory[:begin]) || !bytes.Equal(m.memory[begin+recordSize*n:], memory[begin+recordSize*n:]) {
		t.Error("something else is not")
	}
	for name, other := range map[string]*program{"without a table": handMade([]byte("before")), "that starts already": handMade(bytes.Clone(memory))} {
		if name == "that starts already" {
			other.sections = slices.Insert(other.sections, 5, section{startSection, []byte{0}})
		}
		want := other.bytes()
		if other.computeTable(); !bytes.Equal(other.bytes(), want) {
			t.Errorf("a program %s is changed", name)
		}
	}
}

// run is the memory of a module once it is there.
func run(t *testing.T, node string, code []byte) []byte {
	t.Helper()
	cmd := exec.Command(node, "-e", `
		const code = Buffer.from(require("fs").readFileSync(0, "utf8"), "hex");
		const m = new WebAssembly.Instance(new WebAssembly.Module(code)).exports.m;
		process.stdout.write(Buffer.from(m.buffer).toString("hex"));`)
	cmd.Stdin = strings.NewReader(hex.EncodeToString(code))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	memory, err := hex.DecodeString(string(out))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return memory
}

// Lines, files and arguments are forgotten, but not what other tables have of the same bytes.
func TestDropLines(t *testing.T) {
	const (
		units, tables, entries = 72, 80, 96 // after the header
		spTable, shared, lines = 1, 4, 7
		function               = 16 // after entries
	)
	b := make([]byte, entries+function+44+4+7*4)
	copy(b, "\xf1\xff\xff\xff\x00\x00\x01\x08")
	for i, v := range []uint64{1, 1, 0, units, units, units, tables, entries} {
		binary.LittleEndian.PutUint64(b[8+8*i:], v)
	}
	copy(b[units:], "a/b.go\x00")
	copy(b[tables+spTable:], []byte{2, 1, 0, 4, 1, 0, 6, 1, 0})
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
	put(entries+4, function)
	f := entries + function
	put(f+16, spTable)
	put(f+20, shared)
	put(f+24, lines)
	put(f+28, 1) // tables by instruction
	put(f+36, 77)
	b[f+43] = 7 // and as much data of the function
	put(f+44, shared)
	for k := range 7 {
		put(f+48+4*k, uint32(100+k))
	}
	want := bytes.Clone(b)
	clear(want[units:tables])
	clear(want[tables+lines : tables+lines+3])
	for _, field := range []int{20, 24, 36} {
		clear(want[f+field : f+field+4])
	}
	for k := 5; k < 7; k++ {
		copy(want[f+48+4*k:], "\xff\xff\xff\xff")
	}
	prefix := []byte("something before it")
	m := program{memory: slices.Concat(prefix, b)}
	m.dropLines()
	if got := m.memory[len(prefix):]; !bytes.Equal(got, want) {
		t.Errorf("left is\n%x\nwant\n%x", got, want)
	}
	other := program{memory: []byte("no table of functions")}
	if other.dropLines(); string(other.memory) != "no table of functions" {
		t.Error("what is not recognized is changed")
	}
}
