package xnb_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/fx/xnb"
)

const (
	effectReader  = "Microsoft.Xna.Framework.Content.EffectReader, Microsoft.Xna.Framework.Graphics, Version=4.0.0.0"
	textureReader = "Microsoft.Xna.Framework.Content.Texture2DReader"
)

// body is the plain body of a file with readers, the first of which reads the effect.
func body(effect string, readers ...string) []byte {
	b := []byte{byte(len(readers))}
	for _, name := range readers {
		b = append(append(b, byte(len(name))), name...)
		b = append(b, 0, 0, 0, 0)
	}
	b = append(b, 0, 1) // no shared resources, the first reader
	b = binary.LittleEndian.AppendUint32(b, uint32(len(effect)))
	return append(b, effect...)
}

// file is a file with these flags, whose body is compressed already where they say so.
func file(flags byte, packed []byte, size int) []byte {
	b := append([]byte("XNBw\x05"), flags, 0, 0, 0, 0)
	if flags&0xc0 != 0 {
		b = binary.LittleEndian.AppendUint32(b, uint32(size))
	}
	b = append(b, packed...)
	binary.LittleEndian.PutUint32(b[6:], uint32(len(b)))
	return b
}

// stored is data as frames of LZX that are not compressed.
func stored(data []byte) (packed []byte) {
	for first := true; len(data) > 0; first = false {
		n := min(len(data), 1<<15)
		header, length := uint32(3<<24|n), 27 // the kind of block, its size, and padding
		if first {
			length++ // a zero before it: no calls are translated
		}
		header <<= 32 - length
		frame := binary.LittleEndian.AppendUint16(nil, uint16(header>>16))
		frame = binary.LittleEndian.AppendUint16(frame, uint16(header))
		frame = append(frame, "\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00"...)
		frame = append(frame, data[:n]...)
		frame = append(frame, make([]byte, n&1)...)
		if n < 1<<15 {
			packed = binary.BigEndian.AppendUint16(append(packed, 0xff), uint16(n))
		}
		packed = binary.BigEndian.AppendUint16(packed, uint16(len(frame)))
		packed = append(packed, frame...)
		data = data[n:]
	}
	return packed
}

func lz4Packed(t testing.TB, data []byte) []byte {
	packed := make([]byte, lz4.CompressBlockBound(len(data)))
	n, err := lz4.CompressBlock(data, packed, nil)
	if err != nil || n == 0 {
		t.Fatalf("%d bytes do not compress (%v)", len(data), err)
	}
	return packed[:n]
}

func TestDecode(t *testing.T) {
	effect := strings.Repeat("an effect, of more than one frame", 2000)
	plain := body(effect, effectReader, textureReader)
	want := file(0x01, plain, 0)
	for name, data := range map[string][]byte{
		"plain": want,
		"LZX":   file(0x81, stored(plain), len(plain)),
		"LZ4":   file(0x41, lz4Packed(t, plain), len(plain)),
	} {
		f, err := xnb.Decode("a.xnb", data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if string(f.Effect) != effect || f.Compressed != (name != "plain") || !strings.HasPrefix(effect, string(xnb.Peek(data))) || len(xnb.Peek(data)) < 1000 {
			t.Errorf("%s: %d bytes of effect", name, len(f.Effect))
		}
		if got := xnb.Encode(f); !bytes.Equal(got, want) {
			t.Errorf("%s: it is written as %d bytes, not %d", name, len(got), len(want))
		}
	}
}

func Example() {
	f, err := xnb.Decode("glow.xnb", file(0x01, body("the effect", effectReader), 0))
	if err != nil {
		fmt.Println(err)
		return
	}
	f.Effect = []byte("a better effect")
	again, err := xnb.Decode("glow.xnb", xnb.Encode(f))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", again.Effect)

	// Output:
	// a better effect
}

func TestDiagnostics(t *testing.T) {
	plain := body("effect", effectReader)
	want := file(0, plain, 0)
	for name, c := range map[string]struct {
		code string
		data []byte
	}{
		"something else":   {"unknown-format", []byte("XNA, but no content file")},
		"version":          {"unknown-format", append([]byte("XNBw\x09"), make([]byte, 20)...)},
		"texture":          {"not-an-effect", file(0, body("pixels", textureReader), 0)},
		"nothing":          {"not-an-effect", file(0, []byte{0, 0, 0}, 0)},
		"reader":           {"unknown-reader", file(0, []byte{0, 0, 2}, 0)},
		"many readers":     {"too-many-readers", file(0, []byte{0xff, 0xff, 0xff, 0xff, 0x0f}, 0)},
		"long number":      {"bad-number", file(0, []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0}, 0)},
		"cut in a name":    {"truncated", file(0, plain[:20], 0)},
		"cut in an effect": {"truncated", file(0, plain[:len(plain)-1], 0)},
		"no size":          {"truncated", append([]byte("XNBw\x05\x80\x0c\x00\x00\x00"), 0, 0)},
		"cut":              {"wrong-size", want[:len(want)-1]},
		"more behind":      {"wrong-size", append(want[:len(want):len(want)], 0)},
		"2 GB of LZX":      {"too-large", file(0x80, stored(plain), 1<<31)},
		"2 GB of LZ4":      {"too-large", file(0x40, lz4Packed(t, bytes.Repeat(plain, 20)), 1<<31)},
		"LZX ends":         {"truncated", file(0x80, stored(plain), len(plain)+1)},
		"damaged LZX":      {"corrupt", file(0x80, []byte{0, 4, 1, 2, 3, 4}, 100)},
		"damaged LZ4":      {"corrupt", file(0x40, []byte{0xf0, 1, 2}, 100)},
	} {
		_, err := xnb.Decode("a.xnb", c.data)
		if d := (*asm.Diag)(nil); !errors.As(err, &d) || string(d.Code) != c.code {
			t.Errorf("%s: %v, not %s", name, err, c.code)
		}
		if xnb.Peek(c.data) != nil && c.code != "truncated" && c.code != "corrupt" && c.code != "too-large" && c.code != "wrong-size" {
			t.Errorf("%s: it is taken for an effect", name)
		}
	}
}

// A small file that says it is large is refused without much memory.
func TestBomb(t *testing.T) {
	data := file(0x40, []byte{0x1f, 0, 1, 0}, 16<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := xnb.Decode("a.xnb", data)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; err == nil || n > 1<<20 {
		t.Errorf("%d bytes (%v)", n, err)
	}
}

func FuzzDecode(f *testing.F) {
	plain := body("effect", effectReader)
	f.Add(file(0, plain, 0))
	f.Add(file(0x80, stored(plain), len(plain)))
	f.Add(file(0x40, lz4Packed(f, bytes.Repeat(plain, 3)), 3*len(plain)))
	f.Fuzz(func(t *testing.T, data []byte) {
		head := xnb.Peek(data)
		file, err := xnb.Decode("fuzz", data)
		if err != nil {
			return
		}
		if !bytes.HasPrefix(file.Effect, head) {
			t.Fatalf("%x: its effect begins with %x", data, head)
		}
		again, err := xnb.Decode("fuzz", xnb.Encode(file))
		if err != nil || !bytes.Equal(again.Effect, file.Effect) {
			t.Fatalf("%x: what is written reads as another (%v)", data, err)
		}
	})
}
