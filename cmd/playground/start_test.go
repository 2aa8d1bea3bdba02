package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/tools"
)

// bucketTable returns n records in the linker's layout.
func bucketTable(n int) (table []byte) {
	for i := range n {
		table = append(binary.LittleEndian.AppendUint32(table, uint32(i/perFunctions)), make([]byte, recordSize-4)...)
	}
	return table
}

// begin and n locate the records in withTables.
const begin, n = 304, 150

// withTables returns a memory with both tables by which the runtime finds functions.
func withTables() []byte {
	return slices.Concat([]byte("before"), make([]byte, begin-6), bucketTable(n), []byte{9, 9}, make([]byte, 30),
		fewFunctions().table, []byte("behind"))
}

// TestTablesAreMade checks that a program first restores the parts that were removed.
func TestTablesAreMade(t *testing.T) {
	node := tools.NeedProgram(t, "node", "nodejs")
	memory := withTables()
	m := handMade(bytes.Clone(memory))
	m.computeTables()
	for _, p := range []*program{handMade(memory), m} {
		if got := run(t, node, p.bytes())[:len(memory)]; !bytes.Equal(got, memory) {
			t.Errorf("memory is %x, want %x", got, memory)
		}
	}
}

// TestComputeTables checks that the tables are found and removed.
func TestComputeTables(t *testing.T) {
	memory := withTables()
	m := handMade(bytes.Clone(memory))
	if at, count := m.buckets(); at != begin || count != n {
		t.Fatalf("%d records at %d, want %d at %d", count, at, n, begin)
	}
	m.computeTables()
	want := bytes.Clone(memory)
	clear(want[begin : begin+recordSize*n])
	f := handMade(want).functions()
	for i := range f.n {
		clear(f.table[f.function(i):][:4])
	}
	clear(f.table[f.index : f.index+8*f.n])
	if !bytes.Equal(m.memory, want) {
		t.Errorf("left is %x, want %x", m.memory, want)
	}
	displaced := fewFunctions().table
	binary.LittleEndian.PutUint32(displaced[fewIndex+8:], 99)
	for name, other := range map[string]*program{
		"without a table": handMade([]byte("before")), "that starts already": handMade(bytes.Clone(memory)), "with functions in another order": handMade(displaced),
	} {
		if name == "that starts already" {
			other.sections = slices.Insert(other.sections, 5, section{startSection, []byte{0}})
		}
		want := other.bytes()
		if other.computeTables(); !bytes.Equal(other.bytes(), want) {
			t.Errorf("a program %s is changed", name)
		}
	}
}

// run returns the memory of a module after its start function.
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
