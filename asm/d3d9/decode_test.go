package d3d9

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
)

func code(words ...uint32) []byte {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// TestDecodeDiagnostics checks that truncated, inconsistent or inexpressible bytecode is refused at
// the right position.
func TestDecodeDiagnostics(t *testing.T) {
	const vs11, vs20, vs30, ps20, end = 0xFFFE0101, 0xFFFE0200, 0xFFFE0300, 0xFFFF0200, 0x0000FFFF
	for _, c := range []struct {
		name   string
		data   []byte
		code   string
		offset int
	}{
		{"empty", nil, "truncated", 0},
		{"odd", []byte{1, 2, 3}, "truncated", 0},
		{"no version", code(0x12345678, end), "unknown-version", 0},
		{"effect", code(0xFEFF0901, end), "unknown-version", 0},
		{"vs_1_4", code(0xFFFE0104, end), "unknown-version", 0},
		{"no end", code(vs20), "truncated", 4},
		{"cut comment", code(vs20, 0x0003FFFE, 1, 2), "truncated", 4},
		{"comment with last bit", code(vs20, 0x8000FFFE, end), "reserved-bits", 4},
		{"cut instruction", code(vs20, 0x02000001, 0x800F0000), "truncated", 4},
		{"cut def", code(vs11, 0x00000051, 0xA00F0000, 1, 2), "truncated", 4},
		{"unknown opcode", code(vs20, 0x00000031, end), "unknown-opcode", 4},
		{"opcode of another model", code(vs20, 0x03000042, 0x800F0000, 0x80E40000, 0xA0E40800, end), "unknown-opcode", 4},
		{"control", code(ps20, 0x03030042, 0x800F0000, 0x80E40000, 0xA0E40800, end), "unknown-opcode", 4},
		{"length in version 1", code(vs11, 0x02000001, 0x800F0000, 0x80E40000, end), "reserved-bits", 4},
		{"bit 29", code(vs20, 0x22000001, 0x800F0000, 0x80E40000, end), "reserved-bits", 4},
		{"too short", code(vs20, 0x00000000, 0x01000001, 0x800F0000, end), "operand-count", 8},
		{"too long", code(vs20, 0x03000001, 0x800F0000, 0x80E40000, 0x80E40000, end), "operand-count", 4},
		{"too few in version 1", code(vs11, 0x00000002, 0x800F0000, 0x80E40000, end), "operand-count", 4},
		{"destination bit 31", code(vs20, 0x02000001, 0x000F0000, 0x80E40000, end), "reserved-bits", 8},
		{"source bit 14", code(vs20, 0x02000001, 0x800F0000, 0x80E44000, end), "reserved-bits", 12},
		{"no relative token", code(vs20, 0x02000001, 0x800F0000, 0xA0E42000, end), "operand-count", 4},
		{"index r0", code(vs20, 0x03000001, 0x800F0000, 0xA0E42000, 0x80000000, end), "relative-address", 4},
		{"index a1", code(vs20, 0x03000001, 0x800F0000, 0xA0E42000, 0xB0000001, end), "reserved-bits", 16},
		{"aL.y", code(vs20, 0x03000001, 0x800F0000, 0xA0E42000, 0xF0550800, end), "index-component", 4},
		{"empty mask", code(vs20, 0x02000001, 0x80000000, 0x80E40000, end), "write-mask", 4},
		{"destination modifier 8", code(vs20, 0x02000001, 0x808F0000, 0x80E40000, end), "reserved-bits", 4},
		{"shift 4", code(0xFFFF0101, 0x00000001, 0x840F0000, 0x80E40000, end), "reserved-bits", 4},
		{"shift in version 2", code(ps20, 0x02000001, 0x810F0000, 0x80E40000, end), "modifier-not-in-model", 4},
		{"source modifier 14", code(vs20, 0x02000001, 0x800F0000, 0x8EE40000, end), "reserved-bits", 4},
		{"register type", code(vs20, 0x02000001, 0x800F0000, 0x80E41800, end), "register-not-in-model", 4},
		{"register number", code(vs20, 0x02000001, 0x800F0000, 0x80E40020, end), "register-range", 4},
		{"predicate in vs_2_0", code(vs20, 0x13000001, 0x800F0000, 0xB0E41000, 0x80E40000, end), "predicate", 4},
		{"predicate r0", code(vs30, 0x13000001, 0x800F0000, 0x80E40000, 0x80E40000, end), "predicate", 4},
		{"co-issue in version 2", code(vs20, 0x42000001, 0x800F0000, 0x80E40000, end), "co-issue", 4},
		{"comparison 7", code(vs30, 0x02070029, 0x80E40000, 0x80E40000, end), "comparison", 4},
		{"usage 14", code(vs20, 0x0200001F, 0x8000000E, 0x900F0000, end), "declaration", 4},
		{"usage bit 5", code(vs20, 0x0200001F, 0x80000020, 0x900F0000, end), "reserved-bits", 8},
		{"texture type of v0", code(vs20, 0x0200001F, 0x90000000, 0x900F0000, end), "declaration", 4},
		{"dcl r0", code(vs20, 0x0200001F, 0x80000000, 0x800F0000, end), "declaration", 4},
		{"def r0", code(vs20, 0x05000051, 0x800F0000, 0, 0, 0, 0, end), "declaration", 4},
		{"def c0.x", code(vs20, 0x05000051, 0xA0010000, 0, 0, 0, 0, end), "declaration", 4},
	} {
		_, err := Decode("test.vso", c.data)
		var d *asm.Diag
		if !errors.As(err, &d) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if string(d.Code) != c.code || d.Pos.Offset != c.offset || d.Pos.Line != 0 || d.Pos.File != "test.vso" {
			t.Errorf("%s: %v, want %s at %#x", c.name, d, c.code, c.offset)
		}
	}
}

// TestDecodeLoop checks that both encodings of aL are read and kept.
func TestDecodeLoop(t *testing.T) {
	for _, index := range []uint32{0xF0E40800, 0xF0000800} {
		data := code(0xFFFE0200, 0x03000001, 0x800F0000, 0xA0E42003, index, endToken)
		p, err := Decode("", data)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := Format(p.Model, &p.Insts[0]); got != "mov r0, c[aL + 3]" {
			t.Errorf("%08x: %s", index, got)
		}
		if again, err := Encode(stripped(p)); err != nil || string(again) != string(data) {
			t.Errorf("%08x is written as %x, %v", index, again, err)
		}
	}
}

// TestRest checks that words after the end token are kept.
func TestRest(t *testing.T) {
	data := code(0xFFFE0101, 0x0001FFFE, 0x8000FFFF, 0x00000000, 0x0000FFFF, 1, 2)
	p, err := Decode("", data)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Insts) != 2 || len(p.Rest) != 2 || !p.Binary || p.Insts[1].Pos.Offset != 12 {
		t.Errorf("decoded to %+v", p)
	}
	if again, err := Write(p); err != nil || string(again) != string(data) {
		t.Errorf("written as %x, %v", again, err)
	}
}

// TestEncodeDiagnostics checks that the encoder refuses statements without an encoding.
func TestEncodeDiagnostics(t *testing.T) {
	mov := func(edit func(*Inst)) Inst {
		in := Inst{Op: OpMov, HasDst: true, Dst: Dst{Reg: Reg{Temp, 0}, Mask: MaskAll}, NSrc: 1,
			Src: [4]Src{{Reg: Reg{Const, 0}, Swz: Identity}}}
		edit(&in)
		return in
	}
	for _, c := range []struct {
		want string
		in   Inst
	}{
		{"", mov(func(*Inst) {})},
		{"op-not-in-model", Inst{}},
		{"op-not-in-model", Inst{Op: numOps + 1}},
		{"op-not-in-model", mov(func(in *Inst) { in.Op = OpTexKill })},
		{"operand-count", mov(func(in *Inst) { in.NSrc = 2 })},
		{"operand-count", mov(func(in *Inst) { in.NSrc = 200 })},
		{"operand-count", mov(func(in *Inst) { in.HasDst = false })},
		{"register-range", mov(func(in *Inst) { in.Dst.Index = 32 })},
		{"register-not-in-model", mov(func(in *Inst) { in.Src[0].File = numFiles })},
		{"register-not-in-model", mov(func(in *Inst) { in.Src[0].File = NoFile })},
		{"write-mask", mov(func(in *Inst) { in.Dst.Mask = 0x1f })},
		{"relative-address", mov(func(in *Inst) { in.Src[0].Rel = Rel{File: Temp} })},
		{"comment-too-long", Inst{Op: OpComment, Comment: make([]uint32, maxComment+1)}},
	} {
		_, err := Encode(&Program{Model: VS20, Insts: []Inst{c.in}})
		got := ""
		var ds asm.Diags
		if errors.As(err, &ds) {
			got = string(ds[0].Code)
		}
		if got != c.want {
			t.Errorf("%s: %v, want %q", Format(VS20, &c.in), err, c.want)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		data           string
		bytecode, text bool
	}{
		{"\x00\x02\xff\xff\xff\xff\x00\x00", true, false},
		{"\x01\x01\xfe\xff", true, false},
		{"\x01\x09\xff\xfe....", false, false}, // a compiled effect
		{"\ufeff; c\n#line 1\n/* x */ vs_1_1", false, true},
		{"  PS.2.0\r\nmov oC0, c0", false, true},
		{"il_ps_2_0\nend", false, false},
		{"vertex", false, false},
		{"", false, false},
		{"/*", false, false},
	} {
		if got := IsBytecode([]byte(c.data)); got != c.bytecode {
			t.Errorf("%q: bytecode is %v", c.data, got)
		}
		if got := IsText([]byte(c.data)); got != c.text {
			t.Errorf("%q: text is %v", c.data, got)
		}
	}
}
