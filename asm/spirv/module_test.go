package spirv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
)

// assemble returns a binary of version 1.0 with these words behind the header.
func assemble(order binary.AppendByteOrder, bound uint32, words ...uint32) (data []byte) {
	for _, w := range append([]uint32{magic, 0x10000, 0, bound, 0}, words...) {
		data = order.AppendUint32(data, w)
	}
	return data
}

// TestDecode reads a module in both byte orders, with an opcode that the grammar does not have.
func TestDecode(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		data := assemble(order, 9, 4<<16|uint32(OpTypeInt), 5, 32, 1, 4<<16|uint32(OpConstant), 5, 6, 77, 2<<16|65535, 8)
		m, err := Decode("x", data)
		if err != nil {
			t.Fatal(err)
		}
		c := m.Insts[1]
		if m.Bound != 9 || len(m.Insts) != 3 || c.Op != OpConstant || c.Type != 5 || c.Result != 6 || !slices.Equal(c.Args, []uint32{77}) {
			t.Errorf("%+v", m)
		}
		if m.Pos(&c).Offset != 36 || m.Insts[2].Op.String() != "Op65535" || m.Insts[2].Result != 0 {
			t.Errorf("%+v, %v", m.Insts, m.Pos(&c))
		}
		if !bytes.Equal(m.Encode(), data) {
			t.Errorf("% x", m.Encode())
		}
	}
}

// TestDecodeErrors decodes broken binaries.
func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct {
		data   []byte
		code   asm.Code
		offset int
	}{
		{[]byte("SPIRV"), "unknown-format", 0},
		{assemble(binary.LittleEndian, 1)[:16], "truncated", 16},
		{append(assemble(binary.LittleEndian, 1), 1), "truncated", 20},
		{append([]byte{3, 2, 0x23, 7, 1}, make([]byte, 15)...), "unknown-version", 4},
		{assemble(binary.LittleEndian, 1, 1<<16, 0), "instruction-size", 24},
		{assemble(binary.LittleEndian, 1, 1<<16, 3<<16, 0), "truncated", 24},
		{assemble(binary.LittleEndian, 1, 2<<16|uint32(OpFAdd), 1), "instruction-size", 20},
	} {
		_, err := Decode("x", c.data)
		var d *asm.Diag
		if !errors.As(err, &d) || d.Code != c.code || d.Pos.Offset != c.offset {
			t.Errorf("% x: %v, want %s at %d", c.data, err, c.code, c.offset)
		}
	}
}

func TestString(t *testing.T) {
	for _, s := range []string{"", "abc", "main", "µ-shader"} {
		words := append(AppendString(nil, s), 7)
		if got, n := String(words); got != s || n != len(words)-1 {
			t.Errorf("%q: %q, %d words", s, got, n)
		}
	}
	if s, n := String([]uint32{0x64636261}); s != "abcd" || n != 2 {
		t.Errorf("%q, %d words", s, n)
	}
}

// TestNames looks up names in the generated tables.
func TestNames(t *testing.T) {
	for _, c := range [][2]string{
		{OpFAdd.String(), "OpFAdd"}, {StorageClassUniform.String(), "Uniform"}, {GLSLFMix.String(), "FMix"},
		{(ImageOperandsBias | ImageOperandsConstOffset).String(), "Bias|ConstOffset"}, {Decoration(99999).String(), "99999"},
	} {
		if c[0] != c[1] {
			t.Errorf("%s, want %s", c[0], c[1])
		}
	}
	if x := OpImageSampleImplicitLod.Info(); !x.HasType() || !x.HasResult() || x.Operands[:4] != "trii" {
		t.Errorf("%+v", x)
	}
}
