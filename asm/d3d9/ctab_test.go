package d3d9

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// table returns the comment block of a constant table, laid out after the structures
// D3DXSHADER_CONSTANTTABLE, _CONSTANTINFO and _TYPEINFO, with one float4 constant in c5 and c6 and
// a default value at the given offset (0: none).
func table(name string, value uint32) []uint32 {
	u16 := binary.LittleEndian.AppendUint16
	u32 := binary.LittleEndian.AppendUint32
	var b []byte
	for _, w := range []uint32{28, 96, 0xFFFF0200, 1, 28, 0x100, 100} { // header
		b = u32(b, w)
	}
	b = u32(b, 104) // constant, at 28: name, register set, index, count
	for _, h := range []uint16{2, 5, 2, 0} {
		b = u16(b, h)
	}
	b = u32(u32(b, 48), value)                     // type, default value
	for _, h := range []uint16{3, 3, 4, 2, 1, 0} { // type, at 48: class, type, rows, columns, elements, members
		b = u16(b, h)
	}
	b = u32(b, 0)
	for i := range 8 { // default value, at 64
		b = u32(b, math.Float32bits(float32(i)))
	}
	b = append(b, "fxc\x00ps\x00\xab"...) // at 96
	b = append(append(b, name...), 0)     // at 104
	for len(b)%4 != 0 {
		b = append(b, 0xab)
	}
	return append([]uint32{0x42415443}, words(b)...)
}

// TestCorpusEncodeConstantTable checks that constant tables of fxc keep their contents. Most also
// keep their words; fxc shares and truncates some defaults in other ways.
func TestCorpusEncodeConstantTable(t *testing.T) {
	n, other := 0, 0
	for _, path := range bytecodeFiles(t) {
		p, err := Decode(path, readFile(t, path))
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Insts {
			in := &p.Insts[i]
			if !in.IsConstantTable() {
				continue
			}
			n++
			table, ok := ReadConstantTable(in.Comment[1:])
			if !ok {
				t.Fatalf("%s: the table is not understood", path)
			}
			words, err := EncodeConstantTable(table)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if !slices.Equal(words, in.Comment[1:]) {
				other++
			}
			again, ok := ReadConstantTable(words)
			if diff := cmp.Diff(table, again); !ok || diff != "" {
				t.Errorf("%s: the table reads as another:\n%s", path, diff)
			}
		}
	}
	if n == 0 || other*2 > n {
		t.Errorf("%d of %d tables are written in other words", other, n)
	}
}

// TestPackedConstantTable checks that a table without a creator has fewer words and the same
// contents.
func TestPackedConstantTable(t *testing.T) {
	entry := func(name string) Constant {
		return Constant{Name: name, Set: SetFloat4, Count: 1, Class: 1, Type: 3, Rows: 1, Columns: 4, Elements: 1,
			Default: []uint32{1, 2, 3, 4}}
	}
	before := &ConstantTable{Creator: "fxc", Target: "ps_2_0", Version: 0xFFFF0200,
		Constants: []Constant{entry("A"), entry("BC"), entry("DEF")}}
	long, err := EncodeConstantTable(before)
	if err != nil {
		t.Fatal(err)
	}
	before.Creator = ""
	short, err := EncodeConstantTable(before)
	if err != nil {
		t.Fatal(err)
	}
	after, ok := ReadConstantTable(short)
	if diff := cmp.Diff(before, after); !ok || diff != "" {
		t.Errorf("the table reads as another:\n%s", diff)
	}
	// Header, entries, a type, a default, and the strings, of 16 bytes.
	if want := (28 + 3*20 + 16 + 16 + 16) / 4; len(short) != want || len(short) >= len(long) {
		t.Errorf("%d words, not %d; with a creator %d", len(short), want, len(long))
	}
}

// TestSetConstantTable checks that a new table replaces the old one and reads back.
func TestSetConstantTable(t *testing.T) {
	p := &Program{Insts: []Inst{{Op: OpComment, Comment: []uint32{1}},
		{Op: OpComment, Comment: table("World", 64), Raw: []uint32{1}}}}
	after, err := p.ConstantTable()
	if err != nil {
		t.Fatal(err)
	}
	before := *after.Named("World")
	after.Constants[0].Rows++
	if before.IsParameter(&after.Constants[0]) || after.Named("Other") != nil {
		t.Error("another parameter is taken for this one")
	}
	if err := p.SetConstantTable(after); err != nil {
		t.Fatal(err)
	}
	back, err := p.ConstantTable()
	if diff := cmp.Diff(after, back); err != nil || diff != "" || p.Insts[1].Raw != nil {
		t.Errorf("the table reads as another: %v\n%s", err, diff)
	}
	if len(p.Insts[0].Comment) != 1 {
		t.Error("another comment has become the table")
	}
}

func TestConstantTable(t *testing.T) {
	p := &Program{Insts: []Inst{{Op: OpComment, Comment: []uint32{1}}, {Op: OpComment, Comment: table("World", 64)}}}
	got, err := p.ConstantTable()
	if err != nil {
		t.Fatal(err)
	}
	want := &ConstantTable{Creator: "fxc", Target: "ps", Version: 0xFFFF0200, Flags: 0x100, Constants: []Constant{{
		Name: "World", Set: SetFloat4, Index: 5, Count: 2, Class: 3, Type: 3, Rows: 4, Columns: 2, Elements: 1,
		Default: []uint32{0, 0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x40a00000, 0x40c00000, 0x40e00000},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for r, want := range map[Reg]bool{{Const, 4}: false, {Const, 5}: true, {Const, 6}: true, {Const, 7}: false,
		{ConstInt, 5}: false} {
		if got.Lookup(r) != nil != want {
			t.Errorf("lookup of %s, want %v", r, want)
		}
	}
	none, err := (&Program{}).ConstantTable()
	if none != nil || err != nil || none.Lookup(Reg{Const, 0}) != nil {
		t.Errorf("a program without table has %v, %v", none, err)
	}
}

// TestBrokenConstantTable checks that reading any broken table terminates and stays within bounds.
func TestBrokenConstantTable(t *testing.T) {
	good := table("World", 64)
	for i := 1; i < len(good); i++ {
		for _, w := range []uint32{0, 1, 27, 0x7fffffff, 0xffffffff, uint32(4*len(good) - 1)} {
			bad := slices.Clone(good)
			bad[i] = w
			p := &Program{Insts: []Inst{{Op: OpComment, Comment: bad}}}
			_, _ = p.ConstantTable()
			Print(p)
		}
		p := &Program{Insts: []Inst{{Op: OpComment, Comment: good[:i]}}}
		if _, err := p.ConstantTable(); err == nil {
			t.Errorf("a table cut to %d words is no table", i)
		}
	}
}

// TestCorpusConstantTables checks that the tables of the corpus only name registers of the model.
func TestCorpusConstantTables(t *testing.T) {
	tables, constants := 0, 0
	for _, path := range bytecodeFiles(t) {
		p, err := Decode(path, readFile(t, path))
		if err != nil {
			t.Fatal(err)
		}
		table, err := p.ConstantTable()
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if table == nil {
			continue
		}
		tables++
		constants += len(table.Constants)
		if table.Version != p.Model.Token() {
			t.Errorf("%s: the table is of version %08x", path, table.Version)
		}
		for _, c := range table.Constants {
			f := c.Set.File()
			if c.Name == "" || f == NoFile || c.Count == 0 || c.Index+c.Count > p.Model.nameable(f) {
				t.Errorf("%s: entry %+v", path, c)
			}
		}
	}
	t.Logf("%d tables, %d constants", tables, constants)
}
