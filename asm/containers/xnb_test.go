package containers_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/containers"
)

const (
	effectReader  = "Microsoft.Xna.Framework.Content.EffectReader, Microsoft.Xna.Framework.Graphics, Version=4.0.0.0"
	textureReader = "Microsoft.Xna.Framework.Content.Texture2DReader"
)

// body returns the plain body of a file with readers, the first of which reads the effect.
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

// file returns a file with the given flags; packed is already compressed if the flags require it.
func file(flags byte, packed []byte, size int) []byte {
	b := append([]byte("XNBw\x05"), flags, 0, 0, 0, 0)
	if flags&0xc0 != 0 {
		b = binary.LittleEndian.AppendUint32(b, uint32(size))
	}
	b = append(b, packed...)
	binary.LittleEndian.PutUint32(b[6:], uint32(len(b)))
	return b
}

// stored returns data as uncompressed LZX frames.
func stored(data []byte) (packed []byte) {
	for first := true; len(data) > 0; first = false {
		n := min(len(data), 1<<15)
		header, length := uint32(3<<24|n), 27 // the kind of block, its size, and padding
		if first {
			length++ // a zero before it: calls are not translated
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

// lz4Sequence appends literals and a match to an LZ4 block. A distance of 0 means that there is no match.
func lz4Sequence(block []byte, literals []byte, distance, length int) []byte {
	long := func(n int) []byte {
		if n < 15 {
			return nil
		}
		return append(bytes.Repeat([]byte{255}, (n-15)/255), byte((n-15)%255))
	}
	token := min(len(literals), 15) << 4
	if distance > 0 {
		token |= min(length-4, 15)
	}
	block = append(append(append(block, byte(token)), long(len(literals))...), literals...)
	if distance > 0 {
		block = append(binary.LittleEndian.AppendUint16(block, uint16(distance)), long(length-4)...)
	}
	return block
}

// lz4Packed compresses data: a match is the last place with the same four bytes, and the bytes after it.
func lz4Packed(data []byte) (block []byte) {
	start, seen := 0, map[string]int{}
	for at := 0; at+12 < len(data); {
		key := string(data[at : at+4])
		from, ok := seen[key]
		if seen[key] = at; !ok || at-from >= 1<<16 {
			at++
			continue
		}
		n := 4
		for at+n+5 < len(data) && data[from+n] == data[at+n] {
			n++
		}
		block = lz4Sequence(block, data[start:at], at-from, n)
		at += n
		start = at
	}
	return lz4Sequence(block, data[start:], 0, 0)
}

func TestLZ4(t *testing.T) {
	const text = "the effect"
	plain := body(text, effectReader)
	whole := lz4Sequence(nil, plain, 0, 0)
	for _, test := range []struct {
		name  string
		block []byte
		size  int
		good  bool
	}{
		{"literals", whole, len(plain), true},
		{"a match", lz4Sequence(lz4Sequence(nil, append(plain, "abcde"...), 5, 25), []byte("z"), 0, 0), len(plain) + 31,
			true},
		{"a match at the end", lz4Sequence(nil, append(plain, 'z'), 1, 18), len(plain) + 19, true},
		{"a match of 300 bytes", lz4Sequence(nil, append(plain, 'z'), 1, 300), len(plain) + 301, true},
		{"nothing", nil, len(plain), false},
		{"too few bytes", whole, len(plain) + 1, false},
		{"too many literals", whole, len(plain) - 1, false},
		{"too long a match", lz4Sequence(nil, append(plain, 'z'), 1, 300), len(plain) + 300, false},
		{"a match before the beginning", lz4Sequence(nil, plain, len(plain)+1, 8), len(plain) + 8, false},
		{"a match of itself", append(whole, 0x00, 0, 0), len(plain) + 4, false},
		{"no distance", lz4Sequence(nil, plain, 1, 8)[:len(whole)+1], len(plain) + 8, false},
		{"no length", lz4Sequence(nil, plain, 1, 300)[:len(whole)+2], len(plain) + 300, false},
		{"an endless length", append([]byte{0xf0}, bytes.Repeat([]byte{255}, 1<<20)...), len(plain), false},
		{"literals that are missing", whole[:len(whole)-1], len(plain), false},
	} {
		f, err := containers.Decode("a.xnb", file(0x41, test.block, test.size))
		switch {
		case test.good && (err != nil || string(f.Effect) != text):
			t.Errorf("%s: %v", test.name, err)
		case !test.good && (err == nil || !strings.Contains(err.Error(), "corrupt")):
			t.Errorf("%s: %v, want a corrupt file", test.name, err)
		}
	}
}

func TestDecode(t *testing.T) {
	effect := strings.Repeat("an effect, of more than one frame", 2000)
	plain := body(effect, effectReader, textureReader)
	want := file(0x01, plain, 0)
	for name, data := range map[string][]byte{
		"plain": want,
		"LZX":   file(0x81, stored(plain), len(plain)),
		"LZ4":   file(0x41, lz4Packed(plain), len(plain)),
	} {
		f, err := containers.Decode("a.xnb", data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if string(f.Effect) != effect || f.Compressed != (name != "plain") ||
			!strings.HasPrefix(effect, string(containers.Peek(data))) || len(containers.Peek(data)) < 1000 {
			t.Errorf("%s: %d bytes of effect", name, len(f.Effect))
		}
		if got := containers.Encode(f); !bytes.Equal(got, want) {
			t.Errorf("%s: it is written as %d bytes, not %d", name, len(got), len(want))
		}
	}
}

func Example() {
	f, err := containers.Decode("glow.xnb", file(0x01, body("the effect", effectReader), 0))
	if err != nil {
		fmt.Println(err)
		return
	}
	f.Effect = []byte("a better effect")
	again, err := containers.Decode("glow.xnb", containers.Encode(f))
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
		"2 GB of LZ4":      {"too-large", file(0x40, lz4Packed(bytes.Repeat(plain, 20)), 1<<31)},
		"LZX ends":         {"truncated", file(0x80, stored(plain), len(plain)+1)},
		"damaged LZX":      {"corrupt", file(0x80, []byte{0, 4, 1, 2, 3, 4}, 100)},
		"damaged LZ4":      {"corrupt", file(0x40, []byte{0xf0, 1, 2}, 100)},
	} {
		_, err := containers.Decode("a.xnb", c.data)
		if d := (*asm.Diag)(nil); !errors.As(err, &d) || string(d.Code) != c.code {
			t.Errorf("%s: %v, not %s", name, err, c.code)
		}
		if containers.Peek(c.data) != nil && c.code != "truncated" && c.code != "corrupt" && c.code != "too-large" &&
			c.code != "wrong-size" {
			t.Errorf("%s: it is taken for an effect", name)
		}
	}
}

// TestBomb checks that a small file with a large claimed size is refused without much memory.
func TestBomb(t *testing.T) {
	data := file(0x40, []byte{0x1f, 0, 1, 0}, 16<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := containers.Decode("a.xnb", data)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; err == nil || n > 1<<20 {
		t.Errorf("%d bytes (%v)", n, err)
	}
}

func FuzzDecode(f *testing.F) {
	plain := body("effect", effectReader)
	f.Add(file(0, plain, 0))
	f.Add(file(0x80, stored(plain), len(plain)))
	f.Add(file(0x40, lz4Packed(bytes.Repeat(plain, 3)), 3*len(plain)))
	f.Fuzz(func(t *testing.T, data []byte) {
		head := containers.Peek(data)
		file, err := containers.Decode("fuzz", data)
		if err != nil {
			return
		}
		if !bytes.HasPrefix(file.Effect, head) {
			t.Fatalf("%x: its effect begins with %x", data, head)
		}
		again, err := containers.Decode("fuzz", containers.Encode(file))
		if err != nil || !bytes.Equal(again.Effect, file.Effect) {
			t.Fatalf("%x: what is written reads as another (%v)", data, err)
		}
	})
}
