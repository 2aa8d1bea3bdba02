package d3d9

import (
	"slices"
	"testing"
)

// TestTokens checks encodings from the "Direct3D Shader Codes" pages that other implementations
// confirm: text, and the tokens between version and end.
func TestTokens(t *testing.T) {
	for _, c := range []struct {
		text string
		want []uint32
	}{
		{"vs_1_1 mov r0, c1[a0.x + 2]", []uint32{0x00000001, 0x800F0000, 0xA0E42003}},
		{"vs_2_0 mov r0, c0[a0.y]", []uint32{0x03000001, 0x800F0000, 0xA0E42000, 0xB0550000}},
		{"vs_2_0 mov r0, -c0[a0.w+5].x", []uint32{0x03000001, 0x800F0000, 0xA1002005, 0xB0FF0000}},
		{"vs_2_0 add r0, c0[a0.x], c1[a0.y]", []uint32{0x05000002, 0x800F0000, 0xA0E42000, 0xB0000000, 0xA0E42001,
			0xB0550000}},
		{"vs_2_0 loop aL, i0 mov r0, c0[aL] endloop", []uint32{0x0200001B, 0xF0E40800, 0xF0E40000,
			0x03000001, 0x800F0000, 0xA0E42000, 0xF0E40800, 0x0000001D}},
		{"vs_2_x callnz l0, !p0.z ret label l0 ret",
			[]uint32{0x0200001A, 0xA0E41000, 0xBDAA1000, 0x0000001C, 0x0100001E, 0xA0E41000, 0x0000001C}},
		{"vs_2_0 if !b0 else endif", []uint32{0x01000028, 0xEDE40800, 0x0000002A, 0x0000002B}},
		{"vs_2_x if p0.x", []uint32{0x01000028, 0xB0001000}},
		{"vs_2_x if_ge r0, r1", []uint32{0x02030029, 0x80E40000, 0x80E40001}},
		{"vs_2_x break_ne r0, r1", []uint32{0x0205002D, 0x80E40000, 0x80E40001}},
		{"vs_2_x setp_gt p0, r0, r1", []uint32{0x0301005E, 0xB00F1000, 0x80E40000, 0x80E40001}},
		{"vs_2_x (!p0) add r2, r2, r3", []uint32{0x14000002, 0x800F0002, 0xBDE41000, 0x80E40002, 0x80E40003}},
		{"ps_2_x breakp p0.w", []uint32{0x01000060, 0xB0FF1000}},
		{"ps_2_x defb b1, false", []uint32{0x0200002F, 0xE00F0801, 0}},
		{"ps_2_0 dcl_2d s2 texldp r0, t1, s2",
			[]uint32{0x0200001F, 0x90000000, 0xA00F0802, 0x03010042, 0x800F0000, 0xB0E40001, 0xA0E40802}},
		{"ps_2_0 texldb r0, t1, s2", []uint32{0x03020042, 0x800F0000, 0xB0E40001, 0xA0E40802}},
		{"ps_1_4 texld r5, r2_dz", []uint32{0x00000042, 0x800F0005, 0x89E40002}},
		{"vs_2_0 sincos r0, r1, r2, r3", []uint32{0x04000025, 0x800F0000, 0x80E40001, 0x80E40002, 0x80E40003}},
		{"vs_3_0 sincos r0, r1", []uint32{0x02000025, 0x800F0000, 0x80E40001}},
		{"ps_3_0 mov r0, vPos mov r0, vFace", []uint32{0x02000001, 0x800F0000, 0x90E41000, 0x02000001, 0x800F0000,
			0x90E41001}},
		{"ps_3_0 mov r0, v[ aL + 12 ]", []uint32{0x03000001, 0x800F0000, 0x90E4200C, 0xF0E40800}},
		{"vs_3_0 (p0.x) mov o[a0.x + 1].xy, r0", []uint32{0x14000001, 0xE0032001, 0xB0000000, 0xB0001000, 0x80E40000}},
		{"vs_2_0 nop", []uint32{0}},
		{"vs_3_sw mov r0, c8191", []uint32{0x02000001, 0x800F0000, 0xD0E417FF & ^uint32(0x1000) | 0x0800}},
		{"ps_1_1 add_x2_sat r0.rgb, 1-r0, r1_bx2 +mov_d4 r0.a, -v0", []uint32{
			0x00000002, 0x81170000, 0x86E40000, 0x84E40001, 0x40000001, 0x8E080000, 0x91E40000}},
		{"ps_3_0 dcl_texcoord3_pp_centroid v2.xyz", []uint32{0x0200001F, 0x80030005, 0x90670002}},
		{"ps_2_0 dcl_pp t3.xy", []uint32{0x0200001F, 0x80000000, 0xB0230003}},
		{"ps_2_0 def c0, 1, -0.5, -0, 0x7fc00001",
			[]uint32{0x05000051, 0xA00F0000, 0x3F800000, 0xBF000000, 0x80000000, 0x7FC00001}},
	} {
		p, err := Parse("", []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		code, err := Encode(p)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got := words(code)
		if got[0] != p.Model.Token() || got[len(got)-1] != endToken || !slices.Equal(got[1:len(got)-1], c.want) {
			t.Errorf("%s:\n got %08X\nwant %08X", c.text, got[1:len(got)-1], c.want)
		}
		d, err := Decode("", code)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		sameProgram(t, c.text, d, p)
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		text string
		want uint32 // 0: refused
	}{
		{"vs_1_1", 0xFFFE0101}, {"VS.1.1", 0xFFFE0101}, {"vs_2_0", 0xFFFE0200}, {"vs_2_x", 0xFFFE0201}, {"vs_2_a",
			0xFFFE0201},
		{"vs_2_sw", 0xFFFE02FF}, {"vs.3.sw", 0xFFFE03FF}, {"ps_1_4", 0xFFFF0104}, {"ps_2_b", 0xFFFF0201}, {"Ps.2.X",
			0xFFFF0201}, {"ps_3_0", 0xFFFF0300},
		{"vs_1_4", 0}, {"vs_2_b", 0}, {"ps_4_0", 0}, {"gs_2_0", 0}, {"vs_1_1x", 0}, {"", 0}, {"vs", 0}, {"mov r0, r1", 0},
	} {
		p, err := Parse("", []byte(c.text))
		if c.want == 0 {
			if err == nil {
				t.Errorf("%q must be refused", c.text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := p.Model.Token(); got != c.want {
			t.Errorf("%q is %08X, want %08X", c.text, got, c.want)
		}
		if m, ok := modelOf(c.want); !ok || m != p.Model {
			t.Errorf("%08X is %v, want %v", c.want, m, p.Model)
		}
	}
}

// TestOpsUnambiguous checks that no two ops of a model share mnemonic and comparison, or opcode and
// controls.
func TestOpsUnambiguous(t *testing.T) {
	type spelling struct {
		name string
		cmp  bool
	}
	type coding struct {
		code uint16
		ctrl uint8
	}
	for _, m := range []Model{VS11, VS20, VS2X, VS30, PS11, PS12, PS13, PS14, PS20, PS2X, PS30} {
		names, codes := map[spelling]Op{}, map[coding]Op{}
		for op := OpNop; op < OpComment; op++ {
			if !op.Exists(m) {
				continue
			}
			info := &opTable[op]
			s, c := spelling{info.name, info.flags&fCmp != 0}, coding{info.code, info.ctrl}
			if names[s] != OpInvalid || codes[c] != OpInvalid {
				t.Errorf("%s: %s is not unique", m, op)
			}
			names[s], codes[c] = op, op
		}
	}
}

// TestExtent checks that Extent finds the end of a program that other words follow, and that PeekModel reads only the
// beginning.
func TestExtent(t *testing.T) {
	words := []uint32{0xffff0101, 0x51, 0xa00f0000, 0xffff, 0, 0, 0, 0x0001fffe, 0xffff, 1, 0x800f0000, 0xa0e40000, 0xffff, 7}
	if n, ok := Extent(words); n != len(words)-1 || !ok {
		t.Errorf("%d words", n)
	}
	for n := range len(words) - 1 {
		if k, ok := Extent(words[:n]); ok {
			t.Errorf("%d of %d words", k, n)
		}
	}
	for data, want := range map[string]string{"\x00\x03\xfe\xff": "vs_3_0", "// a\n ps.1.4 \"": "ps_1_4", "\x00\x03\xfd\xff": "", "mov r0": ""} {
		if m, ok := PeekModel([]byte(data)); ok != (want != "") || ok && m.String() != want {
			t.Errorf("%q is %s", data, m)
		}
	}
}
