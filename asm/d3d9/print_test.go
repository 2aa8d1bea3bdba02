package d3d9

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// one returns the only statement of a vs_3_0 text.
func one(t *testing.T, src string) Inst {
	t.Helper()
	in := parse(t, "vs_3_0 "+src).Insts[0]
	in.Lead, in.Text = "", ""
	return in
}

// TestEdits checks that edits leave the rest of a text unchanged.
func TestEdits(t *testing.T) {
	insert := func(at int, src ...string) func(*testing.T, *Program) {
		return func(t *testing.T, p *Program) {
			for i, s := range src {
				p.Insts = slices.Insert(p.Insts, at+i, one(t, s))
			}
		}
	}
	rewrite := func(at int) func(*testing.T, *Program) {
		return func(_ *testing.T, p *Program) { p.Insts[at].Op, p.Insts[at].Text = OpAbs, "" }
	}
	remove := func(at int) func(*testing.T, *Program) {
		return func(_ *testing.T, p *Program) { p.Insts = slices.Delete(p.Insts, at, at+1) }
	}
	const (
		plain   = "vs_3_0 // v\nMOV r0, c0 // a\n\n// next\nMOV r1, c1 // b\n"
		windows = "vs_3_0\r\n\tMOV r0, c0 ; a\r\n\tMOV r1, c1"
	)
	for _, c := range []struct {
		name, src string
		edit      func(*testing.T, *Program)
		want      string
	}{
		{"insert first", plain, insert(0, "nop"), "vs_3_0 // v\nnop\nMOV r0, c0 // a\n\n// next\nMOV r1, c1 // b\n"},
		{"insert two", plain, insert(1, "nop", "ret"),
			"vs_3_0 // v\nMOV r0, c0 // a\nnop\nret\n\n// next\nMOV r1, c1 // b\n"},
		{"insert last", plain, insert(2, "nop"), "vs_3_0 // v\nMOV r0, c0 // a\n\n// next\nMOV r1, c1 // b\nnop\n"},
		{"rewrite", plain, rewrite(0), "vs_3_0 // v\nabs r0, c0 // a\n\n// next\nMOV r1, c1 // b\n"},
		{"remove", plain, remove(1), "vs_3_0 // v\nMOV r0, c0 // b\n"},
		{"line ends", windows, insert(1, "nop"), "vs_3_0\r\n\tMOV r0, c0 ; a\r\n\tnop\r\n\tMOV r1, c1"},
		{"no last line end", windows, insert(2, "nop"), "vs_3_0\r\n\tMOV r0, c0 ; a\r\n\tMOV r1, c1\r\n\tnop\r\n"},
		{"one line", "vs_3_0 mov r0, c0 mov r1, c1", insert(1, "nop"), "vs_3_0 mov r0, c0\nnop\n mov r1, c1"},
		{"no blank", "vs_3_0 mov r0, c[0]mov r1, c1", insert(1, "nop"), "vs_3_0 mov r0, c[0]\nnop\nmov r1, c1"},
		{"block comment", "vs_3_0\nnop /* a\nb */ // c\nnop", insert(1, "ret"), "vs_3_0\nnop\nret\n /* a\nb */ // c\nnop"},
		{"only", "vs_3_0", insert(0, "nop", "//! comment 00000001"), "vs_3_0\nnop\n//! comment 00000001\n"},
	} {
		p := parse(t, c.src)
		c.edit(t, p)
		got := string(Print(p))
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		q, err := Parse("", []byte(got))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		sameProgram(t, c.name, q, p)
	}
}

// TestPrintBuilt checks that a generated program prints and reads back.
func TestPrintBuilt(t *testing.T) {
	p := &Program{Model: PS20, Insts: []Inst{
		{Op: OpDef, HasDst: true, Dst: Dst{Reg: Reg{Const, 0}, Mask: MaskAll},
			Imm: [4]uint32{math.Float32bits(0.1), 1 << 31, math.Float32bits(float32(math.Inf(1))), 0x7f800001}},
		{Op: OpMov, HasDst: true, Dst: Dst{Reg: Reg{ColorOut, 0}, Mask: MaskAll}, NSrc: 1,
			Src: [4]Src{{Reg: Reg{Const, 0}, Swz: Replicate(2), Mod: ModNeg}}},
		{Op: OpComment, Comment: []uint32{0xdeadbeef, 1, 2, 3, 4, 5, 6, 7, 8}},
		{Op: OpComment, Comment: []uint32{}},
	}}
	const want = `ps_2_0
def c0, 0.1, -0, 0x7f800000, 0x7f800001
mov oC0, -c0.z
//! comment deadbeef 00000001 00000002 00000003 00000004 00000005 00000006 00000007
//! 00000008
//! comment
`
	got := string(Print(p))
	if got != want {
		t.Fatalf("%s\nwant\n%s", got, want)
	}
	sameProgram(t, "reparsed", parse(t, got), p)
}

// TestFloats checks that float32 values survive conversion to text: special values, and some of
// every exponent.
func TestFloats(t *testing.T) {
	var bits []uint32
	for exp := range uint32(256) {
		for _, fraction := range []uint32{0, 1, 0x2aaaaa, 0x400000, 0x7fffff} {
			bits = append(bits, exp<<23|fraction, 1<<31|exp<<23|fraction)
		}
	}
	for len(bits)%4 != 0 {
		bits = append(bits, 0)
	}
	p := &Program{Model: VS20}
	for i := 0; i < len(bits); i += 4 {
		p.Insts = append(p.Insts, Inst{Op: OpDef, HasDst: true, Dst: Dst{Reg: Reg{Const, 0}, Mask: MaskAll},
			Imm: [4]uint32(bits[i:])})
	}
	sameProgram(t, "floats", parse(t, string(Print(p))), p)
}

// TestTableNames checks that names from a constant table cannot end the comment that lists them.
func TestTableNames(t *testing.T) {
	p := &Program{Model: PS20, Insts: []Inst{{Op: OpComment, Comment: table("evil\nmov r0, r1\n\xff", 0)}}}
	text := string(Print(p))
	if !strings.Contains(text, "//   evil?mov r0, r1?") {
		t.Errorf("the table is\n%s", text)
	}
	sameProgram(t, "table", parse(t, text), p)
}
